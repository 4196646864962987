"""The formula catalogue as JSON and CSV: records with inputs, texts for programs, and examples."""

from __future__ import annotations

from collections.abc import Sequence

from scalesheet.book import Book
from scalesheet.model import Example, Quantity, Record, Scalar
from scalesheet.render.api.text import csv_text
from scalesheet.render.api.values import (
    Object,
    brief,
    source_json,
    unit_symbol,
    value_json,
    without_blanks,
)
from scalesheet.render.notations import record_constants, record_texts
from scalesheet.values import Value, stated_value

FORMULA_FIELDS = (
    "id",
    "name",
    "title",
    "unit",
    "symbol",
    "formula",
    "inputs",
    "asserted",
    "valid",
    "convention",
    "note",
    "source",
    "locator",
)


def record_json(book: Book, record: Record, computed: Sequence[float]) -> Object:
    """Return a formula of the catalogue; `computed` has its result for each of its examples."""
    return without_blanks(
        {
            "id": record.id,
            "name": _called(record),
            "title": record.title,
            "unit": str(record.unit),
            "symbol": unit_symbol(record.unit, book.units),
            "letter": record.symbol,
            "formula": record.formula.text,
            "texts": dict(record_texts(record)),
            "constants": dict(record_constants(record)),
            "inputs": [_input(book, item) for item in record.inputs],
            "uses": list(record.formula.uses),
            "asserted": record.asserted,
            "valid": record.valid,
            "convention": record.convention,
            "note": record.note,
            "source": source_json(record.citation),
            "examples": [
                _example(record, example, number)
                for example, number in zip(record.examples, computed, strict=True)
            ],
        }
    )


def _called(record: Record) -> str:
    """Return the name by which other formulas call it."""
    return record.id.replace("-", "_")


def _input(book: Book, item: Scalar) -> Object:
    stated = item.stated
    default = None if stated is None else brief(value_json(stated_value(stated), item))
    return without_blanks(
        {
            "name": item.name,
            "title": item.title,
            "unit": str(item.unit) if item.unit is not None else "1",
            "symbol": unit_symbol(item.unit, book.units),
            "domain": item.domain,
            "default": default,
            "note": item.note,
        }
    )


def _example(record: Record, example: Example, computed: float) -> Object:
    inputs = {item.name: item for item in record.inputs}
    quantity = Quantity(_called(record), record.title, unit=record.unit)
    return without_blanks(
        {
            "given": {
                name: brief(value_json(Value.number(number), inputs[name]))
                for name, number in example.given.items()
            },
            "expect": brief(value_json(Value.number(example.expect), quantity)),
            "computed": brief(value_json(Value.number(computed), quantity)),
            "note": example.note,
        }
    )


def formulas_csv(book: Book) -> str:
    """Return one line per formula; its inputs are `name: unit`, separated by `;`.

    Its texts in other notations are in the JSON.
    """
    return csv_text(FORMULA_FIELDS, (_line(book, record) for record in book.records.values()))


def _line(book: Book, record: Record) -> list[object]:
    source = record.citation
    return [
        record.id,
        _called(record),
        record.title,
        str(record.unit),
        unit_symbol(record.unit, book.units),
        record.formula.text,
        "; ".join(f"{item.name}: {item.unit}" for item in record.inputs),
        record.asserted,
        record.valid,
        record.convention,
        record.note,
        source.key if source else None,
        source.locator if source else None,
    ]
