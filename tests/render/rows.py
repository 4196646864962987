"""Sort the rows of a workbook's tables: the formulas it would break, and the cells it changes."""

from __future__ import annotations

from pathlib import Path

from proof.office import Office
from scalesheet.book import Book
from scalesheet.model import Plan
from scalesheet.pull.sheets import Value, Workbook, address, read_workbook
from scalesheet.pull.tokens import meanings, pointed
from scalesheet.pull.where import Place, Where, locate
from scalesheet.render.workbook.layout import lay_out
from scalesheet.render.workbook.steps import stepped

BY_NUMBER = {"cell", "few", "id", "title"}


def by_number(path: Path, book: Book, plan: Plan) -> list[str]:
    """Formulas that refer to a cell in a table's rows by row number, outside their own row.

    Sorting the table would make such a reference point to another row."""
    workbook, where = _found(path, book, plan)
    plan = stepped(book, plan)
    means = meanings(workbook, where, plan.scalars, lay_out(book, plan).names)
    told = []
    for sheet in workbook.sheets.values():
        for (row, column), cell in sheet.cells.items():
            home = Place(sheet.name, row, column)
            for said, (kind, _), _ in pointed(cell.formula or "", home, means):
                if kind in BY_NUMBER:
                    told.append(f"{home} refers to {said}")
    return told


def sort_all(office: Office, path: Path, book: Book, plan: Plan, folder: Path) -> tuple[Path, Path]:
    """The workbook as LibreOffice saves it, and again with all its tables sorted by id."""
    _, where = _found(path, book, plan)
    with office.open(path) as workbook:
        before = workbook.store(folder / "before.xlsx")
        for rows in where.tables.values():
            if len(rows.rows) > 1:
                right = max([*rows.columns.values(), *rows.strange])
                first, last = min(rows.rows.values()), max(rows.rows.values())
                block = f"{address(first, rows.title)}:{address(last, right)}"
                workbook.sort(rows.sheet, block, rows.key - rows.title)
        # LibreOffice 7.4 reads rows that it has just moved before it computes them; a second pass
        # gives every formula its inputs
        workbook.recalculate()
        workbook.recalculate()
        return before, workbook.store(folder / "sorted.xlsx")


def shown(path: Path, book: Book, plan: Plan) -> dict[str, Value]:
    """The value of every cell: by row id within tables, by address elsewhere."""
    workbook, where = _found(path, book, plan)
    ids = {(rows.sheet, at): id for rows in where.tables.values() for id, at in rows.rows.items()}
    told: dict[str, Value] = {}
    for sheet in workbook.sheets.values():
        for (row, column), cell in sheet.cells.items():
            if (cell.value, cell.error) != ("", None):
                at = f"{ids.get((sheet.name, row), row)} {address(0, column)}"
                told[f"{sheet.name} {at}"] = cell.error or cell.value
    return told


def differing(one: dict[str, Value], other: dict[str, Value]) -> list[str]:
    """The cells that differ by more than the order of a sum explains."""
    return [
        f"{at}: {one.get(at)!r} became {other.get(at)!r}"
        for at in sorted(one.keys() | other.keys())
        if not _alike(one.get(at), other.get(at))
    ]


def _alike(one: Value, other: Value) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= 1e-12 * max(abs(one), abs(other))
    return one == other


def _found(path: Path, book: Book, plan: Plan) -> tuple[Workbook, Where]:
    workbook, plan = read_workbook(path), stepped(book, plan)
    return workbook, locate(workbook, book, plan, lay_out(book, plan).names)
