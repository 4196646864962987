"""Makes a generated site ready to publish: a strict policy in each page, reproducible bytes."""

from __future__ import annotations

import base64
import hashlib
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from urllib.parse import urlsplit

from scalesheet.forks import spread
from scalesheet.site.cards import put_card
from scalesheet.site.check import LOST
from scalesheet.site.document import Document, read_document
from scalesheet.site.frame import framed, has_path, lend, slim
from scalesheet.site.shared import Shared
from scalesheet.site.theme import NO_THEME, Theme

# Files that the generators write and the site does not need.
_NEEDLESS = (
    "sitemap.xml",  # dated, and empty without a site_url
    "sitemap.xml.gz",
    "**/*.map",
    "assets/javascripts/lunr/**/*.js",  # of the theme's search, which ours replaces
    "assets/javascripts/workers/*.js",
    "assets/readme-*.png",  # of the repository's front page
)
_NEEDLESS_TAGS = re.compile(
    # with the whole line; it is slow to start an expression with blanks
    r"""<meta\s+(?:name="generator"|charset=)[^>]*>\s*"""
    # Browsers may prefetch these two, and report that the policy blocks them.
    r"""|<link\s+rel="(?:prev|next)"[^>]*>\s*"""
)
FEED = "api/v1/changes.atom"
#: The only script that starts a worker (`render/live/sure`).
_WORKS = "assets/sure.js"
_DESCRIPTION = re.compile(r'<meta name="description"[^>]*>')
_HEAD = re.compile(r"<head[^>]*>", re.IGNORECASE)


def harden(site: Path, theme: Theme = NO_THEME, address: str = "") -> dict[str, Document]:
    """Put the policy into every page below `site` and remove what is dated or useless.

    The policy allows the inline scripts and styles of the theme, and no others. `address` is where
    the site will be published, if known: a server shows the page for missing pages at any depth.
    Returns the contents of each page by its path: pages are large, so they are read once.
    """
    for pattern in _NEEDLESS:
        for path in site.glob(pattern):
            path.unlink()

    lost = site / LOST
    root = urlsplit(address).path.rstrip("/") + "/" if address else ""
    if lost.is_file():
        lost.write_text(_found(lost.read_text("utf-8"), root), "utf-8", newline="")

    pages = sorted(site.rglob("*.html"))
    # The index of each folder, read before it is hardened itself.
    indexes = {each: _slim(each) for each in pages if each.name == "index.html"}
    shared, followed = Shared(site), dict[str, tuple[str, ...]]()
    said = _DESCRIPTION.search(indexes.get(site / "index.html", ""))

    def hardened(page: Path) -> Document:
        name, lists = page.relative_to(site).as_posix(), ""
        depth = name.count("/")
        index = indexes.get(page.parent / "index.html", "")
        text = framed(_framed(page, index), depth)
        if page == lost:  # a server shows it at any depth
            text = shared.lost(text, root)
        else:
            text, lists = shared.light(text, depth)
        if said and name != "index.html":  # of the site, so it says nothing about the page
            text = text.replace(said[0], "", 1)
        text = put_card(name, text)
        document = read_document(text)
        if lists not in followed:
            followed[lists] = read_document(lists).follows
        # their links are checked in the file that has them
        document = replace(document, follows=(*document.follows, *followed[lists]))
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

    # Before the others, in this process: the page that decides what all pages share, and the 404
    # page, which sorts before it.
    begin = [hardened(page) for page in pages[1::-1]][::-1]
    with spread(hardened, pages[2:]) as others:
        names = [page.relative_to(site).as_posix() for page in pages]
        documents = dict(zip(names, begin + others(), strict=True))
    shared.remove_joined(set(chain(*(_loaded(*each) for each in documents.items()))))
    return documents


def _loaded(name: str, document: Document) -> Iterator[str]:
    """Yield the paths of the site's files that a page loads."""
    for address in document.loads:
        yield posixpath.normpath(posixpath.join(posixpath.dirname(name), urlsplit(address).path))


_FROM_ROOT = re.compile(r'((?:href|src)=")/(?!/)')
_LOST = re.compile(r"(<article\b[^>]*>).*?(?=</article>)", re.DOTALL)
_LOST_TEXT = (
    '<h1 id="__skip">Page not found</h1>'
    "<p>It may have been renamed. Search for it above, or start at the "
    '<a href="/index.html">front page</a>.</p>'
)


def _found(page: str, root: str) -> str:
    """Fix the theme's page for missing pages, so that it works from the top of the site.

    With a known `root`, it works from anywhere below.
    """
    page = _LOST.sub(lambda article: article[1] + _LOST_TEXT, page)
    return _FROM_ROOT.sub(rf"\1{root}", page)


def _framed(page: Path, index: str) -> str:
    """The text of a page in its own frame, or in that of its folder's index."""
    if page.name == "index.html":
        return index
    text = _slim(page)
    return text if has_path(text) else lend(text, index)


def _slim(page: Path) -> str:
    """The text of a page without unneeded parts."""
    return _NEEDLESS_TAGS.sub("", slim(page.read_text(encoding="utf-8")))


def first_of_head(content: str) -> str:
    """The policy, before anything that it should govern.

    Only the encoding comes before it: browsers look for that only in the first 1,024 bytes.
    """
    return f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{content}">'


def feed_link(site: Path, page: Path) -> str:
    """A link to the feed, for feed readers; empty if the site has none.

    The front page and the index of each folder have it.

    Material's script takes a lone `rel="alternate"` for a translation and would fetch its pages; a
    second word prevents that.
    """
    if page.name != "index.html" or not (site / FEED).is_file():
        return ""
    up = "../" * (len(page.relative_to(site).parts) - 1)
    # "feed" as well, since the themes take a bare "alternate" for a translation of the site
    kind = 'rel="alternate feed" type="application/atom+xml"'
    return f'<link {kind} title="Changes to the data" href="{up}{FEED}">'


def policy(document: Document, styles: Iterable[str] = ()) -> str:
    """The Content-Security-Policy of one page: only its own resources.

    It allows the inline scripts and styles of `document`, and `styles`, the texts of <style>
    elements that its scripts add. Browsers differ on whether 'self' covers other files when a page
    is opened from file:// (Chromium: yes), hence the scheme; for a page from a server it allows
    nothing.
    """
    own = ("'self'", "file:")
    works = any(each.endswith(_WORKS) for each in document.loads)
    return "; ".join(
        " ".join(directive)
        for directive in (
            ("default-src", "'none'"),
            ("script-src", *own, *_hashes(document.scripts)),
            ("style-src", *own, *_hashes((*document.styles, *styles))),
            ("img-src", *own, "data:"),
            ("connect-src", "'self'"),  # what `serve` adds asks whether the site was built again
            # a worker's script, made of the page's functions
            ("worker-src", "'self'", "blob:") if works else (),
            ("base-uri", "'none'"),
            ("form-action", "'none'"),
        )
        if directive
    )


def _hashes(texts: Iterable[str]) -> list[str]:
    """Sorted and unique. Browsers normalize newlines before hashing."""
    digests = {
        hashlib.sha256(text.replace("\r\n", "\n").replace("\r", "\n").encode()).digest()
        for text in texts
    }
    return sorted(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
