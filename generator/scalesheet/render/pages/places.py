"""Which page of a plan shows a figure in full.

A small plan has one page. A larger one has its answer there, and further pages for the text, the
tables, the sensitivity, the inputs and the formulas, so that each opens quickly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from pathlib import PurePath

from scalesheet.model import Formula, Key, Plan, Scalar
from scalesheet.prose import MARKS, named, split
from scalesheet.render.pages.html import anchor
from scalesheet.scenarios import computed


def scalar_anchor(plan: Plan, scalar: Scalar) -> str:
    """The anchor of a scalar's input or formula; for the value of one scenario, that of the
    quantity that it belongs to."""
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
    """The part of a table that belongs to one row of another table."""
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

#: A plan with more formulas is divided into pages.
MOST_FORMULAS = 48
#: The size of a page of formulas: characters as written, plus a fixed number for the words around
#: each.
MOST_ON_PAGE = 6_500
AROUND = 60
#: The folder of the data with components.
COMPONENTS = "components"

#: The page of each part of a plan: tables and charts by name (`table runs`, `chart hours`), scalars
#: and columns by key, each with the id of a page.
Homes = Mapping[str | Key, str]


def formula_keys(plan: Plan) -> list[Key]:
    """The keys that the plan computes, in the order of its pages."""
    keys: dict[str | None, list[Key]] = {None: [], **{each.id: [] for each in plan.phases}}
    for phase, key in _formulas(plan):
        keys[phase].append(key)
    return list(chain.from_iterable(keys.values()))


def _formulas(plan: Plan) -> Iterator[tuple[str | None, Key]]:
    for scalar in plan.scalars.values():
        if scalar.formula is not None and not scalar.hidden and not scalar.is_input:
            yield scalar.phase, Key(scalar.name)
    for table in plan.tables.values():
        for column in table.columns.values():
            if computed(column):
                yield table.phase, Key(column.name, table.name)


def divided(plan: Plan) -> bool:
    """Return whether the plan has more than one page."""
    return any(True for _ in islice(_formulas(plan), MOST_FORMULAS, None))


def part(plan: Plan, name: str) -> str:
    """The id of a page of a divided plan; no entity has a period in its id."""
    return f"{plan.id}.{name}" if divided(plan) else plan.id


def formula_pages(plan: Plan) -> Mapping[str, list[Key]]:
    """The formulas of each page that has any, by the page's id."""
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
    """The formulas of a figure, empty for one that a component's page explains; a column may have
    several."""
    if key.table is None:
        formulas: tuple[Formula | None, ...] = (plan.scalars[key.name].formula,)
    else:
        column = plan.tables[key.table].columns[key.name]
        formulas = (column.formula, *column.own.values())
    return {
        "" if each.position and COMPONENTS in PurePath(each.position.path).parts else each.text
        for each in formulas
        if each is not None
    }


_HEADING = re.compile(r"^##? ", re.MULTILINE)


def lead(plan: Plan) -> tuple[str, str]:
    """The text of a plan before its first heading, and the rest."""
    fences = [mark.span() for mark in MARKS.finditer(plan.page) if mark["block"] is not None]
    for found in _HEADING.finditer(plan.page):
        at = found.start()
        if not any(start <= at < end for start, end in fences):
            return plan.page[:at], plan.page[at:]
    return plan.page, ""


def homes(plan: Plan) -> Homes:
    """The page that shows each table, chart, input and formula.

    A table or chart is on the plan's own page, on a further page, or else on the page of tables.
    Pages of rows repeat what other pages show.
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
    """The tables and charts that a text draws, such as `table runs`."""
    return [f"{kind} {name}" for kind, name in map(split, named(text)) if kind]


def row_page(plan: Plan, table: str, row: str) -> str | None:
    """The id of the page about a row, if there is one."""
    pages = (p.id for p in plan.pages if p.row and (p.row.table, p.row.row) == (table, row))
    return next(pages, None)


def address_of(homes: Homes, plan: Plan, key: Key, here: str) -> str:
    """The address where a figure is shown in full, from the page `here` of the plan."""
    name = key.name
    if key.table is None and (of := plan.scalars[name].side_of):
        name = of
    return within(here, homes.get(Key(name, key.table), plan.id), place(plan, key))


def within(here: str, page: str, part: str) -> str:
    """The address of a part of a plan's page, from the page `here`."""
    return f"#{part}" if page == here else f"{page}.md#{part}"
