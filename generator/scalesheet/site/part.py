"""Builds some pages of a site exactly as a full build would.

The generator gets these pages, and only the titles of other pages that it mentions. In the finished
pages, links to missing pages become plain text.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

import yaml

from scalesheet.site.check import check_site
from scalesheet.site.compact import compact_pages
from scalesheet.site.generate import generate, hasten, prepare
from scalesheet.site.harden import FEED, harden
from scalesheet.site.search import INDEX, entries, exchanged, index, read, write_index
from scalesheet.site.texts import FRONT_MATTER, page_texts, write_pages
from scalesheet.site.theme import theme_of

_LINK = re.compile(r"""(<a\b(?:[^>"']|"[^"]*"|'[^']*')*?)\s+href="([^"]*)\"""")
_HEADING = re.compile(r"^# .+$", re.MULTILINE)


def build_part(
    pages: Path,
    out: Path,
    kept: Path,
    *,
    config: Path,
    only: Collection[str],
    files: Mapping[str, Path],
    plain: Path,
    foot: str = "",
) -> tuple[str, ...]:
    """Build only the pages `only` of the Markdown below `pages` into `out`, and return problems.

    `kept` is the site that they will become part of, if there is one. The rest is as for
    `build_site`.
    """
    base = config.resolve().parent
    with tempfile.TemporaryDirectory(prefix="site-", dir=out.parent) as folder:
        workspace = Path(folder)
        feed = {FEED: kept / FEED} if (kept / FEED).is_file() else {}
        prepare(workspace, pages, config, {**files, **feed}, foot, whole=False)
        hasten(workspace, whole=False)
        problems = generate(workspace, "mkdocs", cwd=base)
        site = workspace / "site"
        if not site.is_dir():
            return problems

        finished = {page.replace(".md", ".html") for page in only}
        theme = theme_of(yaml.safe_load(config.read_text("utf-8")), "mkdocs", base)
        # the front page has the description of the site
        _without(site, finished | {_index(page) for page in finished} | {"index.html"})
        _relink(site, _files(site, finished) | _files(kept))
        documents = harden(site, theme)
        _without(site, finished)
        texts = page_texts(pages, plain)
        write_pages(site, {name: texts[name] for name in only if name in texts})
        known = _files(kept)
        documents = {name: each for name, each in documents.items() if name in finished}
        problems += check_site(site, documents, theme, known)
        _search(site, kept, pages, finished, known)
        compact_pages(site)
        shutil.move(site, out)
    return problems


def titles(pages: Path, kept: Path, config: Path) -> None:
    """Reduce pages to their titles, and add titles of the pages that the navigation has in
    `kept`."""
    for page in pages.rglob("*.md"):
        text = page.read_text("utf-8")
        front = FRONT_MATTER.match(text)
        page.write_text((front[0] if front else "") + _title(text, page), "utf-8")
    settings: dict[str, Any] = yaml.safe_load(config.read_text("utf-8"))
    for name in _named(settings.get("nav") or []):
        page, text_of = pages / name, kept / name
        if not page.is_file() and text_of.is_file():
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(_title(text_of.read_text("utf-8"), page), "utf-8")


def _title(text: str, page: Path) -> str:
    heading = _HEADING.search(text)
    return f"{heading[0] if heading else f'# {page.stem}'}\n"


def _named(entry: Any) -> Iterator[str]:
    """Yield every page of a navigation entry."""
    if isinstance(entry, str):
        yield entry
    else:
        for each in entry.values() if isinstance(entry, dict) else entry:
            yield from _named(each)


def _index(page: str) -> str:
    return posixpath.join(posixpath.dirname(page), "index.html")


def _files(site: Path, pages: Collection[str] | None = None) -> frozenset[str]:
    """The files of a site, but of its HTML pages only `pages`."""
    names = (path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file())
    return frozenset(n for n in names if pages is None or n in pages or not n.endswith(".html"))


def _without(site: Path, pages: Collection[str]) -> None:
    """Remove all pages except these."""
    for path in site.rglob("*.html"):
        if path.relative_to(site).as_posix() not in pages:
            path.unlink()


def _relink(site: Path, files: Collection[str]) -> None:
    """Turn links to missing files into plain text; links that the generator left get the page's
    path."""
    for path in site.rglob("*.html"):
        folder = path.relative_to(site).parent.as_posix()

        def led(link: re.Match[str], folder: str = folder) -> str:
            parts = urlsplit(link[2])
            if parts.scheme or parts.netloc or not parts.path or parts.path.startswith("/"):
                return link[0]
            page = re.sub(r"\.md$", ".html", parts.path)
            if posixpath.normpath(posixpath.join(folder, unquote(page))) not in files:
                return link[1]
            if page == parts.path:
                return link[0]
            return f'{link[1]} href="{urlunsplit(parts._replace(path=page))}"'

        text = path.read_text("utf-8")
        path.write_text(_LINK.sub(led, text), "utf-8", newline="")


def _search(
    site: Path, kept: Path, written: Path, pages: Collection[str], known: Collection[str]
) -> None:
    """Replace the entries of the pages in the search index; of the others, keep those in
    `known`."""
    own = [each for each in entries(site, written) if each.path in pages]
    old = read((kept / INDEX).read_text("utf-8")) if (kept / INDEX).is_file() else []
    write_index(site, index(exchanged([e for e in old if e.path in known], own, pages)))
