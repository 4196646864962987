"""Rules for all pages: links, ids, the Content Security Policy, reproducible bytes."""

from __future__ import annotations

import posixpath
from pathlib import Path

import pytest

from render.pages.rendered import Elements, pages, read, write

NAMES = sorted(name for name in pages() if name.endswith(".md"))


def targets(elements: Elements) -> list[str]:
    return [a["href"] or "" for name, a in elements.found if name == "a" and "href" in a]


def anchors(elements: Elements) -> list[str]:
    return [a["id"] or "" for _, a in elements.found if "id" in a]


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_to_an_existing_page_and_anchor(name: str) -> None:
    for target in targets(read(pages()[name])):
        # workbooks and data stand beside the pages
        if target.startswith(("https://", "../../workbooks/", "../../api/")):
            continue
        path, _, part = target.partition("#")
        stem = path.partition("?")[0].removesuffix(".md").removesuffix(".html")
        page = posixpath.normpath(posixpath.join(posixpath.dirname(name), f"{stem}.md"))
        page = page if path else name
        assert page in pages(), target
        assert not part or part in anchors(read(pages()[page])), target


@pytest.mark.parametrize("name", NAMES)
def test_ids_are_unique_on_a_page(name: str) -> None:
    found = anchors(read(pages()[name]))
    assert len(found) == len(set(found))


@pytest.mark.parametrize("name", NAMES)
def test_nothing_needs_an_inline_style_or_script(name: str) -> None:
    for element, attributes in read(pages()[name]).found:
        assert element != "style"
        assert element != "script" or "src" in attributes
        assert not {a for a in attributes if a == "style" or a.startswith("on")}


def test_the_scripts_that_a_plan_loads_are_written() -> None:
    loaded = [a["src"] for name, a in read(pages()["plans/demo.md"]).found if name == "script"]
    assert loaded == [
        f"../assets/{name}.js"
        for name in ("runtime", "catalogue", "demo", "live", "demo.draws", "sure")
    ]
    assert {"assets/runtime.js", "assets/catalogue.js", "assets/demo.js"} <= set(pages())


def test_the_report_names_every_file(tmp_path: Path) -> None:
    report = write(tmp_path)
    written = {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file()}
    assert set(report.files) == written
    assert {"plans/demo.md", "plans/index.md", "sources/index.md"} <= written
    assert not report.problems


def test_the_same_book_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in write(tmp_path / "one").files:
        write(tmp_path / "two")
        first, second = (tmp_path / each / name for each in ("one", "two"))
        assert first.read_bytes() == second.read_bytes()
