"""Adds an entry to `sources.yaml` or `units.yaml` in the layout of its neighbors.

Every other byte stays. `top` is the name of the file, and the key above its entries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scalesheet.diagnostics import Refused
from scalesheet.load import parse
from scalesheet.load.folder import bases_of, shown
from scalesheet.load.reader import decoded
from scalesheet.new.blanks import fields_of
from scalesheet.save import content
from scalesheet.source.text import block, flow

SOURCES = "sources"


class LayoutError(Exception):
    """Raised if the file's layout allows no new entry; the message says what to do."""


def file(data: Path, top: str = SOURCES) -> Path:
    return data / f"{top}.yaml"


def known(data: Path, top: str = SOURCES) -> dict[str, Any]:
    """The entries by key, including those of base books; empty if the files are missing or
    unreadable."""
    found: dict[str, Any] = {}
    for book in (*reversed(bases_of(data)), data):
        found |= _entries(text(book, top), top)
    return found


def text(data: Path, top: str = SOURCES) -> str:
    """The contents of the file; empty if it does not exist yet. Raises Refused if it is no text."""
    path = file(data, top)
    found, problems = decoded(content(path) or b"", shown(path))
    if found is None:
        raise Refused(problems)
    return found


def _entries(text: str, top: str) -> dict[str, Any]:
    result = parse(text.encode(), "").data
    entries = result.get(top) if isinstance(result, dict) else None
    return entries if isinstance(entries, dict) else {}


def added(text: str, key: str, entry: Mapping[str, Any], top: str = SOURCES) -> str:
    """The file's text with one more entry, next to similar ones. Raises LayoutError."""
    before = _entries(text, top)
    parsed = parse(text.encode(), "")
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    data = {name: entry[name] for name in fields_of(top) if name in entry}
    keys = list(before)
    at = _place(keys, key) if top == SOURCES else len(keys)  # a unit may depend on those above
    if not keys:
        made = text + ("" if f"{top}:" in text else f"{top}:\n") + _lines(key, data, 2)
    else:
        beside = parsed.keys[top, keys[max(at - 1, 0)]]
        end = parsed.keys[top, keys[at]].line - 1 if at < len(keys) else len(lines)
        while at and (not (line := lines[end - 1].strip()) or line.startswith("#")):
            end -= 1  # comments above the next entry belong to it
        indent = beside.column - 1
        one_line = lines[beside.line - 1].rstrip().endswith("}")
        new = f"{' ' * indent}{key}: {flow(data)}\n" if one_line else _lines(key, data, indent)
        made = "".join([*lines[:end], new, *lines[end:]])
    if _entries(made, top) != {**before, key: data}:
        raise LayoutError(
            f"{top}.yaml: its entries do not each have their own line; add the new one by hand"
        )
    return made


def _lines(key: str, data: Mapping[str, Any], indent: int) -> str:
    return f"{' ' * indent}{key}:\n" + "".join(
        block({name: value}, indent + 2) for name, value in data.items()
    )


def _place(keys: Sequence[str], key: str) -> int:
    """The index at which to insert a new entry.

    In a sorted file, it follows the alphabet; else it comes after the last key with the same first
    word, or at the end.
    """
    if list(keys) == sorted(keys):
        return sum(each < key for each in keys)
    word = key.partition("-")[0]
    alike = [at for at, each in enumerate(keys) if each.partition("-")[0] == word]
    return (alike or [len(keys) - 1])[-1] + 1
