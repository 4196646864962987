"""Editions whose parts a test gives itself; what it does not give is empty."""

from __future__ import annotations

from typing import Any

from scalesheet.book import Book
from scalesheet.edition import Edition
from scalesheet.examine import Examined

EMPTY: dict[str, Any] = {
    name: {}
    for name in ("results", "scenarios", "examples", "audits", "sensitivities", "scores", "beside")
}


def given(book: Book, **parts: Any) -> Edition:
    """An edition of the book with these parts, in place of what would be computed."""
    edition = Edition(book)
    vars(edition).update(EMPTY | {"hash": "a1b2c3d4"} | parts)
    return edition


def edition_of(examined: Examined) -> Edition:
    """The edition of a book that is sound."""
    assert examined.edition is not None, examined.diagnostics
    return examined.edition
