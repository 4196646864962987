"""Evaluates a component over many cases at once: what a plan computes in cells, row by row.

A case may state what the component would compute: its own accelerator, model or share of
recomputation. The default component is `training-run`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from scalesheet.book import Book
from scalesheet.evaluate import Same
from scalesheet.evaluate.interpret import interpret
from scalesheet.evaluate.parts import Here, Part, State, absent
from scalesheet.frozen import dataclass
from scalesheet.language.syntax import Cell, End, Lookup, Node, Scalar, mapped, walk
from scalesheet.model import Component
from scalesheet.predict.arrays import Array, Places, Words, coded
from scalesheet.predict.fits import Coefficients
from scalesheet.predict.records import lacking
from scalesheet.values import Results

COMPONENT = "training-run"


@dataclass(frozen=True)
class Partly:
    """Values of a quantity for some cases; where they are nan, the quantity is computed."""

    values: Array


@dataclass(frozen=True)
class Alike:
    """Cases that differ only in inputs whose names begin with `but`, such as `gpu.`. Quantities
    that use none of these are computed once for each kind.
    """

    but: str
    firsts: Places  # one case of each kind
    kinds: Places  # for each case, the index of its kind in `firsts`


class _Spread(dict[str, Any]):
    """Quantities of all cases; one stored by kind is expanded when first read."""

    def __init__(self, few: Mapping[str, Any], alike: Alike) -> None:
        self.few, self.kinds = few, alike.kinds

    def __missing__(self, name: str) -> Any:
        part = self.few[name]["value"]
        each = (v[self.kinds] if isinstance(v, np.ndarray) else v for v in (part.data, part.why))
        self[name] = {"value": Part(*each)}
        return self[name]


def figures(
    book: Book,
    rows: int,
    given: Mapping[str, Any],
    names: Sequence[str],
    fits: Mapping[str, Coefficients],
    component: str = COMPONENT,
    alike: Alike | None = None,
) -> dict[str, Array]:
    """Compute expected values of a component's quantities for each case, in their units, or words.

    `given` maps inputs, quantities and properties such as `model.hidden` to one value or an array
    over the cases. `fits` holds coefficients by task. Raises Refused if the book has no such
    component.
    """
    program = _program(Same(_component(book, component)))
    fixed = {
        f"fits.{task}.{name}": value for task, fit in fits.items() for name, value in fit.items()
    }
    stated = {**program.stated, **fixed, **given}
    partly = {name: value.values for name, value in stated.items() if isinstance(value, Partly)}
    known = stated.keys() - partly.keys()
    apart = {name for name in known if alike is not None and name.startswith(alike.but)}
    few = State(scalars={n: _stated(n, stated[n], alike) for n in known - apart})
    every = State(scalars=_Spread(few.scalars, alike)) if alike else few
    every.scalars.update({name: _stated(name, stated[name]) for name in apart})
    with np.errstate(all="ignore"):
        for name in program.needed(names, known):
            differs = name in partly or not apart.isdisjoint(program.reads[name])
            state = every if differs else few
            part = interpret(program.trees[name], Here(state))
            if name in partly:
                part = Part(np.where(np.isnan(partly[name]), part.data, partly[name]))
            state.scalars[name] = {"value": _without_reasons(part)}
            apart |= {name} if differs else set()
    return {name: _column(every.scalars[name]["value"], rows) for name in names}


def properties(results: Results, name: str, table: str, ids: Words) -> dict[str, Any]:
    """What each case's reference leads to: `gpu.memory` and all other columns of its row."""
    at = {row: place for place, row in enumerate(results.rows[table])}
    places = coded(ids).numbers(at.__getitem__).astype(np.int64)
    columns = results.tables[table]
    return {f"{name}.{column}": series.value[places] for column, series in columns.items()}


def assumed(book: Book, name: str) -> float:
    """The component's expected value of an input or a constant, in its unit."""
    value = _program(Same(_component(book, COMPONENT))).stated[name]
    assert isinstance(value, float), name
    return value


def in_bytes(book: Book, name: str) -> float:
    """How many bytes the unit of a quantity of the component is."""
    unit = _component(book, COMPONENT).plan.scalars[name].unit
    assert unit is not None, name
    return float(book.units.factor(unit, book.units.parse("byte")))


def _stated(name: str, values: Any, alike: Alike | None = None) -> dict[End, Part]:
    if alike is not None and isinstance(values, np.ndarray):
        values = values[alike.firsts]
    return {"value": _part(name, values)}


def _part(name: str, values: Any) -> Part:
    """Turn a property that a row lacks into a reason, as in the catalogue."""
    if "." not in name or not isinstance(values, np.ndarray) or values.dtype != np.float64:
        return Part(values)
    lacking = np.isnan(values)
    if not lacking.any():
        return Part(values)
    why = np.full(len(values), None, dtype=object)
    why[lacking] = "not stated"
    return Part(values, why)


def _without_reasons(part: Part) -> Part:
    """The part without its array of reasons if that is empty."""
    if isinstance(part.why, np.ndarray) and not absent(part.why).any():
        return Part(part.data)
    return part


def _column(part: Part, rows: int) -> Array:
    column = np.asarray(part.data)
    kind = object if column.dtype.kind in "UO" else np.float64
    return np.array(np.broadcast_to(column.astype(kind), rows))


def _component(book: Book, name: str) -> Component:
    component = book.components.get(name)
    if component is None:
        raise lacking(book, "component", name)
    return component


class _Program:
    """The formulas of a component, with a row's own values replacing look-ups."""

    def __init__(self, component: Component) -> None:
        plan = component.plan
        self.order = [key.name for key in plan.order if key.table is None]
        self.trees: dict[str, Node] = {}
        self.stated: dict[str, Any] = dict.fromkeys(component.corrections, 1.0)
        for name, scalar in plan.scalars.items():
            if name in self.stated:
                continue  # left at 1: own records are compared with it, or correct it later
            if scalar.formula is not None:
                self.trees[name] = _own(scalar.formula.ends.value)
            elif scalar.stated is not None and scalar.stated.value is not None:
                self.stated[name] = scalar.stated.value
        self.reads = {
            name: {node.name for node in walk(tree) if isinstance(node, Scalar)}
            for name, tree in self.trees.items()
        }

    def needed(self, names: Iterable[str], known: set[str]) -> list[str]:
        """Everything that must be computed for some quantities, in order."""
        waiting, needed = [name for name in names if name not in known], set[str]()
        while waiting:
            name = waiting.pop()
            if name not in needed:
                needed.add(name)
                waiting += self.reads[name] - known
        return [name for name in self.order if name in needed]


def _own(node: Node) -> Node:
    match node:
        case Lookup(key=Scalar(name=name), column=column):
            return Scalar(f"{name}.{column}")
        case Cell(table="fits", row=row, column=column):
            return Scalar(f"fits.{row}.{column}")
    return mapped(node, _own)


@lru_cache(maxsize=8)
def _program(of: Same) -> _Program:
    return _Program(of.value)
