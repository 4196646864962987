"""A plan's results as JSON and CSV, and the headlines of all plans together."""

from __future__ import annotations

from collections.abc import Mapping

from scalesheet.actuals.progress import progress
from scalesheet.book import Book
from scalesheet.breaches import breaches
from scalesheet.edition import Edition, cells
from scalesheet.model import Column, Formula, Plan, Quantity, Scalar, Stated, Table
from scalesheet.render.api.actuals import actuals_json
from scalesheet.render.api.text import csv_text
from scalesheet.render.api.values import (
    Object,
    described,
    origin_json,
    quantity_json,
    source_json,
    value_json,
)
from scalesheet.render.api.versions import version_json
from scalesheet.units import Units
from scalesheet.values import Results, Value

#: The columns of the CSV that describe a value, after those that say where it is.
FIELDS = (
    "value",
    "low",
    "high",
    "unit",
    "reason",
    "code",
    "kind",
    "source",
    "locator",
    "formula",
    "at_least",
    "at_most",
    "note",
)
PLAN_FIELDS = ("table", "row", "name", *FIELDS)
HEADLINE_FIELDS = ("plan", "scenario", "name", *FIELDS)


def plan_json(book: Book, plan: Plan, results: Results) -> Object:
    """Return a plan's quantities and tables, in the documented shape."""
    stands = progress(plan, results)
    data: Object = {
        "plan": plan.id,
        "title": plan.title,
        "summary": plan.summary,
        "edition": book.edition.isoformat(),
        "as_of": book.as_of.isoformat(),
        "source": source_json(plan.citation),
        "headline": list(plan.headline),
        "checks": list(plan.checks),
        "breaches": [
            {"check": each.check.name, "title": each.check.title, "rows": list(each.rows)}
            | ({"otherwise": list(each.wrong)} if each.wrong else {})
            for each in breaches(plan, results)
        ],
        "scenarios": list(plan.scenarios),
        "status": plan.status,
        "history": [
            {"version": each.version, "date": each.date or None, "status": each.status}
            | {"text": each.text}
            | version_json(each)
            for each in plan.history
        ],
        "phases": [
            {"id": p.id, "title": p.title, "class": p.phase_class, "after": list(p.after)}
            | ({"note": p.note} if p.note else {})
            for p in plan.phases
        ],
        "quantities": {
            name: scalar_json(book, scalar, results.scalars[name])
            for name, scalar in plan.scalars.items()
        },
        "tables": {name: _table(book.units, table, results) for name, table in plan.tables.items()},
    }
    return data | ({"actuals": actuals_json(stands)} if stands is not None else {})


def scalar_json(book: Book, scalar: Scalar, value: Value) -> Object:
    """Return a scalar with its value and origin."""
    return quantity_json(value, scalar, book.units, stated=scalar.stated, formula=scalar.formula)


def _table(units: Units, table: Table, results: Results) -> Object:
    series = results.tables[table.name]
    data: Object = {
        "title": table.title,
        "columns": {c.name: column_json(c, units) for c in table.columns.values()},
        "rows": [
            {
                "id": row,
                "title": table.row_titles[place],
                "cells": {
                    c.name: value_json(series[c.name][place], c) for c in table.columns.values()
                },
                "origins": _origins(table, row),
            }
            | ({"note": table.row_notes[row]} if row in table.row_notes else {})
            for place, row in enumerate(table.rows)
        ],
        "total": {
            c: value_json(results.scalars[f"{table.name}.total.{c}"], table.columns[c])
            for c in table.totals
        },
    }
    if table.note:
        data["note"] = table.note
    return data


def column_json(column: Column, units: Units) -> Object:
    """Return a column: its unit, and the formula of the cells that have no origin of their own."""
    return (
        described(column, units)
        | ({"unit": str(column.unit)} if column.unit is not None else {})
        | origin_json(None, column.formula)
        | ({"note": column.note} if column.note else {})
    )


def _origins(table: Table, row: str) -> Object:
    """Return the origins of the cells that the column's formula does not compute."""
    return {
        c.name: origin_json(c.stated.get(row), c.own.get(row))
        for c in table.columns.values()
        if row in c.stated or row in c.own
    }


# ------------------------------------------------------------------ CSV


def as_csv(plan: Plan, results: Results, *, tables: bool = True) -> str:
    """Return every cell of a plan as one line: table, row, name, value and origin; or without
    those of its `tables`.

    The formula and the note of a whole column are only in the JSON.
    """
    return csv_text(
        PLAN_FIELDS,
        (
            (table, row, quantity.name, *fields(value, quantity, *_origin(quantity, row)))
            for table, row, quantity, value in cells(plan, results)
            if tables or not table
        ),
    )


def _origin(quantity: Quantity, row: str) -> tuple[Stated | None, Formula | None]:
    match quantity:
        case Scalar():
            return quantity.stated, quantity.formula
        case Column():
            stated = quantity.stated.get(row)
            own = quantity.own.get(row, quantity.formula)
            return stated, own if stated is None else None
    return None, None


def fields(
    value: Value, quantity: Quantity, stated: Stated | None, formula: Formula | None
) -> list[object]:
    """Return the fields of one value, in the order of `FIELDS`."""
    data = value_json(value, quantity) | origin_json(stated, formula)
    source = data.get("source", {})
    data |= {"source": source.get("key"), "locator": source.get("locator")}
    if isinstance(quantity, Column) and formula is quantity.formula:
        data["formula"] = None
    if not isinstance(quantity, Column):
        data.setdefault("note", quantity.note)
    return [data.get(field) for field in FIELDS]


# ------------------------------------------------------------------ all plans


def headlines_json(edition: Edition) -> Object:
    """Return the headline figures of each plan, under each of its scenarios."""
    book = edition.book
    return {
        "edition": book.edition.isoformat(),
        "as_of": book.as_of.isoformat(),
        "plans": [
            {
                "id": plan.id,
                "title": plan.title,
                "summary": plan.summary,
                "headlines": [
                    {
                        "scenario": word or None,
                        "quantities": {
                            name: scalar_json(book, plan.scalars[name], results.scalars[name])
                            for name in plan.headline
                        },
                    }
                    for word, results in _by_scenario(edition, plan).items()
                ],
            }
            for plan in book.plans.values()
        ],
    }


def headlines_csv(edition: Edition) -> str:
    """Return the headline figures of each plan, one per line."""
    return csv_text(
        HEADLINE_FIELDS,
        (
            (plan.id, word, name, *fields(results.scalars[name], s, s.stated, s.formula))
            for plan in edition.book.plans.values()
            for word, results in _by_scenario(edition, plan).items()
            for name in plan.headline
            for s in (plan.scalars[name],)
        ),
    )


def _by_scenario(edition: Edition, plan: Plan) -> Mapping[str, Results]:
    """Return a plan's results by scenario, or under `""` where it has none."""
    return edition.scenarios[plan.id] or {"": edition.results[plan.id]}
