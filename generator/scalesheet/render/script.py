"""A plan as a classic script: its inputs, and a function that computes everything from them.

    scalesheet.plans["qwen2-finance"] = {inputs: {...}, compute(inputs) {...}}

It needs `runtime.js` before it. `inputs` holds what is stated: `scalars` by name and `tables` by
name, the catalogue's that the plan looks into among them, each `{rows: [id], titles: [text],
columns: {name: [cell]}}`. A cell is `5`, `"a word"`, `true`, `{value, low, high}`, `{reason}`, or
`null` where it is computed or empty. A page copies the inputs, changes some, and calls `compute`,
which gives `{scalars: {name: cell}, tables: {name: {column: [cell]}}}` with cells
`{value, low, high}`, `{value}` for words, or `{reason}`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from importlib.resources import files
from typing import Any

from scalesheet.evaluate.routes import graph
from scalesheet.language.syntax import ENDS, Aggregate, Cell, Lookup, Title, walk
from scalesheet.language.syntax import Column as ColumnReference
from scalesheet.model import Book, Ends, Formula, Key, Plan, Stated, Table
from scalesheet.printers.base import number
from scalesheet.printers.javascript import javascript, quoted


def runtime() -> str:
    """The script that every program needs before it."""
    return files("scalesheet.printers").joinpath("runtime.js").read_text(encoding="utf-8")


def program(plan: Plan, book: Book, free: Iterable[str] = ()) -> str:
    """The script of one plan.

    With inputs that are `free` it has a function more, for a page that tries many values of these:
    `begin(inputs)` gives one that takes such values by name, computes only what follows from them,
    and returns the cells `{s, t}`, which its next call writes over.
    """
    catalogue = reached(plan, book)
    tables = {**{name: book.tables[name] for name in catalogue}, **plan.tables}
    keys = [key for key in book.order if key.table in catalogue] + list(plan.order)
    following = _following(plan, book, free)
    steps = [line for key in keys if key not in following for line in _step(key, plan, tables)]
    again = [line for key in keys if key in following for line in _step(key, plan, tables)]
    return "\n".join(
        [
            "(() => {",
            '"use strict";',
            "const rt = scalesheet.runtime;",
            f"scalesheet.plans[{quoted(plan.id)}] = {{",
            f"inputs: {_inputs(plan, tables)},",
            *(_computing(steps) if not following else _trying(steps, again)),
            "};",
            "})();",
            "",
        ]
    )


def _following(plan: Plan, book: Book, free: Iterable[str]) -> Set[Key]:
    """What is computed from the named inputs."""
    starts = [Key(name) for name in free]
    routes = graph(book, plan, plan.scalars, ENDS)
    return {key for key, _ in routes.route((key, end) for key in starts for end in ENDS)}


def _computing(steps: Iterable[str]) -> Iterator[str]:
    yield from ("compute(inputs) {", "const { s, t } = rt.start(inputs);")
    yield from (*steps, "return rt.finish(s, t);", "},")


def _trying(steps: Iterable[str], again: Iterable[str]) -> Iterator[str]:
    yield from ("begin(inputs) {", "const { s, t } = rt.start(inputs);", *steps)
    yield from ("return (changed) => {", "for (const [name, value] of Object.entries(changed))")
    yield from ("s[name] = { value, low: value, high: value };", *again, "return { s, t };", "};")
    yield from ("},", "compute(inputs) {", "const { s, t } = this.begin(inputs)({});")
    yield from ("return rt.finish(s, t);", "},")


def reached(plan: Plan, book: Book) -> list[str]:
    """The catalogue tables that the plan looks into, and those that these look into, sorted."""
    found: set[str] = set()
    waiting = [name for name in plan.catalogue if name in book.tables]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        formulas = _formulas(book.tables[name])
        waiting += [other for other in _tables_in(formulas) if other in book.tables]
    return sorted(found)


def _formulas(table: Table) -> Iterator[Formula]:
    for column in table.columns.values():
        yield from column.own.values()
        if column.formula is not None:
            yield column.formula


def _tables_in(formulas: Iterable[Formula]) -> Iterator[str]:
    for formula in formulas:
        for end in (formula.ends.value, formula.ends.low, formula.ends.high):
            for node in walk(end) if end is not None else ():
                if isinstance(node, Aggregate | Cell | Lookup | ColumnReference | Title):
                    yield node.table


# ------------------------------------------------------------------ inputs


def _inputs(plan: Plan, tables: Mapping[str, Table]) -> str:
    scalars = {name: _cell(scalar.stated) for name, scalar in plan.scalars.items()}
    return _object(
        {
            "scalars": _object(scalars),
            "tables": _object({name: _table(table) for name, table in tables.items()}),
        }
    )


def _table(table: Table) -> str:
    columns = {
        name: _list(_cell(column.stated.get(row)) for row in table.rows)
        for name, column in table.columns.items()
    }
    ids, titles = (_list(map(quoted, each)) for each in (table.rows, table.row_titles))
    return _object({"rows": ids, "titles": titles, "columns": _object(columns)})


def _cell(stated: Stated | None) -> str:
    """A stated cell; null where it is computed, empty, or an open bound."""
    if stated is None:
        return "null"
    if stated.reason is not None:
        return _object({"reason": quoted(stated.reason)})
    if stated.ranged:
        ends = {"value": stated.value, "low": stated.low, "high": stated.high}
        return _object({name: _plain(value) for name, value in ends.items()})
    return _plain(stated.value)


def _plain(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return quoted(value) if isinstance(value, str) else number(value)


def _object(members: Mapping[str, str]) -> str:
    # in brackets, since a bare "__proto__" would not be a member of its own
    pairs = (f"[{quoted(name)}]: {text}" for name, text in members.items())
    return f"{{ {', '.join(pairs)} }}" if members else "{}"


def _list(items: Iterable[str]) -> str:
    return f"[{', '.join(items)}]"


# ------------------------------------------------------------------ steps


def _step(key: Key, plan: Plan, tables: Mapping[str, Table]) -> Iterator[str]:
    """The lines that compute one key; none for what is stated."""
    if key.table is None:
        formula = plan.scalars[key.name].formula
        if formula is not None:
            yield f"s[{quoted(key.name)}] = rt.evaluate({_ends(formula.ends, '()')});"
        return
    table = tables[key.table]
    column = table.columns[key.name]
    place = f"t[{quoted(key.table)}]"
    if key.row is not None:
        row = table.rows.index(key.row)
        cell = f"{place}.columns[{quoted(key.name)}][{row}]"
        yield f"{cell} = rt.evaluate({_ends(column.own[key.row].ends, '(i)')}, {row});"
    elif column.formula is not None:
        others = [n for n, row in enumerate(table.rows) if row in {*column.stated, *column.own}]
        ends = _ends(column.formula.ends, "(i)")
        yield f"rt.fill({place}, {quoted(key.name)}, {others}, {ends});"


def _ends(ends: Ends, variables: str) -> str:
    """The three expressions as functions; null where an end is the value itself."""
    nodes = (ends.value, ends.low, ends.high)
    return ", ".join("null" if n is None else f"{variables} => {javascript(n)}" for n in nodes)
