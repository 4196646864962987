"""What most model configurations share: names of sizes, flags, biases."""

from __future__ import annotations

from typing import Any

from scalesheet.new.config import Config

#: Keys of a `data/models/` file with their values; `remarks` is not one of its keys.
Architecture = dict[str, Any]

ALL_BIASES = {"qkv_bias": "yes", "output_bias": "yes", "ffn_bias": "yes"}


def yes_or_no(flag: bool) -> str:
    return "yes" if flag else "no"


def decoder(
    c: Config,
    *,
    tied: bool = False,
    gated: bool = True,
    grouped: bool = False,
    ffn: str = "intermediate_size",
) -> Architecture:
    """The sizes under their most common names.

    `tied` is the class's default. With `grouped`, the class has its own default for key-value
    heads, so configs must state them.
    """
    heads, hidden = c.size("num_attention_heads"), c.size("hidden_size")
    head_dim = c.maybe("head_dim")
    if head_dim is None and not c.found and hidden % heads:
        c.wrong("num_attention_heads", f"a divisor of the hidden size {hidden}")
    made: Architecture = {
        "layers": c.layers("num_hidden_layers"),
        "hidden": hidden,
        "heads": heads,
        "kv_heads": c.size("num_key_value_heads", default=None if grouped else heads),
        "head_dim": head_dim or max(1, hidden // heads),
        "ffn": c.size(ffn),
        "vocab": c.size("vocab_size"),
        "max_sequence": c.maybe("max_position_embeddings"),
        "tied": yes_or_no(c.flag("tie_word_embeddings", default=tied)),
        "gated": yes_or_no(gated),
    }
    if not c.found and heads % made["kv_heads"]:
        c.wrong(("num_key_value_heads", "num_attention_heads"), f"a divisor of the {heads} heads")
    return made


def biased(c: Config, made: Architecture) -> Architecture:
    """For types where one key sets the biases of all four attention projections."""
    bias = yes_or_no(c.flag("attention_bias", default=False))
    return {**made, "qkv_bias": bias, "output_bias": bias}


def old_names(c: Config, **more: str | int) -> Architecture:
    """The names of GPT-2 and its successors: n_layer, n_embd, n_head."""
    hidden, heads = c.size("n_embd", "hidden_size"), c.size("n_head", "num_attention_heads")
    if not c.found and hidden % heads:
        c.wrong(("n_head", "num_attention_heads"), f"a divisor of the width {hidden}")
    positions = c.size("n_positions", "n_ctx", default=1024)
    return {
        "layers": c.layers("n_layer", "num_hidden_layers"),
        "hidden": hidden,
        "heads": heads,
        "kv_heads": heads,
        "head_dim": max(1, hidden // heads),
        "ffn": c.size("n_inner", default=4 * hidden),
        "vocab": c.size("vocab_size"),
        "max_sequence": positions,
        "tied": yes_or_no(c.flag("tie_word_embeddings", default=True)),
        "gated": "no",
        "norm": "layernorm",
        **more,
    }


def windowed(
    c: Config, made: Architecture, *, full: int = 0, first: int = 0, tokens: int | None = None
) -> Architecture:
    """Add the sliding windows of the layers; a window as long as the longest sequence is left out.

    `layer_types` names the attention of each layer. Without it, full attention is in the `first`
    layers and in every `sliding_window_pattern`-th (or `full`-th) of the others. `tokens` is the
    window of a config without the key.
    """
    stated = "sliding_window" in c.data
    tokens = c.maybe("sliding_window") if stated else tokens
    kinds, layers = c.words("layer_types"), made["layers"]
    every = c.size("sliding_window_pattern", "_sliding_window_pattern", default=full, least=0)
    if tokens is None or tokens >= (made["max_sequence"] or tokens + 1):
        return made
    if kinds and len(kinds) != layers:
        c.wrong("layer_types", f"a list of {layers} strings, one for each layer")
    windows = max(0, layers - first) - (layers // every if every else 0)
    if kinds:
        windows = kinds.count("sliding_attention")
    return {**made, "window": {"tokens": tokens, "layers": windows}} if windows else made
