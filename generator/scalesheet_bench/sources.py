"""The sources of our own figures, added to the book if it lacks them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from scalesheet.new import entry

MEASURED, SIMULATED = "own-measurement", "own-simulation"
ENTRIES: Mapping[str, Mapping[str, str]] = {
    MEASURED: {
        "title": "Own measurement",
        "note": "Taken by 'scalesheet bench'; the record holds the command and the environment.",
    },
    SIMULATED: {
        "title": "Own simulation",
        "note": "Computed from the catalogue by 'scalesheet bench'; no step was timed.",
    },
}


def with_source(data: Path, key: str) -> str | None:
    """The text of sources.yaml with that entry; None if it is already there.

    Raises LayoutError if the file can take no entry, OSError.
    """
    if key in entry.known(data):
        return None
    file = entry.file(data)
    text = file.read_text("utf-8") if file.is_file() else "sources:\n"
    return entry.added(text, key, ENTRIES[key])
