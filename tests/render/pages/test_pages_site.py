"""The site generators build the pages with no warning, broken link or inline code."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import yaml

from render.pages.rendered import MKDOCS, write
from scalesheet.site import Engine, build_site

FOLDERS = (
    *("plans", "hardware", "providers", "offers", "models", "measurements", "tables"),
    *("formulas", "sources"),
)


@pytest.mark.parametrize("engine", ["mkdocs", "zensical"])
def test_the_pages_build_without_warnings_and_text_stays_text(
    engine: Engine, tmp_path: Path
) -> None:
    docs, out, config = (tmp_path / name for name in ("docs", "site", "mkdocs.yml"))
    shutil.copytree(MKDOCS.parent / "docs/assets", docs / "assets")
    (docs / "index.md").write_text("# Home\n", "utf-8")
    beside = [
        f"api/v1/{name}"
        for name in ("changes.json", "changes.atom", "plans/demo.json", "plans/demo.csv")
    ]
    for name in ("workbooks/demo.xlsx", *beside):
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
        (docs / name).write_bytes(b"stands beside the pages")
    write(docs / "book")
    settings = yaml.safe_load(MKDOCS.read_text("utf-8"))
    pages = [{name: f"book/{name}/index.md"} for name in FOLDERS]
    settings["nav"] = [{"Home": "index.md"}, *pages]
    config.write_text(yaml.safe_dump(settings), "utf-8")

    assert build_site(docs, out, config=config, engine=engine).problems == ()
    for page in out.rglob("*.html"):
        assert not re.search(r"<script>alert|<b>phase", page.read_text("utf-8")), page
