"""Leave-one-family-out validation: how well a fit predicts a family it has not seen.

Runs in one publication are alike, so the error within it says little about the next one.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import NormalDist
from typing import Protocol, Self

import numpy as np

from scalesheet.predict.arrays import Array, Flags, Places, Words, coded
from scalesheet.predict.fits import Coefficients

COVERAGE = 0.8


class Rows(Protocol):
    """What a fit sees of published rows. Each row's share is independent of the others, so it is
    computed once, however many families are held out.
    """

    def only(self, rows: Flags) -> Self: ...

    def fit(self) -> Coefficients: ...


def folds(family: Words) -> Iterator[tuple[Flags, Flags]]:
    """For each family in order: the rows of all others, and its own. Empty for a single family."""
    names = sorted(set(family.tolist()))
    for name in names if len(names) > 1 else ():
        own = np.array([each == name for each in family.tolist()], dtype=bool)
        yield ~own, own


def sizes(family: Words) -> Places:
    """The number of rows in each row's family."""
    place = coded(family).places
    return np.bincount(place)[place]


def evenly(family: Words) -> Array:
    """Weights that average 1; a family's total grows with the square root of its size."""
    weights = 1 / np.sqrt(sizes(family))
    return np.asarray(weights * len(family) / weights.sum(), dtype=np.float64)


def quantile(values: Array, share: float, weights: Array | None = None) -> float:
    """The value below which a share of the weight lies, interpolated between midpoints of steps."""
    order = np.argsort(values, kind="stable")
    mass = np.ones(len(values)) if weights is None else weights
    below = (np.cumsum(mass[order]) - mass[order] / 2) / mass.sum()
    return float(np.interp(share, below, values[order]))


def end(off: Array, family: Words, share: float, normal: float) -> float:
    """The quantile of errors, in standard deviations, with each family counted once. Few families
    tell it badly, so a normal distribution counts as `normal` more at the ends of an 80 % interval,
    and as more the fewer lie beyond.
    """
    families = len(set(family.tolist()))
    more = normal * (1 - COVERAGE) / 2 / min(share, 1 - share)
    own = families * quantile(off, share, 1 / sizes(family))
    return (own + more * NormalDist().inv_cdf(share)) / (families + more)


def interval(left_out: Array, family: Words) -> tuple[float, float]:
    """The ends that contain a share COVERAGE of the held-out residuals."""
    tail = (1 - COVERAGE) / 2
    low, high = (quantile(left_out, share) for share in (tail, 1 - tail))
    return min(low, 0.0), max(high, 0.0)


def interval_of_families(left_out: Array, family: Words) -> tuple[float, float]:
    """The ends that contain a share COVERAGE of the rows of a new family, each family counted once.
    The new family may lie outside all known ones, so it counts as one more beyond either end
    (conformal prediction).
    """
    families = len(set(family.tolist()))
    tail = max(0.0, ((1 - COVERAGE) / 2 * (families + 1) - 1) / families)
    low, high = (quantile(left_out, share, 1 / sizes(family)) for share in (tail, 1 - tail))
    return min(low, 0.0), max(high, 0.0)
