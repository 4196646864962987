"""The index of a book leads to each of its parts."""

from __future__ import annotations

from render.pages.rendered import pages
from scalesheet.render.pages.contents import contents_page


def test_it_lists_each_part_with_its_summary_and_pages() -> None:
    written = pages()
    made = contents_page(written)
    parts = [name for name in written if name.endswith("/index.md")]
    assert parts
    for name in parts:
        assert f'href="{name.removesuffix("md")}html"' in made
    hardware = [n for n in written if n.startswith("hardware/") and n.endswith(".md")]
    row = made.partition('href="hardware/index.html"')[2].partition("</tr>")[0]
    assert ">Hardware</a>" in f"<a{row}"
    assert "Accelerators with the figures" in row
    assert f'class="num">{len(hardware)}</td>' in row
