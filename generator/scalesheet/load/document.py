"""A document: the data of one file, with the position of each value and key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, NamedTuple

from scalesheet.frozen import dataclass
from scalesheet.model import Position

#: The path to a value: keys of mappings and indices of lists.
Steps = tuple[str | int, ...]


class Mark(NamedTuple):
    """A line and a column of a file, both counted from 1."""

    line: int
    column: int


@dataclass(frozen=True)
class Document:
    """A file of the data folder; `path` is as shown to users.

    `data` consists of dict, list, str, int, float, bool and None; for a page it is the text. A plan
    may have several documents of a kind: then `id` is the plan's and `part` is the file's own name.
    `text` is what follows the data of a subpage, and `text_line` is its first line.
    """

    kind: str
    id: str
    path: str
    data: Any
    places: Mapping[Steps, Mark] = field(default_factory=dict, repr=False)
    keys: Mapping[Steps, Mark] = field(default_factory=dict, repr=False)
    broken: frozenset[Steps] = frozenset()
    part: str = ""
    text: str = ""
    text_line: int = 1
    extended: bool = False  # from a book that the user's book extends
    as_of: str = ""  # ISO day whose values apply if a value has earlier ones; empty: the newest

    def at(self, *path: str | int) -> Position:
        """The position of the value at a path, or of its nearest existing ancestor."""
        while path and path not in self.places:
            path = path[:-1]
        return Position(self.path, *self.places.get(path, (1, 1)))

    def key_at(self, *path: str | int) -> Position:
        """The position of the key at a path; for an item of a list, that of the item."""
        mark = self.keys.get(path)
        return Position(self.path, *mark) if mark else self.at(*path)


@dataclass(frozen=True)
class Known:
    """What files of a book are checked against: the keys of sources.yaml (None if it could not be
    read), and the day of the edition.
    """

    sources: frozenset[str] | None
    edition: str


def flag(data: Any) -> bool:
    """Convert a flag, which the schemas allow as `yes`, `no`, `true`, `false`, to bool."""
    return data in (True, "yes")


def quotable(text: str, clip: bool = True) -> str:
    """Text for use in a message: one line, without control characters, and short."""
    safe = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text[:4000]
    )
    return safe[:57] + "..." if clip and len(safe) > 60 else safe
