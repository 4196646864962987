"""Writes data as YAML in the way people write it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from scalesheet.load import plain

WIDTH = 88
_PLAIN = re.compile(r"[A-Za-z0-9_./<=(+;$~^][^\n\t]*")
#: `?` too: within braces, it ends a text for PyYAML's own parser.
_SIGNS = re.compile(r"[\[\]{},\"?]|: | #|:$|\s$")
_PLACE = re.compile(r"[eE][+]?0*")


def block(data: Any, indent: int = 0) -> str:
    """YAML on several lines, each with its line break."""
    before = " " * indent
    if isinstance(data, Mapping) and data:
        return "".join(before + _entry(f"{key(name)}:", data[name], indent) for name in data)
    if isinstance(data, list) and data:
        return "".join(before + _entry("-", each, indent) for each in data)
    return f"{before}{flow(data)}\n"


def _entry(head: str, value: Any, indent: int) -> str:
    line = f"{head} {flow(value)}"
    if indent + len(line) <= WIDTH or not isinstance(value, Mapping | list):
        return line + "\n"
    if head == "-":
        return "- " + block(value, indent + 2).lstrip(" ")
    return f"{head}\n{block(value, indent + 2)}"


def flow(data: Any) -> str:
    """YAML on one line."""
    if isinstance(data, Mapping):
        return "{" + ", ".join(f"{key(name)}: {flow(each)}" for name, each in data.items()) + "}"
    if isinstance(data, list):
        return "[" + ", ".join(map(flow, data)) + "]"
    if data is None:
        return "null"
    if isinstance(data, bool):
        return "true" if data else "false"
    if isinstance(data, str):
        return text(data)
    return _PLACE.sub("e", f"{data:g}") if float(f"{data:g}") == data else repr(data)


def key(name: str) -> str:
    return text(name)


def text(words: str) -> str:
    """Text without quotes if it is read as the same text, else quoted."""
    safe = _PLAIN.fullmatch(words) and not _SIGNS.search(words)
    if safe and _read(words) == words:
        return words
    return json.dumps(words, ensure_ascii=False)


def _read(words: str) -> Any:
    try:
        return plain(words)
    except ValueError:
        return None
