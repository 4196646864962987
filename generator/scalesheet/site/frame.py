"""The generator's frame around each page: made smaller, with our own search, shared within a
folder.

A folder with very many pages has only its index in the navigation (`generate.MOST_LISTED`). Its
other pages would not show where they are, so they get the tabs, navigation and path of that index.
Both are in one folder, so the same addresses work. Parts that many pages then share move to files
of their own (`shared`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache

# Elements that stay as they are; elsewhere a line break is as good as several.
_LITERAL = re.compile(r"<(pre|script|style|textarea)\b.*?</\1>", re.DOTALL)
_PATH = re.compile(r'<nav class="md-path".*?</nav>', re.DOTALL)
_TABS = re.compile(r'<nav class="md-tabs".*?</nav>', re.DOTALL)
_NAVIGATION = re.compile(
    r'<nav class="md-nav md-nav--primary.*?(?=<div class="md-sidebar md-sidebar--secondary")',
    re.DOTALL,
)
# Accessible names that the themes forget.
_NAMES = {'<nav class="md-path" aria-label="Navigation"': '<nav class="md-path" aria-label="Path"'}
#: A list in the navigation is labelled by its own title: the theme refers to an element that it
#: leaves out if the list is always open.
_LIST = re.compile(
    r'(<nav class="md-nav" data-md-level="\d" )aria-labelledby="[^"]*"'
    r'([^>]*>\s*<label class="md-nav__title"[^>]*>(?:\s*<span[^>]*></span>)?\s*([^<]*?)\s*</label>)'
)
#: Attributes whose text the themes escape, though titles are HTML already.
_ESCAPED_TWICE = re.compile(
    r'title="[^"]*" class="md-\w+__button md-logo"'
    r'|class="md-footer__link [^"]*" aria-label="[^"]*"'
)
#: The heading of a column of links, which screen readers should not announce.
_NO_HEADING = re.compile(r"<th(?: scope=\"col\")?(?: class=\"num\")?></th>")
_ARTICLE = '<article class="md-content__inner'

#: Where the search goes.
_END_OF_HEADER = re.compile(
    r"<(?:div class=\"md-header__source\">\s*</div>\s*</nav>|/nav>)\s*</header>"
)
_SEARCH = (
    '<form class="find" role="search" data-root="{up}"><input type="search" name="q" '
    'aria-label="Search" placeholder="Search" autocomplete="off" spellcheck="false"></form>'
)
_OF_TABS = re.compile(r"<script>var (?:tabs=__md_get|target=document).*?</script>\s*", re.DOTALL)
_NEIGHBOURS = re.compile(r'<nav class="md-footer__inner.*?</nav>\s*', re.DOTALL)
_SETTINGS = re.compile(r'(<script id="__config" type="application/json">)(.*?)(</script>)')
_ESCAPED = {"&#123;": "{", "&#125;": "}", "&#126;": "~"}
#: Elements around the line at the end, which has a style of its own.
_FOOT = re.compile(
    r'<div class="md-footer-meta md-typeset">\s*<div class="md-footer-meta__inner md-grid">\s*'
    r'<div class="md-copyright">\s*<div class="md-copyright__highlight">\s*'
    r"((?:(?!<div|</div>).)*?)\s*(?:</div>\s*){4}",
    re.DOTALL,
)
_OF_PATH = re.compile(r' class="md-path__(?:list|item|link)"')
_UNUSED = ("search", "annotate", "tags", "version")
#: Parts needed only for folding lists; the lists are short by now.
_ORNAMENT = (
    (re.compile(r'<span class="md-ellipsis">\s*([^<]*?)\s*</span>'), r"\1"),
    (
        re.compile(r'(<a [^>]*class="md-nav__link"[^>]*>[^<]*)<span class="md-nav__icon md-icon">'),
        r"\1<span hidden>",
    ),
    (re.compile(r"\s*<span hidden></span>"), ""),
    (re.compile(r" md-nav__item--pruned md-nav__item--nested"), ""),
    (re.compile(r">\n<"), "><"),
    (re.compile(r">\n([^<]*?)\n<"), r">\1<"),
    (re.compile(r'(class="md-nav__link) "'), r'\1"'),
)
_LISTS = re.compile(
    r'<nav class="md-(?:tabs|nav md-nav--primary|nav md-nav--secondary|path)\b.*?'
    r'(?=<main|<div class="md-sidebar md-sidebar--secondary"|<div class="md-content"|<article)',
    re.DOTALL,
)


def slim(page: str) -> str:
    """Remove the indentation and blank lines of the templates; literal text stays."""
    parts, end = [], 0
    for literal in _LITERAL.finditer(page):
        parts += [_lines(page[end : literal.start()]), literal[0]]
        end = literal.end()
    text = "".join((*parts, _lines(page[end:]))).strip() + "\n"
    for nameless, named in _NAMES.items():
        text = text.replace(nameless, named, 1)
    return text


def _lines(text: str) -> str:
    """The text without blanks around its line breaks; an expression would try each character."""
    first, *others = text.split("\n")
    if not others:
        return text
    inner = filter(None, map(str.strip, others[:-1]))
    return "\n".join((first.rstrip(), *inner, others[-1].lstrip()))


def has_path(page: str) -> bool:
    """Return whether a page shows its path, or does not have the site's frame at all."""
    return _PATH.search(page) is not None or _ARTICLE not in page


def lend(page: str, index: str) -> str:
    """Give a page the tabs, navigation and path of its folder's index."""
    path = _PATH.search(index)
    if path is None:
        return page
    for part in (_TABS, _NAVIGATION):
        lent, own = part.search(index), part.search(page)
        if lent and own:
            page = page[: own.start()] + lent[0] + page[own.end() :]
    return page.replace(_ARTICLE, f"{path[0]}\n{_ARTICLE}", 1)


def framed(page: str, depth: int) -> str:
    """Put a page into its frame, `depth` folders below the root: add the search, remove unused
    parts."""
    up = "../" * depth
    search = _SEARCH.format(up=up)
    page = _END_OF_HEADER.sub(lambda end: search + "</nav></header>", page, count=1)
    if 'class="tabbed-set' not in page:
        page = _OF_TABS.sub("", page)
    if depth > 1:  # readers look up pages of a book rather than read them in order
        page = _NEIGHBOURS.sub("", page)
    page = _FOOT.sub(r"<p>\1</p>", page)
    page = _PATH.sub(lambda path: _OF_PATH.sub("", path[0]), page)
    page = _ESCAPED_TWICE.sub(lambda twice: twice[0].replace("&amp;", "&"), page)
    for sign, instead in _ESCAPED.items():  # escapes that only Markdown needed
        page = page.replace(sign, instead)
    page = _SETTINGS.sub(_fewer, page)
    page = _NO_HEADING.sub("<td></td>", page)
    page = _LISTS.sub(lambda lists: _plain(lists[0]), page)
    return _LIST.sub(r'\1aria-label="\3"\2', page)


def _fewer(settings: re.Match[str]) -> str:
    """The theme's script settings without those for features that the site lacks."""
    every: Mapping[str, object] = json.loads(settings[2])
    kept = {name: value for name, value in every.items() if name not in _UNUSED}
    words = kept.get("translations")
    if isinstance(words, dict):
        kept["translations"] = {k: v for k, v in words.items() if k.startswith("clipboard")}
    return settings[1] + json.dumps(kept, separators=(",", ":")) + settings[3]


@lru_cache(maxsize=256)  # the pages of a folder have the same
def _plain(text: str) -> str:
    for ornament, instead in _ORNAMENT:
        text = ornament.sub(instead, text)
    return text
