"""Composes everything that a new file needs, and validates it before writing."""

from __future__ import annotations

from pathlib import Path

from scalesheet.check import check
from scalesheet.diagnostics import Refused, errors
from scalesheet.frozen import dataclass
from scalesheet.load.folder import shown
from scalesheet.new import entry
from scalesheet.new.sound import compiled, document
from scalesheet.new.template import Entries, Given, draft, left, page, template
from scalesheet.source.places import modeline


@dataclass(frozen=True)
class Composed:
    """The texts to write: the file, its page, and sources.yaml if it changes."""

    given: Given
    text: str
    page: str | None
    sources: str | None
    left: tuple[str, ...]  # names of blanks that still have example values, if any were filled in


def composed(data: Path, kind: str, id: str, given: Given) -> Composed:
    """Compose and validate the texts of a new file.

    Raises Refused if it does not fit the book, SettingError, LayoutError, NothingToNameError.
    """
    example = draft(kind, id, data, given)
    rest = left(kind, example, given) if given.filled else None
    text = template(kind, example, rest, modeline(data, kind, id))
    sources = with_entries(data, given.entries) if given.entries else None
    compiled(data, kind, {id: text}, sources)
    prose = page(example) if kind == "plan" else None
    return Composed(given, text, prose, sources, tuple(rest or ()))


def with_entries(data: Path, entries: Entries, top: str = entry.SOURCES) -> str:
    """The text of sources.yaml or units.yaml with new entries. Raises Refused, LayoutError,
    OSError."""
    file = entry.file(data, top)
    text = entry.text(data, top)
    for key, fields in entries.items():
        text = entry.added(text, key, fields, top)
    made, unread = document(top, top, shown(file), text)
    if problems := errors([*unread, *check([made])]):
        raise Refused(problems)
    return text
