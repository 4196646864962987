"""What the prose of a plan may name, and what each name gives on the plan's page."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scalesheet.model import Chart, Key, Plan, Quantity, Scalar, Table
from scalesheet.numbers import format_of
from scalesheet.render.charts import chart_svg
from scalesheet.render.pages.context import Context, cell_value, to
from scalesheet.render.pages.figures import amount, cell, ends
from scalesheet.render.pages.formulas import short_formula
from scalesheet.render.pages.html import Html, inline, join, link, tag
from scalesheet.render.pages.places import (
    chart_anchor,
    is_input,
    place,
    scalar_anchor,
    table_anchor,
)
from scalesheet.render.pages.plan_tables import plan_table
from scalesheet.render.pages.tables import grid, heading_cell, reference
from scalesheet.render.pages.template import Block, Names
from scalesheet.values import Results, Value

_CELL = re.compile(r"(?P<table>[\w.]+)\['(?P<row>[^']+)'\]\.(?P<column>\w+)")


def plan_names(context: Context, plan: Plan, results: Results, placed: set[str]) -> Names:
    """The names of a plan. What has been drawn is added to `placed`, as `table phases`: a second
    mention of a table or chart becomes a link to the first.
    """
    charts = {chart.id: chart for chart in plan.charts}

    def once(name: str, target: str, title: str, draw: Callable[[], Html]) -> Block:
        if name in placed:
            return Block(tag("p", link(f"#{target}", title)))
        placed.add(name)
        return Block(draw())

    def table(name: str) -> Html | None:
        found = plan.tables.get(name)
        if found is None:
            return None
        return once(
            f"table {name}",
            table_anchor(name),
            found.title,
            lambda: table_block(context, plan, found, results),
        )

    def chart(name: str) -> Html | None:
        found = charts.get(name)
        if found is None:
            return None
        return once(
            f"chart {name}",
            chart_anchor(name),
            found.title,
            lambda: chart_block(context, plan, found, results),
        )

    def formula(name: str) -> Html | None:
        scalar = scalar_named(plan, name)
        if scalar is None or scalar.formula is None or is_input(plan, scalar):
            return None
        return Block(short_formula(context, plan, results, scalar, scalar.formula))

    computed = tuple(s.name for s in plan.scalars.values() if s.formula is not None)
    return Names(
        {
            "": lambda name: _figure(context, plan, results, name),
            "table": table,
            "chart": chart,
            "formula": formula,
        },
        {
            "": (*plan.scalars, *_cells(plan)),
            "table": tuple(plan.tables),
            "chart": tuple(charts),
            "formula": computed,
        },
    )


def _cells(plan: Plan) -> list[str]:
    """Figures of phases, as `phases.sft.hours`."""
    table = plan.tables.get("phases")
    if table is None:
        return []
    return [f"phases.{row}.{column}" for row in table.rows for column in table.columns]


def scalar_named(plan: Plan, name: str) -> Scalar | None:
    """A scalar by its name; `total.hours` is short for `phases.total.hours`."""
    return plan.scalars.get(name) or plan.scalars.get(f"phases.{name}")


@dataclass(frozen=True, slots=True)
class Found:
    """A figure that prose names: `values` share its format, `target` says all about it."""

    quantity: Quantity
    value: Value
    values: Sequence[Value]
    target: str


def _figure(context: Context, plan: Plan, results: Results, name: str) -> Html | None:
    """A figure in running text, linked to where the site says all about it."""
    found = find(context, plan, results, name)
    if found is None:
        return None
    quantity, value = found.quantity, found.value
    if quantity.kind == "reference" and value.reason is None:
        return reference(context, plan, quantity, value)
    fmt = format_of(quantity, found.values, context.book.units)
    shown = amount(value, fmt, context.symbol(quantity), range_=False)
    told = ends(value, fmt)
    ranged = tag("span", inline(f"({told})"), class_="range") if told else None
    return join([link(found.target, shown, class_="figure-link"), " " if told else None, ranged])


def find(context: Context, plan: Plan, results: Results, name: str) -> Found | None:
    """What prose means by a name: a scalar, a cell (`phases.sft.hours`, `t['row'].c`), or a figure
    of a chosen row of the catalogue (`gpu.memory`).
    """
    scalar = scalar_named(plan, name)
    if scalar is not None:
        value = results.scalars[scalar.name]
        return Found(scalar, value, [value], f"#{scalar_anchor(plan, scalar)}")
    match = _CELL.fullmatch(name)
    if match is not None:
        return _cell(plan, results, match["table"], match["row"], match["column"])
    first, _, last = name.rpartition(".")
    chosen = plan.scalars.get(first)
    if chosen is not None and chosen.refers_to in context.book.tables:
        return _chosen(context, results, chosen, last)
    table, _, row = first.partition(".")
    return _cell(plan, results, table, row, last) if table == "phases" else None


def _cell(plan: Plan, results: Results, table: str, row: str, column: str) -> Found | None:
    found = plan.tables.get(table)
    if found is None or row not in found.rows or column not in found.columns:
        return None
    values = list(results.tables[table][column])
    target = f"#{place(plan, Key(column, table))}"
    return Found(found.columns[column], results.cell(table, row, column), values, target)


def _chosen(context: Context, results: Results, chosen: Scalar, column: str) -> Found | None:
    assert chosen.refers_to is not None
    table = context.book.tables[chosen.refers_to]
    row = results.scalars[chosen.name].value
    if column not in table.columns or not isinstance(row, str):
        return None
    quantity = table.columns[column]
    values = [cell_value(context, table, quantity, each) for each in table.rows]
    value = values[table.rows.index(row)]
    return Found(quantity, value, values, to(table.name, row, "figures"))


# ------------------------------------------------------------------ blocks


def table_block(context: Context, plan: Plan, table: Table, results: Results) -> Html:
    """A table at its place on the page."""
    return tag("div", plan_table(context, plan, table, results), id=table_anchor(table.name))


def chart_block(context: Context, plan: Plan, chart: Chart, results: Results) -> Html:
    """A chart with its caption and its numbers."""
    table = plan.tables[chart.table]
    column = table.columns[chart.column]
    series, rows = results.tables[table.name][column.name], results.rows[table.name]
    fmt = format_of(column, series, context.book.units)
    symbol = context.symbol(column)
    body = [
        [tag("th", context.row_title(table, row), scope="row"), cell(value, fmt)]
        for row, value in zip(rows, series, strict=True)
    ]
    head = [heading_cell(table.title), heading_cell(column.title, symbol, number=True)]
    return tag(
        "figure",
        tag("figcaption", tag("strong", chart.title)),
        "\n",
        Html(chart_svg(chart, table, series, rows, context.book.units)),
        "\n",
        tag("details", tag("summary", "The chart's numbers"), grid(head, body), class_="quiet"),
        class_="chart",
        id=chart_anchor(chart.id),
    )
