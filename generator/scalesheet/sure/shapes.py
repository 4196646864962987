"""Shapes of ranges: convert a uniform draw from 0 to 1 to a value of an input.

Low and high are percentiles, the 10th and 90th unless stated otherwise. lognormal and normal have
the expected value as their median and a separate width on each side, so that a skewed range stays
skewed. triangular and pert have it as their most likely value. uniform and two-point use only the
ends; with two-point the expected value is the mean of the two.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import comb
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scalesheet.model import DOMAINS, Event, Likelihood, Stated

Array = NDArray[np.float64]
NORMAL = NormalDist()
LOW, HIGH = 0.1, 0.9  # the percentiles of a range's ends, unless stated otherwise
P90 = NORMAL.inv_cdf(HIGH)
STEPS = 512  # in the lookup table of a pert shape
HALVINGS = 60  # in the search for the most likely value


def shape_of(stated: Likelihood, domain: str) -> str:
    """The stated shape, or the domain's default."""
    from scalesheet.schemas import written  # imports jsonschema, which nothing else here needs

    by_domain: dict[str, str] = written("common")["$defs"]["spread"]["x-by-domain"]
    return stated.spread or by_domain[domain]


def drawn_values(stated: Stated, domain: str, u: Array) -> Array:
    """The values of an uncertain input at uniform draws, in its unit, within its domain."""
    assert isinstance(stated.value, float)
    value, of = stated.value, stated.likelihood
    low = value if stated.low is None else stated.low
    high = value if stated.high is None else stated.high
    made = np.full(len(u), value)
    if stated.ranged:
        made = SHAPES[shape_of(of, domain)](low, value, high, of.percentiles, u)
    if of.event is not None:
        made = np.rint(made) + of.event.adds * happens(of.event, u)
    return within(domain, made)


def within(domain: str, made: Array) -> Array:
    """The values, clipped to the domain and rounded if it is whole."""
    least, _, most, whole = DOMAINS[domain]
    if least is not None or most is not None:  # required by NumPy 1
        made = np.clip(made, least, most)
    return np.rint(made) if whole else np.asarray(made, np.float64)


def normal(u: Array) -> Array:
    """Standard normal draws. Python's own inverse gives the same result on every processor."""
    each, place = np.unique(u, return_inverse=True)  # draws that are repeated, only once
    return np.fromiter(map(NORMAL.inv_cdf, each.tolist()), np.float64, len(each))[place]


def between(low: Any, value: Any, high: Any, z: Array) -> Array:
    """Draws from a range at standard normal draws: lognormal if it is above 0, else normal. Its
    numbers may be arrays with a value for each draw.
    """
    with np.errstate(all="ignore"):
        positive = np.asarray(low) > 0
        return np.where(
            positive, _scaled(low, value, high, z / P90), _shifted(low, value, high, z / P90)
        )


def _scaled(low: Any, value: Any, high: Any, at: Array) -> Array:
    below, positive = at < 0, np.asarray(low) > 0
    ratio = np.where(below, np.divide(value, low), np.divide(high, value))
    return np.asarray(value * np.exp(np.log(np.where(positive, ratio, 1.0)) * at))


def _shifted(low: Any, value: Any, high: Any, at: Array) -> Array:
    return np.asarray(value + np.where(at < 0, value - low, high - value) * at)


def _sides(percentiles: tuple[float, float], u: Array) -> Array:
    """The distance of a draw from the median, relative to the percentile on its side."""
    z, (first, last) = normal(u), percentiles
    return np.where(z < 0, z / -NORMAL.inv_cdf(first), z / NORMAL.inv_cdf(last))


def _lognormal(
    low: float, value: float, high: float, percentiles: tuple[float, float], u: Array
) -> Array:
    """Lognormal draws; normal if the range includes 0."""
    return (_scaled if low > 0 else _shifted)(low, value, high, _sides(percentiles, u))


def _normal(
    low: float, value: float, high: float, percentiles: tuple[float, float], u: Array
) -> Array:
    return _shifted(low, value, high, _sides(percentiles, u))


def _uniform(
    low: float, value: float, high: float, percentiles: tuple[float, float], u: Array
) -> Array:
    first, last = percentiles
    return low + (u - first) / (last - first) * (high - low)


def _two_point(
    low: float, value: float, high: float, percentiles: tuple[float, float], u: Array
) -> Array:
    return np.where(u < (high - value) / (high - low), low, high)


def _triangular(
    low: float, value: float, high: float, percentiles: tuple[float, float], u: Array
) -> Array:
    return _with_ends(_triangle, low, value, high, percentiles, u)


def _pert(
    low: float, value: float, high: float, percentiles: tuple[float, float], u: Array
) -> Array:
    return _with_ends(_beta, low, value, high, percentiles, u)


SHAPES: dict[str, Callable[[float, float, float, tuple[float, float], Array], Array]] = {
    "lognormal": _lognormal,
    "normal": _normal,
    "triangular": _triangular,
    "uniform": _uniform,
    "pert": _pert,
    "two-point": _two_point,
}


def _with_ends(
    standard: Callable[[float, Array], Array],
    low: float,
    value: float,
    high: float,
    percentiles: tuple[float, float],
    u: Array,
) -> Array:
    """Draws of a shape on 0 to 1, stretched so that its percentiles are low and high.

    The shape is chosen by bisection: its mode rises with the most likely value's position between
    low and high.
    """
    share, at = (value - low) / (high - low), np.array(percentiles)
    least, most = 0.0, 1.0
    for _ in range(HALVINGS):
        mode = (least + most) / 2
        first, last = standard(mode, at).tolist()
        if (mode - first) / (last - first) < share:
            least = mode
        else:
            most = mode
    mode = (least + most) / 2
    first, last = standard(mode, at).tolist()
    width = (high - low) / (last - first)
    made: Array = low + (standard(mode, u) - first) * width
    return made


def _triangle(mode: float, u: Array) -> Array:
    below = u < mode
    return np.where(below, np.sqrt(u * mode), 1 - np.sqrt((1 - u) * (1 - mode)))


def _beta(mode: float, u: Array) -> Array:
    """PERT: a beta distribution where the most likely value weighs four times an end."""
    chance, value = _beta_table(mode)
    return np.asarray(np.interp(u, chance, value))


@cache
def _angles() -> tuple[Array, Array, Array]:
    angle = np.arange(STEPS + 1) * (np.pi / 2 / STEPS)
    sine, cosine = np.sin(angle), np.cos(angle)
    sine[0] = cosine[-1] = 0.0
    return sine**2, sine, cosine


@cache
def _beta_table(mode: float) -> tuple[Array, Array]:
    """Chances and values, at the squares of a sine: its steps are small where the density of a beta
    distribution is steep.
    """
    value, sine, cosine = _angles()
    density = sine ** (8 * mode + 1) * cosine ** (9 - 8 * mode)
    steps = np.concatenate(([0.0], np.cumsum((density[1:] + density[:-1]) / 2)))
    return steps / steps[-1], value


def happens(event: Event, u: Array) -> Array:
    """The number of times that an event happens at uniform draws."""
    return np.asarray(np.searchsorted(chances(event), u, side="right"), np.float64)


def chances(event: Event) -> Array:
    """The binomial chances of at most 0, 1, ... events, without the last, which is 1."""
    n, p = event.times, event.chance
    each = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
    return np.cumsum(each[:-1])
