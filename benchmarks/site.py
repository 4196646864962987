"""The weight of the site; its build and `scalesheet check`, compared with a plain `mkdocs build`.

Weights are in kilobytes as published, uncompressed. The largest pages are those of plans, which
have every figure of a plan and its origin; the median is that of the other pages. The search index
loads only when somebody searches.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterable
from pathlib import Path

from benchmarks.measure import ROOT, Ratio, report, run, workspace
from scalesheet.build import documents
from scalesheet.commands.parser import parser
from scalesheet.examine import sound_edition
from scalesheet.render.api.write import write_api
from scalesheet.site.generate import prepare

MOST_CHECK = 0.5  # of plain mkdocs
MOST_SITE = 1.5  # of plain mkdocs, goal 1.2: the stage copies, hardens and checks what it builds
MOST_PAGE = 60.0  # KB, the median
MOST_PAGES = 35_000.0  # KB, all pages together
MOST_INDEX = 1_000.0  # KB
MOST_SCRIPTS = 150.0  # KB of our own on any page, except the formulas of a plan
OWN_SCRIPTS = (
    "assets/site.js",
    "assets/search.js",
    "book/assets/live.js",
    "book/assets/runtime.js",
)


def measure() -> list[Ratio]:
    """Build the site with our stage and with mkdocs alone, and check the book without a cache."""
    with workspace() as folder:
        config = pages_of(folder)
        plain = run([sys.executable, "-m", "mkdocs", "build", "-q", "-f", config]).seconds
        ours = run([sys.executable, "-c", STAGE, config.parent, folder / "site"]).seconds
        check = run([sys.executable, "-m", "scalesheet", "check"]).seconds
        return [
            Ratio(
                "check / mkdocs build",
                check / plain,
                MOST_CHECK,
                f"{check:.1f} s against {plain:.1f} s of processor time, once each",
            ),
            Ratio(
                "site stage / mkdocs build",
                ours / plain,
                MOST_SITE,
                f"{ours:.1f} s against {plain:.1f} s of processor time, once each",
            ),
            *_weights(folder / "site"),
        ]


def pages_of(folder: Path) -> Path:
    """Lay out the pages for the site generator, with the files beside them; return their
    mkdocs.yml.

    Workbooks, which it only copies, are empty.
    """
    edition, _ = sound_edition(ROOT / "data")
    made = folder / "made"
    books = made / "workbooks"
    books.mkdir(parents=True)
    for plan in edition.book.plans:
        (books / f"{plan}.xlsx").touch()
    pages = documents(edition, made, ROOT, parser())
    write_api(edition, made / "api", pages=True)
    files = {"api": made / "api", "workbooks": books}
    prepare(folder / "pages", pages, ROOT / "mkdocs.yml", files)
    return folder / "pages" / "mkdocs.yml"


#: The site stage alone, on the pages that mkdocs gets.
STAGE = """
import sys
from pathlib import Path
from scalesheet.site import build_site
pages, out = map(Path, sys.argv[1:])
report = build_site(pages / "docs", out, config=Path("mkdocs.yml"))
assert report.problems == (), report.problems[:3]
"""


def _weights(site: Path) -> list[Ratio]:
    pages = {page.relative_to(site): _kilobytes([page]) for page in site.rglob("*.html")}
    largest = max(pages, key=lambda page: pages[page])
    count = f"{len(pages):,} pages, the largest {largest} with {pages[largest]:,.0f} KB"
    index = site / "search" / "index.js"
    own = [site / script for script in OWN_SCRIPTS if (site / script).is_file()]
    named = ", ".join(f"{script.name} {_kilobytes([script]):.0f}" for script in own)
    return [
        Ratio("KB of a page, the median", statistics.median(pages.values()), MOST_PAGE, count),
        Ratio("KB of all pages", sum(pages.values()), MOST_PAGES, "as HTML"),
        Ratio("KB of the search index", _kilobytes([index]), MOST_INDEX, index.name),
        Ratio("KB of our own scripts", _kilobytes(own), MOST_SCRIPTS, named),
    ]


def _kilobytes(files: Iterable[Path]) -> float:
    return sum(file.stat().st_size for file in files) / 1000


if __name__ == "__main__":
    raise SystemExit(report("site", measure()))
