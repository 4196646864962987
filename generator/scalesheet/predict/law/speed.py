"""The throughput of own runs as a function of size, if the runs state it."""

from __future__ import annotations

import numpy as np

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.predict.arrays import Array
from scalesheet.predict.fits.holdout import COVERAGE
from scalesheet.predict.law.runs import Runs
from scalesheet.predict.loss import PARAMETERS
from scalesheet.predict.records import assumed, rows_of

PER_PARAMETER = 6.0  # FLOP per parameter and token


@dataclass(frozen=True)
class Speed:
    """`throughput-by-size` fitted to own runs. `unsure` is the covariance of the log rate and the
    growth; `wide` is the number of deviations to an end of the 80 % interval.
    """

    runs: int
    rate: float  # FLOP / (second * GPU) at the reference size
    growth: float
    noise: float
    assumed: float  # noise, before any run
    unsure: Array
    wide: float

    def throughput(self, book: Book, parameters: Array) -> Array:
        """Tokens per second and GPU."""
        given = {"rate": self.rate, "growth": self.growth}
        return rows_of(book, "throughput-by-size", parameters=parameters, **given)

    def factor(self, parameters: Array) -> Array:
        """The factor between the expected throughput and the ends of its 80 % interval."""
        points = _points(parameters)
        spread = np.einsum("ij,jk,ik->i", points, self.unsure, points)
        return np.asarray(np.exp(self.wide * np.sqrt(spread + self.noise**2)))


def speed(book: Book, runs: Runs) -> Speed | None:
    """Fit the law to the runs that state their throughput; None if none does."""
    from scipy.special import stdtrit  # slow to import

    known = ~np.isnan(runs.speed)
    if not known.any():
        return None
    points = _points(runs.parameters[known])
    rates = np.log(PER_PARAMETER * runs.parameters[known] * runs.speed[known])
    usual = assumed(book)
    growth, firm = usual["own-growth"], usual["own-growth-deviation"] ** -2
    scatter, few = usual["own-rate-scatter"], usual["own-rate-scatter-runs"]
    noise, counts = scatter, few
    for _ in range(4):  # noise and fit depend on each other
        weight = points.T @ points / noise**2 + np.diag([0.0, firm])
        pull = points.T @ rates / noise**2 + np.array([0.0, growth * firm])
        found = np.linalg.solve(weight, pull)
        off = rates - points @ found
        spent = float(np.trace(np.linalg.solve(weight, points.T @ points / noise**2)))
        counts = few + max(len(rates) - spent, 0.0)
        noise = float(np.sqrt((few * scatter**2 + off @ off) / counts))
    wide = float(stdtrit(counts, (1 + COVERAGE) / 2))
    rate, growth = float(np.exp(found[0])), float(found[1])
    unsure = np.linalg.solve(weight, np.eye(2))
    return Speed(
        int(known.sum()), rate, growth, noise, scatter, np.asarray(unsure, np.float64), wide
    )


def _points(parameters: Array) -> Array:
    size = np.log(parameters / PARAMETERS)
    return np.column_stack([np.ones(len(size)), size])
