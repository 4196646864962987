"""A plan at many draws of its inputs at once, by the evaluator.

Each uncertain input is one unknown: the cells of a column move together, as in the sensitivity.
What lies between the inputs and the figures is computed cell by cell, each an array over the draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scalesheet.book import Book
from scalesheet.evaluate import Overrides, computed
from scalesheet.evaluate.edits import input_name
from scalesheet.evaluate.interpret import Filled, Here, Part, State, interpret
from scalesheet.evaluate.levers import Lever, levers
from scalesheet.evaluate.routes import Graph, formula_of, graph
from scalesheet.language.syntax import ENDS
from scalesheet.model import Key, Plan, Stated, Table
from scalesheet.sure.spread import DRAWS, SEED, Array, spread, standard


@dataclass(frozen=True)
class Drawn:
    """Each figure at each draw (nan where it has no number), and the unknowns, in their order."""

    figures: Mapping[str, Array]
    unknowns: tuple[Lever, ...]


def name_of(lever: Lever) -> str:
    """What an unknown's draws are keyed by."""
    key = lever.key
    return f"{key.table}.{key.name}" if key.table and key.row is None else input_name(key)


def drawn(
    book: Book,
    plan: Plan,
    figures: Sequence[str],
    overrides: Overrides | None = None,
    *,
    seed: str = SEED,
    draws: int = DRAWS,
) -> Drawn:
    """The figures, which are names of scalars, at every draw of what they rest on."""
    base, reached = computed(book, plan, overrides), graph(book, plan, figures)
    state = State(dict(base.scalars), dict(base.columns), base.rows, base.titles)
    tables = {**book.tables, **plan.tables}
    edits = dict(overrides or {})
    unknowns: list[Lever] = []
    begins: list[tuple[Key, Any]] = []
    for lever in levers(book, plan):
        starts = [(k, e) for k in lever.begins for e in ENDS if (k, e) in reached.readers]
        stated = list(_ranged(lever, plan, tables, edits))
        if not starts or not stated:
            continue
        z = standard(name_of(lever), seed, draws)
        for row, each in stated:
            _put(state, lever.key, row, spread(each, lever.quantity.domain, z), draws)
        unknowns.append(lever)
        begins += starts
    _compute(state, reached, begins, {k for u in unknowns for k in u.begins}, plan, tables, draws)
    return Drawn({name: _numbers(state, name, draws) for name in figures}, tuple(unknowns))


def _ranged(
    lever: Lever, plan: Plan, tables: Mapping[str, Table], edits: Mapping[Key, Any]
) -> Iterator[tuple[str | None, Stated]]:
    """The stated ranges of a lever, each with its row."""
    key = lever.key
    for row in lever.rows or (None,):
        owner: Any = plan.scalars if key.table is None else tables[key.table].columns
        names = [key.name, *(name for _, name in owner[key.name].sides[:1])]
        for name in names:
            held = owner[name].stated
            stated = held if row is None else held.get(row)
            stated = edits.get(Key(name, key.table, row), stated)
            if isinstance(stated, Stated) and stated.ranged and isinstance(stated.value, float):
                yield row, stated
                break


def _put(state: State, key: Key, row: str | None, values: Array, draws: int) -> None:
    """The draws in place of a value."""
    if key.table is None:
        state.scalars[key.name] = {**state.scalars[key.name], "value": Part(values)}
        return
    assert row is not None
    filled = _wide(state, key, draws)
    filled.ends["value"][state.rows[key.table][row]] = values


def _wide(state: State, key: Key, draws: int) -> Filled:
    """A column with room for each draw."""
    assert key.table is not None
    filled = state.columns[key.table, key.name]
    if filled.ends["value"].ndim == 1:

        def widened(array: Any) -> Any:
            return None if array is None else np.repeat(array[:, None], draws, axis=1)

        ends = {**filled.ends, "value": widened(filled.ends["value"])}
        filled = state.columns[key.table, key.name] = Filled(ends, widened(filled.why))
    return filled


def _compute(
    state: State,
    reached: Graph,
    begins: Sequence[tuple[Key, Any]],
    stated: set[Key],
    plan: Plan,
    tables: Mapping[str, Table],
    draws: int,
) -> None:
    with np.errstate(all="ignore"):
        for key, end in reached.route(begins):
            formula = formula_of(tables, plan, key)
            if end != "value" or formula is None or key in stated:
                continue
            if key.table is None:
                part = interpret(formula.ends.value, Here(state))
                state.scalars[key.name] = {**state.scalars[key.name], "value": part}
                continue
            filled, column = _wide(state, key, draws), tables[key.table].columns[key.name]
            others = {*column.stated, *column.own} if key.row is None else ()
            for row in (key.row,) if key.row else tables[key.table].rows:
                if row not in others:
                    place = state.rows[key.table][row]
                    part = interpret(formula.ends.value, Here(state, key.table, place))
                    filled.ends["value"][place] = part.data
                    if part.why is not None and filled.why is None:
                        filled.why = np.empty(filled.ends["value"].shape, dtype=object)
                    if filled.why is not None:
                        filled.why[place] = part.why


def _numbers(state: State, name: str, draws: int) -> Array:
    part = state.scalars[name]["value"]
    data = np.array(np.broadcast_to(part.data, draws), np.float64)
    if part.why is not None:
        data[np.broadcast_to(np.asarray(part.why != None, bool), draws)] = np.nan  # noqa: E711  # elementwise
    return data
