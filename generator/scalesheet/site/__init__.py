"""The site stage: turns a folder of Markdown pages into a finished static site.

`build_site` is the whole stage, top to bottom. The generator (Material for MkDocs, or Zensical)
turns the pages into HTML in a temporary workspace. The result is then made ready to publish: each
page gets a strict Content-Security-Policy, everything that differs between builds is removed, and a
check makes sure that no page loads anything from the network and that every link works.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import yaml

from scalesheet.frozen import dataclass
from scalesheet.site.check import check_site
from scalesheet.site.compact import compact_pages
from scalesheet.site.generate import Engine, generate, hasten, prepare
from scalesheet.site.harden import harden
from scalesheet.site.search import entries, index, write_index
from scalesheet.site.texts import page_texts, write_texts
from scalesheet.site.theme import theme_of

__all__ = ["Engine", "SiteReport", "build_site"]


@dataclass(frozen=True)
class SiteReport:
    """The result of a build. The site may be published if there are no problems."""

    pages: int
    """Number of HTML pages in the site."""
    problems: tuple[str, ...]
    """`page: finding`, the generator's own first, then ours in the order of the pages."""


def build_site(
    pages: Path,
    out: Path,
    *,
    config: Path,
    engine: Engine = "mkdocs",
    files: Mapping[str, Path] | None = None,
    plain: Path | None = None,
    foot: str = "",
) -> SiteReport:
    """Build the site of the Markdown below `pages` into `out`, which is replaced.

    `config` is the mkdocs.yml, which both engines read; `pages` and `out` override its `docs_dir`
    and `site_dir`. `files` maps a place in the site to a file or folder that belongs there
    (`{"api": Path("build/api")}`), so that pages can link to it and the links are checked. `plain`
    has plainer Markdown for some pages, under the same paths, to publish beside them. `foot` is a
    line of plain text at the end of each page.

    If the generator made no site at all, `out` stays as it was.
    """
    # Beside `out`: if that is in a stage, leftovers of a killed build are removed with it.
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="site-", dir=out.parent) as folder:
        workspace = Path(folder)

        # The generator sees only copies, at the same relative paths on every machine.
        prepare(workspace, pages, config, files or {}, foot)
        if engine == "mkdocs":
            hasten(workspace)
        problems = generate(workspace, engine, cwd=config.resolve().parent)
        site = workspace / "site"
        if not site.is_dir():
            return SiteReport(0, problems)

        # Scripts and styles must not change after this, because the policy has their hashes.
        settings = yaml.safe_load(config.read_text("utf-8"))
        theme = theme_of(settings, engine, config.resolve().parent)
        documents = harden(site, theme, str(settings.get("site_url") or ""))
        write_index(site, index(entries(site, pages)))
        write_texts(site, page_texts(pages, plain), config)
        problems += check_site(site, documents, theme)
        compact_pages(site)

        if out.exists():
            shutil.rmtree(out)
        shutil.move(site, out)
    return SiteReport(sum(1 for _ in out.rglob("*.html")), problems)
