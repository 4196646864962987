"""Whether a new file is sound beside those that the book has, before it is written."""

from __future__ import annotations

from pathlib import Path

from scalesheet.check import check
from scalesheet.diagnostics import Refused, errors
from scalesheet.load import Document, load, parse
from scalesheet.load.folder import shown
from scalesheet.model import Book
from scalesheet.new.places import place
from scalesheet.resolve import resolve

#: Kinds of documents that say nothing that a new file could rest on.
_APART = ("plan", "page", "subpage", "claims", "published", "fit", "score")


def compiled(data: Path, kind: str, id: str, text: str) -> Book | None:
    """The book with the new file, without its plans and runs; None where the rest of it is not
    sound. Raises Refused with what is wrong with the new file."""
    documents, found = load(data)
    path = shown(place(data, kind, id))
    new = parse(text.encode(), path)
    kept = [d for d in documents if d.kind not in _APART]
    kept.append(Document(kind, id, path, new.data, new.places, new.keys, new.broken))
    book = None
    told = [*found, *new.diagnostics, *check(kept)]
    if not errors(told):
        book, resolved = resolve(kept)
        told += resolved
    own = [each for each in errors(told) if each.path == path]
    if own:
        raise Refused(own)
    return book
