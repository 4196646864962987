"""Beside: a record of the catalogue beside what is predicted of the same job, by component.

Ratios are of record over prediction, as in the report of `bench`: 1.05 says that it took five per
cent more than predicted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median

from scalesheet.steps.job import Job
from scalesheet.units import Unit
from scalesheet.values import Value

TABLE = "measurements"
#: Marks of a record whose times are not what the machine can do.
UNTIMED = ("interrupted", "unsteady", "input_bound")
CLOSE = 0.05  # by how much a prediction may be off and is called close
SMALL = 0.05  # of the whole, below which a part is not judged
#: Shares of a step, and what the time that they are of is called.
SHARES: Mapping[str, tuple[str, str]] = {
    "data_loading_share": ("data_loading_time", "Waiting for data"),
    "forward_share": ("forward_time", "Forward pass"),
    "backward_share": ("backward_time", "Backward pass"),
    "optimizer_share": ("optimizer_time", "Optimizer"),
}
TIMES = tuple(name for name, _ in SHARES.values())
#: Parts of the memory of an accelerator. The peak is what there is of them at its moment.
PARTS = (
    "weights_memory",
    "gradients_memory",
    "optimizer_memory",
    "activations_memory",
    "working_memory",
)
#: What is compared, in the order in which it is shown.
COMPARED = (
    "step_time",
    *TIMES,
    *SHARES,
    "tokens_per_second",
    "samples_per_second",
    "flop_per_token",
    "flop_rate",
    "utilisation",
    "peak_memory",
    *PARTS,
    "average_memory",
    "reserved_memory",
    "process_memory",
    "power",
)


@dataclass(frozen=True)
class Pair:
    """One component of a record: what it states and what is predicted, in the same unit."""

    key: str
    title: str
    unit: Unit
    recorded: Value
    predicted: Value

    @property
    def ratio(self) -> float | None:
        """Record over prediction, where both are numbers above 0."""
        here, made = self.recorded.value, self.predicted.value
        if not isinstance(here, float) or not isinstance(made, float) or here <= 0 or made <= 0:
            return None
        return here / made

    @property
    def inside(self) -> bool | None:
        """Whether the record is within the ends of the prediction, where it has ends."""
        here, made = self.recorded.value, self.predicted
        if not isinstance(here, float) or made.low is None or made.high is None or not made.ranged:
            return None
        return made.low <= here <= made.high


@dataclass(frozen=True)
class Beside:
    """A record and what is predicted of its job. `why` says why nothing is, else it is empty.

    `twins` are the other records of the same job, by which measured and simulated ones find each
    other.
    """

    id: str
    how: str  # measured or simulated
    pairs: Mapping[str, Pair]
    job: Job | None = None
    assumed: tuple[str, ...] = ()
    note: str = ""  # what the prediction says of itself
    why: str = ""
    twins: tuple[str, ...] = ()
    timed: bool = True  # whether its times are what the machine can do: see UNTIMED

    def ratio(self, key: str) -> float | None:
        return self.pairs[key].ratio if key in self.pairs else None


@dataclass(frozen=True)
class Off:
    """How far predictions of one component are from what was measured, as factors from 1 up.
    `within` is how many are within CLOSE."""

    rows: int
    within: int
    median: float
    worst: float
    worst_id: str


def off(comparisons: Iterable[Beside], key: str) -> Off | None:
    """How far the predictions of measured records are off; None where there is no such record. A
    part that is SMALL in a record says little of it and does not count, nor do times and rates of a
    record that is not `timed`."""
    factors = [
        (max(ratio, 1 / ratio), each.id)
        for each in comparisons
        if each.how == "measured"
        and (ratio := each.ratio(key)) is not None
        and (each.timed or key.endswith("_memory"))
        and not _small(each, key)
    ]
    if not factors:
        return None
    worst, id = max(factors)
    within = sum(factor <= 1 + CLOSE for factor, _ in factors)
    return Off(len(factors), within, median(factor for factor, _ in factors), worst, id)


def _small(comparison: Beside, key: str) -> bool:
    """Whether a component is a small part of its whole in a record."""
    whole = "peak_memory" if key in PARTS else "step_time" if key in TIMES else ""
    if whole not in comparison.pairs:
        return False
    part, all_ = comparison.pairs[key].recorded.value, comparison.pairs[whole].recorded.value
    return isinstance(part, float) and isinstance(all_, float) and part < SMALL * all_
