"""Uses finished runs of plans as own records: actual over predicted time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scalesheet.actuals.progress import progress
from scalesheet.book import Book
from scalesheet.evaluate import evaluate
from scalesheet.model import Plan, Table
from scalesheet.values import Results, Value

#: Columns of a table whose rows are cases of `training-run`: what a factor applies to, and what is
#: predicted for one run.
_CASES = {"gpu", "model", "gross_gpu_hours", "token_time"}
#: The factor that a prediction already contains; it is divided out.
_OWN = "own_time"


def finished(book: Book) -> Iterator[tuple[tuple[str, str, str], float]]:
    """For each row of a plan with finished runs: its accelerator, model and trainer, and the GPU
    hours a run took divided by those the published fit predicts.
    """
    for plan in book.plans.values():
        table = plan.tables.get(plan.actuals.table) if plan.actuals else None
        if table is not None and table.columns.keys() >= _CASES:
            usual = book.components["training-run"].plan.scalars["trainer"].stated
            yield from _rows(plan, table, evaluate(book, plan), str(usual.value if usual else ""))


def _rows(
    plan: Plan, table: Table, results: Results, usual: str
) -> Iterator[tuple[tuple[str, str, str], float]]:
    stood = progress(plan, results)
    columns = results.tables[table.name]
    for row in stood.rows if stood else ():
        cells = {name: column[table.rows.index(row.id)] for name, column in columns.items()}
        predicted = _predicted(cells)
        if row.ratio and predicted:
            taken = row.ratio * row.planned / row.runs
            trainer = cells["trainer"].value if "trainer" in cells else usual
            yield (
                (str(cells["gpu"].value), str(cells["model"].value), str(trainer)),
                taken / predicted,
            )


def _predicted(cells: Mapping[str, Value]) -> float:
    """GPU hours by the published fit alone; 0 if unknown."""
    hours, own = cells["gross_gpu_hours"].value, cells[_OWN].value if _OWN in cells else 1.0
    return hours / own if isinstance(hours, float) and isinstance(own, float) else 0.0
