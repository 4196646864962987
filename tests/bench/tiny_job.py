"""A step of a model small enough for any machine."""

from __future__ import annotations

from scalesheet.steps.job import Job, Shape

HIDDEN, VOCABULARY, LAYERS, WIDE = 64, 4096, 2, 256
COUNT = (
    VOCABULARY * HIDDEN + HIDDEN + LAYERS * (4 * HIDDEN * HIDDEN + 3 * HIDDEN * WIDE + 2 * HIDDEN)
)
SHAPE = Shape(
    "",
    "Tiny",
    LAYERS,
    HIDDEN,
    4,
    4,
    16,
    WIDE,
    VOCABULARY,
    True,
    True,
    COUNT,
    COUNT,
    {"max_sequence": 8192},
)
JOB = Job(SHAPE, "epyc-9005-2-cores", precision="fp32", length=4096)
#: Architectures with an ungated feed-forward layer.
PLAIN = (
    *("gpt2", "gpt_bigcode", "opt", "gpt_neox", "starcoder2"),
    *("bloom", "falcon", "gptj", "phi", "mpt"),
)


def block_of(kind: str) -> Shape:
    """A small model of an architecture, with a matching number of parameters."""
    gated, grouped = kind not in PLAIN, kind in ("llama", "qwen2", "qwen3", "starcoder2", "falcon")
    positions = 512 if kind in ("gpt2", "gpt_bigcode", "opt") else 0
    hidden, wide, vocabulary, layers = 192, 512, 2000, 4
    keys = 2 if grouped else 6
    matrices = hidden * (6 + keys) * 2 * 32 + (3 if gated else 2) * hidden * wide
    tied = kind in ("qwen2", "gpt2", "opt", "gemma2", "bloom", "mpt")
    count = float(
        layers * matrices + (1 if tied else 2) * vocabulary * hidden + positions * hidden + 4 * 384
    )
    return Shape(
        "",
        kind,
        layers,
        hidden,
        6,
        keys,
        32,
        wide,
        vocabulary,
        tied,
        gated,
        count,
        count,
        {"positions": positions} if positions else {},
        {"model_type": kind},
    )
