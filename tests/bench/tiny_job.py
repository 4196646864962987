"""A step of a model that is small enough for any machine."""

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
