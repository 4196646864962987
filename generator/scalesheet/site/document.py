"""Reads an HTML page into the facts that the policy and the checks go by."""

from __future__ import annotations

from dataclasses import dataclass
from html.parser import HTMLParser

# What a browser loads by itself, by element and attribute; an <a href> it only follows.
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
# A <link> of these kinds only tells; the others fetch or open a connection.
_TELLING_LINKS = {"alternate", "author", "canonical", "help", "license", "search"}
_DATA_TYPES = ("application/json", "application/ld+json", "text/plain")


@dataclass(frozen=True)
class Document:
    """What is in one page."""

    anchors: frozenset[str]
    """Every id, and every name of an <a>."""
    loads: tuple[str, ...]
    """Addresses that the browser fetches by itself."""
    follows: tuple[str, ...]
    """Addresses that a reader can go to."""
    scripts: tuple[str, ...]
    """Texts of inline scripts that run; data blocks are none."""
    styles: tuple[str, ...]
    """Texts of inline <style>."""
    inline: tuple[str, ...]
    """Attributes that a strict policy refuses: style="..." and event handlers."""


def read_document(text: str) -> Document:
    """The facts of one page of HTML."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return Document(
        anchors=frozenset(reader.anchors),
        loads=tuple(reader.loads),
        follows=tuple(reader.follows),
        scripts=tuple(reader.scripts),
        styles=tuple(reader.styles),
        inline=tuple(reader.inline),
    )


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.anchors: set[str] = set()
        self.loads: list[str] = []
        self.follows: list[str] = []
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self.inline: list[str] = []
        self._text: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        names = ("id", "name") if tag == "a" else ("id",)
        self.anchors.update(values[name] for name in names if values.get(name))
        if tag != "link" or not set(values.get("rel", "").lower().split()) & _TELLING_LINKS:
            self.loads += _addresses(values, _LOADS.get(tag, ()))
        self.follows += _addresses(values, _FOLLOWS.get(tag, ()))
        self.inline += [
            f'<{tag} {name}="{value}">'
            for name, value in values.items()
            if name == "style" or name.startswith("on")
        ]
        runs = tag == "script" and "src" not in values and values.get("type") not in _DATA_TYPES
        if runs or tag == "style":
            self._text = []

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if self._text is not None and tag in ("script", "style"):
            (self.scripts if tag == "script" else self.styles).append("".join(self._text))
            self._text = None


def _addresses(values: dict[str, str], names: tuple[str, ...]) -> list[str]:
    found: list[str] = []
    for name in names:
        if name not in values:
            continue
        if name == "srcset":
            found += [part.split()[0] for part in values[name].split(",") if part.strip()]
        else:
            found.append(values[name].strip())
    return found
