"""A new entry of `sources.yaml`, in the layout of those around it; every other byte stays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scalesheet.load import parse
from scalesheet.load.folder import extended_by
from scalesheet.new.blanks import fields_of
from scalesheet.source.text import block, flow

#: What an entry can say, in the order of its schema.
KEYS: tuple[str, ...] = tuple(fields_of("sources"))


class LayoutError(Exception):
    """The file has a layout to which no entry can be added; the message says what to do."""


def file(data: Path) -> Path:
    return data / "sources.yaml"


def known(data: Path) -> dict[str, Any]:
    """The entries by key, those of a book that is extended among them; none of a file that is
    missing or cannot be read."""
    own = _entries(text(data)) if file(data).is_file() else {}
    base = extended_by(data)
    return {**known(base), **own} if base is not None else own


def text(data: Path) -> str:
    """What the file holds; nothing where it is still to be begun."""
    return file(data).read_text("utf-8") if file(data).is_file() else ""


def _entries(text: str) -> dict[str, Any]:
    result = parse(text.encode(), "").data
    sources = result.get("sources") if isinstance(result, dict) else None
    return sources if isinstance(sources, dict) else {}


def added(text: str, key: str, entry: Mapping[str, Any]) -> str:
    """The file's text with one more entry, where its like stand. Raises LayoutError."""
    before = _entries(text)
    parsed = parse(text.encode(), "")
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    data = {name: entry[name] for name in KEYS if name in entry}
    keys = list(before)
    at = _place(keys, key)
    if not keys:
        made = text + ("" if "sources:" in text else "sources:\n") + _lines(key, data, 2)
    else:
        beside = parsed.keys["sources", keys[max(at - 1, 0)]]
        end = parsed.keys["sources", keys[at]].line - 1 if at < len(keys) else len(lines)
        while at and (not (line := lines[end - 1].strip()) or line.startswith("#")):
            end -= 1  # what stands above the next entry belongs to it
        indent = beside.column - 1
        one_line = lines[beside.line - 1].rstrip().endswith("}")
        new = f"{' ' * indent}{key}: {flow(data)}\n" if one_line else _lines(key, data, indent)
        made = "".join([*lines[:end], new, *lines[end:]])
    if _entries(made) != {**before, key: data}:
        raise LayoutError("its entries do not stand a line each; add the new one by hand")
    return made


def _lines(key: str, data: Mapping[str, Any], indent: int) -> str:
    return f"{' ' * indent}{key}:\n" + "".join(
        block({name: value}, indent + 2) for name, value in data.items()
    )


def _place(keys: Sequence[str], key: str) -> int:
    """Before which of the entries a new one belongs: by the alphabet where the file goes by it,
    else after the last that begins with the same word, else at the end."""
    if list(keys) == sorted(keys):
        return sum(each < key for each in keys)
    word = key.partition("-")[0]
    alike = [at for at, each in enumerate(keys) if each.partition("-")[0] == word]
    return (alike or [len(keys) - 1])[-1] + 1
