"""Lists plans and ids, and prints a catalogue entry or a component."""

from __future__ import annotations

import math

from scalesheet.book import Book
from scalesheet.diff.printing import said
from scalesheet.edition import Edition
from scalesheet.model import Component, Plan, Table
from scalesheet.nearest import nearest
from scalesheet.render.text.plan import aligned, amount
from scalesheet.values import stated_value
from scalesheet.vocabulary import counted


class UnknownId(ValueError):
    """Raised for a name that is not a plan, a catalogue table or a component."""


def ids_text(edition: Edition, name: str | None) -> str:
    """Return the ids and titles that a name leads to. Raises UnknownId.

    Without a name: plans, tables and components. For a table its rows, with prices if it has
    them, for a row its figures, for a component its inputs and outputs.
    """
    book = edition.book
    if name is not None:
        if name == "offers" and name in book.tables:
            return "\n".join(_offers(edition, book.tables[name])) + "\n"
        if name in book.tables and "price" in book.tables[name].columns:
            return "\n".join(_priced(edition, book.tables[name])) + "\n"
        if name in book.tables:
            rows = book.tables[name]
            return _lines(dict(zip(rows.rows, rows.row_titles, strict=True)))
        if name in book.components:
            return _component(book, book.components[name])
        entries = [table for table in book.tables.values() if name in table.rows]
        if entries:
            return "\n".join(_entry(edition, table, name) for table in entries)
        ids = [row for table in book.tables.values() for row in table.rows]
        known = [*book.plans, *book.tables, *book.components, *ids]
        message = f"there is no plan, component, table or entry of the catalogue '{name}'"
        raise UnknownId(f"{message}{nearest(name, known)} ('scalesheet show' lists them)")
    tables = {
        name: f"{each.title}, {counted(len(each.rows), 'row')}"
        for name, each in book.tables.items()
    }
    components = {name: each.plan.title for name, each in book.components.items()}
    return "\n".join(
        [
            "Plans: scalesheet show PLAN",
            _lines({f"  {id}": plan.title for id, plan in book.plans.items()}),
            "Tables of the catalogue: scalesheet show TABLE lists the ids that plans may name, and "
            "show ID the figures of one",
            _lines({f"  {name}": title for name, title in tables.items()}),
            "Components: scalesheet show COMPONENT lists its inputs and outputs",
            _lines({f"  {name}": title for name, title in components.items()}),
        ]
    )


def _offers(edition: Edition, table: Table) -> list[str]:
    """The offers by accelerator, cheapest first: id, price per GPU hour, the day on which it was
    last seen, and title."""
    price, made = table.columns["price"], []
    for row, title in zip(table.rows, table.row_titles, strict=True):
        value = edition.catalogue.cell(table.name, row, price.name)
        known = edition.book.prices.get(row, ())
        seen = (known[-1].seen or known[-1].since or "") if known else ""
        of = str(edition.catalogue.cell(table.name, row, "accelerator").value)
        priced = isinstance(value.value, float)
        shown = amount(edition.book, price, value) if priced else "no price"
        made.append((of, value.value if priced else math.inf, (row, shown, seen, title)))
    return aligned([line for _, _, line in sorted(made)], numbers=frozenset({1}))


def _priced(edition: Edition, table: Table) -> list[str]:
    """The rows of another table with prices, such as stores: id, price and title."""
    price, made = table.columns["price"], []
    for row, title in zip(table.rows, table.row_titles, strict=True):
        value = edition.catalogue.cell(table.name, row, price.name)
        priced = isinstance(value.value, float)
        made.append((row, amount(edition.book, price, value) if priced else "no price", title))
    return aligned(made, numbers=frozenset({1}))


def _entry(edition: Edition, table: Table, row: str) -> str:
    """A row of the catalogue: its figures with sources, and the prices of an offer."""
    book, figures = edition.book, []
    for column in table.columns.values():
        stated = column.stated.get(row)
        value = edition.catalogue.cell(table.name, row, column.name)
        if column.hidden or value.value is None or (stated is not None and stated.default):
            continue
        origin = said(book, stated) if stated is not None else "computed"
        figures.append((column.name, amount(book, column, value), column.title, origin))
    lines = [f"{table.row_titles[table.rows.index(row)]} ({row}), {table.title}", ""]
    lines += aligned(figures, numbers=frozenset())
    prices = book.prices.get(row, ()) if table.name == "offers" else ()
    if prices:
        price = table.columns["node_price"]
        dated = [
            (each.since, amount(book, price, stated_value(each)), said(book, each))
            for each in prices
        ]
        lines += ["", "Prices, each from its day", *aligned(dated, numbers=frozenset({1}))]
    return "\n".join(lines) + "\n"


def _component(book: Book, component: Component) -> str:
    inputs = [
        (name, _default(book, component, name), component.plan.scalars[name].title)
        for name in component.inputs
    ]
    outputs = [
        (name, _unit(book, component.plan, name), component.plan.scalars[name].title)
        for name in component.outputs
    ]
    lines = [component.plan.title, component.plan.summary, "", "Inputs, with their defaults"]
    lines += aligned(inputs, numbers=frozenset())
    lines += ["", "Outputs", *aligned(outputs, numbers=frozenset())]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _default(book: Book, component: Component, name: str) -> str:
    scalar = component.plan.scalars[name]
    if name in component.required or scalar.stated is None:
        what = (
            f"an id of {scalar.refers_to}"
            if scalar.refers_to
            else _unit(book, component.plan, name)
        )
        return f"required: {what}" if what else "required"
    if name in component.searched:
        among = component.choice.among[name] if component.choice else ()
        tried = ", ".join(each if isinstance(each, str) else f"{each:g}" for each in among)
        return f"searched for, unless stated: {tried}"
    default = amount(book, scalar, stated_value(scalar.stated))
    others = [word for word in scalar.words if word != scalar.stated.value]
    return f"{default} (or {', '.join(others)})" if others else default


def _unit(book: Book, plan: Plan, name: str) -> str:
    scalar = plan.scalars[name]
    if scalar.words:
        return ", ".join(scalar.words)
    return str(scalar.unit) if scalar.unit is not None else ""


def _lines(titles: dict[str, str]) -> str:
    wide = max(map(len, titles), default=0)
    return "".join(f"{name:<{wide}}  {title}\n" for name, title in titles.items())
