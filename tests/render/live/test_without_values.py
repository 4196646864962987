"""What a plan's page says if a run becomes impossible: where the reason begins, on every figure and
chart that has no value."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from proof.browser import Chromium
from render.live.parts import write_site
from render.live.reading import differences, open_read
from scalesheet.book import Book
from scalesheet.examine import compile_book

BOOK = "title: Ours\nedition: 2026-11-28\nextends: scalesheet\n"
PLAN = """
title: Ours
summary: Two runs and a test.
headline: [cost, total.end_date, spare]
limits: {cost: 3000}
scalars:
  goodput: {value: 1, unit: 1, kind: assumption}
  begin: {value: 2027-01-04, unit: date, kind: decision, title: First day}
  tokens: {value: 20_000_000, low: 15_000_000, high: 30_000_000, unit: token, kind: assumption}
  cost: {unit: USD, formula: runs.total.cost}
  spare: {unit: USD, formula: 2 * 3 * one}
  one: {value: 1, unit: USD, kind: decision}
tables:
  runs:
    of: training-run
    title: Runs
    rows: {small: {model: llama-3-2-1b}, large: {model: llama-3-1-8b}}
    with: {tokens: tokens, epochs: 3, sequence: 2_048, batch: 32, method: LoRA,
           offer: runpod-secure-h100-sxm, gpus: 1}
    total: [cost]
phases:
  tuning: {title: Tuning, class: one_time, hours: {formula: sum(runs.hours)}, gpus: 1}
  testing: {title: Testing, class: one_time, after: [tuning], hours: 40, gpus: 1}
charts:
  hours: {title: Hours by run, kind: bar, table: runs, column: hours, alt: One takes longer.}
  points: {title: Cost and hours, kind: scatter, table: runs, x: hours, y: cost, alt: They rise.}
  over: {title: Cost by tokens, kind: sweep, figure: cost, input: tokens, alt: It rises.,
         values: [10_000_000, 20_000_000]}
"""
PROSE = "It costs {{ cost }}.\n\n{{ chart hours }}\n\n{{ chart points }}\n\n{{ chart over }}\n"
EDIT = "runs.all.gpus=3"
WHY = "32 sequences per step do not divide evenly among 3 replicas with a micro-batch of "
BEGINS = f"small: {WHY}4, and 1 more row"


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    data = tmp_path_factory.mktemp("ours") / "data"
    (data / "plans/ours").mkdir(parents=True)
    (data / "book.yaml").write_text(BOOK, "utf-8")
    (data / "plans/ours/plan.yaml").write_text(PLAN, "utf-8")
    (data / "plans/ours/page.md").write_text(PROSE, "utf-8")
    return compile_book(data)


@pytest.fixture(scope="module")
def site(book: Book, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(book, book.plans["ours"], tmp_path_factory.mktemp("page") / "site")


@pytest.fixture
def page(chromium: Chromium, site: Path) -> Iterator[Page]:
    yield chromium.visit((site / "ours.html").as_uri()).page
    complaints = chromium.leave()
    assert [each for each in complaints if "FILE_NOT_FOUND" not in each] == []


def edit(page: Page) -> None:
    page.evaluate("() => scalesheet.page.enter('runs.all.gpus', '3')")


def test_figures_show_the_reason_where_it_begins(page: Page) -> None:
    edit(page)
    for name in ("cost", "cost.margin", "phases.total.end_date"):
        expect(page.locator(f".hero .value[data-of='{name}']")).to_have_text(BEGINS)
    expect(page.locator(".breaches > li:visible")).to_contain_text(BEGINS)
    assert "a row has no value" not in page.locator("article").inner_text()


def test_charts_without_values_say_so(page: Page) -> None:
    before = page.locator("figure.chart > svg").evaluate_all("all => all.map(e => e.outerHTML)")
    edit(page)
    summary = page.locator("[data-sure=summary]")
    expect(summary).to_contain_text("No value with these inputs: Cost")
    expect(summary).to_contain_text("No other figure shown is uncertain with these inputs.")
    moves = page.locator("figure[data-tornado=cost]")
    expect(moves.locator("figcaption")).to_contain_text("has no value with these inputs")
    expect(moves.locator("> svg")).to_be_hidden()
    for name in ("points", "over"):
        chart = page.locator(f"figure[data-chart={name}] > svg")
        expect(chart).to_contain_text("no value with these inputs")
    expect(page.locator("figure[data-chart=hours] svg")).to_contain_text(WHY)
    drawn = "all => all.filter(e => e.checkVisibility()).map(e => e.outerHTML)"
    shown = page.locator("figure.chart > svg").evaluate_all(drawn)
    assert shown
    assert not {*before} & {*shown}, "an old chart is shown as if it were new"
    page.get_by_role("button", name="Back to the published plan").click()
    expect(moves.locator("> svg")).to_be_visible()
    expect(page.locator("[data-sure=bars] svg")).to_be_visible()


def test_a_page_built_with_these_inputs_shows_the_same(
    chromium: Chromium, book: Book, site: Path, tmp_path: Path
) -> None:
    built = write_site(book, book.plans["ours"], tmp_path / "built", [EDIT])
    live = open_read(chromium, site / "ours.html", f"?{EDIT}")
    still = open_read(chromium, built / "ours.html", scripts=False)
    found = [each for each in differences(live, still) if not each.startswith(("moves:", "notes:"))]
    assert found == []


@pytest.mark.parametrize("query", [EDIT, "tokens=25000000", "tokens=2000000000000"])
def test_on_a_phone_the_bar_of_changes_has_room_for_its_button(
    chromium: Chromium, site: Path, query: str
) -> None:
    page = chromium.visit(f"{(site / 'ours.html').as_uri()}?{query}", width=360).page
    bar = page.locator(".what-if-bar")
    reset = bar.get_by_role("button", name="Reset").bounding_box()
    frame = bar.bounding_box()
    assert reset
    assert frame
    assert reset["x"] + reset["width"] <= frame["x"] + frame["width"] <= 360
    seen = [
        box
        for each in bar.locator("[data-of]").all()
        if (box := each.bounding_box()) and box["y"] < frame["y"] + frame["height"]
    ]
    assert seen
    for box in seen:
        assert box["x"] + box["width"] <= reset["x"]
    chromium.leave()
