"""Where each input is in the plan's file, for changes that are copied as YAML.

A place is the path of keys, separated by `/`, with `*` for the row of a table. The value of a
second scenario is under `written`.
"""

from __future__ import annotations

from scalesheet.model import Column, Plan, Quantity, Scalar, Table
from scalesheet.scenarios import SCENARIO

WRITTEN = "/written"


def scalar_place(plan: Plan, scalar: Scalar) -> str | None:
    """The place of a stated scalar; None for the scenario, which the reader selects."""
    if scalar.stated is None or scalar.name == SCENARIO:
        return None
    if not scalar.side_of:
        return _scalar(scalar)
    whole = plan.scalars[scalar.side_of]
    return _scalar(whole) + _side(whole, scalar)


def _scalar(scalar: Scalar) -> str:
    if scalar.phase is None:
        return f"scalars/{scalar.name}"
    return f"phases/{scalar.phase}/scalars/{scalar.name.removeprefix(f'{scalar.phase}.')}"


def column_place(plan: Plan, table: Table, column: Column) -> str | None:
    """The place of the stated cells of a column.

    None for the axes of a cross table, and for the class of a phase, which selects formulas before
    anything is computed.
    """
    if (table.name, column.name) == ("phases", "class"):
        return None
    if not column.stated or column.name in dict(table.each):
        return None
    if not column.side_of:
        return _column(table, column)
    whole = table.columns[column.side_of]
    return _column(table, whole) + _side(whole, column)


def _column(table: Table, column: Column) -> str:
    if table.name == "phases":
        return f"phases/*/{column.name}"
    if table.phase is None:
        return f"tables/{table.name}/rows/*/{column.name}"
    own = table.name.removeprefix(f"{table.phase}.")
    return f"phases/{table.phase}/tables/{own}/rows/*/{column.name}"


def _side(whole: Quantity, side: Quantity) -> str:
    return WRITTEN if side.name != whole.sides[0][1] else ""
