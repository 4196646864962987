"""Lines on two axes, as plain data that `live/lines.js` draws."""

from __future__ import annotations

from dataclasses import dataclass

from scalesheet.numbers import Format

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Line:
    """A line in one part or several; `told` are its numbers in words, `end` is the number that it
    still has where it ends, and `names` are those of points, beside which they stand."""

    label: str
    told: str
    runs: tuple[tuple[Point, ...], ...]
    end: float | None
    names: tuple[tuple[float, float, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Lines:
    """What is drawn: the titles of both axes, the ticks of the first, and the format of the second;
    without a format its numbers are in short, as 10M."""

    id: str
    title: str
    alt: str
    axes: tuple[str, str]
    ticks: tuple[tuple[float, str], ...]
    format: Format | None
    lines: tuple[Line, ...]
