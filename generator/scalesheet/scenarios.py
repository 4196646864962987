"""Which figures of a plan are inputs, and what they state in each scenario.

A value that has another one beside it for a second scenario is lowered to a choice between two
hidden inputs. For the reader it is one input with two sides.
"""

from __future__ import annotations

from collections.abc import Mapping

from scalesheet.model import Column, Plan, Scalar, Stated, Table

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


def inputs_of(plan: Plan) -> list[Scalar]:
    """The inputs that the plan's page lists."""
    return [s for s in plan.scalars.values() if is_input(plan, s) and not s.hidden]


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
