"""Reads an HTML page once, for its policy and its checks, and finds what no page may have.

Elements and attributes are allowed by name (`allowed.yaml`), not forbidden, so every tag that a
browser would see must be found: the expressions follow the rules of the HTML standard. What
browsers read in two ways (a `<` in a value, markup in a title, a comment that may end early) is an
error, or is read like the rest of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from functools import cache, lru_cache
from html import unescape
from importlib.resources import files

import yaml

from scalesheet.frozen import dataclass

#: What a browser loads by itself; it follows an <a href> only on a click.
_LOADS = {"img": "src", "link": "href", "script": "src"}
# A <link> of these kinds is only information; others fetch something or open a connection.
_TELLING_LINKS = {"alternate", "author", "canonical", "help", "license", "search"}
_FAMILIES = ("aria-", "data-")  # of attributes, any of which may be there
_DATA_TYPES = ("application/json", "application/ld+json", "text/plain")
SHOWN = 60  # characters of a value or an inline script


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
    strange: tuple[str, ...]
    """Elements and attributes that are not allowed, as markup."""


#: The same lists while reading.
_Reader = dict[str, list[str]]

# As the standard defines them: a quote is one only at the start of a value.
_BLANKS = r"[\t\n\f\r ]*+"
_NAME = r"[^\t\n\f\r />][^\t\n\f\r />=]*+"
_VALUE = rf"""{_BLANKS}={_BLANKS}(?:"[^"]*+"|'[^']*+'|[^\t\n\f\r >"'][^\t\n\f\r >]*+)"""
_ATTRIBUTE = re.compile(rf"({_NAME})({_VALUE})?+")
_ATTRIBUTES = rf"((?:[\t\n\f\r /]*+{_NAME}(?:{_VALUE})?+)*+[\t\n\f\r /]*+)"
#: An element whose text is not markup, or any other opening tag.
_TAGS = re.compile(
    rf"<(script|style|textarea|title)(?=[\t\n\f\r />]){_ATTRIBUTES}>(.*?)</\1(?=[\t\n\f\r />])"
    rf"|<([a-z][^\t\n\f\r />]*+){_ATTRIBUTES}>",
    re.DOTALL | re.IGNORECASE,
)
_APART = ("script", "style", "textarea", "title")


def read_document(text: str) -> Document:
    """Read one page of HTML."""
    reader: _Reader = {field.name: [] for field in fields(Document)}
    for apart, given, content, other, others in _TAGS.findall(text):
        tag, attributes = (apart or other).lower(), given or others
        for kind, found in _read(tag, attributes):
            reader[kind].append(found)
        if apart:
            _take_apart(reader, tag, attributes, content)
        elif tag in _APART:
            reader["strange"].append(f"<{tag}> without an end")
    return Document(
        anchors=frozenset(reader.pop("anchors")),
        **{name: tuple(found) for name, found in reader.items()},
    )


def _take_apart(reader: _Reader, tag: str, attributes: str, text: str) -> None:
    """Read the text of an element that is not markup."""
    values = _values(attributes)
    if tag == "style":
        reader["styles"].append(text)
    elif tag == "script" and "src" not in values and values.get("type") not in _DATA_TYPES:
        reader["scripts"].append(text)
    elif "<" in text:  # which is markup after all in a picture, or if the tag was in a comment
        reader["strange"].append(f"<{tag}> with markup in it")


def _values(attributes: str) -> dict[str, str]:
    """Attributes by name; an empty one has no value."""
    result: dict[str, str] = {}
    for name, given in _ATTRIBUTE.findall(attributes):
        value = given.partition("=")[2].strip()
        result.setdefault(name.lower(), unescape(value[1:-1] if value[:1] in ('"', "'") else value))
    return result


@lru_cache(maxsize=100_000)  # most are on many pages
def _read(tag: str, attributes: str) -> tuple[tuple[str, str], ...]:
    """What the page has by this tag: the lists of `Document`, each with an entry."""
    values = _values(attributes)
    found = [("strange", each) for each in _strange(tag, values, attributes)]
    names = ("id", "name") if tag == "a" else ("id",)
    found += [("anchors", values[name]) for name in names if values.get(name)]
    address = values.get(_LOADS.get(tag, ""))
    if address is not None and not (
        tag == "link" and set(values.get("rel", "").lower().split()) & _TELLING_LINKS
    ):
        found.append(("loads", address.strip()))
    if tag == "a" and "href" in values:
        found.append(("follows", values["href"].strip()))
    return tuple(found)


def _strange(tag: str, values: dict[str, str], attributes: str) -> Iterator[str]:
    """What is not allowed of an element, as markup."""
    known = _allowed().get(tag)
    if known is None:
        yield f"<{tag}>"
    elif not known.issuperset(values):
        for name, value in values.items():
            if name not in known and not name.startswith(_FAMILIES):
                yield f'<{tag} {name}="{value[:SHOWN]}">'
    if "<" in attributes:
        yield f"<{tag}> with a '<' in an attribute"


@cache
def _allowed() -> dict[str, frozenset[str]]:
    """The attributes of each allowed element."""
    listed = yaml.safe_load(files("scalesheet.site").joinpath("allowed.yaml").read_text("utf-8"))
    every = listed.pop("all")
    return {tag: frozenset(f"{every} {own or ''}".split()) for tag, own in listed.items()}
