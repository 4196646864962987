"""Where the pages of a plan say all about a figure."""

from __future__ import annotations

from collections.abc import Mapping

from scalesheet.model import Key, Plan, Scalar
from scalesheet.prose import named, split
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


def homes(plan: Plan) -> Mapping[str, str]:
    """The page that draws a table or chart (`table runs`, `chart hours`), where a further page
    does and the plan's own does not. Pages of rows draw what has its home elsewhere."""
    own = set(blocks(plan.page))
    result: dict[str, str] = {}
    for page in plan.pages:
        if page.row is None:
            for block in blocks(page.text):
                if block not in own:
                    result.setdefault(block, page.id)
    return result


def blocks(text: str) -> list[str]:
    """What a text draws, as `table runs`."""
    return [f"{kind} {name}" for kind, name in map(split, named(text)) if kind]


def row_page(plan: Plan, table: str, row: str) -> str | None:
    """The page that is about a row."""
    pages = (p.id for p in plan.pages if p.row and (p.row.table, p.row.row) == (table, row))
    return next(pages, None)


def scalar_address(plan: Plan, scalar: Scalar, here: str) -> str:
    """Where a scalar is shown in full, from a page of a plan."""
    return within(here, plan.id, scalar_anchor(plan, scalar))


def within(here: str, page: str, part: str) -> str:
    """The address of a part of a plan's page from another of its pages."""
    return f"#{part}" if page == here else f"{page}.md#{part}"
