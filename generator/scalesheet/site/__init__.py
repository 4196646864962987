"""The site stage: a folder of Markdown pages becomes a finished static site.

`build_site` reads top to bottom as the whole stage. The generator (Material for MkDocs, or
Zensical) turns the pages into HTML in a workspace of its own. What it leaves behind is then made
fit to publish: a strict Content-Security-Policy in each page, nothing that differs from one build
to the next, and a check that no page asks the network for anything and that every link holds.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from scalesheet.site.check import check_site
from scalesheet.site.generate import Engine, generate, hasten, prepare
from scalesheet.site.harden import harden
from scalesheet.site.search import entries, index, write_index
from scalesheet.site.texts import page_texts, write_texts
from scalesheet.site.theme import theme_of

__all__ = ["Engine", "SiteReport", "build_site"]


@dataclass(frozen=True)
class SiteReport:
    """What came of a build. The site is fit to publish when there are no problems."""

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

    `config` is the mkdocs.yml, which both engines read; its `docs_dir` and `site_dir` give way to
    `pages` and `out`. `files` maps a place in the site to a file or folder that belongs there
    (`{"api": Path("build/api")}`), so that pages can link to it and the links are checked.
    `plain` holds, by the same paths, plainer Markdown to publish beside pages full of HTML.
    `foot` is a line of plain text at the end of each page.

    Where the generator made no site at all, `out` is left as it was.
    """
    # Beside `out`: where that lies in a stage, what a killed build leaves is swept with it.
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="site-", dir=out.parent) as folder:
        workspace = Path(folder)

        # The generator sees copies only, at the same relative places whatever the machine.
        prepare(workspace, pages, config, files or {}, foot)
        if engine == "mkdocs":
            hasten(workspace)
        problems = generate(workspace, engine, cwd=config.resolve().parent)
        site = workspace / "site"
        if not site.is_dir():
            return SiteReport(0, problems)

        # Nothing may change the pages after this: the policy holds hashes of what is in them.
        settings = yaml.safe_load(config.read_text("utf-8"))
        theme = theme_of(settings, engine, config.resolve().parent)
        documents = harden(site, theme, str(settings.get("site_url") or ""))
        write_index(site, index(entries(site, pages)))
        write_texts(site, page_texts(pages, plain), config)
        problems += check_site(site, documents, theme)

        if out.exists():
            shutil.rmtree(out)
        shutil.move(site, out)
    return SiteReport(sum(1 for _ in out.rglob("*.html")), problems)
