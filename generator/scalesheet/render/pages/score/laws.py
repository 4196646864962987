"""The page of the loss laws: what each predicts, how far it is off, and its compute-optimal
sizes."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.render.laws import LEAD, Section, sections
from scalesheet.render.pages.context import Context, to
from scalesheet.render.pages.html import Html, heading, link, meta_line, page, tag
from scalesheet.render.pages.tables import grid, heading_cell

PATH = "score/laws.md"
TITLE = "Loss laws"


def laws_page(context: Context) -> Iterator[tuple[str, str]]:
    """Yield path and text if the book has laws."""
    result = list(sections(context.book, context.edition.scores))
    if not result:
        return
    blocks: list[object] = [tag("p", LEAD, class_="lead")]
    for section in result:
        blocks += section_blocks(context, section)
    up = meta_line(link("index.md", "Score"), link("loss.md", "Losses"))
    yield PATH, page(TITLE, up if "loss" in context.edition.scores else None, *blocks, wide=True)


def section_blocks(context: Context, section: Section) -> list[object]:
    """Heading, text, curves and table of a section."""
    return [
        heading(2, section.title, section.anchor),
        tag("p", section.text),
        _figure(context, section),
        _grid(section),
    ]


def _figure(context: Context, section: Section) -> Html | None:
    """The section's curves; the table below has their numbers."""
    if section.curves is None:
        return None
    drawn = context.draw("lines", section.curves)
    caption = tag("figcaption", tag("strong", section.curves.title))
    return tag("figure", caption, "\n", drawn, class_="chart")


def _grid(section: Section) -> Html:
    """Align text left and numbers right; a column with a long cell is text."""
    wordy = [any(len(row[n]) > 40 for row in section.rows) for n in range(len(section.head))]
    head = [
        heading_cell(name, number=bool(n) and not wordy[n]) for n, name in enumerate(section.head)
    ]
    body = []
    for place, row in enumerate(section.rows):
        first: object = row[0]
        if section.records:
            first = link(to("formulas", section.records[place]), row[0])
        cells = [tag("th", first, scope="row")]
        cells += [
            tag("td", text, class_="words" if wordy[n] else "num")
            for n, text in enumerate(row[1:], start=1)
        ]
        body.append(cells)
    return grid(head, body)
