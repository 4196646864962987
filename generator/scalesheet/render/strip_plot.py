"""How far each published row is off, by family, as plain data that `live/strip_plot.js` draws."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scalesheet.predict.score import TaskScore
from scalesheet.render.scores import error, figure


@dataclass(frozen=True, slots=True)
class Family:
    """The dots of a family: how far each is off, and what is said of it."""

    name: str
    median: str
    dots: tuple[tuple[float, str], ...]


@dataclass(frozen=True, slots=True)
class StripPlot:
    """What is drawn. Dots are logarithms of ratios, or on an `even` axis differences."""

    id: str
    title: str
    axis: str
    families: tuple[Family, ...]
    even: bool


def strip_plot(score: TaskScore) -> StripPlot:
    """The dots of a score: logarithms of ratios, or of losses differences in nat."""
    data, task = score.published, score.task
    even = task == "loss"
    by_family: dict[str, list[tuple[float, str]]] = {}
    for place in range(len(data.rows)):
        if not score.counted[place]:
            continue
        truth, made = float(data.truth[place]), float(score.left_out.predicted[place])
        off = made - truth if even else math.log2(made / truth)
        row = data.rows[place]
        label = f"{row.words.get('model', row.id)}: {figure(task, made)} for {figure(task, truth)}"
        by_family.setdefault(row.family, []).append((off, label))
    unseen = score.groups["family"]
    families = tuple(
        Family(name, error(task, unseen[name].median), tuple(sorted(by_family[name])))
        for name in unseen
    )
    axis = "prediction − published (nat/token)" if even else "prediction / published"
    return StripPlot(f"strips-{task}", "Error of each row, by family", axis, families, even)
