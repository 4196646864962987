"""Dense decoders: one function for each model type, or for several similar ones."""

from __future__ import annotations

from scalesheet.new.architecture import (
    ALL_BIASES,
    Architecture,
    biased,
    decoder,
    old_names,
    windowed,
    yes_or_no,
)
from scalesheet.new.config import Config


def llama(c: Config) -> Architecture:
    made = biased(c, decoder(c))
    return {**made, "ffn_bias": yes_or_no(c.flag("mlp_bias", default=False))}


def mistral(c: Config) -> Architecture:
    return windowed(c, decoder(c, grouped=True))


def smollm3(c: Config) -> Architecture:
    return {**llama(c), "tied": yes_or_no(c.flag("tie_word_embeddings", default=True))}


def qwen2(c: Config) -> Architecture:
    return {**switched_windows(c, decoder(c, grouped=True)), "qkv_bias": "yes"}


def qwen3(c: Config) -> Architecture:
    made = switched_windows(c, biased(c, decoder(c, grouped=True)))
    return {**made, "qk_norm": "head"}


def switched_windows(c: Config, made: Architecture) -> Architecture:
    """Add windows that a flag enables, in the layers after the first `max_window_layers`."""
    if not c.flag("use_sliding_window", default=False):
        c.ignore("sliding_window", "max_window_layers", "layer_types")
        return made
    return windowed(c, made, tokens=4096, first=c.size("max_window_layers", default=28, least=0))


def qwen3_5_text(c: Config, ffn: str = "intermediate_size") -> Architecture:
    """Add Gated DeltaNet in the layers that `layer_types` names, or in all but every fourth."""
    made = biased(c, decoder(c, grouped=True, ffn=ffn))
    made |= {"qk_norm": "head", "attention_gate": "yes"}
    kinds, layers = c.words("layer_types"), made["layers"]
    if kinds and len(kinds) != layers:
        c.wrong("layer_types", f"a list of {layers} strings, one for each layer")
    every = c.size("full_attention_interval", default=4)
    linear = {
        "layers": kinds.count("linear_attention") if kinds else layers - layers // every,
        "key_heads": c.size("linear_num_key_heads", default=16),
        "key_dim": c.size("linear_key_head_dim", default=128),
        "value_heads": c.size("linear_num_value_heads", default=32),
        "value_dim": c.size("linear_value_head_dim", default=128),
        "convolution": c.size("linear_conv_kernel_dim", default=4),
    }
    return {**made, "linear": linear} if linear["layers"] else made


def gemma(c: Config) -> Architecture:
    return biased(c, decoder(c, tied=True, grouped=True))


def gemma2(c: Config) -> Architecture:
    return {**windowed(c, gemma(c), full=2, tokens=4096), "block_norms": 4}


def gemma3_text(c: Config) -> Architecture:
    made = windowed(c, gemma(c), full=6, tokens=4096)
    return {**made, "block_norms": 4, "qk_norm": "head"}


def phi(c: Config) -> Architecture:
    if c.flag("qk_layernorm", default=False):
        c.unsupported("qk_layernorm", "LayerNorm on queries and keys is not supported yet")
    made = decoder(c, gated=False)
    return {**made, **ALL_BIASES, "head_bias": "yes", "norm": "layernorm", "block_norms": 1}


def phi3(c: Config) -> Architecture:
    return windowed(c, decoder(c))


def olmo(c: Config) -> Architecture:
    return {**biased(c, decoder(c)), "norm": "none"}


def olmo2(c: Config) -> Architecture:
    return {**biased(c, decoder(c)), "qk_norm": "width"}


def olmo3(c: Config) -> Architecture:
    return windowed(c, olmo2(c), full=4, tokens=4096)


def stablelm(c: Config) -> Architecture:
    if c.flag("qk_layernorm", default=False):
        c.unsupported("qk_layernorm", "a LayerNorm for each head is not supported yet")
    made = {**decoder(c), "norm": "layernorm"}
    made["qkv_bias"] = yes_or_no(c.flag("use_qkv_bias", default=False))
    made["block_norms"] = 1 if c.flag("use_parallel_residual", default=False) else 2
    return made


def starcoder2(c: Config) -> Architecture:
    bias = yes_or_no(c.flag("use_bias", default=True))
    biases = dict.fromkeys(ALL_BIASES, bias)
    made = windowed(c, decoder(c, tied=True, gated=False, grouped=True))
    return {**made, "norm": "layernorm", **biases}


def cohere(c: Config) -> Architecture:
    if c.flag("use_qk_norm", default=False):
        c.unsupported("use_qk_norm", "a norm with a weight for each head is not supported yet")
    made = biased(c, decoder(c, tied=True))
    return {**made, "norm": "layernorm-no-bias", "block_norms": 1}


def gpt_neox(c: Config) -> Architecture:
    bias = yes_or_no(c.flag("attention_bias", default=True))
    c.ignore("use_parallel_residual")  # the norms are the same in both cases
    made = {**decoder(c, gated=False), "norm": "layernorm", "ffn_bias": "yes"}
    return {**made, "qkv_bias": bias, "output_bias": bias}


def gpt2(c: Config) -> Architecture:
    made = old_names(c, **ALL_BIASES)
    return {**made, "positions": made["max_sequence"]}


def gptj(c: Config) -> Architecture:
    made = old_names(c, ffn_bias="yes", head_bias="yes", block_norms=1)
    return {**made, "tied": yes_or_no(c.flag("tie_word_embeddings", default=False))}


def gpt_neo(c: Config) -> Architecture:
    hidden, heads = c.size("hidden_size"), c.size("num_heads", "num_attention_heads")
    positions = c.size("max_position_embeddings")
    c.ignore("attention_types", "attention_layers")
    if not c.found and hidden % heads:
        c.wrong(("num_heads", "num_attention_heads"), f"a divisor of the hidden size {hidden}")
    return {
        "layers": c.layers("num_layers", "num_hidden_layers"),
        "hidden": hidden,
        "heads": heads,
        "kv_heads": heads,
        "head_dim": max(1, hidden // heads),
        "ffn": c.size("intermediate_size", default=4 * hidden),
        "vocab": c.size("vocab_size"),
        "max_sequence": positions,
        "tied": yes_or_no(c.flag("tie_word_embeddings", default=True)),
        "gated": "no",
        "output_bias": "yes",
        "ffn_bias": "yes",
        "norm": "layernorm",
        "positions": positions,
    }


def gpt_bigcode(c: Config) -> Architecture:
    made = gpt2(c)
    return {**made, "kv_heads": 1} if c.flag("multi_query", default=True) else made


def bloom(c: Config) -> Architecture:
    hidden, heads = c.size("hidden_size", "n_embed"), c.size("n_head", "num_attention_heads")
    if not c.found and hidden % heads:
        c.wrong(("n_head", "num_attention_heads"), f"a divisor of the width {hidden}")
    return {
        "layers": c.layers("n_layer", "num_hidden_layers"),
        "hidden": hidden,
        "heads": heads,
        "kv_heads": heads,
        "head_dim": max(1, hidden // heads),
        "ffn": 4 * hidden,
        "vocab": c.size("vocab_size"),
        "max_sequence": c.maybe("seq_length"),
        "tied": yes_or_no(c.flag("tie_word_embeddings", default=True)),
        "gated": "no",
        **ALL_BIASES,
        "norm": "layernorm",
        "embedding_norm": "yes",
    }


def mpt(c: Config) -> Architecture:
    hidden, heads = c.size("d_model"), c.size("n_heads")
    longest = c.size("max_seq_len", default=2048)
    attention = c.part("attn_config", needed=False) or Config(c.path, c.text, {}, c.found)
    if attention.flag("qk_ln", default=False):
        c.unsupported("attn_config", "LayerNorm on queries and keys is not supported yet")
    kind = attention.word("attn_type", "multihead_attention")
    grouped = {"multihead_attention": heads, "multiquery_attention": 1}
    plain = c.flag("no_bias", default=True)
    positions = c.flag("learned_pos_emb", default=True) and not (
        attention.flag("alibi", default=True) or attention.flag("rope", default=False)
    )
    if not c.found and hidden % heads:
        c.wrong("n_heads", f"a divisor of the width {hidden}")
    return {
        "layers": c.layers("n_layers"),
        "hidden": hidden,
        "heads": heads,
        "kv_heads": grouped.get(kind) or attention.size("kv_n_heads"),
        "head_dim": max(1, hidden // heads),
        "ffn": int(c.number("expansion_ratio", 4.0) * hidden),
        "vocab": c.size("vocab_size"),
        "max_sequence": longest,
        "tied": yes_or_no(c.flag("tie_word_embeddings", default=True)),
        "gated": "no",
        **({} if plain else ALL_BIASES),
        "norm": "layernorm-no-bias" if plain else "layernorm",
        "positions": longest if positions else 0,
    }


def falcon(c: Config) -> Architecture:
    hidden = c.size("hidden_size")
    heads = c.size("num_attention_heads", "n_head")
    newer = c.flag("new_decoder_architecture", default=False)
    parallel = c.flag("parallel_attn", default=True)
    shared = 1 if c.flag("multi_query", default=True) else heads
    kv_heads = c.size("num_kv_heads", "n_head_kv", default=heads)
    norms = c.size("num_ln_in_parallel_attn", default=2 if newer else 1)
    bias = dict.fromkeys(ALL_BIASES, yes_or_no(c.flag("bias", default=False)))
    if not c.found and hidden % heads:
        c.wrong(("num_attention_heads", "n_head"), f"a divisor of the hidden size {hidden}")
    return {
        "layers": c.layers("num_hidden_layers", "n_layer"),
        "hidden": hidden,
        "heads": heads,
        "kv_heads": kv_heads if newer else shared,
        "head_dim": max(1, hidden // heads),
        "ffn": c.size("ffn_hidden_size", default=4 * hidden),
        "vocab": c.size("vocab_size"),
        "max_sequence": c.size("max_position_embeddings", default=2048),
        "tied": yes_or_no(c.flag("tie_word_embeddings", default=True)),
        "gated": "no",
        **bias,
        "norm": "layernorm",
        "block_norms": norms if newer or parallel else 2,
    }


def opt(c: Config) -> Architecture:
    hidden = c.size("hidden_size")
    if c.size("word_embed_proj_dim", default=hidden) != hidden:
        c.unsupported(
            "word_embed_proj_dim", "embeddings of a different width are not supported yet"
        )
    if not c.flag("do_layer_norm_before", default=True):
        c.unsupported("do_layer_norm_before", "a decoder without a final norm is not supported yet")
    bias = dict.fromkeys(ALL_BIASES, yes_or_no(c.flag("enable_bias", default=True)))
    affine = c.flag("layer_norm_elementwise_affine", default=True)
    norm = "layernorm" if affine else "none"
    made = {**decoder(c, tied=True, gated=False, ffn="ffn_dim"), "norm": norm, **bias}
    longest = made["max_sequence"]
    if longest is None:
        c.missing("max_position_embeddings", "a whole number")
        return made
    return {**made, "positions": longest + 2}  # its table has two rows before the first position
