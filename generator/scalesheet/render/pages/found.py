"""What a name in the prose of a plan stands for: a figure, a cell, a row, a figure of a row.

A name is looked up and never computed with.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scalesheet.model import Key, PageRow, Plan, Quantity, Scalar, Stated, Table
from scalesheet.render.pages.context import Context, cell_value, to
from scalesheet.render.pages.marks import of_cell, of_chosen
from scalesheet.render.pages.places import address, scalar_address
from scalesheet.values import Results, Value

_ITEM = r"(?:'[^']+'|[a-z][a-z0-9_]*)"
_CELL = re.compile(
    rf"(?P<table>[\w.]+)\[(?P<row>{_ITEM}(?:\s*,\s*{_ITEM})*)\]\.(?P<column>\w+)(?P<rest>(?:\.\w+)*)"
)


@dataclass(frozen=True, slots=True)
class Here:
    """Where prose stands: the page by its id, and the row that the page is about, if any."""

    page: str
    row: PageRow | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A figure that prose names: `values` share its format, `target` says all about it.

    `title` tells it from others where it stands alone. `of` is its name for the page's script.
    `open` is set for an open bound, which has no value.
    """

    quantity: Quantity
    value: Value
    values: Sequence[Value]
    target: str
    title: str
    of: str | None = None
    open: Stated | None = None


def open_bound(stated: Stated | None) -> Stated | None:
    """The stated value if it is an open bound."""
    if stated is None or (stated.at_least is None and stated.at_most is None):
        return None
    return stated


def scalar_named(plan: Plan, name: str) -> Scalar | None:
    """A scalar by its name; `total.hours` is short for `phases.total.hours`."""
    return plan.scalars.get(name) or plan.scalars.get(f"phases.{name}")


def find(
    context: Context, plan: Plan, results: Results, name: str, here: Here | None = None
) -> Found | None:
    """What prose means by a name: the row of its page (`scale`, `scale.params`), a scalar, a cell
    (`phases.sft.hours`, `t['row'].c`, `t[scale, 'a100'].c`), or a figure of a row that one of
    these refers to (`gpu.memory`).
    """
    here = here or Here(plan.id)
    first, _, rest = name.partition(".")
    if here.row is not None and first == here.row.word:
        return _follow(context, plan, results, _of_row(context, plan, here.row), rest, here)
    for owner, below in _splits(name):
        scalar = scalar_named(plan, owner)
        if scalar is not None:
            value = results.scalars[scalar.name]
            target = scalar_address(plan, scalar, here.page)
            found = Found(scalar, value, [value], target, scalar.title, scalar.name,
                          open_bound(scalar.stated))  # fmt: skip
            return _follow(context, plan, results, found, below, here)
    match = _CELL.fullmatch(name)
    if match is not None:
        row = _row_id(match["row"], here)
        below = match["rest"].removeprefix(".")
        at = (match["table"], row, match["column"])
        if at[0] not in plan.tables and at[0] in context.book.tables:
            of_row = _of_catalogue(context, context.book.tables[at[0]], row, at[2], None)
            return _follow(context, plan, results, of_row, below, here) if of_row else None
    else:
        table, _, cell = name.partition(".")
        row, _, cell = cell.partition(".")
        column, _, below = cell.partition(".")
        at = (table, row, column)
        if table != "phases":
            return None
    found_cell = _cell(context, plan, results, at, here)
    return _follow(context, plan, results, found_cell, below, here) if found_cell else None


def _splits(name: str) -> list[tuple[str, str]]:
    """A dotted name as owner and rest, the longest owner first."""
    parts = name.split(".")
    return [(".".join(parts[:n]), ".".join(parts[n:])) for n in range(len(parts), 0, -1)]


def _row_id(items: str, here: Here) -> str:
    """`scale, 'a100'` as the id of a row; a cross table's rows have the ids of both."""
    ids = []
    for item in re.findall(_ITEM, items):
        if here.row is not None and item == here.row.word:
            ids.append(here.row.row)
        else:
            ids.append(item.strip("'") if item[0] == "'" else "")
    return "--".join(ids)


def _of_row(context: Context, plan: Plan, row: PageRow) -> Found:
    """The row that a page is about, as a reference to it."""
    table = context.table(row.table, plan)
    title = context.row_title(table, row.row) if table is not None else row.row
    quantity = Quantity(row.word, title, kind="reference", refers_to=row.table)
    return Found(quantity, Value(row.row), [Value(row.row)], "", title)


def _follow(
    context: Context, plan: Plan, results: Results, found: Found, rest: str, here: Here
) -> Found | None:
    """A figure of the row that a reference names, and so on for each part of the rest."""
    if not rest:
        return found
    column, _, below = rest.partition(".")
    table, row = found.quantity.refers_to, found.value.value
    if table is None or not isinstance(row, str):
        return None
    if table in plan.tables:
        cell = _cell(context, plan, results, (table, row, column), here)
        if cell is not None and found.of is not None:
            cell = replace(cell, of=of_chosen(table, found.of, column))
    else:
        cell = _of_catalogue(context, context.book.tables[table], row, column, found.of)
    return _follow(context, plan, results, cell, below, here) if cell is not None else None


def _cell(
    context: Context, plan: Plan, results: Results, at: tuple[str, str, str], here: Here
) -> Found | None:
    name, row, column = at
    table = plan.tables.get(name)
    if table is None or row not in table.rows or column not in table.columns:
        return None
    quantity = table.columns[column]
    others = [each for each in row.split("--") if here.row is None or each != here.row.row]
    if len(others) == len(row.split("--")):
        others = [row]
    told = [quantity.title, *(_title(context, plan, table, each) for each in others)]
    return Found(
        quantity,
        results.cell(name, row, column),
        list(results.tables[name][column]),
        address(context, plan, Key(column, name), here.page),
        ", ".join(told),
        of_cell(name, row, column),
        open_bound(quantity.stated.get(row)),
    )


def _title(context: Context, plan: Plan, table: Table, id_: str) -> str:
    """The title of a row of the table, or of one of the axes that it crosses."""
    owners = [table, *(context.table(target, plan) for _, target in table.each)]
    titles = (context.row_title(t, id_) for t in owners if t is not None and id_ in t.rows)
    return next(titles, id_)


def _of_catalogue(
    context: Context, table: Table, row: str, column: str, key: str | None
) -> Found | None:
    """A figure of a row of the catalogue, which the quantity `key` chose."""
    if column not in table.columns or row not in table.rows:
        return None
    quantity = table.columns[column]
    values = [cell_value(context, table, quantity, each) for each in table.rows]
    title = f"{quantity.title}, {context.row_title(table, row)}"
    target = to(table.name, row, "figures")
    of = of_chosen(table.name, key, column) if key is not None else None
    return Found(quantity, values[table.rows.index(row)], values, target, title, of)


def is_here(found: Found, here: Here) -> bool:
    """Whether a reference names the row that its own page is about."""
    row = here.row
    return (
        row is not None and found.quantity.refers_to == row.table and found.value.value == row.row
    )
