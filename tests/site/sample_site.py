"""The sample site: build it, find its pages, and list requests for anything else."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from proof.browser import Visit
from scalesheet.site import Engine, SiteReport, build_site

ROOT = Path(__file__).parents[2]
PAGES = Path(__file__).parent / "pages"
ASSETS = ROOT / "docs" / "assets"


def write_pages(folder: Path) -> Path:
    """Write the sample's pages, and a plain page for every other one in the navigation."""
    shutil.copytree(PAGES, folder)
    for name in _named(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]):
        page = folder / name
        if not page.exists():
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(f"# {page.stem.title()}\n\nIts page.\n", encoding="utf-8")
    return folder


def _named(part: Any) -> Iterator[str]:
    """The pages in a part of the navigation."""
    if isinstance(part, str):
        yield part
    else:
        for each in part.values() if isinstance(part, dict) else part:
            yield from _named(each)


def build(out: Path, engine: Engine, pages: Path) -> SiteReport:
    """Build the sample pages with the project's own configuration, styles and scripts."""
    return build_site(
        pages, out, config=ROOT / "mkdocs.yml", engine=engine, files={"assets": ASSETS}
    )


@dataclass(frozen=True)
class Site:
    """A finished site: its folder, and its address on a server."""

    engine: Engine
    folder: Path
    report: SiteReport
    server: str

    def address(self, way: str, page: str) -> str:
        """The address of a page, opened from the `file` system or over `http`."""
        return f"{self.folder.as_uri() if way == 'file' else self.server}/{page}"

    def pages(self) -> list[str]:
        return sorted(p.relative_to(self.folder).as_posix() for p in self.folder.rglob("*.html"))

    def strangers(self, seen: Visit) -> list[str]:
        """Requests for anything but the site's own files."""
        own = (self.folder.as_uri(), self.server, "data:")
        return [url for url in seen.requests if not url.startswith(own)]

    def lists(self, page: str) -> str:
        """The tabs and navigation of a page, which it shares with others."""
        return lists_of(self.folder / page)


def lists_of(page: Path) -> str:
    """The tabs and navigation of a finished page, as markup, from the script that it loads."""
    found = re.search(r"<script src=([^ >]*assets/lists/[^ >]*)", page.read_text("utf-8"))
    assert found is not None, page
    calls = (page.parent / found[1]).read_text("utf-8").removeprefix("frameLists.tabs(")
    return "".join(json.loads(f"[{calls.rstrip().removesuffix(')')}]"))
