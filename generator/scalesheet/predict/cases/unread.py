"""Finds the words of a description that were not understood.

To teach the reader a word, add it to a pattern below. Words that do not affect the computation
belong there as well.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[a-z][a-z0-9_+-]*[a-z0-9+]|[a-z]|[0-9][a-z0-9_.+-]*[a-z][a-z0-9_.+-]*")
_IDLE = frozenset(
    ("x", "a", "an", "and", "with", "of", "on", "in", "the", "over", "by", "no", "for", "to", "or")
)
PRECISION = re.compile(
    r"amp|bf(?:loat)?16|fp?(?:loat)?-?(?:4|8|16|32|64)|tf32|nf4|dq|half|single|double|full|mixed"
    r"|precision|true|pure|apex|o[12]|u?int(?:2|4|8)|[0-9]+-?bits?|bits?|weights?|states?|quant\w*"
    r"|master|gradients?|grads?|activations?|optimizer|moments?|adamw?|compute|params?|tensor-?wise"
    r"|row-?wise|block-?wise|delayed|current|scaling|recipe|e4m3|e5m2|mx|hybrid|training|autocast"
    r"|awq|gptq|w[48]a(?:8|16)|kv|cache|dtype|groups?|copy|copies|accum\w*|reduce|te|transformer-engine|cs|mxfp[468]|nvfp4|bytes|attention|gemms?|products?|frozen|base|bnb"
)
METHOD = re.compile(
    r"pre-?train\w*|from|scratch|continu\w*|mid-?train\w*|post-?train\w*|anneal\w*|train(?:ing|ed)?"
    r"|fine-?tun\w*|tun(?:e|ing)|full|sft|supervised|instruct\w*|dense|moe|mixtures?|experts?|mixed"
    r"|q?lora|lora[0-9]+bit|adapterv?[0-9]*|prefixtuning|ds|pure|distill\w*|prun\w*|vision|language"
    r"|multimodal|diffusion|vlm|align|[a-z]{1,6}lora|galore|low-rank|adapters?|peft|ia3|prefix|prompt|p-?tuning|boft|oft"
    r"|loha|lokr|ln_tuning|trainable_tokens|bitfit|vera|freeze|frozen|c3a|hra|road|shira|bone|miss"
    r"|poly|reft|side-?tuning|fourier\w*|r(?:ank)?[=_-]?[0-9]*|alpha|nf4|dq|[0-9]+-?bit|int[0-9]"
    r"|quant\w*|paged|adamw?(?:_?8bit)?|adafactor|lion|sgd|momentum|muon|flash\w*|fa[123]|inference"
    r"|serving|decode|text|language|lm|llm|causal|bench\w*|quality|gpt|decoder|time-to\w*|rl\w*|ppo"
    r"|grpo|reinforc\w*|dpo|kto|orpo|ipo|simpo|preference|reward|eval\w*|lr|models?|parameters?"
    r"|layers?|all|linear|only|steps?|phase|stage|data|tokens?|offload\w*|unsloth\d?|hugging|face|hf"
    r"|trainer|run|runs|checkpoint\w*|gradient|packed|packing|bf16|fp16|fp8|fp32|attention|compile\w*"
)
CHECKPOINTING = re.compile(
    r"none|no|off|false|on|yes|true|full|selective|block|layers?|every|act\w*|gradient|ckpt|attention"
    r"|checkpoint\w*|recomput\w*|uniform|core|mlp|moe|of|norm|some|partial|each|up_proj|modules?"
)
MODEL = re.compile(
    r"base|instruct|chat|it|hf|arch\w*|model|preview|thinking|coder?|v?[0-9][0-9.]*[bmkt]?|a[0-9.]+b"
    r"|q?lora|full|rows?|epochs?|nofa|fa[123]|flash\w*|assumed|tokens?|fine|tuned|sft|tun\w*|pre-?train\w*"
    r"|fp8|bf16|fp16|nf4|[0-9]+-?bit|gptq|awq|dense|moe|json|config|large|small|medium|mini|xl|[bmktex]"
    r"|fa|alpaca|slimorca|guanaco|oasst|dolly|joi|airoboros|openhermes|ultrachat|wikitext|openwebtext"
)


def unread(text: str, known: re.Pattern[str]) -> tuple[str, ...]:
    """The words of a text that `known` does not match, whole or split at hyphens."""
    words = _WORD.findall(text.lower())
    return tuple(word for word in words if word not in _IDLE and not _means(word, known))


def _means(word: str, known: re.Pattern[str]) -> bool:
    """Whether a word is known, or every part between its hyphens and underscores is."""
    if known.fullmatch(word):
        return True
    for marks in (r"[-+]", r"[-_+]"):
        parts = [part for part in re.split(marks, word) if part]
        if all(part in _IDLE or part.isdigit() or known.fullmatch(part) for part in parts):
            return True
    return False


def told(where: str, words: tuple[str, ...]) -> str:
    """`not understood in the method: 'banana'`; empty if there are no such words."""
    return f"not understood in the {where}: {', '.join(map(repr, words))}" if words else ""
