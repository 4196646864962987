"""Offers of an accelerator: each provider and term with its lowest current price, and when it was
seen."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from urllib.parse import urlencode

from scalesheet.model import Table
from scalesheet.numbers import plain
from scalesheet.render.pages.catalogue.providers import provider_link
from scalesheet.render.pages.context import Context, cell_value, column_format, to
from scalesheet.render.pages.figures import card
from scalesheet.render.pages.html import Html, heading, link, tag
from scalesheet.render.pages.tables import grid, heading_cell
from scalesheet.values import Value
from scalesheet.vocabulary import TERMS

FORM = "issues/new"
NEEDED = ("price", "term", "accelerator", "provider", "gpus")


def offered_section(context: Context, accelerator: str) -> Iterator[object]:
    """Show the prices of an accelerator, the cheapest provider first."""
    table = context.book.tables.get("offers")
    if table is None or any(name not in table.columns for name in NEEDED):
        return
    best = _lowest(context, table, accelerator)
    if not best:
        return
    price = table.columns["price"]
    fmt = column_format(context, table, price)
    providers = {provider for provider, _ in best}

    def cheapest(provider: str) -> tuple[float, float, str]:
        """Sort key: the on-demand price, then the lowest of any term."""
        firm, _ = best.get((provider, "on-demand"), (inf, ""))
        lowest = min(amount for (name, _), (amount, _) in best.items() if name == provider)
        return firm, lowest, provider

    body = []
    for provider in sorted(providers, key=cheapest):
        cells = [tag("th", provider_link(context, provider), scope="row")]
        for term in TERMS:
            amount, offer = best.get((provider, term), (None, ""))
            if amount is None:
                cells.append(tag("td"))
                continue
            shown = plain(Value.number(amount), fmt)
            seen = tag("span", _seen(context, offer), class_="range")
            cells.append(tag("td", link(to("offers", offer), shown), seen, class_="num"))
        body.append(cells)
    head = [heading_cell("Provider")]
    head += [
        heading_cell(title.capitalize(), context.symbol(price), number=True)
        for title in TERMS.values()
    ]
    yield heading(2, "Prices today", "offers")
    yield tag(
        "p",
        f"The lowest price of each provider and term for one accelerator at {context.book.as_of}, "
        "and below it the day on which it was last seen. Offers differ in what they include.",
        class_="note",
    )
    yield grid(head, body)


def price_card(context: Context, accelerator: str) -> Html | None:
    """The lowest current on-demand price and its provider."""
    table = context.book.tables.get("offers")
    if table is None or any(name not in table.columns for name in NEEDED):
        return None
    best = _lowest(context, table, accelerator)
    firm = [each for (_, term), each in best.items() if term == "on-demand"]
    if not firm:
        return None
    amount, offer = min(firm)
    price = table.columns["price"]
    provider = cell_value(context, table, table.columns["provider"], offer).value
    note = link(to("offers", offer), str(provider))
    fmt = column_format(context, table, price)
    return card("On-demand from", Value.number(amount), fmt, context.symbol(price), note=note)


def _lowest(
    context: Context, table: Table, accelerator: str
) -> dict[tuple[str, str], tuple[float, str]]:
    """The lowest price per accelerator by provider and term, with its offer."""
    result: dict[tuple[str, str], tuple[float, str]] = {}
    column = table.columns["accelerator"]
    for offer in table.rows:
        if cell_value(context, table, column, offer).value != accelerator:
            continue
        given = [cell_value(context, table, table.columns[name], offer).value for name in NEEDED]
        price, term, _, provider, _ = given
        if not isinstance(price, float):
            continue
        key = (str(provider), str(term))
        if key not in result or price < result[key][0]:
            result[key] = price, offer
    return result


def _seen(context: Context, offer: str) -> str:
    """When a price was last seen, and whether that is long ago."""
    prices = context.book.prices.get(offer, ())
    seen = (prices[-1].seen or prices[-1].since or "") if prices else ""
    old = offer in context.book.old_prices or offer in context.book.unseen
    return f"{seen}, old" if seen and old else seen


def report_link(context: Context, offer: str) -> Html | None:
    """A link to the form for a wrong price, filled in; None without a repository."""
    url = context.book.url.rstrip("/")
    table = context.book.tables["offers"]
    if not url or "node_price" not in table.columns:
        return None
    column = table.columns["node_price"]
    value = cell_value(context, table, column, offer)
    shown = plain(value, column_format(context, table, column)) if value.reason is None else ""
    title = context.row_title(table, offer)
    now = f"{shown} {context.symbol(column)}".strip()
    asked = {
        "template": "number.yml",
        "title": f"Wrong: the price of {title}",
        "which": f"data/rates/{offer}.yaml, prices: {now}, last seen {_seen(context, offer)}",
    }
    return link(f"{url}/{FORM}?{urlencode(asked)}", "Report a wrong price", class_="report")
