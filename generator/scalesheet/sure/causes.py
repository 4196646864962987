"""Finds what a reserve is for: the share of each unknown, and how much less is needed once it is
known.

Both are computed from existing draws, sorted into bins by one unknown's draws, with a straight line
through each bin. The share is the first-order Sobol index: the part of the variance that the lines
explain. The reserve that remains once the unknown is known is the mean reserve around a bin's line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np

from scalesheet.frozen import dataclass
from scalesheet.sure.draws import Uniforms, Unknown
from scalesheet.sure.shapes import Array, normal

BINS = 32
LEAST = 0.05  # unknowns without an effect of their own are dropped below this total index
FEW = 64  # draws below which a bin has no quantiles


@dataclass(frozen=True, slots=True)
class Cause:
    """The effect of one unknown on one figure, each number from 0 to 1: `share` of the variance on
    its own, the first-order Sobol index; `total`, including interactions with others; `saves`, the
    part of the reserve that is expected to go away once it is known.
    """

    unknown: Unknown
    share: float
    saves: float
    total: float = 0.0


def causes(
    unknowns: tuple[Unknown, ...],
    uniforms: Uniforms,
    sample: Array,
    reserve: float,
    together: Mapping[str, float],
) -> tuple[Cause, ...]:
    """The causes of a figure's reserve, largest saving first, without those that have no effect.
    `together` holds total indices, which are raised to the shares where they are smaller.
    """
    known = ~np.isnan(sample)
    if reserve <= 0 or not known.any() or np.ptp(sample[known]) == 0:
        return ()
    made = [_cause(each, uniforms(each.name)[known], sample[known], reserve) for each in unknowns]
    total = sum(each.share for each in made)
    made = [
        replace(each, share=share, total=max(share, together.get(each.unknown.name, 0.0)))
        for each in made
        for share in (each.share / max(total, 1.0),)
    ]
    moving = [each for each in made if each.share > 0 or each.total > LEAST]
    return tuple(sorted(moving, key=lambda each: (-each.saves, -each.share)))


def _cause(unknown: Unknown, u: Array, sample: Array, reserve: float) -> Cause:
    places = np.minimum((u * BINS).astype(np.int64), BINS - 1)
    order, z = np.argsort(places, kind="stable"), normal(u)
    ends = np.searchsorted(places[order], np.arange(BINS + 1))
    bins = [order[first:last] for first, last in pairwise(ends.tolist()) if last - first >= FEW]
    if not bins:
        return Cause(unknown, 0.0, 0.0)
    about = [_about_a_line(z[each], sample[each]) for each in bins]
    share = _share(about, np.concatenate([sample[each] for each in bins]))
    if share == 0:
        return Cause(unknown, 0.0, 0.0)
    left = float(np.mean([_reserve(each) for each in about]))
    return Cause(unknown, share, min(max(1 - left / reserve, 0.0), 1.0))


def _about_a_line(z: Array, sample: Array) -> Array:
    x, y = z - z.mean(), sample - sample.mean()
    about: Array = y - float((x * y).sum() / (x * x).sum()) * x
    return about


def _share(about: list[Array], sample: Array) -> float:
    """The part of the variance that the lines explain; 0 if chance alone could explain as much."""
    lines = 2 * len(about)
    left = sum(float((each**2).sum()) for each in about) / (len(sample) - lines)
    found = 1 - left / float(np.var(sample, ddof=1))
    return float(found) if found > 3 * np.sqrt(2 * lines) / len(sample) else 0.0


def _reserve(about: Array) -> float:
    """P80 less P50 of a small sample around a line, without bias."""
    middle, high = np.quantile(about, [0.5, 0.8], method="weibull").tolist()
    return float((high - middle) * np.sqrt(len(about) / (len(about) - 2)))
