"""The error of each published row, by family, as plain data that `live/strip_plot.js` draws."""

from __future__ import annotations

import math
from collections.abc import Mapping

from scalesheet.frozen import dataclass
from scalesheet.predict.score import TaskScore
from scalesheet.render.scores import error, figure


@dataclass(frozen=True, slots=True)
class Family:
    """The dots of a family: the error of each, with its tooltip."""

    name: str
    median: str
    dots: tuple[tuple[float, str], ...]


@dataclass(frozen=True, slots=True)
class StripPlot:
    """A strip plot. Dots are logarithms of ratios, or differences on an `even` axis."""

    id: str
    title: str
    axis: str
    families: tuple[Family, ...]
    even: bool


def strip_plot(score: TaskScore, titles: Mapping[str, str]) -> StripPlot:
    """Plot a score: logarithms of ratios, or differences in nat for losses.

    `titles` are those of families.
    """
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
        Family(
            titles.get(name, name), error(task, unseen[name].median), tuple(sorted(by_family[name]))
        )
        for name in unseen
    )
    axis = "prediction − published (nat/token)" if even else "prediction / published"
    return StripPlot(f"strips-{task}", "Error of each row, by family", axis, families, even)
