"""Draws of one uncertain input: a stratified sample, keyed by a name."""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scalesheet.sure.shapes import Array, normal

DRAWS = 4096
REPLICATES = 32  # independent samples that make up the draws; their differences give the error
SEED = "scalesheet-1"
MOST = 2**25  # numbers of a column over all draws: 256 MB


def affordable(rows: int) -> int:
    """The number of draws for which a table with so many rows leaves room: all of them up to 8,192
    rows. Fewer draws have larger errors, which each quantile states.
    """
    draws = DRAWS
    while draws * rows > MOST and draws > 8 * REPLICATES:
        draws //= 2
    return draws


@lru_cache(maxsize=256)
def uniform(name: str, seed: str = SEED, draws: int = DRAWS) -> Array:
    """Uniform draws from 0 to 1 for the input or group with this name, independent of the rest of
    the plan.

    Each replicate has one draw in each of its equal strata, in an order given by the name. Only raw
    bits are taken from NumPy: their stream is the same in every version.
    """
    size = draws // REPLICATES
    bits = np.random.Philox(key=key_of(name, seed))
    raw: NDArray[np.uint64] = bits.random_raw(2 * draws).reshape(2, REPLICATES, size)
    strata: NDArray[np.int64] = np.argsort(raw[0], axis=1, kind="stable")
    within = (raw[1] >> np.uint64(11)).astype(np.float64) * 2.0**-53
    made: Array = np.clip((strata + within) / size, 1e-12, 1 - 1e-12).ravel()
    made.flags.writeable = False
    return made


def key_of(name: str, seed: str = SEED) -> int:
    """The 128-bit key for the random numbers of a name."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{name}".encode()).digest()[:16], "big")


def standard(name: str, seed: str = SEED, draws: int = DRAWS) -> Array:
    """The same draws as `uniform`, converted to standard normal."""
    return normal(uniform(name, seed, draws))
