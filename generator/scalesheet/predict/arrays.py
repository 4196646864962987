"""The arrays that predictions are made of: one number or one text per case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import count
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scalesheet.frozen import dataclass

Array = NDArray[np.float64]  # nan: not stated
Words = NDArray[np.object_]  # text, "" where not stated
Reasons = NDArray[np.object_]  # None, or why there is no number
Flags = NDArray[np.bool_]
Places = NDArray[np.int64]


def words(texts: Sequence[Any]) -> Words:
    """An object array of `texts`."""
    out: Words = np.empty(len(texts), dtype=object)
    out[:] = texts
    return out


def no_words(rows: int) -> Words:
    return np.full(rows, "", dtype=object)


def no_reasons(rows: int) -> Reasons:
    return np.full(rows, None, dtype=object)


def unstated(rows: int) -> Array:
    return np.full(rows, np.nan)


@dataclass(frozen=True)
class Coded:
    """A column with few distinct values: for each row, the index of its value in `values`."""

    places: Places
    values: Words

    def each(self, function: Callable[[Any], Any]) -> Coded:
        """Apply `function` once to each distinct value."""
        return Coded(self.places, words(list(map(function, self.values.tolist()))))

    def column(self, name: str = "") -> Words:
        """The value of each row, or an attribute of that value."""
        values = self.each(attrgetter(name)).values if name else self.values
        return values[self.places]

    def numbers(self, function: Callable[[Any], float | None] = float) -> Array:
        """The number that `function` returns for each row; nan for None."""
        return self.each(function).values.astype(np.float64)[self.places]


def coded(*columns: Words | Array | Sequence[str]) -> Coded:
    """Encode a column by its distinct values; several columns by their distinct rows, as tuples."""
    lists = [each.tolist() if isinstance(each, np.ndarray) else each for each in columns]
    places: defaultdict[Any, int] = defaultdict(count().__next__)
    rows = lists[0] if len(lists) == 1 else zip(*lists, strict=True)
    at = np.fromiter(map(places.__getitem__, rows), np.int64, len(lists[0]))
    return Coded(at, words(list(places)))


def each(column: Words | Sequence[str], function: Callable[[str], Any]) -> Words:
    """Apply `function` to each text, calling it once per distinct text."""
    return coded(column).each(function).column()


def first_reason(*many: Reasons) -> Reasons:
    """The first reason given for each row."""
    out = many[0].copy()
    for reasons in many[1:]:
        free = ~given(out)
        out[free] = reasons[free]
    return out


def given(reasons: Reasons) -> Flags:
    """Whether each row has a reason."""
    return np.asarray(reasons != None, dtype=bool)  # noqa: E711  # elementwise


def among(column: Words, *texts: str) -> Flags:
    """Whether each row's text is one of these."""
    rows: Flags = np.logical_or.reduce([column == text for text in texts])
    return rows


def first_stated(one: Array, other: Array) -> Array:
    """`one`, or `other` where `one` is not stated."""
    return np.where(np.isnan(one), other, one)


def first_word(one: Words, other: Words) -> Words:
    """`one`, or `other` where `one` is empty."""
    return np.where(among(one, ""), other, one)


def because(where: Flags, reason: str) -> Reasons:
    """The same reason for every row in `where`."""
    out = no_reasons(len(where))
    out[where] = reason
    return out


def joined(one: Words, other: Words) -> Words:
    """Two columns of text joined with a semicolon; empty text is skipped."""
    rows = zip(one.tolist(), other.tolist(), strict=True)
    return words([f"{a}; {b}" if a and b else a or b for a, b in rows])
