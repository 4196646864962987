"""Parts of tables as HTML: headings with units, the table itself, references, sources."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scalesheet.model import Citation, Plan, Quantity, Stated
from scalesheet.render.pages.context import Context, cite, to
from scalesheet.render.pages.html import Html, escape, join, link, tag
from scalesheet.render.pages.places import row_page
from scalesheet.render.people import by_title
from scalesheet.values import Value

_EMPTY = re.compile(r"<td[^>]*></td>")
#: Rows from which a table can be filtered; fewer are seen at a glance.
LONG = 16


def heading_cell(
    title: object, symbol: str = "", *, number: bool = False, facet: bool = False
) -> Html:
    """A column's heading with its unit. Long tables can be filtered by a `facet`."""
    unit = tag("span", symbol, class_="unit") if symbol else None
    between = " " if symbol else None
    class_ = "num" if number else None
    return tag("th", title, between, unit, scope="col", class_=class_, data_facet=facet)


def grid(
    head: list[Html],
    body: list[list[Html]],
    *,
    foot: list[Html] | None = None,
    caption: object = None,
    sortable: bool = False,
    records: bool = False,
    row_ids: list[str] | None = None,
) -> Html:
    """A `table.data` in a scrolling box, from finished cells. Empty columns are left out.

    Rows of `records` stack their cells on a phone.
    """
    if foot is None:
        head, body = _filled(head, body)
    kinds = "data" + " sortable" * sortable + " records" * records
    box = _boxed(head, body, kinds, caption, foot, row_ids)
    if len(body) < LONG:
        return box
    # reserve room for the filter's controls, so that nothing moves when they appear
    fields = 1 + sum(" data-facet" in cell for cell in head)
    return join([tag("div", class_="filter", data_fields=fields), box])


def facts(named: Iterable[tuple[str, object]]) -> Html | None:
    """A list of named facts."""
    entries: list[Html] = []
    for name, shown in named:
        # one per line, so that the search index gets separate words
        entries += [tag("dt", name), tag("dd", shown)]
    return tag("dl", join(entries, "\n"), class_="facts") if entries else None


def drawn(head: list[Html], body: list[list[Html]], class_: str = "") -> Html:
    """A `table.data` that a script of the page redraws and sorts."""
    return _boxed(head, body, f"data drawn {class_}".rstrip())


def _boxed(
    head: list[Html],
    body: list[list[Html]],
    class_: str,
    caption: object = None,
    foot: list[Html] | None = None,
    row_ids: list[str] | None = None,
) -> Html:
    ids: list[str | None] = [*row_ids] if row_ids else [None] * len(body)
    rows = [tag("tr", *cells, id=id_) for cells, id_ in zip(body, ids, strict=True)]
    table = tag(
        "table",
        tag("caption", caption) if caption else None,
        tag("thead", tag("tr", *head)),
        "\n",
        tag("tbody", *(join([row, "\n"]) for row in rows)),
        tag("tfoot", tag("tr", *foot)) if foot else None,
        class_=class_,
    )
    return tag("div", table, class_="scroll")


def _filled(head: list[Html], body: list[list[Html]]) -> tuple[list[Html], list[list[Html]]]:
    """Drop the columns that are empty in all rows, if all rows have all columns."""
    if any(len(row) != len(head) for row in body):
        return head, body
    kept = [n for n in range(len(head)) if not all(_EMPTY.fullmatch(row[n]) for row in body)]
    return [head[n] for n in kept], [[row[n] for n in kept] for row in body]


def titled(context: Context, plan: Plan | None, quantity: Quantity, value: Value) -> Value:
    """A reference as the title of its row; any other value unchanged."""
    return by_title(context.table(quantity.refers_to, plan) if quantity.refers_to else None, value)


def reference(
    context: Context, plan: Plan | None, column: Quantity, value: Value, *, linked: bool = True
) -> Html:
    """A reference by the title of its target, linked if that has a page."""
    name = column.refers_to
    if name is None or not isinstance(value.value, str):
        return escape(value.value if value.reason is None else value.reason)
    title = str(titled(context, plan, column, value).value)
    if not linked:
        return escape(title)
    if name in context.book.tables:
        return link(to(name, value.value), title)
    page = row_page(plan, name, value.value) if plan is not None else None
    return link(to("plans", page), title) if page else escape(title)


def described(stated: Stated, note: str = "") -> Html | None:
    """Notes on a stated value, and whether its expected value was not stated."""
    notes = list(dict.fromkeys(text for text in (note, stated.note) if text))
    if stated.midpoint:
        notes.append("Expected value not stated: the middle of the range.")
    if not notes:
        return None
    return tag("span", " ".join(notes), class_="note")


def sourced(
    context: Context, stated: Stated, note: str = "", within: Citation | None = None
) -> list[Html | None]:
    """The source of a stated value, then its notes."""
    source, notes = cite(context, stated.citation, within), described(stated, note)
    return [source, Html(": ") if source and notes else None, notes]
