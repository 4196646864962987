"""`scalesheet check` of the whole book against `mkdocs build` of the site of the same book."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.measure import ROOT, Ratio, against, report, run, workspace
from scalesheet.build import build
from scalesheet.site.generate import prepare

LIMIT = 0.5


def measure(times: int = 3) -> list[Ratio]:
    """Both as processes, start-up included."""
    with workspace() as folder:
        site = pages_of(folder)
        ours, mkdocs = against(
            lambda: run([sys.executable, "-m", "scalesheet", "check"]).seconds,
            lambda: run([sys.executable, "-m", "mkdocs", "build", "-q", "-f", site]).seconds,
            times,
        )
    detail = f"{ours:.2f} s against {mkdocs:.2f} s, best of {times}"
    return [Ratio("check / mkdocs build", ours / mkdocs, LIMIT, detail)]


def pages_of(folder: Path) -> Path:
    """The pages as the site generator gets them, docs/book among them; their mkdocs.yml."""
    build(ROOT / "data", folder / "built")
    files = {name: folder / "built" / "site" / name for name in ("api", "workbooks")}
    prepare(folder / "pages", ROOT / "docs", ROOT / "mkdocs.yml", files)
    return folder / "pages" / "mkdocs.yml"


if __name__ == "__main__":
    raise SystemExit(report("check", measure()))
