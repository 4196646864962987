"""Several curves on two axes as static SVG: each ends in a number, which the key below explains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scalesheet.render.lines import numbered, numbers_key, paint, stretched, stroke
from scalesheet.render.scatters import PLOT, TOP, Axis, plot
from scalesheet.render.svg import framed

KEY = 44  # where the key begins below the plot


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve by its points, rising along the page; `told` are its numbers in words."""

    label: str
    points: tuple[tuple[float, float], ...]
    told: str


@dataclass(frozen=True, slots=True)
class Curves:
    """What is drawn."""

    id: str
    title: str
    x: Axis
    y: Axis
    curves: tuple[Curve, ...]


def curves_svg(drawing: Curves) -> str:
    """The picture as text: the same drawing gives the same bytes."""
    name = f"chart-{drawing.id}"
    ends = [
        (TOP + (1 - drawing.y.at(curve.points[-1][1])) * PLOT, n)
        for n, curve in enumerate(drawing.curves)
    ]
    key, height = numbers_key([(c.label, c.told) for c in drawing.curves], TOP + PLOT + KEY)
    lines = [*plot(drawing.x, drawing.y), *stretched(_lines(drawing)), *numbered(ends), *key]
    return framed("scatter", name, height, drawing.title, description(drawing), lines)


def description(drawing: Curves) -> str:
    """The picture in words: every curve with its numbers."""
    told = "; ".join(f"{curve.label}: {curve.told}" for curve in drawing.curves)
    return f"{drawing.y.title} by {drawing.x.title}. {told}."


def _lines(drawing: Curves) -> Iterator[str]:
    for n, curve in enumerate(drawing.curves):
        yield stroke(paint(n), drawing.x, drawing.y, curve.points)
