"""The finished site in a real browser, from a server and from disk: no errors, search, reading."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect
from sample_site import Site

from proof.browser import Scheme, Visit
from proof.ledger import share

Open = Callable[..., Visit]
ways = pytest.mark.parametrize("way", ["file", "http"])
schemes = pytest.mark.parametrize("scheme", ["light", "dark"])


@pytest.mark.parametrize(("way", "scheme"), [("file", "light"), ("http", "dark")])
def test_no_page_causes_errors_or_foreign_requests(
    site: Site, way: str, scheme: Scheme, visit: Open
) -> None:
    seen = visit(site.address(way, "index.html"), scheme)
    for page in share(site.pages(), 5):
        seen.page.goto(site.address(way, page))
        settle(seen.page)
    assert seen.complaints == []
    assert site.strangers(seen) == []


@ways
def test_search_finds_a_page_and_opens_it(site: Site, way: str, visit: Open) -> None:
    seen = visit(site.address(way, "book/hardware/h100.html"))
    found = search(seen.page, "zygomorphic")
    expect(found).to_have_count(1)
    found.click()
    seen.page.wait_for_url("**/book/plans/study.html*")
    assert seen.complaints == []
    assert site.strangers(seen) == []


@ways
def test_enter_in_a_search_without_results_does_nothing(site: Site, way: str, visit: Open) -> None:
    seen = visit(site.address(way, "index.html"))
    found = search(seen.page, "zygomorphic")
    expect(found).to_have_count(1)
    seen.page.keyboard.type("nosuchword")
    expect(found).to_have_count(0)
    expect(seen.page.locator(".found [role=status]")).to_have_text("Nothing found")
    seen.page.keyboard.press("Enter")
    settle(seen.page)
    expect(found).to_have_count(0)
    assert seen.complaints == []


@ways
def test_the_content_security_policy_is_enforced(site: Site, way: str, visit: Open) -> None:
    seen = visit(site.address(way, "index.html"))
    seen.page.evaluate(
        """() => {
            const script = document.createElement("script")
            script.textContent = "window.injected = true"
            document.body.append(script)
            document.body.insertAdjacentHTML("beforeend", "<p id=red style='color: red'>x")
            const image = document.createElement("img")
            image.src = "https://example.org/a.png"
            document.body.append(image)
        }"""
    )
    for directive in ("script-src", "style-src", "img-src"):
        while not any(f"{directive} 'self'" in each for each in seen.complaints):
            seen.complaints.append(seen.page.wait_for_event("console").text)
    assert seen.page.evaluate("window.injected") is None
    assert style(seen.page, "#red", "color") != "rgb(255, 0, 0)"


@schemes
def test_nothing_but_tables_scrolls_sideways_on_a_phone(
    site: Site, scheme: Scheme, visit: Open
) -> None:
    """In any font, even with letters 50 % larger and widely spaced."""
    seen = visit(site.address("file", "index.html"), scheme, width=360)
    fits = "document.documentElement.scrollWidth <= innerWidth"
    for page in share(site.pages(), 5):
        seen.page.goto(site.address("file", page))
        assert seen.page.evaluate(fits), page
        seen.page.evaluate(
            """() => {
                const style = new CSSStyleSheet()
                style.replaceSync(":root { font-size: 170% } * { letter-spacing: 0.1em }")
                document.adoptedStyleSheets = [style]
            }"""
        )
        assert seen.page.evaluate(fits), page
    seen.page.goto(site.address("file", "index.html"))
    for box in (".scroll", ".md-typeset__scrollwrap"):
        assert seen.page.locator(box).evaluate("box => box.scrollWidth > box.clientWidth"), box


def test_the_theme_follows_the_system_and_can_be_switched(site: Site, visit: Open) -> None:
    page = visit(site.address("file", "index.html"), "dark").page
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
    page.locator("label[for=__palette_1]").click()
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "default")
    page.reload()
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "default")


@schemes
def test_text_has_enough_contrast(site: Site, scheme: Scheme, visit: Open) -> None:
    page = visit(site.address("file", "index.html"), scheme).page
    marks = [".range", ".unit", ".reason", "td.input", "span.input", ".download", ".label", "th"]
    marks += [f".kind.{kind}" for kind in ("measured", "assumption", "derived")]
    marks += [f".verdict.{each}" for each in ("reproduced", "contradicted", "underdetermined")]
    marks += [".finding a", ".md-tabs__link", ".formula summary", "figcaption", ".what-if input"]
    poor = {mark: ratio for mark in marks if (ratio := contrast(page, mark)) < 4.5}
    assert poor == {}


def test_formulas_are_set_by_the_browser(site: Site, visit: Open) -> None:
    page = visit(site.address("file", "index.html")).page
    over, under = (
        box["y"]
        for box in page.locator(".formula > .wide > math mfrac > mi").evaluate_all(
            "parts => parts.map(part => part.getBoundingClientRect().toJSON())"
        )
    )
    assert over < under


@pytest.mark.parametrize("width", [1280, 360])
def test_a_link_to_a_folded_formula_opens_it(width: int, site: Site, visit: Open) -> None:
    page = visit(site.address("file", "book/plans/study.html"), width=width).page
    formula, line = page.locator("#f\\.cost"), page.locator("summary", has_text="Cost = 122")
    expect(formula).to_be_hidden()
    page.get_by_role("link", name="122 USD").click()
    expect(formula).to_be_visible()
    header = page.locator(".md-header").evaluate("e => e.getBoundingClientRect().bottom")
    expect(line).to_be_in_viewport()
    assert line.evaluate("e => e.getBoundingClientRect().top") >= header
    page.goto(site.address("file", "book/plans/study.html#f.hours"))
    expect(page.locator("#f\\.hours")).to_be_visible()


def test_a_wide_formula_can_be_scrolled_by_keyboard(site: Site, visit: Open) -> None:
    page = visit(site.address("file", "book/plans/study.html#f.cost"), width=360).page
    wide = page.locator("#f\\.cost .wide")
    expect(wide).to_have_attribute("tabindex", "0")
    wide.focus()
    page.keyboard.press("ArrowRight")
    moved = "e => e.scrollLeft > 0 || new Promise(d => e.addEventListener('scroll', () => d(true)))"
    assert wide.evaluate(moved)


def test_a_record_is_shown_as_lines_on_a_phone(site: Site, visit: Open) -> None:
    address = site.address("file", "book/plans/study.html")
    for width, beside in ((1280, True), (360, False)):
        page = visit(address, width=width).page
        name, kind = (
            page.locator(f"table.records tbody {part}").evaluate(
                "e => e.getBoundingClientRect().toJSON()"
            )
            for part in ("th", "td:has(.kind)")
        )
        assert (abs(name["top"] - kind["top"]) < 10) == beside
        assert page.locator("table.records").evaluate("e => e.offsetWidth <= innerWidth")


def test_numbers_are_aligned_in_columns(site: Site, visit: Open) -> None:
    page = visit(site.address("file", "index.html")).page
    assert style(page, "td.num", "textAlign") == "end"
    assert "tabular-nums" in style(page, "td.num", "fontVariantNumeric")


def test_data_blocks_can_be_read_by_scripts(site: Site, visit: Open) -> None:
    page = visit(site.address("file", "index.html")).page
    text = "JSON.parse(document.getElementById('plan-data').textContent)"
    assert page.evaluate(text) == {"steps": 250000}


def test_tables_sort_and_keep_their_total_last(site: Site, visit: Open) -> None:
    page = visit(site.address("file", "index.html")).page
    rows = page.locator("table.sortable tbody tr > :first-child")
    page.locator("table.sortable .sort", has_text="Steps").click()
    expect(rows.first).to_have_text("Evaluation on the small card")
    page.locator("table.sortable .sort", has_text="Steps").click()
    expect(rows.first).to_have_text("General pre-training")
    assert page.locator("table.sortable tr").last.inner_text().startswith("Total")


@pytest.mark.parametrize(("width", "below"), [(1600, ".md-header"), (360, ".scroll")])
def test_table_headings_stay_in_sight(width: int, below: str, site: Site, visit: Open) -> None:
    page = visit(site.address("file", "index.html"), width=width).page
    page.evaluate(
        """() => {
            const box = document.querySelector(".scroll")
            box.querySelector("tbody").insertAdjacentHTML("beforeend", "<tr><td>x".repeat(60))
            scrollTo(0, box.getBoundingClientRect().top + scrollY + 300)
            box.scrollTop = 300
        }"""
    )
    edge = "bottom" if below == ".md-header" else "top"
    held = page.locator(below).first.evaluate(f"e => e.getBoundingClientRect().{edge}")
    top = page.locator("table.data thead th").first.evaluate("e => e.getBoundingClientRect().top")
    assert abs(top - held) <= 2


def test_code_can_be_copied_and_tabs_switched(site: Site, visit: Open) -> None:
    seen = visit(site.address("file", "index.html"))
    code = seen.page.locator(".highlight").first
    copy = code.get_by_role("button", name="Copy to clipboard")
    expect(copy).to_have_count(0)  # a page does not wait for buttons that are out of sight
    code.scroll_into_view_if_needed()
    copy.click()
    expect(seen.page.get_by_text("Copied to clipboard")).to_be_visible()
    seen.page.locator(".tabbed-labels label", has_text="Python").click()
    expect(seen.page.get_by_text("hours = steps / steps_per_hour")).to_be_visible()
    assert seen.complaints == []


def test_print_shows_whole_tables_and_no_navigation(site: Site, visit: Open) -> None:
    page = visit(site.address("file", "index.html"), "dark", width=700).page
    page.emulate_media(media="print")
    assert style(page, ".md-header", "display") == "none"
    assert style(page, ".scroll", "overflow") == "visible"
    assert style(page, "table.data td", "color") == "rgb(0, 0, 0)"


def settle(page: Page) -> None:
    """Wait until the page has finished everything it has started."""
    page.evaluate("() => new Promise(done => requestIdleCallback(() => done()))")


def search(page: Page, words: str) -> Locator:
    """Type into the search; return the results that lead to a page."""
    expect(page.locator("html.js, html:not(.no-js)")).to_be_attached()
    page.keyboard.press("/")
    box, found = page.get_by_role("searchbox", name="Search"), page.locator(".found a")
    expect(box).to_be_focused()
    page.keyboard.type(words)
    return found


def style(page: Page, selector: str, name: str) -> str:
    value = page.locator(selector).first.evaluate("(e, name) => getComputedStyle(e)[name]", name)
    assert isinstance(value, str)
    return value


def contrast(page: Page, selector: str) -> float:
    """The WCAG contrast ratio of the first such element against its background."""
    ratio = page.locator(selector).first.evaluate(
        """element => {
            const rgb = text => text.match(/[\\d.]+/g).map(Number)
            const light = ([r, g, b]) => [r, g, b]
                .map(c => c / 255)
                .map(c => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
                .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0)
            let behind = element
            while (rgb(getComputedStyle(behind).backgroundColor)[3] === 0)
                behind = behind.parentElement
            const [ink, paper] = [
                light(rgb(getComputedStyle(element).color)),
                light(rgb(getComputedStyle(behind).backgroundColor)),
            ]
            return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05)
        }"""
    )
    assert isinstance(ratio, float)
    return ratio
