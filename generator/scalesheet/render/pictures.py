"""The pictures of a plan as static SVG: for each type of chart what draws it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from scalesheet.model import Chart, Picture, Plan, Stack
from scalesheet.render.charts import axis, chart_svg
from scalesheet.render.stacks import axis as axis_of_stack
from scalesheet.render.stacks import factors, stack_svg, stacked
from scalesheet.units import Units
from scalesheet.values import Results


def picture_svg(picture: Picture, plan: Plan, results: Results, units: Units) -> str:
    """The SVG of a plan's chart, of these results."""
    return _DRAWN[type(picture)](picture, plan, results, units)


def for_script(picture: Picture, plan: Plan, units: Units) -> dict[str, Any]:
    """What a page's script draws it from, besides the plan. What is usual is left out."""
    told = {name: value for name, value in asdict(picture).items() if value}
    return told | _TOLD[type(picture)](picture, plan, units)


def _chart(chart: Chart, plan: Plan, results: Results, units: Units) -> str:
    columns, rows = results.tables[chart.table], results.rows[chart.table]
    return chart_svg(chart, plan.tables[chart.table], columns, list(rows), units)


def _stack(stack: Stack, plan: Plan, results: Results, units: Units) -> str:
    return stack_svg(stacked(stack, plan, results, units))


def _chart_told(chart: Chart, plan: Plan, units: Units) -> dict[str, Any]:
    return {"axis": axis(chart, plan.tables[chart.table], units)}


def _stack_told(stack: Stack, plan: Plan, units: Units) -> dict[str, Any]:
    found: dict[str, Any] = {"axis": axis_of_stack(stack, plan, units)}
    if told := factors(stack, plan, units):
        found["factors"] = told
    return found


_DRAWN: Mapping[type, Callable[..., str]] = {Chart: _chart, Stack: _stack}
_TOLD: Mapping[type, Callable[..., dict[str, Any]]] = {Chart: _chart_told, Stack: _stack_told}
