"""Figures and their predictions, as plain data that `live/parity.js` draws."""

from __future__ import annotations

from collections.abc import Sequence

from scalesheet.frozen import dataclass
from scalesheet.predict.score import TaskScore
from scalesheet.predict.score.truth import Published
from scalesheet.render.scores import error, figure, shown, unit_shown
from scalesheet.vocabulary import METHODS

NOT_STATED = "not stated"
NAMED = 4  # rows farthest off that get a label


@dataclass(frozen=True, slots=True)
class ParityPoint:
    """A figure and its prediction by a fit that has not seen its family."""

    name: str
    truth: float
    made: float
    off: float
    facets: tuple[str, ...] = ()  # accelerator, method and family, where points can be filtered


@dataclass(frozen=True, slots=True)
class ParityPlot:
    """A scatter plot of figures and predictions, in the unit in which the task is shown.

    Points are sorted by error, largest first; `names` label the first of them. `within` is the
    error that 90 % of points do not exceed: a factor, or, on `even` axes (losses), a difference.
    """

    id: str
    title: str
    told: str
    axes: tuple[str, str]
    points: tuple[tuple[float, float], ...]
    names: tuple[str, ...]
    within: float
    even: bool
    dots: tuple[tuple[str, ...], ...] = ()  # for each point, its tooltip and facets
    errors: tuple[float, ...] = ()  # one for each point


def parity_plot(score: TaskScore) -> ParityPlot:
    """Plot the rows that are scored, with their predictions."""
    data = score.published
    rows = [
        ParityPoint(
            data.rows[n].words.get("model", data.rows[n].id),
            float(data.truth[n]),
            float(score.left_out.predicted[n]),
            float(score.error[n]),
            _facets(data, n),
        )
        for n in range(len(data.rows))
        if score.counted[n]
    ]
    sides = ("Published", "Predicted")
    title = "Predicted vs. published"
    return parity_plot_of(score.task, title, sides, rows, (score.unseen.median, score.unseen.p90))


def _facets(data: Published, row: int) -> tuple[str, ...]:
    """Accelerator, method and family of a row, as it states them."""
    cases, words = data.cases, data.rows[row].words
    accelerator = str(cases.accelerator[row] or words.get("hardware", "") or NOT_STATED)
    method = str(cases.method[row] or NOT_STATED)
    titles = {name: each.title for name, each in METHODS.items()}
    return accelerator, titles.get(method, method), data.rows[row].family


def parity_plot_of(
    task: str,
    title: str,
    sides: tuple[str, str],
    rows: Sequence[ParityPoint],
    errors: tuple[float, float],
) -> ParityPlot:
    """Build the plot of some rows; `errors` are the median and the 90th percentile."""
    median, within = errors
    ranked = sorted(rows, key=lambda row: -row.off)
    far = "; ".join(
        f"{row.name}: {figure(task, row.made)} for {figure(task, row.truth)}"
        for row in ranked[:NAMED]
    )
    return ParityPlot(
        f"against-{task}",
        title,
        f"{len(rows)} rows. Median error {error(task, median)}, 9 of 10 "
        f"within {error(task, within)}. Farthest off: {far}.",
        (f"{sides[0]} ({unit_shown(task)})", f"{sides[1]} ({unit_shown(task)})"),
        tuple((shown(task, row.truth), shown(task, row.made)) for row in ranked),
        tuple(row.name for row in ranked[:NAMED]),
        within,
        even=task == "loss",
        dots=tuple((_hover(task, row), *row.facets) for row in ranked),
        errors=tuple(row.off for row in ranked),
    )


def _hover(task: str, row: ParityPoint) -> str:
    where = f" on {row.facets[0]}" if row.facets and row.facets[0] != NOT_STATED else ""
    return (
        f"{row.name}{where}: {figure(task, row.made)} {unit_shown(task)} predicted, "
        f"{figure(task, row.truth)} published, {error(task, row.off)}"
    )
