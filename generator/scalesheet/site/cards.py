"""Link previews: the title, description and picture shown where people share a page.

The picture (Open Graph) has the page's title and first figures, in one color, so that it takes only
a few kilobytes. It is drawn from the finished page, without a browser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html import escape, unescape
from itertools import islice
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from scalesheet.frozen import dataclass

#: Pages that have one: the front page, and those of plans, models and accelerators.
_KINDS = re.compile(r"index\.html|book/(?:plans|models|hardware)/(?!index\.)[^/]+\.html")
FOLDER = "assets/cards"
FRONT = "index.html"
SIZE = (600, 315)  # the smallest size that is shown large
MARGIN = 36
FIGURES = 3
_INK = (18, 52, 110)  # shades of one color keep the file small and fast to draw
_SHADES = 3
_FULL, _MUTED = 255, 170
_PALETTE = [
    round(255 - (255 - channel) * shade / (_SHADES - 1))
    for shade in range(_SHADES)
    for channel in _INK
]

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
    figures: tuple[tuple[str, str], ...]
    """Label and value of each."""


def has_card(name: str) -> bool:
    """Return whether the page at this path in the site has a card."""
    return _KINDS.fullmatch(name) is not None


def card_of(page: str) -> Card | None:
    """The card of a finished page; None if it has only a title."""
    title, lead = _TITLE.search(page), _LEAD.search(page)
    every = ((_words(each["label"]), _words(each["value"])) for each in _FIGURE.finditer(page))
    figures = tuple(islice(every, FIGURES))
    told = _words(lead[1]) if lead else "; ".join(f"{label}: {value}" for label, value in figures)
    return Card(_words(title[1]), _cut(told), figures) if title and told else None


def tags(card: Card, picture: str, address: str) -> str:
    """The head elements for a card.

    `picture` is the path of the picture from the top of the site, `address` the site's URL, if
    known.
    """
    properties = {
        "og:type": "website",
        "og:title": card.title,
        "og:image": f"{address}{picture}",
        "og:image:alt": card.title,
        "twitter:card": "summary_large_image",
    }
    return "".join(
        f'<meta property="{name}" content="{escape(text)}">' for name, text in properties.items()
    )


def put_card(site: Path, name: str, page: str, address: str) -> str:
    """Add its card to a page, and write the picture below the site; other pages stay unchanged."""
    card = card_of(page) if has_card(name) else None
    if card is None:
        return page
    picture = _picture_of(site, name, card)
    way = f"{address.rstrip('/')}/" if address else "../" * name.count("/")
    page = _DESCRIPTION.sub("", page, count=1)
    names = 'name="description" property="og:description"'  # one element can be both
    about = f'<meta {names} content="{escape(card.description)}">'
    return page.replace("</head>", f"{about}{tags(card, picture, way)}</head>", 1)


def _picture_of(site: Path, name: str, card: Card) -> str:
    """The path of a page's picture; a page without figures uses that of the front page."""
    own = name if card.figures else FRONT
    file = own.removeprefix("book/").replace("/", "-").replace(".html", ".png")
    if own == name:
        (site / FOLDER).mkdir(parents=True, exist_ok=True)
        draw(card).save(site / FOLDER / file, bits=2, compress_level=8)
    return f"{FOLDER}/{file}"


def draw(card: Card) -> Image.Image:
    """Draw the picture: the title on at most two lines, the figures below."""
    image = Image.new("L", SIZE, 0)
    pen = ImageDraw.Draw(image)
    width, height = SIZE
    pen.rectangle((0, 0, 10, height), fill=_FULL)
    top = MARGIN - 6
    for line in list(_lines(card.title, 32, width - 2 * MARGIN))[:2]:
        pen.text((MARGIN, top), line, _FULL, _font(32))
        top += 42
    for row, (label, value) in enumerate(card.figures):
        base = 164 + 44 * row
        shown = _fitting(value, 30, width / 2)
        pen.text((MARGIN, base), shown, _FULL, _font(30), anchor="ls")
        left = MARGIN + _font(30).getlength(shown) + 14
        rest = _fitting(label, 18, width - MARGIN - left)
        pen.text((left, base), rest, _MUTED, _font(18), anchor="ls")
    if not card.figures:
        for row, line in enumerate(list(_lines(card.description, 18, width - 2 * MARGIN))[:4]):
            pen.text((MARGIN, 130 + 26 * row), line, _MUTED, _font(18))
    pen.text((width - 20, height - 16), "scalesheet", _MUTED, _font(14), anchor="rs")
    shaded = image.point([round(level * (_SHADES - 1) / 255) for level in range(256)])
    shaded.putpalette(_PALETTE)
    return shaded


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont)
    return font


def _lines(text: str, size: int, room: float) -> Iterator[str]:
    """Yield lines no wider than the room, broken at spaces."""
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and _font(size).getlength(longer) > room:
            yield _fitting(line, size, room)
            longer = word
        line = longer
    yield _fitting(line, size, room)


def _fitting(text: str, size: int, room: float) -> str:
    """A text, truncated if it is wider than the room."""
    if _font(size).getlength(text) <= room:
        return text
    while text and _font(size).getlength(f"{text}…") > room:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _words(markup: str) -> str:
    return " ".join(unescape(_UNSEEN.sub("", markup)).split())


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rsplit(' ', 1)[0]} …"
