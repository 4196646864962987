"""Link previews: what a shared link to a page shows."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from PIL import Image
from sample_site import Site

from scalesheet.site.cards import SIZE, Card, card_of, draw, has_card, put_card

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


@pytest.mark.parametrize("address", ["https://example.org/", "https://example.org"])
def test_a_preview_has_the_title_and_first_figures(tmp_path: Path, address: str) -> None:
    page = put_card(tmp_path, "book/hardware/h100.html", PAGE, address)
    said = properties(page)
    assert said["og:title"] == "H100 & co"
    assert said["og:description"] == said["description"] == "Memory: 80 GiB"
    assert said["og:image"] == "https://example.org/assets/cards/hardware-h100.png"
    assert said["og:image:alt"] == "H100 & co"
    picture = tmp_path / "assets/cards/hardware-h100.png"
    with Image.open(picture) as shown:
        assert shown.size == SIZE
    assert picture.stat().st_size < 20_000


def test_a_page_of_another_kind_stays_unchanged(tmp_path: Path) -> None:
    assert put_card(tmp_path, "book/offers/one.html", PAGE, "") == PAGE
    assert not has_card("book/hardware/index.html")


def test_a_page_with_only_a_title_has_no_preview() -> None:
    """In a build of some plans, the other pages have only a title; their pictures are kept."""
    assert card_of("<h1>Only a title</h1>") is None


def test_a_page_without_figures_uses_the_picture_of_the_front_page(tmp_path: Path) -> None:
    page = '<head></head><h1>A part</h1><p class="lead">Of a plan.</p>'
    said = properties(put_card(tmp_path, "book/plans/a-part.html", page, ""))
    assert said["og:description"] == "Of a plan."
    assert said["og:image"] == "../../assets/cards/index.png"


@pytest.mark.parametrize("text", ["", "word " * 60, "W" * 300, "<b>&"])
def test_any_text_stays_within_the_picture(text: str) -> None:
    """The right and bottom margins stay empty."""
    picture = draw(Card(text, text, ((text, text),) * 3)).convert("L")
    width, height = SIZE
    assert picture.crop((width - 12, 0, width, height)).getextrema() == (255, 255)
    assert picture.crop((12, height - 10, width, height)).getextrema() == (255, 255)


def test_the_same_page_has_the_same_picture() -> None:
    card = Card("A title", "", (("Memory", "80 GiB"),))
    assert draw(card).tobytes() == draw(card).tobytes()


def test_the_front_page_of_a_site_has_a_preview(site: Site) -> None:
    said = properties((site.folder / "index.html").read_text("utf-8"))
    assert said["og:title"] == "What the study costs"
    assert said["og:description"].startswith("Two accelerators, five phases and three seeds")
    assert (site.folder / said["og:image"]).is_file()
