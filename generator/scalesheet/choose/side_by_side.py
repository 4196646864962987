"""Figures of a plan for many values of some of its inputs, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scalesheet.book import Book
from scalesheet.evaluate.interpret import Here, Part, State, absent, interpret
from scalesheet.evaluate.routes import graph
from scalesheet.model import Plan

#: Values of some inputs, of which each combination is tried.
Axes = Mapping[str, Sequence[float | str]]


def combinations(axes: Axes) -> tuple[dict[str, NDArray[Any]], tuple[int, ...]]:
    """Every combination of some inputs, side by side; and how many values each input has."""
    grids = np.meshgrid(*(_axis(values) for values in axes.values()), indexing="ij")
    inputs = {name: grid.ravel() for name, grid in zip(axes, grids, strict=True)}
    return inputs, grids[0].shape


def _axis(values: Sequence[float | str]) -> NDArray[Any]:
    words = any(isinstance(value, str) for value in values)
    return np.array(values, dtype=object if words else np.float64)


def figures_of(
    book: Book,
    plan: Plan,
    state: State,
    names: Sequence[str],
    inputs: Mapping[str, NDArray[Any]],
) -> list[NDArray[np.float64]]:
    """The expected values of scalars, an array each; nan where there is a reason.

    `inputs` are arrays of one length; `state` has everything else, and is changed.
    """
    state.scalars.update({name: {"value": Part(values)} for name, values in inputs.items()})
    needed = {key for key, _ in graph(book, plan, tuple(names)).readers}
    for key in plan.order:
        if key in needed:
            formula = plan.scalars[key.name].formula
            assert formula is not None
            state.scalars[key.name] = {"value": interpret(formula.ends.value, Here(state))}
    rows = len(next(iter(inputs.values())))
    return [_array(state.scalars[name]["value"], rows) for name in names]


def _array(part: Part, rows: int) -> NDArray[np.float64]:
    data = np.array(np.broadcast_to(np.asarray(part.data, dtype=np.float64), rows))
    if part.why is not None:
        data[absent(part.why) if isinstance(part.why, np.ndarray) else slice(None)] = np.nan
    return data
