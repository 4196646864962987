"""Text is shown as text, in HTML and in Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from render.pages.rendered import read
from scalesheet.render.pages.html import anchor, escape, heading, inline, link, page, tag

SIGNS = "<script>alert(1)</script> *a* _b_ `c` [d](e) | {{ f }} & \" ' # ~~g~~ ![h](i)"


@pytest.mark.parametrize("text", [SIGNS, "```", "~~~", "# no heading", "1. no list", "--8<-- 'x'"])
def test_text_in_a_block_is_shown_literally(text: str) -> None:
    shown = read(tag("div", tag("p", text)))
    assert shown.text == " ".join(text.split())
    assert [name for name, _ in shown.found] == ["div", "p"]


@pytest.mark.parametrize("text", [SIGNS, "a\nb", "{: #x onclick=y }", "&lt;", "http://example.org"])
def test_text_in_a_heading_is_shown_literally(text: str) -> None:
    shown = read(heading(2, text, "here"))
    assert shown.text.removesuffix("¶").strip() == " ".join(text.split())
    assert shown.found[0] == ("h2", {"id": "here"})


@given(st.text(alphabet=st.characters(codec="ascii", categories=["L", "N", "P", "S", "Zs"])))
def test_text_in_an_html_paragraph_is_never_markdown(text: str) -> None:
    shown = read(tag("p", inline(text)))
    assert shown.text == " ".join(text.split())


def test_a_title_with_markup_is_escaped_and_set_in_the_front_matter() -> None:
    hostile = "</title><script>alert(1)</script>"
    assert page(hostile).startswith(
        '---\ntitle: "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;"\n---\n\n# '
    )
    assert page("RTX 4090 & more") == "# RTX 4090 &#38; more\n"


def test_attributes_are_escaped_and_left_out_when_none() -> None:
    made = tag("td", "x", class_="num", title='"><b>', data_value=None)
    assert made == '<td class="num" title="&quot;&gt;&lt;b&gt;">x</td>'


def test_links_to_pages_end_in_html_and_web_links_stay_unchanged() -> None:
    assert link("../plans/a.md#f.x", "A") == '<a href="../plans/a.html#f.x">A</a>'
    assert link("https://example.org/a.md", "A").startswith('<a href="https://example.org/a.md"')


def test_different_names_have_different_anchors() -> None:
    names = [("a", "b"), ("a:b",), ("a--b",), ("a.b",), ("a b",), ("a_b",)]
    assert len({anchor(*name) for name in names}) == len(names)


def test_markup_is_not_escaped_twice() -> None:
    assert escape(escape("<")) == "&lt;"
