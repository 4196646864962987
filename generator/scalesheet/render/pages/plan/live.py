"""What a page's script must know of a plan besides its formulas: how each quantity is shown."""

from __future__ import annotations

import json
from collections.abc import Set
from dataclasses import asdict
from typing import Any

from scalesheet.book import Book
from scalesheet.evaluate.references import users
from scalesheet.evaluate.routes import read_by
from scalesheet.model import DOMAINS, Key, Plan, Quantity, Scalar, Table
from scalesheet.numbers import Rule, rule_of
from scalesheet.pictures import CALENDAR, DATED
from scalesheet.printers.javascript import quoted
from scalesheet.render.pages.places import homes, row_page
from scalesheet.render.pages.plan.choice import choice_of
from scalesheet.render.pages.plan.moves import moves
from scalesheet.render.pages.plan.patch import column_place, scalar_place
from scalesheet.render.pictures import for_script
from scalesheet.render.script import folded, for_pages, member, reached
from scalesheet.units import Units


def shown(plan: Plan, book: Book) -> str:
    """A statement that completes a plan's script.

    It adds titles, units and formats of quantities, domains of inputs, and charts.
    """
    places = homes(plan)
    elsewhere = {key: page for key, page in places.items() if page != plan.id}
    computed = {name: book.tables[name] for name in reached(plan, book)}
    others = {name: book.tables[name] for name in sorted(_referred(plan)) if name in book.tables}
    used = {(key.table, key.name) for key in users(plan)}
    usual = "phases" in plan.tables and DATED not in plan.charts
    charts = (CALENDAR, *plan.charts) if usual else plan.charts
    tables: dict[str, Any] = {}
    for name, table in {**others, **computed, **plan.tables}.items():
        tables[name] = _table(plan, book, table, used)
        if name not in computed and name not in plan.tables:
            tables[name] |= {"rows": table.rows, "titles": table.row_titles}
        if name in others and (groups := _groups(table, book)):
            tables[name]["groups"] = groups
        if of_rows := {row: page for row in table.rows if (page := row_page(plan, name, row))}:
            tables[name]["pages"] = of_rows
    pages = [plan.id, *(p for p in dict.fromkeys(places.values()) if p != plan.id)]
    pages += [page.id for page in plan.pages if page.id not in pages]
    names: dict[str, Any] = {
        "title": plan.title,
        "file": f"data/plans/{plan.id}/plan.yaml",
        "scenarios": list(plan.scenarios),
        "scalars": {name: _scalar(plan, book, s, used) for name, s in plan.scalars.items()},
        "tables": tables,
        "sides": _sides(plan),
        "charts": {chart.id: for_script(chart, plan, book.units) for chart in charts},
        "rowChecks": dict(plan.row_checks),
        "pages": pages,
    }
    if choice := choice_of(book, plan):
        names["alternatives"] = {name: each for name, each in asdict(choice).items() if each}
    if plan.chosen:
        names["searched"] = sorted(_searched(plan, book))
    kept = [[_home(key) for key, at in elsewhere.items() if at == page] for page in pages]
    homes_ = f"scalesheet.runtime.numbered({_text(list(map(folded, kept)))})"
    text = f"{_text(names)[:-1]},homes:{homes_}}}"
    return f"scalesheet.plans[{quoted(plan.id)}].shown = {text};\n{moves(plan, book)}"


def described(book: Book) -> str:
    """A statement that completes `catalogue_script`: how the catalogue's columns are shown."""
    return f"scalesheet.columns = {_text(_described(book))};\n"


def _described(book: Book) -> dict[str, dict[str, Any]]:
    return {
        name: {column.name: _quantity(column, book.units, used=False) for column in each}
        for name, table in book.tables.items()
        if (each := table.columns.values())
    }


def on_page(script: str, plan: Plan, book: Book) -> str:
    """A plan's script for its pages, with what `catalogue_script` and `described` have."""
    computing, statement, about = for_pages(script, plan, book).partition(".shown = ")
    about, end, moving = about.partition(";\n")
    for table, columns in _described(book).items():
        for name, quantity in columns.items():
            shared, own = f"c.{table}.{name}", member(name)
            about = about.replace(f"{own}:{_text(quantity)}", f"{own}:{shared}")
            used = _text({**quantity, "used": True})
            about = about.replace(f"{own}:{used}", f"{own}:u({shared})")
    about = f"((c,u)=>({about}))(scalesheet.columns,(c)=>({{...c,used:true}}))"
    return f"{computing}{statement}{about}{end}{moving}"


def _home(key: str | Key) -> str:
    """A key as the script names it, `table/column`; a table as `t.table`."""
    if isinstance(key, str):
        kind, _, name = key.partition(" ")
        return f"{kind[0]}.{name}"
    return key.name if key.table is None else f"{key.table}/{key.name}"


def _searched(plan: Plan, book: Book) -> set[str]:
    """The inputs that the choice of layouts depends on, as the page names them."""
    tables = {**book.tables, **plan.tables}
    waiting: list[Key] = []
    for case in plan.chosen:
        rule = book.components[case.component].choice
        assert rule is not None
        needs = (rule.least, "broken", *(name for pair in rule.within for name in pair))
        shared = {name: f"{case.table}.all.{name}" for name in needs}  # by all cases of a table
        waiting += [
            Key(shared[name]) if shared[name] in plan.scalars else Key(name, case.table)
            for name in needs
        ]
    seen, found = set(waiting), set[str]()
    while waiting:
        key = waiting.pop()
        if key.table is None:
            found |= {key.name} if plan.scalars[key.name].stated is not None else set()
        elif key.table in plan.tables:
            stated = plan.tables[key.table].columns[key.name].stated
            found |= {f"{key.table}[{row}].{key.name}" for row in stated}
        read = [each for each in read_by(key, tables, plan) if each not in seen]
        seen.update(read)
        waiting += read
    return found


#: Pairs of table (None for scalars) and name that formulas of the plan read.
_Used = Set[tuple[str | None, str]]


def _scalar(plan: Plan, book: Book, scalar: Scalar, used: _Used) -> dict[str, Any]:
    shown = _quantity(scalar, book.units, (None, scalar.name) in used)
    if place := scalar_place(plan, scalar):
        shown["at"] = place
    if scalar.stated is not None and scalar.stated.rule:
        shown["ruled"] = True
    return shown


def _table(plan: Plan, book: Book, table: Table, used: _Used) -> dict[str, Any]:
    """A table with its columns; for the plan's own, also their places in its file."""
    columns: dict[str, dict[str, Any]] = {}
    for name, column in table.columns.items():
        columns[name] = _quantity(column, book.units, (table.name, name) in used)
        place = column_place(plan, table, column) if table.name in plan.tables else None
        if place:
            columns[name]["at"] = place
            if table.name == "phases" and column.unit is not None:
                columns[name]["stands"] = str(column.unit)
    shown: dict[str, Any] = {"title": table.title, "columns": columns}
    return shown | {"page": True} if table.name in book.tables else shown


def _quantity(quantity: Quantity, units: Units, used: bool) -> dict[str, Any]:
    """A quantity without its defaults."""
    result: dict[str, Any] = {"title": quantity.title}
    if quantity.kind != "number":
        result["kind"] = quantity.kind
    if quantity.unit is not None and (symbol := units.symbol(quantity.unit)):
        result["symbol"] = symbol
    rule = as_script(rule_of(quantity, units))
    if quantity.kind == "number":
        result |= {"rule": rule, "domain": _domain(quantity)}
    if quantity.ranged:
        result["ranged"] = True
    if quantity.words:
        result["words"] = quantity.words
    if quantity.refers_to is not None:
        result["table"] = quantity.refers_to
    if used:
        result["used"] = True
    if quantity.hidden:
        result["hidden"] = True
    return result


def as_script(rule: Rule) -> dict[str, Any]:
    """A format rule as `numbers.js` takes it, without defaults."""
    return {name: value for name, value in asdict(rule).items() if not _usual(value)}


def _usual(value: object) -> bool:
    return value is None or value is False or value == ""


def _domain(quantity: Quantity) -> dict[str, Any]:
    """The bounds of an input; `open` if the lower bound itself is excluded."""
    least, closed, most, whole = DOMAINS[quantity.domain]
    bounds = {"least": least, "open": not closed, "most": most, "whole": whole}
    return {name: bound for name, bound in bounds.items() if not _usual(bound)}


#: Columns that group long lists of choices.
GROUPED_BY = {
    "hardware": "vendor",
    "models": "family",
    "nodes": "accelerator",
    "offers": "accelerator",
}

#: Hardware that is not an accelerator has a group of its own, whatever the vendor.
PROCESSORS = "processors"


def _groups(table: Table, book: Book) -> dict[str, list[int]]:
    """The rows of each group, sorted by the group's title."""
    column = table.columns.get(GROUPED_BY.get(table.name, ""))
    if column is None:
        return {}
    of = book.tables.get(column.refers_to or "")
    titles = dict(zip(of.rows, of.row_titles, strict=True)) if of is not None else {}
    result: dict[str, list[int]] = {}
    for at, row in enumerate(table.rows):
        id_ = _word(table, column.name, row) or "others"
        group = PROCESSORS if _word(table, "kind", row) == "processor" else titles.get(id_, id_)
        result.setdefault(group, []).append(at)
    return {title: result[title] for title in sorted(result, key=str.casefold)}


def _word(table: Table, name: str, row: str) -> str:
    """A word that a row states; empty if it states none."""
    column = table.columns.get(name)
    stated = column.stated.get(row) if column is not None else None
    return str(stated.value) if stated is not None and stated.reason is None else ""


def _referred(plan: Plan) -> set[str]:
    """The tables whose rows references select."""
    columns = (c for table in plan.tables.values() for c in table.columns.values())
    return {q.refers_to for q in (*plan.scalars.values(), *columns) if q.refers_to is not None}


def _sides(plan: Plan) -> dict[str, dict[str, str]]:
    """Quantities with an input per scenario, as `name` or `table/column`, with the input's name."""
    result = {name: dict(scalar.sides) for name, scalar in plan.scalars.items() if scalar.sides}
    for table in plan.tables.values():
        for name, column in table.columns.items():
            if column.sides:
                result[f"{table.name}/{name}"] = dict(column.sides)
    return dict(sorted(result.items()))


def _text(value: Any) -> str:
    """JSON that is safe inside a script."""
    if isinstance(value, dict):
        members = (f"{member(name)}:{_text(each)}" for name, each in value.items())
        return "{" + ",".join(members) + "}"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(_text, value))}]"
    return quoted(value) if isinstance(value, str) else json.dumps(value)
