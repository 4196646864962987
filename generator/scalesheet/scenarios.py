"""Which figures of a plan are inputs, and their values in each scenario.

A value that differs in a second scenario is lowered to a choice between two hidden inputs. Readers
see one input with two sides.
"""

from __future__ import annotations

from collections.abc import Mapping

from scalesheet.model import Column, Plan, Scalar, Stated, Table

SCENARIO = "scenario"  # the scalar that selects the scenario


def inputs_of(plan: Plan) -> list[Scalar]:
    """The inputs that the plan's page lists."""
    return [s for s in plan.scalars.values() if s.is_input and not s.hidden]


def is_default(plan: Plan, scalar: Scalar) -> bool:
    """Return whether an input has its component's default: no line of the plan states it."""
    at = scalar.stated.position if scalar.stated is not None else None
    return at is not None and plan.position is not None and at.path != plan.position.path


def stated_by(plan: Plan, scalar: Scalar, scenario: str) -> Stated | None:
    """The stated value of an input in a scenario."""
    return plan.scalars[dict(scalar.sides).get(scenario, scalar.name)].stated


def cells_by(table: Table, column: Column, scenario: str) -> Mapping[str, Stated]:
    """The stated cells of a column in a scenario, by row."""
    return table.columns[dict(column.sides).get(scenario, column.name)].stated


def computed(column: Column) -> bool:
    """Return whether readers would say that a column has a formula."""
    return not column.sides and (column.formula is not None or bool(column.own))
