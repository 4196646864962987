"""Record: what a step took, with all that is needed to take it again."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from scalesheet.steps.job import Job


@dataclass(frozen=True)
class Figure:
    """A number in its unit, with the ends of what it may be."""

    value: float
    unit: str
    low: float | None = None
    high: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Record:
    """A measurement as `measurement.schema.json` has it. `figures` go by the schema's keys; one
    that was not taken is not there."""

    job: Job
    how: Literal["measured", "simulated"]
    day: date
    command: str  # by which it can be taken again
    figures: dict[str, Figure] = field(default_factory=dict)
    interrupted: bool = False  # ended before the mean was known as well as was asked
    unsteady: bool = False  # the spread is larger than requested: a busy machine, or a clock
    input_bound: bool = False  # a step waits for its data
    flop_convention: str = ""  # the formula of the catalogue by which work is counted
    environment: str = ""
    libraries: dict[str, str] = field(default_factory=dict)  # name: version
    note: str = ""


def settings(job: Job) -> dict[str, Figure]:
    """What a job says in numbers, as its record states it."""
    stated = {
        "accelerators": Figure(job.gpus, "GPU"),
        "batch_size": Figure(job.sequences, "sequence / step"),
        "micro_batch": Figure(job.batch, "sequence / step"),
        "accumulation": Figure(job.accumulation, "1"),
        "sequence_length": Figure(job.length, "token / sequence"),
    }
    if job.method != "full":
        stated["rank"] = Figure(job.rank, "1")
    return stated
