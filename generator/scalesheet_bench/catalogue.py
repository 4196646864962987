"""Catalogue: the part of the book that a measurement depends on, without plans and publications.

A plan may be waiting for the very record being made, so errors in it must not prevent that.
"""

from __future__ import annotations

from pathlib import Path

from scalesheet.book import Book
from scalesheet.check import check
from scalesheet.diagnostics import Refused, errors
from scalesheet.load import load
from scalesheet.resolve.book import resolve

#: Kinds of documents that a measured step does not depend on.
APART = ("plan", "page", "subpage", "claims", "actuals", "published", "score")


def catalogue(data: Path) -> Book:
    """Return the rest of the book. Raises Refused with all its errors."""
    documents, result = load(data)
    kept = [document for document in documents if document.kind not in APART]
    apart = {document.path for document in documents} - {document.path for document in kept}
    result = [each for each in result if each.path not in apart]
    result += check(kept)
    if errors(result):
        raise Refused(result)
    book, text = resolve(kept)
    if book is None or errors(text):
        raise Refused(text)
    return book
