"""Pages of the sources: what each is, and every figure that cites it."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.model import Source
from scalesheet.render.pages.catalogue.uses import listed, of_sources
from scalesheet.render.pages.context import Context, edit_link
from scalesheet.render.pages.html import Html, heading, link, meta_line, page, tag, web_link
from scalesheet.render.pages.tables import facts, grid, heading_cell


def source_pages(context: Context) -> Iterator[tuple[str, str]]:
    """Yield path and text of every source's page, and of their index."""
    uses = of_sources(context)
    yield "sources/index.md", _index(context, {key: len(set(u)) for key, u in uses.items()})
    for key, source in context.book.sources.items():
        named = listed(uses[key])
        yield (
            f"sources/{key}.md",
            page(
                source.title,
                meta_line(link("index.md", "Sources"), edit_link(context, source.position)),
                _card(source),
                tag("p", source.note) if source.note else None,
                heading(2, "Used by", "uses"),
                named or tag("p", "Nothing cites it yet.", class_="note"),
            ),
        )


def _card(source: Source) -> Html | None:
    """Who published it, when, and where to read it."""
    terms: list[tuple[str, object]] = [
        ("Publisher", source.publisher),
        ("Date", source.date),
        ("Address", web_link(source.url, source.url) if source.url else ""),
        ("Read on", source.accessed),
        ("Key", tag("code", source.key)),
    ]
    stated = ((name, shown) for name, shown in terms if shown)
    return facts(stated)


def _index(context: Context, counts: dict[str, int]) -> str:
    head = [heading_cell("Source"), heading_cell("Publisher", facet=True)]
    head += [heading_cell("Date", number=True), heading_cell("Used in", "places", number=True)]
    body = [
        [
            tag("th", link(f"{key}.md", source.title), scope="row"),
            tag("td", source.publisher),
            tag("td", source.date, class_="num"),
            tag("td", counts[key], class_="num"),
        ]
        for key, source in context.book.sources.items()
    ]
    lead = "Every source of a figure, and how many figures it has."
    return page(
        "Sources", tag("p", lead, class_="lead"), grid(head, body, sortable=True), list_=True
    )
