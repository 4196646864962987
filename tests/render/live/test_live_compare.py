"""A reader holds accelerators, plans and offers side by side: chooses, types, shares a link."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from editions import given
from proof.browser import Chromium
from render.live.parts import ASSETS, document
from render.pages.rendered import html
from render.sample import write_sample
from scalesheet.book import Book
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.edits import read_edit
from scalesheet.examine import compile_book
from scalesheet.numbers import format_of, number, text
from scalesheet.render.pages import write_pages
from scalesheet.values import Results

Open = Callable[..., Page]
PAGES = ("compare/accelerators", "compare/plans", "plans/rented", "hardware/h100")
OFFER = """
title: {title}
provider: Cloud
accelerator: {accelerator}
accelerators: 8
term: {term}
prices:
"""
PRICE = "  - {{from: {}, price: {}, unit: USD / (node * hour), kind: published, source: {}}}\n"
NONE = "  - {{from: {}, reason: {}, source: {}}}\n"
PAPER = "{key: paper}"
OFFERS = {
    "big": ("Big machine", "h100", "on-demand", {"2024-01-01": 32, "2026-01-01": 24}),
    "big-spot": ("Big machine, spot", "h100", "spot", {"2026-06-01": 12}),
    "little": ("Little machine", "t4", "on-demand", {"2024-01-01": 3.2}),
    "t4-old": (
        "Old machine",
        "t4",
        "on-demand",
        {"2024-01-01": 4, "2025-09-30": "no longer offered"},
    ),
}
RENTED = """
title: A rented run
summary: The same work on any offer.
source: {key: memo}
headline: [cost, hours, verdict]
scalars:
  offer: {ref: offers, value: big, title: Offer}
  work:
    value: 2e9
    low: 1e9
    high: 3e9
    unit: TFLOP
    domain: positive
    kind: assumption
    source: {key: memo}
    title: Work
    was: [{until: 2025-06-01, value: 1.5e9, why: a guess}]
  cards: {value: 8, unit: GPU, domain: count, kind: decision, source: {key: memo}, title: Cards}
  hours: {unit: hour, formula: work / (offer.accelerator.dense_fp16 * cards), title: Hours}
  cost: {unit: USD, formula: hours * cards * offer.price, title: Cost}
  gpu_hours: {unit: GPU * hour, formula: hours * cards, title: GPU hours}
  twice: {unit: USD, formula: 2 * cost, title: Twice the cost}
  run: {ref: measurements, rule: {accelerator: h100}, runs: {gpus: cards}, title: Record}
  pace: {unit: second / step, formula: run.step_time * 2, title: Pace}
  verdict:
    title: Does it fit?
    words: [fits, does not fit]
    formula: "'fits' if offer.accelerator.memory > 0 else 'does not fit'"
"""
FIGURES = ("cost", "hours", "gpu_hours", "twice", "pace")
RECORD = """
title: A run
how: {how}
date: {day}
source: paper
accelerator: h100
accelerators: {{value: 1, unit: GPU}}
model_name: A model
step_time: {{value: {time}, unit: second / step}}
"""
MORE_UNITS = """\
  GFLOP: {is: 1000000000 * FLOP, symbol: GFLOP, title: 1e9 floating-point operations}
  sequence: {dimension: sequence, symbol: seq, title: sequence, counted: true}
"""
#: Records of which the rule chooses another from the day of each on.
RECORDS = {
    "guessed": ("simulated", "2022-06-01", 0.5),
    "timed": ("measured", "2025-06-01", 0.75),
    "timed-again": ("measured", "2025-12-01", 0.625),
    "guessed-again": ("simulated", "2026-02-01", 0.25),
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_sample(tmp_path_factory.mktemp("compared") / "data")
    for id_, (title, accelerator, term, prices) in OFFERS.items():
        head = OFFER.format(title=title, accelerator=accelerator, term=term)
        lines = "".join(
            (NONE if isinstance(price, str) else PRICE).format(day, price, PAPER)
            for day, price in prices.items()
        )
        (folder / "rates").mkdir(exist_ok=True)
        (folder / f"rates/{id_}.yaml").write_text(head.lstrip() + lines, "utf-8")
    (folder / "measurements").mkdir()
    for id_, (how, day, time) in RECORDS.items():
        text = RECORD.format(how=how, day=day, time=time).lstrip()
        (folder / f"measurements/{id_}.yaml").write_text(text, "utf-8")
    units = folder / "units.yaml"
    units.write_text(units.read_text("utf-8") + MORE_UNITS, "utf-8")
    (folder / "plans/rented").mkdir()
    (folder / "plans/rented/plan.yaml").write_text(RENTED.lstrip(), "utf-8")
    (folder / "plans/rented/page.md").write_text("A page.\n", "utf-8")
    return folder


@pytest.fixture(scope="module")
def book(data: Path) -> Book:
    return compile_book(data)


@pytest.fixture(scope="module")
def site(book: Book, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compared pages as a browser reads them, with the site's styles and policy."""
    out = tmp_path_factory.mktemp("pages") / "book"
    results = {plan.id: evaluate(book, plan) for plan in book.plans.values()}
    examples = {"with-reserve": (110.0,)}
    write_pages(given(book, results=results, examples=examples), out)
    for part in (*ASSETS.glob("*.css"), ASSETS / "site.js"):
        (out / "assets" / part.name).write_bytes(part.read_bytes())
    for name in PAGES:
        made = document(html((out / f"{name}.md").read_text("utf-8")))
        (out / f"{name}.html").write_text(made, "utf-8")
    return out


@pytest.fixture
def visit(chromium: Chromium, site: Path) -> Iterator[Open]:
    """Opens a page; in the end no script has failed and the policy was kept."""

    def open_page(name: str, query: str = "", width: int = 1280, scripts: bool = True) -> Page:
        return chromium.visit(
            (site / f"{name}.html").as_uri() + query, width=width, scripts=scripts
        ).page

    yield open_page
    assert chromium.leave() == []


def results_of(book: Book, *edits: str) -> Results:
    plan = book.plans["rented"]
    return evaluate(book, plan, dict(read_edit(book, plan, edit) for edit in edits))


def printed(book: Book, name: str, *sides: Results) -> list[str]:
    """A figure of each side with its unit, in the one format of both."""
    scalar = book.plans["rented"].scalars[name]
    values = [side.scalars[name] for side in sides]
    fmt = format_of(scalar, values, book.units)
    symbol = book.units.symbol(scalar.unit) if scalar.unit else ""
    return [value.reason or f"{number(float(value.value or 0), fmt)} {symbol}" for value in values]


def flat(locator: Locator) -> str:
    return " ".join(locator.inner_text().split())


def row(page: Page, title: str) -> Locator:
    heading = page.get_by_role("rowheader", name=title, exact=True)
    return page.locator("table.compared tbody tr").filter(has=heading)


def column(page: Page) -> list[str]:
    """What each row of the first column says."""
    return page.locator("table.drawn tbody th").all_inner_texts()


# ------------------------------------------------------------------ two plans


@pytest.mark.parametrize(
    ("day", "edits"),
    [
        ("2025-01-01", ("offer=t4-old",)),
        ("2025-09-30", ("offer=t4-old",)),
        ("2026-01-01", ("cards=16", "work=2e9")),
        ("2023-01-01", ()),
    ],
)
def test_a_plan_with_the_data_of_a_day_is_the_plan_that_is_built_at_that_day(
    visit: Open, book: Book, data: Path, day: str, edits: tuple[str, ...]
) -> None:
    then = results_of(compile_book(data, date.fromisoformat(day)), *edits)
    changed = "".join(f"&a.{edit}" for edit in edits)
    page = visit("compare/plans", f"?a=rented&a.prices={day}{changed}&b=rented")
    expect(row(page, "Cost")).to_be_visible()
    details = page.locator("details.differing")
    if details.is_visible():
        details.evaluate("fold => fold.open = true")
    for name in FIGURES:
        title = book.plans["rented"].scalars[name].title
        wanted = printed(book, name, then, results_of(book))
        found = row(page, title)
        if not found.count():  # among those that differ only where it does
            assert then.scalars[name] == results_of(book).scalars[name]
            continue
        for n, told in enumerate(wanted):
            assert flat(found.locator("td").nth(n)).startswith(told), (name, told)


def test_what_is_typed_stands_in_the_address_and_a_reload_shows_it(visit: Open, book: Book) -> None:
    page = visit("compare/plans", "?a=rented&b=rented")
    side = page.get_by_label("Side B", exact=True)
    side.get_by_label("Another input").select_option("cards")
    cards = side.get_by_label("Cards in GPU", exact=True)
    cards.fill("3")
    cards.press("Enter")
    page.wait_for_url("**?a=rented&b=rented&b.cards=3")
    side.locator("select").nth(2).select_option("little")
    page.wait_for_url("**&b.cards=3&b.offer=little")
    page.reload()
    now = results_of(book, "cards=3", "offer=little")
    for name in ("cost", "hours"):
        wanted = printed(book, name, results_of(book), now)
        title = book.plans["rented"].scalars[name].title
        expect(row(page, title).locator("td").nth(1)).to_contain_text(
            wanted[1].replace(" ", "\u00a0")
        )
    link = side.get_by_role("link", name="Open the plan with these inputs")
    assert link.get_attribute("href") == "../plans/rented.html?cards=3&offer=little"
    page.get_by_role("button", name="Swap the sides").click()
    page.wait_for_url("**?a=rented&a.cards=3&a.offer=little&b=rented")
    page.go_back()
    page.wait_for_url("**?a=rented&b=rented&b.cards=3&b.offer=little")


def test_two_plans_stand_beside_each_other_by_what_they_answer(visit: Open, book: Book) -> None:
    page = visit("compare/plans", "?a=small&b=rented")
    small = book.plans["small"]
    results = evaluate(book, small)
    cost = results.scalars["cost"].value
    other = results_of(book).scalars["cost"].value
    assert isinstance(cost, float)
    assert isinstance(other, float)
    expect(row(page, "Cost").locator("td.ratio")).to_contain_text("×")
    told = flat(row(page, "Cost").locator("td.ratio")).split()[0].replace(",", "")
    assert float(told) == pytest.approx(other / cost, rel=5e-3)
    assert "fits" in flat(row(page, "Does it fit?"))
    page.get_by_label("Plan B").select_option("small")
    page.wait_for_url("**?a=small&b=small")
    expect(row(page, "Cost").locator("td.ratio")).to_have_text("same")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (
            "?a=<img src=x onerror=alert(1)>",
            "There is no plan “<img src=x onerror=alert(1)>” here.",
        ),
        ("?a=rented&a.cards=-3", "A: cards: Expected a whole number of at least 1 in GPU"),
        ("?a=rented&a.prices=2025-02-31", "“2025-02-31” is no day"),
        ("?a=rented&c.x=1", "“c.x” is of neither side"),
        ("?a=__proto__&b=rented", "There is no plan “__proto__” here."),
    ],
)
def test_rubbish_in_the_address_is_told_and_breaks_nothing(
    visit: Open, query: str, said: str
) -> None:
    page = visit("compare/plans", query)
    expect(page.locator(".sides [role=alert]")).to_contain_text(said)
    expect(row(page, "Cost")).to_be_visible()
    assert page.locator(".sides img").count() == 0


def test_without_scripts_all_plans_stand_in_one_table(visit: Open, book: Book) -> None:
    page = visit("compare/plans", scripts=False)
    told = flat(page.locator("table.answers"))
    for plan in book.plans.values():
        scalar, value = plan.scalars["cost"], evaluate(book, plan).scalars["cost"]
        said = text(value, format_of(scalar, [value], book.units), "USD").split(" [")[0]
        assert plan.title in told
        assert said.split()[0] in told


# ------------------------------------------------------------------ accelerators


def test_accelerators_are_chosen_by_the_names_that_people_use(visit: Open, book: Book) -> None:
    page = visit("compare/accelerators", "?of=t4,h100")
    cells = row(page, "Memory bandwidth GB/s").locator("td")
    expect(cells.nth(1)).to_contain_text("best")
    expect(cells.nth(1)).to_contain_text("10.5 ×")  # 3350 / 320
    expect(row(page, "Board power W/GPU").locator("td").nth(0)).to_contain_text("best")
    price = row(page, f"Cheapest offer on demand at {book.as_of} USD/(GPU·h)").locator("td")
    assert price.get_by_role("link").all_inner_texts() == ["Little machine", "Big machine"]
    expect(page.get_by_label("Add an accelerator")).to_be_enabled()
    page.get_by_label("Add an accelerator").fill("nonsense")
    page.keyboard.press("Enter")
    expect(page.locator(".chooser [role=alert]")).to_have_text(
        "There is no accelerator “nonsense” here."
    )
    page.get_by_label("Add an accelerator").fill("t4")
    page.keyboard.press("Enter")
    expect(page.locator(".chooser [role=alert]")).to_have_text("T4 is there already.")
    page.get_by_role("button", name="Compare with H100").click()
    page.wait_for_url("**?of=h100,t4")
    page.go_back()
    expect(page.locator("table.compared thead a").first).to_have_text("T4")


def test_the_page_of_accelerators_is_the_one_that_is_built(visit: Open) -> None:
    still = visit("compare/accelerators", scripts=False)
    live = visit("compare/accelerators")
    table = "table.compared"
    assert live.locator(table).inner_text() == still.locator(table).inner_text()
    faulty = visit("compare/accelerators", "?of=h100,<b>x</b>")
    expect(faulty.locator(".chooser [role=alert]")).to_contain_text("<b>x</b>")
    assert faulty.locator(table).inner_text() == live.locator(table).inner_text()


def test_an_accelerator_leads_to_the_comparison_with_its_peers(visit: Open) -> None:
    page = visit("hardware/h100")
    page.get_by_role("link", name="Compare with T4").click()
    expect(page.locator("table.compared thead a")).to_have_text(["H100", "T4"])


# ------------------------------------------------------------------ what a plan could choose


def test_each_offer_has_what_the_plan_would_take_with_it(visit: Open, book: Book) -> None:
    page = visit("plans/rented", "?cards=16")
    page.locator("#alternatives").scroll_into_view_if_needed()
    table = page.locator(".alternatives table")
    expect(table.locator("tbody tr")).to_have_count(2)
    page.get_by_label("Offers").select_option("*")
    expect(table.locator("tbody tr")).to_have_count(len(OFFERS))
    under = {offer: results_of(book, f"offer={offer}", "cards=16") for offer in OFFERS}
    for name, at in (("cost", 0), ("hours", 1)):
        told = dict(zip(OFFERS, printed(book, name, *under.values()), strict=True))
        for offer, said in told.items():
            line = table.locator("tbody tr").filter(
                has=page.get_by_role("link", name=OFFERS[offer][0], exact=True)
            )
            assert flat(line.locator("td").nth(at)).split()[0] == said.split()[0]
    costs = sorted(OFFERS, key=lambda offer: under[offer].scalars["cost"].value or math.inf)
    titles = [OFFERS[offer][0] for offer in costs]
    assert table.locator("tbody th a").all_inner_texts() == titles
    assert table.locator("tr:has(.sign.frontier) th a").all_inner_texts() == ["Big machine, spot"]
    page.get_by_role("button", name="Take Little machine").click()
    page.wait_for_url("**?cards=16&offer=little")
    expect(table.locator("tr:has(.sign.chosen) th a")).to_have_text("Little machine")
    published = page.get_by_role("link", name="Compare with the published plan")
    wanted = "../compare/plans.html?a=rented&b=rented&b.cards=16&b.offer=little"
    assert published.get_attribute("href") == wanted


def test_the_page_holds_the_offers_of_the_accelerator_at_hand(visit: Open) -> None:
    page = visit("plans/rented", scripts=False)
    lines = page.locator(".alternatives tbody tr")
    assert lines.locator("th a").all_inner_texts() == ["Big machine, spot", "Big machine"]
    assert "frontier" in flat(lines.nth(0))
    assert "chosen" in flat(lines.nth(1))


@pytest.mark.parametrize("name", ["compare/accelerators", "compare/plans"])
def test_a_phone_scrolls_the_table_and_not_the_page(visit: Open, name: str) -> None:
    page = visit(name, width=360)
    expect(page.locator("table.compared tbody tr").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
