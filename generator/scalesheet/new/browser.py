"""The data with which a page reads a `config.json` itself, by model type.

A config states sizes under a few names; everything else about an architecture is a constant of its
type, or follows from a flag. Both are found by running the reader of `families`, so that a page
knows exactly the types that the reader knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scalesheet.new.config import Config
from scalesheet.new.families import architecture

#: Columns of sizes, and the keys of configs that state them; the first existing key applies.
SIZES: Mapping[str, tuple[str, ...]] = {
    "layers": ("num_hidden_layers", "n_layer", "num_layers"),
    "hidden": ("hidden_size", "n_embd", "n_embed"),
    "heads": ("num_attention_heads", "n_head", "num_heads"),
    "kv_heads": ("num_key_value_heads",),
    "head_dim": ("qk_nope_head_dim", "head_dim"),
    "ffn": ("intermediate_size_mlp", "intermediate_size", "ffn_dim", "n_inner"),
    "vocab": ("vocab_size",),
    "max_sequence": ("max_position_embeddings", "n_positions", "seq_length", "n_ctx"),
    "experts": ("num_local_experts", "num_experts", "n_routed_experts"),
    "experts_active": ("num_experts_per_tok",),
    "expert_ffn": ("moe_intermediate_size",),
    "experts_shared": ("n_shared_experts",),
    "dense_layers": ("first_k_dense_replace",),
    "query_rank": ("q_lora_rank",),
    "kv_rank": ("kv_lora_rank",),
    "rope_dim": ("qk_rope_head_dim",),
    "value_dim": ("v_head_dim",),
}
FLAGS = (
    *("tie_word_embeddings", "attention_bias", "mlp_bias", "use_bias", "use_qkv_bias"),
    *("enable_bias", "lm_head_bias", "use_parallel_residual", "layer_norm_elementwise_affine"),
)
#: Types whose sizes use only these names; tested against the reader.
TYPES = (
    *("bloom", "cohere", "deepseek", "deepseek_v2", "deepseek_v3", "gemma", "gemma2"),
    *("gemma3_text", "gpt2", "gpt_neox", "gptj", "llama", "mistral", "mixtral", "olmo", "olmo2"),
    *("olmo3", "olmoe", "opt", "phi", "phi3", "phimoe", "qwen2", "qwen3", "qwen2_moe", "qwen3_moe"),
    *("smollm3", "stablelm", "starcoder2"),
)
#: Sizes that no flag or constant depends on.
_PROBE = {
    **dict.fromkeys(SIZES["layers"], 4),
    **dict.fromkeys(SIZES["hidden"], 64),
    **dict.fromkeys(SIZES["heads"], 4),
    "num_key_value_heads": 4,
    "qk_nope_head_dim": 16,
    "qk_rope_head_dim": 8,
    "v_head_dim": 16,
    "kv_lora_rank": 8,
    "q_lora_rank": 8,
    "vocab_size": 100,
    "word_embed_proj_dim": 64,
    "intermediate_size": 128,
    "ffn_dim": 128,
    "moe_intermediate_size": 32,
    "shared_expert_intermediate_size": 32,
    "num_local_experts": 4,
    "num_experts": 4,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "max_position_embeddings": 512,
    "n_positions": 512,
    "seq_length": 512,
}
_ROUTER = {"router_bias": "router_bias", "shared_gate": "shared_gate"}


def families() -> dict[str, Any]:
    """By model type `{constant: {column: word}, flags: {flag: [if false, if true]}, positions}`.

    `constant` and `flags` have the columns that are not sizes. `positions` is how many learned
    positions there are beyond the longest sequence, or null without any.
    """
    return {kind: _family(kind) for kind in TYPES}


def _family(kind: str) -> dict[str, Any]:
    base = _words(kind, {})
    positions = base.pop("positions", None)
    flags: dict[str, list[dict[str, Any]]] = {}
    for flag in FLAGS:
        made = [_words(kind, {flag: value}) for value in (False, True)]
        changes = [{k: v for k, v in each.items() if base.get(k, v) != v} for each in made]
        for each in changes:
            each.pop("positions", None)
        if any(changes):
            flags[flag] = changes
    return {
        "constant": base,
        "flags": flags,
        "positions": None if positions is None else positions - _PROBE["n_positions"],
    }


def _words(kind: str, more: Mapping[str, Any]) -> dict[str, Any]:
    """The columns other than sizes of a small model of that type."""
    data = {"model_type": kind, **_PROBE, **more}
    said = architecture(Config("config.json", "", data, []))
    assert said is not None, kind
    made = dict(said.architecture)
    made |= {name: value for name, value in made.pop("experts", {}).items() if name in _ROUTER}
    made.pop("latent", None)
    made.pop("window", None)
    sized = {*SIZES, "remarks"}
    return {
        name: value == "yes" if value in ("yes", "no") else value
        for name, value in made.items()
        if name not in sized
    }
