"""Renders a plan as an Excel workbook in which every derived cell is a live formula.

Each formula is stored with the value that the evaluator gave it, so previews and readers that do
not compute show the same numbers. The same plan gives the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from scalesheet.diagnostics import Diagnostic
from scalesheet.evaluate.sensitivity import Sensitivity
from scalesheet.model import Book, Plan
from scalesheet.values import Results


@dataclass(frozen=True, slots=True)
class WorkbookReport:
    """What was written. With problems the file must not be published."""

    path: Path
    cells: int
    formulas: int
    sheets: tuple[str, ...]
    problems: tuple[Diagnostic, ...] = ()


def write_workbook(
    book: Book,
    plan: Plan,
    results: Results,
    path: Path,
    *,
    edition_hash: str,
    created: datetime | None = None,
    sensitivity: Sensitivity | None = None,
) -> WorkbookReport:
    """Writes the plan's workbook. `results` are those of the book as it stands, no overrides.

    `created` is what its properties say; the day of the edition unless given. With a `sensitivity`
    there is a sheet of it, and what moves the results most is in the Summary.
    """
    # late, so that names and layout can be asked for without loading XlsxWriter
    from scalesheet.render.workbook.write import write

    return write(book, plan, results, path, edition_hash, created, sensitivity)
