"""Renders a plan as an Excel workbook in which every derived cell is a live formula.

Each formula is stored with the value that the evaluator gave it, so previews and readers that do
not compute show the same numbers. The same plan gives the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from scalesheet.diagnostics import Diagnostic
from scalesheet.edition import Edition
from scalesheet.model import Plan


@dataclass(frozen=True, slots=True)
class WorkbookReport:
    """What was written. With problems the file must not be published."""

    path: Path
    cells: int
    formulas: int
    sheets: tuple[str, ...]
    problems: tuple[Diagnostic, ...] = ()


def write_workbook(
    edition: Edition,
    plan: Plan,
    path: Path,
    *,
    sensitivity: bool = True,
    created: datetime | None = None,
) -> WorkbookReport:
    """Write the workbook of a plan of the edition.

    With `sensitivity` there is a sheet of it, and what moves the results most is in the Summary.
    `created` is what the file's properties say; the day of the edition unless given.
    """
    # late, so that names and layout can be asked for without loading XlsxWriter
    from scalesheet.render.workbook.write import write

    return write(edition, plan, path, sensitivity, created)


def write_workbooks(
    edition: Edition, folder: Path, created: datetime | None = None
) -> tuple[WorkbookReport, ...]:
    """Write the workbook of every plan into a new folder."""
    folder.mkdir()
    plans = edition.book.plans.values()
    return tuple(
        write_workbook(edition, plan, folder / f"{plan.id}.xlsx", created=created) for plan in plans
    )
