"""A figure of a plan over values of one input, all other inputs being as they are in results.

Each value is computed by the plan's own formulas, as an edit of that input is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from scalesheet.book import Book
from scalesheet.evaluate import evaluate
from scalesheet.model import Key, Plan, Stated
from scalesheet.pictures import Sweep
from scalesheet.values import Results, Value


def swept(book: Book, plan: Plan, sweep: Sweep, results: Results) -> dict[float, Value]:
    """The figure by value of the input, rising: those of the chart and that of `results`."""
    edits = dict(_edits(book, plan, results))
    now = results.scalars[sweep.input].value
    values = {*sweep.values, now} if isinstance(now, float) else {*sweep.values}
    return {
        value: evaluate(book, plan, {**edits, Key(sweep.input): value}).scalars[sweep.figure]
        for value in sorted(values)
    }


def _edits(book: Book, plan: Plan, results: Results) -> Iterator[tuple[Key, Stated]]:
    """The inputs that results were not computed from as they are stated."""
    for name, scalar in plan.scalars.items():
        if scalar.stated is not None and (edit := _edit(scalar.stated, results.scalars[name])):
            yield Key(name), edit
    tables: Mapping[str, object] = {**book.tables, **plan.tables}
    for name in tables:
        table = plan.tables.get(name) or book.tables[name]
        places = {row: place for place, row in enumerate(results.rows[name])}
        for column in table.columns.values():
            series = results.tables[name][column.name]
            for row, stated in column.stated.items():
                if edit := _edit(stated, series[places[row]]):
                    yield Key(column.name, name, row), edit


def _edit(stated: Stated, value: Value) -> Stated | None:
    """What stands there instead of what is stated; None where it is that."""
    if value.value is None and value.reason is None:
        return None
    same = (stated.value, stated.reason) == (value.value, value.reason)
    if same and (stated.low, stated.high) in ((value.low, value.high), (None, None)):
        return None
    return replace(stated, value=value.value, low=value.low, high=value.high, reason=value.reason)
