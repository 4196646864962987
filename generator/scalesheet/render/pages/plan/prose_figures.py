"""The figures that names in a plan's prose refer to, with their values and where each is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scalesheet.frozen import dataclass
from scalesheet.model import Key, PageRow, Plan, Quantity, Scalar, Stated, Table
from scalesheet.prose import Cell, meaning, table_of
from scalesheet.render.pages.context import Context, address, cell_value, to
from scalesheet.render.pages.marks import of_cell, of_chosen
from scalesheet.values import Results, Value


@dataclass(frozen=True, slots=True)
class Here:
    """Where prose is: the page's id, and the row that the page is about, if any."""

    page: str
    row: PageRow | None = None


@dataclass(frozen=True, slots=True)
class ProseFigure:
    """A figure that prose names: `values` share its format, `target` is where it is shown in full.

    `title` is unambiguous out of context. `of` is its name in the page's script. `open` is set for
    an open bound, which has no value.
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


def find(
    context: Context, plan: Plan, results: Results, name: str, here: Here | None = None
) -> ProseFigure | None:
    """Find the figure that a name refers to, with its value; None for an unknown name."""
    here = here or Here(plan.id)
    meant = meaning(context.book, plan, name, here.row)
    if meant is None:
        return None
    start = meant.start
    if isinstance(start, PageRow):
        result = _of_row(context, plan, start)
    elif isinstance(start, Scalar):
        value = results.scalars[start.name]
        target = address(context, plan, Key(start.name), here.page)
        bound = open_bound(start.stated)
        result = ProseFigure(start, value, [value], target, start.title, start.name, bound)
    else:
        result = _cell(context, plan, results, start, here)
    for column in meant.columns:
        result = _follow(context, plan, results, result, column, here)
    return result


def _of_row(context: Context, plan: Plan, row: PageRow) -> ProseFigure:
    """The row that a page is about, as a reference to it."""
    table = table_of(context.book, plan, row.table)
    title = context.row_title(table, row.row) if table is not None else row.row
    quantity = Quantity(row.word, title, kind="reference", refers_to=row.table)
    return ProseFigure(quantity, Value(row.row), [Value(row.row)], "", title)


def _follow(
    context: Context, plan: Plan, results: Results, found: ProseFigure, column: str, here: Here
) -> ProseFigure:
    """A figure of the row that a reference names; the reference's own value if it names none."""
    table = table_of(context.book, plan, found.quantity.refers_to)
    assert table is not None
    of = of_chosen(table.name, found.of, column) if found.of is not None else None
    row = found.value.value
    if not isinstance(row, str) or row not in table.rows:
        return ProseFigure(
            table.columns[column], found.value, [found.value], found.target, found.title, of
        )
    cell = _cell(context, plan, results, Cell(table.name, row, column), here)
    return replace(cell, of=of or cell.of)


def _cell(context: Context, plan: Plan, results: Results, cell: Cell, here: Here) -> ProseFigure:
    if cell.table not in plan.tables:
        return _of_catalogue(context, context.book.tables[cell.table], cell.row, cell.column)
    name, row, column = cell.table, cell.row, cell.column
    table = plan.tables[name]
    quantity = table.columns[column]
    target = address(context, plan, Key(column, name), here.page)
    if row not in table.rows:
        lacks = Value(reason=f"not in {table.title}")
        return ProseFigure(quantity, lacks, [lacks], target, quantity.title)
    others = [each for each in row.split("--") if here.row is None or each != here.row.row]
    if len(others) == len(row.split("--")):
        others = [row]
    titles = [quantity.title, *(_title(context, plan, table, each) for each in others)]
    return ProseFigure(
        quantity,
        results.cell(name, row, column),
        list(results.tables[name][column]),
        target,
        ", ".join(titles),
        of_cell(name, row, column),
        open_bound(quantity.stated.get(row)),
    )


def _title(context: Context, plan: Plan, table: Table, id_: str) -> str:
    """The title of a row of the table, or of one of the axes that it crosses."""
    owners = [table, *(context.table(target, plan) for _, target in table.each)]
    titles = (context.row_title(t, id_) for t in owners if t is not None and id_ in t.rows)
    return next(titles, id_)


def _of_catalogue(context: Context, table: Table, row: str, column: str) -> ProseFigure:
    """A figure of a row of the catalogue."""
    quantity = table.columns[column]
    values = [cell_value(context, table, quantity, each) for each in table.rows]
    title = f"{quantity.title}, {context.row_title(table, row)}"
    return ProseFigure(
        quantity, values[table.rows.index(row)], values, to(table.name, row, "figures"), title
    )


def is_here(found: ProseFigure, here: Here) -> bool:
    """Return whether a reference names the row that its own page is about."""
    row = here.row
    return (
        row is not None and found.quantity.refers_to == row.table and found.value.value == row.row
    )
