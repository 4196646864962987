"""Composes everything that a new file needs, and validates it before writing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from scalesheet.check import check
from scalesheet.diagnostics import Refused, errors
from scalesheet.load.folder import shown
from scalesheet.new import entry
from scalesheet.new.sound import compiled, document
from scalesheet.new.template import Entries, Given, draft, left, page, template
from scalesheet.source.places import modeline


@dataclass(frozen=True)
class Composed:
    """The texts to write: of the file, of its page and of sources.yaml where there is one."""

    given: Given
    text: str
    page: str | None
    sources: str | None
    left: tuple[str, ...]  # the names of what is still the example's, if anything is one's own


def composed(data: Path, kind: str, id: str, given: Given) -> Composed:
    """Raises Refused where it does not fit the book, SettingError, LayoutError,
    NothingToNameError."""
    example = draft(kind, id, data, given)
    rest = left(kind, example, given) if given.filled else None
    text = template(kind, example, rest, modeline(data, kind, id))
    sources = with_entries(data, given.entries) if given.entries else None
    compiled(data, kind, {id: text}, sources)
    prose = page() if kind == "plan" else None
    return Composed(given, text, prose, sources, tuple(rest or ()))


def with_entries(data: Path, entries: Entries, top: str = entry.SOURCES) -> str:
    """The text of sources.yaml, or of units.yaml, with new entries. Raises Refused, LayoutError,
    OSError."""
    file = entry.file(data, top)
    text = entry.text(data, top)
    for key, fields in entries.items():
        text = entry.added(text, key, fields, top)
    made, unread = document(top, top, shown(file), text)
    if problems := errors([*unread, *check([made])]):
        raise Refused(problems)
    return text
