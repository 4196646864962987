"""Pages have only allowed elements and attributes, as a browser reads them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page

from project import draws, project
from scalesheet.build import build
from scalesheet.diagnostics import Refused
from scalesheet.site import document
from scalesheet.site.document import read_document

LISTED = yaml.safe_load(Path(document.__file__).with_name("allowed.yaml").read_text("utf-8"))


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ('<meta http-equiv=refresh content="0;url=/">', '<meta http-equiv="refresh">'),
        ("<base href=x>", "<base>"),
        ("<iframe srcdoc=x></iframe>", "<iframe>"),
        ("<object data=x></object>", "<object>"),
        ("<embed src=x>", "<embed>"),
        ('<form action="https://x.example">', '<form action="https://x.example">'),
        ("<button formaction=x>", '<button formaction="x">'),
        ("<p style=x>", '<p style="x">'),
        ("<IMG/ONERROR=go()>", '<img onerror="go()">'),
        ('<img srcset="a.png 1x">', '<img srcset="a.png 1x">'),
        ('<svg><use xlink:href="#a"/></svg>', "<use>"),
        ("<my-element>", "<my-element>"),
        # what a reader less careful than a browser would overlook
        ('<p a"><img onerror=go() b="">', '<p a"="">'),
        ("""<p title=b'c="><img onerror=go() x="'>""", '<img onerror="go()">'),
        ("<textarea><!--</textarea><img onerror=go()>-->", '<img onerror="go()">'),
        ("<!--><img onerror=go()>-->", '<img onerror="go()">'),
        ("<svg><title><img onerror=go()></title></svg>", "<title> with markup in it"),
        ('<noscript><p title="</noscript><img>">', "<p> with a '<' in an attribute"),
        ("<script>go()", "<script> without an end"),
        ("<p\u00a0onclick=go()>", "<p\u00a0onclick=go()>"),
    ],
)
def test_everything_else_is_found(html: str, found: str) -> None:
    assert found in read_document(html).strange


def test_plain_markup_is_allowed() -> None:
    page = (
        '<!doctype html><html lang=en><title>1 < 2</title><p class=a data-of="x" aria-label=x>'
        '<a href="https://example.org" title="a > b">x</a><input type=checkbox checked disabled>'
    )
    assert read_document(page.replace("1 < 2", "1 &lt; 2")).strange == ()


PIECES = (
    *("<", ">", '"', "'", "=", " ", "/", "a", "\n", "\f", "\v", "\u00a0", "title=", "title='"),
    *("<!--", "-->", "--!>", "<!-->", "<![CDATA[", "]]>", "<?", "</", "<p", "<p>", "</p>"),
    *("<textarea>", "</textarea>", "<title>", "</title>", "<noscript>", "</noscript>"),
    *("<svg>", "</svg>", "<math>", "<mtext>", "</math>", "<select>", "<option>", "<table>", "<td>"),
    *("<style>", "</style>", "<script src=x>", "</script>", "<img onerror=go()>"),
)
#: What a browser makes of a text: with scripts, as on a page, and without.
SEEN = """texts => texts.map(text => {
  const whole = new DOMParser().parseFromString(text, "text/html")
  const scripted = document.createElement("div")
  scripted.innerHTML = text
  return [whole, scripted].flatMap(root =>
    [...root.querySelectorAll("*")].map(each => [each.localName, ...each.getAttributeNames()]))
})"""


@pytest.fixture(scope="module")
def blank(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    yield page
    page.close()


@settings(max_examples=draws(60))
@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), min_size=50))
def test_a_browser_sees_nothing_else(blank: Page, texts: list[str]) -> None:
    """Whatever page is accepted, every element that Chromium finds in it is allowed."""
    read = [read_document(text) for text in texts]
    accepted = [
        text
        for text, page in zip(texts, read, strict=True)
        if not (page.strange or page.scripts or page.styles)
    ]
    for text, found in zip(accepted, blank.evaluate(SEEN, accepted), strict=True):
        for name, *attributes in found:
            assert name in LISTED, text
            known = f"{LISTED['all']} {LISTED[name] or ''}".split()
            assert set(attributes) <= set(known), text


@pytest.mark.usefixtures("few_pages")
def test_raw_html_is_refused_at_its_line(tmp_path: Path) -> None:
    data = project(tmp_path)
    page = tmp_path / "docs" / "index.md"
    page.write_text("# Home\n\nSee:\n\n<iframe src=x></iframe>\n", "utf-8")
    with pytest.raises(Refused) as found:
        build(data, tmp_path / "build")
    assert str(found.value) == (
        f"{page}:5:1: X002 index.html: <iframe> is not allowed on a page; "
        "use plain elements, classes and script files"
    )
