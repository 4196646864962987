"""A plan's charts as data for its page's script: what the script cannot derive from units."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

from scalesheet.model import Plan, Quantity
from scalesheet.pictures import Chart, Picture, Scatter, Stack, Sweep
from scalesheet.units import Unit, Units


def for_script(picture: Picture, plan: Plan, units: Units) -> dict[str, Any]:
    """The data from which a page's script draws a picture, besides the plan; defaults are left
    out."""
    fields = {name: value for name, value in asdict(picture).items() if value}
    if isinstance(picture, Chart) and picture.deadline not in plan.tables[picture.table].columns:
        fields.pop("deadline", None)
    return fields | _TOLD[type(picture)](picture, plan, units)


def titled(quantity: Quantity, units: Units) -> str:
    """The title of a quantity's axis: `Hours (GPU·h)`."""
    symbol = units.symbol(quantity.unit) if quantity.unit is not None else ""
    return f"{quantity.title} ({symbol})" if symbol else quantity.title


def _chart(chart: Chart, plan: Plan, units: Units) -> dict[str, Any]:
    """The axis title: `Hours (GPU·h)`, or `Start to end (d)` for a calendar."""
    columns = plan.tables[chart.table].columns
    axis = titled(columns[chart.column], units)
    if chart.start:
        axis = f"{columns[chart.start].title} to {axis[:1].lower()}{axis[1:]}"
    return {"axis": axis}


def _scatter(scatter: Scatter, plan: Plan, units: Units) -> dict[str, Any]:
    columns = plan.tables[scatter.table].columns
    return {"axes": [titled(columns[name], units) for name in (scatter.x, scatter.y)]}


def _sweep(sweep: Sweep, plan: Plan, units: Units) -> dict[str, Any]:
    """The axis titles, and the factor that converts the limit to the unit of the figure."""
    given, figure = (plan.scalars[name] for name in (sweep.input, sweep.figure))
    limit = plan.scalars[sweep.capacity].unit if sweep.capacity else None
    factor = _factor(units, limit, figure.unit) or 1.0
    return {"axes": [titled(given, units), titled(figure, units)], "factor": factor}


def _stack(stack: Stack, plan: Plan, units: Units) -> dict[str, Any]:
    """The axis title in the unit of the first part or bar, and the factors that convert the
    others."""
    table = plan.tables[stack.table]

    def quantity(name: str) -> Quantity:
        """A column of the table if rows are bars or the name is a bar; else a scalar."""
        own = name in stack.bars or (stack.parts and name in table.columns)
        return table.columns[name] if own else plan.scalars[name]

    first = table.columns[(stack.parts or stack.bars)[0]]
    if stack.parts:
        title = quantity(stack.totals[0]).title
    else:
        title = first.title if len(stack.bars) == 1 else table.title
    names = filter(None, (*stack.parts, *stack.bars, *stack.totals, stack.capacity))
    every = {name: _factor(units, quantity(name).unit, first.unit) for name in names}
    factors = {name: factor for name, factor in every.items() if factor is not None}
    axis = titled(replace(first, title=title), units)
    return {"axis": axis} | ({"factors": factors} if factors else {})


def _factor(units: Units, own: Unit | None, wanted: Unit | None) -> float | None:
    """The factor from one unit to another; None if they are equal."""
    if own is None or wanted is None or own == wanted:
        return None
    return float(units.factor(own, wanted))


_TOLD: Mapping[type, Callable[..., dict[str, Any]]] = {
    Chart: _chart,
    Stack: _stack,
    Scatter: _scatter,
    Sweep: _sweep,
}
