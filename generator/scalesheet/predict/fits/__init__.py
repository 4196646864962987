"""The stored fits, and a digest of the published rows behind each."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields

import numpy as np

from scalesheet.book import Book
from scalesheet.predict.arrays import Array
from scalesheet.predict.cases import Cases

#: Everything that a prediction has learned from data, including its interval.
Coefficients = Mapping[str, float]
#: The numbers of rows on each chip are kept among the coefficients, under this and the chip's name.
ROWS_ON = "rows_on_"
NO_FIT = "there is no fit yet: run 'scalesheet fit'"


def coefficients(book: Book, fit: str) -> Coefficients:
    """The stored coefficients of a fit; empty if there is no such file."""
    table = book.tables.get("fits")
    if table is None or fit not in table.rows:
        return {}
    stated = {name: column.stated.get(fit) for name, column in table.columns.items()}
    known = {
        name: value.value
        for name, value in stated.items()
        if value is not None and isinstance(value.value, float)
    }
    return known | {ROWS_ON + name: float(n) for name, n in book.fits[fit].accelerators.items()}


#: Fields that comment on a case and are not part of it.
_SAID = ("assumed", "unsupported", "no_peak", "usual_vocab", "width_per_layer")
#: Fields that only memory predictions use.
_OF_MEMORY = ("flat", "optimizer", "rank", "loss")
#: Columns added later; ignored if no row states them.
_LATER = ("unique", "cache_bytes", "per_node", "network")


def digest(cases: Cases, truth: Array) -> str:
    """Twelve letters that change with any row that a fit uses."""
    parts = [",".join(f"{number:.12g}" for number in truth.tolist())]
    for field in fields(cases):
        if field.name in _SAID or (field.name in _OF_MEMORY and cases.task != "memory"):
            continue
        column = getattr(cases, field.name)
        if field.name in _LATER and np.isnan(column).all():
            continue
        if isinstance(column, np.ndarray) and column.dtype == np.float64:
            parts.append(",".join(f"{number:.12g}" for number in column.tolist()))
        elif isinstance(column, np.ndarray):
            parts.append(",".join(map(str, column.tolist())))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]
