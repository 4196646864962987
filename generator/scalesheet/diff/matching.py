"""Matches things on both sides: by id, or by content if only the id changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping

from scalesheet.book import Book
from scalesheet.diff.changes import CATALOGUE, Entry, EntryKind, Fate, Place
from scalesheet.diff.printing import stated_text
from scalesheet.evaluate import NOTHING
from scalesheet.frozen import dataclass
from scalesheet.model import Key, Plan, Position, Record, Scalar, Stated, Table

#: From ids on the old side to ids on the new one.
Ids = Mapping[str, str]
Thing = Plan | Table | Record


@dataclass(frozen=True)
class Names:
    """What both sides have, by old and new names; and what only one side has.

    `tables` and `rows` are keyed by the old id of the plan, or an empty text for the catalogue.
    """

    plans: Ids
    scalars: Mapping[str, Ids]
    tables: Mapping[str, Ids]
    rows: Mapping[tuple[str, str], Ids]
    entries: tuple[Entry, ...]

    def place(self, was: Place) -> Place | None:
        """The place of something on the new side, or None."""
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

    def changed(self, base: Book, head: Book) -> Iterator[tuple[str, str]]:
        """Old and new ids of the plans and the catalogue, except those that both sides share."""
        for old, new in self.plans.items():
            if own_tables(base, old) is not own_tables(head, new):
                yield old, new

    def row(self, plan: str, table: str, id: str) -> str:
        """The new id of a row that a plan refers to; unchanged if it has no new one."""
        owner = plan if (plan, table) in self.rows else CATALOGUE
        return self.rows.get((owner, table), {}).get(id, id)


def plan_of(book: Book, id: str) -> Plan:
    """A plan, or for the empty id an empty plan over the catalogue."""
    return book.plans[id] if id else NOTHING


def own_tables(book: Book, id: str) -> Mapping[str, Table]:
    """The tables of a plan, or for the empty id those of the catalogue."""
    return book.plans[id].tables if id else book.tables


def match(base: Book, head: Book) -> Names:
    """Match things on both sides. They are the same if they have the same id, or if only they have
    the same values and neither id is on the other side.
    """
    entries: list[Entry] = []
    plans = _paired(
        {p.id: _print_of_plan(p) for p in base.plans.values()},
        {p.id: _print_of_plan(p) for p in head.plans.values()},
    )
    entries += _of_things("plan", "", plans, base.plans, head.plans)
    records = _paired(
        {r.id: (r.formula.text, str(r.unit)) for r in base.records.values()},
        {r.id: (r.formula.text, str(r.unit)) for r in head.records.values()},
    )
    entries += _of_things("formula", "", records, base.records, head.records)
    scalars: dict[str, Ids] = {CATALOGUE: {}}
    tables: dict[str, Ids] = {}
    rows: dict[tuple[str, str], Ids] = {}
    for old, new in {CATALOGUE: CATALOGUE, **plans}.items():
        before, after = own_tables(base, old), own_tables(head, new)
        tables[old] = _paired(
            {name: _print_of_table(t) for name, t in before.items()},
            {name: _print_of_table(t) for name, t in after.items()},
        )
        entries += _of_things("table", new, tables[old], before, after)
        for was, name in tables[old].items():
            rows[old, was] = _rows(before[was], after[name])
            entries += _of_rows(new, rows[old, was], before[was], after[name])
            entries += _of_columns(new, before[was], after[name])
        if old != CATALOGUE:
            first, second = base.plans[old], head.plans[new]
            scalars[old] = _paired(
                {s.name: _print_of_scalar(s) for s in first.scalars.values()},
                {s.name: _print_of_scalar(s) for s in second.scalars.values()},
            )
            entries += _of_scalars(base, head, first, second, scalars[old])
    return Names({CATALOGUE: CATALOGUE, **plans}, scalars, tables, rows, tuple(entries))


# ------------------------------------------------------------------ the same under another id


def _paired(old: Mapping[str, Hashable], new: Mapping[str, Hashable]) -> dict[str, str]:
    """From old names to new ones: equal names first, then pairs of unique equal content."""
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
    """The stated value itself, without its description."""
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


# ------------------------------------------------------------------ what is said of it


def _fates(
    pairs: Ids, before: Iterable[str], after: Iterable[str]
) -> Iterator[tuple[Fate, str, str]]:
    """What was added, removed or renamed, with its old and new names."""
    kept = set(pairs.values())
    yield from (("added", "", name) for name in after if name not in kept)
    for name in before:
        if name not in pairs:
            yield "removed", name, ""
        elif pairs[name] != name:
            yield "renamed", name, pairs[name]


def _of_things(
    kind: EntryKind,
    plan: str,
    pairs: Ids,
    before: Mapping[str, Thing],
    after: Mapping[str, Thing],
) -> Iterator[Entry]:
    for fate, old, new in _fates(pairs, before, after):
        title = before[old].title if old else after[new].title
        where = _stands(after[new] if new else before[old])
        yield Entry(kind, fate, plan, new or old, old if new else "", title, "", where)


def _stands(thing: Thing) -> Position | None:
    return next(iter(thing.row_positions), None) if isinstance(thing, Table) else thing.position


def _of_rows(plan: str, pairs: Ids, before: Table, after: Table) -> Iterator[Entry]:
    """The changed rows of a table. Rows of a cross table are skipped, because they follow from the
    tables that it combines.
    """
    if before.each or after.each:
        return
    for fate, old, new in _fates(pairs, before.rows, after.rows):
        table, row = (before, old) if old else (after, new)
        title = dict(zip(table.rows, table.row_titles, strict=True))[row]
        name = f"{after.name}['{new}']" if new else f"{before.name}['{old}']"
        was = f"{before.name}['{old}']" if fate == "renamed" else ""
        where = None if was else _row_places(table)[row]
        yield Entry("row", fate, plan, name, was, title, "", where)


def _row_places(table: Table) -> Mapping[str, Position | None]:
    places: list[Position | None] = list(table.row_positions)
    return dict(zip(table.rows, places or [None] * len(table.rows), strict=True))


def _of_columns(plan: str, before: Table, after: Table) -> Iterator[Entry]:
    same = {name: name for name in before.columns if name in after.columns}
    for fate, old, new in _fates(same, before.columns, after.columns):
        table = after if new else before
        column = table.columns[new or old]
        if not column.hidden:
            title, name = f"{table.title}: {column.title}", f"{table.name}.{column.name}"
            yield Entry("column", fate, plan, name, "", title, "", column.position)


def _of_scalars(base: Book, head: Book, before: Plan, after: Plan, pairs: Ids) -> Iterator[Entry]:
    def entry(fate: Fate, book: Book, scalar: Scalar, was: str = "") -> Entry:
        stated = scalar.stated
        shown = stated_text(book, scalar, stated) if stated is not None else ""
        kind: EntryKind = "figure" if stated is None else "input"
        return Entry(kind, fate, after.id, scalar.name, was, scalar.title, shown, scalar.position)

    def total(name: str, plan: Plan, other: Plan) -> bool:
        """Whether it appears or disappears along with a table that is reported."""
        table = name.rpartition(".total.")[0]
        return bool(table) and table in plan.tables and table not in other.tables

    for fate, old, new in _fates(pairs, before.scalars, after.scalars):
        if fate == "removed":
            if not total(old, before, after):
                yield entry(fate, base, before.scalars[old])
        elif fate == "renamed" or not total(new, after, before):
            yield entry(fate, head, after.scalars[new], old)
