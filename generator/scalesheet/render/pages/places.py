"""Where the pages of a plan say all about a figure.

A small plan has one page. A larger one has its answer there, and further pages for the rest, so
that each of them opens at once: its text, its tables, what moves it, its inputs, its formulas.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain

from scalesheet.model import Key, Plan, Scalar
from scalesheet.prose import MARKS, named, split
from scalesheet.render.pages.html import anchor
from scalesheet.scenarios import computed


def scalar_anchor(plan: Plan, scalar: Scalar) -> str:
    """Its line among the inputs, else its formula; that of both sides where it is one of them."""
    if scalar.side_of:
        scalar = plan.scalars[scalar.side_of]
    return f"{'i' if scalar.is_input else 'f'}.{anchor(scalar.name)}"


def column_anchor(table: str, column: str, *row: str) -> str:
    return f"f.{anchor(table, column, *row)}"


def table_anchor(table: str) -> str:
    return f"t.{anchor(table)}"


def chart_anchor(chart: str) -> str:
    return f"c.{anchor(chart)}"


def block_anchor(table: str, row: str) -> str:
    """The part of a table that belongs to one row of another."""
    return f"t.{anchor(table, row)}"


def place(plan: Plan, key: Key) -> str:
    """The anchor of a scalar, or of a column: its formula, else its table."""
    if key.table is None:
        return scalar_anchor(plan, plan.scalars[key.name])
    table = plan.tables[key.table]
    if computed(table.columns[key.name]):
        return column_anchor(key.table, key.name)
    return table_anchor(key.table)


# ------------------------------------------------------------------ pages

#: A plan of more formulas is divided.
MOST_FORMULAS = 48
#: How much a page of formulas holds: letters as written, and as many for the words around each.
MOST_ON_PAGE = 6_500
AROUND = 60

#: Where a plan says what: names of tables and charts (`table runs`, `chart hours`) and keys of
#: scalars and columns, each with the id of a page.
Homes = Mapping[str | Key, str]


def formula_keys(plan: Plan) -> list[Key]:
    """What the plan computes, in the order in which its pages show it."""
    keys: dict[str | None, list[Key]] = {None: [], **{each.id: [] for each in plan.phases}}
    for scalar in plan.scalars.values():
        if scalar.formula is not None and not scalar.hidden and not scalar.is_input:
            keys[scalar.phase].append(Key(scalar.name))
    for table in plan.tables.values():
        columns = (column for column in table.columns.values() if computed(column))
        keys[table.phase] += [Key(column.name, table.name) for column in columns]
    return list(chain.from_iterable(keys.values()))


def divided(plan: Plan) -> bool:
    """Whether the plan has pages of its own for what its answer rests on."""
    return len(formula_keys(plan)) > MOST_FORMULAS


def part(plan: Plan, name: str) -> str:
    """The id of a page of a divided plan. No entity has a point in its id."""
    return f"{plan.id}.{name}" if divided(plan) else plan.id


def formula_pages(plan: Plan) -> Mapping[str, list[Key]]:
    """The formulas of each page that has some, by its id."""
    keys = formula_keys(plan)
    if not divided(plan):
        return {plan.id: keys}
    pages: list[list[Key]] = []
    room = 0
    for key in keys:
        size = sum(len(text) + AROUND for text in _texts(plan, key))
        if room < size:
            pages.append([])
            room = MOST_ON_PAGE
        pages[-1].append(key)
        room -= size
    return {f"{plan.id}.formulas-{n}": page for n, page in enumerate(pages, 1)}


def _texts(plan: Plan, key: Key) -> set[str]:
    """The formulas of a figure: a column may have several."""
    if key.table is None:
        formula = plan.scalars[key.name].formula
        return {formula.text} if formula is not None else set()
    column = plan.tables[key.table].columns[key.name]
    return {each.text for each in (column.formula, *column.own.values()) if each is not None}


_HEADING = re.compile(r"^##? ", re.MULTILINE)


def lead(plan: Plan) -> tuple[str, str]:
    """The text of a plan before its first heading, and the rest of it."""
    fences = [mark.span() for mark in MARKS.finditer(plan.page) if mark["block"] is not None]
    for found in _HEADING.finditer(plan.page):
        at = found.start()
        if not any(start <= at < end for start, end in fences):
            return plan.page[:at], plan.page[at:]
    return plan.page, ""


def homes(plan: Plan) -> Homes:
    """The page that draws each table and chart: the plan's own, a further page, or else that of its
    tables; and the page of each input and formula. Pages of rows draw what has its home elsewhere.
    """
    result: dict[str | Key, str] = {}
    first, rest = lead(plan) if divided(plan) else (plan.page, "")
    result.update(dict.fromkeys(blocks(first), plan.id))
    for text, page in (
        (rest, part(plan, "text")),
        *((page.text, page.id) for page in plan.pages if page.row is None),
    ):
        for block in blocks(text):
            result.setdefault(block, page)
    tables, inputs = part(plan, "tables"), part(plan, "inputs")
    for each in (*(f"table {t}" for t in plan.tables), *(f"chart {c.id}" for c in plan.charts)):
        result.setdefault(each, tables)
    for scalar in plan.scalars.values():
        if scalar.is_input:
            result[Key(scalar.name)] = inputs
    for page, keys in formula_pages(plan).items():
        result.update(dict.fromkeys(keys, page))
    for table in plan.tables.values():
        for column in table.columns:
            result.setdefault(Key(column, table.name), result[f"table {table.name}"])
    return result


def blocks(text: str) -> list[str]:
    """What a text draws, as `table runs`."""
    return [f"{kind} {name}" for kind, name in map(split, named(text)) if kind]


def row_page(plan: Plan, table: str, row: str) -> str | None:
    """The page that is about a row."""
    pages = (p.id for p in plan.pages if p.row and (p.row.table, p.row.row) == (table, row))
    return next(pages, None)


def address_of(homes: Homes, plan: Plan, key: Key, here: str) -> str:
    """Where a figure is shown in full, from a page of the plan; `here` is that page's id."""
    name = key.name
    if key.table is None and (of := plan.scalars[name].side_of):
        name = of
    return within(here, homes.get(Key(name, key.table), plan.id), place(plan, key))


def within(here: str, page: str, part: str) -> str:
    """The address of a part of a plan's page from another of its pages."""
    return f"#{part}" if page == here else f"{page}.md#{part}"
