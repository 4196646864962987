"""The arrays that predictions are made of: one number or one text for each case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]  # nan: not stated
Words = NDArray[np.object_]  # texts, "" where not stated
Reasons = NDArray[np.object_]  # None, or why there is no number
Flags = NDArray[np.bool_]
Places = NDArray[np.int64]


def words(texts: Sequence[Any]) -> Words:
    """An array of objects, one for each."""
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
    """A column in which few values differ: the place of each row's among them."""

    places: Places
    values: Words

    def each(self, function: Callable[[Any], Any]) -> Coded:
        """The function of each value, called once for each that differs."""
        return Coded(self.places, words(list(map(function, self.values.tolist()))))

    def column(self, name: str = "") -> Words:
        """The value of each row, or an attribute of it."""
        values = self.each(attrgetter(name)).values if name else self.values
        return values[self.places]

    def numbers(self, function: Callable[[Any], float | None] = float) -> Array:
        """The number that the function gives for each row, nan for None."""
        return self.each(function).values.astype(np.float64)[self.places]


def coded(*columns: Words | Array | Sequence[str]) -> Coded:
    """The values that differ of a column; of several, the rows that differ, as tuples."""
    lists = [each.tolist() if isinstance(each, np.ndarray) else each for each in columns]
    places: defaultdict[Any, int] = defaultdict(count().__next__)
    rows = lists[0] if len(lists) == 1 else zip(*lists, strict=True)
    at = np.fromiter(map(places.__getitem__, rows), np.int64, len(lists[0]))
    return Coded(at, words(list(places)))


def each(column: Words | Sequence[str], function: Callable[[str], Any]) -> Words:
    """The function of each text, called once for each that differs."""
    return coded(column).each(function).column()


def first_reason(*many: Reasons) -> Reasons:
    """For each row the first reason that one of them gives."""
    out = many[0].copy()
    for reasons in many[1:]:
        free = ~given(out)
        out[free] = reasons[free]
    return out


def given(reasons: Reasons) -> Flags:
    """The rows that have a reason."""
    return np.asarray(reasons != None, dtype=bool)  # noqa: E711  # elementwise


def among(column: Words, *texts: str) -> Flags:
    """The rows whose text is one of these."""
    rows: Flags = np.logical_or.reduce([column == text for text in texts])
    return rows


def first_stated(one: Array, other: Array) -> Array:
    """One number, or where it is not stated the other."""
    return np.where(np.isnan(one), other, one)


def first_word(one: Words, other: Words) -> Words:
    """One text, or where it is empty the other."""
    return np.where(among(one, ""), other, one)


def because(where: Flags, reason: str) -> Reasons:
    """The same reason for all rows where it applies."""
    out = no_reasons(len(where))
    out[where] = reason
    return out


def joined(one: Words, other: Words) -> Words:
    """Texts side by side, with a semicolon between two that are not empty."""
    rows = zip(one.tolist(), other.tolist(), strict=True)
    return words([f"{a}; {b}" if a and b else a or b for a, b in rows])
