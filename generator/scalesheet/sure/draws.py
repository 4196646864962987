"""Evaluates a plan at many draws of its inputs at once.

Each uncertain input is one unknown: the cells of a column move together, as in the sensitivity.
Each range that a formula creates with `between`, as predictions do, is also an unknown. Everything
between the inputs and the figures is computed cell by cell, each an array over the draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from scalesheet.book import Book
from scalesheet.evaluate import Overrides, computed
from scalesheet.evaluate.edits import input_name
from scalesheet.evaluate.interpret import interpret
from scalesheet.evaluate.levers import Lever, levers
from scalesheet.evaluate.many import numbers, put, settled
from scalesheet.evaluate.parts import Here, Part, State
from scalesheet.evaluate.routes import formula_of, rests_on
from scalesheet.frozen import dataclass
from scalesheet.model import Key, Plan, Quantity, Stated, Table
from scalesheet.sure.shapes import HIGH, LOW, Array, between, drawn_values, normal, within
from scalesheet.sure.spread import DRAWS, uniform
from scalesheet.sure.trees import Tree, tree_of

Uniforms = Callable[[str], Array]


@dataclass(frozen=True, slots=True)
class Unknown:
    """Inputs that move together, and ranges that formulas create.

    `name` keys the draws; `keys` and `titles` are those of its members. `made`: all of them come
    from formulas.
    """

    name: str
    keys: tuple[Key, ...]
    titles: tuple[str, ...]
    made: bool = False
    found_by: str = ""

    def joined(self, other: Unknown) -> Unknown:
        """The unknown with the members of another added."""
        new = [at for at, key in enumerate(other.keys) if key not in self.keys]
        return Unknown(
            self.name,
            self.keys + tuple(other.keys[at] for at in new),
            self.titles + tuple(other.titles[at] for at in new),
            self.made and other.made,
            self.found_by or other.found_by,
        )


@dataclass(frozen=True)
class Drawn:
    """Each figure at each draw (nan without a number), and the unknowns.

    `partial`: figures that depend on a range that is not drawn, so their spread is too small.
    """

    figures: Mapping[str, Array]
    unknowns: tuple[Unknown, ...]
    partial: frozenset[str]


def name_of(lever: Lever) -> str:
    """The name that keys an unknown's draws."""
    key = lever.key
    return f"{key.table}.{key.name}" if key.table and key.row is None else input_name(key)


@dataclass(frozen=True)
class Drawable:
    """What can be drawn in a plan, whatever its inputs: the levers that figures depend on, and the
    formulas that create ranges. `trees`: every formula that figures depend on.
    """

    plan: Plan
    tables: Mapping[str, Table]
    rests: Mapping[Key, tuple[Key, ...]]
    trees: Mapping[Key, Tree]
    levers: tuple[Lever, ...]

    @property
    def made(self) -> Mapping[Key, Tree]:
        return {key: tree for key, tree in self.trees.items() if tree.spread}

    def quantity(self, key: Key) -> Quantity:
        return _quantity(self.plan, self.tables, key)


def drawable(book: Book, plan: Plan, figures: Sequence[str]) -> Drawable:
    """Find what can be drawn for some figures, given as names of scalars."""
    tables = {**book.tables, **plan.tables}
    rests = _rests(plan, tables, figures)
    trees = {
        key: tree_of(found, _quantity(plan, tables, key).moves_with)
        for key in rests
        if (found := formula_of(tables, plan, key))
    }
    reaching = [each for each in levers(book, plan) if rests.keys() & set(each.begins)]
    return Drawable(plan, tables, rests, trees, tuple(reaching))


def drawn(
    book: Book,
    plan: Plan,
    figures: Sequence[str],
    overrides: Overrides | None = None,
    *,
    uniforms: Uniforms = uniform,
    draws: int = DRAWS,
    found: Drawable | None = None,
) -> Drawn:
    """Compute the figures at every draw of their inputs. `uniforms` returns a name's draws.
    `found`: what is drawn, if not everything.
    """
    base, found = computed(book, plan, overrides), found or drawable(book, plan, figures)
    tables, rests, trees = found.tables, found.rests, found.trees
    state = base.copy()
    edits = dict(overrides or {})
    scenario = base.scalars["scenario"]["value"].data if "scenario" in base.scalars else ""
    stated, unknowns = set[Key](), dict[str, Unknown]()

    def add(name: str, key: Key, title: str, *, made: bool = False, found_by: str = "") -> None:
        one = Unknown(name.lstrip("-"), (key,), (title,), made, found_by)
        before = unknowns.get(one.name)
        unknowns[one.name] = one if before is None else before.joined(one)

    for lever in found.levers:
        for row, each in _ranged(lever, plan, tables, edits, scenario):
            group = each.likelihood.moves_with or name_of(lever)
            values = drawn_values(each, lever.quantity.domain, _of(uniforms, group))
            put(state, replace(lever.key, row=row), Part(values), draws)
            add(group, lever.key, lever.title, found_by=each.likelihood.found_by)
            stated.update(lever.begins)
    made = {key: tree for key, tree in found.made.items() if key not in stated}
    unknown: dict[str, Array] = {}
    for key, tree in made.items():
        for one in tree.within:
            unknown[one.unknown] = normal(_of(uniforms, one.unknown))
            add(one.unknown, key, found.quantity(key).title, made=True)
    changed = _after(rests, {*stated, *made}) - stated
    order = {key: at for at, key in enumerate((*book.order, *plan.order))}
    compute = [(key, trees[key]) for key in sorted(changed & trees.keys(), key=order.__getitem__)]
    _compute(state, compute, unknown, plan, tables, draws)
    missed = {key for key in rests if _missed(key, trees.get(key), stated, plan, tables)}
    partial = {key.name for key in _after(rests, missed) if key.table is None}
    result = {name: numbers(state, name, draws) for name in figures}
    return Drawn(result, tuple(unknowns.values()), frozenset(partial & {*figures}))


def of_predictions(
    book: Book, plan: Plan, figure: str, overrides: Overrides | None = None
) -> list[tuple[Unknown, float, float]]:
    """For each range that formulas create, a figure at its low and at its high end.

    All inputs, and all other such ranges, stay at their expected values.
    """
    found = replace(drawable(book, plan, (figure,)), levers=())
    names = list(dict.fromkeys(one.unknown for tree in found.made.values() for one in tree.within))
    states = {name.lstrip("-"): 2 * at for at, name in enumerate(names)}

    def uniforms(name: str) -> Array:
        made = np.full(2 * len(names), 0.5)
        made[states[name]], made[states[name] + 1] = LOW, HIGH
        return made

    count = 2 * len(names)
    result = drawn(book, plan, (figure,), overrides, uniforms=uniforms, draws=count, found=found)
    ends = result.figures[figure].tolist() if names else []
    return [(each, *ends[states[each.name] :][:2]) for each in result.unknowns]


def _of(uniforms: Uniforms, name: str) -> Array:
    """The draws of a name; a leading - mirrors them."""
    return 1 - uniforms(name[1:]) if name.startswith("-") else uniforms(name)


def _quantity(plan: Plan, tables: Mapping[str, Table], key: Key) -> Quantity:
    return plan.scalars[key.name] if key.table is None else tables[key.table].columns[key.name]


def _rests(
    plan: Plan, tables: Mapping[str, Table], figures: Sequence[str]
) -> dict[Key, tuple[Key, ...]]:
    """Every key that any end of the figures depends on, each with the keys it reads."""
    found: dict[Key, tuple[Key, ...]] = {}
    waiting = [Key(name) for name in figures]
    while waiting:
        key = waiting.pop()
        if key not in found:
            found[key] = rests_on(key, tables, plan)
            waiting += found[key]
    return found


def _after(rests: Mapping[Key, Sequence[Key]], starts: set[Key]) -> set[Key]:
    """The starts, and everything that depends on them."""
    readers: dict[Key, list[Key]] = {}
    for key, read in rests.items():
        for each in read:
            readers.setdefault(each, []).append(key)
    found, waiting = set(starts), list(starts)
    while waiting:
        new = [key for key in readers.get(waiting.pop(), ()) if key not in found]
        found.update(new)
        waiting += new
    return found


def _missed(
    key: Key, tree: Tree | None, drawn: set[Key], plan: Plan, tables: Mapping[str, Table]
) -> bool:
    """Whether a key has a range of its own that is not drawn."""
    if key in drawn or tree is not None:
        return tree is not None and not tree.whole
    quantity: Any = plan.scalars[key.name] if key.table is None else None
    if key.table is not None:
        quantity = tables[key.table].columns[key.name]
    cells = [quantity.stated] if key.table is None else quantity.stated.values()
    return not quantity.side_of and any(each is not None and each.ranged for each in cells)


def _ranged(
    lever: Lever,
    plan: Plan,
    tables: Mapping[str, Table],
    edits: Mapping[Key, Any],
    scenario: str,
) -> Iterator[tuple[str | None, Stated]]:
    """The stated ranges of a lever in a scenario, each with its row."""
    key = lever.key
    for row in lever.rows or (None,):
        owner: Any = plan.scalars if key.table is None else tables[key.table].columns
        names = [key.name, *(name for word, name in owner[key.name].sides if word == scenario)]
        for name in names:
            held = owner[name].stated
            stated = held if row is None else held.get(row)
            edit = edits.get(Key(name, key.table, row), stated)
            if isinstance(edit, Stated) and stated is not None:
                edit = replace(edit, likelihood=stated.likelihood)
            stated = edit
            if not isinstance(stated, Stated) or not isinstance(stated.value, float):
                continue
            if stated.ranged or stated.likelihood.event is not None:
                yield row, stated
                break


def _compute(
    state: State,
    order: Sequence[tuple[Key, Tree]],
    unknowns: Mapping[str, Array],
    plan: Plan,
    tables: Mapping[str, Table],
    draws: int,
) -> None:
    """Compute everything that changes with the draws, in order. Text is skipped, because no number
    depends on it.
    """
    with np.errstate(all="ignore"):
        for key, tree in order:
            if key.table is None:
                scalar = plan.scalars[key.name]
                if scalar.kind != "text":
                    part = _at_draws(tree, Here(state), scalar.domain, unknowns)
                    state.scalars[key.name] = {**state.scalars[key.name], "value": part}
                continue
            column = tables[key.table].columns[key.name]
            if column.kind == "text":
                continue
            others = {*column.stated, *column.own} if key.row is None else ()
            for row in (key.row,) if key.row else tables[key.table].rows:
                if row not in others:
                    place = state.rows[key.table][row]
                    part = _at_draws(tree, Here(state, key.table, place), column.domain, unknowns)
                    put(state, replace(key, row=row), part, draws)


def _at_draws(tree: Tree, here: Here, domain: str, unknowns: Mapping[str, Array]) -> Part:
    """One formula at one place, with a value for each draw if it changes with them."""
    part = interpret(tree.value, here)
    if tree.spread is None:
        return settled(part)
    for one in tree.within:
        parts = [interpret(each, here).data for each in one.parts]
        least, most = reduce(np.minimum, parts), reduce(np.maximum, parts)
        middle = parts[1] if len(parts) == 3 else sum(parts) / len(parts)
        values = between(least, middle, most, unknowns[one.unknown])
        here.state.scalars[one.name] = {"value": Part(values)}
    return settled(Part(within(domain, interpret(tree.spread, here).data), part.why))
