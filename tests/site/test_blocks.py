"""The mkdocs hook: HTML blocks bypass the Markdown parser without changing the page."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from markdown import markdown

from scalesheet.site import blocks

PAGE = """\
# Title

<p class="lead">Words with **stars** and <em>more</em>.</p>

Text with <span>one</span>.

<div id="a"><div>inner</div>
<p>A_b_c</p></div>

- a list

<div>not closed

<p>within</p>

</div>

<div>one</div> *words* <div>two</div>
"""


def through(text: str) -> tuple[str, str]:
    """The text that the parser gets, and the finished page."""
    page = SimpleNamespace(file=SimpleNamespace(src_uri="a.md"))
    left = blocks.on_page_markdown(text, page=page)
    return left, blocks.on_page_content(markdown(left), page=page)


def test_a_page_is_the_same_as_from_the_parser_alone() -> None:
    left, made = through(PAGE)
    assert "lead" not in left
    assert "inner" not in left
    assert made.replace("\n", "") == markdown(PAGE).replace("\n", "")


def test_a_block_shown_as_code_stays_text() -> None:
    page = "Say\n\n```html\n\n<div>this</div>\n\n```\n\n<p>that</p>\n"
    assert through(page)[0] == page


@pytest.mark.parametrize(
    ("chunk", "tag", "is_whole"),
    [
        ("<p>a</p>", "p", True),
        ("<p>a<path/></p>\n<p>b</p>", "p", True),
        ("<div><div>a</div>", "div", False),
        ("<div>a</div></div>", "div", False),
        ("<p>a</p> b", "p", False),
        ("<p>a</p> b <p>c</p>", "p", False),
        ('<div markdown="1">*a*</div>', "div", False),
    ],
)
def test_only_closed_blocks_bypass_the_parser(chunk: str, tag: str, is_whole: bool) -> None:
    assert blocks.whole(chunk, tag) is is_whole
