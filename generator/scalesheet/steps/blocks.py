"""Finds the architecture whose block a model's blocks are counted as."""

from __future__ import annotations

from typing import Any

from scalesheet.book import Book
from scalesheet.model import Table
from scalesheet.predict.records import lacking
from scalesheet.steps.families import configured
from scalesheet.steps.faults import Unbuildable
from scalesheet.steps.job import Shape

TABLE = "blocks"


def architecture(book: Book, shape: Shape) -> tuple[str, str]:
    """The row of the table whose block is counted, and a remark if the model's differs.

    It is the architecture that `bench run` builds.
    """
    try:
        kind = str(configured(shape, 1).get("model_type", ""))
    except Unbuildable:
        kind = ""
    if (row := kind.replace("_", "-")) in _table(book).rows:
        return row, str(facts(book, row).get("remark") or "")
    nearest = "llama" if shape.gated else "gpt_neox"
    remark = f"blocks of {kind or shape.title} are counted as those of {nearest}"
    return nearest.replace("_", "-"), remark


def facts(book: Book, kind: str) -> dict[str, Any]:
    """The facts that the table states about a block."""
    columns = _table(book).columns
    return {
        name: column.stated[kind].value
        for name, column in columns.items()
        if kind in column.stated and column.stated[kind].value is not None
    }


def _table(book: Book) -> Table:
    table = book.tables.get(TABLE)
    if table is None:
        raise lacking(book, "table", TABLE)
    return table
