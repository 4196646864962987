"""Points on two axes as static SVG, of which less is better: those that no other beats stand out.

What is on the frontier is numbered, joined, and told below; other points have their names where
there is room on a phone. An axis whose greatest number is ten times the least or more is
logarithmic. A page's script draws the same (`live/scatters.js`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from scalesheet.numbers import Format, number
from scalesheet.render.charts import GLYPH, LABEL_LINE, NARROW, Mark, steps, told
from scalesheet.render.svg import framed, label, line, px, share, text, wrapped

TOP, PLOT = 26, 240  # where the plot begins, and its height
LEFT, RIGHT = 0.14, 0.04  # of the width, beside the plot
DOT, DISC = 4.5, 9  # radius of a point, and of one on the frontier
GAP = 4  # between entries of the key
LOGARITHMIC = 10
MOST_TICKS = 6
FRONTIER = "On the frontier, where less of one means more of the other:"


@dataclass(frozen=True, slots=True)
class Point:
    """A point: its name, and its place on both axes with what is told of it."""

    id: str
    label: str
    x: Mark
    y: Mark


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis. `ticks` start at the least and end at the greatest number of it."""

    title: str
    ticks: tuple[tuple[float, str], ...]
    log: bool = False

    def at(self, value: float) -> float:
        """Where a number lies, from 0 to 1."""
        least, greatest, place = (
            math.log10(n) if self.log else n for n in (self.ticks[0][0], self.ticks[-1][0], value)
        )
        return (place - least) / (greatest - least)


@dataclass(frozen=True, slots=True)
class Scattered:
    """What is drawn. `frontier` are the points on it by their x, `others` the rest, `left_out` the
    names of what has no place, with why."""

    id: str
    title: str
    alt: str
    x: Axis
    y: Axis
    frontier: tuple[Point, ...]
    others: tuple[Point, ...]
    left_out: tuple[str, ...] = ()

    def place(self, point: Point) -> tuple[float, float]:
        """Share of the width, and pixels from the top."""
        x, y = self.x.at(point.x.value or 0), self.y.at(point.y.value or 0)
        return LEFT + x * (1 - LEFT - RIGHT), TOP + (1 - y) * PLOT


def scattered(
    id_: str,
    title: str,
    alt: str,
    axes: tuple[str, str],
    formats: tuple[Format, Format],
    points: Sequence[Point],
) -> Scattered:
    """What is drawn of points; one without a number on either axis is left out, and said."""
    placed = [p for p in points if p.x.value is not None and p.y.value is not None]
    x, y = (
        axis(title, [mark.value for mark in marks if mark.value is not None], fmt)
        for title, marks, fmt in zip(
            axes, ([p.x for p in placed], [p.y for p in placed]), formats, strict=True
        )
    )
    best = frontier(placed)
    missing = [
        f"{p.label}: {p.x.text if p.x.value is None else p.y.text}"
        for p in points
        if p not in placed
    ]
    others = tuple(p for p in placed if p not in best)
    return Scattered(id_, title, alt, x, y, best, others, tuple(missing))


def frontier(points: Sequence[Point]) -> tuple[Point, ...]:
    """The points than which none is less on both axes, by their x; of equal ones the first."""
    found: list[Point] = []
    ordered = sorted(points, key=lambda p: (p.x.value or 0, p.y.value or 0))
    for point in ordered:
        if not found or (point.y.value or 0) < (found[-1].y.value or 0):
            found.append(point)
    return tuple(found)


def axis(title: str, values: Sequence[float], fmt: Format) -> Axis:
    """The axis that holds all these numbers."""
    least, greatest = min(values, default=0.0), max(values, default=0.0)
    if least <= 0 or greatest < LOGARITHMIC * least:
        return Axis(title, told(steps(values), fmt))
    for factors in ((1, 2, 5), (1,)):
        ticks = _log_ticks(least, greatest, factors)
        if len(ticks) <= MOST_TICKS:
            break
    return Axis(title, tuple((tick, _tick(tick, fmt)) for tick in ticks), log=True)


def _log_ticks(least: float, greatest: float, factors: Sequence[int]) -> list[float]:
    """1, 2 and 5 with noughts, from at most the least to at least the greatest."""
    first, last = math.floor(math.log10(least)), math.ceil(math.log10(greatest))
    every = [float(f"{f}e{power}") for power in range(first, last + 1) for f in factors]
    begin = max(n for n, tick in enumerate(every) if tick <= least)
    end = min(n for n, tick in enumerate(every) if tick >= greatest)
    return every[begin : end + 1]


def _tick(tick: float, fmt: Format) -> str:
    """A tick in the format with the decimals that it needs by itself."""
    decimals = max(0, -math.floor(math.log10(tick) + 1e-9) - (2 if fmt.percent else 0))
    return number(
        tick, Format(0 if fmt.scientific else decimals, fmt.percent, False, fmt.scientific)
    )


# ------------------------------------------------------------------ SVG


def scatter_svg(drawing: Scattered) -> str:
    """The picture as text: the same drawing gives the same bytes."""
    name, floor = f"chart-{drawing.id}", TOP + PLOT
    key, height = _key(drawing, floor + 44)
    lines = [
        *plot(drawing.x, drawing.y),
        *_stairs(drawing),
        *_others(drawing),
        *_best(drawing),
        *key,
    ]
    return framed("scatter", name, height, drawing.title, description(drawing), lines)


def description(drawing: Scattered) -> str:
    """The chart in words: every point, those on the frontier first."""
    said = [_told(p) for p in drawing.frontier]
    rest = "; ".join(_told(p) for p in drawing.others)
    also = f" Others: {rest}." if rest else ""
    missing = f" Without a place: {'; '.join(drawing.left_out)}." if drawing.left_out else ""
    axes = f"{drawing.x.title} and {drawing.y.title}"
    return f"{drawing.alt.rstrip('.')}. {axes}. {FRONTIER} {'; '.join(said)}.{also}{missing}"


def _told(point: Point) -> str:
    return f"{point.label}: {_numbers(point)}"


def _numbers(point: Point) -> str:
    both = (m.text + (f" ({m.range})" if m.range else "") for m in (point.x, point.y))
    return ", ".join(both)


def plot(x_axis: Axis, y_axis: Axis) -> Iterator[str]:
    """The two axes with their lines across the plot."""
    floor = TOP + PLOT
    yield label(0, 14, y_axis.title, "start", "muted")
    for tick, said in y_axis.ticks:
        y = floor - y_axis.at(tick) * PLOT
        yield line("axis" if y == floor else "grid", LEFT, y, 1, y)
        yield label(0, y + 4, said, "start", "muted")
    last, kept = len(x_axis.ticks) - 1, _with_room(x_axis)
    for n, (tick, said) in enumerate(x_axis.ticks):
        x = LEFT + x_axis.at(tick) * (1 - LEFT - RIGHT)
        yield line("axis" if n == 0 else "grid", x, TOP, x, floor)
        if n in kept:
            yield label(x, floor + 16, said, "end" if n == last else "middle", "muted")
    yield label(1, floor + 33, x_axis.title, "end", "muted")


def _with_room(x_axis: Axis) -> set[int]:
    """The ticks that have room for their numbers on a phone: both ends, and those between."""
    width, last = NARROW * (1 - LEFT - RIGHT), len(x_axis.ticks) - 1
    halves = [(len(said) + 1) * GLYPH / 2 for _, said in x_axis.ticks]
    kept, end, most = {0, last}, halves[0], width - 2 * halves[-1]
    for n in range(1, last):
        middle = x_axis.at(x_axis.ticks[n][0]) * width
        if middle - halves[n] >= end and middle + halves[n] <= most:
            kept.add(n)
            end = middle + halves[n]
    return kept


def _stairs(drawing: Scattered) -> Iterator[str]:
    """From each point of the frontier to the right, and down to the next."""
    places = [drawing.place(p) for p in drawing.frontier]
    for (x, y), (right, below) in pairwise(places):
        yield line("frontier", x, y, right, y)
        yield line("frontier", right, y, right, below)


def _others(drawing: Scattered) -> Iterator[str]:
    names = _named(drawing)
    for point in drawing.others:
        x, y = drawing.place(point)
        yield f'<g data-row="{text(point.id)}"><title>{text(_told(point))}</title>'
        yield f'<circle class="point" cx="{share(x)}" cy="{px(y)}" r="{DOT}"/>'
        if point.id in names:
            dx, dy, anchor = names[point.id]
            yield (
                f'<text class="muted" x="{share(x)}" y="{px(y + dy)}" dx="{dx}" '
                f'text-anchor="{anchor}">{text(point.label)}</text>'
            )
        yield "</g>"


def _best(drawing: Scattered) -> Iterator[str]:
    for n, point in enumerate(drawing.frontier):
        x, y = drawing.place(point)
        yield f'<g data-row="{text(point.id)}"><title>{text(_told(point))}</title>'
        yield f'<circle class="series-1 part" cx="{share(x)}" cy="{px(y)}" r="{DISC}"/>'
        yield label(x, y + 4, str(n + 1), "middle", "inside")
        yield "</g>"


#: Where a name may stand beside its point: pixels across and down, and its anchor.
Side = tuple[int, int, str]
SIDES: tuple[Side, ...] = ((9, 4, "start"), (-9, 4, "end"), (0, -9, "middle"), (0, 17, "middle"))
Box = tuple[float, float, float, float]


def _named(drawing: Scattered) -> dict[str, Side]:
    """The points that have room for their names, and on which side."""
    discs = ((DISC, drawing.frontier), (DOT, drawing.others))
    taken = [around(*drawing.place(p), radius) for radius, points in discs for p in points]
    return rooms([(p.id, *drawing.place(p), p.label) for p in drawing.others], taken, SIDES)


def around(x: float, y: float, radius: float) -> Box:
    """The box of a disc, on a phone."""
    return (x * NARROW - radius, y - radius, x * NARROW + radius, y + radius)


def rooms(
    wanted: Sequence[tuple[str, float, float, str]], taken: list[Box], sides: Sequence[Side]
) -> dict[str, Side]:
    """Of names at places those that have room on a phone, and on which side: what has room there
    has it on any wider page, since places spread and words do not. `taken` is what is in the way.
    """
    found: dict[str, Side] = {}
    for id_, x, y, name in wanted:
        wide = len(name) * GLYPH
        for dx, dy, anchor in sides:
            left = x * NARROW + dx - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
            box = (left, y + dy - 10, left + wide, y + dy + 3)
            across = box[0] >= LEFT * NARROW and box[2] <= NARROW
            inside = across and box[1] >= TOP - 6.5 and box[3] < TOP + PLOT
            if inside and not any(_meet(box, other) for other in taken):
                taken.append(box)
                found[id_] = (dx, dy, anchor)
                break
    return found


def _meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _key(drawing: Scattered, top: int) -> tuple[list[str], int]:
    """The points of the frontier by their numbers."""
    lines = []
    for n, point in enumerate(drawing.frontier):
        lines.append(f'<circle class="series-1 part" cx="9" cy="{top + 8}" r="{DISC}"/>')
        lines.append(
            f'<text class="inside" x="9" y="{top + 12}" text-anchor="middle">{n + 1}</text>'
        )
        for kind, said in (("label", point.label), ("muted", _numbers(point))):
            for part in wrapped(said, int(NARROW / GLYPH) - 4):
                lines.append(f'<text class="{kind}" x="24" y="{top + 12}">{text(part)}</text>')
                top += LABEL_LINE
        top += GAP
    return lines, top + 4
