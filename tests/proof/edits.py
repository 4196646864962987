"""Edits of a plan's inputs, as typed into the workbook and as given to the evaluator."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proof.faces import Address, Shown, cells
from scalesheet.book import Book
from scalesheet.defined_names import tables_of
from scalesheet.language.syntax import (
    ENDS,
    Aggregate,
    Cell,
    Column,
    End,
    Lookup,
    Scalar,
    walk,
)
from scalesheet.model import DOMAINS, Formula, Key, Plan, Stated, Table
from scalesheet.values import Results, Value


@dataclass(frozen=True)
class Edit:
    """A changed input cell: the entry in the workbook, and the same value for the evaluator."""

    cell: Shown
    entry: float | str
    key: Key
    stated: Stated


def edits(book: Book, plan: Plan) -> Iterator[Edit]:
    """A change for every input cell that a person can edit: numbers, choices, words and flags."""
    tables = {**book.tables, **plan.tables}
    for cell in cells(book, plan):
        stated = _stated(book, plan, cell.key)
        if stated is None or cell.formula is not None or stated.reason is not None:
            continue
        changed = _changed(cell, stated, tables)
        if changed is not None and changed[0] != face_of(stated, cell.end):
            entry, new = changed
            yield Edit(cell, entry, cell.key, new)


#: How many cells of a column are changed: in the plan's tables, and in the catalogue's.
OWN_ROWS, CATALOGUE_ROWS = 2, 1
#: How many numbers are changed at the same time, and how many catalogue cells when all are.
AT_ONCE, CATALOGUE_AT_ONCE = 5, 100

Round = tuple[Edit, ...]  # edits made at the same time


def one_by_one(book: Book, plan: Plan) -> list[Round]:
    """Every edit alone."""
    return [(edit,) for edit in edits(book, plan)]


def chosen(book: Book, plan: Plan, results: Results) -> list[Round]:
    """Every scalar and some evenly spaced rows of each column; in the catalogue, a used row first.

    The same formulas read all cells of a column, so further rows prove little.
    """
    used = {str(value.value) for value in _references(plan, results)}
    columns: dict[tuple[str, str, End], list[Edit]] = {}
    made = _of_plan(book, plan)
    for edit in made:
        if edit.key.table is not None:
            columns.setdefault((edit.key.table, edit.key.name, edit.cell.end), []).append(edit)
    kept: set[Address] = set()
    for (table, _, _), found in columns.items():
        most = OWN_ROWS if table in plan.tables else CATALOGUE_ROWS
        step = max(1, -(-len(found) // most))
        first = [edit for edit in found if table not in plan.tables and edit.key.row in used][:1]
        kept |= {edit.cell.address for edit in [*first, *found[::step]][:most]}
    return together([edit for edit in made if edit.key.table is None or edit.cell.address in kept])


def every(book: Book, plan: Plan, results: Results) -> list[Round]:
    """Every input of the plan, and every cell of the catalogue columns whose home is the plan.

    Of those, a row is edited as in `chosen`, then all rows, many at a time.
    """
    made = _of_plan(book, plan)
    own = [edit for edit in made if edit.key.table is None or edit.key.table in plan.tables]
    first = chosen(book, plan, results)
    done = {edit.cell.address for round in first for edit in round}
    left = [edit for edit in own if edit.cell.address not in done]
    home = homes(book)
    catalogue = [
        edit
        for edit in made
        if edit.key.table not in (None, *plan.tables)
        and edit.cell.address not in done
        and home[str(edit.key.table), edit.key.name] == plan.id
    ]
    return [*first, *together(left), *_spread(catalogue, CATALOGUE_AT_ONCE)]


def together(made: Sequence[Edit]) -> list[Round]:
    """Texts one by one, numbers a few at a time, never two neighbors.

    A cell that misses one of several changes, or follows the wrong one, is as wrong as after one.
    """
    alone: list[Round] = [(edit,) for edit in made if isinstance(edit.entry, str)]
    return [*alone, *_spread([e for e in made if not isinstance(e.entry, str)], AT_ONCE)]


def _spread(made: Sequence[Edit], most: int) -> list[Round]:
    """Rounds of at most this many edits, spaced as far apart as possible.

    The three ends of a quantity are neighbors, so no two of them are in one round.
    """
    times = max(len(ENDS), -(-len(made) // most))
    return [round for at in range(times) if (round := tuple(made[at::times]))]


# ------------------------------------------------------------------ the catalogue's columns

EVERY = ("*",)  # the pattern for all rows
Name = tuple[str | None, str]  # a scalar, or a column with its table


def _of_plan(book: Book, plan: Plan) -> list[Edit]:
    """The edits except for catalogue columns that nothing in the plan uses.

    Those columns are edited only in their home plan.
    """
    rests, home = _rests(book, plan), homes(book)
    return [
        edit
        for edit in edits(book, plan)
        if edit.key.table is None
        or edit.key.table in plan.tables
        or rests[edit.key.table, edit.key.name]
        or home[edit.key.table, edit.key.name] == plan.id
    ]


def homes(book: Book) -> dict[tuple[str, str], str]:
    """For each catalogue column, its home: the plan with the most formulas that depend on it.

    The first by name wins a tie. All rows of the column are edited there, so that plan's workbook
    must include them.
    """
    most: dict[tuple[str, str], tuple[int, str]] = {}
    for plan in sorted(book.plans.values(), key=lambda plan: plan.id):
        rests = _rests(book, plan)
        for name, table in tables_of(book, plan).items():
            if name not in plan.tables and plan.carries.get(name, EVERY) == EVERY:
                for column in table.columns:
                    count = rests[name, column]
                    if count > most.get((name, column), (-1, ""))[0]:
                        most[name, column] = (count, plan.id)
    return {column: plan for column, (_, plan) in most.items()}


def _rests(book: Book, plan: Plan) -> Counter[Name]:
    """How many formulas of the plan depend on each scalar and column, directly or not."""
    tables = tables_of(book, plan)
    below: dict[Name, set[Name]] = {}
    count: Counter[Name] = Counter()
    for key in (*book.order, *plan.order):
        if key.table is not None and key.table not in tables:
            continue
        found: set[Name] = set()
        for read in _reads(_formula(tables, plan, key)):
            found |= {read, *below.get(read, ())}
        below.setdefault((key.table, key.name), set()).update(found)
        if key.table is None or key.table in plan.tables:
            count.update(found)
    return count


def _formula(tables: Mapping[str, Table], plan: Plan, key: Key) -> Formula | None:
    if key.table is None:
        return plan.scalars[key.name].formula
    column = tables[key.table].columns[key.name]
    return column.formula if key.row is None else column.own.get(key.row)


def _reads(formula: Formula | None) -> Iterator[Name]:
    """The scalars and columns that a formula names."""
    ends = () if formula is None else (formula.ends.value, formula.ends.low, formula.ends.high)
    for tree in ends:
        for node in walk(tree) if tree is not None else ():
            if isinstance(node, Scalar):
                yield None, node.name
            elif isinstance(node, Aggregate | Cell | Column | Lookup) and node.column is not None:
                yield node.table, node.column


# ------------------------------------------------------------------ changed quantities


def _references(plan: Plan, results: Results) -> Iterator[Value]:
    for scalar in plan.scalars.values():
        if scalar.refers_to:
            yield results.scalars[scalar.name]
    for table in plan.tables.values():
        for column in table.columns.values():
            if column.refers_to:
                yield from results.tables[table.name][column.name]


def moved(before: Results, after: Results) -> set[Key]:
    """The quantities that an edit changes, by the evaluator."""
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
    """A stated value as its cell shows it."""
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
            if DOMAINS[quantity.domain][3]:
                new = stated.value + math.copysign(1.0, toward - stated.value)
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
        return None  # a date, or a descriptive text of a row
    new_word = words[(words.index(stated.value) + 1) % len(words)]
    return new_word, Stated(new_word)


def _moved(number: float, domain: str, end: End) -> float:
    """Another value in the domain; low goes down and high goes up."""
    least, _, most, whole = DOMAINS[domain]
    if whole:
        return number + 1 if end != "low" else max(number - 1, least or 0.0)
    if most is not None:
        return number * 0.75 if end != "high" else number + (most - number) / 2
    if number == 0:
        return 0.5 if end != "low" else 0.0
    return number * (0.875 if end == "low" else 1.125)
