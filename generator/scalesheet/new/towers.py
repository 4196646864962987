"""Language models with a vision tower, including those whose tower is left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scalesheet.new.architecture import Architecture
from scalesheet.new.config import Config
from scalesheet.new.dense import gemma3_text, llama, mistral, qwen2, qwen3_5_text
from scalesheet.new.mixtures import llama4_text, qwen3_5_moe_text


def qwen2_vl(c: Config) -> Architecture:
    made = qwen2(c.part("text_config") or c) if c.has("text_config") else qwen2(c)
    v = c.part("vision_config")
    if v is None:
        return made
    width = v.size("embed_dim")
    ffn = int(v.number("mlp_ratio", 4.0) * width)
    v.ignore("hidden_size")  # the width of the language model
    tower = {
        "layers": v.layers("depth"),
        "hidden": width,
        "ffn": ffn,
        "norm": "layernorm",
        "outer_norms": 2,
    }
    return {**made, "vision": {**tower, **patches(v)}}


def qwen2_5_vl(c: Config) -> Architecture:
    made = qwen2(c.part("text_config") or c) if c.has("text_config") else qwen2(c)
    v = c.part("vision_config")
    if v is None:
        return made
    v.ignore("out_hidden_size", "fullatt_block_indexes", "tokens_per_second", "window_size")
    tower = {
        "layers": v.layers("depth", default=32),
        "hidden": v.size("hidden_size", default=1280),
        "ffn": v.size("intermediate_size", default=3420),
        "gated": "yes",
        "norm": "rmsnorm",
        "outer_norms": 1,
    }
    return {**made, "vision": {**tower, **patches(v)}}


def patches(v: Config) -> dict[str, int]:
    channels = v.size("in_channels", "in_chans", default=3)
    v.ignore("in_channels", "in_chans", "spatial_patch_size")
    side, merged = v.size("patch_size", default=14), v.size("spatial_merge_size", default=2)
    frames = v.size("temporal_patch_size", default=2)
    return {"patch": channels * frames * side**2, "merge": merged**2}


#: Defaults of the class for what the text part of a Gemma 3 config leaves out.
_GEMMA3_DEFAULTS = {
    "vocab_size": 262_208,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "max_position_embeddings": 131_072,
}


def gemma3(c: Config) -> Architecture:
    text = part_of(c, "text_config", _GEMMA3_DEFAULTS)
    made = gemma3_text(text) if text is not None else {}
    tower = part_of(c, "vision_config", {}) if c.has("vision_config") else None
    if tower is None:
        return made
    # A norm after the last block, and an RMSNorm before the connector's single matrix.
    outer = {"outer_norms": 3, "merge": 1, "connector": "linear"}
    return {**made, "vision": {**siglip(tower), **outer}}


def part_of(c: Config, name: str, defaults: Mapping[str, Any]) -> Config | None:
    """A part of a config, with the defaults of its class."""
    part = c.part(name)
    if part is not None:
        part.data = {**defaults, **{k: v for k, v in part.data.items() if v is not None}}
    return part


def siglip(v: Config) -> Architecture:
    """The vision transformer of SigLIP, without its pooling head."""
    if v.flag("vision_use_head", default=False):
        v.unsupported("vision_use_head", "a pooling head is not supported yet")
    made = image_transformer(v)
    return {**made, "patch_bias": "yes"}


def image_transformer(v: Config) -> Architecture:
    side = v.size("patch_size")
    across = v.size("image_size") // side
    v.ignore("num_attention_heads", "projection_dim", "vocab_size")
    return {
        "layers": v.layers("num_hidden_layers"),
        "hidden": v.size("hidden_size"),
        "ffn": v.size("intermediate_size"),
        "norm": "layernorm",
        "patch": v.size("num_channels", default=3) * side**2,
        "positions": across**2,
    }


#: Defaults of the Llama class for what the text part of a LLaVA config leaves out.
_LLAMA_DEFAULTS = {
    "vocab_size": 32_000,
    "hidden_size": 4096,
    "intermediate_size": 11_008,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "max_position_embeddings": 2048,
}


def llava(c: Config) -> Architecture:
    text, tower = part_of(c, "text_config", _LLAMA_DEFAULTS), part_of(c, "vision_config", {})
    if text is None or tower is None:
        return {}
    if text.word("model_type", "llama") != "llama":
        text.unsupported(
            "model_type", "LLaVA is supported only with a language model of type llama"
        )
    c.ignore("vision_feature_layer", "vision_feature_select_strategy", "image_seq_length")
    made = image_transformer(tower)
    made["positions"] += 2  # a position for the class token, and the token itself
    # A norm before the first block and one after the last, each with a bias.
    outer = {"outer_norms": 4, "merge": 1, "connector": "mlp"}
    return {**llama(text), "vision": {**made, **outer}}


def language_model(
    read: Callable[[Config], Architecture],
) -> Callable[[Config], Architecture]:
    """Wrap a reader to read only the language model of a config with a vision tower, and say so."""

    def only(c: Config) -> Architecture:
        text = c.part("text_config")
        made = read(text) if text is not None else {}
        return {**made, **without_vision(c)}

    return only


llama4 = language_model(llama4_text)
mistral3 = language_model(mistral)
qwen3_5 = language_model(qwen3_5_text)
qwen3_5_moe = language_model(qwen3_5_moe_text)


def without_vision(c: Config) -> Architecture:
    """Remark that the vision tower is left out."""
    if not c.has("vision_config"):
        return {}
    c.ignore("vision_config", "vision_feature_layer", "vision_feature_select_strategy")
    return {"remarks": ["the language model alone, without the vision tower of vision_config"]}
