"""Where a figure of a plan comes from: its formula, what that names, and which source states it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from scalesheet.book import Book
from scalesheet.diff.printing import said
from scalesheet.evaluate.references import formulas_at, named_by, rests_on, told_once
from scalesheet.model import Citation, Key, Plan, Quantity, Stated, Table
from scalesheet.nearest import nearest
from scalesheet.render.text.plan import aligned, amount, table_text
from scalesheet.resolve.order import name_of
from scalesheet.values import Results
from scalesheet.vocabulary import counted

_CELL = re.compile(r"(?P<table>[a-z0-9_.]+)\['?(?P<row>[a-z0-9_-]+)'?\]\.(?P<column>[a-z0-9_]+)")


class UnknownName(ValueError):
    """A name that is neither a quantity nor a table of the plan."""


def why_text(book: Book, plan: Plan, results: Results, name: str) -> str:
    """A table with its rows, or a figure with its formula, what the formula names, and the sources
    of all that it rests on. Raises UnknownName."""
    if name in plan.tables:
        return "\n".join(table_text(book, results, plan.tables[name])) + "\n"
    table, _, column = name.rpartition(".")
    if name not in plan.scalars and table in plan.tables and column in plan.tables[table].columns:
        return "\n".join(_column(book, plan, results, plan.tables[table], column)) + "\n"
    key = key_of(plan, name)
    quantity = quantity_of(book, plan, key)
    lines = [f"{quantity.title} ({name_of(key)})", "", f"  {_value(book, results, quantity, key)}"]
    lines += [f"  {line}" for line in _origin(book, plan, key)]
    named = [_named(book, plan, results, each) for each in named_by(book, plan, results, key)]
    lines += ["", "From", *aligned(named, numbers=frozenset())] if named else []
    behind = told_once(rests_on(book, plan, results, key))
    if named and behind:
        assumed = sum(each.basis == "assumption" for each in behind)
        head = f"Based on {counted(len(behind), 'input')}, {assumed} assumed, by source"
        lines += ["", head, *aligned(_sources(book, behind), numbers=frozenset())]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _column(book: Book, plan: Plan, results: Results, table: Table, column: str) -> list[str]:
    """A column by its cells, each under the name that asks where it comes from."""
    keys = [Key(column, table.name, row) for row in table.rows]
    rows = [_named(book, plan, results, key) for key in keys]
    head = f"{table.columns[column].title} ({table.name}.{column})"
    return [head, "", *aligned(rows, numbers=frozenset())]


def key_of(plan: Plan, name: str) -> Key:
    """The key of a scalar or of a cell by its name. Raises UnknownName with the nearest."""
    match = _CELL.fullmatch(name)
    if match is None:
        if name in plan.scalars:
            return Key(name)
        columns = [f"{t.name}.{column}" for t in plan.tables.values() for column in t.columns]
        known = [*plan.scalars, *plan.tables, *columns]
        raise UnknownName(f"'{name}' is not a figure or a table of the plan{nearest(name, known)}")
    table = plan.tables.get(match["table"])
    if table is None:
        raise UnknownName(
            f"there is no table '{match['table']}'{nearest(match['table'], plan.tables)}"
        )
    for what, found, names in (
        ("row", match["row"], list(table.rows)),
        ("column", match["column"], list(table.columns)),
    ):
        if found not in names:
            message = f"'{found}' is not a {what} of {table.name}{nearest(found, names)}"
            raise UnknownName(message)
    return Key(match["column"], table.name, match["row"])


def quantity_of(book: Book, plan: Plan, key: Key) -> Quantity:
    """What a key is of."""
    if key.table is None:
        return plan.scalars[key.name]
    return (plan.tables.get(key.table) or book.tables[key.table]).columns[key.name]


def _value(book: Book, results: Results, quantity: Quantity, key: Key) -> str:
    if key.table is None:
        return amount(book, quantity, results.scalars[key.name])
    if key.row is None:
        return counted(len(results.rows[key.table]), "row")
    return amount(book, quantity, results.cell(key.table, key.row, key.name))


def _origin(book: Book, plan: Plan, key: Key) -> Iterator[str]:
    """The formula, or who states it and what is noted of it."""
    stated = stated_at(book, plan, key)
    if stated is None:
        for formula in formulas_at(book, plan, key):
            yield f"= {formula.text}"
    else:
        yield said(book, stated)
    note = quantity_of(book, plan, key).note
    if note:
        yield note


def stated_at(book: Book, plan: Plan, key: Key) -> Stated | None:
    if key.table is None:
        return plan.scalars[key.name].stated
    table = plan.tables.get(key.table) or book.tables[key.table]
    return table.columns[key.name].stated.get(key.row or "")


def _named(book: Book, plan: Plan, results: Results, key: Key) -> tuple[str, ...]:
    quantity, stated = quantity_of(book, plan, key), stated_at(book, plan, key)
    origin = said(book, stated) if stated is not None else "computed"
    return name_of(key), _value(book, results, quantity, key), quantity.title, origin


def _sources(book: Book, stated: Iterable[Stated]) -> list[tuple[str, str]]:
    """How many of the stated numbers behind a figure are from where, the most first."""
    origins = Counter(
        each.basis if each.citation is None else _title(book, each.citation) for each in stated
    )
    order = sorted(origins.items(), key=lambda item: (-item[1], item[0]))
    return [(str(count), origin) for origin, count in order]


def _title(book: Book, citation: Citation) -> str:
    source = book.sources.get(citation.key)
    return source.title if source is not None else citation.key
