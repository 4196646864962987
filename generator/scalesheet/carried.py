"""Selects the catalogue rows in a plan's workbook: those in use, and possible replacements.

All rows of a book's own files are included. From the book that it extends, only the rows that the
plan names or requests with `catalogue:` are included, and those that they name in turn. If a
formula aggregates a table, all its rows are included.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase

from scalesheet.book import Book
from scalesheet.edition import Edition
from scalesheet.language.syntax import Aggregate, Cell, Column, Lookup, Node, Text, Title, walk
from scalesheet.model import Column as ColumnOf
from scalesheet.model import Formula, Plan, Quantity, Scalar, Stated, Table, formulas_of

#: Catalogue tables that a plan needs few rows of, with the column that replacements have in common.
_ALIKE = {
    "offers": "accelerator",
    "models": "family",
    "hardware": "",
    "nodes": "",
    "providers": "",
    "measurements": "",
}


def carried(book: Book, plan: Plan) -> Book:
    """Return the book with only those rows; the same object if that is all of them."""
    if not plan.carries and all(_own(book, table) for table in book.tables.values()):
        return book
    fewer = {
        name: _narrowed(book.tables[name], rows)
        for name, rows in _kept(book, plan).items()
        if len(rows) < len(book.tables[name].rows)
    }
    return replace(book, tables={**book.tables, **fewer}) if fewer else book


def edition_of(edition: Edition, plan: Plan) -> Edition:
    """Return the edition of only this plan with those rows, or the same object."""
    book = carried(edition.book, plan)
    if book is edition.book:
        return edition
    return Edition(replace(book, plans={plan.id: plan}), whole=edition)


def _own(book: Book, table: Table) -> bool:
    """Return whether all of its rows are in the book's own files."""
    return all(at.path.startswith(book.folder) for at in table.row_positions)


def _kept(book: Book, plan: Plan) -> dict[str, set[str]]:
    """The rows to keep in each narrowed table."""
    kept = {name: _first(book, plan, name) for name in _ALIKE if name in book.tables}
    named = _named(book, plan)
    whole = {name for name, rows in named.items() if rows is None}
    for name, rows in named.items():
        if name in kept and rows is not None:
            kept[name] |= rows | _alike(book.tables[name], rows)
    waiting = [
        (name, row) for name, table in book.tables.items() for row in kept.get(name, table.rows)
    ]
    while waiting:
        name, row = waiting.pop()
        for column in book.tables[name].columns.values():
            of, cell = column.refers_to, column.stated.get(row)
            if of in kept and cell is not None and cell.value and str(cell.value) not in kept[of]:
                kept[of].add(str(cell.value))
                waiting.append((of, str(cell.value)))
    return {name: rows for name, rows in kept.items() if name not in whole}


def _first(book: Book, plan: Plan, name: str) -> set[str]:
    """The rows of a table that are kept whatever the plan names."""
    table, patterns = book.tables[name], plan.carries.get(name)
    if patterns is not None:
        return {row for row in table.rows if any(fnmatchcase(row, each) for each in patterns)}
    places = zip(table.rows, table.row_positions, strict=True)
    return {row for row, at in places if at.path.startswith(book.folder)}


def _alike(table: Table, rows: set[str]) -> set[str]:
    """All rows that have the same value as these in the column of `_ALIKE`."""
    column = table.columns.get(_ALIKE[table.name])
    if column is None:
        return set()
    value = {row: stated.value for row, stated in column.stated.items()}
    same = {value[row] for row in rows if row in value}
    return {row for row in table.rows if value.get(row) in same}


# ------------------------------------------------------------------ rows that a plan names


def _named(book: Book, plan: Plan) -> dict[str, set[str] | None]:
    """The rows that a plan names, by table; None if a formula aggregates all of them."""
    named: dict[str, set[str] | None] = defaultdict(set)
    every: list[Quantity] = [*plan.scalars.values()]
    every += [column for table in plan.tables.values() for column in table.columns.values()]
    for quantity in every:
        for stated in _stated(quantity):
            rows = named[quantity.refers_to or ""]
            if rows is not None:
                rows.add(str(stated.value))
    axes = (of for table in plan.tables.values() for _, of in table.each)
    named |= dict.fromkeys(axes)
    formulas = [formula for quantity in every for formula in formulas_of(quantity)]
    own = (c for table in book.tables.values() for c in table.columns.values())
    for formula in (*formulas, *(f for column in own for f in formulas_of(column))):
        for node in _nodes(formula):
            _note(named, node, book)
    return named


def _note(named: dict[str, set[str] | None], node: Node, book: Book) -> None:
    match node:
        case Aggregate():
            named[node.table] = None
        case Cell() | Lookup() | Title() | Column() if node.table in book.tables:
            rows = named[node.table]
            row = getattr(node, "row", None)
            if rows is not None and isinstance(row, str):
                rows.add(row)
        case Text():
            for name in _ALIKE:
                rows, table = named[name], book.tables.get(name)
                if table is not None and rows is not None and node.value in table.rows:
                    rows.add(node.value)


def _nodes(formula: Formula) -> Iterator[Node]:
    for end in (formula.ends.value, formula.ends.low, formula.ends.high):
        yield from walk(end) if end is not None else ()


def _stated(quantity: Quantity) -> Iterator[Stated]:
    match quantity:
        case Scalar(stated=Stated() as stated):
            yield stated
        case ColumnOf(stated=cells):
            yield from cells.values()


# ------------------------------------------------------------------ a table with fewer rows


def _narrowed(table: Table, kept: set[str]) -> Table:
    at = [place for place, row in enumerate(table.rows) if row in kept]
    return replace(
        table,
        rows=tuple(table.rows[place] for place in at),
        row_titles=tuple(table.row_titles[place] for place in at),
        row_positions=tuple(table.row_positions[place] for place in at),
        columns={name: _cells(column, kept) for name, column in table.columns.items()},
    )


def _cells(column: ColumnOf, kept: set[str]) -> ColumnOf:
    return replace(
        column,
        stated={row: cell for row, cell in column.stated.items() if row in kept},
        own={row: formula for row, formula in column.own.items() if row in kept},
    )
