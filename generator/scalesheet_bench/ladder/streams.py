"""Memory bandwidth as STREAM measures it. Only the child imports this."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from scalesheet_bench.ladder.rates import Rate, What, rate_of
from scalesheet_bench.ladder.timing import Budget, repeated

#: STREAM requires arrays of at least four times the caches.
BEYOND = 4
SMALLEST = {"cpu": 1 << 27}  # bytes of an array
LARGE = 1 << 30
#: The three arrays take at most this share of free memory.
SHARE = 0.5
ELEMENT = 4  # bytes
FACTOR = 3.0


def streams(
    device: str,
    budget: Budget,
    free: float,
    caches: int,
    wait: Callable[[], object],
) -> Iterator[Rate]:
    """Yield byte/s of copy (a = b) and triad (a = b + 3 c) over arrays far larger than the caches.

    It counts what the program reads and writes, two and three arrays, but not what a cache reads
    before a write.
    """
    size = max(SMALLEST.get(device, LARGE), BEYOND * caches)
    if 3 * size > SHARE * free:
        raise MemoryError(
            f"three arrays of {size / 2**20:,.0f} MiB, which is {BEYOND} times the caches, are "
            f"more than {SHARE:.0%} of the {free / 2**20:,.0f} MiB that are free"
        )
    a, b, c = (torch.empty(size // ELEMENT, dtype=torch.float32, device=device) for _ in range(3))
    for array, value in (a, 0.0), (b, 1.0), (c, 2.0):
        array.fill_(value)  # by the threads that will read it

    def copy() -> Any:
        return a.copy_(b)

    def triad() -> Any:
        return torch.add(b, c, alpha=FACTOR, out=a)

    kinds: tuple[tuple[What, int, Callable[[], Any]], ...] = (
        ("copy", 2, copy),
        ("triad", 3, triad),
    )
    for at, (what, arrays, operation) in enumerate(kinds):
        seconds = repeated(operation, wait, budget.part(len(kinds) - at))
        yield rate_of(what, "", size, float(arrays * size), seconds)
    if (result := float(a[-1])) != 1.0 + FACTOR * 2.0:
        raise ArithmeticError(f"the triad gave {result:g}, expected {1.0 + FACTOR * 2.0:g}")
