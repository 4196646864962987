"""A plan's results as plain text: the headline first, then the figures, then the tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from scalesheet.book import Book
from scalesheet.model import Key, Plan, Quantity, Scalar, Stated, Table
from scalesheet.numbers import format_of, text
from scalesheet.resolve.order import name_of
from scalesheet.values import Results, Value


def plan_text(
    book: Book, plan: Plan, results: Results, edits: Mapping[Key, Stated] | None = None
) -> str:
    """Everything a plan gives, for reading in a terminal."""
    lines = [plan.title, f"edition {book.edition.isoformat()}, prices of {book.as_of.isoformat()}"]
    for key, stated in (edits or {}).items():
        lines.append(f"changed: {name_of(key)} = {_edited(stated)}")
    headline = [plan.scalars[name] for name in plan.headline]
    lines += ["", *_scalars(book, results, headline)]
    inputs = [s for s in plan.scalars.values() if s.stated is not None and not s.hidden]
    derived = [
        s
        for s in plan.scalars.values()
        if s.formula is not None
        and not s.hidden
        and s.name not in plan.headline
        and ".total." not in s.name
    ]
    lines += ["", "Inputs", *_scalars(book, results, inputs)]
    lines += ["", "Derived", *_scalars(book, results, derived)]
    for table in plan.tables.values():
        lines += ["", f"{table.title} ({table.name})", *_table(book, results, table)]
    return "\n".join(lines) + "\n"


def _edited(stated: Stated) -> str:
    if stated.ranged:
        return f"{stated.low!r}..{stated.high!r}"
    return repr(stated.value) if isinstance(stated.value, float) else str(stated.value)


def _shown(book: Book, quantity: Quantity, value: Value) -> str:
    symbol = book.units.symbol(quantity.unit) if quantity.unit is not None else ""
    return text(value, format_of(quantity, [value], book.units), symbol)


def _scalars(book: Book, results: Results, scalars: Iterable[Scalar]) -> list[str]:
    rows = [
        (scalar.name, _shown(book, scalar, results.scalars[scalar.name]), scalar.title)
        for scalar in scalars
    ]
    return aligned(rows, numbers=frozenset())


def _table(book: Book, results: Results, table: Table) -> list[str]:
    columns = [c for c in table.columns.values() if not c.hidden]
    heads = [""] + [
        c.title + (f" ({book.units.symbol(c.unit)})" if c.unit and not c.unit.pure else "")
        for c in columns
    ]
    rows: list[Sequence[str]] = [heads]
    formats = {
        c.name: format_of(c, results.tables[table.name][c.name], book.units) for c in columns
    }
    for place, row in enumerate(table.rows):
        cells = [text(results.tables[table.name][c.name][place], formats[c.name]) for c in columns]
        rows.append([row, *cells])
    if table.totals:
        total = [
            text(results.scalars[f"{table.name}.total.{c.name}"], formats[c.name])
            if c.name in table.totals
            else ""
            for c in columns
        ]
        rows.append(["total", *total])
    kinds = {place for place, c in enumerate(columns, 1) if c.kind == "number"}
    return aligned(rows, numbers=frozenset(kinds))


def aligned(rows: Sequence[Sequence[str]], *, numbers: frozenset[int]) -> list[str]:
    """Columns side by side; those of numbers to the right."""
    if not rows:
        return []
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return [
        "  "
        + "  ".join(
            cell.rjust(width) if place in numbers else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
