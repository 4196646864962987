"""The site of a book without mkdocs.yml uses the program's settings, styles and front page."""

from __future__ import annotations

from pathlib import Path

import pytest
from sample_site import lists_of

from scalesheet.build import build
from small import lay

pytestmark = pytest.mark.usefixtures("few_pages")


def test_a_book_alone_is_enough_for_a_site(tmp_path: Path) -> None:
    data = lay(tmp_path, {})
    made = build(data, tmp_path / "build")
    assert made.site is not None
    front = (made.site / "index.html").read_text("utf-8")
    assert "<title>" in front
    assert "book/plans/small.html" in front
    assert ".md-path" in (made.site / "assets" / "style.css").read_text("utf-8")
    assert not (made.site / "assets" / "site.css").exists(), "it is in the joined sheet"
    assert not (tmp_path / "docs").exists(), "nothing is put beside the data"
    assert sorted(path.name for path in made.out.iterdir()) == [".stamp.json", "site", "workbooks"]
    again = build(data, tmp_path / "build")
    assert (again.pages, again.edition_hash) == (made.pages, made.edition_hash)


def test_own_pages_are_included(tmp_path: Path) -> None:
    data = lay(tmp_path, {})
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "rules.md").write_text("# How we plan\n\nTogether.\n")
    made = build(data, tmp_path / "build")
    assert made.site is not None
    assert "Together." in (made.site / "rules.html").read_text("utf-8")
    assert "How we plan" in lists_of(made.site / "index.html"), "it is in the navigation"
