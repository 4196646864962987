"""Scores laws of small runs on published sweeps whose largest runs are hidden.

In each sweep, runs below a tenth of its largest compute are treated as own runs, and the others are
predicted. The prior of the general form has not seen the sweep's family.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.predict.arrays import Array, Flags
from scalesheet.predict.law.forms import Form, forms
from scalesheet.predict.law.learn import learn, sweep
from scalesheet.predict.loss import SHAPE
from scalesheet.predict.loss.fit import Rows, losses, shape
from scalesheet.predict.score import TaskScore, fitted_rows

LARGE = 0.1  # share of a sweep's largest compute above which runs are hidden
LEAST = 3  # runs needed to learn a law


@dataclass(frozen=True)
class Hidden:
    """A sweep: the number of shown runs, the largest hidden run's compute relative to the largest
    shown one's, and the truth and predictions for the hidden runs (nat / token).

    `shipped` is the law on file with the offset of the shown runs, `published` is Chinchilla's.
    """

    name: str
    family: str
    shown: int
    beyond: float
    truth: Array
    expected: Array
    low: Array
    high: Array
    shipped: Array
    published: Array

    @property
    def inside(self) -> float:
        """The share of hidden runs within their interval."""
        return float(np.mean((self.low <= self.truth) & (self.truth <= self.high)))

    @property
    def half(self) -> float:
        """Half the width of the interval, on average."""
        return float(np.mean(self.high - self.low)) / 2


def hidden(book: Book, scored: TaskScore) -> tuple[Hidden, ...]:
    """Each published sweep with enough small runs, in the order of their names."""
    data = scored.published
    rows = fitted_rows(scored.task, data)
    whole = losses(book, data.cases.only(rows), data.truth[rows], data.family[rows])
    names = data.cases.evaluation[rows]
    sweeps = {name: whole.only(names == name) for name in sorted(set(names.tolist()))}
    kept = {name: own for name, own in sweeps.items() if _enough(own)}
    others = {own.family[0]: whole.only(whole.family != own.family[0]) for own in kept.values()}
    known = {
        family: forms(book, dict(zip(SHAPE, np.exp(shape(rest)).tolist(), strict=True)))
        for family, rest in others.items()
        if len(rest)
    }
    return tuple(
        _hidden(name, own, known[own.family[0]])
        for name, own in kept.items()
        if known.get(own.family[0])
    )


def _hidden(name: str, own: Rows, known: Sequence[Form]) -> Hidden:
    small = _small(own)
    x, y, truth = own.parameters[~small], own.tokens[~small], own.loss[~small]
    runs = sweep(own.parameters[small], own.tokens[small], own.loss[small])
    law = learn(runs, known)
    low, high = law.interval(x, y)
    before = {form.name: form.loss(form.shifted(runs.x, runs.y, runs.loss), x, y) for form in known}
    none = np.full(len(x), np.nan)
    compute = own.parameters + own.tokens
    return Hidden(
        name=name,
        family=own.family[0],
        shown=len(runs),
        beyond=float(np.exp(compute.max() - compute[small].max())),
        truth=truth,
        expected=law.expected(x, y),
        low=low,
        high=high,
        shipped=before.get("joint", none),
        published=before.get("chinchilla", none),
    )


def _small(own: Rows) -> Flags:
    compute = own.parameters + own.tokens
    return np.asarray(compute < compute.max() + np.log(LARGE))


def _enough(own: Rows) -> bool:
    small = _small(own)
    sizes = set(np.round(own.parameters[small], 2).tolist())
    return bool(small.sum() >= LEAST and len(sizes) > 1)
