"""Published figures against predictions as static SVG: each row a point, right on the diagonal.

The lines beside the diagonal hold nine of ten rows. What lies farthest off has its name.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scalesheet.numbers import Format
from scalesheet.predict.score import TaskScore
from scalesheet.render.charts import NARROW
from scalesheet.render.lines import stretched, stroke
from scalesheet.render.scatters import LEFT, PLOT, RIGHT, TOP, Axis, Side, axis, plot, rooms
from scalesheet.render.scores import error, figure, unit_shown
from scalesheet.render.svg import framed, px, round_step, share, text

HEIGHT = TOP + PLOT + 44
NAMED = 4  # rows that are farthest off
DOT = 3.5  # radius
SIDES: tuple[Side, ...] = ((7, 4, "start"), (-7, 4, "end"), (0, -8, "middle"), (0, 16, "middle"))


@dataclass(frozen=True, slots=True)
class Row:
    """A published figure and its prediction by a fit that has not seen its family."""

    name: str
    truth: float
    made: float
    off: float


@dataclass(frozen=True, slots=True)
class Against:
    """What is drawn: both axes reach equally far, so that right is on the diagonal.

    `within` is the error that nine of ten rows do not exceed: a factor, or of losses in nat.
    """

    task: str
    title: str
    x: Axis
    y: Axis
    rows: tuple[Row, ...]
    within: float
    median: float


def against(score: TaskScore) -> Against:
    """The rows that are scored, with their predictions."""
    data, task = score.published, score.task
    rows = tuple(
        Row(
            data.rows[n].words.get("model", data.rows[n].id),
            float(data.truth[n]),
            float(score.left_out.predicted[n]),
            float(score.error[n]),
        )
        for n in range(len(data.rows))
        if score.counted[n]
    )
    values = [n for row in rows for n in (row.truth, row.made)]
    across, up = axes(task, values, ("Published", "Predicted"))
    return Against(
        task, "Predicted against published", across, up, rows, score.unseen.p90, score.unseen.median
    )


def axes(task: str, values: Sequence[float], titles: tuple[str, str]) -> tuple[Axis, Axis]:
    """Both axes for these numbers, in the unit of the task."""
    across, up = (_axis(f"{title} ({unit_shown(task)})", values, task) for title in titles)
    return across, up


def _axis(title: str, values: Sequence[float], task: str) -> Axis:
    """From at most the least to at least the greatest; of losses, which differ by little, even."""
    if task == "loss":
        least, greatest = min(values), max(values)
        step = round_step((greatest - least) / 4 or 1.0)
        first, last = math.floor(least / step), math.ceil(greatest / step)
        ticks = [float(f"{n * step:.12g}") for n in range(first, last + 1)]
        return Axis(title, tuple((tick, f"{tick:g}") for tick in ticks))
    made = axis(title, values, Format())
    short = tuple((tick, _short(task, tick)) for tick, _ in made.ticks)
    return Axis(title, short, made.log)


def _short(task: str, tick: float) -> str:
    """`0.5`, `100k`, `10M`, in the unit in which the task is shown."""
    shown = float(figure(task, tick).replace(",", ""))
    for least, scale, letter in ((1e9, 1e9, "B"), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if shown >= least:
            return f"{shown / scale:g}{letter}"
    return f"{shown:,g}"


def against_svg(drawing: Against) -> str:
    """The picture as text: the same drawing gives the same bytes."""
    name = f"against-{drawing.task}"
    lines = [
        *plot(drawing.x, drawing.y),
        *stretched(_diagonals(drawing)),
        *_points(drawing),
    ]
    return framed("scatter", name, HEIGHT, drawing.title, description(drawing), lines)


def description(drawing: Against) -> str:
    """The picture in words: how many rows, and how far off they are."""
    far = "; ".join(
        f"{row.name}: {figure(drawing.task, row.made)} for {figure(drawing.task, row.truth)}"
        for row in _farthest(drawing)
    )
    return (
        f"{len(drawing.rows)} rows. Median error {error(drawing.task, drawing.median)}, 9 of 10 "
        f"within {error(drawing.task, drawing.within)}. Farthest off: {far}."
    )


def _farthest(drawing: Against) -> list[Row]:
    return sorted(drawing.rows, key=lambda row: -row.off)[:NAMED]


def _diagonals(drawing: Against) -> Iterator[str]:
    ends = (drawing.x.ticks[0][0], drawing.x.ticks[-1][0])
    yield stroke("diagonal", drawing.x, drawing.y, [(end, end) for end in ends])
    for side in (1, -1):
        moved = [_moved(drawing, end, side) for end in ends]
        yield stroke("diagonal aside", drawing.x, drawing.y, [*zip(ends, moved, strict=True)])


def _moved(drawing: Against, figure_: float, side: int) -> float:
    if drawing.task == "loss":
        return figure_ + side * drawing.within
    return figure_ * drawing.within**side


def _points(drawing: Against) -> Iterator[str]:
    places = {id(row): _place(drawing, row) for row in drawing.rows}
    for x, y in places.values():
        yield f'<circle class="dot" cx="{share(x)}" cy="{px(y)}" r="{DOT}"/>'
    far = _farthest(drawing)
    wanted = [(str(n), *places[id(row)], row.name) for n, row in enumerate(far)]
    taken = [(x * NARROW - DOT, y - DOT, x * NARROW + DOT, y + DOT) for x, y in places.values()]
    for key, (dx, dy, anchor) in rooms(wanted, taken, SIDES).items():
        x, y = places[id(far[int(key)])]
        yield (
            f'<text class="name" x="{share(x)}" y="{px(y + dy)}" dx="{dx}" '
            f'text-anchor="{anchor}">{text(far[int(key)].name)}</text>'
        )


def _place(drawing: Against, row: Row) -> tuple[float, float]:
    x = LEFT + drawing.x.at(row.truth) * (1 - LEFT - RIGHT)
    return x, TOP + (1 - drawing.y.at(row.made)) * PLOT
