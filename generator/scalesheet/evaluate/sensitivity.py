"""Sensitivity: which inputs move the headline figures most.

One input at a time is moved to either side, all others stay as they are expected, and what lies
between it and the figures is computed again. An input's effect on a figure is how far apart the
figure's values lie: at one side, as it is, at the other. What is moved, and how far, is said by
`levers`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scalesheet.book import Book
from scalesheet.evaluate import Overrides, compute, computed
from scalesheet.evaluate.interpret import interpret
from scalesheet.evaluate.levers import SIDES, STEP, Lever, Side, levers, moved
from scalesheet.evaluate.parts import Filled, Here, Part, State
from scalesheet.evaluate.routes import Graph, Place, graph
from scalesheet.language import arithmetic
from scalesheet.language.syntax import ENDS, Column, Scalar
from scalesheet.model import Key, Plan, Table
from scalesheet.values import Value

NO_EFFECT = 1e-12  # relative: a smaller difference is rounding
SHOWN = 8  # effects of a figure that a face shows, the largest


@dataclass(frozen=True, slots=True)
class Effect:
    """What one lever does to one figure, whose values at the two sides are `low` and `high`.

    `inputs` are the lever's own values: at the low side, as it is, at the high side; None for a
    column. `swing` is the distance between the least and the greatest of the figure's values, 0
    where one of them is a reason.
    """

    lever: Lever
    low: Value
    high: Value
    swing: float
    inputs: tuple[float, float, float] | None


@dataclass(frozen=True, slots=True)
class Ranking:
    """The effects on one figure, the largest first; `still` levers reach it and do not move it."""

    name: str
    value: Value
    effects: tuple[Effect, ...]
    still: int

    @property
    def shown(self) -> tuple[Effect, ...]:
        return self.effects[:SHOWN]

    @property
    def values(self) -> tuple[Value, ...]:
        """The figure as it is, and at both sides of what is shown: they share a format."""
        return (self.value, *(v for each in self.shown for v in (each.low, each.high)))


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """A ranking for each headline figure that has a number."""

    step: float
    rankings: tuple[Ranking, ...]


def sensitivity(
    book: Book,
    plan: Plan,
    overrides: Overrides | None = None,
    *,
    step: float = STEP,
    only: Collection[Key] | None = None,
) -> Sensitivity:
    """What each lever does to each headline figure, or what those with `only` these keys do.

    Raises ValueError for a step outside 0 to 1.
    """
    if not 0 < step < 1:
        raise ValueError(f"a step is more than 0 and less than 1, found {step:g}")
    figures = [
        name
        for name in plan.headline
        if plan.scalars[name].kind == "number" and plan.scalars[name].formula is not None
    ]
    state = computed(book, plan, overrides)
    run = _Run(book, plan, state, graph(book, plan, figures), step)
    as_is = {name: _figure(state, name) for name in figures}
    result: dict[str, list[Effect]] = {name: [] for name in figures}
    for lever in levers(book, plan):
        if only is not None and lever.key not in only:
            continue
        places = run.route(lever)
        reached = {key.name for key, end in places if end == "value" and key.table is None}
        if not reached & set(figures):
            continue
        tried = {side: run.state(lever, side, places) for side in SIDES}
        inputs = run.inputs(lever)
        for name in figures:
            if name in reached and as_is[name].reason is None:
                low, high = (_figure(tried[side], name) for side in SIDES)
                swing = _swing(low, as_is[name], high)
                result[name].append(Effect(lever, low, high, swing, inputs))
    rankings = tuple(_ranking(name, as_is[name], result[name]) for name in figures)
    return Sensitivity(step, rankings)


# ------------------------------------------------------------------ ranks


def ranks(swings: Sequence[float]) -> list[int]:
    """The rank of each, from 1, the largest first; of equal ones, the first as they stand.

    Equal is what the language calls equal, so that every target ranks the same.
    """
    return [
        1
        + sum(arithmetic.greater(other, swing) for other in swings)
        + sum(arithmetic.equal(other, swing) for other in swings[:at])
        for at, swing in enumerate(swings)
    ]


def _ranking(name: str, value: Value, effects: Sequence[Effect]) -> Ranking:
    moving = [effect for effect in effects if effect.swing or _absent(effect)]
    places = ranks([effect.swing for effect in moving])
    order = sorted(range(len(moving)), key=lambda at: places[at])
    ranked = tuple(moving[at] for at in order)
    return Ranking(name, value, ranked, len(effects) - len(moving))


def _absent(effect: Effect) -> bool:
    """Whether a side of the move leaves the figure without a number: worth showing."""
    return effect.low.reason is not None or effect.high.reason is not None


def _swing(*values: Value) -> float:
    numbers = [value.value for value in values if isinstance(value.value, float)]
    if len(numbers) < len(values):
        return 0.0
    width = max(numbers) - min(numbers)
    return width if width > NO_EFFECT * max(map(abs, numbers)) else 0.0


def _figure(state: State, name: str) -> Value:
    part = state.scalars[name]["value"]
    if part.why is not None:
        return Value(reason=str(part.why))
    return Value.number(float(part.data))


# ------------------------------------------------------------------ a lever moved


@dataclass(frozen=True)
class _Run:
    """A plan as it is computed, and what is computed again when a lever moves."""

    book: Book
    plan: Plan
    base: State
    graph: Graph
    step: float

    @property
    def tables(self) -> Mapping[str, Table]:
        return {**self.book.tables, **self.plan.tables}

    def route(self, lever: Lever) -> tuple[Place, ...]:
        """What changes with the lever's places that are read."""
        begins = [(key, end) for key in lever.begins for end in ENDS]
        read = tuple(place for place in begins if place in self.graph.readers)
        return self.graph.route(read)

    def inputs(self, lever: Lever) -> tuple[float, float, float] | None:
        """The lever's own values, of a scalar or a cell."""
        if lever.key.table is not None and lever.key.row is None:
            return None
        low, high = (_number(self._moved(lever, side)) for side in SIDES)
        key = lever.key
        if key.table is None:
            return low, _number(self.base.scalars[key.name]["value"]), high
        cells = self.base.columns[key.table, key.name].ends["value"]
        return low, float(cells[self.base.rows[key.table][str(key.row)]]), high

    def _moved(self, lever: Lever, side: Side) -> Part:
        key = lever.key
        if key.table is None:
            tree = moved(Scalar(key.name), lever.quantity, side, self.step)
            return interpret(tree, Here(self.base))
        tree = moved(Column(key.table, key.name), lever.quantity, side, self.step)
        row = None if key.row is None else self.base.rows[key.table][key.row]
        return interpret(tree, Here(self.base, key.table, row))

    def state(self, lever: Lever, side: Side, places: Sequence[Place]) -> State:
        """The plan with the lever at one side: its own values, and what changes with them."""
        base, tables = self.base, self.tables
        state = State(dict(base.scalars), dict(base.columns), base.rows, base.titles)
        part, key = self._moved(lever, side), lever.key
        columns = {(at.table, at.name) for at, _ in places if at.table is not None}
        for table, name in columns:
            state.columns[table, name] = self._anew(table, name)
        if key.table is None:
            state.scalars[key.name] = {"value": part}
        else:
            filled = _copy(base.columns[key.table, key.name])
            at = [base.rows[key.table][row] for row in lever.rows]
            for array in filled.ends.values():
                array[at] = part.data if key.row is not None else part.data[at]
            state.columns[key.table, key.name] = filled
        scalars = {at.name for at, _ in places if at.table is None}
        # a column is computed whole: its cells that do not change come out as they were
        for each in self.graph.order:
            if each in lever.begins:
                continue
            again = (each.table, each.name) in columns if each.table else each.name in scalars
            if again:
                compute(each, tables, self.plan, state)
        return state

    def _anew(self, table: str, name: str) -> Filled:
        """A column without the reasons that its formulas gave."""
        filled = _copy(self.base.columns[table, name])
        if filled.why is not None:
            stated = self.tables[table].columns[name].stated
            for row, at in self.base.rows[table].items():
                if row not in stated:
                    filled.why[at] = None
        return filled


def _number(part: Part) -> float:
    return float("nan") if part.why is not None else float(part.data)


def _copy(filled: Filled) -> Filled:
    ends = {end: np.array(array) for end, array in filled.ends.items()}
    return Filled(ends, None if filled.why is None else filled.why.copy())
