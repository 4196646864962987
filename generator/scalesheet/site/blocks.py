"""A hook of mkdocs: takes blocks of HTML around the Markdown parser, which would only copy them.

Generated pages are mostly such blocks, and reading them takes the parser most of a build's time. A
comment replaces each block until the page is parsed.
"""

from __future__ import annotations

import re
from copy import copy
from functools import cache
from typing import Any

_FENCE = re.compile(r"^\s*(?:```|~~~)", re.MULTILINE)  # its text may look like a block
_BLOCK = re.compile(r"<(div|section|p|ul|ol|dl|table|figure|details|nav|form)\b[^>]*>")
_PLACE = "<!--block {}-->"
_PLACES = re.compile(r"<!--block (\d+)-->")
_taken: dict[str, list[str]] = {}  # the blocks of each page


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Replace each block of the page by a comment."""
    blocks = _taken[page.file.src_uri] = []
    if _FENCE.search(markdown):
        return markdown
    chunks = markdown.split("\n\n")
    for at, chunk in enumerate(chunks):
        opening = _BLOCK.match(chunk)
        if opening and whole(chunk, opening[1]):
            chunks[at] = _PLACE.format(len(blocks))
            blocks.append(chunk.rstrip("\n"))
    return "\n\n".join(chunks)


def on_page_content(html: str, *, page: Any, **_: Any) -> str:
    """Put the blocks back."""
    blocks = _taken.pop(page.file.src_uri)
    return _PLACES.sub(lambda at: blocks[int(at[1])], html)


def on_page_context(context: Any, *, page: Any, config: Any, nav: Any, **_: Any) -> Any:
    """Keep the theme from writing a navigation that is replaced by that of the folder's index
    (`frame.lend`), which takes half of its time.
    """
    theme = config.theme
    if page.parent is None and "navigation.path" in (theme.get("features") or ()):
        index = f"{page.file.src_uri.rpartition('/')[0]}/index.md"
        shows_path = index in _indexes(nav) and nav.homepage and not theme.custom_dir
        if shows_path and page.file.src_uri != index:
            context["nav"] = copy(nav)
            context["nav"].items = nav.items[:1]
    return context


@cache
def _indexes(nav: Any) -> frozenset[str]:
    """The pages in sections of the navigation."""
    return frozenset(page.file.src_uri for page in nav.pages if page.parent is not None)


def whole(chunk: str, tag: str) -> bool:
    """Return whether a chunk consists only of elements with that tag."""
    if " markdown" in chunk:  # may be the attribute that asks for Markdown inside
        return False
    depth, end = 0, len(chunk.rstrip("\n"))
    for each in re.finditer(rf"<(/?){tag}\b[^>]*>", chunk):
        if not depth and chunk[: each.start()].rstrip()[-1:] not in ("", ">"):
            return False
        depth += -1 if each[1] else 1
        if depth < 0:
            return False
        last = each.end()
    return not depth and last == end
