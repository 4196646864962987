"""Record: the results of a step, with everything needed to repeat it."""

from __future__ import annotations

from dataclasses import field
from datetime import date
from typing import Literal

from scalesheet.frozen import dataclass
from scalesheet.steps.job import Job


@dataclass(frozen=True)
class Figure:
    """A number with unit and range."""

    value: float
    unit: str
    low: float | None = None
    high: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Record:
    """A measurement as in `measurement.schema.json`.

    `figures` are keyed as in the schema; figures that were not measured are absent.
    """

    job: Job
    how: Literal["measured", "simulated"]
    day: date
    command: str  # repeats it
    figures: dict[str, Figure] = field(default_factory=dict)
    interrupted: bool = False  # stopped before the mean was known as precisely as requested
    unsteady: bool = False  # spread larger than requested: a busy machine, or a changing clock
    input_bound: bool = False  # steps wait for their data
    flop_convention: str = ""  # the catalogue formula that counts the work
    environment: str = ""
    libraries: dict[str, str] = field(default_factory=dict)  # name: version
    note: str = ""


def settings(job: Job) -> dict[str, Figure]:
    """The job's numbers, as its record states them."""
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
