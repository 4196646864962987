"""Compares records of the catalogue with predictions for the same jobs, by component.

Ratios are record over prediction, as in the report of `bench`: 1.05 means that it took five per
cent more than predicted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date
from statistics import median

from scalesheet.book import Book
from scalesheet.diagnostics import Refused
from scalesheet.evaluate import evaluate_catalogue
from scalesheet.frozen import dataclass
from scalesheet.model import Table
from scalesheet.steps.job import Job
from scalesheet.steps.record import Record
from scalesheet.steps.recorded import TABLE, UnclearError, recorded, sameness
from scalesheet.units import Unit
from scalesheet.values import Value, stated_value

Simulate = Callable[[Book, Job, date, str], Record]

#: Marks of a record whose times do not show what the hardware can do.
UNTIMED = ("interrupted", "unsteady", "input_bound")
CLOSE = 0.05  # relative error up to which a prediction is called close
SMALL = 0.05  # share of the whole below which a part is not scored
#: Shares of a step, with the key and title of the time that each is a share of.
SHARES: Mapping[str, tuple[str, str]] = {
    "data_loading_share": ("data_loading_time", "Waiting for data"),
    "forward_share": ("forward_time", "Forward pass"),
    "backward_share": ("backward_time", "Backward pass"),
    "optimizer_share": ("optimizer_time", "Optimizer"),
}
TIMES = tuple(name for name, _ in SHARES.values())
#: Parts of an accelerator's memory; the peak has what is allocated at its moment.
PARTS = (
    "weights_memory",
    "gradients_memory",
    "optimizer_memory",
    "activations_memory",
    "working_memory",
)
#: What is compared, in display order.
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
    """One component of a record: its recorded and predicted value, in the same unit."""

    key: str
    title: str
    unit: Unit
    recorded: Value
    predicted: Value

    @property
    def ratio(self) -> float | None:
        """Record over prediction; None unless both are numbers above 0."""
        here, made = self.recorded.value, self.predicted.value
        if not isinstance(here, float) or not isinstance(made, float) or here <= 0 or made <= 0:
            return None
        return here / made

    @property
    def inside(self) -> bool | None:
        """Return whether the record is within the prediction's range; None without a range."""
        here, made = self.recorded.value, self.predicted
        if not isinstance(here, float) or made.low is None or made.high is None or not made.ranged:
            return None
        return made.low <= here <= made.high


@dataclass(frozen=True)
class Comparison:
    """A record and the prediction for its job. `why` is the reason if there is none, else empty.

    `twins` are the other records of the same job, which link measured and simulated ones.
    """

    id: str
    how: str  # measured or simulated
    pairs: Mapping[str, Pair]
    job: Job | None = None
    assumed: tuple[str, ...] = ()
    note: str = ""  # how the prediction was made
    why: str = ""
    twins: tuple[str, ...] = ()
    timed: bool = True  # whether its times show what the hardware can do: see UNTIMED

    def ratio(self, key: str) -> float | None:
        return self.pairs[key].ratio if key in self.pairs else None


@dataclass(frozen=True)
class ErrorFactors:
    """How far predictions of one component are from measurements, as factors from 1 up.

    `within` is the number of records within CLOSE.
    """

    rows: int
    within: int
    median: float
    worst: float
    worst_id: str


def error_factors(comparisons: Iterable[Comparison], key: str) -> ErrorFactors | None:
    """The errors of predictions for measured records; None without such a record.

    Components that are SMALL in a record are ignored, and so are times and rates of a record that
    is not `timed`.
    """
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
    return ErrorFactors(len(factors), within, median(factor for factor, _ in factors), worst, id)


def _small(comparison: Comparison, key: str) -> bool:
    """Return whether a component is a small part of the whole in this record."""
    whole = "peak_memory" if key in PARTS else "step_time" if key in TIMES else ""
    if whole not in comparison.pairs:
        return False
    part, all_ = comparison.pairs[key].recorded.value, comparison.pairs[whole].recorded.value
    return isinstance(part, float) and isinstance(all_, float) and part < SMALL * all_


# ------------------------------------------------------------------ from a book


def compared(book: Book, simulate: Simulate) -> dict[str, Comparison]:
    """Compare every record of the book, by id. `simulate` predicts a job without hardware."""
    if TABLE not in book.tables:
        return {}
    table, results = book.tables[TABLE], evaluate_catalogue(book)
    comparisons = {}
    for id in table.rows:
        stated = figures(table, id)
        how = str(table.columns["how"].stated[id].value)
        comparison = Comparison(
            id, how, _pairs(book, table, stated, {}), timed=not _untimed(table, id)
        )
        try:
            again = recorded(book, id, results)
            made = simulate(book, again.job, _day(table, id), "")
        except UnclearError as fault:
            comparisons[id] = replace(comparison, why=str(fault))
        except Refused as refused:
            comparisons[id] = replace(
                comparison, why="; ".join(each.message for each in refused.diagnostics)
            )
        else:
            predicted = _converted(book, table, made)
            comparisons[id] = replace(
                comparison,
                pairs=_pairs(book, table, stated, predicted),
                job=again.job,
                assumed=again.assumed,
                note=made.note,
            )
    return {id: replace(each, twins=_twins(each, comparisons)) for id, each in comparisons.items()}


def figures(table: Table, id: str) -> dict[str, Value]:
    """The numbers that a record states, in the units of the columns, and the times of its parts."""
    stated = {
        name: stated_value(column.stated[id])
        for name, column in table.columns.items()
        if column.kind == "number" and id in column.stated and column.stated[id].reason is None
    }
    return _with_times(stated)


def _with_times(stated: Mapping[str, Value]) -> dict[str, Value]:
    """Add the time of each part of a step: its share times the mean step time."""
    step = stated.get("step_time", Value()).value
    times = {
        name: Value.number(step * share.value)
        for key, (name, _) in SHARES.items()
        if isinstance(step, float) and isinstance((share := stated.get(key, Value())).value, float)
    }
    return {**stated, **times}


def _converted(book: Book, table: Table, made: Record) -> dict[str, Value]:
    """Convert the figures of a prediction to the columns' units; drop those without a column."""
    converted = {}
    for key, figure in made.figures.items():
        name = "gpus" if key == "accelerators" else key
        unit = table.columns[name].unit if name in table.columns else None
        if unit is None or not math.isfinite(figure.value):
            continue
        times = float(book.units.factor(book.units.parse(figure.unit), unit))
        ends = (None if end is None else end * times for end in (figure.low, figure.high))
        converted[name] = Value.number(figure.value * times, *ends)
    return _with_times(converted)


def _pairs(
    book: Book, table: Table, stated: Mapping[str, Value], made: Mapping[str, Value]
) -> dict[str, Pair]:
    """Pair the components that at least one side has."""
    titles = dict(SHARES.values())
    pairs = {}
    for key in COMPARED:
        column = table.columns.get(key, table.columns["step_time"] if key in titles else None)
        if column is None or column.unit is None or not (key in stated or key in made):
            continue
        title = titles.get(key, column.title)
        sides = stated.get(key, Value()), made.get(key, Value())
        pairs[key] = Pair(key, title, column.unit, *sides)
    return pairs


def _untimed(table: Table, id: str) -> bool:
    marks = (table.columns[name].stated.get(id) for name in UNTIMED if name in table.columns)
    return any(mark is not None and mark.value is True for mark in marks)


def _day(table: Table, id: str) -> date:
    return date.fromisoformat(str(table.columns["date"].stated[id].value))


def _twins(one: Comparison, comparisons: Mapping[str, Comparison]) -> tuple[str, ...]:
    """The other records of the same job."""
    if one.job is None:
        return ()
    own = sameness(one.job)
    return tuple(
        id
        for id, each in comparisons.items()
        if id != one.id and each.job is not None and sameness(each.job) == own
    )
