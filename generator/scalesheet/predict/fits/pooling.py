"""Partial pooling: coefficients shared by all families, each family varying around them.

The logarithm of a time is modelled: `ln(parts @ a + fixed) + factors @ b`, with all of `a` and `b`
positive. Each coefficient has a prior about what physics says it is, and varies from family to
family about the common one, so a publication of two hundred rows tells much of shapes and counts
little more than another of how fast software is. Newton's method on the linear expansion; rows far
off weigh less. Only numpy: the same digits on each run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scalesheet.book import Book
from scalesheet.predict.arrays import Array, Words
from scalesheet.predict.records import assumed, column_of

WITHIN = 0.08  # standard deviation of rows of one family, in the logarithm
BETWEEN = 0.12  # of families, beside what their coefficients differ
FAR = 3.0  # standard deviations, from which on a row weighs less
STEPS = 6


@dataclass(frozen=True, slots=True)
class Prior:
    """What a coefficient is expected to be before any data; deviations are of its logarithm.

    `unsure`: how far the common coefficient may be from `mean`. `varies`: how far that of one
    family is from the common one.
    """

    mean: float
    unsure: float
    varies: float


@dataclass(frozen=True, slots=True)
class Expected:
    """What a task expects before any data: its coefficients, and standard deviations of the
    logarithm of a row within its family, of families, and of what a regime adds."""

    priors: Mapping[str, Prior]
    within: float
    between: float
    adds: float
    unsure: float

    def made_of(self) -> dict[str, float]:
        """What a spread is made of besides its fit: on file, so that a plan makes it of cells."""
        varies = {f"{name}_varies": prior.varies for name, prior in self.priors.items()}
        return {"within": self.within, "between": self.between, **varies}


def expected(book: Book, task: str, names: Iterable[str]) -> Expected:
    """What the catalogue's tables say of a task and of the coefficients that it has."""
    columns = [column_of(book, "priors", name) for name in ("expected", "unsure", "varies")]
    rows = {name: f"{task}-{name.replace('_', '-')}" for name in names}
    usual = assumed(book)
    return Expected(
        {name: Prior(*(column[row] for column in columns)) for name, row in rows.items()},
        *(usual[name] for name in (f"{task}-within", f"{task}-between")),
        *(usual[name] for name in ("regime-adds", "regime-unsure")),
    )


@dataclass(frozen=True)
class Design:
    """Rows to fit. Columns of `parts` (GPU second / token) and `factors` go with their priors."""

    parts: Array
    fixed: Array
    factors: Array
    priors: Mapping[str, Prior]

    def expected(self, logs: Array) -> Array:
        """The logarithm of the time of each row."""
        times, rises = np.split(np.exp(logs), [self.parts.shape[1]])
        expected: Array = np.log(self.parts @ times + self.fixed) + self.factors @ rises
        return expected

    def slopes(self, logs: Array) -> Array:
        """What a small rise of each logarithm adds to that of the time: shares of the whole."""
        times, rises = np.split(np.exp(logs), [self.parts.shape[1]])
        each = self.parts * times
        whole = each.sum(axis=1) + self.fixed
        return np.hstack([each / whole[:, None], self.factors * rises])

    def spread(self, logs: Array, within: float, between: float) -> Array:
        """The standard deviation of a row of a family never seen, in the logarithm."""
        varies = np.array([prior.varies for prior in self.priors.values()])
        slopes = self.slopes(logs)
        spread: Array = np.sqrt(within**2 + between**2 + slopes**2 @ varies**2)
        return spread


@dataclass(frozen=True)
class Fitted:
    """Logarithms of the coefficients, and of each row's time over that expected without its
    family."""

    logs: Array
    left_out: Array


def fit(
    design: Design,
    target: Array,
    family: Words,
    *,
    within: float | Array = WITHIN,
    between: float = BETWEEN,
) -> Fitted:
    """`target`: logarithm of the time of each row. `within`: of all rows, or of each."""
    within = np.broadcast_to(np.asarray(within, dtype=np.float64), target.shape)
    priors = design.priors.values()
    mean = np.log([prior.mean for prior in priors])
    firm = np.diag([prior.unsure**-2 for prior in priors])
    varies = np.array([prior.varies for prior in priors])
    names, place = np.unique(family.astype(str), return_inverse=True)
    members: list[NDArray[np.intp]] = [
        np.flatnonzero(place == number) for number in range(len(names))
    ]

    logs = mean.copy()
    noise = within**2
    for _ in range(STEPS):
        residual = target - design.expected(logs)
        slopes = design.slopes(logs)
        pulls, weights = [], []
        for rows in members:
            own, off = slopes[rows], residual[rows]
            shared = np.hstack([np.full((len(rows), 1), between), own * varies])
            solved = _solve(noise[rows], shared, np.hstack([own, off[:, None]]))
            weights.append(own.T @ solved[:, :-1])
            pulls.append(own.T @ solved[:, -1])
            left = noise[rows] * solved[:, -1]
            noise[rows] = within[rows] ** 2 * (1 + (left / (FAR * within[rows])) ** 2)
        weight, pull = sum(weights) + firm, sum(pulls) - firm @ (logs - mean)
        logs = logs + np.linalg.solve(weight, pull)
    return Fitted(logs, _left_out(design, target, logs, members, weight, weights, pulls))


def _solve(noise: Array, shared: Array, wanted: Array) -> Array:
    """The inverse of `diag(noise) + shared @ shared.T`, times what is wanted."""
    scaled = shared / noise[:, None]
    inner = np.eye(shared.shape[1]) + shared.T @ scaled
    return wanted / noise[:, None] - scaled @ np.linalg.solve(inner, scaled.T @ wanted)


def _left_out(
    design: Design,
    target: Array,
    logs: Array,
    members: list[NDArray[np.intp]],
    weight: Array,
    weights: list[Array],
    pulls: list[Array],
) -> Array:
    """Residuals where each family is taken out of the linear expansion about the whole fit."""
    residual = target - design.expected(logs)
    slopes = design.slopes(logs)
    for rows, own, pull in zip(members, weights, pulls, strict=True):
        residual[rows] += slopes[rows] @ np.linalg.solve(weight - own, pull)
    return residual
