"""The reference that cannot drift: pages of the format, the commands and the diagnostics.

They are made from what the program itself goes by: the schemas, the parser of the command line,
the table of codes, the columns of the catalogue. They hold nothing of what is in a book.
"""

from __future__ import annotations

from pathlib import Path

from scalesheet.model import Book
from scalesheet.render.reference.commands import command_page
from scalesheet.render.reference.diagnostics import diagnostic_pages
from scalesheet.render.reference.format import format_pages

__all__ = ["reference_pages", "write_reference"]


def reference_pages(book: Book) -> dict[str, str]:
    """The text of every page by its path below the reference's folder."""
    return dict([command_page(), *format_pages(book), *diagnostic_pages()])


def write_reference(book: Book, out: Path) -> None:
    """Write the pages below `out`, which becomes docs/book/reference of the site."""
    for name, text in sorted(reference_pages(book).items()):
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
