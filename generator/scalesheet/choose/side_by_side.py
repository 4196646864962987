"""Computes figures of a plan for many values of some of its inputs at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scalesheet.evaluate import Same
from scalesheet.evaluate.interpret import interpret
from scalesheet.evaluate.parts import Here, Part, State, absent
from scalesheet.language.syntax import Node, Scalar, walk
from scalesheet.model import Plan

#: Values of some inputs; every combination is tried.
Axes = Mapping[str, Sequence[float | str]]


def combinations(axes: Axes) -> tuple[dict[str, NDArray[Any]], tuple[int, ...]]:
    """Every combination of some inputs, side by side, and the number of values of each input."""
    grids = np.meshgrid(*(_axis(values) for values in axes.values()), indexing="ij")
    inputs = {name: grid.ravel() for name, grid in zip(axes, grids, strict=True)}
    return inputs, grids[0].shape


def _axis(values: Sequence[float | str]) -> NDArray[Any]:
    words = any(isinstance(value, str) for value in values)
    return np.array(values, dtype=object if words else np.float64)


def figures_of(
    plan: Plan,
    state: State,
    names: Sequence[str],
    inputs: Mapping[str, NDArray[Any]],
    given: Mapping[str, float | str | bool] = MappingProxyType({}),
) -> list[NDArray[np.float64]]:
    """The expected values of scalars as arrays; nan where there is a reason.

    `inputs` are arrays of equal length, `given` are single values; `state` holds everything else,
    and is modified.
    """
    stated = {**given, **inputs}
    state.scalars.update({name: {"value": Part(values)} for name, values in stated.items()})
    needed = _needed(Same(plan), tuple(names), frozenset(stated))
    for key in plan.order:
        if key.table is None and key.name in needed:
            tree = needed[key.name]
            state.scalars[key.name] = {"value": interpret(tree, Here(state))}
    rows = len(next(iter(inputs.values())))
    return [_array(state.scalars[name]["value"], rows) for name in names]


@lru_cache(maxsize=32)  # a search asks for the same figures of each case
def _needed(of: Same, names: tuple[str, ...], stated: frozenset[str]) -> Mapping[str, Node]:
    """The formulas of all scalars that the figures of a plan depend on, by name."""
    plan: Plan = of.value
    trees: dict[str, Node] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        formula = plan.scalars[name].formula
        if name not in trees and name not in stated and formula is not None:
            trees[name] = formula.ends.value
            waiting += [node.name for node in walk(trees[name]) if isinstance(node, Scalar)]
    return trees


def _array(part: Part, rows: int) -> NDArray[np.float64]:
    data = np.array(np.broadcast_to(np.asarray(part.data, dtype=np.float64), rows))
    if part.why is not None:
        data[absent(part.why) if isinstance(part.why, np.ndarray) else slice(None)] = np.nan
    return data
