"""What is what on both sides: by its id, or by what it holds where only the id is another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass

from scalesheet.book import Book
from scalesheet.diff.changes import CATALOGUE, Entry, EntryKind, Fate, Place
from scalesheet.diff.printing import stated_text
from scalesheet.evaluate import NOTHING
from scalesheet.model import Key, Plan, Position, Record, Scalar, Stated, Table

#: From ids of the old side to those of the new one.
Ids = Mapping[str, str]
Thing = Plan | Table | Record


@dataclass(frozen=True)
class Names:
    """What stands on both sides, by its old and its new name; and what stands on one only.

    `tables` and `rows` are by the old id of the plan, the catalogue's by the empty text.
    """

    plans: Ids
    scalars: Mapping[str, Ids]
    tables: Mapping[str, Ids]
    rows: Mapping[tuple[str, str], Ids]
    entries: tuple[Entry, ...]

    def place(self, was: Place) -> Place | None:
        """Where something stands on the new side, if it does."""
        plan, key = self.plans.get(was.plan), was.key
        if plan is None:
            return None
        if key.table is None:
            name = self.scalars[was.plan].get(key.name)
            return None if name is None else Place(plan, Key(name))
        table = self.tables[was.plan].get(key.table)
        row = None if key.row is None else self.rows.get((was.plan, key.table), {}).get(key.row)
        if table is None or (row is None and key.row is not None):
            return None
        return Place(plan, Key(key.name, table, row))

    def row(self, plan: str, table: str, id: str) -> str:
        """The new id of a row that a word of a plan refers to; the same where it has none."""
        owner = plan if (plan, table) in self.rows else CATALOGUE
        return self.rows.get((owner, table), {}).get(id, id)


def plan_of(book: Book, id: str) -> Plan:
    """A plan, or for the empty id a plan that is the catalogue alone."""
    return book.plans[id] if id else NOTHING


def own_tables(book: Book, id: str) -> Mapping[str, Table]:
    """The tables of a plan, or for the empty id those of the catalogue."""
    return book.plans[id].tables if id else book.tables


def match(base: Book, head: Book) -> Names:
    """What is what. Two things are the same if they have the same id, or if they alone hold the
    same values and neither id is on the other side."""
    entries: list[Entry] = []
    plans = _paired(
        {p.id: _print_of_plan(p) for p in base.plans.values()},
        {p.id: _print_of_plan(p) for p in head.plans.values()},
    )
    entries += _told("plan", "", plans, base.plans, head.plans)
    records = _paired(
        {r.id: (r.formula.text, str(r.unit)) for r in base.records.values()},
        {r.id: (r.formula.text, str(r.unit)) for r in head.records.values()},
    )
    entries += _told("formula", "", records, base.records, head.records)
    scalars: dict[str, Ids] = {CATALOGUE: {}}
    tables: dict[str, Ids] = {}
    rows: dict[tuple[str, str], Ids] = {}
    for old, new in {CATALOGUE: CATALOGUE, **plans}.items():
        before, after = own_tables(base, old), own_tables(head, new)
        tables[old] = _paired(
            {name: _print_of_table(t) for name, t in before.items()},
            {name: _print_of_table(t) for name, t in after.items()},
        )
        entries += _told("table", new, tables[old], before, after)
        for was, name in tables[old].items():
            rows[old, was] = _rows(before[was], after[name])
            entries += _rows_told(new, rows[old, was], before[was], after[name])
            entries += _columns_told(new, before[was], after[name])
        if old != CATALOGUE:
            first, second = base.plans[old], head.plans[new]
            scalars[old] = _paired(
                {s.name: _print_of_scalar(s) for s in first.scalars.values()},
                {s.name: _print_of_scalar(s) for s in second.scalars.values()},
            )
            entries += _scalars_told(base, head, first, second, scalars[old])
    return Names({CATALOGUE: CATALOGUE, **plans}, scalars, tables, rows, tuple(entries))


# ------------------------------------------------------------------ the same under another id


def _paired(old: Mapping[str, Hashable], new: Mapping[str, Hashable]) -> dict[str, str]:
    """From old names to new ones: equal names, then those that alone hold the same."""
    pairs = {name: name for name in old if name in new}
    gone = {name: held for name, held in old.items() if name not in new and held}
    come = {name: held for name, held in new.items() if name not in old and held}
    once = Counter(gone.values()), Counter(come.values())
    by_what = {held: name for name, held in come.items() if once[1][held] == 1}
    for name, held in gone.items():
        if once[0][held] == 1 and held in by_what:
            pairs[name] = by_what[held]
    return pairs


def value_print(stated: Stated) -> Hashable:
    """What a stated value is, whatever is said of it."""
    return (stated.value, stated.low, stated.high, stated.reason, stated.at_least, stated.at_most)


def _print_of_scalar(scalar: Scalar) -> Hashable:
    unit = str(scalar.unit)
    if scalar.stated is not None:
        stated = scalar.stated
        return (scalar.phase, scalar.kind, unit, value_print(stated), stated.basis, stated.citation)
    return (scalar.phase, unit, scalar.formula.text) if scalar.formula is not None else ()


def _print_of_row(table: Table, row: str) -> Hashable:
    return tuple(
        (column.name, value_print(column.stated[row]))
        for column in table.columns.values()
        if column.kind != "text" and row in column.stated and not column.stated[row].default
    )


def _print_of_table(table: Table) -> Hashable:
    return (table.rows, tuple(_print_of_row(table, row) for row in table.rows))


def _print_of_plan(plan: Plan) -> Hashable:
    return tuple((name, _print_of_scalar(scalar)) for name, scalar in plan.scalars.items())


def _rows(before: Table, after: Table) -> Ids:
    if before.rows == after.rows:
        return {row: row for row in before.rows}
    return _paired(
        {row: _print_of_row(before, row) for row in before.rows},
        {row: _print_of_row(after, row) for row in after.rows},
    )


# ------------------------------------------------------------------ what is told of it


def _told(
    kind: EntryKind,
    plan: str,
    pairs: Ids,
    before: Mapping[str, Thing],
    after: Mapping[str, Thing],
) -> Iterator[Entry]:
    for name, thing in after.items():
        if name not in pairs.values():
            yield Entry(kind, "added", plan, name, "", thing.title, "", _stands(thing))
    for name, thing in before.items():
        if name not in pairs:
            yield Entry(kind, "removed", plan, name, "", thing.title, "", _stands(thing))
        elif (new := pairs[name]) != name:
            yield Entry(kind, "renamed", plan, new, name, thing.title, "", _stands(after[new]))


def _stands(thing: Thing) -> Position | None:
    return next(iter(thing.row_positions), None) if isinstance(thing, Table) else thing.position


def _rows_told(plan: str, pairs: Ids, before: Table, after: Table) -> Iterator[Entry]:
    """The rows of a cross table are left out: they follow from the tables that it runs over."""
    if before.each or after.each:
        return
    place = _row_places(after)
    for row, title in zip(after.rows, after.row_titles, strict=True):
        if row not in pairs.values():
            yield Entry("row", "added", plan, f"{after.name}['{row}']", "", title, "", place[row])
    titles, place = dict(zip(before.rows, before.row_titles, strict=True)), _row_places(before)
    for row in before.rows:
        name = f"{before.name}['{row}']"
        if row not in pairs:
            yield Entry("row", "removed", plan, name, "", titles[row], "", place[row])
        elif pairs[row] != row:
            new = f"{after.name}['{pairs[row]}']"
            yield Entry("row", "renamed", plan, new, name, titles[row])


def _row_places(table: Table) -> Mapping[str, Position | None]:
    places: list[Position | None] = list(table.row_positions)
    return dict(zip(table.rows, places or [None] * len(table.rows), strict=True))


def _columns_told(plan: str, before: Table, after: Table) -> Iterator[Entry]:
    for name, column in after.columns.items():
        if name not in before.columns and not column.hidden:
            title = f"{after.title}: {column.title}"
            where = column.position
            yield Entry("column", "added", plan, f"{after.name}.{name}", "", title, "", where)
    for name, column in before.columns.items():
        if name not in after.columns and not column.hidden:
            title = f"{before.title}: {column.title}"
            where = column.position
            yield Entry("column", "removed", plan, f"{before.name}.{name}", "", title, "", where)


def _scalars_told(base: Book, head: Book, before: Plan, after: Plan, pairs: Ids) -> Iterator[Entry]:
    def entry(fate: Fate, book: Book, scalar: Scalar, was: str = "") -> Entry:
        stated = scalar.stated
        shown = stated_text(book, scalar, stated) if stated is not None else ""
        kind: EntryKind = "figure" if stated is None else "input"
        return Entry(kind, fate, after.id, scalar.name, was, scalar.title, shown, scalar.position)

    def total(name: str, plan: Plan, other: Plan) -> bool:
        """Whether it comes and goes with a table that is told of."""
        table = name.rpartition(".total.")[0]
        return bool(table) and table in plan.tables and table not in other.tables

    for name, scalar in after.scalars.items():
        if name not in pairs.values() and not total(name, after, before):
            yield entry("added", head, scalar)
    for name, scalar in before.scalars.items():
        if name not in pairs and not total(name, before, after):
            yield entry("removed", base, scalar)
        elif name in pairs and pairs[name] != name:
            yield entry("renamed", head, after.scalars[pairs[name]], name)
