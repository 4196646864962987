"""Spread: how precisely the mean step time is known, and when that is enough."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist, fmean

from scalesheet.steps.job import Effort

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Mean:
    """The mean of a series in its unit, with the ends of its 95 % interval.

    `low` and `high` are None for a single value. `spread` is the standard deviation over the mean.
    """

    value: float
    low: float | None
    high: float | None
    spread: float
    count: int

    @property
    def precision(self) -> float:
        """Half the interval's width over the mean; infinite for a single value."""
        return math.inf if self.high is None else (self.high - self.value) / self.value


def mean_of(times: Sequence[float]) -> Mean:
    """The mean of at least one positive value, with its interval by Student's t.

    Consecutive steps are correlated (clocks, caches, other load), so the values count as fewer
    independent ones: n (1 - r) / (1 + r), where r is their correlation with the next (Law and
    Kelton, Simulation Modeling and Analysis, on first-order autoregressive output).
    """
    count = len(times)
    mean = fmean(times)
    if count < 2:
        return Mean(mean, None, None, 0.0, count)
    variance = sum((time - mean) ** 2 for time in times) / (count - 1)
    likeness = _likeness(times, mean)
    independent = max(2.0, count * (1 - likeness) / (1 + likeness))
    half = students_t(independent - 1) * math.sqrt(variance / independent)
    return Mean(mean, max(0.0, mean - half), mean + half, math.sqrt(variance) / mean, count)


def _likeness(times: Sequence[float], mean: float) -> float:
    """Correlation of a value with the next, at least 0: a negative one would narrow the interval.

    The estimate from n values is too low by (1 + 3 r) / n (Kendall 1954), which is added.
    """
    around = [time - mean for time in times]
    whole = sum(value * value for value in around)
    if whole == 0:
        return 0.0
    result = sum(a * b for a, b in pairwise(around)) / whole
    return min(0.99, max(0.0, result + (1 + 3 * result) / len(times)))


def known(times: Sequence[float], effort: Effort, seconds: float) -> bool:
    """Return whether to stop after these steps, `seconds` after the first of them began.

    A rule that is applied after every step tends to stop at a lucky interval. In simulations, the
    mean is within the requested precision in 94 of 100 cases, and in 86 if neighbors correlate by
    0.5.
    """
    if len(times) >= effort.at_most:
        return True
    if seconds >= effort.seconds and len(times) >= 2:
        return True
    return len(times) >= max(2, effort.at_least) and mean_of(times).precision <= effort.precise


def students_t(freedom: float) -> float:
    """The two-sided 95 % point of Student's t with `freedom` degrees, at least 1, not necessarily
    integer.

    From 30 degrees on by the expansion in the normal point (Abramowitz and Stegun 26.7.5), below by
    Newton's method: with t = sqrt(freedom) tan(angle) the density is a power of a cosine, which
    decreases, so that no step goes too far.
    """
    if freedom >= 30:
        z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
        first = (z**3 + z) / 4
        second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
        third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
        return z + first / freedom + second / freedom**2 + third / freedom**3
    shape = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
    scale = 2 * math.exp(shape) / math.sqrt(math.pi)
    angle = 0.0
    while (lacks := CONFIDENCE / scale - _cosine_power(angle, freedom - 1)) > 1e-11:
        angle += lacks / math.cos(angle) ** (freedom - 1)
    return math.sqrt(freedom) * math.tan(angle)


def _cosine_power(end: float, power: float, pieces: int = 64) -> float:
    """The integral of cos(x) ** power from 0 to `end`, by Simpson's rule."""
    width = end / pieces
    weights = (1 if i in (0, pieces) else 4 if i % 2 else 2 for i in range(pieces + 1))
    return width / 3 * sum(w * float(math.cos(i * width) ** power) for i, w in enumerate(weights))
