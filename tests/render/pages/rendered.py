"""The sample's pages, written once, and their HTML with the site's Markdown extensions."""

from __future__ import annotations

import re
import tempfile
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import markdown
import yaml

from editions import given
from render.pages.sample_book import PAGE, book, results
from scalesheet.render.pages import PagesReport, write_pages

MKDOCS = Path(__file__).parents[3] / "mkdocs.yml"


def write(out: Path, page: str = PAGE) -> PagesReport:
    """Write the sample's pages, with this prose in the plan."""
    return write_pages(
        given(book(page), results={"demo": results()}, scenarios={}, examples={"gpu-cost": (7.0,)}),
        out,
    )


@cache
def pages(page: str = PAGE) -> dict[str, str]:
    """The text of every page, by path."""
    with tempfile.TemporaryDirectory() as folder:
        report = write(Path(folder), page)
        return {name: (Path(folder) / name).read_text("utf-8") for name in report.files}


def plan_page(page: str = PAGE) -> str:
    return pages(page)["plans/demo.md"]


@cache
def extensions() -> tuple[list[str], dict[str, Any]]:
    entries = yaml.safe_load(MKDOCS.read_text("utf-8"))["markdown_extensions"]
    named = [entry if isinstance(entry, str) else next(iter(entry)) for entry in entries]
    settings = {k: v for entry in entries if isinstance(entry, dict) for k, v in entry.items()}
    return named, settings


def html(text: str) -> str:
    """A page's Markdown as the site generator turns it into HTML."""
    names, settings = extensions()
    body = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    return markdown.Markdown(extensions=names, extension_configs=settings).convert(body)


class Elements(HTMLParser):
    """Every element of a page with its attributes, and the text between them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("a", "span", "code", "strong", "em"):
            self.words.append(" ")

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


def read(text: str) -> Elements:
    return Elements(html(text))
