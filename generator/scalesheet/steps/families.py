"""The transformers configuration for a model of a given shape.

Defaults are those of transformers 5. Rotary bases, length limits and dropouts affect neither sizes
nor work, so they keep their defaults, with dropouts at 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scalesheet.steps.architecture import Traits, traits_of
from scalesheet.steps.faults import Unbuildable
from scalesheet.steps.job import Shape

Config = dict[str, Any]
LEFT_OUT: Any = object()  # instead of a key's value: the family computes it
OPT_OFFSET = 2  # rows of OPT's position table that no token uses


def configured(shape: Shape, length: int) -> Config:
    """The configuration of a model of this shape for sequences of `length` tokens, with
    `model_type`.

    Raises Unbuildable for a shape that none of the families has.
    """
    traits = traits_of(shape)
    if traits.vision_layers:
        raise Unbuildable(
            f"{shape.title} has a vision tower, and only the steps of language models are "
            "measured: use its language model instead"
        )
    if shape.config is not None:
        return dict(shape.config)
    for fits, family in FAMILIES:
        if fits(shape, traits):
            config = {**_sizes(shape, traits, length), **family(shape, traits)}
            return {key: value for key, value in config.items() if value is not LEFT_OUT}
    raise Unbuildable(
        f"{shape.title}: no transformers architecture that scalesheet knows has these parts "
        f"(gated: {yes_or_no(shape.gated)}, norm: {traits.norm}, norms in a block: "
        f"{traits.block_norms}, norm of queries and keys: {traits.qk_norm}, routed experts: "
        f"{traits.routed}): give the config.json of the model instead"
    )


def yes_or_no(flag: bool) -> str:
    return "yes" if flag else "no"


def _sizes(shape: Shape, traits: Traits, length: int) -> Config:
    """The keys that nearly all families share; families with other names translate them."""
    return {
        "hidden_size": shape.hidden,
        "intermediate_size": shape.ffn,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.kv_heads,
        "head_dim": shape.head_dim,
        "vocab_size": shape.vocab,
        "max_position_embeddings": max(traits.max_sequence, length),
        "tie_word_embeddings": shape.tied,
        "attention_dropout": 0.0,
        "pad_token_id": None,
    }


def _named(model_type: str, **fixed: Any) -> Callable[[Shape, Traits], Config]:
    """A family that needs no further keys from shape or traits."""
    return lambda shape, traits: {"model_type": model_type, **fixed}


def _llama(shape: Shape, traits: Traits) -> Config:
    return {
        "model_type": "llama",
        "attention_bias": traits.attention_bias,
        "mlp_bias": traits.ffn_bias,
    }


def _qwen3(shape: Shape, traits: Traits) -> Config:
    return {"model_type": "qwen3", "attention_bias": traits.attention_bias}


def _stablelm(shape: Shape, traits: Traits) -> Config:
    return {"model_type": "stablelm", "use_qkv_bias": traits.qkv_bias, "hidden_dropout": 0.0}


def _olmoe(shape: Shape, traits: Traits) -> Config:
    return {
        "model_type": "olmoe",
        "intermediate_size": traits.expert_ffn,
        "num_experts": traits.routed,
        "num_experts_per_tok": traits.active,
    }


def _mixtral(shape: Shape, traits: Traits) -> Config:
    return {
        "model_type": "mixtral",
        "intermediate_size": traits.expert_ffn,
        "num_local_experts": traits.routed,
        "num_experts_per_tok": traits.active,
    }


def _phimoe(shape: Shape, traits: Traits) -> Config:
    return {
        **_mixtral(shape, traits),
        "model_type": "phimoe",
        "attention_bias": traits.attention_bias,
        "lm_head_bias": traits.head_bias,
    }


def _qwen2_moe(shape: Shape, traits: Traits) -> Config:
    return {
        "model_type": "qwen2_moe",
        "moe_intermediate_size": traits.expert_ffn,
        "shared_expert_intermediate_size": traits.shared * traits.expert_ffn,
        "num_experts": traits.routed,
        "num_experts_per_tok": traits.active,
        "mlp_only_layers": list(range(traits.dense_layers)),
    }


def _qwen3_moe(shape: Shape, traits: Traits) -> Config:
    return {
        "model_type": "qwen3_moe",
        "attention_bias": traits.attention_bias,
        "moe_intermediate_size": traits.expert_ffn,
        "num_experts": traits.routed,
        "num_experts_per_tok": traits.active,
        "mlp_only_layers": list(range(traits.dense_layers)),
    }


def _shared_experts(shape: Shape, traits: Traits) -> Config:
    """DeepSeek's experts: shared ones without a gate, the first layers dense."""
    return {
        "moe_intermediate_size": traits.expert_ffn,
        "n_routed_experts": traits.routed,
        "n_shared_experts": traits.shared,
        "num_experts_per_tok": traits.active,
        "first_k_dense_replace": traits.dense_layers,
        # groups of experts affect which ones a token uses, not how many
        "n_group": 1,
        "topk_group": 1,
    }


def _glm4_moe(shape: Shape, traits: Traits) -> Config:
    """Plain attention with shared experts, as in DeepSeekMoE, which transformers lacks."""
    return {
        **_shared_experts(shape, traits),
        "model_type": "glm4_moe",
        "attention_bias": False,
        "use_qk_norm": False,
    }


def _latent(shape: Shape, traits: Traits) -> Config:
    """Multi-head latent attention: DeepSeek-V2, or V3 if the router has a bias."""
    return {
        **_shared_experts(shape, traits),
        "model_type": "deepseek_v3" if traits.router_bias else "deepseek_v2",
        "q_lora_rank": traits.query_rank or None,
        "kv_lora_rank": traits.kv_rank,
        "qk_nope_head_dim": shape.head_dim,
        "qk_rope_head_dim": traits.rope_dim,
        "v_head_dim": traits.value_dim,
        "head_dim": traits.rope_dim,
        "attention_bias": traits.attention_bias,
    }


def _llama4(shape: Shape, traits: Traits) -> Config:
    """Llama 4: an expert layer every few layers, with one shared expert."""
    every = shape.layers // (shape.layers - traits.dense_layers)
    return {
        "model_type": "llama4_text",
        "intermediate_size": traits.expert_ffn,
        "intermediate_size_mlp": shape.ffn,
        "num_local_experts": traits.routed,
        "num_experts_per_tok": traits.active,
        "interleave_moe_layer_step": every,
    }


def _gpt2(shape: Shape, traits: Traits) -> Config:
    return {
        "model_type": "gpt2",
        "n_inner": shape.ffn,
        "max_position_embeddings": traits.positions,
        "resid_pdrop": 0.0,
        "embd_pdrop": 0.0,
        "attn_pdrop": 0.0,
    }


def _bigcode(shape: Shape, traits: Traits) -> Config:
    return {**_gpt2(shape, traits), "model_type": "gpt_bigcode", "multi_query": True}


def _opt(shape: Shape, traits: Traits) -> Config:
    return {
        "model_type": "opt",
        "ffn_dim": shape.ffn,
        "word_embed_proj_dim": shape.hidden,
        "max_position_embeddings": traits.positions - OPT_OFFSET,
        "dropout": 0.0,
        "layerdrop": 0.0,
    }


def _falcon(shape: Shape, traits: Traits) -> Config:
    """Falcon: 7B shares one pair of keys and values and one norm; larger ones have groups."""
    grouped = traits.block_norms > 1
    return {
        "model_type": "falcon",
        "ffn_hidden_size": shape.ffn,
        "num_kv_heads": shape.kv_heads,
        "new_decoder_architecture": grouped,
        "multi_query": not grouped,
        "parallel_attn": True,
        "bias": False,
        "hidden_dropout": 0.0,
        "head_dim": LEFT_OUT,
    }


def _mpt(shape: Shape, traits: Traits) -> Config:
    return {
        "model_type": "mpt",
        "expansion_ratio": shape.ffn // shape.hidden,
        "max_seq_len": max(traits.max_sequence, 2048),
        "no_bias": True,
    }


def _gptj(shape: Shape, traits: Traits) -> Config:
    return {
        **_gpt2(shape, traits),
        "model_type": "gptj",
        "max_position_embeddings": traits.max_sequence or 2048,
        "rotary_dim": min(64, shape.head_dim),
    }


def _gated(shape: Shape, traits: Traits) -> bool:
    return shape.gated and not traits.routed and not traits.kv_rank and traits.norm == "rmsnorm"


def _plain(shape: Shape, traits: Traits) -> bool:
    return not shape.gated and not traits.routed and traits.norm == "layernorm"


def _experts(shape: Shape, traits: Traits) -> bool:
    return shape.gated and traits.routed > 0 and not traits.kv_rank and traits.norm == "rmsnorm"


#: Each family's test for a shape, and its configuration; the first match applies.
FAMILIES: tuple[tuple[Callable[[Shape, Traits], bool], Callable[[Shape, Traits], Config]], ...] = (
    (lambda s, t: t.kv_rank > 0 and t.routed > 0 and s.gated, _latent),
    (
        lambda s, t: _gated(s, t) and t.block_norms == 4 and t.qk_norm == "head",
        _named("gemma3_text"),
    ),
    (lambda s, t: _gated(s, t) and t.block_norms == 4, _named("gemma2")),
    (lambda s, t: _gated(s, t) and t.qk_norm == "head", _qwen3),
    (lambda s, t: _gated(s, t) and t.qk_norm == "width", _named("olmo2")),
    (lambda s, t: _gated(s, t) and t.qkv_bias and not t.output_bias, _named("qwen2")),
    (_gated, _llama),
    (lambda s, t: s.gated and not t.routed and t.norm == "none", _named("olmo")),
    (lambda s, t: s.gated and not t.routed and t.norm == "layernorm", _stablelm),
    (lambda s, t: _experts(s, t) and t.qk_norm == "width", _olmoe),
    (lambda s, t: _experts(s, t) and t.shared_gate, _qwen2_moe),
    (lambda s, t: _experts(s, t) and t.qk_norm == "head" and not t.shared, _qwen3_moe),
    (lambda s, t: _experts(s, t) and t.shared == 1 and t.active == 1, _llama4),
    (lambda s, t: _experts(s, t) and t.shared > 0, _glm4_moe),
    (_experts, _mixtral),
    (lambda s, t: s.gated and t.routed > 0 and t.norm == "layernorm", _phimoe),
    (lambda s, t: _plain(s, t) and t.embedding_norm, _named("bloom", hidden_dropout=0.0)),
    (lambda s, t: _plain(s, t) and t.positions > 0 and s.kv_heads == 1, _bigcode),
    (
        lambda s, t: (
            _plain(s, t) and t.positions > 0 and t.positions == t.max_sequence + OPT_OFFSET
        ),
        _opt,
    ),
    (lambda s, t: _plain(s, t) and t.positions > 0, _gpt2),
    (
        lambda s, t: _plain(s, t) and t.head_bias and t.qkv_bias,
        _named("phi", resid_pdrop=0.0, embd_pdrop=0.0),
    ),
    (lambda s, t: _plain(s, t) and t.head_bias, _gptj),
    (
        lambda s, t: _plain(s, t) and t.ffn_bias and s.kv_heads == s.heads,
        _named("gpt_neox", hidden_dropout=0.0, attention_bias=True),
    ),
    (
        lambda s, t: _plain(s, t) and t.ffn_bias,
        _named("starcoder2", use_bias=True, residual_dropout=0.0, embedding_dropout=0.0),
    ),
    (lambda s, t: _plain(s, t) and not t.ffn_bias, _falcon),
    (lambda s, t: not s.gated and t.norm == "layernorm-no-bias", _mpt),
)
