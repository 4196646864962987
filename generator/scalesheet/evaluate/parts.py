"""The inputs and results of formulas: a value or an array, and reasons in place of values.

A result that is not a finite number ends its formula: the cell is a `Fault`, and so is everything
that depends on it. For a single cell, this is an exception within the interpreter; for all rows at
once, it is a mark on the row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from itertools import starmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scalesheet.frozen import dataclass
from scalesheet.language import arithmetic
from scalesheet.language.syntax import End

Why = NDArray[np.object_]


class Fault(str):
    """A reason that no formula anticipates, such as an overflow: aggregates do not skip it."""

    __slots__ = ()


class NoNumberError(Exception):
    """Ends the evaluation of one cell."""

    def __init__(self, why: Fault) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class Part:
    """An intermediate value, or an array of them over rows. `why` holds reasons, or None."""

    data: Any  # float, str, bool, or an array of float64 or of objects
    why: Any = None  # None, str, or an array of objects


@dataclass(slots=True)
class Filled:
    """A column, as far as it is computed: an array for each end, and the reasons."""

    ends: dict[End, NDArray[Any]]
    why: Why | None = None

    def part(self, end: End) -> Part:
        return Part(self.ends.get(end, self.ends["value"]), self.why)

    def copy(self) -> Filled:
        ends = {end: array.copy() for end, array in self.ends.items()}
        return Filled(ends, None if self.why is None else self.why.copy())

    def same(self, other: Filled) -> bool:
        """Whether all values and reasons are identical."""
        pairs = [(array, other.ends[end]) for end, array in self.ends.items()]
        return all(starmap(_same, [*pairs, (self.why, other.why)]))


class Columns(dict[tuple[str, str], Filled]):
    """Columns by table and name. One that is not there is made by `find` on first use."""

    def __init__(
        self,
        of: Mapping[tuple[str, str], Filled] | None = None,
        find: Callable[[tuple[str, str]], Filled] | None = None,
    ) -> None:
        super().__init__(of or {})
        self.find = find

    def __missing__(self, at: tuple[str, str]) -> Filled:
        if self.find is None:
            raise KeyError(at)
        filled = self[at] = self.find(at)
        return filled

    def copy(self) -> Columns:
        return Columns(self, self.find)


@dataclass(slots=True)
class State:
    """Everything computed so far, and the index of each row."""

    scalars: dict[str, dict[End, Part]] = field(default_factory=dict)
    columns: Columns = field(default_factory=Columns)
    rows: dict[str, Mapping[str, int]] = field(default_factory=dict)
    titles: dict[str, Sequence[str]] = field(default_factory=dict)  # of rows, by table

    def copy(self) -> State:
        """A copy that can be modified independently."""
        return State(dict(self.scalars), self.columns.copy(), dict(self.rows), dict(self.titles))


@dataclass(frozen=True, slots=True)
class Here:
    """Where a tree is evaluated: without a table, in one row (by number), or in all rows of a
    table.

    In the condition of an aggregate, `around` is the place of the aggregate itself. `suspect` marks
    the rows to evaluate again, one by one.
    """

    state: State
    table: str | None = None
    row: int | None = None
    around: Here | None = None
    suspect: NDArray[np.bool_] | None = None


def _same(one: Any, other: Any) -> bool:
    if one is None or other is None or one.dtype != other.dtype:
        return one is other
    return bool((one == other).all() if one.dtype == object else one.tobytes() == other.tobytes())


def absent(why: Why) -> NDArray[np.bool_]:
    """Whether each row has a reason instead of a value."""
    return np.asarray(why != None, dtype=bool)  # noqa: E711  # elementwise


def reasons(why: Any, rows: int) -> Why:
    """A new array of reasons over rows."""
    out: Why = np.empty(rows, dtype=object)
    out[:] = why
    return out


def any_array(*parts: Part) -> bool:
    return any(isinstance(p.data, np.ndarray) for p in parts)


def is_fault(why: object) -> bool:
    return isinstance(why, Fault)


def sound(part: Part, here: Here) -> Part:
    """A value that is read; raises NoNumberError for a fault, or marks such rows as suspect."""
    if isinstance(part.why, Fault):
        raise NoNumberError(part.why)
    if here.suspect is not None and isinstance(part.why, np.ndarray):
        here.suspect[:] |= np.fromiter(map(is_fault, part.why), dtype=bool, count=len(part.why))
    return part


def finite(operation: str, data: Any, here: Here, *operands: Any) -> Part:
    """The result of an operation if it is a number; without one if an operand has none."""
    if isinstance(data, np.ndarray):
        if here.suspect is not None and not np.isfinite(data).all():
            lost = ~np.isfinite(data)
            for operand in operands:
                lost &= ~np.isnan(operand)
            here.suspect[:] |= lost
    elif not math.isfinite(data) and not any(map(math.isnan, operands)):
        raise NoNumberError(Fault(arithmetic.missing(operation, data)))
    return Part(data)


def holding(test: Part) -> Any:
    """Whether a condition holds; it does not where it has no value."""
    if not isinstance(test.data, np.ndarray):
        return test.why is None and bool(test.data)
    if test.why is None:
        return test.data.astype(bool)
    return test.data.astype(bool) & ~absent(reasons(test.why, len(test.data)))
