"""A page's script for counting the parameters of a model that is not in the catalogue."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scalesheet.book import Book
from scalesheet.model import Column, Plan
from scalesheet.new.browser import SIZES, families
from scalesheet.render.script import program, shortened
from scalesheet.resolve.lowering.catalogue_columns import MODEL, MODEL_CHOICES

ID = "architecture"
MODELS = "models"
COUNTED = ("parameters", "active_parameters")


def architecture_script(book: Book, plan: Plan) -> str:
    """The models table with one row, whose computed columns a page computes, and the `config.json`
    reader.

    Empty if the catalogue does not compute parameters.
    """
    table = book.tables[MODELS]
    if any(table.columns[name].formula is None for name in COUNTED):
        return ""
    plain = min(table.rows, key=lambda row: sum(row in c.stated for c in table.columns.values()))
    columns = {
        name: replace(c, stated={ID: c.stated[plain]} if plain in c.stated else {}, own={})
        for name, c in table.columns.items()
        if c.kind in ("number", "word", "flag")
    }
    one = replace(
        table, rows=(ID,), row_titles=(ID,), columns=columns, row_notes={}, row_positions=()
    )
    order = tuple(key for key in book.order if key.table == MODELS and key.row is None)
    alone = replace(book, tables={MODELS: one}, order=order)
    own = replace(plan, id=ID, scalars={}, tables={}, order=(), catalogue=(MODELS,))
    known = {"sizes": SIZES, "types": families(), "defaults": _defaults(columns)}
    said = json.dumps(known, sort_keys=True, separators=(",", ":")).replace("<", "\\u003c")
    return f"{shortened(program(own, alone))}scalesheet.configs = {said};\n"


def _defaults(columns: Mapping[str, Column]) -> dict[str, Any]:
    """Values for what a file leaves out: the absent part, the usual norm, false flags."""
    words = {name: choice.default for name, choice in MODEL_CHOICES.items()}
    numbers = {name: given.default for name, given in MODEL.items() if given.default is not None}
    flags = {name: False for name, column in columns.items() if column.kind == "flag"}
    return {k: v for k, v in {**words, **numbers, **flags}.items() if k in columns}
