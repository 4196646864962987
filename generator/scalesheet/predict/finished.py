"""Uses finished runs of plans like own records: actual over predicted time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scalesheet.actuals.progress import progress
from scalesheet.book import Book
from scalesheet.evaluate import evaluate
from scalesheet.model import Plan, Table
from scalesheet.values import Results, Value

#: Columns of a table whose rows are cases of `training-run`: what a factor is of, and what is
#: predicted of one run.
_CASES = {"gpu", "model", "gross_gpu_hours", "token_time"}
#: The factor that a prediction already has; it is taken out again.
_OWN = "own_time"


def finished(book: Book) -> Iterator[tuple[tuple[str, str, str], float]]:
    """Of each row of a plan that has finished runs: accelerator, model and trainer of the row, and
    the GPU hours that a run took over those that the published fit predicts."""
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
    """GPU hours of a run by the published fit alone; 0 where there are none."""
    hours, own = cells["gross_gpu_hours"].value, cells[_OWN].value if _OWN in cells else 1.0
    return hours / own if isinstance(hours, float) and isinstance(own, float) else 0.0
