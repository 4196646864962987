"""The index of all pages of a book: each folder with its title, summary and number of pages.

Without scripts it is the way from one part to another.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping

from scalesheet.render.pages.html import Html, link, page, tag
from scalesheet.render.pages.tables import grid, heading_cell

INDEX = "/index.md"
_TITLE = re.compile(r"^# (.+?)(?:\s*\{[^}]*\})?$", re.MULTILINE)
_LEAD = re.compile(r'<p class="lead">(.*?)</p>', re.DOTALL)
_TAG = re.compile(r"<[^>]+>")


def contents_page(pages: Mapping[str, str]) -> str:
    """Return the index; `pages` has the Markdown of all pages by path."""
    head = [heading_cell("Part"), heading_cell("Holds"), heading_cell("Pages", number=True)]
    lead = tag("p", "Every part of this book and its contents.", class_="lead")
    return page("All pages", lead, grid(head, list(_parts(pages))), list_=True, wide=True)


def _parts(pages: Mapping[str, str]) -> Iterator[list[Html]]:
    for name, text in pages.items():
        folder = name.removesuffix(INDEX)
        if folder == name:
            continue
        title, told = _TITLE.search(text), _LEAD.search(text)
        count = sum(n.startswith(f"{folder}/") and n.endswith(".md") for n in pages)
        yield [
            tag("th", link(name, _words(title[1]) if title else folder), scope="row"),
            tag("td", _words(told[1]) if told else "", class_="words"),
            tag("td", f"{count:,}", class_="num"),
        ]


def _words(markup: str) -> str:
    return " ".join(html.unescape(_TAG.sub("", markup)).split())
