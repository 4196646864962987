"""Accelerators, plans and offers side by side: their tables, as the build runs the script,
and what a reader does with them: choose, type, share a link."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from editions import given
from proof.browser import Chromium
from render.drawings import of_plan, svg_of
from render.live.parts import ASSETS, document
from render.pages.rendered import html, read
from render.sample import write_sample
from scalesheet.book import Book
from scalesheet.edition import Edition
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.edits import read_edit
from scalesheet.examine import compile_book
from scalesheet.numbers import format_of, number, text
from scalesheet.render.live.engine import Engine
from scalesheet.render.pages import write_pages
from scalesheet.render.pages.compare.accelerators import accelerators_script, comparison
from scalesheet.render.pages.compare.plans import plans_script
from scalesheet.render.pages.context import Context
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
PRICE = (
    "  - {{from: {}, price: {}, unit: USD / (node * hour), kind: published, "
    "source: {}, seen: {}}}\n"
)
SEEN = "2026-11-01"  # the newest price of each offer, so that none has gone long without a check
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
#: Invalid addresses, and what the page says.
RUBBISH = {
    "?a=<img src=x onerror=alert(1)>": "There is no plan “<img src=x onerror=alert(1)>” here.",
    "?a=rented&a.cards=-3": "A: cards: Expected a whole number of at least 1 in GPU",
    "?a=rented&a.prices=2025-02-31": "“2025-02-31” is not a day",
    "?a=rented&c.x=1": "“c.x” belongs to neither side",
    "?a=__proto__&b=rented": "There is no plan “__proto__” here.",
}
#: Records by kind, day and value; from the day of each on, the rule picks another record.
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
            (NONE if isinstance(price, str) else PRICE).format(
                day, price, PAPER, SEEN if day == max(prices) else day
            )
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
def edition(book: Book) -> Edition:
    results = {plan.id: evaluate(book, plan) for plan in book.plans.values()}
    return given(book, results=results, examples={"with-reserve": (110.0,)})


@pytest.fixture(scope="module")
def site(edition: Edition, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The comparison pages for a browser, with the site's styles and policy."""
    out = tmp_path_factory.mktemp("pages") / "book"
    write_pages(edition, out)
    for part in (*ASSETS.glob("*.css"), ASSETS / "site.js", ASSETS / "charts.js"):
        (out / "assets" / part.name).write_bytes(part.read_bytes())
    for name in PAGES:
        made = document(html((out / f"{name}.md").read_text("utf-8")))
        (out / f"{name}.html").write_text(made, "utf-8")
    return out


@pytest.fixture
def visit(chromium: Chromium, site: Path) -> Iterator[Open]:
    """Opens a page; fails at the end if a script failed or broke the policy."""

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
    """A figure of each side with its unit, in a format shared by both."""
    scalar = book.plans["rented"].scalars[name]
    values = [side.scalars[name] for side in sides]
    fmt = format_of(scalar, values, book.units)
    symbol = book.units.symbol(scalar.unit) if scalar.unit else ""
    return [value.reason or f"{number(float(value.value or 0), fmt)} {symbol}" for value in values]


#: A part of a page without the controls that its script adds.
MARKUP = """(part) => {
  const copy = part.cloneNode(true);
  for (const each of copy.querySelectorAll(".take")) each.remove();
  for (const each of copy.querySelectorAll("button.sort")) each.replaceWith(...each.childNodes);
  for (const each of copy.querySelectorAll("[aria-sort]")) each.removeAttribute("aria-sort");
  return copy.innerHTML.replace(/\\s*\\n\\s*/g, "");
}"""


def markup(page: Page, part: str) -> str:
    found = page.locator(part).evaluate(MARKUP)
    assert isinstance(found, str)
    return found


def row(page: Page, title: str) -> Locator:
    heading = page.get_by_role("rowheader", name=title, exact=True)
    return page.locator("table.compared tbody tr").filter(has=heading)


def lines(tree: list[Any]) -> dict[str, list[str]]:
    """The cells of each row of a table, by the row's heading."""
    return {
        said[0]: said[1:]
        for row in svg_of(tree).iter("tr")
        if (said := [" ".join(" ".join(cell.itertext()).split()) for cell in row])
    }


# ------------------------------------------------------------------ what the tables say

#: The comparison of two sides, each `[plan, day, edits]`.
SIDES = """((...given) => scalesheet.compared.sides(given.map(([id, day, edits], n) => {
  const plan = scalesheet.plans[id];
  const enter = (changes, edit) => scalesheet.inputs.change(plan, changes, ...edit.split("="));
  return { letter: "ab"[n], id, plan, day, changes: edits.reduce(enter, new Map()) };
})))"""
#: The alternatives of a plan, drawn with these options.
ALTERNATIVES = """((id, asked) => {
  const plan = scalesheet.plans[id];
  const { rows, result, draw } = scalesheet.alternatives.of(plan);
  const machine = scalesheet.runtime.machine(plan, plan.inputs);
  const found = rows.map((_, row) => result(machine, new Map(), row));
  return draw(found, { which: "", term: "", order: {}, changes: new Map(), ...asked });
})"""
SIGNS = ("", " chosen", " frontier")
AS_IT_IS = ("rented", "", ())


@pytest.fixture(scope="module")
def sides(edition: Edition) -> Callable[..., Any]:
    context = Context(edition)
    scripts = (context.scripts[id_] for id_ in edition.book.plans)
    engine = Engine(*scripts, plans_script(context))
    return lambda *given: engine.call(SIDES, *given)


def alternatives(book: Book, *edits: str, **asked: object) -> dict[str, list[str]]:
    """The rows of the rented plan's table of alternatives."""
    engine = Engine(of_plan(book.plans["rented"], book, edits))
    found = lines(engine.call(ALTERNATIVES, "rented", asked)["table"])
    assert found.pop("Offer")[:2] == ["Cost USD", "Hours h"]
    return found


@pytest.mark.parametrize(
    ("day", "edits"),
    [
        ("2025-01-01", ("offer=t4-old",)),
        ("2025-09-30", ("offer=t4-old",)),
        ("2026-01-01", ("cards=16", "work=2e9")),
        ("2023-01-01", ()),
    ],
)
def test_a_plan_with_the_data_of_a_day_is_the_plan_built_on_that_day(
    sides: Callable[..., Any], book: Book, data: Path, day: str, edits: tuple[str, ...]
) -> None:
    then = results_of(compile_book(data, date.fromisoformat(day)), *edits)
    found = sides(("rented", day, edits), AS_IT_IS)
    told = lines(found["table"]) | (lines(found["rest"]["table"]) if found["rest"] else {})
    for name in FIGURES:
        title = book.plans["rented"].scalars[name].title
        if title not in told:  # a row is shown only where the sides differ
            assert then.scalars[name] == results_of(book).scalars[name]
            continue
        for n, wanted in enumerate(printed(book, name, then, results_of(book))):
            assert told[title][n].startswith(wanted), name


def as_number(ratio: str) -> float:
    """`25 % less`, `65 % more`, `10.5 ×`, `1/12`."""
    number = float(re.sub("[^0-9.]", "", ratio.removeprefix("1/")))
    if "%" in ratio:
        return 1 + (number if "more" in ratio else -number) / 100
    return 1 / number if ratio.startswith("1/") else number


@pytest.mark.parametrize("value", [1 / 376, 0.11, 0.5, 0.746, 0.999, 1.004, 1.65, 2, 10.5, 1234.5])
def test_a_ratio_reads_naturally(value: float) -> None:
    said = Engine().call("scalesheet.tables.times", value)
    assert said != "same"
    if "under 1 %" not in said:
        assert as_number(said) == pytest.approx(value, rel=5e-2)


def test_two_plans_are_compared_by_what_they_answer(sides: Callable[..., Any], book: Book) -> None:
    small, rented = (evaluate(book, book.plans[id_]) for id_ in ("small", "rented"))
    told = lines(sides(("small", "", ()), AS_IT_IS)["table"])
    cost, other = (float(each.scalars["cost"].value or 0) for each in (small, rented))
    assert as_number(told["Cost"][2]) == pytest.approx(other / cost, rel=2e-2)
    assert "fits" in told["Does it fit?"]
    alike = sides(AS_IT_IS, AS_IT_IS)
    assert {ratio for *_, ratio in lines(alike["table"]).values()} == {"B against A", "same"}
    assert alike["rest"] is None


def test_one_table_holds_all_plans(site: Path, book: Book) -> None:
    told = read((site / "compare/plans.md").read_text("utf-8")).text
    for plan in book.plans.values():
        scalar, value = plan.scalars["cost"], evaluate(book, plan).scalars["cost"]
        said = text(value, format_of(scalar, [value], book.units), "USD").split(" [")[0]
        assert plan.title in told
        assert said.split()[0] in told


def test_the_best_of_a_row_is_marked_and_each_has_its_ratio_to_the_first(edition: Edition) -> None:
    engine = Engine(accelerators_script(comparison(Context(edition))))
    told = lines(engine.call("scalesheet.accelerators.table", ("t4", "h100")))
    assert told["Memory bandwidth GB/s"][1].endswith("best 10.5 ×")  # 3350 / 320
    assert told["Board power W/GPU"][0].endswith("best")
    price = told[f"Cheapest offer on demand at {edition.book.as_of} USD/(GPU·h)"]
    assert price == ["0.40 best Little machine", "3.00 7.50 × Big machine"]


def test_each_offer_has_the_plans_cost_and_hours_with_it(book: Book) -> None:
    told = alternatives(book, "cards=16", which="*")
    under = {offer: results_of(book, f"offer={offer}", "cards=16") for offer in OFFERS}
    for name, at in (("cost", 0), ("hours", 1)):
        for offer, said in zip(OFFERS, printed(book, name, *under.values()), strict=True):
            title = OFFERS[offer][0]
            line = next(told[head] for sign in SIGNS if (head := title + sign) in told)
            assert line[at].split()[0] == said.split()[0]


@pytest.mark.parametrize(
    ("asked", "titles"),
    [
        ({}, ["Big machine, spot frontier", "Big machine chosen"]),
        ({"which": "*", "term": "spot"}, ["Big machine, spot frontier", "Big machine chosen"]),
        ({"which": "t4"}, ["Big machine chosen", "Little machine", "Old machine"]),
        (
            {"which": "*", "order": {"by": "", "falling": True}},
            ["Old machine", "Little machine", "Big machine, spot frontier", "Big machine chosen"],
        ),
    ],
)
def test_the_chosen_offer_is_among_those_shown(
    book: Book, asked: dict[str, Any], titles: list[str]
) -> None:
    assert list(alternatives(book, **asked)) == titles


# ------------------------------------------------------------------ what a reader does


def test_typed_values_are_in_the_address_and_survive_a_reload(visit: Open, book: Book) -> None:
    page = visit("compare/plans", "?a=rented&b=rented")
    side = page.get_by_label("Side B", exact=True)
    side.get_by_label("Another input").select_option("cards")
    cards = side.get_by_label("Cards in GPUs", exact=True)
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
    expect(link).to_have_attribute("href", "../plans/rented.html?cards=3&offer=little")
    page.get_by_role("button", name="Swap the sides").click()
    page.wait_for_url("**?a=rented&a.cards=3&a.offer=little&b=rented")
    page.go_back()
    page.wait_for_url("**?a=rented&b=rented&b.cards=3&b.offer=little")
    page.get_by_label("Plan B").select_option("small")
    page.wait_for_url("**?a=rented&b=small")
    side.get_by_label("Scenario", exact=True).select_option("written")
    page.wait_for_url("**&b=small&b.scenario=written")
    expect(side.get_by_label("Scenario", exact=True)).to_have_value("written")
    page.go_back()
    page.get_by_label("Data of").first.select_option("2024-01-01")
    page.wait_for_url("**?a=rented&a.prices=2024-01-01&b=small")
    expect(page.locator(".sides thead")).to_contain_text("data of 2024-01-01")


def test_rubbish_in_the_address_is_reported_and_breaks_nothing(visit: Open) -> None:
    page = visit("compare/plans")
    for query, said in RUBBISH.items():
        page.goto(page.url.partition("?")[0] + query)
        expect(page.locator(".sides [role=alert]")).to_contain_text(said)
        expect(row(page, "Cost")).to_be_visible()
        assert page.locator(".sides img").count() == 0


def test_accelerators_are_found_by_their_everyday_names(visit: Open) -> None:
    page = visit("hardware/h100")
    page.get_by_role("link", name="Compare with T4").click()
    titles = page.locator("table.compared thead a")
    expect(titles).to_have_text(["H100", "T4"])
    page.get_by_label("Add an accelerator").fill("nonsense")
    page.keyboard.press("Enter")
    expect(page.locator(".chooser [role=alert]")).to_have_text(
        "There is no accelerator “nonsense” here."
    )
    page.get_by_label("Add an accelerator").fill("t4")
    page.keyboard.press("Enter")
    expect(page.locator(".chooser [role=alert]")).to_have_text("T4 is already shown.")
    page.get_by_role("button", name="Compare with T4").click()
    page.wait_for_url("**?of=t4,h100")
    expect(titles).to_have_text(["T4", "H100"])
    page.go_back()
    expect(titles).to_have_text(["H100", "T4"])


def test_the_page_of_accelerators_is_the_built_one(visit: Open) -> None:
    still = visit("compare/accelerators", scripts=False)
    live = visit("compare/accelerators", "?of=h100,<b>x</b>")  # and the default ones beside it
    expect(live.locator(".chooser [role=alert]")).to_contain_text("<b>x</b>")
    assert markup(live, "table.compared") == markup(still, "table.compared")


def test_the_alternatives_are_the_built_ones_and_one_can_be_chosen(visit: Open) -> None:
    still = visit("plans/rented", scripts=False)
    page = visit("plans/rented")
    page.locator("#alternatives").scroll_into_view_if_needed()
    table = page.locator(".alternatives table")
    expect(table.locator("button.sort")).to_have_count(7)
    for part in ("note", "chart svg", "scroll table"):
        assert markup(page, f".alternatives .{part}") == markup(still, f".alternatives .{part}")
    page.get_by_label("Offers").select_option("*")
    expect(table.locator("tbody tr")).to_have_count(len(OFFERS))
    page.get_by_role("button", name="Hours").click()
    expect(table.locator("thead th").nth(2)).to_have_attribute("aria-sort", "ascending")
    page.get_by_role("button", name="Take Little machine").click()
    page.wait_for_url("**?offer=little")
    expect(table.locator("tr:has(.sign.chosen) th a")).to_have_text("Little machine")
    expect(page.locator(".alternatives > .note")).to_contain_text("4 rows, with your changes")
    published = page.get_by_role("link", name="Compare with the published plan")
    wanted = "../compare/plans.html?a=rented&b=rented&b.offer=little"
    expect(published).to_have_attribute("href", wanted)


@pytest.mark.parametrize("name", ["compare/accelerators", "compare/plans"])
def test_a_phone_scrolls_the_table_and_not_the_page(visit: Open, name: str) -> None:
    page = visit(name, width=360)
    expect(page.locator("table.compared tbody tr").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
