"""Partial pooling: coefficients shared by all families, each family varying around them.

The model is the logarithm of a time: `ln(parts @ a + fixed) + factors @ b`, with all of `a` and `b`
positive. Each coefficient has a prior from physics, and varies from family to family around the
common value. So a publication with two hundred rows says much about how time depends on shapes, but
counts little more than any other about how fast software is. Solved by Newton's method on the
linear expansion; outliers weigh less. Only numpy is used, so that every run gives the same digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.predict.arrays import Array, Places, Words
from scalesheet.predict.records import assumed, column_of

WITHIN = 0.08  # standard deviation of the logarithm within one family
BETWEEN = 0.12  # between families, in addition to their different coefficients
FAR = 3.0  # standard deviations beyond which a row weighs less
STEPS = 6


@dataclass(frozen=True, slots=True)
class Prior:
    """What a coefficient is expected to be before any data; deviations are of its logarithm.

    `unsure`: how far the common coefficient may be from `mean`. `varies`: how far one family's
    coefficient is from the common one.
    """

    mean: float
    unsure: float
    varies: float


@dataclass(frozen=True, slots=True)
class Expected:
    """What a task expects before any data: its coefficients, and the standard deviations of the
    logarithm within a family, between families, and added by a regime. `normal`: how many families
    a normal distribution counts as in the ends of an interval.
    """

    priors: Mapping[str, Prior]
    within: float
    between: float
    normal: float
    adds: float
    unsure: float

    def made_of(self) -> dict[str, float]:
        """What a spread consists of besides the fit; stored so that plans can compute it."""
        varies = {f"{name}_varies": prior.varies for name, prior in self.priors.items()}
        return {"within": self.within, "between": self.between, **varies}


def expected(book: Book, task: str, names: Iterable[str]) -> Expected:
    """Read a task's priors and the named coefficients from the catalogue's tables."""
    columns = [column_of(book, "priors", name) for name in ("expected", "unsure", "varies")]
    rows = {name: f"{task}-{name.replace('_', '-')}" for name in names}
    usual = assumed(book)
    return Expected(
        {name: Prior(*(column[row] for column in columns)) for name, row in rows.items()},
        *(usual[name] for name in (f"{task}-within", f"{task}-between", f"{task}-normal")),
        *(usual[name] for name in ("regime-adds", "regime-unsure")),
    )


@dataclass(frozen=True)
class Design:
    """Rows to fit. Columns of `parts` (GPU second / token) and `factors` match the priors."""

    parts: Array
    fixed: Array
    factors: Array
    priors: Mapping[str, Prior]

    def expected(self, logs: Array) -> Array:
        """The expected logarithm of the time of each row."""
        times, rises = np.split(np.exp(logs), [self.parts.shape[1]])
        expected: Array = np.log(self.parts @ times + self.fixed) + self.factors @ rises
        return expected

    def slopes(self, logs: Array) -> Array:
        """The derivative of the log time by each log coefficient: shares of the whole."""
        times, rises = np.split(np.exp(logs), [self.parts.shape[1]])
        each = self.parts * times
        whole = each.sum(axis=1) + self.fixed
        return np.hstack([each / whole[:, None], self.factors * rises])

    def spread(self, logs: Array, within: float, between: float) -> Array:
        """The standard deviation of the log time of a row in an unseen family."""
        varies = np.array([prior.varies for prior in self.priors.values()])
        slopes = self.slopes(logs)
        spread: Array = np.sqrt(within**2 + between**2 + slopes**2 @ varies**2)
        return spread


@dataclass(frozen=True)
class Fitted:
    """The log coefficients, and the log error of each row's time if its family is left out, or all
    rows of its kind.
    """

    logs: Array
    left_out: Array
    without: Array


@dataclass(frozen=True)
class _Linear:
    """The linear expansion around some coefficients: what each row says about the next step."""

    slopes: Array
    residual: Array
    noise: Array  # variance of each row within its family
    varies: Array
    between: float

    def says(self, rows: Places) -> tuple[Array, Array, Array]:
        """Weight and pull of rows of one family, and what remains of their residuals."""
        own, off, noise = self.slopes[rows], self.residual[rows], self.noise[rows]
        shared = np.hstack([np.full((len(rows), 1), self.between), own * self.varies])
        solved = _solve(noise, shared, np.hstack([own, off[:, None]]))
        return own.T @ solved[:, :-1], own.T @ solved[:, -1], noise * solved[:, -1]


def fit(
    design: Design,
    target: Array,
    family: Words,
    *,
    within: float | Array = WITHIN,
    between: float = BETWEEN,
    kinds: Words | None = None,
) -> Fitted:
    """Fit `target`, the log time of each row. `within` is one value for all, or one per row.
    `kinds` are groups of rows other than families.
    """
    within = np.broadcast_to(np.asarray(within, dtype=np.float64), target.shape)
    priors = design.priors.values()
    mean = np.log([prior.mean for prior in priors])
    firm = np.diag([prior.unsure**-2 for prior in priors])
    varies = np.array([prior.varies for prior in priors])
    place, members = _members(family)

    logs, noise = mean.copy(), within**2
    for _ in range(STEPS):
        residual = target - design.expected(logs)
        linear = _Linear(design.slopes(logs), residual, noise, varies, between)
        said = [linear.says(rows) for rows in members]
        noise = noise.copy()
        for rows, (_, _, left) in zip(members, said, strict=True):
            noise[rows] = within[rows] ** 2 * (1 + (left / (FAR * within[rows])) ** 2)
        weight = sum(each[0] for each in said) + firm
        pull = sum(each[1] for each in said) - firm @ (logs - mean)
        logs = logs + np.linalg.solve(weight, pull)

    residual, slopes = target - design.expected(logs), design.slopes(logs)

    def left_out(groups: list[Places]) -> Array:
        """Residuals after removing each group from the linear expansion around the full fit."""
        result = residual.copy()
        for group in groups:
            lost, pulled = np.zeros_like(weight), np.zeros_like(mean)
            stays = np.ones(len(target), dtype=bool)
            stays[group] = False
            for number in np.unique(place[group]):
                rows, (own, pull, _) = members[number], said[number]
                stay = rows[stays[rows]]
                rest = linear.says(stay) if len(stay) else (0.0, 0.0)
                lost, pulled = lost + own - rest[0], pulled + pull - rest[1]
            result[group] += slopes[group] @ np.linalg.solve(weight - lost, pulled)
        return result

    without = left_out(members if kinds is None else _members(kinds)[1])
    return Fitted(logs, left_out(members), without)


def _members(of: Words) -> tuple[Places, list[Places]]:
    """The group of each row, and the indices of the rows of each group."""
    names, place = np.unique(of.astype(str), return_inverse=True)
    return place, [np.flatnonzero(place == number) for number in range(len(names))]


def _solve(noise: Array, shared: Array, wanted: Array) -> Array:
    """The inverse of `diag(noise) + shared @ shared.T`, times `wanted`."""
    scaled = shared / noise[:, None]
    inner = np.eye(shared.shape[1]) + shared.T @ scaled
    return wanted / noise[:, None] - scaled @ np.linalg.solve(inner, scaled.T @ wanted)
