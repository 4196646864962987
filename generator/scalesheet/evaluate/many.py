"""Evaluates a plan in many states at once: a value that differs between them is an array over the
states.

Everything else stays a single value, and is computed once. A column whose cells differ has an array
of states for each cell.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scalesheet.evaluate.parts import Filled, Part, State
from scalesheet.language.syntax import End, Join, Node, Reason, Text, mapped, walk
from scalesheet.model import Key

#: Replaces reasons that contain figures: no number depends on their text.
WITHOUT = Reason(Text("no value in this state"))


def quiet(node: Node) -> Node:
    """The formula without figures in its text, which would take most of the time."""
    if isinstance(node, Reason) and any(isinstance(each, Join) for each in walk(node)):
        return WITHOUT
    return mapped(node, quiet)


def put(state: State, key: Key, part: Part, states: int, end: End = "value") -> None:
    """Put a scalar or a cell into each of the states. A column gets room for them only once a cell
    differs: most do not, and formulas that read them are computed once.
    """
    if key.table is None:
        state.scalars[key.name] = {**state.scalars[key.name], end: part}
        return
    assert key.row is not None
    place = state.rows[key.table][key.row]
    filled = state.columns[key.table, key.name]
    if filled.ends[end].ndim == 1 and not isinstance(part.data, np.ndarray):
        why = None if filled.why is None else filled.why[place]
        same = not isinstance(part.why, np.ndarray) and why == part.why
        if same and (why is not None or filled.ends[end][place] == part.data):
            return
    filled = _wide(state, key.table, key.name, end, states)
    filled.ends[end][place] = part.data
    if part.why is not None and filled.why is None:
        filled.why = np.empty(len(state.rows[key.table]), dtype=object)
    if isinstance(part.why, np.ndarray) and filled.why is not None and filled.why.ndim == 1:
        filled.why = _widened(filled.why, states)
    if filled.why is not None:
        filled.why[place] = part.why


def _wide(state: State, table: str, name: str, end: End, states: int) -> Filled:
    """A copy of a column with room for each state. Reasons get room only if one differs."""
    filled = state.columns[table, name]
    if filled.ends[end].ndim == 1:
        ends = {**filled.ends, end: _widened(filled.ends[end], states)}
        why = None if filled.why is None else filled.why.copy()
        filled = state.columns[table, name] = Filled(ends, why)
    return filled


def _widened(array: NDArray[Any], states: int) -> NDArray[Any]:
    return np.repeat(array[:, None], states, axis=1)


def settled(part: Part) -> Part:
    """Reduce a part to one value if it is the same in each state."""
    data, why = part.data, part.why
    if isinstance(why, np.ndarray):
        if not (why == why[0]).all():
            return part
        why = why[0]
    if isinstance(data, np.ndarray) and data.ndim:
        if why is not None:
            data = np.full(1, np.nan)
        elif not (data == data[0]).all():
            return Part(data)
        data = data.tolist()[0]
    return Part(float(data) if isinstance(data, np.ndarray) else data, why)


def numbers(state: State, name: str, states: int) -> NDArray[np.float64]:
    """A scalar in each state; nan without a number."""
    part = state.scalars[name]["value"]
    data = np.array(np.broadcast_to(part.data, states), np.float64)
    if part.why is not None:
        data[np.broadcast_to(np.asarray(part.why != None, bool), states)] = np.nan  # noqa: E711  # elementwise
    data[~np.isfinite(data)] = np.nan  # an overflow is not a number
    return data
