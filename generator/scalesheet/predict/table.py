"""Predictions: one row for each case, in order, as CSV or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import repeat
from typing import Any

import numpy as np

from scalesheet.frozen import dataclass
from scalesheet.predict.arrays import (
    Array,
    Flags,
    Reasons,
    Words,
    each,
    first_reason,
    given,
    joined,
    no_reasons,
    no_words,
    unstated,
)

COLUMNS = (
    "id",
    "predicted",
    "predicted_low",
    "predicted_high",
    "predicted_unit",
    "method",
    "unsupported_because",
)
#: Significant digits of a written prediction.
DIGITS = 6
#: Powers of ten that floats represent exactly.
_TENS = np.array([10.0**power for power in range(23)])
_QUOTED = re.compile('[",\r\n]')
NO_VALUE = "the formula has no value for these inputs"


@dataclass(frozen=True)
class Predictions:
    """`low` to `high` is the 80 % interval. A row has numbers and a method, or a reason."""

    predicted: Array
    low: Array
    high: Array
    method: Words
    unsupported: Reasons

    def __len__(self) -> int:
        return len(self.predicted)


def none_of(rows: int, reason: str) -> Predictions:
    """No predictions; the same reason for all rows."""
    reasons = no_reasons(rows)
    reasons[:] = reason
    empty = unstated(rows)
    return Predictions(empty, empty, empty, no_words(rows), reasons)


def settled(made: Predictions, unsupported: Reasons, assumed: Words) -> Predictions:
    """Add reasons that were known before, and append assumptions to the method. Each row ends up
    with either numbers or a reason.
    """
    reasons = first_reason(unsupported, made.unsupported)
    sound = np.isfinite(made.predicted) & np.isfinite(made.low) & np.isfinite(made.high)
    sound &= (made.predicted > 0) & (made.low <= made.predicted) & (made.predicted <= made.high)
    reasons[~sound & ~given(reasons)] = NO_VALUE
    blank = given(reasons)

    def kept(values: Array) -> Array:
        return np.where(blank, np.nan, values)

    method = joined(made.method, assumed)
    method[blank] = ""
    return replace(
        made,
        predicted=kept(made.predicted),
        low=kept(made.low),
        high=kept(made.high),
        method=method,
        unsupported=reasons,
    )


def supported(made: Predictions) -> Flags:
    return ~given(made.unsupported)


def _rounded(values: Array) -> Array:
    """Round to DIGITS as formatting would; values close to a tie are rounded through their text."""
    with np.errstate(all="ignore"):
        up = DIGITS - 1 - np.floor(np.log10(values))
    exact = np.abs(up) < len(_TENS)
    tens = _TENS[np.where(exact, np.abs(up), 0).astype(np.int64)]
    shifted = np.where(up < 0, values / tens, values * tens)
    whole = np.rint(shifted)
    out: Array = np.where(up < 0, whole * tens, whole / tens)
    unsure = ~exact | (np.abs(shifted - whole) > 0.499999)
    out[unsure] = [float(f"{value:.{DIGITS}g}") for value in values[unsure].tolist()]
    return out


def _rows(
    ids: Words,
    made: Predictions,
    unit: str,
    text: Callable[[str | None], Any],
    number: Callable[[float], Any],
) -> Iterator[tuple[Any, ...]]:
    """What is written for each row, in the order of COLUMNS."""
    numbers = (_rounded(values).tolist() for values in (made.predicted, made.low, made.high))
    texts = each(made.method, text), each(made.unsupported, text)
    written = (map(number, column) for column in numbers)
    return zip(map(text, ids.tolist()), *written, repeat(text(unit)), *texts, strict=False)


def as_csv(ids: Words, made: Predictions, unit: str) -> str:
    """CSV with a header line; unknown values are empty."""
    rows = _rows(ids, made, unit, _field, lambda number: repr(number) if number == number else "")
    return "\n".join(map(",".join, (COLUMNS, *rows))) + "\n"


def _field(text: str | None) -> str:
    """Quote a field as the csv module does, but faster: csv checks every character."""
    quoted = text and _QUOTED.search(text) and text.replace('"', '""')
    return f'"{quoted}"' if quoted else text or ""


def as_json(ids: Words, made: Predictions, unit: str) -> str:
    """A JSON list of objects with the same names; unknown values are null."""
    rows = _rows(
        ids, made, unit, lambda text: text, lambda number: number if number == number else None
    )
    lines = (json.dumps(dict(zip(COLUMNS, row, strict=True)), ensure_ascii=False) for row in rows)
    return "[\n" + ",\n".join(lines) + "\n]\n"
