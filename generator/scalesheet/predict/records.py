"""Catalogue formulas over arrays: a number for each row, computed as in a workbook."""

from __future__ import annotations

from typing import Any

import numpy as np

from scalesheet.book import Book
from scalesheet.diagnostics import Diagnostic, Refused
from scalesheet.evaluate.interpret import interpret
from scalesheet.evaluate.parts import Here, Part, State, absent
from scalesheet.predict.arrays import Array


def lacking(book: Book, kind: str, name: str) -> Refused:
    """The error to raise if the book lacks a formula or component."""
    message = (
        f"predictions need the {kind} '{name}', which the book lacks; copy the file from the "
        "catalogue of scalesheet, or leave out runs/"
    )
    return Refused([Diagnostic(f"{book.folder}{kind}s/{name}.yaml", 1, 1, "Y012", message)])


def rows_of(book: Book, record: str, **given: Array | float) -> Array:
    """Evaluate a formula of the catalogue for each row, in its declared units.

    `given` are its inputs, in their declared units; omitted ones take their defaults. Rows where
    the formula returns a reason become nan. Raises Refused if the book has no such formula.
    """
    formula = book.records.get(record)
    if formula is None:
        raise lacking(book, "formula", record)
    unknown = set(given) - {item.name for item in formula.inputs}
    assert not unknown, f"{record} has no {', '.join(sorted(unknown))}"
    rows = max(len(values) for values in given.values() if isinstance(values, np.ndarray))
    state = State()
    for item in formula.inputs:
        default = item.stated.value if item.stated is not None else None
        value: Any = given.get(item.name, default)
        assert value is not None, f"{record} needs {item.name}"
        column = np.broadcast_to(np.asarray(value, dtype=np.float64), rows)
        state.scalars[item.name] = {"value": Part(column)}
    with np.errstate(all="ignore"):
        part = interpret(formula.formula.ends.value, Here(state))
    out = np.array(np.broadcast_to(np.asarray(part.data, dtype=np.float64), rows))
    if part.why is not None:
        out[absent(part.why)] = np.nan
    return out


def assumed(book: Book) -> dict[str, float]:
    """The numbers in the catalogue's table of assumptions. Raises Refused if it is missing."""
    return column_of(book, "assumptions", "value")


def column_of(book: Book, name: str, column: str) -> dict[str, float]:
    """The numbers in a column of a small table. Raises Refused if the table is missing."""
    table = book.tables.get(name)
    if table is None:
        raise lacking(book, "table", name)
    stated = table.columns[column].stated
    return {row: each.value for row, each in stated.items() if isinstance(each.value, float)}


def quantised_formats(book: Book) -> tuple[str, ...]:
    """The formats of weights with fewer than 16 bits; none if the book lacks their table."""
    every = column_of(book, "formats", "bits") if "formats" in book.tables else {}
    return tuple(row for row, bits in every.items() if bits < 16)


#: Columns of the catalogue's table of weight formats, and the inputs of `nf4-bits-per-parameter`.
_FORMAT = {"bits": "bits", "constants": "constant_bits", "block": "block", "second": "second_bits"}


def stored_bits(book: Book) -> dict[str, float]:
    """Bits per weight of each format with fewer than 16, with the constants of its block."""
    stated = {into: column_of(book, "formats", name) for name, into in _FORMAT.items()}
    formats = quantised_formats(book)
    columns = {n: np.array([each[kind] for kind in formats]) for n, each in stated.items()}
    stored = rows_of(book, "nf4-bits-per-parameter", **columns)
    return dict(zip(formats, stored.tolist(), strict=True))


def defaults(book: Book, record: str) -> dict[str, float]:
    """The default numbers of a formula's inputs."""
    stated = ((item.name, item.stated) for item in book.records[record].inputs)
    return {n: s.value for n, s in stated if s is not None and isinstance(s.value, float)}
