"""Finds binding constraints: what relaxing each limit saves, or what prevents a solution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from scalesheet.choose.search import Search
from scalesheet.frozen import dataclass
from scalesheet.predict.arrays import Array, Flags

Limit = Literal["deadline", "memory", "accelerators"]
LIMITS: tuple[Limit, ...] = ("deadline", "memory", "accelerators")
#: Smaller savings are not mentioned.
WORTH = 0.02


@dataclass(frozen=True)
class Relaxed:
    """A row that only one limit excludes, and the share of the cost that it would save."""

    limit: Limit
    row: int
    saving: float


@dataclass(frozen=True)
class Miss:
    """A row that does not meet all limits, and the limits that it misses."""

    row: int
    limits: tuple[Limit, ...]


def relaxed(search: Search, best: int) -> tuple[Relaxed, ...]:
    """For each limit, the nearest row beyond it that costs less; largest saving first."""
    flags = _flags(search)
    out: list[Relaxed] = []
    for limit in LIMITS:
        others = _all(flags[name] for name in LIMITS if name != limit)
        cheaper = search.asked & (search.cost < search.cost[best] * (1 - WORTH))
        row = nearest(search, limit, ~flags[limit] & others & cheaper)
        if row is not None:
            out.append(Relaxed(limit, row, 1 - float(search.cost[row] / search.cost[best])))
    return tuple(sorted(out, key=lambda each: -each.saving))


def misses(search: Search) -> tuple[Miss, ...]:
    """The nearest misses if no row meets all limits: for each limit, the closest row that meets the
    others; if every row misses several limits, the row closest to all of them.
    """
    flags = _flags(search)
    out = []
    for limit in LIMITS:
        others = _all(flags[name] for name in LIMITS if name != limit)
        row = nearest(search, limit, search.asked & others & ~flags[limit])
        if row is not None:
            out.append(Miss(row, (limit,)))
    if out or not len(search.at):
        return tuple(out)
    excess = [_measure(search, limit) / _most(search, limit) for limit in LIMITS]
    worst = np.max(np.maximum(excess, 1.0), axis=0)
    worst[~search.asked] = np.inf
    row = search.best(worst <= worst.min() * (1 + 1e-9))
    assert row is not None
    return (Miss(row, tuple(name for name in LIMITS if not flags[name][row])),)


def _measure(search: Search, limit: Limit) -> Array:
    """The quantity that a limit applies to, by row."""
    if limit == "deadline":
        return search.late
    measure: Array = (search.most if limit == "memory" else search.grid.gpus)[search.at]
    return measure


def _most(search: Search, limit: Limit) -> Array | float:
    job = search.job
    if limit == "memory":
        return search.usable[search.at]
    return job.deadline if limit == "deadline" else job.most_gpus


def _flags(search: Search) -> Mapping[Limit, Flags]:
    return {"deadline": search.in_time, "memory": search.fits, "accelerators": search.few}


def _all(many: object) -> Flags:
    flags: Flags = np.all(list(many), axis=0)  # type: ignore[call-overload]  # flags of equal length
    return flags


def nearest(search: Search, limit: Limit, rows: Flags) -> int | None:
    """The cheapest of the rows that exceed a limit least; None if there are no rows."""
    if not rows.any():
        return None
    beyond = _measure(search, limit)
    least = beyond[rows].min()
    return search.best(rows & (beyond <= least * (1 + 1e-9)))
