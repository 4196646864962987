"""Reads from an HTML page what the policy and the checks need.

Pages are large and few of their attributes matter here, so one expression finds the tags, and only
those with such an attribute are parsed: a third of the time of a full parser.
"""

from __future__ import annotations

import re
from dataclasses import fields
from html import unescape

from scalesheet.frozen import dataclass

# What a browser loads by itself, by element and attribute; it follows an <a href> only on a click.
_LOADS = {
    "audio": ("src",),
    "embed": ("src",),
    "frame": ("src",),
    "iframe": ("src",),
    "image": ("href", "xlink:href"),
    "img": ("src", "srcset"),
    "input": ("src",),
    "link": ("href",),
    "object": ("data",),
    "script": ("src",),
    "source": ("src", "srcset"),
    "track": ("src",),
    "use": ("href", "xlink:href"),
    "video": ("src", "poster"),
}
_FOLLOWS = {"a": ("href", "xlink:href"), "area": ("href",), "form": ("action",)}
# A <link> of these kinds is only information; others fetch something or open a connection.
_TELLING_LINKS = {"alternate", "author", "canonical", "help", "license", "search"}
_DATA_TYPES = ("application/json", "application/ld+json", "text/plain")


@dataclass(frozen=True)
class Document:
    """The contents of one page."""

    anchors: frozenset[str]
    """Every id, and every name of an <a>."""
    loads: tuple[str, ...]
    """Addresses that the browser fetches by itself."""
    follows: tuple[str, ...]
    """Addresses that a reader can follow."""
    scripts: tuple[str, ...]
    """Texts of inline scripts that run; data blocks do not count."""
    styles: tuple[str, ...]
    """Texts of inline <style>."""
    inline: tuple[str, ...]
    """Attributes that a strict policy blocks: style="...", event handlers, javascript:
    addresses."""


#: The same lists while reading.
_Reader = dict[str, list[str]]

# A comment; a script or style with its text; any other opening tag.
_ATTRIBUTES = r"""((?:[^>"']|"[^"]*"|'[^']*')*)"""
_TAGS = re.compile(
    rf"<!--(?:-?>|.*?(?:--!?>|\Z))|<(script|style)\b{_ATTRIBUTES}>(.*?)</\1\s*>"
    rf"|<([a-z][^\s/>]*){_ATTRIBUTES}>",
    re.DOTALL | re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"""([^\s=/"'>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")
# What a relevant attribute looks like, in a name or by chance in a value.
_MATTERS = re.compile(
    r"\b(?:id|name|href|src|srcset|srcdoc|data|poster|(?:form)?action|style|to|from|by|values)\s*="
    r"|\bon[a-z]",
    re.IGNORECASE,
)
# A javascript: address; browsers ignore blanks and control characters before and in it.
_RUNS = re.compile(r"[\x00-\x20]*" + r"[\t\n\r]*".join("javascript:"), re.IGNORECASE)


def read_document(text: str) -> Document:
    """Read one page of HTML."""
    reader: _Reader = {field.name: [] for field in fields(Document)}
    matters: dict[str, bool] = {"": False}  # the same attributes occur a thousand times in a page
    for match in _TAGS.finditer(text):
        apart, given, content, other, others = match.groups()
        if apart:
            _take_apart(reader, apart.lower(), given, content)
        elif other:
            if others not in matters:
                matters[others] = _MATTERS.search(others) is not None
            if matters[others]:
                _take(reader, other.lower(), _values(others))
    return Document(
        anchors=frozenset(reader.pop("anchors")),
        **{name: tuple(each) for name, each in reader.items()},
    )


def _values(attributes: str) -> dict[str, str]:
    """Attributes by name; an empty one has no value."""
    result: dict[str, str] = {}
    for name, *values in _ATTRIBUTE.findall(attributes):
        result.setdefault(name.lower(), unescape("".join(values)))
    return result


def _take_apart(reader: _Reader, tag: str, attributes: str, text: str) -> None:
    """Read an element whose text is not markup."""
    values = _values(attributes)
    _take(reader, tag, values)
    if tag == "style":
        reader["styles"].append(text)
    elif "src" not in values and values.get("type") not in _DATA_TYPES:
        reader["scripts"].append(text)


def _take(reader: _Reader, tag: str, values: dict[str, str]) -> None:
    names = ("id", "name") if tag == "a" else ("id",)
    reader["anchors"] += [values[name] for name in names if values.get(name)]
    if tag != "link" or not set(values.get("rel", "").lower().split()) & _TELLING_LINKS:
        reader["loads"] += _addresses(values, _LOADS.get(tag, ()))
    reader["follows"] += _addresses(values, _FOLLOWS.get(tag, ()))
    reader["inline"] += [
        f'<{tag} {name}="{value}">'
        for name, value in values.items()
        if name in ("style", "srcdoc")
        or name.startswith("on")
        or (_RUNS.match(value) and name not in (*_LOADS.get(tag, ()), *_FOLLOWS.get(tag, ())))
    ]


def _addresses(values: dict[str, str], names: tuple[str, ...]) -> list[str]:
    result: list[str] = []
    for name in names:
        if name not in values:
            continue
        if name == "srcset":
            result += [part.split()[0] for part in values[name].split(",") if part.strip()]
        else:
            result.append(values[name].strip())
    return result
