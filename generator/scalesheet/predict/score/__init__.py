"""The score: how good predictions are for families that the fit has not seen.

Each scored row is predicted by a fit to all other families. For comparison, the score has the same
figures for the fit on file, which has seen every row, and for a rule of thumb.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.predict.arrays import (
    Array,
    Flags,
    Words,
    given,
    no_words,
    unstated,
    words,
)
from scalesheet.predict.cases import Cases
from scalesheet.predict.cases.catalogue import Known, known
from scalesheet.predict.fits import Coefficients, coefficients, digest
from scalesheet.predict.fits.apart import chips
from scalesheet.predict.fits.holdout import folds, quantile, sizes
from scalesheet.predict.records import rows_of
from scalesheet.predict.score.own import Own, owned
from scalesheet.predict.score.regimes import WITHOUT, regimes
from scalesheet.predict.score.said_to_fit import Room, room
from scalesheet.predict.score.truth import Published, published
from scalesheet.predict.table import Predictions, none_of, supported
from scalesheet.predict.tasks import TASKS, predict, unsupported

#: The utilization that the rule of thumb assumes for every run: of 0.3, 0.35 and 0.4 the one with
#: the smallest median error, so that the comparison is a fair one.
RULE = {"runs": 0.3, "throughput": 0.4}
SIZES = ((1e9, "below 1e9"), (1e10, "1e9 to 1e10"), (1e11, "1e10 to 1e11"), (np.inf, "above 1e11"))
UNSTATED = "not stated"
SAYS = {
    task: f"6 FLOP per parameter and token at a utilization of {share:g}"
    for task, share in RULE.items()
} | {
    "memory": "16 bytes per trained parameter, 2 per frozen one, nothing else",
    "loss": "the compute-optimal study of 2022, as published",
}


@dataclass(frozen=True)
class Quality:
    """How far predictions are off. `coverage` is None if they have no interval.

    Errors are factors: prediction over truth or truth over prediction, whichever is above 1. For
    losses, where only differences are meaningful, errors and bias are in nat. `family_median` and
    `family_coverage` count each family once; otherwise publications with many rows would dominate.
    """

    rows: int
    median: float
    p90: float
    bias: float
    coverage: float | None
    families: int = 0
    family_median: float = np.nan
    family_coverage: float | None = None


@dataclass(frozen=True)
class Asked:
    """Published runs predicted from the question alone: model, method, data, accelerator, count.

    `made` has the layout in place of the method, and a reason for rows that are not asked.
    """

    made: Predictions
    counted: Flags
    error: Array
    quality: Quality
    described: Quality  # of the same rows with their full descriptions
    digest: str  # of the rows that the interval uses


@dataclass(frozen=True)
class TaskScore:
    """The score of one task, and everything that its page shows about each row.

    For losses, `unseen` judges the shape: each row gets the offset of the other rows in its
    evaluation set, and the range of a known set. `apart` judges the same predictions without that:
    the sets are unseen, and their range is wide. Other tasks have no `apart`.
    """

    task: str
    published: Published
    counted: Flags  # scored, and predicted
    made: Predictions  # by the fit on file
    left_out: Predictions  # by a fit without the row's family
    offset: Array  # for losses: the offset from other rows of the evaluation set, or nan
    rule: Array
    error: Array  # of each held-out row: a factor, or for losses a difference
    unseen: Quality
    seen: Quality
    thumb: Quality
    apart: Quality | None
    groups: Mapping[str, Mapping[str, Quality]]  # unseen, by family, hardware, size, regime
    digest: str  # of the rows that a fit uses
    room: Room | None = None  # for memory: whether runs with the verdict "fits" did fit
    own: Own | None = None  # own measurements, separate from published results
    asked: Asked | None = None  # for runs: the same rows predicted from the question alone


@np.errstate(all="ignore")  # the score itself fails on figures that are not finite
def score(book: Book) -> dict[str, TaskScore]:
    """Score each task that the book has published rows for."""
    if not book.publications:
        return {}
    catalogue = known(book)
    scores = (score_of(book, task, catalogue) for task in TASKS)
    return {each.task: each for each in scores if each is not None}


def fitted_rows(task: str, data: Published) -> Flags:
    """The rows that a fit may use: scored and predictable."""
    flags: Flags = data.scored & ~given(unsupported(task, data.cases))
    return flags


def score_of(book: Book, task: str, catalogue: Known) -> TaskScore | None:
    """The score of one task, or None if its scored rows have fewer than two families."""
    data = published(book, task, catalogue)
    made = _score_of(book, task, data)
    return made and replace(made, own=owned(book, task, catalogue))


def _score_of(book: Book, task: str, data: Published) -> TaskScore | None:
    rows = fitted_rows(task, data)
    if len(set(data.family[rows].tolist())) < 2:
        return None
    made = predict(book, task, data.cases, coefficients(book, task))
    left_out, spread = leave_out(book, task, data, rows, data.family)
    counted = rows & supported(left_out)
    rule = np.where(given(unsupported(task, data.cases)), np.nan, _RULES[task](book, data.cases))
    offset = offsets(task, data, left_out.predicted, counted)
    apart = None
    if task == "loss":
        apart = _Judged(task, data, left_out).quality(counted)
        left_out = _shifted(left_out, offset, spread)
        counted = counted & ~np.isnan(offset)
    in_sample, by_rule = counted & supported(made), counted & ~np.isnan(rule)
    unseen = _Judged(task, data, left_out)
    seen = _Judged(task, data, made)
    thumb = _Judged(task, data, _plain(rule + offsets(task, data, rule, by_rule)), ranged=False)
    return TaskScore(
        task=task,
        published=data,
        counted=counted,
        made=made,
        left_out=left_out,
        offset=offset,
        rule=rule,
        error=unseen.error,
        unseen=unseen.quality(counted),
        seen=seen.quality(in_sample),
        thumb=thumb.quality(by_rule),
        apart=apart,
        groups={
            what: {
                name: unseen.quality(counted & (column == name))
                for name in _names(what, column[counted])
            }
            for what, column in _groups(data).items()
        }
        | {
            "regime": {
                name: unseen.quality(flags) for name, flags in regimes(task, data, counted).items()
            }
            | _without_accelerators(book, task, data, rows)
        },
        digest=digest(data.cases.only(rows), data.truth[rows]),
        room=room(book, data) if task == "memory" else None,
    )


@dataclass(frozen=True)
class _Judged:
    """Predictions of one kind compared with what was published."""

    task: str
    data: Published
    made: Predictions
    ranged: bool = True

    @property
    def error(self) -> Array:
        """The error of each row: a factor, or for losses a difference."""
        if self.task == "loss":
            return np.abs(self.made.predicted - self.data.truth)
        return np.exp(np.abs(np.log(self.made.predicted / self.data.truth)))

    def quality(self, rows: Flags) -> Quality:
        """The figures over some rows."""
        truth, values = self.data.truth[rows], self.made.predicted[rows]
        if not len(truth):
            return Quality(0, np.nan, np.nan, np.nan, None)
        gap = values - truth
        bias = np.mean(gap) if self.task == "loss" else np.exp(np.mean(np.log(values / truth)))
        coverage = of_families = None
        family = self.data.family[rows]
        weight = 1 / sizes(family)
        if self.ranged:
            inside = (self.made.low[rows] <= truth) & (truth <= self.made.high[rows])
            coverage = float(np.mean(inside))
            of_families = float(weight @ inside / weight.sum())
        error = self.error[rows]
        return Quality(
            len(truth),
            float(np.median(error)),
            float(np.quantile(error, 0.9)),
            float(bias),
            coverage,
            len(set(family.tolist())),
            quantile(error, 0.5, weight),
            of_families,
        )


def asked_of(score: TaskScore, made: Predictions) -> Asked | None:
    """The quality of answers to questions; None with fewer than two families."""
    data, counted = score.published, supported(made)
    if len(set(data.family[counted].tolist())) < 2:
        return None
    answered, described = (_Judged(score.task, data, each) for each in (made, score.left_out))
    return Asked(
        made,
        counted,
        answered.error,
        answered.quality(counted),
        described.quality(counted & score.counted),
        digest(data.cases.only(counted), data.truth[counted]),
    )


def _without_accelerators(
    book: Book, task: str, data: Published, rows: Flags
) -> dict[str, Quality]:
    """How good predictions are on an accelerator without any row in the fit. The figures by family
    count each accelerator once.
    """
    of = chips(data.cases)
    if task == "loss" or len(set(of[rows].tolist())) < 2:
        return {}
    made, _ = leave_out(book, task, data, rows, of)
    judged = _Judged(task, replace(data, family=of), made)
    return {WITHOUT: judged.quality(rows & supported(made))}


def leave_out(
    book: Book, task: str, data: Published, rows: Flags, by: Words
) -> tuple[Predictions, tuple[Array, Array]]:
    """Predict the rows of each group of `by`, such as a family, with a fit to all others; rows
    outside `rows` stay empty.

    Also returns the ends of the range that these fits give for a loss on a known set, relative to
    the prediction; nan for other tasks.
    """
    spread = unstated(len(rows)), unstated(len(rows))
    columns = {name: unstated(len(rows)) for name in ("predicted", "low", "high")}
    method = no_words(len(rows))
    reasons = none_of(len(rows), "not scored").unsupported
    places = np.flatnonzero(rows)
    within, family = data.cases.only(rows), data.family[rows]
    seen = TASKS[task].rows(book, within, data.truth[rows], family)
    for others, own in folds(by[rows]):
        learnt = seen.only(others).fit()
        made = predict(book, task, within.only(own), learnt)
        at = places[own]
        for name, column in columns.items():
            column[at] = getattr(made, name)
        method[at], reasons[at] = made.method, made.unsupported
        for end, name in zip(spread, ("set_low", "set_high"), strict=True):
            end[at] = learnt.get(name, np.nan)
    return Predictions(**columns, method=method, unsupported=reasons), spread


def _shifted(made: Predictions, offset: Array, spread: tuple[Array, Array]) -> Predictions:
    """Losses with their set's offset added, and the range of a known set."""
    moved = made.predicted + offset
    return replace(made, predicted=moved, low=moved + spread[0], high=moved + spread[1])


def _plain(values: Array) -> Predictions:
    """Numbers without a range."""
    return replace(none_of(len(values), ""), predicted=values)


@np.errstate(all="ignore")  # the score itself fails on figures that are not finite
def fit(book: Book, task: str, catalogue: Known) -> tuple[Coefficients, Published, Flags]:
    """Fit a task to its published rows; also returns them, and which of them it used. Fewer than
    two families give no fit.
    """
    data = published(book, task, catalogue)
    rows = fitted_rows(task, data)
    within, family = data.cases.only(rows), data.family[rows]
    if len(set(family.tolist())) < 2:
        return {}, data, rows
    return TASKS[task].rows(book, within, data.truth[rows], family).fit(), data, rows


# ------------------------------------------------------------------ figures


def offsets(task: str, data: Published, values: Array, rows: Flags) -> Array:
    """For losses, the offset to add in each row's evaluation set, from the set's other rows; nan if
    there are none. 0 for other tasks.
    """
    if task != "loss":
        return np.zeros(len(rows))
    offset = unstated(len(rows))
    sets = data.cases.evaluation
    for name in sorted(set(sets[rows].tolist())):
        own = rows & (sets == name)
        gap = data.truth[own] - values[own]
        if own.sum() > 1:
            offset[own] = (gap.sum() - gap) / (own.sum() - 1)
    return offset


def _groups(data: Published) -> dict[str, Words]:
    sizes = words([size_class(number) for number in data.cases.active.tolist()])
    return {"family": data.family, "hardware": _named(data.cases.accelerator), "size": sizes}


def _named(column: Words) -> Words:
    return words([text or UNSTATED for text in column.tolist()])


def size_class(parameters: float) -> str:
    """The size class of a model by its active parameters."""
    return next((name for most, name in SIZES if parameters < most), UNSTATED)


def _names(what: str, column: Words) -> list[str]:
    """Sizes in ascending order, other groups by name."""
    result = set(column.tolist())
    if what == "size":
        return [name for name in (*(name for _, name in SIZES), UNSTATED) if name in result]
    return sorted(result)


# ------------------------------------------------------------------ rules of thumb


def _hours(book: Book, cases: Cases) -> Array:
    return 6 * cases.active * cases.tokens / (cases.peak * RULE["runs"] * 3600)


def _speed(book: Book, cases: Cases) -> Array:
    return cases.peak * RULE["throughput"] / (6 * cases.active)


def _states(book: Book, cases: Cases) -> Array:
    whole = np.isin(cases.method.astype(str), ("pretrain", "full", ""))
    shards = np.where(cases.zero == 3, np.nan_to_num(cases.data, nan=1.0), 1.0)
    return cases.parameters * np.where(whole, 16.0, 2.0) / (cases.tensor * cases.pipeline * shards)


def _law(book: Book, cases: Cases) -> Array:
    return rows_of(book, "chinchilla-loss", parameters=cases.parameters, tokens=cases.tokens)


_RULES: Mapping[str, Callable[[Book, Cases], Array]] = {
    "runs": _hours,
    "throughput": _speed,
    "memory": _states,
    "loss": _law,
}
