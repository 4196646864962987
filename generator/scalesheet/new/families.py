"""Architectures of the Hugging Face model types, in the words of `data/models/`.

What a `config.json` leaves out has the default of its configuration class in `transformers`;
missing sizes that differ between models of a family are errors. What no config states, such as the
biases of a class, comes from its modelling code
(https://github.com/huggingface/transformers/tree/main/src/transformers/models).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scalesheet.diagnostics import Diagnostic
from scalesheet.foreign import place_of_key
from scalesheet.frozen import dataclass
from scalesheet.nearest import near, nearest
from scalesheet.new import dense, mixtures, towers
from scalesheet.new.architecture import Architecture
from scalesheet.new.config import Config


@dataclass(frozen=True)
class ReadConfig:
    """The architecture that a config describes, and remarks on what that leaves out."""

    model_type: str
    architecture: Architecture
    remarks: tuple[str, ...] = ()


def architecture(config: Config) -> ReadConfig | None:
    """The architecture that a config describes; None, with an error, if its type is unknown."""
    kind = config.data.get("model_type")
    if not isinstance(kind, str) or kind not in FAMILIES:
        _unknown(config, kind)
        return None
    made = FAMILIES[kind](config)
    remarks = made.pop("remarks", ())
    return ReadConfig(kind, made, tuple(remarks))


def _unknown(config: Config, kind: Any) -> None:
    classes = config.data.get("architectures")
    name = str(classes[0])[:60] if isinstance(classes, list) and classes else ""
    like = near(name.partition("For")[0].lower(), tuple(sorted(FAMILIES)), 0.6)
    if not isinstance(kind, str):
        config.missing("model_type", f"'{like}'" if like else "a type such as 'llama' or 'qwen3'")
        return
    line, column = place_of_key(config.text, "model_type")
    hint = nearest(kind, sorted(FAMILIES))
    if not hint and like:
        hint = f"; did you mean '{like}', as its architecture is {name}?"
    hint = hint or f"; supported are llama, qwen3 and {len(FAMILIES) - 2} more"
    message = f"the model type '{kind[:60]}' is not supported{hint}"
    config.found.append(Diagnostic(config.path, line, column, "M002", message))


#: How to read each model type.
FAMILIES: Mapping[str, Callable[[Config], Architecture]] = {
    "bloom": dense.bloom,
    "cohere": dense.cohere,
    "deepseek": mixtures.deepseek,
    "deepseek_v2": mixtures.deepseek_v2,
    "deepseek_v3": mixtures.deepseek_v3,
    "falcon": dense.falcon,
    "gemma": dense.gemma,
    "gemma2": dense.gemma2,
    "gemma3": towers.gemma3,
    "gemma3_text": dense.gemma3_text,
    "gpt2": dense.gpt2,
    "gpt_bigcode": dense.gpt_bigcode,
    "gpt_neo": dense.gpt_neo,
    "gpt_neox": dense.gpt_neox,
    "gpt_oss": mixtures.gpt_oss,
    "gptj": dense.gptj,
    "llama": dense.llama,
    "llama4": towers.llama4,
    "llama4_text": mixtures.llama4_text,
    "llava": towers.llava,
    "ministral3": dense.mistral,
    "mistral": dense.mistral,
    "mistral3": towers.mistral3,
    "mixtral": mixtures.mixtral,
    "mpt": dense.mpt,
    "olmo": dense.olmo,
    "olmo2": dense.olmo2,
    "olmo3": dense.olmo3,
    "olmoe": mixtures.olmoe,
    "opt": dense.opt,
    "phi": dense.phi,
    "phi3": dense.phi3,
    "phimoe": mixtures.phimoe,
    "qwen2": dense.qwen2,
    "qwen2_5_vl": towers.qwen2_5_vl,
    "qwen2_moe": mixtures.qwen2_moe,
    "qwen2_vl": towers.qwen2_vl,
    "qwen3": dense.qwen3,
    "qwen3_5": towers.qwen3_5,
    "qwen3_5_moe": towers.qwen3_5_moe,
    "qwen3_5_moe_text": mixtures.qwen3_5_moe_text,
    "qwen3_5_text": dense.qwen3_5_text,
    "qwen3_moe": mixtures.qwen3_moe,
    "qwen3_next": mixtures.qwen3_next,
    "smollm3": dense.smollm3,
    "stablelm": dense.stablelm,
    "starcoder2": dense.starcoder2,
}
