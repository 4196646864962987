"""How much regimes widen a prediction's range: FP8, long sequences, large clusters, fine-tuning.

A regime's standard deviation is fitted on errors of families left out, each counted once, where
SEVERAL families have such rows. One or two say little of the next: there the assumption stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from scalesheet.predict.arrays import Array, Flags, Words, among
from scalesheet.predict.cases import Cases
from scalesheet.predict.fits.holdout import sizes
from scalesheet.predict.fits.pooling import Expected

LARGE, LONG = 256, 8192  # accelerators, and tokens of a sequence, beyond which few rows are
SEVERAL = 3
ROUNDS = 4

#: By the name of the coefficient. The component has the same conditions.
_IS_OF: Mapping[str, Callable[[Cases], Flags]] = {
    "in_fp8": lambda cases: among(cases.precision, "fp8"),
    "in_long": lambda cases: cases.sequence > LONG,
    "in_large": lambda cases: cases.gpus > LARGE,
    "in_tuning": lambda cases: among(cases.method, "full", "lora", "qlora", "adapter"),
}
#: Those of a task. The memory of an accelerator does not depend on the size of the cluster, and
#: errors of whole runs are no wider in a regime than elsewhere.
REGIMES: Mapping[str, tuple[str, ...]] = {
    "runs": (),
    "throughput": ("in_fp8", "in_long", "in_large", "in_tuning"),
    "memory": ("in_fp8", "in_long", "in_tuning"),
}


def regimes_of(cases: Cases) -> Array:
    """For each row whether it is of each regime of its task, 1 or 0."""
    flags = [_IS_OF[name](cases) for name in REGIMES[cases.task]]
    return np.array(flags, dtype=np.float64).reshape(len(flags), len(cases)).T


def fitted(
    task: str, usual: Expected, off: Array, wide: Array, rows: Array, family: Words
) -> dict[str, float]:
    """The standard deviation that each regime adds: the likeliest of a grid.

    `off` and `wide`: logarithms of errors of families left out, and their standard deviation
    without regimes. `rows`: of each regime, one column each.
    """
    weight = 1 / sizes(family)
    added = np.full(rows.shape[1], usual.adds)
    grid = usual.adds * np.geomspace(1 / 8, 4, 61)

    def unlikely(place: int, value: float) -> float:
        trial = np.where(np.arange(len(added)) == place, value, added)
        variance = wide**2 + rows @ trial**2
        prior = (np.log(value / usual.adds) / usual.unsure) ** 2
        return float(weight @ (off**2 / variance + np.log(variance)) + prior)

    for place in ROUNDS * list(range(len(added))):
        if len(set(family[rows[:, place] > 0].tolist())) >= SEVERAL:
            added[place] = min(grid.tolist(), key=partial(unlikely, place))
    return dict(zip(REGIMES[task], added.tolist(), strict=True))


def wider(task: str, wide: Array, rows: Array, fitted: Mapping[str, float]) -> Array:
    """The standard deviation of each row with what its regimes add."""
    added = np.array([fitted[name] for name in REGIMES[task]])
    result: Array = np.sqrt(wide**2 + rows @ added**2)
    return result
