"""The dated history of the data, newest first: prices, changed values, versions, records, sources.

Every date comes from the data, never from a clock or a repository.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.model import Citation, Column, Earlier, Key, Plan, Position, Quantity, Stated, Table
from scalesheet.numbers import format_of, text
from scalesheet.render.people import by_title
from scalesheet.resolve.order import name_of
from scalesheet.values import Value, stated_value

Sort = Literal["price", "value", "plan", "measurement", "fit", "source"]
#: In the order within a day, with the singular and plural of each.
SORTS: Mapping[Sort, tuple[str, str]] = {
    "price": ("price", "prices"),
    "value": ("corrected value", "corrected values"),
    "plan": ("version of a plan", "versions of plans"),
    "measurement": ("measurement", "measurements"),
    "fit": ("fit", "fits"),
    "source": ("source looked at", "sources looked at"),
}
PRICE = "node_price"


@dataclass(frozen=True, slots=True)
class Event:
    """One dated entry of the data.

    `id` never changes; `folder` and `page` are those of its page, below book/. `old` and `new`
    print in the same format, with their unit; `old` is empty if there was no value before. For
    stated values, `quantity`, `before` and `after` are the quantity and its two values.
    """

    day: str
    sort: Sort
    id: str
    title: str
    folder: str
    page: str
    new: str
    old: str = ""
    why: str = ""
    citation: Citation | None = None
    position: Position | None = None
    quantity: Quantity | None = None
    before: Value | None = None
    after: Value | None = None

    @property
    def change(self) -> str:
        """`2.99 → 2.49 USD/(node·h)`; only the new value if there was none before."""
        return f"{self.old} → {self.new}" if self.old else self.new


def events(book: Book) -> tuple[Event, ...]:
    """Every dated entry up to the day of the book, newest first."""
    order = list(SORTS)
    past = [e for e in _all(book) if _is_day(e.day) and e.day <= book.as_of.isoformat()]
    past.sort(key=lambda e: (order.index(e.sort), e.title, e.id))
    return tuple(sorted(past, key=lambda e: e.day, reverse=True))


def days(events: tuple[Event, ...]) -> dict[str, dict[Sort, list[Event]]]:
    """Entries by day, and within a day by sort, in their order."""
    by: dict[str, dict[Sort, list[Event]]] = {}
    for event in events:
        by.setdefault(event.day, {}).setdefault(event.sort, []).append(event)
    return by


def _is_day(text: str) -> bool:
    return len(text) == 10  # a date with only a month or a year is not an entry of a day


def _all(book: Book) -> Iterator[Event]:
    yield from _prices(book)
    for table in book.tables.values():
        yield from _of_table(book, table, table.name)
    for plan in book.plans.values():
        yield from _of_plan(book, plan)
    yield from _records(book)
    for key, source in book.sources.items():
        yield Event(
            source.accessed,
            "source",
            f"sources/{key}",
            source.title,
            "sources",
            key,
            source.publisher or "looked at",
            position=source.position,
        )


# ------------------------------------------------------------------ values


def _prices(book: Book) -> Iterator[Event]:
    offers = book.tables.get("offers")
    if offers is None:
        return
    titles = dict(zip(offers.rows, offers.row_titles, strict=True))
    column = offers.columns[PRICE]
    for row, prices in book.prices.items():
        before: Stated | None = None
        for price in prices:
            old, new = _alike(book, column, before, price)
            yield Event(
                price.since,
                "price",
                f"offers/{row}/{price.since}",
                titles[row],
                "offers",
                row,
                new,
                old,
                price.note,
                price.citation,
                price.position,
                column,
                None if before is None else stated_value(before),
                stated_value(price),
            )
            before = price


def _of_table(book: Book, table: Table, folder: str) -> Iterator[Event]:
    """Yield the changed values of a catalogue table, which link to the pages of its rows."""
    titles = dict(zip(table.rows, table.row_titles, strict=True))
    for column in table.columns.values():
        for row, stated in column.stated.items():
            title = f"{titles[row]}: {column.title}"
            id = f"{folder}/{row}/{column.name}"
            yield from _changes(book, column, stated, id, title, (folder, row))


def _of_plan(book: Book, plan: Plan) -> Iterator[Event]:
    where = ("plans", plan.id)
    for key, quantity, stated in stated_of(plan):
        if not stated.was:
            continue
        title = f"{plan.title}: {label(plan, key, quantity)}"
        id = f"plans/{plan.id}/{name_of(key)}"
        yield from _changes(book, quantity, stated, id, title, where)
    for version in plan.history:
        if version.status == "released":
            yield Event(
                version.date,
                "plan",
                f"plans/{plan.id}/versions/{version.version}",
                f"{plan.title} {version.version}",
                *where,
                version.text,
                position=version.position or plan.position,
            )


def stated_of(plan: Plan) -> Iterator[tuple[Key, Quantity, Stated]]:
    """Yield every value that a plan states."""
    for scalar in plan.scalars.values():
        if scalar.stated is not None:
            yield Key(scalar.name), scalar, scalar.stated
    for table in plan.tables.values():
        for column in table.columns.values():
            for row, stated in column.stated.items():
                yield Key(column.name, table.name, row), column, stated


def label(plan: Plan, key: Key, quantity: Quantity) -> str:
    """The title of a stated value: with table and row for a cell."""
    if key.table is None or key.row is None:
        return quantity.title
    table = plan.tables[key.table]
    return f"{table.title}, {table.row_titles[table.rows.index(key.row)]}, {quantity.title}"


def _changes(
    book: Book, quantity: Quantity, stated: Stated, id: str, title: str, page: tuple[str, str]
) -> Iterator[Event]:
    """Yield one event for each value that was replaced."""
    every = [*(each.stated for each in stated.was), stated]
    for earlier, now in zip(stated.was, every[1:], strict=True):
        old, new = _alike(book, quantity, earlier.stated, now)
        yield Event(
            earlier.until,
            "value",
            f"{id}/{earlier.until}",
            title,
            *page,
            new,
            old,
            earlier.why,
            now.citation,
            now.position,
            quantity,
            stated_value(earlier.stated),
            stated_value(now),
        )


def printed(book: Book, quantity: Quantity, was: tuple[Earlier, ...], now: Stated) -> list[str]:
    """Print the earlier values and the current one in the same format, with their unit."""
    values = [stated_value(each.stated) for each in was] + [stated_value(now)]
    values = [by_title(book.tables.get(quantity.refers_to or ""), value) for value in values]
    fmt = format_of(quantity, values, book.units)
    symbol = book.units.symbol(quantity.unit) if quantity.unit is not None else ""
    return [text(value, fmt, symbol) for value in values]


def _alike(book: Book, quantity: Quantity, before: Stated | None, now: Stated) -> tuple[str, str]:
    was = () if before is None else (Earlier(before, "", ""),)
    *old, new = printed(book, quantity, was, now)
    return (old[0] if old else "", new)


# ------------------------------------------------------------------ records


def _records(book: Book) -> Iterator[Event]:
    if table := book.tables.get("measurements"):
        for row, title in zip(table.rows, table.row_titles, strict=True):
            day, how = (_word(table.columns[name], row) for name in ("date", "how"))
            id = f"measurements/{row}"
            yield Event(day, "measurement", id, title, "measurements", row, how)
    for id, fit in book.fits.items():
        rows = f"fitted on {fit.rows} rows of {fit.families} families"
        yield Event(
            fit.date,
            "fit",
            f"fits/{id}/{fit.date}",
            fit.title,
            "fits",
            id,
            rows,
            position=fit.position,
        )


def _word(column: Column, row: str) -> str:
    stated = column.stated.get(row)
    return str(stated.value) if stated is not None and stated.value is not None else ""
