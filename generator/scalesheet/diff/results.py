"""Finds computed figures that changed by more than a threshold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from scalesheet.book import Book
from scalesheet.diff.changes import CATALOGUE, Place, ResultMoved
from scalesheet.diff.formulas import BY_SCENARIO
from scalesheet.diff.inputs import label_of, scaled, unit_factor
from scalesheet.diff.matching import Names, own_tables, plan_of
from scalesheet.diff.printing import turn
from scalesheet.edition import Edition
from scalesheet.frozen import dataclass
from scalesheet.model import Column, Key, Quantity, Scalar, Stated
from scalesheet.values import Results, Series, Value


@dataclass(frozen=True)
class MovedResults:
    """The moved results, and the number of compared results by the new id of the plan."""

    moved: tuple[ResultMoved, ...]
    compared: Mapping[str, int]
    before: Mapping[str, Results]  # by old id; an empty text is the catalogue
    after: Mapping[str, Results]


def moved_results(base: Edition, head: Edition, names: Names, threshold: float) -> MovedResults:
    """Every computed figure that is on both sides and moved by more than this share of its old
    value; words and reasons moved if they differ. Unsorted.
    """
    before = {CATALOGUE: base.catalogue, **base.results}
    after = {CATALOGUE: head.catalogue, **head.results}
    moved: list[ResultMoved] = []
    compared: dict[str, int] = {}
    for old, new in names.plans.items():
        pairs = list(_pairs(base.book, head.book, names, old))
        compared[new] = len(pairs)
        unchanged = _unchanged(pairs, names, before[old], after[new])
        headline, checks = plan_of(head.book, new).headline, plan_of(head.book, new).checks
        for was, place, quantity, target in pairs:
            if was.key.table is not None and (was.key.table, was.key.name) in unchanged:
                continue
            then, now = value_at(before[old], was.key), value_at(after[new], place.key)
            then = _translated(base.book, names, was, quantity, target, then)
            if not _moved(then, now, threshold):
                continue
            moved.append(
                ResultMoved(
                    place,
                    was,
                    label_of(head.book, place),
                    turn(head.book, target, then, now),
                    headline=place.key.table is None and place.key.name in headline,
                    check=place.key.table is None and place.key.name in checks,
                )
            )
    return MovedResults(tuple(moved), compared, before, after)


def value_at(results: Results, key: Key) -> Value:
    if key.table is None:
        return results.scalars[key.name]
    assert key.row is not None
    return results.cell(key.table, key.row, key.name)


def computed_keys(book: Book, plan: str) -> dict[Key, Quantity]:
    """Every computed figure, except those that only choose between two stated values."""
    result: dict[Key, Quantity] = {}
    for scalar in plan_of(book, plan).scalars.values():
        if scalar.formula is not None and not _choice(scalar):
            result[Key(scalar.name)] = scalar
    for table in own_tables(book, plan).values():
        for column in table.columns.values():
            if not column.hidden and not _choice(column):
                every = table.rows if column.formula is not None else tuple(column.own)
                for row in every:
                    if row not in column.stated:
                        result[Key(column.name, table.name, row)] = column
    return result


def _choice(quantity: Scalar | Column) -> bool:
    formula = quantity.formula
    return formula is not None and BY_SCENARIO.fullmatch(formula.text) is not None


Pair = tuple[Place, Place, Quantity, Quantity]


def _pairs(base: Book, head: Book, names: Names, plan: str) -> Iterator[Pair]:
    after = computed_keys(head, names.plans[plan])
    for key, quantity in computed_keys(base, plan).items():
        was = Place(plan, key)
        place = names.place(was)
        if place is not None and place.key in after:
            yield was, place, quantity, after[place.key]


def _unchanged(
    pairs: list[Pair], names: Names, before: Results, after: Results
) -> set[tuple[str, str]]:
    """Whole columns that are unchanged, compared at once rather than cell by cell."""
    columns = {
        (was.key.table, was.key.name): place.key.table
        for was, place, quantity, target in pairs
        if was.key.table is not None
        and place.key.table is not None
        and quantity.unit == target.unit
    }
    return {
        (table, name)
        for (table, name), now in columns.items()
        if before.rows[table] == after.rows[now]
        and _equal(before.tables[table][name], after.tables[now][name])
    }


def _equal(one: Series, other: Series) -> bool:
    if one.reasons != other.reasons:
        return False
    for a, b in ((one.value, other.value), (one.low, other.low), (one.high, other.high)):
        if a is None or b is None:
            if a is not b:
                return False
        elif not np.array_equal(a, b, equal_nan=a.dtype.kind == "f" and b.dtype.kind == "f"):
            return False
    return True


def _translated(
    base: Book, names: Names, was: Place, quantity: Quantity, target: Quantity, value: Value
) -> Value:
    """An old value in the new unit, or the new id of the row that it names."""
    if isinstance(value.value, str) and quantity.refers_to is not None:
        return Value(names.row(was.plan, quantity.refers_to, value.value))
    factor = unit_factor(base, quantity, target)
    if factor in (None, 1.0) or not isinstance(value.value, float):
        return value
    assert factor is not None
    stated = scaled(Stated(value.value, value.low, value.high), factor)
    return Value(stated.value, stated.low, stated.high)


def _moved(old: Value, new: Value, threshold: float) -> bool:
    numbers = isinstance(old.value, float) and isinstance(new.value, float)
    if not numbers:
        return old != new
    ends = ((old.value, new.value), (old.low, new.low), (old.high, new.high))
    return any(
        abs(after - before) > threshold * abs(before)
        for before, after in ends
        if isinstance(before, float) and isinstance(after, float)
    )
