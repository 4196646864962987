"""Finds stated values that changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from scalesheet.book import Book
from scalesheet.diff.changes import InputChanged, Place
from scalesheet.diff.matching import Names, own_tables, plan_of, value_print
from scalesheet.diff.printing import symbol_of, turn, value_of
from scalesheet.model import Key, Quantity, Stated, Table
from scalesheet.values import Value

#: Columns that give the date of another column, and change along with it.
FOLLOWS: Mapping[tuple[str, str], str] = {
    ("offers", "since"): "node_price",
    ("offers", "seen"): "node_price",
}
Statement = tuple[Quantity, Stated]


def input_changes(base: Book, head: Book, names: Names) -> tuple[InputChanged, ...]:
    """Every stated value that is on both sides and differs, largest change first."""
    changes: list[InputChanged] = []
    for plan, new_plan in names.changed(base, head):
        now = statements(head, new_plan)
        for key, (quantity, old) in statements(base, plan).items():
            was = Place(plan, key)
            place = names.place(was)
            if place is not None and place.key in now:
                after, new = now[place.key]
                change = _change(base, head, names, was, place, (quantity, old), (after, new))
                changes += [change] if change is not None else []
    moved = {change.was for change in changes}
    kept = [c for c in changes if not _follows(c, moved)]
    return tuple(sorted(kept, key=lambda change: -change.turn.weight))


def statements(book: Book, plan: str) -> dict[Key, Statement]:
    """Every stated value of a plan, or of the catalogue for the empty id."""
    result: dict[Key, Statement] = {}
    for scalar in plan_of(book, plan).scalars.values():
        if scalar.stated is not None:
            result[Key(scalar.name)] = scalar, scalar.stated
    for table in own_tables(book, plan).values():
        for column in table.columns.values():
            for row, stated in column.stated.items():
                result[Key(column.name, table.name, row)] = column, stated
    return result


def _follows(change: InputChanged, moved: set[Place]) -> bool:
    key = change.was.key
    leader = FOLLOWS.get((key.table or "", key.name))
    return leader is not None and replace(change.was, key=replace(key, name=leader)) in moved


def _change(
    base: Book,
    head: Book,
    names: Names,
    was: Place,
    place: Place,
    before: Statement,
    after: Statement,
) -> InputChanged | None:
    (quantity, old), (target, new) = before, after
    if isinstance(old.value, str) and quantity.refers_to is not None:
        old = replace(old, value=names.row(was.plan, quantity.refers_to, old.value))
    factor = unit_factor(base, quantity, target)
    if factor == 1.0 and value_print(old) == value_print(new):
        return None
    shown = turn(head, target, *_in_one_unit(base, quantity, old, new, factor))
    if factor not in (None, 1.0) and shown.ratio is not None and abs(shown.ratio - 1) < 1e-12:
        return None  # the same value in another unit
    size = factor or 1.0
    return InputChanged(
        place,
        was,
        label_of(head, place),
        shown,
        new.position,
        forth=scaled(replace(new, value=_old_word(names, was, quantity, new)), 1 / size),
        back=scaled(old, size),
    )


def _in_one_unit(
    base: Book, quantity: Quantity, old: Stated, new: Stated, factor: float | None
) -> tuple[Value, Value]:
    if factor is not None:
        return value_of(scaled(old, factor)), value_of(new)
    before = value_of(old)
    return Value(reason=f"{before.value} {symbol_of(base, quantity)}"), value_of(new)


def _old_word(
    names: Names, was: Place, quantity: Quantity, new: Stated
) -> float | str | bool | None:
    """The old side's id for the row that the new value names."""
    if not isinstance(new.value, str) or quantity.refers_to is None:
        return new.value
    table = quantity.refers_to
    known = names.rows.get((was.plan, table)) or names.rows.get(("", table), {})
    return next((old for old, row in known.items() if row == new.value), new.value)


def unit_factor(base: Book, quantity: Quantity, target: Quantity) -> float | None:
    """The factor from the old unit to the new one; None if their dimensions differ."""
    one, other = quantity.unit, target.unit
    if one == other:
        return 1.0
    known = base.units.declared
    if one is None or other is None or any(name not in known for name, _ in other.factors):
        return None
    return float(base.units.factor(one, other)) if base.units.compatible(one, other) else None


def scaled(stated: Stated, factor: float) -> Stated:
    """The value in another unit."""
    if factor == 1.0 or not isinstance(stated.value, float):
        return stated
    ends = (stated.low, stated.high)
    low, high = (None if end is None else end * factor for end in ends)
    return replace(stated, value=stated.value * factor, low=low, high=high)


def label_of(book: Book, place: Place) -> str:
    """The title of a quantity or cell."""
    key = place.key
    if key.table is None:
        return plan_of(book, place.plan).scalars[key.name].title
    table: Table = own_tables(book, place.plan)[key.table]
    title = table.columns[key.name].title
    row = "" if key.row is None else table.row_titles[table.rows.index(key.row)]
    return ", ".join(part for part in ("" if not place.plan else table.title, row, title) if part)
