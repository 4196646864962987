"""Checks a finished site: no page loads anything from the network, and every link works.

This is our own check because Zensical ignores missing navigation targets, and neither generator
checks raw HTML.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from scalesheet.site.document import SHOWN, Document
from scalesheet.site.theme import NO_THEME, Theme

LOST = "404.html"
_LEAVES = ("http", "https", "mailto")
_CSS_ADDRESS = re.compile(r"""(?:@import\s+|url\(\s*)["']?\s*((?:[a-z]+:)?//[^"')\s]+)""", re.I)


def check_site(
    site: Path,
    documents: Mapping[str, Document],
    theme: Theme = NO_THEME,
    beside: frozenset[str] = frozenset(),
) -> tuple[str, ...]:
    """Every problem of the site below `site`, as `page: finding`, in the order of the pages.

    `documents` are its pages by path. Inline scripts and styles must come from `theme`. `beside`
    are files that will be published beside the site.
    """
    own = frozenset(p.relative_to(site).as_posix() for p in site.rglob("*") if p.is_file())
    files = own | beside
    every: list[str] = []
    for name, document in documents.items():
        faults = dict.fromkeys(_inline_faults(document, theme))
        faults |= dict.fromkeys(_page_faults(name, document, documents, files))
        every += [f"{name}: {fault}" for fault in faults]
    for name in sorted(own):
        if name.endswith(".css"):
            text = (site / name).read_text(encoding="utf-8")
            every += [f"{name}: loads {url} from the network" for url in _CSS_ADDRESS.findall(text)]
    return tuple(every)


def _inline_faults(document: Document, theme: Theme) -> Iterator[str]:
    for what, texts, own in (
        ("script", document.scripts, theme.own_scripts(document.scripts)),
        ("style", document.styles, theme.own_styles(document.styles)),
    ):
        for text in texts:
            if text not in own:
                begins = " ".join(text.split())[:SHOWN]
                yield f"the inline {what} '{begins}' is not the theme's; put it into a file"


def _page_faults(
    name: str, document: Document, documents: Mapping[str, Document], files: frozenset[str]
) -> Iterator[str]:
    for strange in document.strange:
        yield f"{strange} is not allowed on a page; use plain elements, classes and script files"
    for address in document.loads:
        parts = urlsplit(address)
        if not address.lower().startswith("data:image/"):
            if parts.scheme or parts.netloc:
                yield f"loads {address} from the network"
            else:
                yield from _target_faults(name, address, documents, files)
    for address in document.follows:
        parts = urlsplit(address)
        if parts.scheme not in _LEAVES:
            if parts.scheme or parts.netloc:
                yield f"links to {address}, which is neither http(s) nor a page of the site"
            else:
                yield from _target_faults(name, address, documents, files)


def _target_faults(
    name: str, address: str, documents: Mapping[str, Document], files: frozenset[str]
) -> Iterator[str]:
    parts = urlsplit(address)
    if parts.path.startswith("/"):
        if name == LOST:
            return  # a server shows this page at any depth
        yield f"{address} starts at the server's root, so it breaks in a folder and from file://"
        return
    path = unquote(parts.path)
    target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
    anchor = unquote(parts.fragment)
    if target not in files:
        yield f"{address} leads to no file of the site"
    elif anchor and target in documents and anchor not in documents[target].anchors:
        yield f"{address} leads to no such anchor in {target}"
