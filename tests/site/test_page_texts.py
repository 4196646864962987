"""The site as plain text: Markdown files beside the pages, and llms.txt."""

from __future__ import annotations

import re
from pathlib import Path

from sample_site import Site

from scalesheet.site.texts import UNTOLD, llms_text, page_texts


def test_each_page_except_single_entries_has_markdown_beside_it(site: Site) -> None:
    pages = {p.relative_to(site.folder).with_suffix(".md") for p in site.folder.rglob("*.html")}
    beside = {p.relative_to(site.folder) for p in site.folder.rglob("*.md")}
    assert beside < pages
    assert {p.as_posix() for p in pages - beside} == {
        "404.md",
        *(p.as_posix() for p in pages if UNTOLD.fullmatch(p.as_posix())),
    }
    assert (site.folder / "changelog.md").read_text("utf-8").startswith("# Changelog\n")


def test_the_list_names_the_plans_and_links_to_pages(site: Site) -> None:
    text = (site.folder / "llms.txt").read_text("utf-8")
    assert text.startswith("# scalesheet\n\n> Compute plans as data")
    places = re.findall(r"^- \[[^\]]+\]\(([^)]+)\)", text, re.MULTILINE)
    assert "book/plans/study.md" in places
    assert "book/hardware/index.md" in places
    assert "book/hardware/h100.md" not in places
    assert [place for place in places if not (site.folder / place).is_file()] == []


def test_front_matter_is_left_out_and_no_snippet_is_inserted(tmp_path: Path) -> None:
    (tmp_path / "SECRET").write_text("secret")
    (tmp_path / "docs").mkdir()
    asks = f'--8<-- "{tmp_path}/SECRET"\n'
    (tmp_path / "docs" / "changelog.md").write_text(asks)
    (tmp_path / "docs" / "index.md").write_text("---\nhide: [toc]\n---\n# Home\n")
    texts = page_texts(tmp_path / "docs", None)
    assert texts == {"changelog.md": asks, "index.md": "# Home\n"}


def test_a_plainer_text_is_used_if_there_is_one(tmp_path: Path) -> None:
    for folder, text in (("docs", "<table>"), ("plain", "| a |")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.md").write_text(text)
    (tmp_path / "docs" / "b.md").write_text("b")
    texts = page_texts(tmp_path / "docs", tmp_path / "plain")
    assert texts == {"a.md": "| a |", "b.md": "b"}


def test_links_to_pages_without_a_text_go_to_the_pages(tmp_path: Path) -> None:
    (tmp_path / "book" / "hardware").mkdir(parents=True)
    (tmp_path / "book" / "hardware" / "h100.md").write_text("# H100\n")
    said = "[H](h100.md#m), [all](index.md), [guide](../../guide.md#a), `x.md`\n"
    (tmp_path / "book" / "hardware" / "index.md").write_text(said)
    assert page_texts(tmp_path, None) == {
        "book/hardware/index.md": said.replace("h100.md", "h100.html")
    }


def test_the_list_has_sections_with_a_note_for_each_page() -> None:
    texts = {
        "index.md": "# Home { #top }\n\nWhat [it](a.md) is. And more.\n",
        "architecture.md": "# Design\n\n| a |\n| - |\n",
        "book/plans/index.md": "# Plans\n",
        "book/plans/p.md": "# Plan P\n\nIts summary.\n\nMore.\n",
        "book/compare/index.md": "# Compare\n\nSide by side.\n",
        "book/compare/plans.md": "# Two plans\n",
        "book/reference/codes/index.md": "# Codes\n\nEach of them.\n",
        "book/reference/codes/a.md": "# A\n",
        "book/hardware/index.md": "# Hardware\n\nData: [JSON](x)\n\nCards.\n",
        "book/hardware/card.md": "# Card\n",
    }
    data = {"api/v1/index.json": ("Index", "everything")}
    assert llms_text("book", "A\n book.", texts, data) == (
        "# book\n\n> A book.\n\n"
        "## Plans\n\n- [Plan P](book/plans/p.md): Its summary.\n\n"
        "## Comparisons\n\n- [Compare](book/compare/index.md): Side by side.\n\n"
        "## Catalogue\n\n- [Hardware](book/hardware/index.md): Cards.\n\n"
        "## Data\n\n- [Index](api/v1/index.json): everything\n\n"
        "## Documentation\n\n- [Home](index.md): What it is.\n"
        "- [Plans](book/plans/index.md)\n"
        "- [Codes](book/reference/codes/index.md): Each of them.\n\n"
        "## Optional\n\n- [Design](architecture.md)\n"
    )
