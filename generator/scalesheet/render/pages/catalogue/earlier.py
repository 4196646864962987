"""Earlier values of a page's figures, as a section of that page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scalesheet.model import Earlier, Plan, Quantity, Stated, Table
from scalesheet.render.history import label, printed, stated_of
from scalesheet.render.pages.context import Context, cite
from scalesheet.render.pages.html import Html, heading, tag
from scalesheet.render.pages.tables import grid, heading_cell

TITLE = "Earlier values"
HEADS = ("Figure", "Value", "From", "Until", "Why it was changed", "Source")
Titled = tuple[str, Quantity, Stated]


def of_row(table: Table, row: str) -> Iterator[Titled]:
    """Yield the values of a catalogue row that have changed."""
    for column in table.columns.values():
        stated = column.stated.get(row)
        if stated is not None and stated.was:
            yield column.title, column, stated


def of_plan(plan: Plan) -> Iterator[Titled]:
    """Yield the inputs of a plan that have changed."""
    for key, quantity, stated in stated_of(plan):
        if stated.was:
            yield label(plan, key, quantity), quantity, stated


def earlier_section(context: Context, values: Iterable[Titled]) -> Iterator[object]:
    """Show current and earlier values, newest first; nothing if none changed."""
    body = [
        [
            tag("th", title, scope="row"),
            tag("td", shown, class_="num"),
            tag("td", since, class_="num"),
            tag("td", until, class_="num"),
            tag("td", why),
            tag("td", cite(context, stated.citation)),
        ]
        for title, shown, since, until, why, stated in rows(context, values)
    ]
    if body:
        head: list[Html] = [
            heading_cell(each, number=each in ("Value", "From", "Until")) for each in HEADS
        ]
        yield heading(2, TITLE, "earlier")
        yield grid(head, body, records=True)


def rows(
    context: Context, lines: Iterable[Titled]
) -> Iterator[tuple[str, str, str, str, str, Stated]]:
    """Yield title, value with unit, first day, day of the next value, reason, and the value
    itself."""
    for title, quantity, stated in lines:
        *old, new = printed(context.book, quantity, stated.was, stated)
        yield title, new, stated.since, "", "", stated
        parts: list[tuple[Earlier, str]] = list(zip(stated.was, old, strict=True))
        for each, shown in reversed(parts):
            yield title, shown, each.stated.since, each.until, each.why, each.stated
