"""Checks that a new file is valid together with the rest of the book, before it is written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from scalesheet.book import Book
from scalesheet.check import check
from scalesheet.diagnostics import Diagnostic, Refused, errors
from scalesheet.load import Document, load, parse
from scalesheet.load.folder import shown
from scalesheet.resolve.book import resolve
from scalesheet.source.places import CLAIMS, place

#: Kinds of documents that a new file cannot refer to.
_APART = frozenset(
    ("plan", "page", "subpage", "claims", "actuals", "version", "published", "score")
)
#: The same for all kinds but a new component.
_OF_COMPONENTS = frozenset(("fit", "component"))


def document(kind: str, id: str, path: str, text: str) -> tuple[Document, list[Diagnostic]]:
    """Parse a file that is not written yet, as `load` would."""
    new = parse(text.encode(), path)
    made = Document(kind, id, path, new.data, new.places, new.keys, new.broken)
    return made, list(new.diagnostics)


def compiled(
    data: Path, kind: str, texts: Mapping[str, str], sources: str | None = None
) -> Book | None:
    """Compile the book with new files of a kind; None if the rest of it has errors.

    Runs are left out, and so are plans, except the one that new claims belong to. `texts` are the
    texts of the files by id; `sources` is the text of sources.yaml, if that changes too. Raises
    Refused with the errors in the new files.
    """
    documents, result = load(data)
    paths = {id: shown(place(data, kind, id)) for id in texts}
    made = [document(kind, id, paths[id], text) for id, text in texts.items()]
    problems = [each for _, found in made for each in found]
    apart = _APART if kind == "component" else _APART | _OF_COMPONENTS
    audited = {*texts} if kind == CLAIMS else set()
    kept = [d for d in documents if d.kind not in apart or (d.kind == "plan" and d.id in audited)]
    if sources is not None:
        there = shown(data / "sources.yaml")
        kept = [d for d in kept if d.path != there]
        kept.insert(0, document("sources", "sources", there, sources)[0])
    kept += [new for new, _ in made]
    book = None
    problems += [*result, *check(kept)]
    if not errors(problems):
        book, resolved = resolve(kept)
        problems += resolved
    own = [each for each in errors(problems) if each.path in paths.values()]
    if own:
        raise Refused(own)
    return book
