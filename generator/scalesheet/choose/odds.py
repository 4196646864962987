"""How likely each of several candidates is the cheapest, and what choosing it would cost too much.

The cost of each is drawn from its range. Those of one accelerator and method err alike, since one
prediction gives them; others err by themselves, since no published run compares them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scalesheet.sure.shapes import between
from scalesheet.sure.spread import standard
from scalesheet.values import Value


@dataclass(frozen=True, slots=True)
class Odds:
    """The chance to be the cheapest, where equal costs share it; and the regret: how much more than
    the cheapest it costs in the mean, in the unit of the costs."""

    chance: float
    regret: float


def odds(costs: Sequence[tuple[str, Value]]) -> tuple[Odds | None, ...]:
    """For each cost, with the name of what it errs with; None where it has no number."""
    drawn = [
        between(cost.low, cost.value, cost.high, standard(f"choose {name}"))
        for name, cost in costs
        if isinstance(cost.value, float)
    ]
    if not drawn:
        return tuple(None for _ in costs)
    each = np.array(drawn)
    least = each.min(axis=0)
    first = each <= least * (1 + 1e-9)
    chances = (first / first.sum(axis=0)).mean(axis=1).tolist()
    regrets = (each - least).mean(axis=1).tolist()
    found = iter(map(Odds, chances, regrets))
    return tuple(next(found) if isinstance(cost.value, float) else None for _, cost in costs)
