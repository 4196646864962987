"""Editions with parts given by a test; all other parts are empty."""

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
    """An edition of the book with these parts instead of computed ones."""
    edition = Edition(book)
    vars(edition).update(EMPTY | {"hash": "a1b2c3d4"} | parts)
    return edition


def edition_of(examined: Examined) -> Edition:
    """The edition of a valid book."""
    assert examined.edition is not None, examined.diagnostics
    return examined.edition
