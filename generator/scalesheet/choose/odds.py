"""The chance of each candidate to be the cheapest, and the regret of choosing it.

Each cost is as uncertain as its range. Costs with the same accelerator and method err together,
because one prediction gives both; others err independently, because no published run compares them.
`render/live/odds.js` computes the same in a page.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scalesheet.frozen import dataclass
from scalesheet.sure.shapes import Array, between, normal
from scalesheet.values import Value

POINTS = 256  # equally likely points in each range


@dataclass(frozen=True, slots=True)
class Odds:
    """The chance to be the cheapest, shared between equal costs; and the regret: how much more than
    the cheapest it costs on average, in the unit of the costs.
    """

    chance: float
    regret: float


def odds(costs: Sequence[tuple[str, Value]]) -> tuple[Odds | None, ...]:
    """The odds of each cost, given with the name of what it errs with; None without a number."""
    z = normal((np.arange(POINTS) + 0.5) / POINTS)
    known = [(name, each) for name, each in costs if isinstance(each.value, float)]
    if not known:
        return tuple(None for _ in costs)
    made = np.array([between(each.low, each.value, each.high, z) for _, each in known])
    groups: dict[str, list[int]] = {}
    for at, (name, _) in enumerate(known):
        groups.setdefault(name, []).append(at)
    least = {name: made[of].min(axis=0) for name, of in groups.items()}
    first = np.empty_like(made)
    for name, of in groups.items():
        ties = made[of] <= least[name] * (1 + 1e-9)
        others = [_above(np.sort(least[other]), least[name]) for other in groups if other != name]
        first[of] = ties / ties.sum(axis=0) * np.prod([np.ones(POINTS), *others], axis=0)
    first /= first.sum()
    cheapest = float((first * made).sum())
    found = iter(map(Odds, first.sum(axis=1).tolist(), (made.mean(axis=1) - cheapest).tolist()))
    return tuple(next(found) if isinstance(cost.value, float) else None for _, cost in costs)


def _above(rising: Array, costs: Array) -> Array:
    """The chance that one of these equally likely values exceeds each cost; ties count half."""
    last = np.searchsorted(rising, costs * (1 + 1e-9), side="right")
    before = np.searchsorted(rising, costs * (1 - 1e-9), side="left")
    return np.asarray(1 - (last + before) / 2 / len(rising))
