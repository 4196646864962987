"""The arrays that predictions are made of: one number or one text for each case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


def each(column: Words, function: Callable[[str], Any]) -> Words:
    """The function of each text, called once for each that differs."""
    result: dict[str, Any] = {}
    for text in column.tolist():
        if text not in result:
            result[text] = function(text)
    return words([result[text] for text in column.tolist()])


def first_reason(*many: Reasons) -> Reasons:
    """For each row the first reason that one of them gives."""
    out = many[0].copy()
    for reasons in many[1:]:
        free = ~given(out)
        out[free] = reasons[free]
    return out


def given(reasons: Reasons) -> Flags:
    """The rows that have a reason."""
    return np.array([reason is not None for reason in reasons.tolist()], dtype=bool)


def among(column: Words, *texts: str) -> Flags:
    """The rows whose text is one of these."""
    return np.isin(column.astype(str), texts)


def first_stated(one: Array, other: Array) -> Array:
    """One number, or where it is not stated the other."""
    return np.where(np.isnan(one), other, one)


def first_word(one: Words, other: Words) -> Words:
    """One text, or where it is empty the other."""
    return words([a or b for a, b in zip(one.tolist(), other.tolist(), strict=True)])


def because(where: Flags, reason: str) -> Reasons:
    """The same reason for all rows where it applies."""
    out = no_reasons(len(where))
    out[where] = reason
    return out


def joined(*many: Words) -> Words:
    """Texts side by side, with a semicolon between those that are not empty."""
    rows = zip(*(column.tolist() for column in many), strict=True)
    return words(["; ".join(filter(None, row)) for row in rows])


def paired(one: Words, other: Words, function: Callable[[str, str], Any]) -> Words:
    """The function of each pair of texts, called once for each that differs."""
    result: dict[tuple[str, str], Any] = {}
    pairs = list(zip(one.tolist(), other.tolist(), strict=True))
    for pair in pairs:
        if pair not in result:
            result[pair] = function(*pair)
    return words([result[pair] for pair in pairs])
