"""The catalogue as JSON and CSV: tables, providers, offers with their prices, sources, units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from dataclasses import fields as members

from scalesheet.book import Book
from scalesheet.edition import Edition
from scalesheet.frozen import dataclass
from scalesheet.model import Column, Formula, Source, Stated, Table
from scalesheet.quantities import DATE, day_text
from scalesheet.render.api.formulas import formulas_csv, record_json
from scalesheet.render.api.measurements import comparison_json
from scalesheet.render.api.plans import FIELDS, column_json, fields
from scalesheet.render.api.text import compact, csv_text
from scalesheet.render.api.values import (
    Object,
    brief,
    origin_json,
    source_json,
    value_json,
    without_blanks,
)
from scalesheet.steps.comparison import Comparison
from scalesheet.units import Declared
from scalesheet.values import Results, Value, stated_value

#: Tables that every book may have; a book's own small tables follow.
TABLES = ("hardware", "nodes", "providers", "offers", "models", "measurements", "fits")
PRICE = "node_price"  # the column of offers that has dated prices
PRICE_FIELDS = ("offer", "from", *FIELDS, "seen")
SOURCE_FIELDS = ("key", "title", "publisher", "url", "date", "accessed", "note")
UNIT_FIELDS = ("name", "title", "symbol", "dimension", "size", "base", "per", "counted", "note")


@dataclass(frozen=True, slots=True)
class Collection:
    """All entries of one kind.

    `more` is written beside the entries in the collection's file.
    """

    name: str
    entries: tuple[Object, ...]
    csv: str
    more: Object = field(default_factory=dict)


def collections(edition: Edition) -> tuple[Collection, ...]:
    """Return everything that plans refer to: tables, formulas, sources and units."""
    book, catalogue, comparisons = edition.book, edition.catalogue, edition.comparisons
    records = book.records.values()
    sources, units = book.sources.values(), book.units.declared.values()
    return (
        *(
            table_json(book, table, catalogue, comparisons)
            for name in (*TABLES, *small_tables(book))
            if (table := book.tables.get(name)) is not None
        ),
        Collection(
            "formulas",
            tuple(record_json(book, r, edition.examples[r.id]) for r in records),
            formulas_csv(book),
        ),
        Collection("sources", tuple(source_record(s) for s in sources), sources_csv(book)),
        Collection("units", tuple(unit_record(book, u) for u in units), units_csv(book)),
    )


def small_tables(book: Book) -> tuple[str, ...]:
    """The names of the tables that a book declares itself."""
    return tuple(sorted(set(book.tables) - set(TABLES)))


def collection_files(book: Book, kept: Collection) -> Iterator[tuple[str, str]]:
    """Yield the path and text of each file of a collection that lists all its entries."""
    head: Object = {
        "collection": kept.name,
        "edition": book.edition.isoformat(),
        "as_of": book.as_of.isoformat(),
    }
    whole = {**head, **kept.more, "entries": list(kept.entries)}
    yield f"{kept.name}.json", compact(whole)
    yield f"{kept.name}.csv", kept.csv


# ------------------------------------------------------------------ tables


def table_json(
    book: Book,
    table: Table,
    results: Results,
    comparisons: Mapping[str, Comparison] | None = None,
) -> Collection:
    """Return the rows of a table with everything known about them.

    What many quantities share is said once: a column's `default` is the quantity of every entry
    that lists none, and an entry's `source` is that of its quantities that name none.
    """
    columns = {c.name: column_json(c, book.units) for c in table.columns.values()}
    rows: list[dict[str, Object]] = [
        {
            c.name: _quantity(c, row, results.tables[table.name][c.name][place])
            for c in table.columns.values()
        }
        for place, row in enumerate(table.rows)
    ]
    for name, column in columns.items():
        default = _most_common(q for row in rows if "source" not in (q := row[name]))
        if default is not None:
            column["default"] = default | ({} if _derived(default) else {"source": None})
            for quantities in rows:
                if quantities[name] == default:
                    del quantities[name]
    entries = (
        _entry(book, table, place, quantities, comparisons or {})
        for place, quantities in enumerate(rows)
    )
    return Collection(table.name, tuple(entries), table_csv(table, results), {"columns": columns})


def _most_common(found: Iterable[Object]) -> Object | None:
    """What is found most often; None if nothing is found twice."""
    listed = list(found)
    counted = Counter(map(repr, listed))
    most = max(counted, key=counted.__getitem__, default="")
    return next((each for each in listed if repr(each) == most and counted[most] > 1), None)


def _entry(
    book: Book,
    table: Table,
    place: int,
    quantities: Mapping[str, Object],
    comparisons: Mapping[str, Comparison],
) -> Object:
    row = table.rows[place]
    source = _most_common(q["source"] for q in quantities.values() if "source" in q)
    data: Object = {
        "id": row,
        "title": table.row_titles[place],
        **without_blanks(
            {
                "aliases": list(table.row_aliases.get(row, ())),
                "note": table.row_notes.get(row, ""),
                "source": source,
            }
        ),
        "quantities": {name: _sourced(q, source) for name, q in quantities.items()},
    }
    if table.name == "offers":
        data["prices"] = [
            _dated(price) | _recorded(table.columns[PRICE], stated_value(price), price)
            for price in book.prices.get(row, ())
        ]
    if table.name == "measurements" and row in comparisons:
        data["predicted"] = comparison_json(comparisons[row], book.units)
    return data


def _sourced(quantity: Object, source: Object | None) -> Object:
    """A quantity without the source that its entry names, and with null if it has none at all."""
    if source is None or _derived(quantity):
        return quantity
    if "source" not in quantity:
        return quantity | {"source": None}
    return {key: said for key, said in quantity.items() if (key, said) != ("source", source)}


def _derived(quantity: Object) -> bool:
    return bool(quantity.get("kind") == "derived")


def _quantity(column: Column, row: str, value: Value) -> Object:
    stated = column.stated.get(row)
    formula = None if stated else column.own.get(row, column.formula)
    data = _recorded(column, value, stated, formula)
    if stated is not None and stated.contested:
        data["contested"] = [
            _recorded(column, stated_value(other), other) for other in stated.contested
        ]
    return data


def _recorded(
    column: Column, value: Value, stated: Stated | None, formula: Formula | None = None
) -> Object:
    """Return a value and its origin, without what the column already states for all its entries."""
    origin = origin_json(stated, formula)
    if formula is not None and formula == column.formula:
        origin = {"kind": origin["kind"]}
    return brief(value_json(value, column)) | origin


def _dated(price: Stated) -> Object:
    """Return when a price takes effect, when it was last seen, and which source confirms it."""
    data: Object = {"from": price.since}
    if price.seen:
        data["seen"] = price.seen
    if price.confirmed is not None:
        data["confirmed"] = source_json(price.confirmed)
    return data


def table_csv(table: Table, results: Results) -> str:
    """Return one line per entry and one column per quantity, in the units that `columns` of the
    JSON states.

    A column with ranges takes three; a missing figure is an empty field.
    """
    series = results.tables[table.name]
    header = ["id", "title"]
    columns: list[Sequence[object]] = [table.rows, table.row_titles]
    for column in table.columns.values():
        values = list(series[column.name])
        ends = ("value", "low", "high") if any(v.low != v.high for v in values) else ("value",)
        header += [column.name if end == "value" else f"{column.name}_{end}" for end in ends]
        columns += [[_figure(value, end, column) for value in values] for end in ends]
    return csv_text(header, zip(*columns, strict=True))


def _figure(value: Value, end: str, column: Column) -> object:
    figure = getattr(value, end)
    return day_text(figure) if column.unit == DATE and figure is not None else figure


def prices_csv(book: Book) -> str:
    """Return every dated price of every offer, oldest first; each holds until the next."""
    offers = book.tables.get("offers")
    return csv_text(
        PRICE_FIELDS,
        (
            (
                offer,
                price.since,
                *fields(stated_value(price), offers.columns[PRICE], price, None),
                price.seen or price.since,
            )
            for offer in (offers.rows if offers else ())
            for price in book.prices.get(offer, ())
            if offers is not None
        ),
    )


# ------------------------------------------------------------------ sources and units


def source_record(source: Source) -> Object:
    """Return a source; unknown fields are empty text."""
    data = {member.name: getattr(source, member.name) for member in members(source)}
    return {field: data[field] for field in SOURCE_FIELDS}


def sources_csv(book: Book) -> str:
    return csv_text(
        SOURCE_FIELDS, (list(source_record(source).values()) for source in book.sources.values())
    )


def unit_record(book: Book, unit: Declared) -> Object:
    """Return a unit with its size in the base unit of its dimension."""
    return {
        "name": unit.name,
        "title": unit.title,
        "symbol": unit.symbol,
        "dimension": unit.dimension,
        "size": _size(book, unit),
        "per": unit.per or None,
        "counted": unit.counted,
        "note": unit.note,
    }


def _size(book: Book, unit: Declared) -> Object:
    size = float(unit.size)
    return {"value": size, "low": size, "high": size, "unit": base_of(book, unit)}


def base_of(book: Book, unit: Declared) -> str:
    """Return the unit that declared the dimension."""
    return next(u.name for u in book.units.declared.values() if u.dimension == unit.dimension)


def units_csv(book: Book) -> str:
    return csv_text(
        UNIT_FIELDS,
        (
            (
                u.name,
                u.title,
                u.symbol,
                u.dimension,
                float(u.size),
                base_of(book, u),
                u.per,
                u.counted,
                u.note,
            )
            for u in book.units.declared.values()
        ),
    )
