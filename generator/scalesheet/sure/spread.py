"""Draws of one uncertain input: a stratified sample, shaped by the range that it states.

Low and high are the 10th and the 90th percentile, and the expected value is the median. Each side
of the median has its own width, so a skewed range stays skewed. Where low is above 0 the logarithm
is normal on either side, otherwise the number itself. A draw never leaves the input's domain.
"""

from __future__ import annotations

import hashlib
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scalesheet.model import DOMAINS, Stated

Array = NDArray[np.float64]
DRAWS = 4096
REPLICATES = 8  # independent samples that the draws consist of; they give the error
SEED = "scalesheet-1"
P90 = NormalDist().inv_cdf(0.9)


def standard(name: str, seed: str = SEED, draws: int = DRAWS) -> Array:
    """Standard normal draws of the input with this name, whatever else the plan holds.

    Each replicate has one draw in each of its equal strata, in an order that the name decides. Only
    raw bits are taken from NumPy: their stream is the same in each of its versions.
    """
    key = int.from_bytes(hashlib.sha256(f"{seed}:{name}".encode()).digest()[:16], "big")
    size = draws // REPLICATES
    bits = np.random.Philox(key=key)
    raw: NDArray[np.uint64] = bits.random_raw(2 * draws).reshape(2, REPLICATES, size)
    strata: NDArray[np.int64] = np.argsort(raw[0], axis=1, kind="stable")
    within = (raw[1] >> np.uint64(11)).astype(np.float64) * 2.0**-53
    uniform = np.clip((strata + within) / size, 1e-12, 1 - 1e-12).ravel()
    inverse = NormalDist().inv_cdf
    return np.fromiter(map(inverse, uniform.tolist()), np.float64, draws)


def spread(stated: Stated, domain: str, z: Array) -> Array:
    """The values of a ranged input at standard normal draws, in its unit."""
    assert isinstance(stated.value, float)
    value = stated.value
    low = value if stated.low is None else stated.low
    high = value if stated.high is None else stated.high
    return within(domain, between(low, value, high, z))


def between(low: Any, value: Any, high: Any, z: Array) -> Array:
    """Draws of a range, whose numbers may have a value for each draw."""
    with np.errstate(all="ignore"):
        below, positive = z < 0, np.asarray(low) > 0
        width: Array = np.where(below, value - low, high - value)
        ratio: Array = np.where(below, np.divide(value, low), np.divide(high, value))
        scaled: Array = value * np.exp(np.log(np.where(positive, ratio, 1.0)) * z / P90)
        return np.where(positive, scaled, value + width * z / P90)


def within(domain: str, made: Array) -> Array:
    """The same, where it leaves the domain at its border."""
    least, _, most, whole = DOMAINS[domain]
    made = np.clip(made, least, most)
    return np.rint(made) if whole else np.asarray(made, np.float64)
