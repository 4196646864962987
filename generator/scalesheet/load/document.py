"""A document: the data of one file, with the position of each value and key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from scalesheet.model import Position

#: The way to a value: keys of mappings and indices of lists.
Steps = tuple[str | int, ...]


class Mark(NamedTuple):
    """A line and a column of some file, both from 1."""

    line: int
    column: int


@dataclass(frozen=True)
class Document:
    """A file of the data folder; `path` is as shown to users.

    `data` is made of dict, list, str, int, float, bool and None; that of a page is its text.
    A plan may have several documents of a kind: then `id` is the plan's and `part` the file's own
    name. `text` is what stands below the data of a further page, and `text_line` where it begins.
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
    extended: bool = False  # of a book that one's own extends
    as_of: str = ""  # ISO day whose values hold, where a value states earlier ones; else the newest

    def at(self, *path: str | int) -> Position:
        """Where the value at the path stands, or else its nearest existing ancestor."""
        while path and path not in self.places:
            path = path[:-1]
        return Position(self.path, *self.places.get(path, (1, 1)))

    def key_at(self, *path: str | int) -> Position:
        """Where the key at the path stands; for an item of a list, where the item stands."""
        mark = self.keys.get(path)
        return Position(self.path, *mark) if mark else self.at(*path)


@dataclass(frozen=True)
class Known:
    """What files of a book are checked against: the keys of sources.yaml, None where it could not
    be read, and the day of the edition."""

    sources: frozenset[str] | None
    edition: str


def flag(data: Any) -> bool:
    """A flag as the schemas allow it (`yes`, `no`, `true`, `false`) as a bool."""
    return data in (True, "yes")


def quotable(text: str, clip: bool = True) -> str:
    """Text fit for a message: on one line, without controls, and not long."""
    safe = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text[:4000]
    )
    return safe[:57] + "..." if clip and len(safe) > 60 else safe
