"""Chart tools in a page opened from a folder, under its policy: values on hover, the picture as a
file, an embed code."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect
from sample_site import Site

from proof.browser import Visit

Open = Callable[..., Visit]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def seen(site: Site, visit: Open) -> Visit:
    shown = visit(site.address("file", "index.html"))
    expect(shown.page.locator("figure.chart .take")).to_have_count(1)
    return shown


def test_a_mark_shows_its_value_when_the_pointer_is_near(seen: Visit) -> None:
    page, tip = seen.page, seen.page.locator(".tip")
    page.locator("figure.chart [data-row]").hover()
    expect(tip).to_have_text("General: 1,000 GPU·hour (930 – 1,111)")
    expect(tip).to_be_in_viewport(ratio=1)
    title = page.locator("figure.chart [data-row] > title")
    expect(title).to_have_text("")  # the browser must not show it a second time
    page.locator("h1").hover()
    expect(tip).to_be_hidden()
    expect(title).to_have_text("General: 1,000 GPU·hour (930 – 1,111)")
    assert seen.complaints == []


def test_a_downloaded_chart_has_its_colors_and_caption(seen: Visit) -> None:
    file = ET.fromstring(saved(seen.page, "SVG", "chart-title.svg"))
    words = "".join(file.itertext())
    assert "GPU hours by phase; whiskers show the range." in words
    assert "General" in words
    bars = [each for each in file.iter(f"{SVG}rect") if each.get("x")]
    assert len({bar.get("fill") for bar in bars}) == 3
    assert all(re.match(r"rgb\(", bar.get("fill", "")) for bar in bars)
    assert "class" not in {name for each in file.iter() for name in each.attrib}
    assert seen.complaints == []


def test_the_png_shows_the_same_bars(seen: Visit) -> None:
    picture = Image.open(BytesIO(saved(seen.page, "PNG", "chart-title.png"))).convert("RGB")
    colors = seen.page.locator("figure.chart rect").evaluate_all(
        "all => all.map(e => getComputedStyle(e).fill)"
    )
    there = {color for _, color in picture.getcolors(1 << 24) or ()}
    assert {tuple(map(int, re.findall(r"\d+", color))) for color in colors} <= there
    assert seen.complaints == []


def test_the_embed_code_shows_only_the_chart(seen: Visit, tmp_path: Path) -> None:
    seen.page.get_by_role("button", name="Embed").click()
    code = seen.page.get_by_label("Embed code").input_value()
    other = tmp_path / "other.html"
    other.write_text(f"<!doctype html><title>Another page</title>{code}", "utf-8")
    seen.page.goto(other.as_uri())
    frame = seen.page.frame_locator("iframe[title='GPU hours by phase; whiskers show the range.']")
    expect(frame.locator("figure.chart svg[role=img]")).to_be_visible()
    expect(frame.locator("h1, .md-header, .hero, table.data, .md-footer")).not_to_have_count(0)
    for hidden in ("h1", ".md-header", ".hero", "table.data", ".md-footer"):
        expect(frame.locator(hidden).first).to_be_hidden()


def test_without_scripts_the_chart_is_there_without_buttons(site: Site, visit: Open) -> None:
    page = visit(site.address("file", "index.html"), scripts=False).page
    expect(page.locator("figure.chart svg[role=img]")).to_be_visible()
    expect(page.locator(".take")).to_have_count(0)


def saved(page: Page, button: str, name: str) -> bytes:
    """The file that a button of the chart downloads."""
    with page.expect_download() as download:
        page.get_by_role("button", name=button, exact=True).click()
    assert download.value.suggested_filename == name
    return Path(download.value.path()).read_bytes()
