"""How much regimes widen a prediction's range: FP8, long sequences, large clusters, fine-tuning.

A regime's standard deviation is fitted to the errors of held-out families, each counted once, if at
least SEVERAL families have such rows. One or two say little about the next, so the assumption
stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from scalesheet.predict.arrays import Array, Flags, Words, among, coded, each
from scalesheet.predict.cases import Cases
from scalesheet.predict.fits import ROWS_ON
from scalesheet.predict.fits.holdout import COVERAGE, sizes
from scalesheet.predict.fits.pooling import Expected
from scalesheet.vocabulary import chip

LARGE, LONG = 256, 8192  # accelerators, and tokens per sequence, above which rows are rare
SEVERAL = 3
ROUNDS = 4

#: Keyed by coefficient. The component uses the same conditions.
_IS_OF: Mapping[str, Callable[[Cases], Flags]] = {
    "in_fp8": lambda cases: among(cases.precision, "fp8"),
    "in_long": lambda cases: cases.sequence > LONG,
    "in_large": lambda cases: cases.gpus > LARGE,
    "in_tuning": lambda cases: among(cases.method, "full", "lora", "qlora", "adapter"),
}
#: The regimes of each task. Memory per accelerator does not depend on the cluster's size, and
#: errors of whole runs do not grow in any regime.
REGIMES: Mapping[str, tuple[str, ...]] = {
    "runs": (),
    "throughput": ("in_fp8", "in_long", "in_large", "in_tuning"),
    "memory": ("in_fp8", "in_long", "in_tuning"),
}


def regimes_of(cases: Cases) -> Array:
    """Whether each row belongs to each regime of its task, 1 or 0."""
    flags = [_IS_OF[name](cases) for name in REGIMES[cases.task]]
    return np.array(flags, dtype=np.float64).reshape(len(flags), len(cases)).T


def fitted(
    task: str, usual: Expected, off: Array, wide: Array, rows: Array, family: Words
) -> dict[str, float]:
    """Fit the standard deviation that each regime adds: the most likely value of a grid.

    `off` and `wide`: log errors of held-out families, and their standard deviation without regimes.
    `rows`: one column per regime.
    """
    weight = 1 / sizes(family)
    added = np.full(rows.shape[1], usual.adds)

    def unlikely(place: int, value: float) -> float:
        trial = np.where(np.arange(len(added)) == place, value, added)
        return _unlikely(weight, off, wide**2 + rows @ trial**2)

    places = [n for n, of in enumerate(rows.T) if len(set(family[of > 0].tolist())) >= SEVERAL]
    for _ in range(ROUNDS):
        before = added.copy()
        for place in places:
            added[place] = _best(usual, partial(unlikely, place))
        if (added == before).all():
            break
    return dict(zip(REGIMES[task], added.tolist(), strict=True))


def _unlikely(weight: Array, off: Array, variance: Array) -> float:
    return float(weight @ (off**2 / variance + np.log(variance)))


def _best(usual: Expected, unlikely: Callable[[float], float]) -> float:
    """The most likely value of a grid around what is assumed."""

    def whole(value: float) -> float:
        return unlikely(value) + float(np.log(value / usual.adds) / usual.unsure) ** 2

    return min(_grid(usual), key=whole)


def _grid(usual: Expected) -> list[float]:
    return [usual.adds * float(step) for step in np.geomspace(1 / 8, 4, 61)]


# ------------------------------------------------------------------ accelerators


def chips(cases: Cases) -> Words:
    return each(cases.accelerator, chip)


def of_new_chips(
    usual: Expected, ends: tuple[float, float], off: Array, wide: Array, chip: Words
) -> dict[str, float]:
    """The standard deviation that a chip without rows adds, and the number of rows of the others.

    It is the least of a grid with which the interval holds COVERAGE of the errors of chips that are
    left out, each counted once. `off` and `wide`: their log errors, and their standard deviation
    without this.
    """
    names, rows = np.unique(chip.astype(str), return_counts=True)
    new = usual.adds
    if len(names) >= SEVERAL:
        weight = 1 / sizes(chip)

        def held(value: float) -> float:
            error = off / np.sqrt(wide**2 + value**2)
            inside = (ends[0] <= error) & (error <= ends[1])
            return float(weight @ inside / weight.sum())

        new = next((value for value in _grid(usual) if held(value) >= COVERAGE), _grid(usual)[-1])
    counts = zip(names.tolist(), rows.tolist(), strict=True)
    return {"new_chip": new, **{ROWS_ON + name: float(count) for name, count in counts}}


def rows_on(cases: Cases, fitted: Mapping[str, float]) -> Array:
    """How many rows of the fit are on each row's chip."""
    return coded(chips(cases)).numbers(lambda name: fitted.get(ROWS_ON + name, 0.0))


def alone(chip: Words, family: Words) -> Flags:
    """Rows whose chip is in no other family."""
    pairs = set(zip(chip.tolist(), family.tolist(), strict=True))
    named = Counter(name for name, _ in pairs)
    return np.array([named[name] < 2 for name in chip.tolist()], dtype=bool)


def wider(task: str, wide: Array, rows: Array, fitted: Mapping[str, float]) -> Array:
    """The standard deviation of each row, including its regimes."""
    added = np.array([fitted[name] for name in REGIMES[task]])
    result: Array = np.sqrt(wide**2 + rows @ added**2)
    return result
