"""Levers: the stated numbers of a plan that can be varied one at a time, and by how much.

A lever is a scalar, a column of a table (all its stated cells together), or a cell of the table of
phases. It moves over its own range if it has one, and by the common step if it is exact, but never
out of its domain. A whole number moves by the step rounded to a whole number, so small ones stay
fixed: from one accelerator to two is no small step. Moved values are bound trees, so that the
evaluator and a workbook compute the same.

A choice (an accelerator, an offer, a scenario) is not a lever: it has no step. Neither is a count
in the catalogue: an accelerator with more of something is a different accelerator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Literal

from scalesheet.book import Book
from scalesheet.evaluate.routes import PHASES, STATED
from scalesheet.frozen import dataclass
from scalesheet.language.syntax import (
    Binary,
    Call,
    Cell,
    Choice,
    Column,
    Compare,
    Constant,
    End,
    Guard,
    Lookup,
    Node,
    Number,
    Scalar,
)
from scalesheet.model import DOMAINS, Key, Plan, Quantity, Stated, Table
from scalesheet.model import Column as TableColumn
from scalesheet.quantities import DATE

STEP = 0.1
#: The name of the step in formulas and in a workbook.
STEP_NAME = "sensitivity_step"
Side = Literal["low", "high"]
SIDES: tuple[Side, ...] = ("low", "high")
Reference = Scalar | Column | Cell | Lookup


@dataclass(frozen=True, slots=True)
class Lever:
    """A stated value, or several that move together.

    `key` names a scalar, a column (no row), or a cell. `begins`: the keys under which formulas read
    it. `rows`: for a column or a cell, the ids of the rows that move. `own` and `stepped`: whether
    parts of it move over their own range, and whether parts move by the step.
    """

    key: Key
    title: str
    quantity: Quantity
    begins: tuple[Key, ...]
    rows: tuple[str, ...] = ()
    own: bool = False
    stepped: bool = True


def moved(reference: Reference, quantity: Quantity, side: Side, step: float = STEP) -> Node:
    """The value of a quantity at one side of its move, given a reference to its expected value."""
    value = _at(reference, "value")
    by_step = _by_step(value, quantity, side, Constant(STEP_NAME, step))
    if quantity.ranged:
        low, high = _at(reference, "low"), _at(reference, "high")
        ranged = Compare("<", low, high, plain=True)
        by_step = Choice(low if side == "low" else high, ranged, by_step)
    return Guard((value,), by_step) if quantity.may_reason else by_step


def _at(reference: Reference, end: End) -> Node:
    match reference:
        case Scalar(name):
            return Scalar(name, end)
        case Column():
            return replace(reference, end=end)
        case Cell(table, row, column):
            return Cell(table, row, column, end)
        case Lookup(table, key, column):
            return Lookup(table, key, column, end, reference.open)


def _by_step(value: Node, quantity: Quantity, side: Side, step: Node) -> Node:
    least, _, most, whole = DOMAINS[quantity.domain]
    size: Node = value if least is not None else Call("abs", (value,))
    if whole:
        size = Call("round", (Binary("*", size, step),))
        node: Node = Binary("-" if side == "low" else "+", value, size)
        # only a count can leave its domain: a large step from 1 leads to 0
        below = side == "low" and least is not None and least > 0
        return Call("max", (Number(least or 0.0), node)) if below else node
    if least is None:
        return Binary("-" if side == "low" else "+", value, Binary("*", size, step))
    factor = Binary("-" if side == "low" else "+", Number(1.0), step)
    node = Binary("*", value, factor)
    return Call("min", (Number(most), node)) if side == "high" and most is not None else node


# ------------------------------------------------------------------ finding them


def levers(book: Book, plan: Plan) -> Iterator[Lever]:
    """Every lever of a plan and of the catalogue: scalars, then columns, in stated order.

    A value with a second one for another scenario is one lever, which moves from the current
    scenario's value.
    """
    for scalar in plan.scalars.values():
        stated = [plan.scalars[name].stated for _, name in scalar.sides]
        if not (stated or scalar.hidden or scalar.choice):
            stated = [scalar.stated]
        numbers = [each for each in stated if each is not None and _moves(scalar, each)]
        if scalar.kind == "number" and numbers:
            title = scalar.title or scalar.name
            yield _lever(Key(scalar.name), title, scalar, numbers, (Key(scalar.name),))
    for table in (*plan.tables.values(), *book.tables.values()):
        for column in table.columns.values():
            fixed = table.name in book.tables and DOMAINS[column.domain][3]
            if column.kind == "number" and not (column.hidden or column.choice or fixed):
                yield from _of_column(plan, table, column)


def _of_column(plan: Plan, table: Table, column: TableColumn) -> Iterator[Lever]:
    named = [table.columns[name] for _, name in column.sides]
    cells: Mapping[str, Stated] = named[0].stated if named else column.stated
    stated = {row: cells[row] for row in table.rows if row in cells and _moves(column, cells[row])}
    if not stated:
        return
    title = column.title or column.name
    if table.name == PHASES:
        for row, each in stated.items():
            if each.default:  # once, on one GPU: no figure that anyone stated
                continue
            key = Key(column.name, table.name, row)
            begins = (Key(column.name, table.name),) if named else (key,)
            which = dict(zip(table.rows, table.row_titles, strict=True))[row] or row
            yield _lever(key, f"{which}: {title}", column, [each], begins, (row,))
        return
    key = Key(column.name, table.name)
    begins = (key,) if named else (Key(column.name, table.name, STATED),)
    several = list(stated.values())
    yield _lever(key, f"{table.title}: {title}", column, several, begins, tuple(stated))


def _lever(
    key: Key,
    title: str,
    quantity: Quantity,
    stated: list[Stated],
    begins: tuple[Key, ...],
    rows: tuple[str, ...] = (),
) -> Lever:
    own = any(each.ranged for each in stated)
    stepped = not all(each.ranged for each in stated)
    return Lever(key, title, quantity, begins, rows, own, stepped)


def _moves(quantity: Quantity, stated: Stated) -> bool:
    """Whether it is a stated number (no bound, word or reason) that can be slightly larger. An
    exact date cannot: a tenth of a date is not a step.
    """
    number = stated.reason is None and isinstance(stated.value, float)
    return number and (quantity.unit != DATE or stated.ranged)
