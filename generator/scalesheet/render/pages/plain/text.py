"""Pieces of plain Markdown: headings, tables, links, and text that stays text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from scalesheet.model import Citation, Plan, Quantity, Stated
from scalesheet.numbers import Format, format_of, text
from scalesheet.render.pages.context import Context, to
from scalesheet.render.pages.places import row_page
from scalesheet.values import Value

_MARKS = re.compile(r"([\\`*_\[\]<>|~])")
API = "../../api/v1"  # from any page that is made here


def plain(words: object) -> str:
    """Text in which Markdown sees no marks, on one line."""
    return _MARKS.sub(r"\\\1", " ".join(str(words).split()))


def link(target: str, title: object) -> str:
    return f"[{plain(title)}]({target})"


def code(words: str) -> str:
    """Text as it was written, in one line."""
    ticks = "`" * (max((len(run) for run in re.findall("`+", words)), default=0) + 1)
    pad = " " if "`" in words else ""
    return f"{ticks}{pad}{' '.join(words.split())}{pad}{ticks}" if words else ""


def grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells are Markdown of one line, in which only code may still hold a bar."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_barred(cell) for cell in line)} |" for line in lines)


def _barred(cell: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", cell)


def document(*blocks: str | None) -> str:
    """Blocks with an empty line between them."""
    return "\n\n".join(block.strip("\n") for block in blocks if block) + "\n"


def page_data(folder: str, id_: str) -> str:
    """Where the data API has this page's figures."""
    return f"Data: {link(f'{API}/{folder}/{id_}.json', 'JSON')}"


def cited(context: Context, citation: Citation | None) -> str:
    """A source by its title, linked, the place within it, and what is printed there."""
    if citation is None:
        return ""
    source = context.book.sources.get(citation.key)
    shown = link(to("sources", citation.key), source.title if source else citation.key)
    place = f"{shown}, {plain(citation.locator)}" if citation.locator else shown
    return f"{place}: “{plain(citation.quote)}”" if citation.quote else place


def shown(
    context: Context,
    quantity: Quantity,
    value: Value,
    fmt: Format | None = None,
    plan: Plan | None = None,
) -> str:
    """A value with its range, and its unit unless a format is given, which a column shares."""
    if quantity.kind == "reference" and isinstance(value.value, str):
        return _row(context, quantity, value.value, plan)
    if quantity.show.code and isinstance(value.value, str):
        return code(value.value)
    symbol = context.symbol(quantity) if fmt is None else ""
    fmt = format_of(quantity, [value], context.book.units) if fmt is None else fmt
    message = text(value, fmt, symbol)
    if value.ranged:
        message = message.replace("[", "(").replace("]", ")")
    return plain(message)


def _row(context: Context, quantity: Quantity, row: str, plan: Plan | None) -> str:
    """What a reference names, by its title; with a link where it has a page."""
    table = context.table(quantity.refers_to or "", plan)
    if table is None or row not in table.rows:
        return plain(row)
    title = context.row_title(table, row)
    if table.name in context.book.tables:
        return link(to(table.name, row), title)
    page = row_page(plan, table.name, row) if plan is not None else None
    return link(to("plans", page), title) if page else plain(title)


def bounded(stated: Stated, unit: str) -> str:
    """`at least 32 GPU`, for an open bound; nothing for a value."""
    parts = [
        f"{words} {bound:,g} {unit}".strip()
        for words, bound in (("at least", stated.at_least), ("at most", stated.at_most))
        if bound is not None
    ]
    return " and ".join(parts)
