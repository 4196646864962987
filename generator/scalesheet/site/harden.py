"""Makes a generated site ready to publish: a strict policy in each page, reproducible bytes."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from scalesheet.forks import spread
from scalesheet.site.cards import put_card
from scalesheet.site.check import LOST
from scalesheet.site.document import Document, read_document
from scalesheet.site.frame import framed, has_path, lend, slim
from scalesheet.site.shared import Shared
from scalesheet.site.theme import NO_THEME, Theme

# What the generators write and the site is better without.
_NEEDLESS = (
    "sitemap.xml",  # dated, and empty without a site_url
    "sitemap.xml.gz",
    "**/*.map",
    "assets/javascripts/lunr/**/*.js",  # of the theme's search, in the place of which is our own
    "assets/javascripts/workers/*.js",
)
_NEEDLESS_TAGS = re.compile(
    # each with its line, which begins in the frame: an expression that begins with blanks is slow
    r"""<meta\s+(?:name="generator"|charset=)[^>]*>\s*"""
    # Browsers may prefetch these two, which the policy then refuses for all to see.
    r"""|<link\s+rel="(?:prev|next)"[^>]*>\s*"""
)
FEED = "api/v1/changes.atom"
_HEAD = re.compile(r"<head[^>]*>", re.IGNORECASE)


def harden(site: Path, theme: Theme = NO_THEME, address: str = "") -> dict[str, Document]:
    """Put the policy into every page below `site` and drop what is dated or useless.

    The policy allows the inline scripts and styles of the theme, and no others.
    `address` is where the site will stand, if that is known: a server shows the page for what it
    has not at any depth. Gives what is in each page, by its place in the site: pages are large, so
    they are read once.
    """
    for pattern in _NEEDLESS:
        for path in site.glob(pattern):
            path.unlink()

    lost = site / LOST
    if lost.is_file():
        lost.write_text(_found(lost.read_text("utf-8"), address), "utf-8", newline="")

    pages = sorted(site.rglob("*.html"))
    # The index of each folder, taken before it is itself hardened.
    indexes = {each: _slim(each) for each in pages if each.name == "index.html"}
    shared = Shared(site)

    def hardened(page: Path) -> Document:
        name, lists = page.relative_to(site).as_posix(), ""
        depth = name.count("/")
        index = indexes.get(page.parent / "index.html", "")
        text = framed(_framed(page, index), depth)
        if page != lost:  # which a server shows at any depth
            text, lists = shared.light(text, depth)
        text = put_card(site, name, text, address)
        document = read_document(text)
        listed = read_document(lists).follows  # where they stand their links are checked as well
        document = replace(document, follows=(*document.follows, *listed))
        head = _HEAD.search(text)
        if head:
            scripts, styles = document.scripts, document.styles
            own = replace(
                document, scripts=theme.own_scripts(scripts), styles=theme.own_styles(styles)
            )
            first = first_of_head(policy(own, theme.added)) + feed_link(site, page)
            text = text[: head.end()] + first + text[head.end() :]
        page.write_bytes(text.encode("utf-8"))
        return document

    # What all pages share is that of the first besides the lost one, which sorts before all.
    begin = [hardened(page) for page in pages[:2]]
    with spread(hardened, pages[2:]) as others:
        names = [page.relative_to(site).as_posix() for page in pages]
        return dict(zip(names, begin + others(), strict=True))


_FROM_ROOT = re.compile(r'((?:href|src)=")/(?!/)')
_LOST = re.compile(r"(<article\b[^>]*>).*?(?=</article>)", re.DOTALL)
_LOST_TEXT = (
    '<h1 id="__skip">Page not found</h1>'
    "<p>It may have been renamed. Search for it above, or start at the "
    '<a href="/index.html">front page</a>.</p>'
)


def _found(page: str, address: str) -> str:
    """The theme's page for what is not there, which works from the top of the site and, where its
    address is known, from anywhere below it."""
    root = urlsplit(address).path.rstrip("/") + "/" if address else ""
    page = _LOST.sub(lambda article: article[1] + _LOST_TEXT, page)
    return _FROM_ROOT.sub(rf"\1{root}", page)


def _framed(page: Path, index: str) -> str:
    """The text of a page in its frame, or else in that of its folder's index."""
    if page.name == "index.html":
        return index
    text = _slim(page)
    return text if has_path(text) else lend(text, index)


def _slim(page: Path) -> str:
    """The text of a page without what is needless."""
    return _NEEDLESS_TAGS.sub("", slim(page.read_text(encoding="utf-8")))


def first_of_head(content: str) -> str:
    """The policy, before anything that it should govern.

    Only the encoding comes before it: a browser looks for that in the first 1,024 bytes alone.
    """
    return f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{content}">'


def feed_link(site: Path, page: Path) -> str:
    """Where programs that follow changes find them; nothing where the site has no feed.

    Material's script takes `rel="alternate"` alone for another language, and would look for its
    pages over the network; with a second word it leaves the link to those whom it is for.
    """
    if not (site / FEED).is_file():
        return ""
    up = "../" * (len(page.relative_to(site).parts) - 1)
    # "feed" besides, since the themes take a bare "alternate" for a translation of the site
    kind = 'rel="alternate feed" type="application/atom+xml"'
    return f'<link {kind} title="Changes to the data" href="{up}{FEED}">'


def policy(document: Document, styles: Iterable[str] = ()) -> str:
    """The Content-Security-Policy of one page: what is its own, and nothing else.

    Whatever inline script and style `document` has is allowed. `styles` are the texts of <style>
    elements that its scripts add. Whether 'self' covers other files when a page is opened from
    file:// is each browser's choice (Chromium: yes), hence the scheme; for a page from a server it
    allows nothing.
    """
    own = ("'self'", "file:")
    return "; ".join(
        " ".join(directive)
        for directive in (
            ("default-src", "'none'"),
            ("script-src", *own, *_hashes(document.scripts)),
            ("style-src", *own, *_hashes((*document.styles, *styles))),
            ("img-src", *own, "data:"),
            ("connect-src", "'self'"),  # the search index, over http
            ("worker-src", "'self'", "blob:"),  # a page's own functions as the script of a worker
            ("base-uri", "'none'"),
            ("form-action", "'none'"),
        )
    )


def _hashes(texts: Iterable[str]) -> list[str]:
    """Sorted and without repetition. A browser hashes what it read, newlines made one kind."""
    digests = {
        hashlib.sha256(text.replace("\r\n", "\n").replace("\r", "\n").encode()).digest()
        for text in texts
    }
    return sorted(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
