"""Charts of prices over time for offers, accelerators and providers, with their data below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from scalesheet.model import Column, Stated
from scalesheet.numbers import Format, format_of, plain
from scalesheet.render.lines import Line, Lines
from scalesheet.render.pages.context import Context, cell_value, to
from scalesheet.render.pages.figures import cell
from scalesheet.render.pages.html import Html, heading, link, tag
from scalesheet.render.pages.tables import grid, heading_cell
from scalesheet.render.pictures import titled
from scalesheet.values import Value, stated_value

Prices = Sequence[tuple[date, Value]]


def price_chart(context: Context, id_: str, title: str, rows: Sequence[str]) -> Html | None:
    """Chart the prices of these offers that changed; None if none did.

    A single offer shows prices per node, several show prices per accelerator.
    """
    column, changed = _changed(context, rows)
    if column is None or not changed:
        return None
    fmt = format_of(
        column, [v for prices in changed.values() for _, v in prices], context.book.units
    )
    drawn = price_lines(
        id_,
        title,
        titled(column, context.book.units),
        fmt,
        [(_title(context, row), prices) for row, prices in changed.items()],
        context.book.edition,
    )
    if drawn is None:
        return None
    picture = context.draw("lines", drawn)
    return tag("figure", tag("figcaption", tag("strong", title)), "\n", picture, class_="chart")


def accelerator_prices(context: Context, accelerator: str) -> Iterator[Html | str]:
    """The price section of an accelerator's page: chart and data; nothing if no price changed."""
    table = context.book.tables.get("offers")
    stated = table.columns["accelerator"].stated if table is not None else {}
    rows = [row for row, value in stated.items() if value.value == accelerator]
    title = "Prices that changed, for one accelerator"
    chart = price_chart(context, f"prices-{accelerator}", title, rows)
    if chart is None:
        return
    column, changed = _changed(context, rows, alone=False)
    assert column is not None
    fmt = format_of(
        column, [v for prices in changed.values() for _, v in prices], context.book.units
    )
    body = [
        [
            tag("th", link(to("offers", row), _title(context, row)), scope="row"),
            tag("td", str(day), class_="num"),
            cell(value, fmt),
        ]
        for row, prices in changed.items()
        for day, value in reversed(prices)
    ]
    head = [heading_cell("Offer"), heading_cell("From", number=True)]
    head.append(heading_cell(column.title, context.symbol(column), number=True))
    yield heading(2, "Prices over time", "prices")
    yield chart
    yield tag("details", tag("summary", "The chart's numbers"), grid(head, body), class_="quiet")


def price_lines(
    id_: str, title: str, axis: str, fmt: Format, dated: Sequence[tuple[str, Prices]], until: date
) -> Lines | None:
    """Draw prices as steps from one change to the next, up to the day `until`.

    Only offers whose printed price changed are included; None if there are none. Labels are beside
    the steps. A line ends where its price was withdrawn.
    """
    moved = [
        (name, prices)
        for name, prices in dated
        if len({plain(v, fmt) for _, v in prices if isinstance(v.value, float)}) > 1
    ]
    first = min((day for _, prices in moved for day, _ in prices), default=until)
    if first >= until:
        return None
    lines = []
    for name, prices in moved:
        text = ", ".join(f"{plain(value, fmt)} ({day})" for day, value in prices)
        points = [
            (float(day.toordinal()), value.value, plain(value, fmt))
            for day, value in prices
            if isinstance(value.value, float)
        ]
        last = prices[-1][1].value
        end = last if isinstance(last, float) else None
        lines.append(Line(name, text, tuple(_runs(prices, until)), end, tuple(points)))
    alt = f"{axis} from each date, until {until}"
    return Lines(id_, title, alt, ("", axis), tuple(_ticks(first, until)), fmt, tuple(lines))


def _runs(prices: Prices, until: date) -> Iterator[tuple[tuple[float, float], ...]]:
    """Yield the corners of the steps, split where a price was withdrawn."""
    run: list[tuple[float, float]] = []
    ends = [*(day for day, _ in prices[1:]), until]
    for (day, value), end in zip(prices, ends, strict=True):
        if isinstance(value.value, float):
            run += [(float(at.toordinal()), value.value) for at in (day, end)]
        elif run:
            yield tuple(run)
            run = []
    if run:
        yield tuple(run)


def _ticks(first: date, last: date) -> Iterator[tuple[float, str]]:
    """Yield a tick for the first and last day, and for each year between."""
    yield first.toordinal(), first.isoformat()
    for year in range(first.year + 1, last.year + 1):
        if first < date(year, 1, 1) < last:
            yield date(year, 1, 1).toordinal(), str(year)
    yield last.toordinal(), last.isoformat()


def _changed(
    context: Context, rows: Sequence[str], *, alone: bool | None = None
) -> tuple[Column | None, dict[str, Prices]]:
    """The price column, and the prices of each offer that has more than one."""
    table = context.book.tables.get("offers")
    if table is None or "price" not in table.columns:
        return None, {}
    dated = {row: context.book.prices.get(row, ()) for row in rows}
    changed = {row: prices for row, prices in dated.items() if len(prices) > 1}
    if alone is None:
        alone = len(rows) == 1
    return table.columns["node_price" if alone else "price"], {
        row: [(date.fromisoformat(p.since), _each(context, row, p, alone)) for p in prices]
        for row, prices in changed.items()
    }


def _each(context: Context, row: str, price: Stated, alone: bool) -> Value:
    """A price per node, or per accelerator by the catalogue's formula."""
    value = stated_value(price)
    table = context.book.tables["offers"]
    cards = cell_value(context, table, table.columns["gpus"], row).value
    if alone or not isinstance(value.value, float) or not isinstance(cards, float):
        return value
    return Value.number(value.value / cards)


def _title(context: Context, row: str) -> str:
    return context.row_title(context.book.tables["offers"], row)
