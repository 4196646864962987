"""Fits the law of losses: one shape for all sets, an offset for each, and ranges for both.

All families share one shape, with priors from published laws, because the slopes of single families
extrapolate worse than the common ones. A family differs only in the offsets of its sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.predict.arrays import Array, Flags, Words, each
from scalesheet.predict.cases import Cases
from scalesheet.predict.fits import Coefficients
from scalesheet.predict.fits.holdout import COVERAGE, evenly, folds, quantile, sizes
from scalesheet.predict.loss import (
    PARAMETERS,
    SHAPE,
    TOKENS,
    corpora,
    in_vocabulary,
    outside,
    seen_tokens,
    set_name,
)
from scalesheet.predict.loss.embeddings import without_embeddings
from scalesheet.predict.records import assumed

#: The share of a set's largest compute above which runs are far, and the fewest other runs.
LARGE, LEAST = 0.1, 3
FAR, NEVER = 3.0, 1e6  # standard deviations beyond which a row weighs less; priors never do


@dataclass(frozen=True)
class Rows:
    """What the fit sees of each published loss."""

    parameters: Array  # without embeddings, over PARAMETERS, as a logarithm
    tokens: Array  # over TOKENS, as a logarithm
    loss: Array  # nat / token
    length: Array  # of a token, over its length in a vocabulary of USUAL entries
    sets: Words
    texts: Words
    family: Words
    assumed: Mapping[str, float]  # before any data
    place: NDArray[np.intp]  # among all rows
    shapes: dict[bytes, Array] = field(default_factory=dict)  # fitted so far, by place and loss

    def __len__(self) -> int:
        return len(self.loss)

    def only(self, rows: Flags) -> Rows:
        every = vars(self).items()
        columns: dict[str, Any] = {n: x[rows] for n, x in every if isinstance(x, np.ndarray)}
        return replace(self, **columns)

    def fit(self) -> Coefficients:
        """Fit the shape, the offsets and the ends of the ranges, all in nat."""
        logs = shape(self)
        fitted = dict(zip(SHAPE, np.exp(logs).tolist(), strict=True))
        fitted |= offsets(self, logs)
        return fitted | _ends(self)

    def law(self, logs: Array) -> Array:
        """`joint-power-loss` without its floor, from the logarithms of its coefficients."""
        return joint_power_alone(logs, self.parameters, self.tokens)

    def terms(self, logs: Array) -> tuple[Array, Array]:
        """The law, and its slopes by the logarithm of each coefficient."""
        return joint_power(logs, self.parameters, self.tokens)


def joint_power(logs: Array, x: Array, y: Array) -> tuple[Array, Array]:
    """`joint-power-loss` without its floor at logarithms of size and data over the reference, and
    its slopes by the logarithm of each coefficient.
    """
    alpha, beta, joint, size, data, one, other = _powers(logs, x, y)
    whole = one + other
    law = whole**joint
    share, rest = law * one / whole, law * other / whole
    bend = law * joint * np.log(whole) - share * size - rest * data
    slopes = np.empty((len(law), 5))
    for place, slope in enumerate((share, rest, -share * alpha * x, -rest * beta * y, bend)):
        slopes[:, place] = slope
    return law, slopes


def joint_power_alone(logs: Array, x: Array, y: Array) -> Array:
    """The same without the slopes, in half the time."""
    _, _, joint, _, _, one, other = _powers(logs, x, y)
    law: Array = (one + other) ** joint
    return law


def _powers(logs: Array, x: Array, y: Array) -> tuple[Array, ...]:
    """The exponents of the law; the logarithms of its terms before the joint exponent, and both."""
    alpha, beta, joint = np.exp(logs[2:])
    size, data = logs[0] - alpha * x, logs[1] - beta * y
    return alpha, beta, joint, size, data, np.exp(size / joint), np.exp(data / joint)


def losses(book: Book, cases: Cases, truth: Array, family: Words) -> Rows:
    """Published losses, in nat, as the fit sees them."""
    return Rows(
        np.log(without_embeddings(cases) / PARAMETERS),
        np.log(seen_tokens(book, cases) / TOKENS),
        truth,
        in_vocabulary(book, np.ones(len(cases)), cases),
        each(cases.evaluation, set_name),
        corpora(cases.evaluation),
        family,
        assumed(book),
        np.arange(len(cases)),
    )


def shape(rows: Rows) -> Array:
    """The log coefficients of the law, fitted once for the same rows."""
    key = rows.place.tobytes() + rows.loss.tobytes()
    if key not in rows.shapes:
        rows.shapes[key] = _shape(rows)
    return rows.shapes[key]


def _shape(rows: Rows) -> Array:
    """Fit the log coefficients of the law, with a separate offset for each set.

    Rows are weighted by the size of their family, and outliers weigh less (Cauchy's loss).
    """
    from scipy.optimize import least_squares  # slow to import, and only fits need it

    mean = np.log([rows.assumed[f"loss-{name}"] for name in SHAPE])
    unsure = np.array([rows.assumed[f"loss-{name}-deviation"] for name in SHAPE])
    scatter = rows.assumed["loss-scatter"]
    names, place = np.unique(rows.sets.astype(str), return_inverse=True)
    member = np.eye(len(names))[place]
    own = len(mean)
    counts = np.concatenate([evenly(rows.family), np.ones(own)])
    far = np.concatenate([np.full(len(rows), FAR), np.full(own, NEVER)]) ** 2

    def off(guess: Array) -> Array:
        residual = rows.law(guess[:own]) + member @ guess[own:] - rows.loss
        return np.concatenate([residual / scatter, (guess[:own] - mean) / unsure])

    def slopes(guess: Array) -> Array:
        prior = np.hstack([np.diag(1 / unsure), np.zeros((own, len(names)))])
        return np.vstack([np.hstack([rows.terms(guess[:own])[1], member]) / scatter, prior])

    def loss(squares: Array) -> Array:
        over = 1 + squares / far
        cost = far * np.log1p(squares / far), 1 / over, -1 / (far * over**2)
        return np.asarray(counts * np.array(cost))

    start = np.concatenate([mean, _medians(rows.loss - rows.law(mean), place, len(names))])
    close: float = 1e-12
    found = least_squares(off, start, slopes, loss=loss, xtol=close, ftol=close, gtol=close)
    return np.asarray(found.x[:own])


def _medians(values: Array, place: NDArray[np.intp], groups: int) -> Array:
    return np.array([np.median(values[place == group]) for group in range(groups)])


def offsets(rows: Rows, logs: Array) -> dict[str, float]:
    """The offset of each set, of each kind of text, and of any other set.

    A set's offset is the median of its rows. The offset of a kind of text, and of all, refers to a
    vocabulary of USUAL entries; it is the mean of family means over their sets, so a family that
    measures on many sets counts once.
    """
    gap, middle = rows.loss - rows.law(logs), _middle(logs)
    own = _of_sets(rows, gap)
    usual = _of_sets(rows, (gap + middle) / rows.length - middle)
    texts = sorted(set(rows.texts.tolist()) - {""})
    level = {f"offset_in_{text}": _level(rows, usual, rows.texts == text) for text in texts}
    return own | level | {"offset_elsewhere": _level(rows, usual, np.ones(len(rows), dtype=bool))}


def _middle(logs: Array) -> float:
    """The law at PARAMETERS and TOKENS."""
    size, data, _, _, joint = np.exp(logs).tolist()
    return float((size ** (1 / joint) + data ** (1 / joint)) ** joint)


def _of_sets(rows: Rows, gap: Array) -> dict[str, float]:
    names = sorted(set(rows.sets.tolist()) - {""})
    return {name: float(np.median(gap[rows.sets == name])) for name in names}


def _level(rows: Rows, own: Mapping[str, float], where: Flags) -> float:
    """The mean over families of the mean over each family's sets."""
    means = []
    for name in sorted(set(rows.family[where].tolist())):
        sets = set(rows.sets[where & (rows.family == name)].tolist()) - {""}
        if sets:
            means.append(float(np.mean([own[each] for each in sorted(sets)])))
    return float(np.mean(means)) if means else 0.0


# ------------------------------------------------------------------ ranges


def _ends(rows: Rows) -> dict[str, float]:
    """Ends of the 80 % ranges for known and new sets, from held-out families.

    The ends contain 80 % of the rows, each family counted once. They are symmetric, because the
    side on which the few families lie says nothing about the next one. For known sets the ends are
    scaled: families differ, and the ends from one are too wide for most, so each family is compared
    with the ends that the others give. There are too few new sets to do the same.
    """
    weight = 1 / sizes(rows.family)
    known, new = _left_out(rows)
    needed = np.full(len(rows), np.nan)
    for others, own in folds(rows.family):
        end = _within(_left_out(rows.only(others))[0], weight[others])
        if end > 0:
            needed[own] = np.abs(known[own]) / end
    near = _within(known, weight) * (_within(needed, weight) or 1.0)
    wide = _within(new, weight)
    ends = {"set_low": -near, "set_high": near, "new_low": -wide, "new_high": wide}
    return {**ends, "far": far(rows, near)}


def far(rows: Rows, near: float) -> float:
    """How much an end grows with each e-fold outside the known runs, in quadrature.

    In each set, runs above LARGE of its largest compute are predicted with the shape of other
    families and the offset of the smaller runs: 80 % of them lie within these ends, each set
    counted once.
    """
    growth, weights = [], []
    for others, own in folds(rows.family):
        logs, left = shape(rows.only(others)), rows.only(own)
        gap = left.loss - left.law(logs)
        for name in sorted(set(left.sets.tolist())):
            own_set = left.sets == name
            x, y, off = left.parameters[own_set], left.tokens[own_set], gap[own_set]
            small = x + y < (x + y).max() + np.log(LARGE)
            if small.sum() < LEAST:
                continue
            span = [np.array([ends[small].min(), ends[small].max()]) for ends in (x, y)]
            away = outside(x[~small], y[~small], *span)
            more = np.maximum((off[~small] - np.median(off[small])) ** 2 - near**2, 0.0)
            growth += (np.sqrt(more) / np.maximum(away, 0.1)).tolist()
            weights += [1 / len(more)] * len(more)
    return quantile(np.array(growth), COVERAGE, np.array(weights)) if growth else 0.0


def _within(left_out: Array, weight: Array) -> float:
    """The size that 80 % of the errors stay below; 0 without errors."""
    usable = ~np.isnan(left_out)
    if not usable.any():
        return 0.0
    return quantile(np.abs(left_out[usable]), COVERAGE, weight[usable])


def _left_out(rows: Rows) -> tuple[Array, Array]:
    """Errors of rows whose family was held out: with their set known, and new.

    If the set is known, rows are predicted with the shape from other families and the offset of the
    set's other rows; if it is new, with the offset that other families give.
    """
    known, new = np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    for others, own in folds(rows.family):
        learnt, left = rows.only(others), rows.only(own)
        logs = shape(learnt)
        gap = left.loss - left.law(logs)
        known[own] = gap - _of_others(gap, left.sets)
        new[own] = gap - _expected(left, offsets(learnt, logs), _middle(logs))
    return known, new


def _of_others(gap: Array, sets: Words) -> Array:
    """For each row the mean of the other rows of its set; nan without others."""
    out = np.full(len(gap), np.nan)
    for name in sorted(set(sets.tolist())):
        own = sets == name
        if own.sum() > 1:
            out[own] = (gap[own].sum() - gap[own]) / (own.sum() - 1)
    return out


def _expected(rows: Rows, known: Mapping[str, float], middle: float) -> Array:
    """The offset of each row, if other families tell about its set or its kind of text."""
    own = np.array([known.get(name, np.nan) for name in rows.sets.tolist()])
    names = [f"offset_in_{text}" for text in rows.texts.tolist()]
    level = np.array([known.get(name, known["offset_elsewhere"]) for name in names])
    return np.where(np.isnan(own), (level + middle) * rows.length - middle, own)
