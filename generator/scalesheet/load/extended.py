"""Books that extend a book: `extends: scalesheet` in book.yaml adds the files of another book below
the user's own.

A file of the user's book replaces the one at the same place in the other book. Entries of
sources.yaml and units.yaml are merged; if both books have a key, the user's entry counts. The other
book's plans are left out, except the one that `choose` uses.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from scalesheet.shipped import CATALOGUE
from scalesheet.vocabulary import CALCULATOR

KEY = "extends"
#: The book that comes with the program.
OURS = "scalesheet"
#: Files that each book has for itself, and files that are merged.
OWN, TOGETHER = frozenset(("book.yaml", "score.yaml")), frozenset(("sources.yaml", "units.yaml"))
#: The most books below the user's own, each extended by the one above it.
MOST = 5
#: The names of books, as in book.schema.json. Other names are never looked up.
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}|[.]{1,2}(/[A-Za-z0-9_.-]+)*")


def folder_of(name: str, data: Path) -> Path | None:
    """The data folder of the book that the one in `data` extends, by its name: the program's own
    book, the one in an installed package, or the one at a path relative to `data`.

    A package is looked for as a folder of Python's path, because importing it would run its code.
    """
    if name == OURS:
        return CATALOGUE
    of_a_package = (Path(place, name.replace("-", "_")) for place in sys.path)
    for place in (data / name,) if name.startswith(".") else of_a_package:
        for folder in (place / "data", place):
            if (folder / "book.yaml").is_file():
                return folder
    return None


def is_taken(parts: tuple[str, ...], own: frozenset[tuple[str, ...]]) -> bool:
    """Whether a file of the extended book is used, given the places of the user's own."""
    if parts[0] == "plans":
        ours = ("plans", CALCULATOR, "plan.yaml") not in own
        return parts[1:2] == (CALCULATOR,) and ours
    return parts[0] in TOGETHER or (parts[0] not in OWN and parts not in own)
