"""Train: real training steps in PyTorch, run and measured in a process of its own."""

from scalesheet.steps.faults import (
    Failed,
    Missing,
    NoDevice,
    NotMeasured,
    NoTorch,
    OutOfMemory,
    Unbuildable,
)
from scalesheet_bench.train.parent import measure

__all__ = [
    "Failed",
    "Missing",
    "NoDevice",
    "NoTorch",
    "NotMeasured",
    "OutOfMemory",
    "Unbuildable",
    "measure",
]
