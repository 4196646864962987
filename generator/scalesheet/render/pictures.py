"""The pictures of a plan as its page's script takes them: what the script cannot know of units."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

from scalesheet.model import Plan, Quantity
from scalesheet.pictures import Chart, Picture, Scatter, Stack, Sweep
from scalesheet.units import Unit, Units


def for_script(picture: Picture, plan: Plan, units: Units) -> dict[str, Any]:
    """What a page's script draws it from, besides the plan. What is usual is left out."""
    fields = {name: value for name, value in asdict(picture).items() if value}
    if isinstance(picture, Chart) and picture.deadline not in plan.tables[picture.table].columns:
        fields.pop("deadline", None)
    return fields | _TOLD[type(picture)](picture, plan, units)


def titled(quantity: Quantity, units: Units) -> str:
    """What an axis of a quantity says: `Hours (GPU·h)`."""
    symbol = units.symbol(quantity.unit) if quantity.unit is not None else ""
    return f"{quantity.title} ({symbol})" if symbol else quantity.title


def _chart(chart: Chart, plan: Plan, units: Units) -> dict[str, Any]:
    """Its axis: `Hours (GPU·h)`; of a calendar `Start to end (d)`."""
    columns = plan.tables[chart.table].columns
    axis = titled(columns[chart.column], units)
    if chart.start:
        axis = f"{columns[chart.start].title} to {axis[:1].lower()}{axis[1:]}"
    return {"axis": axis}


def _scatter(scatter: Scatter, plan: Plan, units: Units) -> dict[str, Any]:
    columns = plan.tables[scatter.table].columns
    return {"axes": [titled(columns[name], units) for name in (scatter.x, scatter.y)]}


def _sweep(sweep: Sweep, plan: Plan, units: Units) -> dict[str, Any]:
    """Its axes, and what the limit is multiplied by to be in the unit of the figure."""
    given, figure = (plan.scalars[name] for name in (sweep.input, sweep.figure))
    limit = plan.scalars[sweep.capacity].unit if sweep.capacity else None
    factor = _factor(units, limit, figure.unit) or 1.0
    return {"axes": [titled(given, units), titled(figure, units)], "factor": factor}


def _stack(stack: Stack, plan: Plan, units: Units) -> dict[str, Any]:
    """Its axis, in the unit of its first part or bar, and what others are multiplied by."""
    table = plan.tables[stack.table]

    def quantity(name: str) -> Quantity:
        """A column of the table where rows are bars, or it is a bar; else a scalar."""
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
    """What a number in one unit is multiplied by to be in another; None where they are one."""
    if own is None or wanted is None or own == wanted:
        return None
    return float(units.factor(own, wanted))


_TOLD: Mapping[type, Callable[..., dict[str, Any]]] = {
    Chart: _chart,
    Stack: _stack,
    Scatter: _scatter,
    Sweep: _sweep,
}
