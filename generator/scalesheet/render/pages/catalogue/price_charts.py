"""Prices over time on the pages of offers, accelerators and providers; the data stand below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from scalesheet.model import Column, Stated
from scalesheet.numbers import format_of
from scalesheet.render.charts import mark_of, titled
from scalesheet.render.pages.context import Context, cell_value, to
from scalesheet.render.pages.figures import cell
from scalesheet.render.pages.html import Html, heading, link, tag
from scalesheet.render.pages.tables import grid, heading_cell
from scalesheet.render.price_steps import Track, price_svg, priced
from scalesheet.values import Value, stated_value


def price_chart(context: Context, id_: str, title: str, rows: Sequence[str]) -> Html | None:
    """The prices of these offers that changed, in one picture: of one offer those of its machine,
    of several those of one accelerator. Nothing if none changed."""
    column, found = _changed(context, rows)
    if column is None or not found:
        return None
    fmt = format_of(column, [v for prices in found.values() for _, v in prices], context.book.units)
    tracks = [
        Track(_title(context, row), tuple((day, mark_of(row, "", v, fmt)) for day, v in prices))
        for row, prices in found.items()
    ]
    tracks = [track for track in tracks if track.moved]
    until = context.book.edition
    drawn = priced(id_, title, titled(column, context.book.units), fmt, tracks, until)
    if drawn is None:
        return None
    picture = Html(price_svg(drawn))
    return tag("figure", tag("figcaption", tag("strong", title)), "\n", picture, class_="chart")


def accelerator_prices(context: Context, accelerator: str) -> Iterator[Html | str]:
    """The section of an accelerator's page: picture and data; nothing if no price changed."""
    table = context.book.tables.get("offers")
    stated = table.columns["accelerator"].stated if table is not None else {}
    rows = [row for row, value in stated.items() if value.value == accelerator]
    title = "Prices that changed, for one accelerator"
    chart = price_chart(context, f"prices-{accelerator}", title, rows)
    if chart is None:
        return
    column, found = _changed(context, rows, alone=False)
    assert column is not None
    fmt = format_of(column, [v for prices in found.values() for _, v in prices], context.book.units)
    body = [
        [
            tag("th", link(to("offers", row), _title(context, row)), scope="row"),
            tag("td", str(day), class_="num"),
            cell(value, fmt),
        ]
        for row, prices in found.items()
        for day, value in reversed(prices)
    ]
    head = [heading_cell("Offer"), heading_cell("From", number=True)]
    head.append(heading_cell(column.title, context.symbol(column), number=True))
    yield heading(2, "Prices over time", "prices")
    yield chart
    yield tag("details", tag("summary", "The chart's numbers"), grid(head, body), class_="quiet")


Prices = list[tuple[date, Value]]


def _changed(
    context: Context, rows: Sequence[str], *, alone: bool | None = None
) -> tuple[Column | None, dict[str, Prices]]:
    """The column that prices are of, and by offer those of which there is more than one."""
    table = context.book.tables.get("offers")
    if table is None or "price" not in table.columns:
        return None, {}
    dated = {row: context.book.prices.get(row, ()) for row in rows}
    found = {row: prices for row, prices in dated.items() if len(prices) > 1}
    if alone is None:
        alone = len(rows) == 1
    return table.columns["node_price" if alone else "price"], {
        row: [(date.fromisoformat(p.since), _each(context, row, p, alone)) for p in prices]
        for row, prices in found.items()
    }


def _each(context: Context, row: str, price: Stated, alone: bool) -> Value:
    """A price of a machine, or of one of its accelerators, as the catalogue's formula has it."""
    value = stated_value(price)
    table = context.book.tables["offers"]
    cards = cell_value(context, table, table.columns["gpus"], row).value
    if alone or not isinstance(value.value, float) or not isinstance(cards, float):
        return value
    return Value.number(value.value / cards)


def _title(context: Context, row: str) -> str:
    return context.row_title(context.book.tables["offers"], row)
