"""Text that formulas build: reasons, rounded numbers, titles of rows, and joined pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scalesheet.evaluate.parts import Part, State, any_array, reasons
from scalesheet.language import arithmetic
from scalesheet.language.syntax import Fixed, Title


def reason(text: Part) -> Part:
    why = text.data
    if isinstance(why, np.ndarray):
        return Part(np.full(len(why), np.nan), why)
    return Part(np.nan, why)


def _each(data: Any, spell: Callable[[Any], str]) -> Any:
    """One text, or an array of text. Missing values have already been handled by a guard."""
    if not isinstance(data, np.ndarray):
        return spell(data)
    out = np.empty(len(data), dtype=object)
    out[:] = [spell(value) for value in data.tolist()]
    return out


def fixed(node: Fixed, operand: Part) -> Part:
    decimals = node.decimals or 0

    def spell(value: float) -> str:
        return arithmetic.fixed(value, decimals) + node.suffix

    return Part(_each(operand.data, spell))


def title(node: Title, key: Part, state: State) -> Part:
    places, titles = state.rows[node.table], state.titles[node.table]
    missing = f"is not in {node.table}"
    data = _each(key.data, lambda id_: titles[places[id_]] if id_ in places else "")
    if not isinstance(key.data, np.ndarray):
        lost = key.why is None and key.data not in places
        return Part(data, f"'{key.data}' {missing}" if lost else None)
    whys = [None if id_ in places else f"'{id_}' {missing}" for id_ in key.data.tolist()]
    return Part(data, reasons(whys, len(whys)) if any(whys) else None)


def join(parts: Sequence[Part]) -> Part:
    """Concatenate pieces. An empty text cell adds nothing."""
    data: Any = ""
    why: Any = None
    for part in parts:
        spelled = _each(part.data, lambda value: value if isinstance(value, str) else "")
        data = _beside(data, spelled)
        why = part.why if why is None else why
    return Part(data, why)


def _beside(left: Any, right: Any) -> Any:
    """Concatenate two texts, row by row if one of them has rows."""
    if not any_array(Part(left), Part(right)):
        return left + right
    rows = len(left) if isinstance(left, np.ndarray) else len(right)
    out = np.empty(rows, dtype=object)
    pairs = zip(np.broadcast_to(left, rows), np.broadcast_to(right, rows), strict=True)
    out[:] = [str(a) + str(b) for a, b in pairs]
    return out
