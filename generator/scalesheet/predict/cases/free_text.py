"""Reads layout, precision, method and checkpointing from free text about a run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace

from scalesheet.frozen import dataclass
from scalesheet.predict.cases import layouts

# ------------------------------------------------------------------ layout


@dataclass(frozen=True, slots=True)
class Layout:
    """Degrees of parallelism (None where not stated), and what else the text says.

    `flat`: sharded by FSDP, which flattens all parameters of a layer into one, frozen or not.
    """

    degrees: Mapping[str, float] = field(default_factory=dict)
    zero: float | None = None
    offload: str = ""
    framework: str = ""
    flash: str = ""
    checkpointing: str = ""
    flat: bool = False
    compiled: bool = False
    loss: str = ""
    unread: tuple[str, ...] = ()


_FRAMEWORKS = (
    ("unsloth", "unsloth"),
    ("megatron", "megatron"),
    ("oneflow", "oneflow"),
    ("neox", "neox"),
    ("nemo", "nemo"),
    ("deepspeed", "deepspeed|zero"),
    ("hf", r"\bhf\b|hugging"),
)


#: How the logits are stored: from the name of the loss, otherwise the trainer's default.
_LOSSES = (
    ("fused", r"liger|\bcce\b|cut[\s_-]?cross|fused[\s_-](?:linear[\s_-])?(?:loss|cross|ce\b)"),
    ("chunked", r"chunked|torchtune|lit-?gpt|unsloth"),
    ("wide", r"torchtitan"),
)


def layout(text: str) -> Layout:
    """Read a layout such as `TP8 PP4 DP12 ZeRO-1`."""
    low = text.lower().strip()
    if not low:
        return Layout()
    said = layouts.read(low)
    return Layout(
        degrees=said.degrees,
        zero=said.zero,
        offload=offload(low),
        framework=next((name for name, p in _FRAMEWORKS if re.search(p, low)), ""),
        flash=flash(low),
        checkpointing=checkpointing(low) if "ckpt" in low or "checkpoint" in low else "",
        flat=bool(re.search(r"\bfsdp(?!2\b)|full_shard", low)),
        compiled="compile" in low,
        loss=loss(low),
        unread=said.unread,
    )


def loss(text: str) -> str:
    """How the logits are stored: `fused`, `chunked`, `wide`, or empty."""
    low = text.lower()
    return next((name for name, called in _LOSSES if re.search(called, low)), "")


def flash(text: str) -> str:
    """Whether attention kernels are fused: `yes`, `first` (FlashAttention 1), `no`, or empty where
    the text does not say.
    """
    low = text.lower()
    if re.search(r"\b(no|non|without|w/o)[\s_-]*(fa[123]?\b|flash)", low):
        return "no"
    if re.search(r"\bfa1\b|triton[\s_-]att", low):
        return "first"
    return "yes" if re.search(r"\bfa[23]?\b|flash[\s_-]*att|flash[\s_-]?[123]\b", low) else ""


def offload(text: str) -> str:
    """What is kept in host memory: `optimizer`, `both`, or empty."""
    low = text.lower()
    if "offload" not in low or "no offload" in low or "offload=0" in low:
        return ""
    return "both" if re.search(r"opt\w*\s*\+\s*param|infinity", low) else "optimizer"


def checkpointing(text: str) -> str:
    """`full`, `selective`, `none`, or empty where the text does not say."""
    low = text.lower().strip()
    if re.search(r"^(none|no|off|false|0)\b|no act", low):
        return "none"
    if "selective" in low:
        return "selective"
    return "full" if re.search(r"full|yes|true|^on$|^1$|act", low) else ""


# ------------------------------------------------------------------ precision


@dataclass(frozen=True, slots=True)
class Precision:
    """The precision of the matrix products, and of the weights in memory.

    `pure`: weights and optimizer states in 16 bits, without a 32-bit copy. `cache`: bytes per
    element of a KV cache, if stated.
    """

    products: str = ""
    weights: str = ""
    pure: bool = False
    reason: str | None = None
    cache: float | None = None


_EIGHT = r"(?:fp8|float8|int8|8[- ]?bit)(?:[_-]?e[45]m[23](?:fn)?)?"
_CACHE = re.compile(
    rf"{_EIGHT}[ _-]*kv(?:[ _-]*cache)?|kv[ _-]*cache(?:[ _-]*dtype)?[ =:_-]*{_EIGHT}"
)
#: The first match wins. Each gives the products, the weights, and whether the precision is pure.
_PRECISIONS: tuple[tuple[str, Precision], ...] = tuple(
    (pattern, Precision(*rest))
    for pattern, *rest in (
        (r"nf4.*(dq|double)", "bf16", "nf4-dq"),
        (r"nf4", "bf16", "nf4"),
        (r"awq|gptq|w4a16", "bf16", "int4-groups"),
        (r"mxfp4", "bf16", "mxfp4"),
        (r"nvfp4", "bf16", "nvfp4"),
        (r"amp[_ -]?fp8|fp8.*mixed", "fp8", "fp32"),
        (r"amp[_ -]?bf16", "bf16", "fp32"),
        (r"amp[_ -]?(fp16|half)|\bamp\b", "fp16", "fp32"),
        (r"fp8|float8", "fp8", "16-bit"),
        (r"bf16[- ]true|pure[_ -]?bf16|bf16 weights and states", "bf16", "16-bit", True),
        (r"^bfloat16$", "bf16", "16-bit", True),
        (r"int8|(?<![0-9])8[- ]?bit", "bf16", "int8"),
        (r"int4|(?<![0-9])4[- ]?bit", "bf16", "int4"),
        (r"(?<![0-9])2[- ]?bit|int2", "bf16", "int2"),
        (r"^16$", "", "16-bit"),
        (r"^(apex )?o[12]$", "fp16", "fp32"),
        (r"bf16|bfloat16", "bf16", "16-bit"),
        (r"16[- ]bit", "", "16-bit"),
        (r"fp16|float16|half|16-mixed|mixed", "fp16", "16-bit"),
        (r"tf32", "tf32", "fp32"),
        (r"fp32|float32|32[- ]bit|single|full precision", "fp32", "fp32"),
    )
)


def precision(text: str) -> Precision:
    """Read a precision such as `bf16-true` or `nf4+fp16/bf16`."""
    low, cached = _CACHE.subn("", text.lower())
    cache = 1.0 if cached else None
    if not low.strip(" ,;+/") or low.strip() in ("none", "n/a", "-"):
        return Precision(cache=cache)
    for pattern, result in _PRECISIONS:
        if re.search(pattern, low.strip()):
            return replace(result, cache=cache)
    return Precision(reason=f"unknown precision '{text.strip()}'")


def says_bf16(text: str) -> bool:
    """Whether the text names bf16 alone; `fp16/bf16` leaves it open."""
    low = text.lower()
    return bool(re.search(r"bf16|bfloat16", low)) and not re.search(
        r"(?<!b)fp16|(?<!b)float16", low
    )


# ------------------------------------------------------------------ method


@dataclass(frozen=True, slots=True)
class Method:
    """What is trained and further details from the text, or why the row cannot be used."""

    name: str = ""
    variant: str = ""
    weights: str = ""
    reason: str | None = None


_SMALL = (
    r"adapter(?:v2)?|ia3|prefix|prompt|ptuning|p-tuning|fourier|boft|\boft\b|loha|lokr|ln_tuning|"
    r"trainable_tokens|bitfit|vera|freeze|peft|\bc3a\b|\bhra\b|randlora|\broad\b|shira|\bbone\b|"
    r"\bmiss\b|\bpoly\b|x-?lora|vb-?lora|\breft\b|side-?tuning"
)
#: Models other than text decoders, recognized by what is trained or by their names.
_OTHERS: tuple[tuple[str, str], ...] = (
    (
        r"vision|vlm|\bvit\b|multimodal|image|video|\bclip\b|llava|flamingo",
        "an image model, not a text decoder",
    ),
    (r"diffusion|unet", "a diffusion model, not a text decoder"),
    (r"speech|audio|whisper", "an audio model, not a text decoder"),
    (
        r"\b(falcon-?)?mamba|\brwkv|\bhyena|\bretnet|\bjamba|\bzamba|recurrentgemma|\bxlstm",
        "layers without attention are not supported",
    ),
)
#: The first match wins.
_METHODS: tuple[tuple[str, Method], ...] = (
    (r"inference|serving|decode\b", Method("inference")),
    (r"galore", Method("full", "galore")),
    (r"lqlora|lq-lora", Method("qlora", "lqlora")),
    (r"qlora", Method("qlora")),
    (r"lora.*nf4.*dq|nf4.*dq.*lora", Method("qlora", "", "nf4-dq")),
    (r"lora.*nf4", Method("qlora", "", "nf4")),
    (r"lora.*8[\s-]?bit|8[\s-]?bit.*lora", Method("lora", "8bit", "int8")),
    (r"relora", Method("lora", "relora")),
    (r"adalora", Method("lora", "adalora")),
    (r"dora", Method("lora", "dora")),
    (r"adapterv2.*nf4", Method("adapter", "adapterv2", "nf4")),
    (r"adapter.*nf4", Method("adapter", "adapter", "nf4")),
    (_SMALL + r"(?!.*lora)", Method("adapter")),
    (r"lora", Method("lora")),
    (r"low-rank", Method("adapter", "low-rank")),
    (r"pretrain|pre-train|from scratch", Method("pretrain")),
    (r"full|sft|finetun|fine-tun|dense", Method("full")),
    (r"adam|sgd|lion", Method("full")),
)


#: Kinds of work that name no training method; each task decides whether to predict them.
_STATES_NONE = re.compile(
    r"^$|^train(ing)?\b|^(text|language|lm|llm|causal|dense|moe|mixture|bench\w*|quality|gpt|decoder)\b"
    r"|time-to|\b(rl|rlhf|rlvr|ppo|grpo|reinforc\w*|dpo|kto|orpo|ipo|simpo|preference|reward)\b"
    r"|\beval(uation)?\b|continue|anneal|mid-?train|instruct|post-?train|tun(e|ing)\b|[+,] *\w*lr\b"
)


#: Work other than plain training, by what is trained: why its time and memory are unknown.
_OTHER_WORK: tuple[tuple[str, str], ...] = (
    (
        r"\b(rl|rlhf|rlvr|ppo|grpo|reinforc\w*)\b",
        "training generates answers: what they take is not known",
    ),
    (
        r"\b(dpo|kto|orpo|ipo|simpo|preference|reward)\b",
        "training compares answers: what a second model or answer takes is not known",
    ),
    (r"\beval(uation)?\b", "evaluation, not training"),
)


def other_work(kind: str) -> str | None:
    """Why a kind of work is not predicted; None for training."""
    return next((why for pattern, why in _OTHER_WORK if re.search(pattern, kind)), None)


def method(text: str, model: str = "") -> Method:
    """Read a method such as `finetune-lora-nf4-dq`; where it says nothing, use the model's name."""
    low, named = text.lower().strip(), model.lower()
    for pattern, what in _OTHERS:
        if re.search(pattern, low) or re.search(pattern, named):
            return Method(reason=what)
    if "distill" in low:
        return Method(reason="distilled: the cost of its teacher is not known")
    known = _method(low) or _method(named)
    if known is not None and (_method(low) is not None or _STATES_NONE.search(low)):
        return known
    if not low or _STATES_NONE.search(low):
        return known or Method()
    return Method(reason=f"unknown method '{text.strip()[:40]}'")


def _method(low: str) -> Method | None:
    for pattern, result in _METHODS:
        if match := re.search(pattern, low):
            if result.name == "adapter" and not result.variant:
                return replace(result, variant=match[0].strip())
            return result
    return None


# ------------------------------------------------------------------ optimizer

#: The first match wins.
_OPTIMIZERS = (
    ("paged8", r"paged.*8[\s_-]?bit|8[\s_-]?bit.*paged"),
    ("paged", r"paged"),
    ("adam8", r"adamw?[\s_-]?(?:bnb[\s_-]?)?8[\s_-]?bit|8[\s_-]?bit[\s_-]?adam"),
    ("adafactor", r"adafactor"),
    ("lion", r"\blion\b"),
    ("momentum", r"sgd.*momentum|momentum.*sgd|\bmuon\b"),
    ("sgd", r"\bsgd\b"),
    ("adam", r"\badamw?\b"),
)
_RANK = re.compile(r"\br(?:ank)?[\s=_-]?([0-9]+)\b")


def optimizer(text: str) -> str:
    """The optimizer in a text such as `full, PagedAdamW8bit`, or empty."""
    low = text.lower()
    return next((name for name, pattern in _OPTIMIZERS if re.search(pattern, low)), "")


def rank(text: str) -> float:
    """The rank of adapters in a text such as `lora r=16`, or nan."""
    match = _RANK.search(text.lower())
    return float(match[1]) if match and float(match[1]) > 0 else float("nan")


# ------------------------------------------------------------------ memory

_PEAK = re.compile(
    r"(?:(?:measured |training )?peak(?: of)?(?: gpu)?(?: memory)?(?: of one accelerator)?"
    r"(?: (?:fp|bf)[0-9]+ adamw?)?(?: \(.*\))?)?"
)


def quantity(text: str) -> str:
    """What a memory figure counts, in lower case; empty for the peak."""
    low = text.lower().strip()
    return "" if _PEAK.fullmatch(low) else low


def allocated(text: str) -> bool:
    """Whether a peak is what tensors take: `peak (allocated)`."""
    return "(allocated)" in text.lower()


# ------------------------------------------------------------------ sizes

_WIDTH = re.compile(r"\bd(?:_model)?[=_ ]?([0-9]{2,5})(?![0-9.])")
_LAYERS = re.compile(r"(?:\b|_)l(?:ayers)?[=_ ]?([0-9]{1,3})(?![0-9.])")
_ENTRIES = re.compile(r"(?<![0-9.])([0-9]{4,6}|[0-9]{2,3}k)\b")


def sizes(name: str) -> tuple[float, float]:
    """Width and layers in a run's name such as `d512 L6 B64`; nan if absent."""
    low = name.lower()
    width, layers = _WIDTH.search(low), _LAYERS.search(low)
    if width is None or layers is None:
        return float("nan"), float("nan")
    return float(width[1]), float(layers[1])


def vocabulary(tokenizer: str) -> float:
    """Vocabulary size in a tokenizer's name such as `GPT-2 50257`; nan if absent."""
    match = _ENTRIES.search(tokenizer.lower())
    if match is None:
        return float("nan")
    count = match[1]
    return float(count[:-1]) * 1000 if count.endswith("k") else float(count)
