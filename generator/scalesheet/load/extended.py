"""Books that extend a book: `extends: scalesheet` in book.yaml puts the files of another book below
one's own.

A file of one's own stands in place of the one at the same place there; entries of sources.yaml and
units.yaml come together, and one's own count where both have a key. The other book's own plans stay
there, but for the one that `choose` asks.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from scalesheet.shipped import CATALOGUE
from scalesheet.vocabulary import CALCULATOR

KEY = "extends"
#: The book that comes with the program.
OURS = "scalesheet"
#: What is each book's own, and what of two books comes together.
OWN, TOGETHER = frozenset(("book.yaml", "score.yaml")), frozenset(("sources.yaml", "units.yaml"))
#: Times that a book that is extended may extend another.
MOST = 5


def folder_of(name: str, data: Path) -> Path | None:
    """The data folder of a book by the name that the one in `data` extends: the program's own, that
    in an installed package, or that at a path from `data`."""
    if name == OURS:
        return CATALOGUE
    if name.startswith("."):
        places = (data / name / "data", data / name)
        return next((place for place in places if (place / "book.yaml").is_file()), None)
    try:
        spec = find_spec(name.replace("-", "_"))
    except (ImportError, ValueError):
        return None
    for place in (spec.submodule_search_locations or ()) if spec else ():
        for folder in (Path(place, "data"), Path(place)):
            if (folder / "book.yaml").is_file():
                return folder
    return None


def is_taken(parts: tuple[str, ...], own: frozenset[tuple[str, ...]]) -> bool:
    """Whether a file of the extended book counts, beside the places of one's own."""
    if parts[0] == "plans":
        ours = ("plans", CALCULATOR, "plan.yaml") not in own
        return parts[1:2] == (CALCULATOR,) and ours
    return parts[0] in TOGETHER or (parts[0] not in OWN and parts not in own)
