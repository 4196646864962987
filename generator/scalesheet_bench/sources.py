"""Sources: what figures of our own rest on, entered where the book lacks it."""

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
    """The text of sources.yaml with that entry; None where it is there already. Raises
    LayoutError where the file can take none, OSError."""
    if key in entry.known(data):
        return None
    file = entry.file(data)
    text = file.read_text("utf-8") if file.is_file() else "sources:\n"
    return entry.added(text, key, ENTRIES[key])
