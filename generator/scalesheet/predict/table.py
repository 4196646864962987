"""Predictions: one row for each case, in order, as CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, replace

import numpy as np

from scalesheet.predict.arrays import (
    Array,
    Flags,
    Reasons,
    Words,
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
#: Digits that a prediction is written with.
DIGITS = 6
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
    """No row predicted, all for the same reason."""
    reasons = no_reasons(rows)
    reasons[:] = reason
    empty = unstated(rows)
    return Predictions(empty, empty, empty, no_words(rows), reasons)


def settled(made: Predictions, unsupported: Reasons, assumed: Words) -> Predictions:
    """The same with the reasons that were known before, and what was assumed beside the method; a
    row has numbers or a reason."""
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


def _numbers(values: Array) -> list[float | None]:
    return [None if v != v else float(f"{v:.{DIGITS}g}") for v in values.tolist()]


def _rows(ids: Words, made: Predictions, unit: str) -> list[tuple[object, ...]]:
    columns = (_numbers(made.predicted), _numbers(made.low), _numbers(made.high))
    methods, reasons = made.method.tolist(), made.unsupported.tolist()
    return list(zip(ids.tolist(), *columns, [unit] * len(made), methods, reasons, strict=True))


def as_csv(ids: Words, made: Predictions, unit: str) -> str:
    """CSV with a line of names; what is not known is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_rows(ids, made, unit))
    return out.getvalue()


def as_json(ids: Words, made: Predictions, unit: str) -> str:
    """A list of objects with the same names; what is not known is null."""
    lines = (
        json.dumps(dict(zip(COLUMNS, row, strict=True)), ensure_ascii=False)
        for row in _rows(ids, made, unit)
    )
    return "[\n" + ",\n".join(lines) + "\n]\n"
