"""A digest of everything that a plan's workbook states: values, texts, sources and formulas.

`pull` reads it back. If it equals that of the data, every difference was edited in the workbook;
otherwise the data has changed since, and the shipped values tell the two apart.
"""

from __future__ import annotations

import hashlib

from scalesheet.book import Book
from scalesheet.defined_names import tables_of
from scalesheet.model import Column, Plan, Quantity, Scalar, Stated, formulas_of


def contents(book: Book, plan: Plan) -> str:
    """Return twelve characters, the same for the same statements; computed values do not matter."""
    digest = hashlib.sha256(plan.id.encode())
    for scalar in plan.scalars.values():
        digest.update(repr((_declared(scalar), _stated(scalar.stated), _formulas(scalar))).encode())
    for table in tables_of(book, plan).values():
        digest.update(repr((table.name, table.title, table.rows, table.row_titles)).encode())
        if table.name in plan.tables and table.row_notes:
            digest.update(repr(sorted(table.row_notes.items())).encode())
        for column in table.columns.values():
            cells = [(row, _stated(stated)) for row, stated in column.stated.items()]
            digest.update(repr((_declared(column), cells, _formulas(column))).encode())
    return digest.hexdigest()[:12]


def _declared(quantity: Quantity) -> tuple[object, ...]:
    unit = str(quantity.unit)
    return quantity.name, quantity.title, quantity.kind, unit, quantity.domain, quantity.note


def _stated(stated: Stated | None) -> tuple[object, ...]:
    """All of it except its position."""
    if stated is None:
        return ()
    ends = (stated.value, stated.low, stated.high, stated.at_least, stated.at_most)
    cited = stated.citation and (stated.citation.key, stated.citation.locator)
    return *ends, stated.reason, stated.midpoint, stated.basis, cited, stated.note


def _formulas(quantity: Scalar | Column) -> list[str]:
    return [formula.text for formula in formulas_of(quantity)]
