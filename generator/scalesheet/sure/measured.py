"""The measured inputs of a plan, and their values before they were measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scalesheet.frozen import dataclass
from scalesheet.language.syntax import Cell, Column, Known, Lookup, Node, Scalar, walk
from scalesheet.model import Formula, Key, Plan, Stated

UNKNOWN = Stated(reason="not measured")


@dataclass(frozen=True, slots=True)
class Measured:
    """The title of a measured input, and what replaces it as if it had not been measured."""

    title: str
    before: Stated


def measured(plan: Plan) -> Mapping[Key, Measured]:
    """The measured inputs for which formulas have an alternative if they are unknown, and the
    measured records that a rule chose over a simulated one.
    """
    asked = {
        _place(node.of)
        for formula in _formulas(plan)
        for node in walk(formula.ends.value)
        if isinstance(node, Known)
    }
    found: dict[Key, Measured] = {}
    for scalar in plan.scalars.values():
        stated = scalar.stated
        if (None, scalar.name) in asked and _is_measured(stated):
            found[Key(scalar.name)] = Measured(scalar.title, UNKNOWN)
        elif stated is not None and stated.unmeasured:
            found[Key(scalar.name)] = Measured(scalar.title, Stated(stated.unmeasured))
    for table in plan.tables.values():
        titles = dict(zip(table.rows, table.row_titles, strict=True))
        for column in table.columns.values():
            if (table.name, column.name) in asked:
                for row, stated in column.stated.items():
                    if _is_measured(stated):
                        title = f"{titles[row]}: {column.title}"
                        found[Key(column.name, table.name, row)] = Measured(title, UNKNOWN)
    return found


def _place(node: Node) -> tuple[str | None, str]:
    if isinstance(node, Cell | Column | Lookup):
        return node.table, node.column
    return None, node.name if isinstance(node, Scalar) else ""


def _is_measured(stated: Stated | None) -> bool:
    return stated is not None and stated.basis == "measured" and isinstance(stated.value, float)


def _formulas(plan: Plan) -> Iterator[Formula]:
    for scalar in plan.scalars.values():
        if scalar.formula is not None:
            yield scalar.formula
    for table in plan.tables.values():
        for column in table.columns.values():
            yield from column.own.values()
            if column.formula is not None:
                yield column.formula
