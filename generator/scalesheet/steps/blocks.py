"""Blocks: what a transformer block of PyTorch keeps for its backward pass, in bytes by width.

Counted in the code of transformers 5 and PyTorch 2 without compilation: each operation keeps what
its derivative needs, products only the inputs of trained weights. Checked by what the CPU's
allocator was asked for; on CUDA the same tensors are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from scalesheet.steps.architecture import traits_of
from scalesheet.steps.families import configured
from scalesheet.steps.faults import Unbuildable
from scalesheet.steps.job import Job, Shape

#: How a norm is computed: RMS in 32 bits and back before its weight (Llama) or after it (Gemma,
#: OLMo 2); PyTorch's own layer norm; the same in 32 bits (OLMo).
Norm = Literal["rms", "rms-wide", "layer", "layer-wide"]


@dataclass(frozen=True)
class Block:
    """The counts of one architecture, as it stands in transformers under `model_type`."""

    norm: Norm = "rms"
    inputs: int = 2  # tensors as wide as the model that its norms read
    readers: tuple[int, ...] = (3, 2)  # products that read each norm's output
    query: int = 2  # tensors as wide as the queries, with a fused kernel of attention
    key: int = 2  # and as wide as the keys
    apart: bool = False  # whether the output product reads a copy of what attention gives
    activation: int = 3  # tensors as wide as the feed-forward layer, besides what it ends in
    qk_norm: bool = False  # of queries and keys
    wide_softmax: bool = True  # in 32 bits, where attention is not fused
    cap: bool = False  # whether scores (not fused) and logits go through a tanh
    embedded: bool = False  # whether the first block reads something else than the embeddings
    after: bool = False  # whether a norm reads what the feed-forward layer gives
    gates: int = 2  # gradients of the feed-forward width that are there at once


_LLAMA = Block()
_GPT2 = Block(
    "layer", readers=(1, 1), query=4, key=0, activation=4, wide_softmax=False, embedded=True
)
#: By the `model_type` of transformers. Biases change nothing that is kept.
BLOCKS: Mapping[str, Block] = {
    "llama": _LLAMA,
    "qwen2": _LLAMA,
    "qwen3": Block(qk_norm=True),
    "gemma": Block("rms-wide"),
    "gemma2": Block("rms-wide", inputs=4, cap=True, after=True),
    "gemma3_text": Block("rms-wide", inputs=4, qk_norm=True, after=True),
    "olmo": Block("layer-wide"),
    "olmo2": Block("rms-wide", qk_norm=True, after=True),
    "stablelm": Block("layer", apart=True),
    "gpt2": _GPT2,
    "gpt_bigcode": Block(
        "layer", readers=(1, 1), query=2, key=2, activation=1, gates=1, embedded=True
    ),
    "opt": Block("layer", readers=(3, 1), query=4, key=0, activation=0, embedded=True),
    "gpt_neox": Block(
        "layer", inputs=1, readers=(1, 1), query=6, key=0, apart=True, activation=1, gates=1
    ),
    "starcoder2": Block("layer", readers=(3, 1), activation=1, gates=1),
    "bloom": Block("layer", readers=(1, 1), query=4, key=0, activation=1, gates=5, embedded=True),
    "falcon": Block(
        "layer", inputs=1, readers=(2,), activation=1, wide_softmax=False, gates=1, apart=True
    ),
    "gptj": Block("layer", inputs=1, readers=(4,), query=4, key=0, apart=True, activation=4),
    "phi": Block("layer", inputs=1, readers=(4,), query=4, key=0, apart=True, activation=4),
    "mpt": Block("layer", readers=(1, 1), query=4, key=0, activation=1, gates=1),
}
#: Fused products of queries, keys and values, which adapters see as one.
FUSED = ("gpt2", "gpt_bigcode", "gpt_neox", "mpt", "bloom", "falcon")


#: What of an architecture is not counted as it is.
REMARKS: Mapping[str, str] = {
    "falcon": "attention of Falcon is counted as a fused kernel would keep it",
    "gptj": "GPT-J keeps queries and keys in 32 bits, which is not counted",
}


def architecture(shape: Shape) -> tuple[str, str]:
    """The `model_type` whose block a model's is counted as, which is the one that `bench run`
    builds, and a remark where it is not counted as it is."""
    try:
        kind = str(configured(shape, 1).get("model_type", ""))
    except Unbuildable:
        kind = ""
    if kind in BLOCKS:
        return kind, REMARKS.get(kind, "")
    nearest = "llama" if shape.gated else "gpt_neox"
    return nearest, f"blocks of {kind or shape.title} are counted as those of {nearest}"


# ------------------------------------------------------------------ precision


@dataclass(frozen=True)
class Bytes:
    """Of an element: as weights are kept, as products are computed, and as the block's input is
    passed on. `cast`: each product casts its input and its weights (autocast)."""

    weights: int
    products: int
    stream: int
    cast: bool


WIDTHS = {"fp32": 4, "tf32": 4, "fp16": 2, "bf16": 2, "nf4": 2}


def bytes_of(job: Job) -> Bytes:
    """Autocast is on where weights are wider than products, and with adapters, which PEFT keeps in
    32 bits."""
    products, kept = WIDTHS[job.precision], WIDTHS[job.weights]
    cast = products == 2 and (kept == 4 or job.method != "full")
    return Bytes(kept, products, kept, cast)


def unfused(job: Job) -> bool:
    """Whether scores are kept: where that is asked for, and on CUDA in 32 bits with heads in
    groups, for which PyTorch has no fused kernel."""
    grouped = job.model.kv_heads < job.model.heads
    without = job.device == "cuda" and WIDTHS[job.precision] == 4 and grouped
    return job.attention == "eager" or without


# ------------------------------------------------------------------ what is kept


@dataclass(frozen=True)
class Kept:
    """Bytes for each token that a block keeps: times the width, the score, or the rank that each is
    of; `token` as they are."""

    hidden: float
    query: float
    key: float
    ffn: float
    head: float
    score: float
    rank: float
    token: float


def kept(kind: str, job: Job) -> Kept:
    """What a block of an architecture keeps in a job."""
    block, size = BLOCKS[kind], bytes_of(job)
    trained = job.method == "full"
    copied = size.cast and (not trained or size.weights != size.products)
    element = size.products
    outputs = sum(block.readers) if copied else len(block.readers)
    hidden = block.inputs * norm_bytes(kind, job) + outputs * element
    # a frozen product keeps no input, the adapter beside it keeps a copy of its own
    beside = element if not trained and copied else 0
    if unfused(job):
        query, key, head = 4.0 * element, 0.0, 0.0
        wide = element == 2 and block.wide_softmax
        score = float(element + 4 if wide else element) + (element if block.cap else 0)
    else:
        own = element if block.apart else beside
        query, key, head, score = block.query * element + own, block.key * element, 4.0, 0.0
    if block.qk_norm:
        of_norm = 4 + (0 if not trained else 4 if block.norm == "rms-wide" else element)
        query, key = query + of_norm, key + of_norm
    ffn = (block.activation + 1) * element
    if block.activation == 0:
        ffn += beside
    adapters = sum(block.readers) + 2
    statistics = 4.0 if block.norm.startswith("rms") else 2.0 * size.stream
    rank = 0.0 if trained else float(adapters * element)
    return Kept(hidden, query, key, ffn, head, score, rank, block.inputs * statistics)


def norm_bytes(kind: str, job: Job) -> float:
    """Bytes that a norm keeps for each element that it reads: its input, and what its weight is
    multiplied by, where that is trained."""
    norm, stream = BLOCKS[kind].norm, bytes_of(job).stream
    normed = {"rms": stream, "rms-wide": 4}.get(norm, 0) if job.method == "full" else 0
    return (stream if norm == "layer" else 4) + normed


def met(shape: Shape) -> float:
    """Feed-forward width that a token meets: of a mixture that of the experts at work, in the mean
    of the layers."""
    traits = traits_of(shape)
    if not traits.routed:
        return float(shape.ffn)
    experts = (traits.active + traits.shared) * traits.expert_ffn
    dense = traits.dense_layers / shape.layers
    return dense * shape.ffn + (1 - dense) * experts


def products(kind: str, shape: Shape) -> list[tuple[int, int]]:
    """Widths in and out of the matrices of a block, as its linear layers have them."""
    hidden, ffn = shape.hidden, shape.ffn
    query, key = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    attention = (
        [(hidden, query + 2 * key)]
        if kind in FUSED
        else [(hidden, query), (hidden, key), (hidden, key)]
    )
    gate = [(hidden, ffn)] if shape.gated else []
    return [*attention, (query, hidden), *gate, (hidden, ffn), (ffn, hidden)]
