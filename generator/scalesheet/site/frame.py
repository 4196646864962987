"""The frame that the generator puts around each page: without its blank lines, and one for all.

A folder of very many pages is in the navigation by its index alone (`generate.MOST_LISTED`). Its
other pages would then say nowhere where they are, so they get tabs, navigation and path of that
index. Both lie in one folder, so every address in them holds for both.
"""

from __future__ import annotations

import re

# What is kept as it is: in all else a line is as good as many.
_LINES = re.compile(r"(<(pre|script|style|textarea)\b.*?</\2>)|\s*\n\s*", re.DOTALL)
_PATH = re.compile(r'<nav class="md-path".*?</nav>', re.DOTALL)
_TABS = re.compile(r'<nav class="md-tabs".*?</nav>', re.DOTALL)
_NAVIGATION = re.compile(
    r'<nav class="md-nav md-nav--primary.*?(?=<div class="md-sidebar md-sidebar--secondary")',
    re.DOTALL,
)
# What the themes leave without a name of its own, for those who hear the page.
_NAMES = {
    'data-md-component="search" role="dialog">': (
        'data-md-component="search" role="dialog" aria-label="Search">'
    ),
    '<nav class="md-path" aria-label="Navigation"': '<nav class="md-path" aria-label="Path"',
}
_ARTICLE = '<article class="md-content__inner'


def slim(page: str) -> str:
    """A page without the indents and blank lines of its templates; texts as written stay so."""
    text = _LINES.sub(lambda result: result[1] or "\n", page).strip() + "\n"
    for nameless, named in _NAMES.items():
        text = text.replace(nameless, named, 1)
    return text


def has_path(page: str) -> bool:
    """Whether a page says where it is, or is no page of the site's frame at all."""
    return _PATH.search(page) is not None or _ARTICLE not in page


def lend(page: str, index: str) -> str:
    """A page with tabs, navigation and path of its folder's index."""
    path = _PATH.search(index)
    if path is None:
        return page
    for part in (_TABS, _NAVIGATION):
        lent, own = part.search(index), part.search(page)
        if lent and own:
            page = page[: own.start()] + lent[0] + page[own.end() :]
    return page.replace(_ARTICLE, f"{path[0]}\n{_ARTICLE}", 1)
