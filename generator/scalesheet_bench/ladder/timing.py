"""Timing: repetitions of an operation within a budget of seconds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

#: A repetition takes at least so long, by doing the operation several times, so that neither the
#: clock nor the waiting for the device counts.
SHORTEST = 0.01
MOST = 60  # repetitions


@dataclass
class Budget:
    """Seconds that are left, by the clock."""

    seconds: float

    def __post_init__(self) -> None:
        self.ends = perf_counter() + self.seconds

    @property
    def left(self) -> float:
        return self.ends - perf_counter()

    def part(self, of: int) -> Budget:
        """The share of what is left, with `of` things still to do."""
        return Budget(max(0.0, self.left) / max(1, of))


def repeated(
    operation: Callable[[], object], wait: Callable[[], object], budget: Budget
) -> list[float]:
    """Seconds of one operation, by repetition. The first two calls warm up and are not counted.

    `wait` returns when the device has done all that it was asked for. At most MOST repetitions
    come back, fewer where the budget ends first, and at least one.
    """

    def timed(times: int) -> float:
        begun = perf_counter()
        for _ in range(times):
            operation()
        wait()
        return (perf_counter() - begun) / times

    timed(1)
    times = max(1, math.ceil(SHORTEST / max(timed(1), 1e-9)))
    result = [timed(times)]
    while len(result) < MOST and budget.left > result[-1] * times:
        result.append(timed(times))
    return result
