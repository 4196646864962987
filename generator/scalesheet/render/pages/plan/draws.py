"""The script with which a page draws a plan's inputs as the build does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from scalesheet.book import Book
from scalesheet.evaluate.levers import Lever
from scalesheet.language.syntax import Node
from scalesheet.model import DOMAINS, Key, Likelihood, Plan, Stated
from scalesheet.printers.javascript import javascript, quoted
from scalesheet.render.sureness import amount_of
from scalesheet.sure.draws import Drawable, drawable, name_of
from scalesheet.sure.measured import measured
from scalesheet.sure.quantiles import Sure, asked_of, draws_of, is_money, stated_behind
from scalesheet.sure.shapes import chances, shape_of
from scalesheet.sure.spread import REPLICATES, key_of
from scalesheet.sure.trees import Tree

USUAL = Likelihood()


def draws_script(plan: Plan, book: Book, published: Sure | None = None) -> str:
    """A statement that sets a plan's `drawn`.

    It has the requested figures, the inputs that they depend on with their shapes, the ranges that
    formulas make, and the key of each name's draws.
    """
    asked = asked_of(plan)
    found = drawable(book, plan, asked.all)
    levers = [each for each in found.levers if each.quantity.ranged or _events(found, each)]
    made, known = found.made, measured(plan)
    names = {one.unknown for tree in made.values() for one in tree.within}
    for lever in levers:
        cells = [cell for side in _sides(found, lever).values() for cell in side.values()]
        names |= {each.likelihood.moves_with or name_of(lever) for each in cells}
    told: dict[str, Any] = {
        "draws": draws_of(plan),
        "replicates": REPLICATES,
        "keys": {name: f"{key_of(name):032x}" for name in sorted({n.lstrip("-") for n in names})},
        "levers": [_lever(found, each) for each in levers],
        "spread": [_made(found, key, tree) for key, tree in made.items()],
        "figures": [
            {"name": name, "falls": name in asked.falls, "money": is_money(book, plan, name)}
            for name in asked.figures
        ],
        "checks": asked.checks,
        "measured": [
            _place(found, key)
            | {"title": of.title, "value": of.before.value or {"reason": of.before.reason}}
            for key, of in known.items()
        ],
        "held": [
            {"name": name, "on": on, "inputs": [key.name for key in stated_behind(plan, name)]}
            for name, on in asked.held.items()
        ],
    }
    if published is not None and published.first:
        held = published.figures[published.first].reserve
        amount = amount_of(book, plan, published.first, held)
        told["published"] = {"name": published.first, "reserve": amount}
    functions = ",\n".join(_functions(key, tree) for key, tree in made.items())
    return (
        "(() => {\nconst rt = scalesheet.runtime;\n"
        f"scalesheet.plans[{quoted(plan.id)}].drawn = {{\n...{_text(told)},\n"
        f"made: (s, t) => [\n{functions}\n],\n}};\n}})();\n"
    )


def _sides(found: Drawable, lever: Lever) -> Mapping[str, Mapping[str | None, Stated]]:
    """The stated cells of a lever by scenario name, then by row."""
    key = lever.key
    names = [name for _, name in lever.quantity.sides] or [key.name]
    if key.table is None:
        stated = {name: found.plan.scalars[name].stated for name in names}
        return {name: {None: each} for name, each in stated.items() if each is not None}
    columns = found.tables[key.table].columns
    return {
        name: {row: columns[name].stated[row] for row in lever.rows if row in columns[name].stated}
        for name in names
    }


def _events(found: Drawable, lever: Lever) -> bool:
    sides = _sides(found, lever).values()
    return any(cell.likelihood.event is not None for side in sides for cell in side.values())


def _lever(found: Drawable, lever: Lever) -> dict[str, Any]:
    key, quantity = lever.key, lever.quantity
    sides = _sides(found, lever)
    told: dict[str, Any] = {
        "key": _name(key),
        "name": name_of(lever),
        "title": lever.title,
        "domain": _domain(quantity.domain),
        "usual": {"spread": shape_of(USUAL, quantity.domain)},
    }
    places: dict[str | None, int] = {None: 0}
    if key.table is not None:
        places = {row: n for n, row in enumerate(found.tables[key.table].rows)}
        told["rows"] = [places[row] for row in lever.rows]
    if quantity.sides:
        told["sides"] = dict(quantity.sides)
    cells = {
        places[row]: _likely(cell.likelihood)
        for side in reversed(list(sides.values()))
        for row, cell in side.items()
        if cell.likelihood != USUAL
    }
    return told | ({"cells": cells} if cells else {})


def _likely(of: Likelihood) -> dict[str, Any]:
    """The parts of a likelihood that differ from the default."""
    told: dict[str, Any] = {
        name: getattr(of, name)
        for name in ("spread", "percentiles", "moves_with", "found_by")
        if getattr(of, name) != getattr(USUAL, name)
    }
    if of.event is not None:
        told["event"] = {"adds": of.event.adds, "chances": chances(of.event).tolist()}
    return told


def _made(found: Drawable, key: Key, tree: Tree) -> dict[str, Any]:
    quantity = found.quantity(key)
    told: dict[str, Any] = {
        "key": _name(key),
        "title": quantity.title,
        "domain": _domain(quantity.domain),
        "within": [{"name": one.name, "unknown": one.unknown} for one in tree.within],
    }
    row = {"row": found.tables[key.table].rows.index(key.row)} if key.table and key.row else {}
    return told | row


def _functions(key: Key, tree: Tree) -> str:
    """A formula's drawn value and the parts of each range within it, as functions."""
    variables = "()" if key.table is None else "i"

    def function(node: Node) -> str:
        return f"{variables} => {javascript(node)}"

    assert tree.spread is not None
    parts = ", ".join(f"[{', '.join(map(function, one.parts))}]" for one in tree.within)
    return f"[{function(tree.spread)}, [{parts}]]"


def _place(found: Drawable, key: Key) -> dict[str, Any]:
    """The place of an input in the plan's script."""
    if key.table is None:
        return {"name": key.name}
    row = found.tables[key.table].rows.index(key.row or "")
    return {"table": key.table, "column": key.name, "row": row}


def _name(key: Key) -> str:
    return key.name if key.table is None else f"{key.table}/{key.name}"


def _domain(domain: str) -> dict[str, Any]:
    least, _, most, whole = DOMAINS[domain]
    bounds = {"least": least, "most": most, "whole": whole}
    return {
        name: bound for name, bound in bounds.items() if bound is not None and bound is not False
    }


def _text(value: Any) -> str:
    """JSON that is safe inside a script."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
