"""Generated reference pages of the format, the commands and the diagnostics.

They are made from what the program itself uses: the schemas, the command-line parser, the table of
codes, the columns of the catalogue. They contain nothing from a book, so they cannot drift.
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from scalesheet.book import Book
from scalesheet.render.reference.commands import command_page
from scalesheet.render.reference.diagnostics import diagnostic_pages
from scalesheet.render.reference.format import format_pages

__all__ = ["reference_pages", "write_reference"]


def reference_pages(book: Book, parser: ArgumentParser | None = None) -> dict[str, str]:
    """Return the text of every page by its path below the reference's folder.

    The page of commands is included if their parser is given.
    """
    pages = dict([*format_pages(book), *diagnostic_pages()])
    return pages if parser is None else pages | dict([command_page(parser)])


def write_reference(book: Book, out: Path, parser: ArgumentParser | None = None) -> None:
    """Write the pages below `out`, which becomes docs/book/reference of the site."""
    for name, text in sorted(reference_pages(book, parser).items()):
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
