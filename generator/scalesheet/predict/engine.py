"""A component over many cases at once: what a plan computes in cells, by rows.

A case may state what the component would compute: its own accelerator, model or share of
recomputation. Unless another is named, the component is `training-run`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from scalesheet.book import Book
from scalesheet.evaluate import Same
from scalesheet.evaluate.interpret import interpret
from scalesheet.evaluate.parts import Here, Part, State, absent
from scalesheet.language.syntax import Cell, End, Lookup, Node, Scalar, mapped, walk
from scalesheet.model import Component
from scalesheet.predict.arrays import Array, Places, Words, coded
from scalesheet.predict.fits import Coefficients
from scalesheet.predict.records import lacking
from scalesheet.values import Results

COMPONENT = "training-run"


@dataclass(frozen=True)
class Partly:
    """Values of a quantity for some cases; for the others, which are nan, it is computed."""

    values: Array


@dataclass(frozen=True)
class Alike:
    """Cases that differ in the inputs alone whose names begin with `but`, such as `gpu.`: what
    rests on none of these is computed once for all of them."""

    but: str
    firsts: Places  # a case of each kind
    kinds: Places  # by case, the place of its kind in `firsts`


class _Spread(dict[str, Any]):
    """Quantities of all cases; one that is known by kind is spread out when it is first read."""

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
    """Expected values of some quantities of a component for each case, in their units, or words.

    `given` are values of its inputs and quantities by name, one or an array over the cases, and
    properties as `model.hidden`. `fits` are coefficients by task. Raises Refused where the book has
    no such component.
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
    """What a reference of each case leads to: `gpu.memory` and all else of its row."""
    at = {row: place for place, row in enumerate(results.rows[table])}
    places = coded(ids).numbers(at.__getitem__).astype(np.int64)
    columns = results.tables[table]
    return {f"{name}.{column}": series.value[places] for column, series in columns.items()}


def assumed(book: Book, name: str) -> float:
    """What the component has for an input or a constant, expected, in its unit."""
    value = _program(Same(_component(book, COMPONENT))).stated[name]
    assert isinstance(value, float), name
    return value


def _stated(name: str, values: Any, alike: Alike | None = None) -> dict[End, Part]:
    if alike is not None and isinstance(values, np.ndarray):
        values = values[alike.firsts]
    return {"value": _part(name, values)}


def _part(name: str, values: Any) -> Part:
    """A property that a row lacks is a reason, as in the catalogue."""
    if "." not in name or not isinstance(values, np.ndarray) or values.dtype != np.float64:
        return Part(values)
    lacking = np.isnan(values)
    if not lacking.any():
        return Part(values)
    why = np.full(len(values), None, dtype=object)
    why[lacking] = "not stated"
    return Part(values, why)


def _without_reasons(part: Part) -> Part:
    """The same without an array of reasons in which there is none."""
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
    """The formulas of a component, with what a row has of its own in place of look-ups."""

    def __init__(self, component: Component) -> None:
        plan = component.plan
        self.order = [key.name for key in plan.order if key.table is None]
        self.trees: dict[str, Node] = {}
        self.stated: dict[str, Any] = dict.fromkeys(component.corrections, 1.0)
        for name, scalar in plan.scalars.items():
            if name in self.stated:
                continue  # what is predicted here is compared with own records, or corrected after
            if scalar.formula is not None:
                self.trees[name] = _own(scalar.formula.ends.value)
            elif scalar.stated is not None and scalar.stated.value is not None:
                self.stated[name] = scalar.stated.value
        self.reads = {
            name: {node.name for node in walk(tree) if isinstance(node, Scalar)}
            for name, tree in self.trees.items()
        }

    def needed(self, names: Iterable[str], known: set[str]) -> list[str]:
        """What must be computed for some quantities, in order."""
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
