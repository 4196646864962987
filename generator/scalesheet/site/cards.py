"""Link previews: the title and the first figures of a page, shown where people share it."""

from __future__ import annotations

import re
from html import escape, unescape
from itertools import islice

from scalesheet.frozen import dataclass

#: Pages that have one: the front page, and those of plans, models and accelerators.
_KINDS = re.compile(r"index\.html|book/(?:plans|models|hardware)/(?!index\.)[^/]+\.html")
FIGURES = 3

_TITLE = re.compile(r"<h1\b[^>]*>(.*?)</h1>", re.DOTALL)
_LEAD = re.compile(r'<p class="lead">(.*?)</p>', re.DOTALL)
_FIGURE = re.compile(
    r'<p class="label">(?P<label>(?:(?!</p>).)*)</p>\s*<p class="value[^>]*>(?P<value>.*?)</p>',
    re.DOTALL,
)
_UNSEEN = re.compile(r'<a class="headerlink".*?</a>|<[^>]+>', re.DOTALL)
_DESCRIPTION = re.compile(r'<meta name="description"[^>]*>')
_LONGEST = 200  # characters of a description


@dataclass(frozen=True)
class Card:
    """The link preview of a page."""

    title: str
    description: str


def has_card(name: str) -> bool:
    """Return whether the page at this path in the site has a card."""
    return _KINDS.fullmatch(name) is not None


def card_of(page: str) -> Card | None:
    """The card of a finished page; None if it has only a title."""
    title, lead = _TITLE.search(page), _LEAD.search(page)
    every = ((_words(each["label"]), _words(each["value"])) for each in _FIGURE.finditer(page))
    figures = "; ".join(f"{label}: {value}" for label, value in islice(every, FIGURES))
    text = _words(lead[1]) if lead else figures
    return Card(_words(title[1]), _cut(text)) if title and text else None


def tags(card: Card) -> str:
    """The head elements for a card."""
    names = 'name="description" property="og:description"'  # one element can be both
    properties = {
        names: card.description,
        'property="og:type"': "website",
        'property="og:title"': card.title,
        'property="twitter:card"': "summary",
    }
    return "".join(f'<meta {key} content="{escape(text)}">' for key, text in properties.items())


def put_card(name: str, page: str) -> str:
    """Add its card to a page; pages that have none stay unchanged."""
    card = card_of(page) if has_card(name) else None
    if card is None:
        return page
    page = _DESCRIPTION.sub("", page, count=1)
    return page.replace("</head>", f"{tags(card)}</head>", 1)


def _words(markup: str) -> str:
    return " ".join(unescape(_UNSEEN.sub("", markup)).split())


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rsplit(' ', 1)[0]} …"
