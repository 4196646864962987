"""The columns of the catalogue's tables: their titles, their units, and where files state them.

A column of numbers needs a line here and a key in the schema of its kind; a computed one needs a
line in `DERIVED`.
"""

from __future__ import annotations

from collections.abc import Mapping

from scalesheet.frozen import dataclass
from scalesheet.model import Domain
from scalesheet.vocabulary import PRECISIONS, RECORDED, WEIGHTS_PRECISIONS

NOT_STATED = "not stated"
NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Given:
    """A column of numbers that files state.

    `path` is its place in a file, unless it is under the column's own name. `default` is used where
    a file says nothing; without one, the cell is a reason. `decimals` overrides the rule for
    printing.
    """

    title: str
    unit: str
    domain: Domain = "positive"
    path: tuple[str, ...] = ()
    default: float | None = None
    decimals: int | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """A column of words from a closed set; `default` as for numbers."""

    title: str
    words: tuple[str, ...]
    path: tuple[str, ...] = ()
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Computed:
    """A column that the catalogue computes from the row's other columns. `step` marks intermediate
    columns, which keep formulas in spreadsheets short.
    """

    title: str
    unit: str
    formula: str
    domain: Domain = "positive"
    step: bool = False


HARDWARE: Mapping[str, Given] = {
    "memory": Given("Memory", "GiB"),
    "memory_usable": Given("Usable memory", "GiB", decimals=2),
    "bandwidth": Given("Memory bandwidth", "GB / second"),
    "dense_fp16": Given("Dense FP16 peak, FP32 accumulate", "TFLOP / (second * GPU)"),
    "dense_bf16": Given("Dense BF16 peak, FP32 accumulate", "TFLOP / (second * GPU)"),
    "dense_fp8": Given("Dense FP8 peak, FP32 accumulate", "TFLOP / (second * GPU)"),
    "dense_fp4": Given("Dense FP4 peak", "TFLOP / (second * GPU)"),
    "dense_tf32": Given("Dense TF32 peak", "TFLOP / (second * GPU)"),
    "fp32": Given("FP32 (non-tensor) peak", "TFLOP / (second * GPU)"),
    "fp16_accumulate": Given("Dense FP16 peak, FP16 accumulate", "TFLOP / (second * GPU)"),
    "sparse_bf16": Given(
        "BF16 peak with sparsity, not usable for training", "TFLOP / (second * GPU)"
    ),
    "measured_bf16": Given("Best measured BF16 matrix products", "TFLOP / (second * GPU)"),
    "measured_fp8": Given("Best measured FP8 matrix products", "TFLOP / (second * GPU)"),
    "measured_fp16": Given("Best measured FP16 matrix products", "TFLOP / (second * GPU)"),
    "measured_tf32": Given("Best measured TF32 matrix products", "TFLOP / (second * GPU)"),
    "measured_fp32": Given("Best measured FP32 matrix products", "TFLOP / (second * GPU)"),
    "measured_bandwidth": Given("Measured memory bandwidth, triad", "GB / second"),
    "measured_link": Given("Measured all-reduce, bus bandwidth", "GB / second"),
    "power": Given("Board power", "W / GPU"),
    "link": Given("Link bandwidth, both directions", "GB / second"),
    "link_domain": Given("Accelerators on the link", "GPU", "count"),
    "host_link": Given("Host link, each direction", "GB / second"),
}
HARDWARE_CHOICES: Mapping[str, Choice] = {
    "kind": Choice("Kind", ("accelerator", "processor"), default="accelerator"),
}

PRICINGS = ("list", "marketplace")


def _size(title: str, *path: str, default: float | None = 0.0) -> Given:
    """A width or count of an architecture; by default 0, for models without such a part."""
    return Given(title, "1", "count" if default is None else "whole", path, default)


MODEL: Mapping[str, Given] = {
    "layers": _size("Layers", default=None),
    "hidden": _size("Hidden size", default=None),
    "heads": _size("Attention heads", default=None),
    "kv_heads": _size("Key-value heads", default=None),
    "head_dim": _size("Head dimension", default=None),
    "ffn": _size("Feed-forward width", default=None),
    "vocab": _size("Vocabulary", default=None),
    "max_sequence": Given("Longest sequence", "token", "count"),
    "positions": _size("Learned positions"),
    "block_norms": _size("Norms per block", default=2.0),
    "experts": _size("Routed experts", "experts", "routed"),
    "experts_active": _size("Active routed experts", "experts", "active"),
    "experts_shared": _size("Shared experts", "experts", "shared"),
    "expert_ffn": _size("Expert width", "experts", "ffn"),
    "dense_layers": _size("Layers without experts", "experts", "dense_layers"),
    "query_rank": _size("Query rank", "latent", "query_rank"),
    "kv_rank": _size("KV rank", "latent", "kv_rank"),
    "rope_dim": _size("Rotary head dimension", "latent", "rope_dim"),
    "value_dim": _size("Value head dimension", "latent", "value_dim"),
    "window": Given("Sliding window", "token / sequence", "whole", ("window", "tokens"), 0.0),
    "window_layers": _size("Layers with a sliding window", "window", "layers"),
    "linear_layers": _size("Layers with linear attention", "linear", "layers"),
    "linear_key_heads": _size("Key heads of linear attention", "linear", "key_heads"),
    "linear_key_dim": _size("Key head dimension of linear attention", "linear", "key_dim"),
    "linear_value_heads": _size("Value heads of linear attention", "linear", "value_heads"),
    "linear_value_dim": _size("Value head dimension of linear attention", "linear", "value_dim"),
    "convolution": _size("Convolution of linear attention", "linear", "convolution"),
    "vision_layers": _size("Vision tower layers", "vision", "layers"),
    "vision_hidden": _size("Vision tower width", "vision", "hidden"),
    "vision_ffn": _size("Feed-forward width of the vision tower", "vision", "ffn"),
    "vision_patch": _size("Values per patch", "vision", "patch"),
    "vision_merge": _size("Patches per token", "vision", "merge"),
    "vision_positions": _size("Learned positions of the vision tower", "vision", "positions"),
    "vision_outer_norms": _size("Norms outside the blocks", "vision", "outer_norms"),
}
NORMS = ("rmsnorm", "layernorm", "layernorm-no-bias", "none")
CONNECTORS = ("merger", "mlp", "linear")
MODEL_CHOICES: Mapping[str, Choice] = {
    "norm": Choice("Norm", NORMS, default="rmsnorm"),
    "qk_norm": Choice("Query and key norm", ("none", "head", "width"), default="none"),
    "vision_norm": Choice("Norm of the vision tower", NORMS, ("vision", "norm"), "none"),
    "vision_connector": Choice(
        "Connector of the vision tower", CONNECTORS, ("vision", "connector"), "merger"
    ),
}
#: Flags and their places; no if a file does not say.
MODEL_FLAGS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "tied": ("Tied embeddings", ()),
    "gated": ("Gated feed-forward", ()),
    "qkv_bias": ("QKV bias", ()),
    "output_bias": ("Attention output bias", ()),
    "attention_gate": ("Attention output gate", ()),
    "ffn_bias": ("Feed-forward bias", ()),
    "head_bias": ("Output head bias", ()),
    "embedding_norm": ("Embedding norm", ()),
    "router_bias": ("Router bias", ("experts", "router_bias")),
    "shared_gate": ("Shared expert gate", ("experts", "shared_gate")),
    "vision_patch_bias": ("Patch embedding bias", ("vision", "patch_bias")),
    "vision_gated": ("Gated feed-forward of the vision tower", ("vision", "gated")),
}
PUBLISHED: Mapping[str, Given] = {
    "published_parameters": Given("Parameters, published", "parameter"),
    "published_active_parameters": Given("Active parameters, published", "parameter"),
}

NODE: Mapping[str, Given] = {
    "gpus": Given("Accelerators", "GPU / node", "count", ("accelerators",)),
    "cores": Given("Host CPU cores", "core / node", "count"),
    "host_memory": Given("Host memory", "GiB / node", decimals=0),
    "storage": Given("Local disks", "TB / node", decimals=2),
    "network": Given("Network, each direction", "GB / (second * node)"),
    "power": Given("Maximum power", "kW / node"),
}

#: The numbers in a record of a measurement. Memory is that of one accelerator.
MEASUREMENT: Mapping[str, Given] = {
    "gpus": Given("Accelerators", "GPU", "count", ("accelerators",)),
    "rank": Given("LoRA rank", "1", "count"),
    "batch_size": Given("Global batch", "sequence / step"),
    "micro_batch": Given("Micro-batch per accelerator", "sequence / step"),
    "accumulation": Given("Passes per step", "1", "count"),
    "sequence_length": Given("Sequence length", "token / sequence"),
    "step_time": Given("Step time", "second / step"),
    "steps": Given("Timed steps", "step", "count"),
    "step_spread": Given("Step time spread", "1", "non-negative"),
    "data_loading_share": Given("Data loading, share of the step", "1", "fraction"),
    "forward_share": Given("Forward pass, share of the step", "1", "fraction"),
    "backward_share": Given("Backward pass, share of the step", "1", "fraction"),
    "optimizer_share": Given("Optimizer, share of the step", "1", "fraction"),
    "data_time": Given("Data preparation time per batch", "second / step", "non-negative"),
    "peak_memory": Given("Peak memory", "GiB"),
    "average_memory": Given("Average memory", "GiB"),
    "weights_memory": Given("Weight memory", "GiB"),
    "gradients_memory": Given("Gradient memory", "GiB"),
    "optimizer_memory": Given("Optimizer memory", "GiB"),
    "activations_memory": Given("Activation memory", "GiB"),
    "working_memory": Given("Other memory at the peak", "GiB", "non-negative"),
    "reserved_memory": Given("Reserved memory", "GiB"),
    "process_memory": Given("Host process memory", "GiB"),
    "samples_per_second": Given("Samples per second", "sequence / second"),
    "tokens_per_second": Given("Tokens per second", "token / second"),
    "flop_rate": Given("FLOP/s per accelerator", "TFLOP / (second * GPU)"),
    "flop_per_token": Given("FLOP per token", "GFLOP / token"),
    "utilisation": Given("Model FLOP utilization (MFU)", "1", "fraction"),
    "power": Given("Power per accelerator", "W / GPU"),
}
MEASUREMENT_CHOICES: Mapping[str, Choice] = {
    "how": Choice("How it was found", ("measured", "simulated")),
    "method": Choice("Method", RECORDED),
    "precision": Choice("Precision", PRECISIONS),
    "weights_precision": Choice("Weight precision", WEIGHTS_PRECISIONS),
    "attention": Choice("Attention kernel", ("sdpa", "eager", "flash")),
    "strategy": Choice("Strategy", ("single", "ddp", "fsdp")),
}
#: Flags of a measurement that stay unknown if a file does not say.
MEASUREMENT_FLAGS: Mapping[str, str] = {
    "checkpointing": "Activation checkpointing",
    "compiled": "Compiled",
}
#: Marks of a measurement; no if a file does not say.
MARKS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "interrupted": ("Interrupted", ()),
    "unsteady": ("Unsteady", ()),
    "input_bound": ("Waits for data", ()),
}

_NORM = "hidden * (2 if norm == 'layernorm' else 0 if norm == 'none' else 1)"
_EMBEDDED = (
    f"embedding_parameters(tables=1 if tied else 2, vocab=vocab, hidden=hidden, "
    f"positions=positions, head_bias=1 if head_bias else 0, "
    f"norms=(2 if embedding_norm else 1) * {_NORM})"
)
_LATENT_ATTENTION = (
    "latent_attention_parameters(hidden=hidden, heads=heads, head_dim=head_dim, "
    "rope_dim=rope_dim, value_dim=value_dim, query_rank=query_rank, kv_rank=kv_rank) "
    "if kv_rank > 0 else 0"
)
_QK_NORM = (
    "2 * head_dim if qk_norm == 'head' else "
    "(heads + kv_heads) * head_dim if qk_norm == 'width' else 0"
)
_ATTENTION = (
    "latent_attention_part if kv_rank > 0 else "
    "attention_parameters(hidden=hidden, heads=heads, kv_heads=kv_heads, head_dim=head_dim, "
    "qkv_bias=1 if qkv_bias else 0, output_bias=1 if output_bias else 0, qk_norm=qk_norm_width, "
    "gate=1 if attention_gate else 0)"
)
_LINEAR = (
    "linear_attention_parameters(hidden=hidden, key_heads=linear_key_heads, "
    "key_dim=linear_key_dim, value_heads=linear_value_heads, value_dim=linear_value_dim, "
    "convolution=convolution) if linear_layers > 0 else 0"
)
_STATE = (
    "linear_value_heads * linear_key_dim * linear_value_dim "
    "+ convolution * (2 * linear_key_heads * linear_key_dim "
    "+ linear_value_heads * linear_value_dim)"
)
_VISION_BLOCK = (
    "vision_block_parameters(width=vision_hidden, ffn=vision_ffn, matrices=3 if vision_gated else "
    "2, norm=vision_hidden * (2 if vision_norm == 'layernorm' else 1)) if vision_layers > 0 else 0"
)
_VISION_INNER = (
    "vision_merge * vision_hidden if vision_connector == 'merger' else "
    "hidden if vision_connector == 'mlp' else 0"
)
_CONNECTOR = (
    "connector_parameters(merge=vision_merge, width=vision_hidden, inner=vision_inner, "
    "bias=0 if vision_connector == 'linear' else 1, hidden=hidden) if vision_layers > 0 else 0"
)
_VISION = (
    "vision_tower_parameters(width=vision_hidden, patch=vision_patch, "
    "patch_bias=1 if vision_patch_bias else 0, positions=vision_positions, "
    "layers=vision_layers, block=vision_block_part, "
    "outer_norms=vision_hidden * vision_outer_norms, connector=connector_part) "
    "if vision_layers > 0 else 0"
)
_FEED_FORWARD = (
    "feed_forward_parameters(hidden=hidden, ffn=ffn, matrices=3 if gated else 2, "
    "bias=1 if ffn_bias else 0)"
)
_EXPERTS = (
    "expert_layer_parameters(hidden=hidden, ffn=expert_ffn, matrices=3 if gated else 2, "
    "routed=experts, counted={counted}, shared=experts_shared, "
    "router_bias=1 if router_bias else 0, shared_gate=1 if shared_gate else 0) "
    "if experts > 0 else 0"
)
_DECODER = (
    f"embedding_part + (layers - linear_layers) * attention_part + linear_layers * linear_part "
    f"+ layers * (block_norms * {_NORM}) as parameter "
    "+ (dense_layers if experts > 0 else layers) * feed_forward_part "
    "+ (layers - dense_layers if experts > 0 else 0) * {experts}"
)

#: Columns that the catalogue computes, in order. If a formula calls one that the book lacks, its
#: column is left out along with those that depend on it.
DERIVED: Mapping[str, Mapping[str, Computed]] = {
    "nodes": {
        "network_per_gpu": Computed(
            "Network per accelerator, each direction", "GB / (second * GPU)", "network / gpus"
        ),
        "power_per_gpu": Computed(
            "Power per accelerator, host included", "W / GPU", "power / gpus"
        ),
        "accelerator_power": Computed(
            "Accelerator power", "W / GPU", "accelerator.power", step=True
        ),
        "host_power": Computed(
            "Power besides the accelerators",
            "kW / node",
            "max(0, power - gpus * accelerator_power)",
            "non-negative",
        ),
    },
    "offers": {
        "price": Computed("Price per GPU hour", "USD / (GPU * hour)", "node_price / gpus"),
    },
    "models": {
        "embedding_part": Computed(
            "Embedding, head and final norm parameters", "parameter", _EMBEDDED
        ),
        "latent_attention_part": Computed(
            "Latent attention parameters",
            "parameter",
            _LATENT_ATTENTION,
            "non-negative",
            step=True,
        ),
        "qk_norm_width": Computed(
            "Query and key norm elements", "1", _QK_NORM, "non-negative", step=True
        ),
        "attention_part": Computed("Attention parameters", "parameter", _ATTENTION),
        "linear_part": Computed(
            "Linear attention parameters", "parameter", _LINEAR, "non-negative", step=True
        ),
        "linear_state": Computed(
            "State of linear attention, elements", "1", _STATE, "non-negative", step=True
        ),
        "feed_forward_part": Computed("Feed-forward layer parameters", "parameter", _FEED_FORWARD),
        "experts_part": Computed(
            "Expert layer parameters",
            "parameter",
            _EXPERTS.format(counted="experts"),
            "non-negative",
        ),
        "experts_met_part": Computed(
            "Active parameters of an expert layer",
            "parameter",
            _EXPERTS.format(counted="experts_active"),
            "non-negative",
        ),
        "vision_block_part": Computed(
            "Vision tower block parameters",
            "parameter",
            _VISION_BLOCK,
            "non-negative",
            step=True,
        ),
        "vision_inner": Computed(
            "Width between two layers of the connector",
            "1",
            _VISION_INNER,
            "non-negative",
            step=True,
        ),
        "connector_part": Computed(
            "Connector parameters", "parameter", _CONNECTOR, "non-negative", step=True
        ),
        "vision_parameters": Computed(
            "Parameters of the vision tower",
            "parameter",
            _VISION,
            "non-negative",
        ),
        "decoder_parameters": Computed(
            "Parameters of the language model",
            "parameter",
            _DECODER.format(experts="experts_part"),
        ),
        "active_parameters": Computed(
            "Active parameters per token",
            "parameter",
            _DECODER.format(experts="experts_met_part"),
        ),
        "parameters": Computed(
            "Parameters, counted", "parameter", "decoder_parameters + vision_parameters"
        ),
    },
}
