"""What printed Python expressions call: the language's arithmetic, reasons, and aggregates.

A column is any iterable of cell values; reasons and empty cells (None) are not numbers. An
operation on a number that is not finite raises OverflowError, where floats would continue to a
meaningless number or truth value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any, TypeVar

from scalesheet.frozen import dataclass
from scalesheet.language import arithmetic
from scalesheet.language.arithmetic import (
    TOO_LARGE,
    abs,
    ceil,
    first_at,
    fixed,
    floor,
    ln,
    log10,
    mean,
    round,
    sqrt,
    total,
    workday,
)

__all__ = [
    "Reason",
    "abs",
    "argmax",
    "argmin",
    "at_least",
    "at_most",
    "ceil",
    "count",
    "differ",
    "equal",
    "exp",
    "fixed",
    "floor",
    "greater",
    "greatest",
    "guard",
    "join",
    "known",
    "least",
    "less",
    "ln",
    "log10",
    "max",
    "mean",
    "min",
    "numbers",
    "round",
    "sqrt",
    "total",
    "workday",
]


_Given = TypeVar("_Given")


def _of_finite(function: Callable[..., _Given]) -> Callable[..., _Given]:
    @wraps(function)
    def checked(*numbers: float) -> _Given:
        if not all(map(math.isfinite, numbers)):
            raise OverflowError(TOO_LARGE)
        return function(*numbers)

    return checked


equal, differ = _of_finite(arithmetic.equal), _of_finite(arithmetic.differ)
less, at_most = _of_finite(arithmetic.less), _of_finite(arithmetic.at_most)
greater, at_least = _of_finite(arithmetic.greater), _of_finite(arithmetic.at_least)
min, max = _of_finite(arithmetic.min), _of_finite(arithmetic.max)
exp = _of_finite(arithmetic.exp)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why there is no value."""

    text: str


def guard(subjects: Iterable[Any], body: Callable[[], Any]) -> Any:
    """Return the first subject that is a reason, else the body.

    A computed subject is a function, because it may have no value if an earlier subject is a
    reason.
    """
    for subject in subjects:
        value = subject() if callable(subject) else subject
        if isinstance(value, Reason):
            return value
    return body()


def known(value: Any) -> bool:
    """Return whether there is a number rather than a reason."""
    return not isinstance(value, Reason)


def join(*texts: str | None) -> str:
    """Concatenate texts; an empty cell adds nothing."""
    return "".join(text or "" for text in texts)


def numbers(cells: Iterable[Any]) -> Iterator[float]:
    """Yield the cells that are numbers."""
    return (cell for cell in cells if isinstance(cell, int | float) and not isinstance(cell, bool))


def count(items: Iterable[Any]) -> int:
    """Count the items."""
    return sum(1 for _ in items)


def least(values: Iterable[float]) -> float:
    """The minimum; nan without values."""
    return min(*values)


def greatest(values: Iterable[float]) -> float:
    """The maximum; nan without values."""
    return max(*values)


def argmin(rows: Iterable[tuple[str, Any]]) -> str | None:
    """The id of the first row with the smallest number; None if no row has a number."""
    return _first(rows, least)


def argmax(rows: Iterable[tuple[str, Any]]) -> str | None:
    """The id of the first row with the largest number; None if no row has a number."""
    return _first(rows, greatest)


def _first(rows: Iterable[tuple[str, Any]], pick: Callable[[list[float]], float]) -> str | None:
    known = [(id_, value) for id_, value in rows if isinstance(value, int | float)]
    wanted = pick([value for _, value in known])
    if math.isnan(wanted):
        return None
    return known[first_at([value for _, value in known], wanted)][0]
