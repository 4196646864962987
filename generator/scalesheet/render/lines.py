"""Lines on a plot: how each is drawn and painted, the numbers where they end, and the key to these.

Colours repeat after six, and dashes tell lines of one colour apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scalesheet.render.charts import GLYPH, LABEL_LINE, NARROW
from scalesheet.render.scatters import LEFT, PLOT, RIGHT, TOP, Axis
from scalesheet.render.svg import label, px, share, text, wrapped

DISC, NEAR = 9, 19  # radius of a number at the end of a line, and how near two may be
EDGE = 1 - DISC / NARROW
GAP = 4  # between entries of the key
COLOURS = 6


def paint(series: int) -> str:
    """The classes of a line."""
    dashes = f" dashes-{series // COLOURS}" if series >= COLOURS else ""
    return f"line series-{series % COLOURS + 1}{dashes}"


def stretched(content: Iterator[str]) -> Iterator[str]:
    """Lines and areas of the plot, in a picture of their own that stretches with the page."""
    yield (
        f'<svg class="plot" x="{share(LEFT)}" y="{TOP}" width="{share(1 - LEFT - RIGHT)}" '
        f'height="{PLOT}" viewBox="0 0 1000 1000" preserveAspectRatio="none">'
    )
    yield from content
    yield "</svg>"


def stroke(kind: str, x: Axis, y: Axis, points: Sequence[tuple[float, float]]) -> str:
    """A line through points, in a picture that is stretched."""
    at = _points(x, y, points)
    return f'<polyline class="{kind}" vector-effect="non-scaling-stroke" points="{at}"/>'


def area(kind: str, x: Axis, y: Axis, points: Sequence[tuple[float, float]]) -> str:
    """The area between points, in a picture that is stretched."""
    return f'<polygon class="{kind}" points="{_points(x, y, points)}"/>'


def _points(x: Axis, y: Axis, points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{px(x.at(a) * 1000)},{px((1 - y.at(b)) * 1000)}" for a, b in points)


def numbered(ends: Sequence[tuple[float, int]]) -> Iterator[str]:
    """A number at the height where each series ends, moved apart where two would meet."""
    rising = sorted(ends)
    near = min(NEAR, PLOT / max(1, len(rising)))
    heights = apart([y for y, _ in rising], near, TOP, TOP + PLOT)
    for y, (_, n) in zip(heights, rising, strict=True):
        place = f'cx="{share(EDGE)}" cy="{px(y)}" r="{DISC}"'
        yield f'<circle class="series-{n % COLOURS + 1} part" {place}/>'
        yield label(EDGE, y + 4, str(n + 1), "middle", "inside")


def apart(heights: Sequence[float], near: float, least: float, most: float) -> list[float]:
    """Rising heights moved as little as possible so that none is nearer than `near` to the next:
    those that would meet stand around their middle."""
    groups: list[list[float]] = []  # of each: the sum of where its first should be, and its number
    for n, height in enumerate(heights):
        groups.append([height - n * near, 1])
        while len(groups) > 1 and groups[-2][0] * groups[-1][1] > groups[-1][0] * groups[-2][1]:
            total, count = groups.pop()
            groups[-1] = [groups[-1][0] + total, groups[-1][1] + count]
    firsts = [total / count for total, count in groups for _ in range(int(count))]
    top = most - (len(heights) - 1) * near
    return [min(max(first, least), top) + n * near for n, first in enumerate(firsts)]


def numbers_key(entries: Sequence[tuple[str, str]], top: int) -> tuple[list[str], int]:
    """What each number is: its name, and below it what is told of it. With the height."""
    lines = []
    for n, (name, told) in enumerate(entries):
        kind = f"series-{n % COLOURS + 1} part"
        lines.append(f'<circle class="{kind}" cx="9" cy="{top + 8}" r="{DISC}"/>')
        lines.append(
            f'<text class="inside" x="9" y="{top + 12}" text-anchor="middle">{n + 1}</text>'
        )
        for kind, said in (("label", name), ("muted", told)):
            for part in wrapped(said, int(NARROW / GLYPH) - 4) if said else ():
                lines.append(f'<text class="{kind}" x="24" y="{top + 12}">{text(part)}</text>')
                top += LABEL_LINE
        top += GAP
    return lines, top + 4
