"""The site of a book without mkdocs.yml uses the program's settings, styles and front page."""

from __future__ import annotations

from pathlib import Path

import pytest
from sample_site import lists_of

from scalesheet.build import build
from scalesheet.examine import compile_book
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.front.page import front_page, usual_case
from scalesheet.site.own import lay_out
from shipped import shipped
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


def test_the_front_page_of_an_extended_book_has_the_form_that_its_model_pages_link_to(
    tmp_path: Path,
) -> None:
    edition = shipped().edition
    assert edition is not None
    lay_out(tmp_path, usual_case(edition.book))
    written = (tmp_path / "index.md").read_text("utf-8")
    filled = front_page(Context(edition), written, "docs/index.md")
    assert not filled.problems
    assert "data-question" in filled.page
    assert f"\n# {edition.book.title}\n" in filled.page
    assert usual_case(compile_book(lay(tmp_path / "small", {}))) == {}
