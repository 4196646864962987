"""Pages as plain Markdown: how each kind of element is written."""

from __future__ import annotations

import pytest

from scalesheet.render.pages.html import heading, inline, page, tag
from scalesheet.render.pages.markdown import as_markdown
from scalesheet.render.pages.tables import grid, heading_cell


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            page("A *title*", tag("p", "Words & <signs>")),
            "# A \\*title\\*\n\nWords & \\<signs\\>\n",
        ),
        (f"It takes **{tag('span', '8 GB', class_='num')}**.\n", "It takes **8 GB**.\n"),
        (tag("p", tag("strong", "So: "), "3"), "**So:** 3\n"),
        (tag("p", tag("a", "a page", href="../b/c.html#d")), "[a page](../b/c.md#d)\n"),
        (tag("p", tag("a", "a place", href="#d"), " of it"), "a place of it\n"),
        (
            tag("ul", tag("li", "one"), tag("li", "two", hidden=True), tag("li", "three")),
            "- one\n- three\n",
        ),
        (tag("dl", tag("dt", "Date"), tag("dd", "today")), "- Date: today\n"),
        (tag("p", "1 ", tag("button", "press"), tag("span", "2", hidden=True)), "1\n"),
        (tag("p", tag("code", "a*b|c")), "`a*b|c`\n"),
        (tag("p", "3", tag("span", "2–4", class_="range")), "3 (2–4)\n"),
        (
            "Text.\n\n```yaml\na: <b> # not HTML\n```\n",
            "Text.\n\n```yaml\na: <b> # not HTML\n```\n",
        ),
        (tag("math", alttext="a times b"), "a times b\n"),
        (tag("svg", tag("desc", "Bars."), role="img"), "Bars.\n"),
        (heading(2, "Part", "part"), "## Part\n"),
    ],
)
def test_each_element_has_its_markdown(given: str, expected: str) -> None:
    assert as_markdown(given) == expected


def test_a_table_has_its_units_and_the_names_of_inputs() -> None:
    row = [tag("th", "Memory", scope="row"), tag("td", "8 | 9", colspan="2")]
    table = grid(
        [heading_cell("Input"), heading_cell("Size", "GB"), tag("th", "")],
        [row],
        row_ids=["i.memory"],
    )
    assert as_markdown(table) == (
        "| Input | Size (GB) |  |\n| --- | --- | --- |\n| Memory (`memory`) | 8 \\| 9 |  |\n"
    )


def test_text_from_the_data_is_never_markup() -> None:
    text = "a_b [c](d) `e` | f * g < h"
    for shown in (tag("p", text), inline(text)):
        made = as_markdown(str(shown))
        assert made.replace("\\", "").strip() == text
        assert all(f"\\{sign}" in made for sign in "_[]`|*<")
