"""A plan with each of many rows chosen: only what lies between the choice and some figures is
computed again, so that a plan can be held against every offer of the catalogue.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from scalesheet.book import Book
from scalesheet.evaluate import Overrides, compute, computed, value_of
from scalesheet.evaluate.interpret import Filled, Part, State
from scalesheet.evaluate.routes import formula_of
from scalesheet.language.syntax import Aggregate, Cell, Column, Lookup, Scalar, walk
from scalesheet.model import Formula, Key, Plan, Table
from scalesheet.values import Value

Name = tuple[str | None, str]  # of a scalar, or of a column with its table


def each_chosen(
    book: Book,
    plan: Plan,
    choice: str,
    rows: Iterable[str],
    figures: Sequence[str],
    overrides: Overrides | None = None,
) -> Iterator[tuple[str, Mapping[str, Value]]]:
    """Each row with the figures of the plan in which the scalar `choice` refers to it."""
    tables = {**book.tables, **plan.tables}
    base = computed(book, plan, overrides)
    keys = between(book, plan, choice, figures)
    columns = {(key.table, key.name) for key in keys if key.table is not None}
    for row in rows:
        state = State(dict(base.scalars), dict(base.columns), base.rows, base.titles)
        state.scalars[choice] = {"value": Part(row)}
        for table, name in columns:
            state.columns[table, name] = _anew(base, tables[table], name)
        for key in keys:
            compute(key, tables, plan, state)
        yield row, {name: value_of(plan.scalars[name], state.scalars[name]) for name in figures}


def between(book: Book, plan: Plan, choice: str, figures: Sequence[str]) -> tuple[Key, ...]:
    """What rests on a choice and is needed for the figures, in the order of computation. A column
    is whole: all its cells that are computed."""
    tables = {**book.tables, **plan.tables}
    reads = {key: named_in(formula_of(tables, plan, key)) for key in plan.order}
    changed: set[Name] = {(None, choice)}
    for key in plan.order:
        if reads[key] & changed:
            changed.add((key.table, key.name))
    needed: set[Name] = {(None, name) for name in figures}
    for key in reversed(plan.order):
        if (key.table, key.name) in needed:
            needed |= reads[key]
    wanted = changed & needed
    return tuple(key for key in plan.order if (key.table, key.name) in wanted)


def named_in(formula: Formula | None) -> set[Name]:
    """The scalars and columns that a formula names."""
    names: set[Name] = set()
    if formula is None:
        return names
    for end in (formula.ends.value, formula.ends.low, formula.ends.high):
        for node in walk(end) if end is not None else ():
            if isinstance(node, Scalar):
                names.add((None, node.name))
            elif isinstance(node, Aggregate | Cell | Column | Lookup) and node.column is not None:
                names.add((node.table, node.column))
    return names


def _anew(base: State, table: Table, name: str) -> Filled:
    """A column as it was, without the reasons that its formulas gave."""
    filled = base.columns[table.name, name]
    ends = {end: np.array(array) for end, array in filled.ends.items()}
    if filled.why is None:
        return Filled(ends)
    why = filled.why.copy()
    stated = table.columns[name].stated
    why[[at for row, at in base.rows[table.name].items() if row not in stated]] = None
    return Filled(ends, why)
