"""What changed in the data, as JSON and as an Atom feed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from scalesheet.book import Book
from scalesheet.render.api.values import Object, source_json, value_json, without_blanks
from scalesheet.render.history import SORTS, Event, events

JSON, FEED = "changes.json", "changes.atom"
MOST_IN_FEED = 100
#: Sources are checked by the hundred, which would bury the numbers that people follow.
NOT_IN_FEED = frozenset({"source"})
#: From the feed to the root of the site.
ROOT = "../../"
#: The year of our tag URIs (RFC 4151); it must never change.
TAG_YEAR = "2026"
_IN_TAGS = "/:@!$&'()*+,;=-._~"
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")


def changes_json(book: Book) -> Object:
    """Return every dated entry, newest first."""
    return {
        "edition": book.edition.isoformat(),
        "as_of": book.as_of.isoformat(),
        "changes": [_change(event) for event in events(book)],
    }


def _change(event: Event) -> Object:
    quantity = event.quantity
    old, new = (
        None if quantity is None or value is None else value_json(value, quantity)
        for value in (event.before, event.after)
    )
    data: Object = {
        "day": event.day,
        "sort": event.sort,
        "id": event.id,
        "title": event.title,
        "of": {"collection": event.folder, "id": event.page},
        "told": event.change,
        "old": old,
        "new": new,
        "why": event.why,
        "source": source_json(event.citation),
    }
    return without_blanks(data)


def changes_feed(book: Book, *, pages: bool, site_url: str = "") -> str:
    """Return the newest entries as Atom (RFC 4287), except those about sources.

    Links are relative to the feed unless `site_url` is given. Timestamps come from the entries,
    never from a clock, so that a rebuild gives the same bytes.
    """
    listed = [event for event in events(book) if event.sort not in NOT_IN_FEED][:MOST_IN_FEED]
    newest = listed[0].day if listed else book.edition.isoformat()
    base = f" xml:base={quoteattr(_address(site_url))}" if site_url else ""
    page = f"{ROOT}book/changes/index.html" if pages else JSON
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<feed xmlns="http://www.w3.org/2005/Atom"{base}>',
        f"  <id>{_text(_tag(book, site_url, 'changes'))}</id>",
        f"  <title>{_text(f'{book.title}: changes of the data')}</title>",
        f"  <updated>{_moment(newest)}</updated>",
        f"  <author><name>{_text(book.title)}</name></author>",
        f'  <link rel="self" type="application/atom+xml" href="{FEED}"/>',
        f'  <link rel="alternate" type="text/html" href="{page}"/>'
        if pages
        else f'  <link rel="alternate" type="application/json" href="{page}"/>',
        *(line for event in listed for line in _entry(book, event, pages, site_url)),
        "</feed>",
    ]
    return "\n".join(lines) + "\n"


def _entry(book: Book, event: Event, pages: bool, site_url: str) -> Iterator[str]:
    place = f"book/{event.folder}/{event.page}.html" if pages else ""
    yield "  <entry>"
    yield f"    <id>{_text(_tag(book, site_url, event.id))}</id>"
    yield f"    <title>{_text(f'{event.title}: {event.change}')}</title>"
    yield f"    <updated>{_moment(event.day)}</updated>"
    if place:
        yield f'    <link rel="alternate" type="text/html" href={quoteattr(ROOT + place)}/>'
    yield f"    <category term={quoteattr(event.sort)} label={quoteattr(SORTS[event.sort][0])}/>"
    text = ". ".join(part.rstrip(".") for part in (event.change, event.why) if part)
    yield f'    <content type="text">{_text(text)}</content>'
    yield "  </entry>"


def _tag(book: Book, site_url: str, id: str) -> str:
    """Return a permanent tag URI, made from the address of the repository or of the site."""
    host, path = "scalesheet.invalid", ""
    if match := re.match(r"https?://([^/?#:@]+)(?::\d+)?/?([^?#]*)", book.url or site_url):
        host, path = match[1].lower(), match[2].strip("/")
    specific = "/".join(part for part in (path, id) if part)
    return f"tag:{host},{TAG_YEAR}:{quote(specific, safe=_IN_TAGS)}"


def _address(site_url: str) -> str:
    """Return the URL of the feed's folder."""
    return f"{site_url.rstrip('/')}/api/v1/"


def _moment(day: str) -> str:
    return f"{day}T00:00:00Z"


def _text(words: str) -> str:
    return escape(_CONTROL.sub(" ", " ".join(words.split())))
