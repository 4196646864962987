"""HTML for pages that pass through Markdown: everything is escaped unless it is `Html` already.

A page is Markdown with blocks of HTML. Text of the data is literal in both: characters that HTML or
Markdown (or its extensions) would interpret become character references.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

_BLOCK_SIGNS = re.compile(r"[`~{}]")  # a fence or a template, at the start of a line of a block
_MARKDOWN_SIGNS = re.compile(r"[\\`~*_{}\[\]()#+!|^=:$-]")
_SIGNS_IN_TEXT = re.compile(rf"<[^>]*>|&[#\w]+;|({_MARKDOWN_SIGNS.pattern})")
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
    """Markup that goes into a page unchanged."""

    __slots__ = ()


def _references(signs: re.Pattern[str], escaped: str) -> str:
    return signs.sub(lambda sign: f"&#{ord(sign[0])};", escaped)


def escape(text: object) -> Html:
    """Escape text inside a block of HTML."""
    if isinstance(text, Html):
        return text
    return Html(_references(_BLOCK_SIGNS, html.escape(str(text))))


def inline(text: object) -> Html:
    """Escape text in a line of Markdown: a heading, or HTML within a paragraph."""
    flat = " ".join(str(text).split())
    # One pass: references such as `&#x27;` contain Markdown characters themselves.
    return Html(
        re.sub(r"[&<>\"']|" + _MARKDOWN_SIGNS.pattern, lambda sign: f"&#{ord(sign[0])};", flat)
    )


def in_line(markup: Html) -> Html:
    """Markup within a line of Markdown, which would also read the signs in its text."""
    return Html(_SIGNS_IN_TEXT.sub(lambda at: f"&#{ord(at[1])};" if at[1] else at[0], markup))


def tag(name: str, /, *content: object, **attributes: object) -> Html:
    """Return an element. `class_` is class, `data_x` data-x; None leaves the attribute out, True is
    bare.

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
    """Print what a script drew: `[tag, attributes, ...content]`, the form that `marks.js` uses."""
    name, attributes, *content = tree
    inner = (drawn(each) if isinstance(each, list) else each for each in content)
    return tag(name, *inner, **attributes)


def join(parts: Iterable[object], between: str = "") -> Html:
    """Join parts, each escaped unless it is markup; None is left out."""
    return Html(between.join(escape(part) for part in parts if part is not None))


def meta_line(*parts: object) -> Html:
    """The small line below a title: the nonempty parts, separated by dots."""
    return tag("p", join(filter(None, parts), " · "), class_="meta")


def link(target: str, *content: object, **attributes: object) -> Html:
    """A link to a page (as its Markdown file, such as `other.md#part`) or to the web.

    Markdown does not convert links inside HTML, so the target is the page's HTML file.
    """
    if _WEB.match(target):
        return tag("a", *content, href=target, **attributes)
    page, hash_, anchor = target.partition("#")
    if page.endswith(".md"):
        page = f"{page[:-3]}.html"
    return tag("a", *content, href=f"{page}{hash_}{anchor}", **attributes)


def web_link(url: str, *content: object) -> Html:
    """A link if the address is http(s), else only the content."""
    return link(url, *content) if _WEB.match(url) else join(content)


def heading(level: int, text: object, anchor: str | None = None) -> str:
    """A heading in Markdown, so that it is in the page's table of contents."""
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
    """A page of Markdown: its title, then blocks separated by blank lines.

    A `wide` page uses the width of the navigation for its tables; a `list_` page uses that of the
    table of contents, which would be empty. `shown` is the title as markup for the top of the page.
    Search finds a page by its title and by the names in `called`.
    """
    parts = (heading(1, shown or title), *blocks)
    front = [*_title_apart(title, stated=shown is not None)]
    hidden = [name for name, gone in (("navigation", wide), ("toc", list_)) if gone]
    front += [f"hide: [{', '.join(hidden)}]"] if hidden else []
    # a theme may print them unescaped
    if names := [name for name in called if not set("<>&") & set(name)]:
        front.append(f"tags: {json.dumps(names, ensure_ascii=False)}")
    matter = "\n".join(("---", *front, "---\n\n")) if front else ""
    return matter + "\n\n".join(str(part) for part in parts if part) + "\n"


def _title_apart(title: str, *, stated: bool) -> list[str]:
    """Front matter for a title with markup characters, or with a marked-up heading.

    The theme puts the title into <title> unescaped. It keeps a stated title as it is, so we escape
    that; in a title from the heading it would turn all character references back into characters.
    """
    if not stated and not set("<>") & set(title):
        return []
    flat = html.escape(" ".join(title.split()))
    return [f"title: {json.dumps(flat)}"]


def anchor(*names: str) -> str:
    """An id for a part of a page; different names give different ids."""
    return ":".join(re.sub(r"[^A-Za-z0-9_.-]", lambda c: f".{ord(c[0]):x}.", n) for n in names)
