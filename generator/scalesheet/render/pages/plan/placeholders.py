"""What the prose of a plan may name, and what each name gives on the plan's page."""

from __future__ import annotations

from collections.abc import Callable

from scalesheet.model import Plan, Table
from scalesheet.numbers import format_of
from scalesheet.prose import HISTORY, belonging, scalar_named
from scalesheet.render.pages.chart_blocks import chart_block
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.figures import amount, bound, ends
from scalesheet.render.pages.html import Html, inline, join, link, tag
from scalesheet.render.pages.marks import mark
from scalesheet.render.pages.places import block_anchor, chart_anchor, table_anchor
from scalesheet.render.pages.plan.formulas import short_formula
from scalesheet.render.pages.plan.prose_figures import Here, find, is_here
from scalesheet.render.pages.plan.tables import plan_table
from scalesheet.render.pages.plan.template import Block, Names
from scalesheet.render.pages.tables import grid, heading_cell, reference
from scalesheet.values import Results


def plan_names(
    context: Context, plan: Plan, results: Results, placed: set[str], here: Here | None = None
) -> Names:
    """The names of a plan on one of its pages. What has been drawn is added to `placed`, as
    `table phases`: a second mention of a table or chart becomes a link to the first.
    """
    here = here or Here(plan.id)
    charts = {chart.id: chart for chart in plan.charts}

    def once(name: str, target: str, title: str, draw: Callable[[], Html]) -> Block:
        if name in placed:
            return Block(tag("p", link(f"#{target}", title)))
        placed.add(name)
        return Block(draw())

    def table(name: str) -> Html | None:
        name, _, word = name.partition(" where ")
        drawn = plan.tables.get(name)
        if drawn is None:
            return None
        if word:
            return part(drawn, word)
        return once(
            f"table {name}",
            table_anchor(name),
            drawn.title,
            lambda: table_block(context, plan, drawn, results, here),
        )

    def part(table: Table, word: str) -> Html | None:
        """The rows of a table that belong to the row of the page."""
        column = belonging(table, here.row) if here.row and here.row.word == word else None
        if column is None or here.row is None:
            return None
        only = (column, here.row.row)
        target = block_anchor(table.name, here.row.row)
        return once(
            f"table {table.name} where {word}",
            target,
            table.title,
            lambda: tag("div", plan_table(context, plan, table, results, here, only), id=target),
        )

    def chart(name: str) -> Html | None:
        drawn = charts.get(name)
        if drawn is None:
            return None
        return once(
            f"chart {name}",
            chart_anchor(name),
            drawn.title,
            lambda: chart_block(context, plan, drawn, results),
        )

    def formula(name: str) -> Html | None:
        scalar = scalar_named(plan, name)
        if scalar is None or scalar.formula is None or scalar.is_input:
            return None
        return Block(short_formula(context, plan, results, scalar, scalar.formula, here.page))

    def figure(name: str) -> Html | None:
        if name == HISTORY and plan.history:
            return Block(history_table(plan))
        return _figure(context, plan, results, name, here)

    return {"": figure, "table": table, "chart": chart, "formula": formula}


def _figure(context: Context, plan: Plan, results: Results, name: str, here: Here) -> Html | None:
    """A figure in running text, linked to where the site says all about it."""
    found = find(context, plan, results, name, here)
    if found is None:
        return None
    quantity, value = found.quantity, found.value
    if quantity.kind == "reference" and value.reason is None:
        if is_here(found, here):
            return inline(found.title)
        shown = reference(context, plan, quantity, value)
        return tag("span", shown, **mark(found.of, "row")) if found.of else shown
    if quantity.kind == "text" and isinstance(value.value, str):
        if quantity.show.code:
            return code_block(value.value, found.of)
        return tag("span", inline(value.value), **mark(found.of, "text"))
    fmt = format_of(quantity, found.values, context.book.units)
    if quantity.kind == "reference" and found.of:
        # with other inputs there may be a row, and a link to it
        return tag("span", amount(value, fmt), **mark(found.of, "row"))
    if found.open is not None:
        least = bound(found.open, fmt, context.symbol(quantity))
        return link(found.target, least, class_="figure-link")
    shown = amount(value, fmt, context.symbol(quantity), range_=False)
    shown_range = ends(value, fmt)
    figure = link(found.target, shown, class_="figure-link", **mark(found.of, "figure"))
    if not shown_range and not (quantity.ranged and found.of):
        return figure
    # inside the element, for with other inputs there may be a range or none
    ranged = inline(f" ({shown_range})") if shown_range else None
    bracket = Html(f" {ranged}") if ranged else None
    return join([figure, tag("span", bracket, class_="range", **mark(found.of, "bracket"))])


def code_block(text: str, of: str | None = None) -> Html:
    """A text line by line: by itself where it has several lines, else within one."""
    if "\n" in text.strip("\n"):
        return Block(tag("pre", tag("code", text, **mark(of, "text"))))
    return tag("code", inline(text), **mark(of, "text"))


# ------------------------------------------------------------------ blocks


def table_block(
    context: Context, plan: Plan, table: Table, results: Results, here: Here | None = None
) -> Html:
    """A table at its place on the page."""
    drawn = plan_table(context, plan, table, results, here)
    return tag("div", drawn, id=table_anchor(table.name))


def history_table(plan: Plan) -> Html:
    """The versions of a plan, as they are written."""
    head = [heading_cell(title) for title in ("Version", "Date", "Status", "What changes")]
    body = [
        [
            tag("th", each.version, scope="row"),
            tag("td", each.date),
            tag("td", each.status),
            tag("td", each.text, class_="words"),
        ]
        for each in plan.history
    ]
    return grid(head, body)
