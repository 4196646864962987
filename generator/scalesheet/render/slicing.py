"""Cuts a plan down to the part that some of its figures depend on.

A page that answers with a few figures loads only what these need. Computed catalogue values become
stated ones, since no input of a plan changes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace

from scalesheet.book import Book
from scalesheet.evaluate import evaluate_catalogue
from scalesheet.evaluate.routes import graph
from scalesheet.language.syntax import ENDS
from scalesheet.model import Column, Key, Plan, Stated, Table
from scalesheet.values import Results, Series


def sliced(
    book: Book, plan: Plan, figures: Iterable[str], also: Iterable[Key] = ()
) -> tuple[Book, Plan]:
    """Return the book and plan narrowed to what the named scalars and further keys depend on."""
    catalogue = evaluate_catalogue(book)
    readers = graph(book, plan, figures, ENDS).readers
    own = {key for key, _ in readers if key.table not in book.tables} | set(also)
    # of the catalogue, keep only what the plan itself reads
    read = {key for (key, _), by in readers.items() if any(each in own for each, _ in by)}
    needed = own | read
    return (
        replace(book, tables=_tables(book.tables, needed, catalogue), order=()),
        replace(
            plan,
            scalars={n: s for n, s in plan.scalars.items() if Key(n) in needed},
            tables=_tables(plan.tables, needed),
            order=tuple(key for key in plan.order if key in needed),
            checks=(),
            row_checks={},
            charts=(),
            headline=(),
            pages=(),
        ),
    )


def _tables(
    tables: Mapping[str, Table], needed: Set[Key], computed: Results | None = None
) -> dict[str, Table]:
    result: dict[str, Table] = {}
    for name, table in tables.items():
        wanted = {key.name for key in needed if key.table == name}
        if not wanted:
            continue
        columns = {n: c for n, c in table.columns.items() if n in wanted}
        if computed is not None:
            columns = {n: _stated(table, c, computed.tables[name][n]) for n, c in columns.items()}
        result[name] = replace(table, columns=columns)
    return result


def _stated(table: Table, column: Column, series: Series) -> Column:
    """Return the column with its computed cells as stated values."""
    if column.formula is None and not column.own:
        return column
    values = zip(table.rows, series, strict=True)
    stated = {
        row: Stated(each.value, each.low, each.high, reason=each.reason)
        for row, each in values
        if each.value is not None or each.reason is not None
    }
    return replace(column, stated=stated, formula=None, own={})
