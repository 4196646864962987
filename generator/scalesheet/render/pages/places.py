"""Where a plan's page says all about a figure, and which figures are inputs there.

A value that has another one beside it for a second scenario is lowered to a choice between two
hidden inputs. For the reader it is one input with two sides.
"""

from __future__ import annotations

from collections.abc import Mapping

from scalesheet.model import Column, Key, Plan, Scalar, Stated, Table
from scalesheet.render.pages.html import anchor

SCENARIO = "scenario"  # the scalar that chooses


def sides(plan: Plan, scalar: Scalar) -> Mapping[str, Scalar]:
    """The hidden input of each scenario, or nothing."""
    named = {word: plan.scalars.get(f"{scalar.name}.{word}") for word in plan.scenarios}
    return {word: side for word, side in named.items() if side is not None and side.hidden}


def column_sides(plan: Plan, table: Table, column: Column) -> Mapping[str, Column]:
    """The hidden column of each scenario, or nothing."""
    named = {word: table.columns.get(f"{column.name}_{word}") for word in plan.scenarios}
    return {word: side for word, side in named.items() if side is not None and side.hidden}


def is_input(plan: Plan, scalar: Scalar) -> bool:
    return scalar.stated is not None or bool(sides(plan, scalar))


def stated_by(plan: Plan, scalar: Scalar, scenario: str) -> Stated | None:
    """What an input states in a scenario."""
    side = sides(plan, scalar).get(scenario)
    return scalar.stated if side is None else side.stated


def cells_by(plan: Plan, table: Table, column: Column, scenario: str) -> Mapping[str, Stated]:
    """The stated cells of a column in a scenario, by row."""
    side = column_sides(plan, table, column).get(scenario)
    return column.stated if side is None else side.stated


def computed(plan: Plan, table: Table, column: Column) -> bool:
    """Whether a column has a formula that a reader would call one."""
    formula = column.formula is not None or bool(column.own)
    return formula and not column_sides(plan, table, column)


def scalar_anchor(plan: Plan, scalar: Scalar) -> str:
    """Its line among the inputs, else its formula."""
    return f"{'i' if is_input(plan, scalar) else 'f'}.{anchor(scalar.name)}"


def column_anchor(table: str, column: str, *row: str) -> str:
    return f"f.{anchor(table, column, *row)}"


def table_anchor(table: str) -> str:
    return f"t.{anchor(table)}"


def chart_anchor(chart: str) -> str:
    return f"c.{anchor(chart)}"


def place(plan: Plan, key: Key) -> str:
    """The anchor of a scalar, or of a column: its formula, else its table."""
    if key.table is None:
        return scalar_anchor(plan, plan.scalars[key.name])
    table = plan.tables[key.table]
    if computed(plan, table, table.columns[key.name]):
        return column_anchor(key.table, key.name)
    return table_anchor(key.table)
