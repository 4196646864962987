"""The pictures of a plan as static SVG: for each type of chart what draws it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from scalesheet.book import Book
from scalesheet.evaluate.sweep import swept
from scalesheet.model import Plan
from scalesheet.numbers import format_of
from scalesheet.pictures import Chart, Picture, Scatter, Stack, Sweep
from scalesheet.render.charts import axis, chart_svg, mark_of, titled, with_unit
from scalesheet.render.scatters import Point, scatter_svg, scattered
from scalesheet.render.stacks import axis as axis_of_stack
from scalesheet.render.stacks import factors, stack_svg, stacked
from scalesheet.render.sweeps import Swept, factor, of_plan, sweep_svg
from scalesheet.units import Units
from scalesheet.values import Results


def picture_svg(picture: Picture, plan: Plan, results: Results, book: Book) -> str:
    """The SVG of a plan's chart, of these results."""
    return _DRAWN[type(picture)](picture, plan, results, book)


def for_script(picture: Picture, plan: Plan, units: Units) -> dict[str, Any]:
    """What a page's script draws it from, besides the plan. What is usual is left out."""
    told = {name: value for name, value in asdict(picture).items() if value}
    return told | _TOLD[type(picture)](picture, plan, units)


def _chart(chart: Chart, plan: Plan, results: Results, book: Book) -> str:
    columns, rows = results.tables[chart.table], results.rows[chart.table]
    return chart_svg(chart, plan.tables[chart.table], columns, list(rows), book.units)


def _stack(stack: Stack, plan: Plan, results: Results, book: Book) -> str:
    return stack_svg(stacked(stack, plan, results, book.units))


def _scatter(scatter: Scatter, plan: Plan, results: Results, book: Book) -> str:
    table, series = plan.tables[scatter.table], results.tables[scatter.table]
    columns = [table.columns[name] for name in (scatter.x, scatter.y)]
    x, y = formats = [format_of(c, series[c.name], book.units) for c in columns]
    points = [
        Point(
            row,
            title,
            with_unit(mark_of(row, title, series[scatter.x][n], x), columns[0], book.units),
            with_unit(mark_of(row, title, series[scatter.y][n], y), columns[1], book.units),
        )
        for n, (row, title) in enumerate(zip(table.rows, table.row_titles, strict=True))
    ]
    axes = [titled(column, book.units) for column in columns]
    told = (scatter.id, scatter.title, scatter.alt)
    return scatter_svg(scattered(*told, (axes[0], axes[1]), (formats[0], formats[1]), points))


def _sweep(sweep: Sweep, plan: Plan, results: Results, book: Book) -> str:
    return sweep_svg(sweep_drawing(sweep, plan, results, book))


def sweep_drawing(sweep: Sweep, plan: Plan, results: Results, book: Book) -> Swept:
    """A sweep's spots, computed by the plan's formulas."""
    return of_plan(sweep, plan, results, swept(book, plan, sweep, results), book.units)


def _scatter_told(scatter: Scatter, plan: Plan, units: Units) -> dict[str, Any]:
    columns = plan.tables[scatter.table].columns
    return {"axes": [titled(columns[name], units) for name in (scatter.x, scatter.y)]}


def _sweep_told(sweep: Sweep, plan: Plan, units: Units) -> dict[str, Any]:
    axes = [titled(plan.scalars[name], units) for name in (sweep.input, sweep.figure)]
    return {"axes": axes, "factor": factor(sweep, plan, units) if sweep.capacity else 1.0}


def _chart_told(chart: Chart, plan: Plan, units: Units) -> dict[str, Any]:
    return {"axis": axis(chart, plan.tables[chart.table], units)}


def _stack_told(stack: Stack, plan: Plan, units: Units) -> dict[str, Any]:
    found: dict[str, Any] = {"axis": axis_of_stack(stack, plan, units)}
    if told := factors(stack, plan, units):
        found["factors"] = told
    return found


_DRAWN: Mapping[type, Callable[..., str]] = {
    Chart: _chart,
    Stack: _stack,
    Scatter: _scatter,
    Sweep: _sweep,
}
_TOLD: Mapping[type, Callable[..., dict[str, Any]]] = {
    Chart: _chart_told,
    Stack: _stack_told,
    Scatter: _scatter_told,
    Sweep: _sweep_told,
}
