"""Sensitivity: which inputs move the headline figures most.

One input at a time is moved to either side while all others stay at their expected values, and the
quantities between it and the figures are recomputed: for all inputs at once, each in its own
states. An input's effect on a figure is the distance between the figure's extreme values: at one
side, unmoved, at the other. `levers` defines what is moved, and how far.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan, nan

import numpy as np

from scalesheet.book import Book
from scalesheet.evaluate import Overrides, computed
from scalesheet.evaluate.interpret import interpret
from scalesheet.evaluate.levers import SIDES, STEP, Lever, Side, levers, moved
from scalesheet.evaluate.many import numbers, put, quiet, settled
from scalesheet.evaluate.parts import Here, Part, State
from scalesheet.evaluate.routes import Place, formula_of, graph
from scalesheet.frozen import dataclass
from scalesheet.language import arithmetic
from scalesheet.language.syntax import ENDS, Column, End, Scalar
from scalesheet.model import Key, Plan, Table
from scalesheet.values import Value

NO_EFFECT = 1e-12  # relative; smaller differences are rounding
SHOWN = 8  # number of largest effects that are shown for each figure


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of one lever on one figure, whose values at both sides are `low` and `high`.

    `inputs` are the lever's own values: at the low side, unmoved, at the high side; None for a
    column. `swing` is the distance between the figure's smallest and largest value, 0 if one is a
    reason.
    """

    lever: Lever
    low: Value
    high: Value
    swing: float
    inputs: tuple[float, float, float] | None


@dataclass(frozen=True, slots=True)
class Ranking:
    """The effects on one figure, largest first; `still` levers reach it without moving it."""

    name: str
    value: Value
    effects: tuple[Effect, ...]
    still: int

    @property
    def shown(self) -> tuple[Effect, ...]:
        return self.effects[:SHOWN]

    @property
    def values(self) -> tuple[Value, ...]:
        """The figure, and its values at both sides of the shown effects; they share a format."""
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
    """Compute the effect of each lever on each headline figure, or only of levers with the keys
    `only`.

    Raises ValueError for a step outside 0 to 1.
    """
    if not 0 < step < 1:
        raise ValueError(f"expected a step between 0 and 1, found {step:g}")
    figures = [
        name
        for name in plan.headline
        if plan.scalars[name].kind == "number" and plan.scalars[name].formula is not None
    ]
    run = _Run(book, plan, computed(book, plan, overrides), step)
    as_is = {name: _figure(run.base, name) for name in figures}
    routes = graph(book, plan, figures)
    tries: list[_Try] = []
    for lever in levers(book, plan):
        if only is not None and lever.key not in only:
            continue
        begins = [(key, end) for key in lever.begins for end in ENDS]
        route = routes.route([place for place in begins if place in routes.readers])
        if {(Key(name), "value") for name in figures} & {*route}:
            tries += [_Try(lever, side, route, run.moved(lever, side)) for side in SIDES]
    many = run.state(tries, routes.order, exact=False)
    columns = [numbers(many, name, len(tries)).tolist() for name in figures]

    def values(at: int) -> list[Value]:
        found = [column[at] for column in columns]
        if any(map(isnan, found)):  # computed alone, it says why
            state = run.state([tries[at]], routes.order, exact=True)
            return [_figure(state, name) for name in figures]
        return [Value.number(each) for each in found]

    result: dict[str, list[Effect]] = {name: [] for name in figures}
    for at in range(0, len(tries), len(SIDES)):
        one, inputs = tries[at], run.inputs(tries[at : at + len(SIDES)])
        for name, low, high in zip(figures, values(at), values(at + 1), strict=True):
            if (Key(name), "value") in one.route and as_is[name].reason is None:
                swing = _swing(low, as_is[name], high)
                result[name].append(Effect(one.lever, low, high, swing, inputs))
    rankings = tuple(_ranking(name, as_is[name], result[name]) for name in figures)
    return Sensitivity(step, rankings)


# ------------------------------------------------------------------ ranks


def ranks(swings: Sequence[float]) -> list[int]:
    """The rank of each, starting at 1 for the largest; ties keep their order.

    Equality is that of the formula language, so that every output ranks the same.
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
    """Whether a side of the move leaves the figure without a number, which is worth showing."""
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


@dataclass(frozen=True, slots=True)
class _Try:
    """A lever at one side: what changes with it, and its value there, or its column's values."""

    lever: Lever
    side: Side
    route: tuple[Place, ...]
    part: Part


@dataclass(frozen=True)
class _Run:
    """A computed plan whose levers are moved."""

    book: Book
    plan: Plan
    base: State
    step: float

    def moved(self, lever: Lever, side: Side) -> Part:
        """The lever's own value at one side, or its column's values."""
        key = lever.key
        if key.table is None:
            tree = moved(Scalar(key.name), lever.quantity, side, self.step)
            return interpret(tree, Here(self.base))
        tree = moved(Column(key.table, key.name), lever.quantity, side, self.step)
        row = None if key.row is None else self.base.rows[key.table][key.row]
        return interpret(tree, Here(self.base, key.table, row))

    def inputs(self, sides: Sequence[_Try]) -> tuple[float, float, float] | None:
        """The values of a scalar or cell at both sides and unmoved."""
        key = sides[0].lever.key
        if key.table is not None and key.row is None:
            return None
        low, high = (_number(each.part) for each in sides)
        if key.table is None:
            return low, _number(self.base.scalars[key.name]["value"]), high
        cells = self.base.columns[key.table, key.name].ends["value"]
        return low, float(cells[self.base.rows[key.table][str(key.row)]]), high

    def state(self, tries: Sequence[_Try], order: Mapping[Key, int], *, exact: bool) -> State:
        """The plan with one lever moved in each state. `exact`: reasons include their figures."""
        tables = {**self.book.tables, **self.plan.tables}
        state, count = self.base.copy(), len(tries)
        places: dict[Key, set[End]] = {}
        begun: dict[Key, list[int]] = {}
        for at, one in enumerate(tries):
            self._put(state, tries, at)
            for key in one.lever.begins:
                begun.setdefault(key, []).append(at)
            for key, end in one.route:
                places.setdefault(key, set()).add(end)
        with np.errstate(all="ignore"):
            for key in sorted(places, key=order.__getitem__):
                formula = formula_of(tables, self.plan, key)
                assert formula is not None
                for end in places[key]:
                    tree = getattr(formula.ends, end) or formula.ends.value
                    tree = tree if exact else quiet(tree)
                    for row, here in _cells(key, tables, state):
                        part = settled(interpret(tree, here))
                        put(state, replace(key, row=row), part, count, end)
                for at in begun.get(key, ()):
                    self._put(state, tries, at)
        return state

    def _put(self, state: State, tries: Sequence[_Try], at: int) -> None:
        """Move the lever of a try, in its own state only."""
        lever, part = tries[at].lever, tries[at].part
        key = lever.key
        for row in lever.rows or (None,):
            data = part.data
            if key.table is not None and isinstance(data, np.ndarray):
                data = float(data[state.rows[key.table][str(row)]])
            ends = (
                {end: each.data for end, each in state.scalars[key.name].items()}
                if key.table is None
                else {
                    end: cells[state.rows[key.table][str(row)]]
                    for end, cells in state.columns[key.table, key.name].ends.items()
                }
            )
            for end, held in ends.items():
                values = np.array(np.broadcast_to(held, len(tries)), np.float64)
                values[at] = data
                put(state, replace(key, row=row), settled(Part(values)), len(tries), end)


def _cells(
    key: Key, tables: Mapping[str, Table], state: State
) -> Iterator[tuple[str | None, Here]]:
    """Where a formula is computed: a scalar, a cell, or a column's rows without stated values."""
    if key.table is None:
        yield None, Here(state)
        return
    column = tables[key.table].columns[key.name]
    others = {*column.stated, *column.own} if key.row is None else ()
    for row in (key.row,) if key.row else tables[key.table].rows:
        if row not in others:
            yield row, Here(state, key.table, state.rows[key.table][row])


def _number(part: Part) -> float:
    return nan if part.why is not None else float(part.data)
