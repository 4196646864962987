"""Pages of the providers: how each charges, what is misleading, its offers and prices."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.model import Table
from scalesheet.numbers import format_of
from scalesheet.render.pages.catalogue.price_charts import price_chart
from scalesheet.render.pages.context import (
    Context,
    cell_value,
    cite,
    column_format,
    edit_link,
    to,
)
from scalesheet.render.pages.figures import cell
from scalesheet.render.pages.html import Html, heading, link, meta_line, page, tag, web_link
from scalesheet.render.pages.tables import grid, heading_cell, reference
from scalesheet.values import stated_value


def provider_pages(
    context: Context, table: Table | None, title: str, sentence: str
) -> Iterator[tuple[str, str]]:
    """Yield path and text of the index, and of the page of each provider."""
    yield "providers/index.md", _index(context, table, title, sentence)
    for row in table.rows if table is not None else ():
        assert table is not None
        yield f"providers/{row}.md", _page(context, table, row)


def provider_link(context: Context, name: str) -> Html | str:
    """A provider's name, linked if it has a page."""
    table = context.book.tables.get("providers")
    if table is None or name not in table.row_titles:
        return name
    return link(to("providers", table.rows[table.row_titles.index(name)]), name)


def offers_of(context: Context, name: str) -> list[str]:
    """The offers of a provider, by its name."""
    table = context.book.tables.get("offers")
    if table is None:
        return []
    stated = table.columns["provider"].stated
    return [row for row in table.rows if row in stated and stated[row].value == name]


def _index(context: Context, table: Table | None, title: str, sentence: str) -> str:
    lead = tag("p", sentence, class_="lead")
    if table is None:
        return page(title, lead, list_=True)
    head = [heading_cell("Provider"), heading_cell("Offers", number=True)]
    head.append(heading_cell(table.columns["billing"].title))
    body: list[list[Html]] = []
    for row, name in zip(table.rows, table.row_titles, strict=True):
        billing = table.columns["billing"].stated.get(row)
        body.append(
            [
                tag("th", link(f"{row}.md", name), scope="row"),
                tag("td", str(len(offers_of(context, name))), class_="num"),
                tag("td", str(billing.value) if billing else "not on file", class_="words"),
            ]
        )
    return page(title, lead, grid(head, body, sortable=True), list_=True)


def _page(context: Context, table: Table, row: str) -> str:
    place = table.rows.index(row)
    name = table.row_titles[place]
    prices = table.columns["url"].stated.get(row)
    address = str(prices.value) if prices else ""
    position = table.row_positions[place] if table.row_positions else None
    return page(
        name,
        meta_line(
            link("index.md", "Providers"),
            web_link(address, "its prices") if address else None,
            edit_link(context, position),
        ),
        tag("p", table.row_notes[row]) if row in table.row_notes else None,
        *_statements(context, table, row),
        heading(2, "Offers", "offers"),
        _offers(context, name),
        *_history(context, name),
    )


def _statements(context: Context, table: Table, row: str) -> Iterator[Html | str]:
    """Show how it charges and what is misleading, each with its source and the line that states
    it."""
    charges: list[list[Html]] = []
    misleads: list[list[Html]] = []
    for column in table.columns.values():
        stated = column.stated.get(row)
        if stated is None or column.name == "url":
            continue
        cells = [
            tag("td", str(stated.value), class_="words"),
            tag("td", cite(context, stated.citation), class_="words"),
            tag("td", edit_link(context, stated.position, "edit"), class_="num"),
        ]
        if column.name.startswith("trap_"):
            misleads.append(cells)
        else:
            charges.append([tag("th", column.title, scope="row"), *cells])
    head = [heading_cell(text) for text in ("Statement", "Source", "")]
    if charges:
        yield heading(2, "How it charges", "charges")
        yield grid([heading_cell("About"), *head], charges, records=True)
    if misleads:
        yield heading(2, "Pitfalls", "traps")
        yield grid(head, misleads, records=True)


def _offers(context: Context, name: str) -> Html:
    """List its offers with current prices."""
    rows = offers_of(context, name)
    table = context.book.tables.get("offers")
    if table is None or not rows:
        return tag("p", "None yet.", class_="note")
    price = table.columns["price"] if "price" in table.columns else table.columns["node_price"]
    head = [heading_cell("Offer")]
    head += [heading_cell(price.title, context.symbol(price), number=True)]
    head += [heading_cell(text) for text in ("Accelerator", "Term")]
    head += [heading_cell("Last seen", number=True)]
    fmt = column_format(context, table, price)
    body: list[list[Html]] = []
    for row in rows:
        facts = [
            reference(context, None, column, cell_value(context, table, column, row))
            for column in (table.columns["accelerator"], table.columns["term"])
        ]
        seen = cell_value(context, table, table.columns["seen"], row).value or ""
        old = ", old" if row in context.book.old_prices else ""
        body.append(
            [
                tag("th", link(to("offers", row), context.row_title(table, row)), scope="row"),
                cell(cell_value(context, table, price, row), fmt),
                *(tag("td", fact) for fact in facts),
                tag("td", f"{seen}{old}", class_="num"),
            ]
        )
    return grid(head, body, sortable=True)


def _history(context: Context, name: str) -> Iterator[Html | str]:
    """List the prices that changed, with dates and sources, newest first for each offer."""
    table = context.book.tables.get("offers")
    if table is None:
        return
    column = table.columns["node_price"]
    body: list[list[Html]] = []
    for row in offers_of(context, name):
        prices = context.book.prices.get(row, ())
        fmt = format_of(column, map(stated_value, prices), context.book.units)
        for stated in reversed(prices) if len(prices) > 1 else ():
            body.append(
                [
                    tag("th", link(to("offers", row), context.row_title(table, row)), scope="row"),
                    tag("td", stated.since, class_="num"),
                    cell(stated_value(stated), fmt, input_=True),
                    tag("td", cite(context, stated.citation), class_="words"),
                ]
            )
    if body:
        head = [heading_cell("Offer"), heading_cell("From", number=True)]
        head += [heading_cell(column.title, context.symbol(column), number=True)]
        yield heading(2, "Prices that changed", "history")
        title = "Prices that changed, for one accelerator"
        if chart := price_chart(context, "prices", title, offers_of(context, name)):
            yield chart
        yield grid([*head, heading_cell("Source")], body, records=True)
