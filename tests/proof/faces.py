"""The faces of a plan, cell by cell: the evaluator's value, and the place where a face shows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scalesheet.book import Book
from scalesheet.language.syntax import (
    ENDS,
    Aggregate,
    Cell,
    Choice,
    Column,
    End,
    Lookup,
    Node,
    Number,
    Reason,
    Scalar,
    Text,
    walk,
)
from scalesheet.model import Column as ModelColumn
from scalesheet.model import Ends, Formula, Key, Plan, Quantity, Stated
from scalesheet.quantities import day_text
from scalesheet.render.workbook.layout import lay_out
from scalesheet.render.workbook.places import relative
from scalesheet.render.workbook.steps import stepped
from scalesheet.resolve.lowering.components import STATUS
from scalesheet.values import Results, Value

WITHIN = 1e-12

Address = tuple[str, str]  # sheet, cell


@dataclass(frozen=True)
class Shown:
    """A cell of a plan, or of a catalogue table in its workbook."""

    key: Key
    end: End
    quantity: Quantity
    formula: Formula | None
    address: Address
    number: int = 0  # of the row, counted from 0
    day: bool = False  # stored as a date, in a sheet that other programs read
    status: Key | None = None  # the cell is blank if this one gives the reason

    @property
    def label(self) -> str:
        place = (
            self.key.name
            if self.key.table is None
            else (f"{self.key.table}['{self.key.row}'].{self.key.name}")
        )
        return place if self.end == "value" else f"{self.end}({place})"


def cells(book: Book, plan: Plan) -> Iterator[Shown]:
    """Every cell of the plan and of its part of the catalogue in the workbook.

    Open bounds are left out, since they are not numbers and no formula uses them.
    """
    written = stepped(book, plan)
    layout = lay_out(book, written)
    for name, spot in layout.scalars.items():
        scalar = plan.scalars.get(name)
        if scalar is None:  # a step, checked through the cells that use it
            continue
        if _open(scalar.stated):
            continue
        for index, end in enumerate(ENDS):
            if end == "value" or scalar.ranged:
                address = (spot.sheet, relative(*spot.cells[index]))
                yield Shown(Key(name), end, scalar, scalar.formula, address)
    tables = {**book.tables, **plan.tables}
    for name, place in layout.tables.items():
        for column in tables[name].columns.values():
            blank = name in plan.tables and _blank(written.tables[name].columns[column.name])
            for number, row in enumerate(tables[name].rows):
                if _open(column.stated.get(row)):
                    continue
                formula = column.own.get(row)
                if formula is None and row not in column.stated:
                    formula = column.formula
                for index, end in enumerate(ENDS):
                    if end == "value" or column.ranged:
                        spot_column = place.columns[column.name][index]
                        spot_ = place.at(place.first + number, spot_column)
                        address = (place.sheet, relative(*spot_))
                        key = Key(column.name, name, row)
                        status = Key(STATUS, name, row) if blank else None
                        read = (name, column.name, "value") in layout.names.columns
                        day = column.kind == "date" and place.plain and not read
                        yield Shown(key, end, column, formula, address, number, day, status)


def _blank(column: ModelColumn) -> bool:
    match column.formula:
        case Formula(ends=Ends(value=Choice(other=Reason(text=Text(""))))):
            return True
    return False


def _open(stated: Stated | None) -> bool:
    return stated is not None and (stated.at_least is not None or stated.at_most is not None)


def expected(results: Results, cell: Shown) -> float | str | None:
    """The content that a cell must have: a number, a text (word, id, flag, reason), or nothing."""
    key = cell.key
    if key.table is None:
        value = results.scalars[key.name]
    else:
        value = results.tables[key.table][key.name][cell.number]
    shown = face(value, cell.end)
    if cell.status is not None and shown == results.tables[key.table][STATUS][cell.number].value:
        return None
    return shown


def said(cell: Shown, theirs: object) -> object:
    """The content of a cell, with a date that is stored as a number turned into text."""
    return day_text(theirs) if cell.day and isinstance(theirs, float) else theirs


def face(value: Value, end: End) -> float | str | None:
    if value.reason is not None:
        return value.reason
    shown = value.end(end)
    if isinstance(shown, bool):
        return "yes" if shown else "no"
    return shown if shown not in ("", None) else None


def agree(mine: float | str | None, theirs: object, magnitude: float = 0.0) -> bool:
    """Whether texts are equal, or numbers are within 1e-12 of the largest value or operand."""
    if isinstance(mine, float) and isinstance(theirs, int | float) and not isinstance(theirs, bool):
        return difference(mine, float(theirs), magnitude) <= WITHIN
    return (mine or None) == (theirs or None)


def shows(results: Results, cell: Shown, theirs: object) -> bool:
    """Whether a face shows the evaluator's value in the cell."""
    mine, theirs = expected(results, cell), said(cell, theirs)
    return agree(mine, theirs) or agree(mine, theirs, operands(results, cell))


def difference(mine: float, theirs: float, magnitude: float = 0.0) -> float:
    """The difference relative to the largest magnitude."""
    largest = max(abs(mine), abs(theirs), magnitude)
    return abs(mine - theirs) / largest if largest else 0.0


def operands(results: Results, cell: Shown) -> float:
    """The largest magnitude among the operands of a cell's formula."""
    if cell.formula is None:
        return 0.0
    trees = [cell.formula.ends.value, cell.formula.ends.low, cell.formula.ends.high]
    found = [abs(n) for t in trees if t is not None for n in _numbers(t, results, cell.key)]
    return max(found, default=0.0)


def _numbers(tree: Node, results: Results, key: Key) -> Iterator[float]:
    for node in walk(tree):
        if isinstance(node, Number):
            yield node.value
        elif isinstance(node, Scalar):
            yield from _ends(results.scalars[node.name])
        elif isinstance(node, Cell):
            yield from _ends(results.cell(node.table, node.row, node.column))
        elif isinstance(node, Column) and node.table == key.table and key.row is not None:
            yield from _ends(results.cell(node.table, key.row, node.column))
        elif isinstance(node, Lookup | Aggregate | Column) and node.column is not None:
            for value in results.tables[node.table][node.column]:
                yield from _ends(value)


def _ends(value: Value) -> Iterator[float]:
    for number in (value.low, value.value, value.high):
        if isinstance(number, float):
            yield number
