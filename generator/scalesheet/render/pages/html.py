"""HTML for pages that pass through Markdown: everything is escaped unless it is `Html` already.

A page is Markdown with blocks of HTML in it. The text of the data is shown as text in both: what
HTML or Markdown (or its extensions) would read as a sign becomes a character reference.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

_BLOCK_SIGNS = re.compile(r"[`~{}]")  # a fence or a template, at the start of a line of a block
_MARKDOWN_SIGNS = re.compile(r"[\\`~*_{}\[\]()#+!|^=:$-]")
_VOID = frozenset(
    (
        "br",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "rect",
        "line",
        "circle",
        "path",
        "polygon",
        "polyline",
    )
)
_WEB = re.compile(r"https?://", re.IGNORECASE)


class Html(str):
    """Markup that may stand in a page as it is."""

    __slots__ = ()


def _references(signs: re.Pattern[str], escaped: str) -> str:
    return signs.sub(lambda sign: f"&#{ord(sign[0])};", escaped)


def escape(text: object) -> Html:
    """Text inside a block of HTML."""
    if isinstance(text, Html):
        return text
    return Html(_references(_BLOCK_SIGNS, html.escape(str(text))))


def inline(text: object) -> Html:
    """Text in a line of Markdown: a heading, or HTML within a paragraph."""
    flat = " ".join(str(text).split())
    # `&#x27;` and its like hold signs of Markdown themselves, so they are made last.
    return Html(
        re.sub(r"[&<>\"']|" + _MARKDOWN_SIGNS.pattern, lambda sign: f"&#{ord(sign[0])};", flat)
    )


def tag(name: str, /, *content: object, **attributes: object) -> Html:
    """An element. `class_` is class, `data_x` data-x; None leaves the attribute out, True bare.

    Content that is None is left out; other content that is not `Html` is escaped.
    """
    parts = [name]
    for key, value in attributes.items():
        attribute = key.rstrip("_").replace("_", "-")
        if value is True:
            parts.append(attribute)
        elif value is not None and value is not False:
            parts.append(f'{attribute}="{escape(value)}"')
    opened = f"<{' '.join(parts)}>"
    inner = join(content)
    if name in _VOID and not inner:
        return Html(f"{opened[:-1]}/>")
    return Html(f"{opened}{inner}</{name}>")


def drawn(tree: Sequence[Any]) -> Html:
    """What a script drew, `[tag, attributes, ...content]`, as `marks.js` makes elements of it."""
    name, attributes, *content = tree
    inner = (drawn(each) if isinstance(each, list) else each for each in content)
    return tag(name, *inner, **attributes)


def join(parts: Iterable[object], between: str = "") -> Html:
    """Parts one after another, each escaped unless it is markup; None is left out."""
    return Html(between.join(escape(part) for part in parts if part is not None))


def meta_line(*parts: object) -> Html:
    """The small line below a title: the parts that are not empty, separated by dots."""
    return tag("p", join(filter(None, parts), " · "), class_="meta")


def link(target: str, *content: object, **attributes: object) -> Html:
    """A link to a page (given as its Markdown file, as `other.md#part`) or to the web.

    Markdown leaves links inside HTML alone, so the target is written as the page's HTML file.
    """
    if _WEB.match(target):
        return tag("a", *content, href=target, **attributes)
    page, hash_, anchor = target.partition("#")
    if page.endswith(".md"):
        page = f"{page[:-3]}.html"
    return tag("a", *content, href=f"{page}{hash_}{anchor}", **attributes)


def web_link(url: str, *content: object) -> Html:
    """A link where the address is http(s), else the content alone."""
    return link(url, *content) if _WEB.match(url) else join(content)


def heading(level: int, text: object, anchor: str | None = None) -> str:
    """A heading in Markdown, so that the page's table of contents has it."""
    shown = text if isinstance(text, Html) else inline(text)
    return f"{'#' * level} {shown}" + (f" {{ #{anchor} }}" if anchor else "")


def page(
    title: str,
    *blocks: object,
    wide: bool = False,
    list_: bool = False,
    shown: Html | None = None,
    called: Iterable[str] = (),
) -> str:
    """A page of Markdown: its title, then blocks with an empty line between them.

    A wide page has the room of the navigation beside it for its tables, a list that of the table of
    contents, which would be empty. `shown` is the title as the page has it on top, where that is
    more than its text. The search finds a page by its title, and by what else it is `called`.
    """
    parts = (heading(1, shown or title), *blocks)
    front = [*_title_apart(title, stated=shown is not None)]
    hidden = [name for name, gone in (("navigation", wide), ("toc", list_)) if gone]
    front += [f"hide: [{', '.join(hidden)}]"] if hidden else []
    # a theme may print them as they are
    if names := [name for name in called if not set("<>&") & set(name)]:
        front.append(f"tags: {json.dumps(names, ensure_ascii=False)}")
    matter = "\n".join(("---", *front, "---\n\n")) if front else ""
    return matter + "\n\n".join(str(part) for part in parts if part) + "\n"


def _title_apart(title: str, *, stated: bool) -> list[str]:
    """Front matter for a title with signs of markup in it, or one that its heading only shows.

    The theme puts a title into <title> unescaped. A stated one it takes as it is, escaped by us;
    one from the heading it takes with all references undone.
    """
    if not stated and not set("<>") & set(title):
        return []
    flat = html.escape(" ".join(title.split()))
    return [f"title: {json.dumps(flat)}"]


def anchor(*names: str) -> str:
    """An id for a part of a page; different names give different ids."""
    return ":".join(re.sub(r"[^A-Za-z0-9_.-]", lambda c: f".{ord(c[0]):x}.", n) for n in names)
