"""Recorded runs of a plan, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from scalesheet.actuals.progress import Progress
from scalesheet.actuals.words import COLUMNS, cells, figures, total
from scalesheet.render.text.plan import aligned


def actuals_lines(progress: Progress, *, every: bool = False) -> list[str]:
    """One line per figure; with `every`, also the rows of the plan."""
    lines = ["", "Actuals", *aligned(list(figures(progress)), numbers=frozenset((1,)))]
    if every:
        rows: list[Sequence[str]] = [("", *COLUMNS)]
        rows += [(row.id, *cells(row)) for row in progress.rows]
        rows.append(("total", *total(progress)))
        numbers = frozenset(range(1, len(COLUMNS) + 1))
        lines += ["", "Actuals by row, in GPU h", *aligned(rows, numbers=numbers)]
    return lines
