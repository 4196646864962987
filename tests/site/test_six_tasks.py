"""Six readers with a task each, on the shipped book's site opened from a folder: each task takes at
most three steps, wide and on a phone.

Opening a page, by a link or from the search, is a step; so is filling in a form.
SCALESHEET_PICTURES names a folder for screenshots: each task's start, and the page after each step.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from proof.ledger import share

MOST = 3
Looks = tuple[int, str]
#: Two of them in each run, one of each width and of each scheme.
LOOKS: tuple[Looks, ...] = ((1280, "light"), (1280, "dark"), (360, "dark"), (360, "light"))
#: A browser does not paint the tables and charts that are far below its window.
PAINT_ALL = """() => document.querySelectorAll("article *").forEach((each) => {
  each.style.contentVisibility = "visible";
})"""

WITHIN_ITS_BOX = """(cell) => {
  const right = (e) => e.getBoundingClientRect().right;
  const box = cell.closest(".scroll");
  const faded = innerWidth <= 480 && getComputedStyle(box).maskImage !== "none";
  return !faded && right(cell) <= right(box) + 1;
}"""


class Reader:
    """A reader of the site, whose steps are counted."""

    def __init__(self, page: Page, site: Path, pictures: str) -> None:
        self.page, self.site, self.pictures, self.steps = page, site, pictures, 0

    def begin(self, name: str) -> None:
        """Open the page where an outside link or the site's navigation leads; not yet a step."""
        self.page.goto((self.site / name).as_uri())

    def step(self) -> None:
        """Begin a step, with a picture of what the step before it has led to."""
        self.picture()
        self.steps += 1

    def picture(self) -> None:
        if folder := os.environ.get("SCALESHEET_PICTURES"):
            place = Path(folder, f"{self.pictures}-{self.steps}.png")
            self.page.evaluate(PAINT_ALL)
            self.page.screenshot(path=place, full_page=True)

    def search(self, words: str, leads_to: str) -> None:
        """Open the first page that the search finds."""
        self.step()
        self.page.get_by_role("searchbox", name="Search").fill(words)
        first = self.page.locator(".found a").first
        expect(first).to_have_attribute("href", re.compile(leads_to))
        first.click()
        self.page.wait_for_url(re.compile(leads_to))

    def follow(self, link: Locator) -> str:
        """Follow a link, unless it leaves the site; return its address."""
        self.step()
        address = link.first.get_attribute("href") or ""
        if not address.startswith("https://"):
            link.first.click()
            self.page.wait_for_url(re.compile(re.escape(address.split("/")[-1])))
        return address

    def fill(self, fields: dict[str, str]) -> None:
        """Fill in a form, field by field."""
        self.step()
        for name, value in fields.items():
            field = self.page.locator(name)
            if field.evaluate("e => e.tagName") == "SELECT":
                field.select_option(value)
            else:
                field.fill(value)
                field.press("Enter")


@pytest.fixture(params=share(LOOKS, 2), ids=lambda look: f"{look[0]}-{look[1]}")
def reader(request: pytest.FixtureRequest, browser: Browser, book_site: Path) -> Iterator[Reader]:
    width, scheme = request.param
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    pictures = request.node.name.removeprefix("test_").replace("[", "-").rstrip("]")
    made = Reader(context.new_page(), book_site, pictures)
    wrong: list[str] = []
    made.page.on("pageerror", lambda error: wrong.append(str(error)))
    yield made
    made.picture()
    context.close()
    assert wrong == []
    assert 1 <= made.steps <= MOST


def settled(page: Page, mark: str) -> None:
    page.wait_for_selector(f"{mark}:not([aria-busy])")


def test_a_32b_qlora_on_a_4090_a_5090_and_an_a100(reader: Reader) -> None:
    reader.begin("book/compare/index.html")
    reader.follow(reader.page.locator("article a[href^='workload.html']"))
    page = reader.page
    settled(page, "[data-workload].live")
    reader.fill({"#workload-model": "qwen2-5-32b", "#workload-method": "QLoRA"})
    reader.step()
    for title in ("NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 5090"):
        page.get_by_label("Add an accelerator").fill(title)
        page.get_by_label("Add an accelerator").press("Enter")
    titles = ("RTX 4090", "RTX 5090", "A100 SXM4 80 GB")
    rows = [page.locator("table.workload tbody tr").filter(has_text=title) for title in titles]
    for row in rows:
        expect(row).to_have_count(1)
        expect(row).to_contain_text(re.compile("fits|cannot run"))
    settled(page, "[data-workload].live")  # rows are drawn again with each answer
    for row in rows:
        row.scroll_into_view_if_needed()
        expect(row.locator("td.fit")).to_be_in_viewport(ratio=1)


def test_a_7b_on_a_trillion_tokens_with_spot_restarts_and_its_loss(reader: Reader) -> None:
    reader.begin("index.html")
    page = reader.page
    expect(page.locator(".front .hero")).to_be_in_viewport(ratio=1)
    page.locator("[data-field=method] label", has_text="Pretraining").click()
    reader.fill(
        {"#ask-model": "llama-2-7b", "#ask-tokens": "1T", "#ask-gpu": "h100-sxm", "#ask-gpus": "64"}
    )
    settled(page, "[data-beside]")
    hours = page.locator(".front .hero .figure .value").first
    before = hours.inner_text()
    page.locator("form.ask details summary").click()
    reader.fill({"#ask-restarts": "1", "#ask-interruptions": "2"})
    settled(page, "[data-beside]")
    expect(hours).not_to_have_text(before)
    expect(page.locator(".front")).to_contain_text(re.compile(r"spot from [\d,.]+\sUSD"))
    expect(page.locator(".front")).to_contain_text(re.compile(r"Expected loss \d\.\d+\snat/token"))
    for table in (".offers", ".changes"):  # a cost of six digits fits beside the other figures
        cost = page.locator(f".front {table} tbody td:last-child").first
        assert cost.evaluate(WITHIN_ITS_BOX), table


def test_a_lead_changes_a_plan_and_shares_it(reader: Reader) -> None:
    reader.begin("book/plans/index.html")
    page = reader.page
    reader.follow(page.locator("article a[href='pixelis.html']"))
    cost = page.locator(".hero [data-of=cost][data-as=figure]")
    before = cost.inner_text()
    reader.step()
    page.locator(".what-if select").nth(1).select_option(index=0)
    expect(cost).not_to_have_text(before)
    changed = cost.inner_text()
    bar = page.locator(".what-if-bar")
    reset = bar.get_by_role("button", name="Reset").bounding_box()
    for figure in bar.locator("[data-of]:visible").all():  # none is cut off
        box = figure.bounding_box()
        assert box
        assert reset
        assert box["x"] + box["width"] <= reset["x"]
    reader.step()
    page.wait_for_function("location.search.length > 1")
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator(".hero [data-of=cost][data-as=figure]")).to_have_text(changed)
    other.close()


def test_a_sceptic_follows_the_price_of_an_h100_to_its_source(reader: Reader) -> None:
    reader.begin("book/hardware/h100-sxm.html")
    page = reader.page
    reader.follow(page.locator("#offers ~ .scroll td a[href^='../offers/']"))
    reader.follow(page.locator("article a[href^='../sources/']"))
    expect(page.locator("article a[href^='https://']").first).to_be_visible()
    expect(page.locator("h1")).to_be_visible()


def test_a_sceptic_follows_the_peak_of_an_h100_to_its_source(reader: Reader) -> None:
    reader.begin("index.html")
    reader.search("h100", "hardware/h100-sxm")
    page = reader.page
    peak = page.locator("tr", has_text="Dense BF16 peak").locator("a[href^='../sources/']")
    reader.follow(peak)
    expect(page.locator("article a[href^='https:'][href*='nv']").first).to_be_visible()


def test_a_buyer_of_gpus_for_a_70b_fine_tune(reader: Reader) -> None:
    """Accelerators, prices, and the memory of each method."""
    reader.begin("index.html")
    reader.search("llama 3 70b memory", "models/llama-3-(1-)?70b")
    page = reader.page
    expect(page.locator("#training")).to_be_visible()
    cell = page.locator("#training ~ .scroll table td a", has_text="USD")
    said = cell.first.inner_text()
    asked = parse_qs(urlsplit(cell.first.get_attribute("href") or "").query)
    reader.follow(cell)
    settled(page, "[data-beside]")
    expect(page.locator("#ask-gpu")).to_have_value(asked["gpu"][0])
    expect(page.locator(".front .hero")).to_contain_text("USD")
    assert re.search(r"[\d,]+\sUSD", said)


def test_a_contributor_reports_a_price(reader: Reader) -> None:
    reader.begin("book/providers/lambda.html")
    page = reader.page
    reader.follow(page.locator("article table a[href^='../offers/lambda-1x-gh200']"))
    form = reader.follow(page.get_by_role("link", name="Report a wrong price"))
    asked = parse_qs(urlsplit(form).query)
    assert asked["template"] == ["number.yml"]
    assert "data/rates/lambda-1x-gh200.yaml" in asked["which"][0]
    assert "last seen" in asked["which"][0]
    expect(page.get_by_role("link", name="edit the data")).to_be_visible()
