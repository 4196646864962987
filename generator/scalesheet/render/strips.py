"""Strips of dots as static SVG: each published row by how far its prediction is off, by family.

A dot on the line in the middle is right; to the right of it the prediction is too high.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scalesheet.predict.score import TaskScore
from scalesheet.render.charts import LABEL_LINE
from scalesheet.render.scores import error, figure
from scalesheet.render.svg import along, framed, label, line, px, round_step, share, text

STRIP = 40  # pixels of a family: its label, and its dots below
DOT = 4.5  # radius
EDGE = 0.03  # of the width, left free at both ends


@dataclass(frozen=True, slots=True)
class Strips:
    """What is drawn: for each family its dots, each with its place and what is said of it."""

    task: str
    title: str
    families: tuple[tuple[str, str, tuple[tuple[float, str], ...]], ...]
    ticks: tuple[tuple[float, str], ...]
    axis: str

    def at(self, place: float) -> float:
        """Where a place lies on the axis, from 0 to 1."""
        return along(self.ticks, place, EDGE)


def strips(score: TaskScore) -> Strips:
    """The dots of a score: logarithms of ratios, or of losses differences in nat."""
    data, task = score.published, score.task
    found: dict[str, list[tuple[float, str]]] = {}
    for place in range(len(data.rows)):
        if not score.counted[place]:
            continue
        truth, made = float(data.truth[place]), float(score.left_out.predicted[place])
        off = made - truth if task == "loss" else math.log2(made / truth)
        row = data.rows[place]
        said = f"{row.words.get('model', row.id)}: {figure(task, made)} for {figure(task, truth)}"
        found.setdefault(row.family, []).append((off, said))
    places = [off for dots in found.values() for off, _ in dots]
    unseen = score.groups["family"]
    families = tuple(
        (name, error(task, unseen[name].median), tuple(sorted(found[name]))) for name in unseen
    )
    ticks = _nats(places) if task == "loss" else _doublings(places)
    axis = "prediction − published (nat/token)" if task == "loss" else "prediction / published"
    return Strips(task, "How far each row is off, by family", families, ticks, axis)


def _doublings(places: Sequence[float]) -> tuple[tuple[float, str], ...]:
    reach = max(1, math.ceil(max(map(abs, places)) - 1e-9))
    names = {n: f"×{2**n}" if n >= 0 else f"×1/{2**-n}" for n in range(-reach, reach + 1)}
    return tuple((float(n), names[n]) for n in names)


def _nats(places: Sequence[float]) -> tuple[tuple[float, str], ...]:
    step = round_step(max(*map(abs, places), 1e-3) / 2)
    reach = math.ceil(max(map(abs, places)) / step)
    return tuple((n * step, f"{n * step:+g}" if n else "0") for n in range(-reach, reach + 1))


def strips_svg(drawing: Strips) -> str:
    """The picture as text: the same drawing gives the same bytes."""
    bottom = STRIP * len(drawing.families)
    middle = drawing.at(0.0)
    lines = [
        line("grid", drawing.at(tick), 0, drawing.at(tick), bottom)
        for tick, _ in drawing.ticks
        if tick
    ]
    lines.append(line("axis", middle, 0, middle, bottom))
    for place, (name, median, dots) in enumerate(drawing.families):
        top = place * STRIP
        lines.append(label(0, top + 14, f"{name} ({len(dots)})", "start"))
        lines.append(label(1, top + 14, median, "end", "value"))
        lines += [
            f'<circle class="series-1" cx="{share(drawing.at(off))}" cy="{px(top + 27)}" '
            f'r="{DOT}" fill-opacity="0.6"><title>{text(said)}</title></circle>'
            for off, said in dots
        ]
    for n, (tick, said) in enumerate(drawing.ticks):
        anchor = "start" if n == 0 else "end" if n == len(drawing.ticks) - 1 else "middle"
        lines.append(label(drawing.at(tick), bottom + LABEL_LINE, said, anchor, "muted"))
    lines.append(label(1, bottom + 2.2 * LABEL_LINE, drawing.axis, "end", "muted"))
    name = f"strips-{drawing.task}"
    return framed("bars strips", name, bottom + 40, drawing.title, description(drawing), lines)


def description(drawing: Strips) -> str:
    """The picture in words: each family with its number of rows and its median error."""
    told = (f"{name}: {len(dots)} rows, {median}" for name, median, dots in drawing.families)
    return f"Median error by family. {'; '.join(told)}."
