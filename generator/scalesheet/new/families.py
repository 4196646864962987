"""Architectures of the Hugging Face model types, in the words of `data/models/`.

One function for each family. What a `config.json` leaves out has the default of the configuration
class of its type in the library `transformers`; sizes that it leaves out and that differ between
the models of a family are asked for. What stands in no config, as the biases of a class, is that of
its modelling code (https://github.com/huggingface/transformers/tree/main/src/transformers/models).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from scalesheet.diagnostics import Diagnostic, nearest
from scalesheet.new.config import Config, place_of

#: Keys of a file of `data/models/`, with their values, in the order in which they are written.
Architecture = dict[str, Any]


@dataclass(frozen=True)
class Read:
    """What a config says: the architecture, and remarks on what is not in it."""

    model_type: str
    architecture: Architecture
    remarks: tuple[str, ...] = ()


def architecture(config: Config) -> Read | None:
    """The architecture that a config states; None, and the reason among its faults, where its type
    is not known."""
    kind = config.data.get("model_type")
    if not isinstance(kind, str) or kind not in FAMILIES:
        _unknown(config, kind)
        return None
    made = FAMILIES[kind](config)
    remarks = made.pop("remarks", ())
    return Read(kind, made, tuple(remarks))


def _unknown(config: Config, kind: Any) -> None:
    known = ", ".join(sorted(FAMILIES))
    if not isinstance(kind, str):
        config.missing("model_type", f"one of {known}")
        return
    line, column = place_of(config.text, "model_type")
    hint = nearest(kind, FAMILIES)
    message = f"the model type '{kind[:60]}' is not supported{hint}; supported are {known}"
    config.found.append(Diagnostic(config.path, line, column, "M002", message))


def _word(flag: bool) -> str:
    return "yes" if flag else "no"


# ------------------------------------------------------------------ shared by many


def _decoder(
    c: Config,
    *,
    tied: bool = False,
    gated: bool = True,
    grouped: bool = False,
    ffn: tuple[str, ...] = ("intermediate_size",),
    **more: Any,
) -> Architecture:
    """The sizes under the names that most types have. `tied` is the class's default; with `grouped`
    it has one of its own for key-value heads, so that a config must state them."""
    heads, hidden = c.size("num_attention_heads"), c.size("hidden_size")
    head_dim = c.maybe("head_dim")
    if head_dim is None and not c.found and hidden % heads:
        c.wrong("num_attention_heads", f"a divisor of the hidden size {hidden}")
    made: Architecture = {
        "layers": c.size("num_hidden_layers"),
        "hidden": hidden,
        "heads": heads,
        "kv_heads": c.size("num_key_value_heads", default=None if grouped else heads),
        "head_dim": head_dim or max(1, hidden // heads),
        "ffn": c.size(*ffn),
        "vocab": c.size("vocab_size"),
        "max_sequence": c.maybe("max_position_embeddings"),
        "tied": _word(c.flag("tie_word_embeddings", default=tied)),
        "gated": _word(gated),
        **more,
    }
    if not c.found and heads % made["kv_heads"]:
        name = "num_key_value_heads" if c.has("num_key_value_heads") else "num_attention_heads"
        c.wrong(name, f"a divisor of the {heads} heads")
    return made


def _biased(c: Config, made: Architecture, key: str = "attention_bias") -> Architecture:
    """Where one key says of all four projections of an attention whether they have biases."""
    bias = _word(c.flag(key, default=False))
    return {**made, "qkv_bias": bias, "output_bias": bias}


def _old(c: Config, **more: Any) -> Architecture:
    """The names of GPT-2 and of what followed its code: n_layer, n_embd, n_head."""
    hidden, heads = c.size("n_embd", "hidden_size"), c.size("n_head", "num_attention_heads")
    if not c.found and hidden % heads:
        c.wrong("n_head", f"a divisor of the width {hidden}")
    positions = c.size("n_positions", "n_ctx", default=1024)
    return {
        "layers": c.size("n_layer", "num_hidden_layers"),
        "hidden": hidden,
        "heads": heads,
        "kv_heads": heads,
        "head_dim": max(1, hidden // heads),
        "ffn": c.size("n_inner", default=4 * hidden),
        "vocab": c.size("vocab_size"),
        "max_sequence": positions,
        "tied": _word(c.flag("tie_word_embeddings", default=True)),
        "gated": "no",
        "norm": "layernorm",
        **more,
    }


_ALL_BIASES = {"qkv_bias": "yes", "output_bias": "yes", "ffn_bias": "yes"}


def _every(c: Config, layers: int, step: str, *, after: int = 0, plain: str = "") -> int:
    """Layers without experts, where every `step`-th layer from the layer `after` on has them and
    those of the list `plain` have none."""
    apart = c.size(step, default=1)
    without = set(c.sizes(plain)) if plain else set()
    experts = [
        layer
        for layer in range(after, layers)
        if (layer + (1 if plain else 0)) % apart == 0 and layer not in without
    ]
    return layers - len(experts)


# ------------------------------------------------------------------ dense decoders


def _llama(c: Config) -> Architecture:
    made = _biased(c, _decoder(c))
    return {**made, "ffn_bias": _word(c.flag("mlp_bias", default=False))}


def _mistral(c: Config) -> Architecture:
    return _decoder(c, grouped=True)


def _smollm3(c: Config) -> Architecture:
    return {**_llama(c), "tied": _word(c.flag("tie_word_embeddings", default=True))}


def _qwen2(c: Config) -> Architecture:
    _windows(c)
    return _decoder(c, grouped=True, qkv_bias="yes")


def _qwen3(c: Config) -> Architecture:
    _windows(c)
    return {**_biased(c, _decoder(c, grouped=True)), "qk_norm": "head"}


def _windows(c: Config) -> None:
    """A window that is switched off is none."""
    if not c.flag("use_sliding_window", default=False):
        c.ignore("sliding_window", "max_window_layers", "layer_types")


def _gemma(c: Config) -> Architecture:
    return _biased(c, _decoder(c, tied=True, grouped=True))


def _gemma2(c: Config) -> Architecture:
    return {**_gemma(c), "block_norms": 4}


def _gemma3_text(c: Config) -> Architecture:
    return {**_gemma(c), "block_norms": 4, "qk_norm": "head"}


#: What the text part of a Gemma 3 config leaves out where it is the default of its class.
_GEMMA3_DEFAULTS = {
    "vocab_size": 262_208, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256,
    "max_position_embeddings": 131_072,
}  # fmt: skip


def _gemma3(c: Config) -> Architecture:
    text = _part(c, "text_config", _GEMMA3_DEFAULTS)
    made = _gemma3_text(text) if text is not None else {}
    tower = _part(c, "vision_config", {})
    if tower is None:
        return made
    # A norm after the last block, and an RMSNorm before the one matrix of the connector.
    outer = {"outer_norms": 3, "merge": 1, "connector": "linear"}
    return {**made, "vision": {**_siglip(tower), **outer}}


def _part(c: Config, name: str, defaults: Mapping[str, Any]) -> Config | None:
    """A part of a config, with the defaults of its class."""
    part = c.part(name)
    if part is not None:
        part.data = {**defaults, **{k: v for k, v in part.data.items() if v is not None}}
    return part


def _siglip(v: Config) -> Architecture:
    """The vision transformer of SigLIP, without its pooling head."""
    if v.flag("vision_use_head", default=False):
        v.unsupported("vision_use_head", "a pooling head cannot be written yet")
    made = _image_transformer(v)
    return {**made, "patch_bias": "yes"}


def _image_transformer(v: Config) -> Architecture:
    side = v.size("patch_size")
    across = v.size("image_size") // side
    v.ignore("num_attention_heads", "projection_dim", "vocab_size")
    return {
        "layers": v.size("num_hidden_layers"), "hidden": v.size("hidden_size"),
        "ffn": v.size("intermediate_size"), "norm": "layernorm",
        "patch": v.size("num_channels", default=3) * side**2, "positions": across**2,
    }  # fmt: skip


#: What the text part of a LLaVA config leaves out: the defaults of the class of Llama.
_LLAMA_DEFAULTS = {
    "vocab_size": 32_000, "hidden_size": 4096, "intermediate_size": 11_008,
    "num_hidden_layers": 32, "num_attention_heads": 32, "max_position_embeddings": 2048,
}  # fmt: skip


def _llava(c: Config) -> Architecture:
    text, tower = _part(c, "text_config", _LLAMA_DEFAULTS), _part(c, "vision_config", {})
    if text is None or tower is None:
        return {}
    if text.word("model_type", "llama") != "llama":
        text.unsupported("model_type", "LLaVA is read with a language model of the type llama alone")
    c.ignore("vision_feature_layer", "vision_feature_select_strategy", "image_seq_length")
    made = _image_transformer(tower)
    made["positions"] += 2  # a position for the class token, and the token itself
    # A norm before the first block and one after the last, each with a bias.
    outer = {"outer_norms": 4, "merge": 1, "connector": "mlp"}
    return {**_llama(text), "vision": {**made, **outer}}


def _without_vision(c: Config) -> Architecture:
    """Says that the vision tower is not in the architecture."""
    if not c.has("vision_config"):
        return {}
    c.ignore("vision_config", "vision_feature_layer", "vision_feature_select_strategy")
    return {"remarks": ["the language model alone, without the vision tower of vision_config"]}


def _phi(c: Config) -> Architecture:
    if c.flag("qk_layernorm", default=False):
        c.unsupported("qk_layernorm", "a LayerNorm of queries and keys cannot be written yet")
    made = _decoder(c, gated=False, **_ALL_BIASES)
    return {**made, "head_bias": "yes", "norm": "layernorm", "block_norms": 1}


def _phi3(c: Config) -> Architecture:
    return _decoder(c)


def _olmo(c: Config) -> Architecture:
    return {**_biased(c, _decoder(c)), "norm": "none"}


def _olmo2(c: Config) -> Architecture:
    return {**_biased(c, _decoder(c)), "qk_norm": "width"}


def _stablelm(c: Config) -> Architecture:
    if c.flag("qk_layernorm", default=False):
        c.unsupported("qk_layernorm", "a LayerNorm for each head cannot be written yet")
    made = _decoder(c, norm="layernorm")
    made["qkv_bias"] = _word(c.flag("use_qkv_bias", default=False))
    made["block_norms"] = 1 if c.flag("use_parallel_residual", default=False) else 2
    return made


def _starcoder2(c: Config) -> Architecture:
    bias = _word(c.flag("use_bias", default=True))
    biases = dict.fromkeys(_ALL_BIASES, bias)
    return _decoder(c, tied=True, gated=False, grouped=True, norm="layernorm", **biases)


def _cohere(c: Config) -> Architecture:
    if c.flag("use_qk_norm", default=False):
        c.unsupported("use_qk_norm", "a norm with a weight for each head cannot be written yet")
    made = _decoder(c, tied=True, norm="layernorm-no-bias", block_norms=1)
    return _biased(c, made)


def _gpt_neox(c: Config) -> Architecture:
    bias = _word(c.flag("attention_bias", default=True))
    c.ignore("use_parallel_residual")  # the norms are the same either way
    made = _decoder(c, gated=False, norm="layernorm", ffn_bias="yes")
    return {**made, "qkv_bias": bias, "output_bias": bias}


def _gpt2(c: Config) -> Architecture:
    made = _old(c, **_ALL_BIASES)
    return {**made, "positions": made["max_sequence"]}


def _gptj(c: Config) -> Architecture:
    made = _old(c, ffn_bias="yes", head_bias="yes", block_norms=1)
    return {**made, "tied": _word(c.flag("tie_word_embeddings", default=False))}


def _gpt_neo(c: Config) -> Architecture:
    hidden, heads = c.size("hidden_size"), c.size("num_heads", "num_attention_heads")
    positions = c.size("max_position_embeddings")
    c.ignore("attention_types", "attention_layers")
    if not c.found and hidden % heads:
        c.wrong("num_heads", f"a divisor of the hidden size {hidden}")
    return {
        "layers": c.size("num_layers", "num_hidden_layers"), "hidden": hidden, "heads": heads,
        "kv_heads": heads, "head_dim": max(1, hidden // heads),
        "ffn": c.size("intermediate_size", default=4 * hidden), "vocab": c.size("vocab_size"),
        "max_sequence": positions, "tied": _word(c.flag("tie_word_embeddings", default=True)),
        "gated": "no", "output_bias": "yes", "ffn_bias": "yes", "norm": "layernorm",
        "positions": positions,
    }  # fmt: skip


def _gpt_bigcode(c: Config) -> Architecture:
    made = _gpt2(c)
    return {**made, "kv_heads": 1} if c.flag("multi_query", default=True) else made


def _bloom(c: Config) -> Architecture:
    hidden, heads = c.size("hidden_size", "n_embed"), c.size("n_head", "num_attention_heads")
    if not c.found and hidden % heads:
        c.wrong("n_head", f"a divisor of the width {hidden}")
    return {
        "layers": c.size("n_layer", "num_hidden_layers"), "hidden": hidden, "heads": heads,
        "kv_heads": heads, "head_dim": max(1, hidden // heads), "ffn": 4 * hidden,
        "vocab": c.size("vocab_size"), "max_sequence": c.maybe("seq_length"),
        "tied": _word(c.flag("tie_word_embeddings", default=True)), "gated": "no", **_ALL_BIASES,
        "norm": "layernorm", "embedding_norm": "yes",
    }  # fmt: skip


def _mpt(c: Config) -> Architecture:
    hidden, heads = c.size("d_model"), c.size("n_heads")
    longest = c.size("max_seq_len", default=2048)
    attention = c.part("attn_config", needed=False) or Config(c.path, c.text, {}, c.found)
    if attention.flag("qk_ln", default=False):
        c.unsupported("attn_config", "a LayerNorm of queries and keys cannot be written yet")
    kind = attention.word("attn_type", "multihead_attention")
    grouped = {"multihead_attention": heads, "multiquery_attention": 1}
    plain = c.flag("no_bias", default=True)
    positions = c.flag("learned_pos_emb", default=True) and not (
        attention.flag("alibi", default=True) or attention.flag("rope", default=False)
    )
    if not c.found and hidden % heads:
        c.wrong("n_heads", f"a divisor of the width {hidden}")
    return {
        "layers": c.size("n_layers"), "hidden": hidden, "heads": heads,
        "kv_heads": grouped.get(kind) or attention.size("kv_n_heads"),
        "head_dim": max(1, hidden // heads),
        "ffn": int(c.number("expansion_ratio", 4.0) * hidden), "vocab": c.size("vocab_size"),
        "max_sequence": longest, "tied": _word(c.flag("tie_word_embeddings", default=True)),
        "gated": "no", **({} if plain else _ALL_BIASES),
        "norm": "layernorm-no-bias" if plain else "layernorm",
        "positions": longest if positions else 0,
    }  # fmt: skip


def _falcon(c: Config) -> Architecture:
    hidden = c.size("hidden_size")
    heads = c.size("num_attention_heads", "n_head")
    newer = c.flag("new_decoder_architecture", default=False)
    parallel = c.flag("parallel_attn", default=True)
    shared = 1 if c.flag("multi_query", default=True) else heads
    kv_heads = c.size("num_kv_heads", "n_head_kv", default=heads)
    norms = c.size("num_ln_in_parallel_attn", default=2 if newer else 1)
    bias = dict.fromkeys(_ALL_BIASES, _word(c.flag("bias", default=False)))
    if not c.found and hidden % heads:
        c.wrong("num_attention_heads" if c.has("num_attention_heads") else "n_head",
                f"a divisor of the hidden size {hidden}")  # fmt: skip
    return {
        "layers": c.size("num_hidden_layers", "n_layer"), "hidden": hidden, "heads": heads,
        "kv_heads": kv_heads if newer else shared, "head_dim": max(1, hidden // heads),
        "ffn": c.size("ffn_hidden_size", default=4 * hidden), "vocab": c.size("vocab_size"),
        "max_sequence": c.size("max_position_embeddings", default=2048),
        "tied": _word(c.flag("tie_word_embeddings", default=True)), "gated": "no", **bias,
        "norm": "layernorm", "block_norms": norms if newer or parallel else 2,
    }  # fmt: skip


def _opt(c: Config) -> Architecture:
    hidden = c.size("hidden_size")
    if c.size("word_embed_proj_dim", default=hidden) != hidden:
        c.unsupported("word_embed_proj_dim", "embeddings of another width cannot be written yet")
    if not c.flag("do_layer_norm_before", default=True):
        c.unsupported("do_layer_norm_before", "a decoder without a last norm cannot be written yet")
    bias = dict.fromkeys(_ALL_BIASES, _word(c.flag("enable_bias", default=True)))
    affine = c.flag("layer_norm_elementwise_affine", default=True)
    norm = "layernorm" if affine else "none"
    made = _decoder(c, tied=True, gated=False, ffn=("ffn_dim",), norm=norm, **bias)
    longest = made["max_sequence"]
    if longest is None:
        c.missing("max_position_embeddings", "a whole number")
        return made
    return {**made, "positions": longest + 2}  # its table has two rows before the first position


# ------------------------------------------------------------------ mixtures of experts


def _mixtral(c: Config) -> Architecture:
    made = _decoder(c, grouped=True)
    experts = {"routed": c.size("num_local_experts"), "active": c.size("num_experts_per_tok")}
    return {**made, "experts": _experts(c, made, {**experts, "ffn": made["ffn"]})}


def _phimoe(c: Config) -> Architecture:
    made = {**_biased(c, _mixtral(c)), "norm": "layernorm"}
    return {**made, "head_bias": _word(c.flag("lm_head_bias", default=False))}


def _qwen2_moe(c: Config) -> Architecture:
    made = _qwen2(c)
    width = c.size("moe_intermediate_size")
    together = c.size("shared_expert_intermediate_size", least=0)
    if together % width:
        c.unsupported(
            "shared_expert_intermediate_size",
            f"{together} is no multiple of the width {width} of a routed expert",
        )
    experts = {
        **_routed(c, made["layers"], "num_experts", width),
        "shared": together // width,
        "shared_gate": "yes",
    }
    return {**made, "experts": _experts(c, made, experts)}


def _qwen3_moe(c: Config) -> Architecture:
    made = _qwen3(c)
    experts = _routed(c, made["layers"], "num_experts", c.size("moe_intermediate_size"))
    return {**made, "experts": _experts(c, made, experts)}


def _routed(c: Config, layers: int, count: str, width: int) -> dict[str, Any]:
    return {
        "routed": c.size(count), "active": c.size("num_experts_per_tok"), "ffn": width,
        "dense_layers": _every(c, layers, "decoder_sparse_step", plain="mlp_only_layers"),
    }  # fmt: skip


def _olmoe(c: Config) -> Architecture:
    made = {**_biased(c, _decoder(c)), "qk_norm": "width"}
    experts = {"routed": c.size("num_experts"), "active": c.size("num_experts_per_tok")}
    return {**made, "experts": _experts(c, made, {**experts, "ffn": made["ffn"]})}


def _deepseek(c: Config) -> Architecture:
    """DeepSeekMoE: experts without latent attention."""
    made = _biased(c, _decoder(c))
    return {**made, "experts": _deepseek_experts(c, made)}


def _deepseek_v2(c: Config) -> Architecture:
    made = _decoder(c)
    made["head_dim"] = c.size("qk_nope_head_dim")
    if c.flag("attention_bias", default=False):
        c.unsupported("attention_bias", "latent attention with biases cannot be written yet")
    latent = {
        "query_rank": c.size("q_lora_rank", default=0), "kv_rank": c.size("kv_lora_rank"),
        "rope_dim": c.size("qk_rope_head_dim"), "value_dim": c.size("v_head_dim"),
    }  # fmt: skip
    made["experts"] = _deepseek_experts(c, made)
    return {**made, "latent": latent}


def _deepseek_v3(c: Config) -> Architecture:
    made = _deepseek_v2(c)
    made["experts"] = {**made["experts"], "router_bias": "yes"}
    if c.size("num_nextn_predict_layers", default=0, least=0):
        made["remarks"] = ["without the layers of num_nextn_predict_layers, which predict more"]
    return made


def _deepseek_experts(c: Config, made: Architecture) -> dict[str, Any]:
    c.ignore("topk_method", "topk_group", "n_group", "routed_scaling_factor")
    dense = c.size("first_k_dense_replace", default=0, least=0)
    experts = {
        "routed": c.size("n_routed_experts"), "active": c.size("num_experts_per_tok"),
        "shared": c.size("n_shared_experts", default=0, least=0),
        "ffn": c.size("moe_intermediate_size"),
        "dense_layers": _every(c, made["layers"], "moe_layer_freq", after=dense),
    }  # fmt: skip
    return _experts(c, made, experts)


def _llama4(c: Config) -> Architecture:
    text = c.part("text_config")
    made = _llama4_text(text) if text is not None else {}
    return {**made, **_without_vision(c)}


def _llama4_text(c: Config) -> Architecture:
    width = c.size("intermediate_size")
    made = _biased(c, _decoder(c, ffn=("intermediate_size_mlp",)))
    step, layers = c.size("interleave_moe_layer_step", default=1), made["layers"]
    with_experts = c.sizes("moe_layers") or tuple(range(step - 1, layers, step))
    experts = {
        "routed": c.size("num_local_experts"), "active": c.size("num_experts_per_tok", default=1),
        "shared": 1, "ffn": width, "dense_layers": layers - len(set(with_experts)),
    }  # fmt: skip
    c.ignore("use_qk_norm")  # it has no weights
    return {**made, "experts": _experts(c, made, experts)}


def _experts(c: Config, made: Architecture, experts: dict[str, Any]) -> dict[str, Any]:
    if experts["active"] > experts["routed"]:
        c.wrong("num_experts_per_tok", f"at most the {experts['routed']} experts")
    if not 0 <= experts.get("dense_layers", 0) <= made["layers"]:
        c.wrong("num_hidden_layers", "more layers than those that have no experts")
    return experts


# ------------------------------------------------------------------ with a vision tower


def _qwen2_vl(c: Config) -> Architecture:
    made = _qwen2(c.part("text_config") or c) if c.has("text_config") else _qwen2(c)
    v = c.part("vision_config")
    if v is None:
        return made
    width = v.size("embed_dim")
    ffn = int(v.number("mlp_ratio", 4.0) * width)
    v.ignore("hidden_size")  # the width of the language model
    tower = {
        "layers": v.size("depth"), "hidden": width, "ffn": ffn, "norm": "layernorm",
        "outer_norms": 2,
    }  # fmt: skip
    return {**made, "vision": {**tower, **_patches(v)}}


def _qwen2_5_vl(c: Config) -> Architecture:
    made = _qwen2(c.part("text_config") or c) if c.has("text_config") else _qwen2(c)
    v = c.part("vision_config")
    if v is None:
        return made
    v.ignore("out_hidden_size", "fullatt_block_indexes", "tokens_per_second", "window_size")
    tower = {
        "layers": v.size("depth", default=32), "hidden": v.size("hidden_size", default=1280),
        "ffn": v.size("intermediate_size", default=3420), "gated": "yes", "norm": "rmsnorm",
        "outer_norms": 1,
    }  # fmt: skip
    return {**made, "vision": {**tower, **_patches(v)}}


def _patches(v: Config) -> dict[str, int]:
    channels = v.size("in_channels", "in_chans", default=3)
    v.ignore("in_channels", "in_chans", "spatial_patch_size")
    side, merged = v.size("patch_size", default=14), v.size("spatial_merge_size", default=2)
    frames = v.size("temporal_patch_size", default=2)
    return {"patch": channels * frames * side**2, "merge": merged**2}


#: Model type of a config -> how it is read.
FAMILIES: Mapping[str, Callable[[Config], Architecture]] = {
    "bloom": _bloom, "cohere": _cohere, "deepseek": _deepseek, "deepseek_v2": _deepseek_v2,
    "deepseek_v3": _deepseek_v3, "falcon": _falcon, "gemma": _gemma, "gemma2": _gemma2,
    "gemma3": _gemma3, "gemma3_text": _gemma3_text, "gpt2": _gpt2, "gpt_bigcode": _gpt_bigcode,
    "gpt_neo": _gpt_neo, "gpt_neox": _gpt_neox, "gptj": _gptj, "llama": _llama, "llama4": _llama4,
    "llama4_text": _llama4_text, "llava": _llava, "mistral": _mistral, "mixtral": _mixtral, "mpt": _mpt,
    "olmo": _olmo, "olmo2": _olmo2, "olmo3": _olmo2, "olmoe": _olmoe, "opt": _opt, "phi": _phi,
    "phi3": _phi3, "phimoe": _phimoe, "qwen2": _qwen2, "qwen2_5_vl": _qwen2_5_vl,
    "qwen2_moe": _qwen2_moe, "qwen2_vl": _qwen2_vl, "qwen3": _qwen3, "qwen3_moe": _qwen3_moe,
    "smollm3": _smollm3, "stablelm": _stablelm, "starcoder2": _starcoder2,
}  # fmt: skip
