"""A chart on a page: its caption, the picture, and its numbers as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from scalesheet.model import Plan, Table
from scalesheet.numbers import format_of
from scalesheet.pictures import Chart, Picture, Scatter, Stack, Sweep
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.figures import cell
from scalesheet.render.pages.html import Html, drawn, join, tag
from scalesheet.render.pages.marks import of_cell
from scalesheet.render.pages.places import chart_anchor
from scalesheet.render.pages.tables import grid, heading_cell
from scalesheet.render.pictures import titled
from scalesheet.values import Results


def chart_block(context: Context, plan: Plan, chart: Picture, results: Results) -> Html:
    """Return a chart with its caption and its numbers."""
    picture = context.drawn[plan.id]["charts"][chart.id]
    numbers = _NUMBERS[type(chart)](context, plan, chart, results)
    return tag(
        "figure",
        tag("figcaption", tag("strong", chart.title)),
        "\n",
        drawn(picture["svg"]),
        "\n",
        tag("details", tag("summary", "The chart's numbers"), numbers, class_="quiet"),
        class_="chart",
        id=chart_anchor(chart.id),
        data_chart=chart.id,
    )


def _of_chart(context: Context, plan: Plan, chart: Chart, results: Results) -> Html:
    table = plan.tables[chart.table]
    names = (chart.start, chart.column, chart.deadline)
    return _columns(context, table, results, [n for n in names if n in table.columns])


def _of_stack(context: Context, plan: Plan, stack: Stack, results: Results) -> Html:
    """The parts, their totals and the capacity, as columns or as rows."""
    table, totals = plan.tables[stack.table], [*stack.totals, *filter(None, [stack.capacity])]
    if stack.parts:
        own = [name for name in totals if name in table.columns and name not in stack.parts]
        numbers = _columns(context, table, results, [*stack.parts, *own])
        return _with_scalars(
            context, plan, results, numbers, [n for n in totals if n not in table.columns]
        )
    numbers = _columns(context, table, results, stack.bars)
    return _with_scalars(context, plan, results, numbers, totals)


def _of_scatter(context: Context, plan: Plan, scatter: Scatter, results: Results) -> Html:
    return _columns(context, plan.tables[scatter.table], results, [scatter.x, scatter.y])


def _of_sweep(context: Context, plan: Plan, sweep: Sweep, results: Results) -> Html:
    """The points of the line as the script prints them, which the page updates."""
    across, up = (titled(plan.scalars[n], context.book.units) for n in (sweep.input, sweep.figure))
    rows = context.drawn[plan.id]["charts"][sweep.id]["rows"]
    body = [[drawn(each) for each in cells] for _, _, *cells in rows]
    return grid([heading_cell(across), heading_cell(up, number=True)], body)


def _columns(context: Context, table: Table, results: Results, names: Sequence[str]) -> Html:
    """Some columns of a table, over all its rows."""
    rows = results.rows[table.name]
    body = [[tag("th", context.row_title(table, row), scope="row")] for row in rows]
    columns = [table.columns[name] for name in names]
    for column in columns:
        series = results.tables[table.name][column.name]
        fmt = format_of(column, series, context.book.units)
        for line, row, value in zip(body, rows, series, strict=True):
            line.append(cell(value, fmt, of=of_cell(table.name, row, column.name)))
    titles = [heading_cell(c.title, context.symbol(c), number=True) for c in columns]
    return grid([heading_cell(table.title), *titles], body)


def _with_scalars(
    context: Context, plan: Plan, results: Results, numbers: Html, names: Sequence[str]
) -> Html:
    """A table of numbers, then the scalars that the chart also draws."""
    body = []
    for name in names:
        scalar, value = plan.scalars[name], results.scalars[name]
        fmt = format_of(scalar, [value], context.book.units)
        figure = cell(value, fmt, context.symbol(scalar), of=name)
        body.append([tag("th", scalar.title, scope="row"), figure])
    if not body:
        return numbers
    return join(
        [numbers, grid([heading_cell("Also shown"), heading_cell("Value", number=True)], body)]
    )


_NUMBERS: Mapping[type, Callable[..., Html]] = {
    Chart: _of_chart,
    Stack: _of_stack,
    Scatter: _of_scatter,
    Sweep: _of_sweep,
}
