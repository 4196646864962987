"""Lines of several series: how each is painted, the numbers where they end, and the key to these.

Colours repeat after six, and dashes tell lines of one colour apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scalesheet.render.charts import GLYPH, LABEL_LINE, NARROW
from scalesheet.render.scatters import PLOT, TOP
from scalesheet.render.svg import label, px, share, text, wrapped

DISC, NEAR = 9, 19  # radius of a number at the end of a line, and how near two may be
EDGE = 1 - DISC / NARROW
GAP = 4  # between entries of the key
COLOURS = 6


def paint(series: int) -> str:
    """The classes of a line."""
    dashes = f" dashes-{series // COLOURS}" if series >= COLOURS else ""
    return f"line series-{series % COLOURS + 1}{dashes}"


def numbered(ends: Sequence[tuple[float, int]]) -> Iterator[str]:
    """A number at the height where each series ends, moved apart where two would meet."""
    rising = sorted(ends)
    near = min(NEAR, PLOT / max(1, len(rising)))
    heights: list[float] = []
    for y, _ in rising:
        heights.append(max(y, heights[-1] + near) if heights else y)
    floor = float(TOP + PLOT)
    for at in reversed(range(len(heights))):
        heights[at] = min(heights[at], floor)
        floor = heights[at] - near
    for y, (_, n) in zip(heights, rising, strict=True):
        place = f'cx="{share(EDGE)}" cy="{px(y)}" r="{DISC}"'
        yield f'<circle class="series-{n % COLOURS + 1} part" {place}/>'
        yield label(EDGE, y + 4, str(n + 1), "middle", "inside")


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
