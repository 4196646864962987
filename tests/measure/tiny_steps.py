"""Models with fewer than two million parameters, and their steps in this process."""

from __future__ import annotations

import warnings
from dataclasses import replace
from datetime import date
from typing import Any

from scalesheet.steps.job import Effort, Job, Shape
from scalesheet.steps.record import Record
from scalesheet_bench.train import engines, run
from scalesheet_bench.train.models import skeleton
from scalesheet_bench.train.progress import Progress, recorded
from scalesheet_bench.train.quiet import quiet

QUICK = Effort(precise=1e9, warmup=0, at_least=2, at_most=2)


def llama(layers: int = 2, vocab: int = 512, tied: bool = False, **more: Any) -> Shape:
    """A small Llama, with its parameters counted manually."""
    hidden, heads, kv_heads, ffn = 128, 4, 2, 256
    head = hidden // heads
    block = 2 * hidden + 2 * hidden * heads * head + 2 * hidden * kv_heads * head + 3 * hidden * ffn
    count = vocab * hidden * (1 if tied else 2) + hidden + layers * block
    return Shape(
        "",
        "Tiny",
        layers,
        hidden,
        heads,
        kv_heads,
        head,
        ffn,
        vocab,
        tied,
        True,
        count,
        count,
        more=more,
    )


def job(**settings: Any) -> Job:
    """A job of the small Llama, in fp32 unless stated otherwise."""
    return replace(Job(llama(), "a-processor", precision="fp32", batch=2, length=64), **settings)


def steps(this: Job, effort: Effort = QUICK, trace: str = "") -> tuple[Record, Progress]:
    """Run a job's steps in this process."""
    told = Progress()

    def take(message: dict[str, Any]) -> None:
        if message["is"] != "say":
            told.take(message)

    with warnings.catch_warnings():
        quiet()
        device = engines.device_of(this)
        run.stages(this, effort, trace, 0, device, skeleton(this), take, lambda: False)
    return recorded(this, effort, told, "", date(2026, 1, 1)), told


def bytes_of(record: Record, part: str) -> float:
    """A part of a record's memory, in bytes."""
    return record.figures[f"{part}_memory"].value
