"""Pairs of bars as static SVG: each component as recorded, and below it as predicted.

The two differ by colour and texture, and each bar has its number. What a prediction may be at least
and at most is a line below its bar.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scalesheet.numbers import MOST_DECIMALS, Format
from scalesheet.render.charts import BELOW, below, steps, told
from scalesheet.render.svg import framed, label, line, share, text, texture, textures

BAR, GAP = 11, 2  # height of a bar, and between the two of a pair
ROW = 56
SWATCH = 12


@dataclass(frozen=True, slots=True)
class Two:
    """A component: both numbers on the axis and as text, their ratio, the prediction's ends."""

    title: str
    recorded: float
    predicted: float
    recorded_text: str
    predicted_text: str
    ratio: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Pairs:
    """What is drawn. `sides` are what the two bars of each pair are."""

    id: str
    title: str
    axis: str
    sides: tuple[str, str]
    rows: tuple[Two, ...]


def pairs_svg(drawing: Pairs) -> str:
    """The picture as text: the same drawing gives the same bytes."""
    name = f"pairs-{drawing.id}"
    ends = [n for row in drawing.rows for n in (row.recorded, row.predicted, row.high or 0.0)]
    ticks = steps(ends)
    bottom = ROW * len(drawing.rows)
    lines = [line("grid", _at(ticks, tick), 0, _at(ticks, tick), bottom) for tick in ticks if tick]
    for n, row in enumerate(drawing.rows):
        lines += _row(row, ticks, n * ROW, name)
    lines += below(told(ticks, Format(MOST_DECIMALS)), drawing.axis, bottom)
    key = bottom + BELOW
    for n, side in enumerate(drawing.sides):
        x = share(n / 2)
        lines += _swatch(n, x, key + 2, str(SWATCH), SWATCH, name)
        lines.append(f'<text class="label" x="{x}" y="{key + 12}" dx="18">{text(side)}</text>')
    body = [*textures(name, 2), *lines]
    return framed("bars pairs", name, key + 20, drawing.title, description(drawing), body)


def description(drawing: Pairs) -> str:
    """The picture in words: both numbers of each component, and their ratio."""
    here, made = (side.lower() for side in drawing.sides)
    said = "; ".join(
        f"{row.title}: {here} {row.recorded_text}, {made} {row.predicted_text}, {row.ratio}"
        for row in drawing.rows
    )
    return f"{drawing.axis}. {said}."


def _at(ticks: list[float], value: float) -> float:
    return value / ticks[-1]


def _row(row: Two, ticks: list[float], top: int, name: str) -> Iterator[str]:
    """The component's name, its ratio, and its two bars."""
    yield label(0, top + 14, row.title, "start")
    said = f"{row.recorded_text} → {row.predicted_text}"
    shown = f'{text(said)} <tspan class="muted">{text(row.ratio)}</tspan>'
    yield label(1, top + 14, shown, "end", "value", raw=True)
    y = top + 20
    yield line("axis", 0, y - 2, 0, y + 2 * BAR + GAP + 2)
    for n, value in enumerate((row.recorded, row.predicted)):
        if value > 0:
            yield from _swatch(n, "0%", y, share(_at(ticks, value)), BAR, name)
        y += BAR + GAP
    if row.low is not None and row.high is not None and row.low < row.high:
        low, high, at = _at(ticks, row.low), _at(ticks, row.high), y + 3
        yield line("whisker", low, at, high, at)
        yield from (line("whisker", x, at - 3, x, at + 3) for x in (low, high))


def _swatch(n: int, x: str, y: int, width: str, height: int, name: str) -> Iterator[str]:
    """The colour of a side, and over that of the prediction its texture."""
    at = f'x="{x}" y="{y}" width="{width}" height="{height}"'
    yield f'<rect class="series-{n + 1} part" {at}/>'
    if n:
        yield f'<rect fill="{texture(name, n)}" {at}/>'
