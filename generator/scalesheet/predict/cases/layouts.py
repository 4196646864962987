"""Reads a layout such as `TP8xPP2xDP4, ZeRO-1`, and finds the words it does not know.

To teach the reader a word, add a line to a table below.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field

from scalesheet.frozen import dataclass

_GAP = r"[\s_\-=:,(]*"
_NUMBER = r"([0-9]+)"


@dataclass(frozen=True, slots=True)
class Said:
    """Degrees by name (empty if none is stated), the ZeRO stage, and the words not understood."""

    degrees: Mapping[str, float] = field(default_factory=dict)
    zero: float | None = None
    unread: tuple[str, ...] = ()


#: Degree -> patterns of its names. A number follows: `tp8`, `tensor_parallel=8`.
_NAMES: tuple[tuple[str, str], ...] = (
    ("virtual", r"vpp?|virtual(?:[\s_-]?pipeline)?(?:[\s_-]?(?:stages|size|degree))?|interleaved"),
    (
        "pipeline",
        r"pp|pipeline(?:[\s_-]?(?:model[\s_-]?)?parallel)?(?:ism|[\s_-]?(?:size|degree))?",
    ),
    ("tensor", r"tp|mp|tensor(?:[\s_-]?(?:model[\s_-]?)?parallel)?(?:ism|[\s_-]?(?:size|degree))?"),
    ("context", r"cp|context(?:[\s_-]?parallel)?(?:ism|[\s_-]?(?:size|degree))?"),
    ("expert", r"ep|expert(?:[\s_-]?(?:model[\s_-]?)?parallel)?(?:ism|[\s_-]?(?:size|degree))?"),
    (
        "data",
        r"dp|ddp|fsdp2?|hsdp|data(?:[\s_-]?parallel)?(?:ism|[\s_-]?(?:size|degree|shard|replicate))?",
    ),
)
_TRIPLE = rf"\b(?:[a-z]*p_|2d_){_NUMBER}[/x]{_NUMBER}[/x]{_NUMBER}\b(?:\s*\([a-z/]*\))?"
_SHORT = rf"(?<![a-z0-9])t{_NUMBER}[\s_x-]?p{_NUMBER}(?:[\s_x-]?d{_NUMBER})?(?![a-z0-9])"
#: Replicas by shards, in either order; their product is the data-parallel degree.
_HYBRID = rf"\bhsdp{_GAP}{_NUMBER}\s*[x×*/,]\s*{_NUMBER}\)?"
_SHORT_NAMES = ("tensor", "pipeline", "data")

#: Stage -> patterns of its names. The first match wins.
ZERO: tuple[tuple[float, str], ...] = (
    (
        3.0,
        r"zero[\s_-]?(?:stage[\s_=-]?)?3|stage[\s_=]?3|p_os\+g\+p|full_shard|fully[\s_-]?shard(?:ed)?"
        r"|\bfsdp2?(?=[0-9]*\b)|\bhsdp(?=[0-9]*\b)|hybrid_shard|zero[\s_-]?infinity",
    ),
    (2.0, r"zero[\s_-]?(?:stage[\s_=-]?)?2|stage[\s_=]?2|p_os\+g|shard_grad_op"),
    (
        1.0,
        r"zero[\s_-]?(?:stage[\s_=-]?)?1|stage[\s_=]?1|p_os\b|\bzero\b(?![\s_-]?(?:bubble|[0-9]))"
        r"|distributed[\s_-]optimizer",
    ),
    (
        0.0,
        r"\bddp(?=[0-9]*\b)|no_shard|\bnone\b|zero[\s_-]?(?:stage[\s_=-]?)?0|stage[\s_=]?0"
        r"|baseline dp|\bdp_",
    ),
)
#: Other words that layouts use: read in `free_text`, or irrelevant to the computation.
_ALSO = (
    r"unsloth(?:2)?|megatron(?:[\s_-]?(?:lm|core|deepspeed))?|oneflow|(?:gpt-?)?neox|nemo"
    r"|deepspeed|hugging[\s_-]?face|\bhf\b|torchtitan|torchtune|lit-?gpt|\bcpu\b"
    r"|liger(?:[\s_-]?kernels?)?|\bcce\b|cut[\s_-]?cross[\s_-]?entropy"
    r"|(?:chunked|fused)[\s_-](?:linear[\s_-])?(?:loss|cross[\s_-]?entropy|ce\b)"
    r"|\b(?:no|non|without|w/o)[\s_-]*(?:fa[123]?\b|flash[\s_-]?(?:att\w*|[123]))"
    r"|triton[\s_-]att\w*|\bfa[123]?\b|flash[\s_-]?(?:att\w*[\s_-]?[123]?|[123]\b)|\bsdpa\b"
    r"|(?:no |cpu[\s_-]?)?offload\w*(?:[\s=]*[01])?|opt\w*\s*\+\s*params?|\bopt\w*|\bparams?\b"
    r"|(?:full |selective |no )?act\w*[\s_-]*(?:ckpt\w*|checkpoint\w*|recomput\w*)"
    r"|(?:full |selective |no )?(?:gradient )?(?:ckpt|checkpoint\w*|recomput\w*)"
    r"|zero[\s_-]?init\w*(?:[\s=]*[01])?|zero[\s_-]bubble|\basync\w*|[01]f1b|sequence[\s_-]parallel\w*|\bsp\b"
    r"|\bgbs[\s=]*[0-9]+|\bmbs[\s=]*[0-9]+|[0-9]+k? tokens/gpus?|[0-9.]+ pods?"
    r"|\((?:stage[0-3]|long ctx|\+?tp[0-9]+ for large)\)|\bno [tpdce]p\b|\bbaseline\b"
    r"|\bcp[0-9]+ long ctx\b|\bcompiled?\b"
    r"|\bsharded\b|\bshard\b|\bway\b|\bsize\b|\bdegree\b|\blong ctx\b|\bfor large\b|\bsingle gpu\b"
)
_STAGE = re.compile(r"\b(?:zero[\s_-]?)?(?:stage[\s_=:-]?|(?<=zero)|(?<=zero[\s_-]))([0-9]+)\b")
_IDLE = frozenset(("x", "and", "with", "of", "on", "in", "the", "over", "parallel", "by", "no"))
_WORD = re.compile(r"[a-z0-9][a-z0-9_.+-]*")


def read(text: str) -> Said:
    """Read a layout. Words that mean nothing here are listed in `unread`."""
    low = re.sub(r"(?<=[0-9])\s*[x×]\s*(?=(?:tp|pp|dp|cp|ep|vp|fsdp|ddp))", " ", text.lower())
    degrees: dict[str, float] = {}
    left = low
    for pattern, names in ((_TRIPLE, ("data", "tensor", "pipeline")), (_SHORT, _SHORT_NAMES)):
        if match := re.search(pattern, left):
            degrees |= {
                n: float(v) for n, v in zip(names, match.groups(), strict=True) if v is not None
            }
            left = left.replace(match[0], " ")
    if hybrid := re.search(_HYBRID, left):
        degrees["data"] = float(hybrid[1]) * float(hybrid[2])
        left = left.replace(hybrid[0], " ")
    zero = next((stage for stage, pattern in ZERO if re.search(pattern, low)), None)
    if (numbered := _STAGE.search(left)) is not None:
        zero = float(numbered[1])  # even a stage that ZeRO lacks, so that the component refuses it
        left = left.replace(numbered[0], " ")
    for name, called in _NAMES:
        before = rf"\b{_NUMBER}[\s-](?:way )(?:{called})\b"
        # `fsdp2` is a version of FSDP, and `ddp` alone states no degree
        behind = (
            rf"(?<![a-z])(?!fsdp2\b)(?:{called}){_GAP}{_NUMBER}(?:-[0-9]+)?(?![0-9a-z.])(?!\s*long)"
        )
        for match in (*re.finditer(before, left), *re.finditer(behind, left)):
            degrees.setdefault(name, float(match[1]))
        left = re.sub(behind, " ", re.sub(before, " ", left))
    for _, pattern in ZERO:
        left = re.sub(pattern + r"|\bfsdp2?\b|\bhsdp\b", " ", left)
    left = re.sub(_ALSO, " ", left)
    for _, called in _NAMES:
        left = re.sub(rf"(?<![a-z])(?:{called})\b", " ", left)
    unread = tuple(w for w in _WORD.findall(left) if w not in _IDLE)
    return Said({n: v for n, v in degrees.items() if v >= 1}, zero, unread)
