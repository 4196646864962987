"""The inputs that a plan's headline figures depend on, as functions for the plan's script.

A lever of the script is `{key, rows, title, href, low, high}`: the key that changes, its rows that
do, and functions over the plan's cells that give the value at either side, or `at` for both. `own`
and `stepped` say which kind of change it is, `figures` which headline figures depend on it, `fixed`
that the key's formula is suspended meanwhile.
"""

from __future__ import annotations

import re
from typing import Any

from scalesheet.book import Book
from scalesheet.evaluate.levers import SIDES, STEP, Lever, levers, moved
from scalesheet.evaluate.routes import Graph, graph
from scalesheet.evaluate.sensitivity import Sensitivity
from scalesheet.language.syntax import ENDS, Column, Scalar
from scalesheet.model import Key, Plan
from scalesheet.printers.javascript import javascript, quoted
from scalesheet.render.pages.places import Homes, address_of, divided, homes
from scalesheet.render.script import as_cell, reached


def figures(plan: Plan) -> list[str]:
    """The headline figures that are numbers with formulas."""
    scalars = (plan.scalars[name] for name in plan.headline)
    return [s.name for s in scalars if s.kind == "number" and s.formula is not None]


def moves(plan: Plan, book: Book) -> str:
    """A statement that adds the levers to a plan's script."""
    names = figures(plan)
    places = homes(plan)
    routes, known = graph(book, plan, names), {*plan.tables, *reached(plan, book)}
    parts = []
    for lever in levers(book, plan):
        if lever.key.table is not None and lever.key.table not in known:
            continue
        reach = [n for n, name in enumerate(names) if name in _reached(routes, lever)]
        if reach:
            parts.append(_lever(plan, book, lever, reach, places))
    lines = ",\n".join(parts)
    return (
        f"scalesheet.plans[{quoted(plan.id)}].moves = {{\n"
        f"figures: [{', '.join(map(quoted, names))}], step: {STEP!r},\n"
        "levers(s, t) { const rt = scalesheet.runtime; return [\n"
        f"{lines}\n]; }} }};\n"
    )


def rankings(sensitivity: Sensitivity, plan: Plan, book: Book) -> list[dict[str, Any]]:
    """The inputs by effect on each figure, in the form that the page's script computes."""
    places = homes(plan)
    return [
        {
            "name": ranking.name,
            "base": as_cell(ranking.value),
            "shown": [
                {
                    "lever": {
                        "key": _name(effect.lever.key),
                        "title": effect.lever.title,
                        "href": _href(plan, book, effect.lever, places),
                        "own": effect.lever.own,
                        "stepped": effect.lever.stepped,
                    },
                    "low": as_cell(effect.low),
                    "high": as_cell(effect.high),
                    "inputs": effect.inputs,
                }
                for effect in ranking.shown
            ],
            "less": len(ranking.effects) - len(ranking.shown),
            "still": ranking.still,
        }
        for ranking in sensitivity.rankings
        if ranking.effects
    ]


def _name(key: Key) -> str:
    """The name of a key in the script."""
    return key.name if key.table is None else f"{key.table}/{key.name}"


def _reached(routes: Graph, lever: Lever) -> set[str]:
    begins = [(key, end) for key in lever.begins for end in ENDS]
    read = tuple(place for place in begins if place in routes.readers)
    return {key.name for key, end in routes.route(read) if end == "value" and key.table is None}


def _lever(plan: Plan, book: Book, lever: Lever, reach: list[int], places: Homes) -> str:
    key = lever.key
    reference: Scalar | Column
    if key.table is None:
        reference, rows = Scalar(key.name), quoted(key.name)
        fixed = plan.scalars[key.name].formula is not None
    else:
        table = {**book.tables, **plan.tables}[key.table]
        reference = Column(key.table, key.name)
        rows = ", ".join(str(n) for n, row in enumerate(table.rows) if row in lever.rows)
        column = table.columns[key.name]
        fixed = column.formula is not None and not column.stated
    sides = [javascript(moved(reference, lever.quantity, side)) for side in SIDES]
    both = _both(*sides)
    low, high = ("", "") if both else (f"i => {text}" for text in sides)
    members = {
        "key": quoted(_name(key)),
        "rows": f"[{rows}]",
        "title": quoted(lever.title),
        "href": quoted(_href(plan, book, lever, places)),
        "figures": str(reach),
        "at": both,
        "low": low,
        "high": high,
        "own": "true" if lever.own else "",
        "stepped": "true" if lever.stepped else "",
        "fixed": "true" if fixed else "",
        "alone": "true" if key.table is None or key.row is not None else "",
    }
    return "{" + ", ".join(f"{key}: {text}" for key, text in members.items() if text) + "}"


#: What may differ between the two sides of a lever: a sign, and the end that is read.
_SIDE = re.compile(r" ([-+]) |\.(low|high)\b")


def _both(low: str, high: str) -> str:
    """One function for both sides, if they differ only in signs and ends; else nothing.

    It takes the row, -1 or 1, and the end.
    """
    rests = [_SIDE.split(text)[::3] for text in (low, high)]
    if rests[0] != rests[1]:
        return ""
    first, *parts = rests[0]
    text = f"(i, d, e) => {first}"
    for one, other, part in zip(_SIDE.finditer(low), _SIDE.finditer(high), parts, strict=True):
        match one[0], other[0]:
            case (same, again) if same == again:
                text += same
            case (" - ", " + "):
                text += " + d * "
            case (".low", ".high"):
                text += "[e]"
            case _:
                return ""
        text += part
    return text


def _href(plan: Plan, book: Book, lever: Lever, places: Homes) -> str:
    """The address where an input is shown in full, on a plan or catalogue page."""
    key = lever.key
    if key.table is not None and key.table in book.tables:
        return f"../{key.table}/index.html"
    here = plan.id if not divided(plan) else ""  # several pages of a divided plan use it
    return address_of(places, plan, Key(key.name, key.table), here).replace(".md#", ".html#")
