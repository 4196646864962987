"""The faces of one plan, cell by cell: what the evaluator says, and where each face shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scalesheet.language.syntax import (
    ENDS,
    Aggregate,
    Cell,
    Column,
    End,
    Lookup,
    Node,
    Number,
    Scalar,
    walk,
)
from scalesheet.model import DOMAINS, Book, Formula, Key, Plan, Quantity, Stated, Table
from scalesheet.render.workbook.layout import lay_out
from scalesheet.render.workbook.places import relative
from scalesheet.values import Results, Value

WITHIN = 1e-12

Address = tuple[str, str]  # sheet, cell


@dataclass(frozen=True)
class Shown:
    """One cell of a plan or of the catalogue tables in its workbook."""

    key: Key
    end: End
    quantity: Quantity
    formula: Formula | None
    address: Address
    number: int = 0  # of the row, from 0

    @property
    def label(self) -> str:
        place = self.key.name if self.key.table is None else (
            f"{self.key.table}['{self.key.row}'].{self.key.name}"
        )  # fmt: skip
        return place if self.end == "value" else f"{self.end}({place})"


def cells(book: Book, plan: Plan) -> Iterator[Shown]:
    """Every cell that the workbook shows of the plan and of the catalogue it looks into, but for
    open bounds, which are no numbers and enter no arithmetic."""
    layout = lay_out(book, plan)
    for name, spot in layout.scalars.items():
        scalar = plan.scalars[name]
        if _open(scalar.stated):
            continue
        for index, end in enumerate(ENDS):
            if end == "value" or scalar.ranged:
                address = (spot.sheet, relative(spot.row, spot.columns[index]))
                yield Shown(Key(name), end, scalar, scalar.formula, address)
    tables = {**book.tables, **plan.tables}
    for name, place in layout.tables.items():
        for column in tables[name].columns.values():
            for number, row in enumerate(tables[name].rows):
                if _open(column.stated.get(row)):
                    continue
                formula = column.own.get(row)
                if formula is None and row not in column.stated:
                    formula = column.formula
                for index, end in enumerate(ENDS):
                    if end == "value" or column.ranged:
                        spot_column = place.columns[column.name][index]
                        address = (place.sheet, relative(place.first + number, spot_column))
                        key = Key(column.name, name, row)
                        yield Shown(key, end, column, formula, address, number)


def _open(stated: Stated | None) -> bool:
    return stated is not None and (stated.at_least is not None or stated.at_most is not None)


def expected(results: Results, cell: Shown) -> float | str | None:
    """What a face shows in the cell: a number, a text (word, id, yes or no, reason), or nothing."""
    key = cell.key
    if key.table is None:
        value = results.scalars[key.name]
    else:
        value = results.tables[key.table][key.name][cell.number]
    return face(value, cell.end)


def face(value: Value, end: End) -> float | str | None:
    if value.reason is not None:
        return value.reason
    shown = value.end(end)
    if isinstance(shown, bool):
        return "yes" if shown else "no"
    return shown if shown not in ("", None) else None


def agree(mine: float | str | None, theirs: object, magnitude: float = 0.0) -> bool:
    """Equal texts, or numbers within 1e-12 of the largest magnitude among value and operands."""
    if isinstance(mine, float) and isinstance(theirs, int | float) and not isinstance(theirs, bool):
        return difference(mine, float(theirs), magnitude) <= WITHIN
    return (mine or None) == (theirs or None)


def difference(mine: float, theirs: float, magnitude: float = 0.0) -> float:
    """Relative to the largest magnitude."""
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


# ------------------------------------------------------------------ perturbations


@dataclass(frozen=True)
class Edit:
    """One input cell, changed: what stands in the workbook, and the same for the evaluator."""

    cell: Shown
    entry: float | str
    key: Key
    stated: Stated


def edits(book: Book, plan: Plan, within: Mapping[Key, Stated] | None = None) -> Iterator[Edit]:
    """A change for every input cell that a person may edit: numbers, choices, words and flags."""
    tables = {**book.tables, **plan.tables}
    for cell in cells(book, plan):
        stated = _stated(book, plan, cell.key)
        if stated is None or cell.formula is not None or stated.reason is not None:
            continue
        changed = _changed(cell, stated, tables)
        if changed is not None and changed[0] != face_of(stated, cell.end):
            entry, new = changed
            yield Edit(cell, entry, cell.key, new)


#: Rows of a column whose cells are changed: of the plan's tables, and of the catalogue's.
OWN_ROWS, CATALOGUE_ROWS = 2, 1
#: Numbers that are changed at the same time.
AT_ONCE = 5


def chosen(plan: Plan, results: Results, made: Sequence[Edit]) -> list[Edit]:
    """Every scalar; of each column some rows, evenly apart, in the catalogue one in use first.

    The cells of a column are read by the same formulas, so that further rows prove little.
    """
    used = {str(value.value) for value in _references(plan, results)}
    columns: dict[tuple[str, str, End], list[Edit]] = {}
    for edit in made:
        if edit.key.table is not None:
            columns.setdefault((edit.key.table, edit.key.name, edit.cell.end), []).append(edit)
    kept: set[Address] = set()
    for (table, _, _), edits in columns.items():
        most = OWN_ROWS if table in plan.tables else CATALOGUE_ROWS
        step = max(1, -(-len(edits) // most))
        first = [edit for edit in edits if table not in plan.tables and edit.key.row in used][:1]
        kept |= {edit.cell.address for edit in [*first, *edits[::step]][:most]}
    return [edit for edit in made if edit.key.table is None or edit.cell.address in kept]


def together(made: Sequence[Edit]) -> list[tuple[Edit, ...]]:
    """Texts one by one, numbers a few at a time, of which no two are neighbours.

    A cell that follows none or the wrong one of several changes is as wrong as after one.
    """
    numbers = [edit for edit in made if not isinstance(edit.entry, str)]
    times = -(-len(numbers) // AT_ONCE)
    alone = [(edit,) for edit in made if isinstance(edit.entry, str)]
    return [*alone, *(tuple(numbers[at::times]) for at in range(times))]


def _references(plan: Plan, results: Results) -> Iterator[Value]:
    for scalar in plan.scalars.values():
        if scalar.refers_to:
            yield results.scalars[scalar.name]
    for table in plan.tables.values():
        for column in table.columns.values():
            if column.refers_to:
                yield from results.tables[table.name][column.name]


def moved(before: Results, after: Results) -> set[Key]:
    """The quantities that an edit moves, by the evaluator."""
    keys = {Key(name) for name, value in after.scalars.items() if before.scalars[name] != value}
    for name, columns in after.tables.items():
        for column, series in columns.items():
            old = before.tables[name][column]
            if series is old:
                continue
            rows = _different(old.value, series.value)
            for first, second in ((old.low, series.low), (old.high, series.high)):
                if first is not None and second is not None:
                    rows |= _different(first, second)
            reasons = {n for n, _ in old.reasons.items() ^ series.reasons.items()}
            ids = after.rows[name]
            keys |= {Key(column, name, ids[n]) for n in {*np.flatnonzero(rows).tolist(), *reasons}}
    return keys


def _different(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.bool_]:
    if first.dtype == np.float64 == second.dtype:
        return (first != second) & ~(np.isnan(first) & np.isnan(second))
    return np.asarray(first != second, dtype=bool)


def _stated(book: Book, plan: Plan, key: Key) -> Stated | None:
    if key.table is None:
        return plan.scalars[key.name].stated
    assert key.row is not None
    table = {**book.tables, **plan.tables}[key.table]
    return table.columns[key.name].stated.get(key.row)


def face_of(stated: Stated, end: End) -> float | str | bool | None:
    """What is stated, as a cell shows it."""
    shown = getattr(stated, end) if stated.low is not None else stated.value
    if isinstance(shown, bool):
        return "yes" if shown else "no"
    return shown


def _changed(
    cell: Shown, stated: Stated, tables: Mapping[str, Table]
) -> tuple[float | str, Stated] | None:
    quantity = cell.quantity
    if isinstance(stated.value, bool):
        return ("no" if stated.value else "yes"), Stated(not stated.value)
    if isinstance(stated.value, float):
        assert stated.low is not None
        assert stated.high is not None
        ends = {"low": stated.low, "value": stated.value, "high": stated.high}
        new = _moved(ends[cell.end], quantity.domain, cell.end)
        if cell.end == "value" and quantity.ranged and stated.low != stated.high:
            toward = stated.high if stated.value < stated.high else stated.low
            new = stated.value + (toward - stated.value) / 7
        elif cell.end == "value" and not quantity.ranged:
            return new, Stated(new, new, new)
        ends[cell.end] = new
        return new, Stated(ends["value"], ends["low"], ends["high"])
    words: tuple[str, ...] = quantity.words
    if quantity.refers_to is not None:
        words = tables[quantity.refers_to].rows
    if quantity.kind == "text" and cell.key.table is None:
        return f"{stated.value} (x)", Stated(f"{stated.value} (x)")
    if not words or not isinstance(stated.value, str):
        return None  # a date, or the descriptive text of a row
    new_word = words[(words.index(stated.value) + 1) % len(words)]
    return new_word, Stated(new_word)


def _moved(number: float, domain: str, end: End) -> float:
    """Another value in the domain; a low end goes down and a high end up."""
    least, _, most, whole = DOMAINS[domain]
    if whole:
        return number + 1 if end != "low" else max(number - 1, least or 0.0)
    if most is not None:
        return number * 0.75 if end != "high" else number + (most - number) / 2
    if number == 0:
        return 0.5 if end != "low" else 0.0
    return number * (0.875 if end == "low" else 1.125)
