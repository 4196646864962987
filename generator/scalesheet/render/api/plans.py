"""The data face: a plan's results as JSON and CSV, each number with unit and source."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

from scalesheet.model import Book, Column, Plan, Quantity, Scalar, Stated
from scalesheet.values import Results, Value

VERSION = "v1"


def value_json(value: Value, quantity: Quantity) -> dict[str, Any]:
    """`{"value", "low", "high", "unit"}`, or `{"reason", "code"}` where there is none."""
    if value.reason is not None:
        return {"reason": value.reason, "code": _code(value.reason)}
    if quantity.kind != "number":
        return {"value": value.value, "low": None, "high": None, "unit": None}
    return {
        "value": value.value,
        "low": value.low,
        "high": value.high,
        "unit": str(quantity.unit) if quantity.unit is not None else "1",
    }


def _code(reason: str) -> str:
    """A reason's first words as a word for programs: `not-offered`."""
    head = reason.split(":")[0].lower()
    return "-".join("".join(c if c.isalnum() else " " for c in head).split())[:40]


def plan_json(book: Book, plan: Plan, results: Results) -> dict[str, Any]:
    """A plan's quantities and tables, in the shape that the documentation promises."""
    return {
        "plan": plan.id,
        "title": plan.title,
        "edition": book.edition.isoformat(),
        "as_of": book.as_of.isoformat(),
        "headline": list(plan.headline),
        "quantities": {
            name: value_json(results.scalars[name], scalar) | _origin(scalar)
            for name, scalar in plan.scalars.items()
        },
        "tables": {name: _table(plan, results, name) for name in plan.tables},
    }


def _origin(scalar: Scalar) -> dict[str, Any]:
    return {
        "title": scalar.title,
        "formula": scalar.formula.text if scalar.formula else None,
        "source": _source(scalar.stated),
        "kind": "derived" if scalar.stated is None else scalar.stated.basis,
    }


def _source(stated: Stated | None) -> dict[str, str] | None:
    if stated is None or stated.citation is None:
        return None
    return {"key": stated.citation.key, "locator": stated.citation.locator}


def _table(plan: Plan, results: Results, name: str) -> dict[str, Any]:
    table = plan.tables[name]
    columns = results.tables[name]
    return {
        "title": table.title,
        "columns": {c.name: _column(c) for c in table.columns.values()},
        "rows": [
            {
                "id": row,
                "title": table.row_titles[place],
                "cells": {
                    c.name: value_json(columns[c.name][place], c) for c in table.columns.values()
                },
            }
            for place, row in enumerate(table.rows)
        ],
        "total": {
            c: value_json(results.scalars[f"{name}.total.{c}"], table.columns[c])
            for c in table.totals
        },
    }


def _column(column: Column) -> dict[str, Any]:
    return {
        "title": column.title,
        "kind": column.kind,
        "unit": str(column.unit) if column.unit is not None else None,
        "formula": column.formula.text if column.formula else None,
    }


def as_json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def as_csv(plan: Plan, results: Results) -> str:
    """Every cell of a plan as one row: table, row, name, value, low, high, unit, reason."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["table", "row", "name", "value", "low", "high", "unit", "reason"])
    for table, row, quantity, value in cells(plan, results):
        shown = value_json(value, quantity)
        numbers = [shown.get(k) for k in ("value", "low", "high", "unit")]
        writer.writerow(
            [table, row, quantity.name, *map(_plain, numbers), shown.get("reason") or ""]
        )
    return out.getvalue()


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else repr(value) if isinstance(value, float) else str(value)


def cells(plan: Plan, results: Results) -> Iterator[tuple[str, str, Quantity, Value]]:
    """Every cell of a plan: the scalars first, then the tables row by row."""
    for name, scalar in plan.scalars.items():
        yield "", "", scalar, results.scalars[name]
    for table in plan.tables.values():
        columns = results.tables[table.name]
        for place, row in enumerate(table.rows):
            for column in table.columns.values():
                yield table.name, row, column, columns[column.name][place]
