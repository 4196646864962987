"""Lines on two axes, as plain data that `live/lines.js` draws."""

from __future__ import annotations

from scalesheet.frozen import dataclass
from scalesheet.numbers import Format

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Line:
    """A line in one or more parts.

    `told` has its numbers in words; `end` is the value where it ends, if it still has one; `names`
    label single points.
    """

    label: str
    told: str
    runs: tuple[tuple[Point, ...], ...]
    end: float | None
    names: tuple[tuple[float, float, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Lines:
    """A line chart: the titles of both axes, the ticks of the first, and the format of the second.

    Without a format, numbers are abbreviated, as in 10M.
    """

    id: str
    title: str
    alt: str
    axes: tuple[str, str]
    ticks: tuple[tuple[float, str], ...]
    format: Format | None
    lines: tuple[Line, ...]
