"""Times repetitions of an operation within a budget of seconds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

#: A repetition takes at least this long, by doing the operation several times, so that neither the
#: clock nor waiting for the device matters.
SHORTEST = 0.01
MOST = 60  # repetitions


@dataclass
class Budget:
    """A time budget."""

    seconds: float

    def __post_init__(self) -> None:
        self.ends = perf_counter() + self.seconds

    @property
    def left(self) -> float:
        return self.ends - perf_counter()

    def part(self, of: int) -> Budget:
        """An equal share of the remaining time, for `of` remaining tasks."""
        return Budget(max(0.0, self.left) / max(1, of))


def repeated(
    operation: Callable[[], object], wait: Callable[[], object], budget: Budget
) -> list[float]:
    """Seconds of one operation, for each repetition. The first two calls warm up and do not count.

    `wait` returns when the device has finished. Returns at most MOST repetitions, fewer if the
    budget ends first, but at least one.
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
