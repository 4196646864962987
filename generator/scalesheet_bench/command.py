"""Builds the command line that repeats a job's record."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Literal

from scalesheet.steps.job import Job


def command(action: Literal["run", "simulate"], job: Job, model: str = "") -> str:
    """Return the whole command line.

    `model` names the model if the catalogue lacks it: the file of its configuration.
    """
    words = ["scalesheet", "bench", action, job.model.id or model or job.model.title]
    return shlex.join([*words, *_options(job)])


def _options(job: Job) -> Iterator[str]:
    """Yield every option whose default might differ another day."""
    yield from ("--accelerator", job.accelerator)
    if job.gpus > 1:
        yield from ("--gpus", str(job.gpus), "--strategy", job.strategy)
    yield from ("--method", job.method.lower(), "--precision", job.precision)
    yield from ("--weights", job.weights)
    yield from ("--batch", str(job.batch))
    if job.accumulation > 1:
        yield from ("--accumulation", str(job.accumulation))
    yield from ("--sequence", str(job.length))
    if job.checkpointing:
        yield "--checkpointing"
    if job.attention != "sdpa":
        yield from ("--attention", job.attention)
    if job.compiled:
        yield "--compile"
    if job.method != "full":
        yield from ("--rank", str(job.rank))
