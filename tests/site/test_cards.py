"""Link previews: what a shared link to a page shows."""

from __future__ import annotations

import re
from html import unescape

from sample_site import Site

from scalesheet.site.cards import card_of, has_card, put_card

PAGE = """<head><meta name="description" content="of the site"></head>
<h1 id="x">H100 &amp; co<a class="headerlink" href="#x">¶</a></h1>
<div class="hero"><section class="figure"><p class="label"><a href="#m">Memory</a></p>
<p class="value"><span class="num">80</span> <span class="unit">GiB</span></p></section></div>"""


def properties(page: str) -> dict[str, str]:
    """The content of each name; an element may have two."""
    found = re.findall(
        r'<meta ((?:(?:name|property)="?[^" ]+"? )+)content=(?:"([^"]*)"|([^">]*))>', page
    )
    return {
        name: unescape(text or word)
        for names, text, word in found
        for name in re.findall(r'="?([^" ]+)', names)
    }


def test_a_preview_has_the_title_and_first_figures() -> None:
    page = put_card("book/hardware/h100.html", PAGE)
    said = properties(page)
    assert said["og:title"] == "H100 & co"
    assert said["og:description"] == said["description"] == "Memory: 80 GiB"


def test_a_page_of_another_kind_stays_unchanged() -> None:
    assert put_card("book/offers/one.html", PAGE) == PAGE
    assert not has_card("book/hardware/index.html")


def test_a_page_with_only_a_title_has_no_preview() -> None:
    assert card_of("<h1>Only a title</h1>") is None


def test_a_page_without_figures_is_described_by_its_lead() -> None:
    page = '<head></head><h1>A part</h1><p class="lead">Of a plan.</p>'
    assert properties(put_card("book/plans/a-part.html", page))["og:description"] == "Of a plan."


def test_the_front_page_of_a_site_has_a_preview(site: Site) -> None:
    said = properties((site.folder / "index.html").read_text("utf-8"))
    assert said["og:title"] == "What the study costs"
    assert said["og:description"].startswith("Two accelerators, five phases and three seeds")
