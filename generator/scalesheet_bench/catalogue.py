"""Catalogue: the book without its plans and what is published, which a measurement rests on.

A plan may wait for the very record that is to be made, and must not stand in its way.
"""

from __future__ import annotations

from pathlib import Path

from scalesheet.book import Book
from scalesheet.check import check
from scalesheet.diagnostics import Refused, errors
from scalesheet.load import load
from scalesheet.resolve.book import resolve

#: Kinds of documents that no step of a model rests on.
APART = ("plan", "page", "subpage", "claims", "actuals", "published", "score")


def catalogue(data: Path) -> Book:
    """Raises Refused with all that is wrong with the rest."""
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
