"""Which figures of a plan are inputs, and their values in each scenario.

A value that differs in a second scenario is lowered to a choice between two hidden inputs. Readers
see one input with two sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from scalesheet.model import ALL, Column, Plan, Scalar, Stated, Table

SCENARIO = "scenario"  # the scalar that selects the scenario


def inputs_of(plan: Plan) -> list[Scalar]:
    """The inputs that the plan's page lists."""
    return [s for s in plan.scalars.values() if s.is_input and not s.hidden]


def is_default(plan: Plan, scalar: Scalar) -> bool:
    """Return whether an input has its component's default: no line of the plan states it."""
    at = scalar.stated.position if scalar.stated is not None else None
    return at is not None and plan.position is not None and at.path != plan.position.path


def titles_of(plan: Plan, inputs: Sequence[Scalar]) -> dict[str, str]:
    """The titles of inputs by name. Of several with one title, those that all rows of a table share
    have the table's and the phase's added.
    """
    count = Counter(each.title for each in inputs)
    phases = {each.id: each.title for each in plan.phases}
    result = {each.name: each.title for each in inputs}
    for each in inputs:
        table = plan.tables.get(each.name.rpartition(f".{ALL}.")[0])
        if table is not None and count[each.title] > 1:
            parts = each.title, table.title, phases.get(table.phase or "", "")
            result[each.name] = ", ".join(filter(None, parts))
    return result


def stated_by(plan: Plan, scalar: Scalar, scenario: str) -> Stated | None:
    """The stated value of an input in a scenario."""
    return plan.scalars[dict(scalar.sides).get(scenario, scalar.name)].stated


def cells_by(table: Table, column: Column, scenario: str) -> Mapping[str, Stated]:
    """The stated cells of a column in a scenario, by row."""
    return table.columns[dict(column.sides).get(scenario, column.name)].stated


def computed(column: Column) -> bool:
    """Return whether readers would say that a column has a formula."""
    return not column.sides and (column.formula is not None or bool(column.own))
