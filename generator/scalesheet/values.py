"""Results: low, expected and high value of every cell, from the evaluator to the renderers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scalesheet.frozen import dataclass
from scalesheet.language.syntax import End
from scalesheet.model import Stated


@dataclass(frozen=True, slots=True)
class Value:
    """One computed or stated value: a number (with a range), a word, id, text, flag, or a reason.

    For an exact number `low == value == high`; for anything but a number, low and high are None. An
    empty cell has neither value nor reason.
    """

    value: float | str | bool | None = None
    low: float | None = None
    high: float | None = None
    reason: str | None = None

    @property
    def ranged(self) -> bool:
        return self.low is not None and (self.low != self.value or self.high != self.value)

    def end(self, end: End) -> float | str | bool | None:
        if end == "value" or not isinstance(self.value, float):
            return self.value
        return self.low if end == "low" else self.high

    @staticmethod
    def number(value: float, low: float | None = None, high: float | None = None) -> Value:
        return Value(value, value if low is None else low, value if high is None else high)


def stated_value(stated: Stated) -> Value:
    """Convert a stated value to a result."""
    if isinstance(stated.value, float | int) and not isinstance(stated.value, bool):
        return Value.number(float(stated.value), stated.low, stated.high)
    return Value(stated.value, reason=stated.reason)


@dataclass(frozen=True)
class Series:
    """A column's values: float arrays for numbers (nan if missing), object arrays otherwise.

    `low` and `high` are None if the column is exact. `reasons` are by row number.
    """

    value: NDArray[Any]
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None
    reasons: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.value)

    def __getitem__(self, row: int) -> Value:
        if row in self.reasons:
            return Value(reason=self.reasons[row])
        value = self.value[row]
        if isinstance(value, np.floating | float):
            number = float(value)
            if number != number:
                return Value()
            return Value(
                number,
                number if self.low is None else float(self.low[row]),
                number if self.high is None else float(self.high[row]),
            )
        return Value(value if value is None else _plain(value))

    def __iter__(self) -> Iterator[Value]:
        return (self[row] for row in range(len(self)))


def _plain(value: Any) -> str | bool:
    return bool(value) if isinstance(value, np.bool_ | bool) else str(value)


@dataclass(frozen=True)
class Results:
    """Every cell of a plan and of the catalogue tables, by name."""

    scalars: Mapping[str, Value]
    tables: Mapping[str, Mapping[str, Series]]
    rows: Mapping[str, Sequence[str]]

    def cell(self, table: str, row: str, column: str) -> Value:
        return self.tables[table][column][self.rows[table].index(row)]

    def of(self, tables: Iterable[str]) -> Results:
        """Only the scalars and the cells of some tables."""
        return Results(
            self.scalars,
            {name: self.tables[name] for name in tables},
            {name: self.rows[name] for name in tables},
        )

    def on(self, catalogue: Results) -> Results:
        """These results of a plan with those of the catalogue."""
        tables = {**catalogue.tables, **self.tables}
        return Results(self.scalars, tables, {**catalogue.rows, **self.rows})
