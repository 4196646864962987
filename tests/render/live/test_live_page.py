"""What a reader does on a plan's page, opened from a folder: choose, type, go back, share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from editions import given
from proof.browser import Chromium
from render.live.parts import sample, write_site
from scalesheet.book import Book
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.edits import read_edit
from scalesheet.numbers import format_of, number
from scalesheet.printers.latex import latex
from scalesheet.render.live import ANSWERING, ASKING, DRAWING, FRONT, PARTS, SURE, WORKLOAD, script
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.notation import Titles
from scalesheet.render.pages.plan.formulas import plan_formulas

Open = Callable[..., Page]
GPU_HOURS = "phases.total.gpu_hours"


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    return sample(tmp_path_factory.mktemp("sample"))


@pytest.fixture(scope="module")
def address(book: Book, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("page") / "site"
    return (write_site(book, book.plans["small"], folder) / "small.html").as_uri()


@pytest.fixture
def visit(chromium: Chromium, address: str) -> Iterator[Open]:
    """Opens the plan's page; fails at the end if a script failed or broke the policy."""

    def open_page(query: str = "", width: int = 1280, scripts: bool = True) -> Page:
        return chromium.visit(address + query, width=width, scripts=scripts).page

    yield open_page
    assert chromium.leave() == []


def expected(book: Book, name: str, *edits: str) -> str:
    """A figure as the program prints it after edits."""
    plan = book.plans["small"]
    results = evaluate(book, plan, dict(read_edit(book, plan, edit) for edit in edits))
    value, scalar = results.scalars[name], plan.scalars[name]
    assert isinstance(value.value, float)
    return number(value.value, format_of(scalar, [value], book.units))


def card(page: Page, of: str = GPU_HOURS) -> Locator:
    return page.locator(f".hero .value[data-of='{of}'] .num")


def field(page: Page, of: str) -> Locator:
    return page.locator(f"#inputs ~ .scroll [data-of='{of}'] :is(input, select)").first


def enter(page: Page, of: str, text: str) -> Locator:
    control = field(page, of)
    control.fill(text)
    control.press("Enter")
    return control


def choose(page: Page, word: str) -> None:
    page.locator("fieldset label", has_text=word).click()


def query(page: Page) -> str:
    found = page.evaluate("location.search")
    assert isinstance(found, str)
    return found


# ------------------------------------------------------------------ changing


def test_the_scenario_changes_with_one_click(visit: Open, book: Book) -> None:
    page = visit()
    choose(page, "written")
    expect(card(page)).to_have_text(expected(book, GPU_HOURS, "scenario=written"))
    page.wait_for_url("**?scenario=written")
    choose(page, "corrected")
    expect(card(page)).to_have_text(expected(book, GPU_HOURS))
    page.wait_for_url("**/small.html")


def test_a_number_takes_effect_while_it_is_typed(visit: Open, book: Book) -> None:
    page = visit()
    control = field(page, "price")
    control.click()
    page.keyboard.press("Control+A")
    page.keyboard.type("5")
    expect(card(page, "cost")).to_have_text(expected(book, "cost", "price=5"))
    assert query(page) == ""
    page.keyboard.type("0")
    page.keyboard.press("Enter")
    expect(card(page, "cost")).to_have_text(expected(book, "cost", "price=50"))
    page.wait_for_url("**?price=50")


def test_a_range_is_typed_with_two_dots(visit: Open, book: Book) -> None:
    page = visit()
    control = field(page, "steps_per_hour")
    control.focus()
    expect(control).to_have_value("1800..2100")
    enter(page, "steps_per_hour", "1000..3000")
    page.wait_for_url("**?steps_per_hour.corrected=1000..3000")
    edit = "steps_per_hour.corrected=1000..3000"
    expect(card(page)).to_have_text(expected(book, GPU_HOURS, edit))
    control.blur()
    expect(control).to_have_value("2,000")


def test_an_accelerator_is_chosen_from_a_list(visit: Open) -> None:
    page = visit()
    page.locator(".what-if").get_by_label("Accelerator", exact=True).select_option("T4")
    named = page.locator("p > [data-of=gpu][data-as=row]").first
    expect(named).to_have_text("T4")
    expect(named.locator("a")).to_have_attribute("href", "../hardware/t4.html")
    memory = page.locator("[data-of='hardware/@gpu/memory']").first
    expect(memory).to_have_text("14.901161194\u00a0GiB")
    expect(memory).to_have_attribute("href", "../hardware/t4.html#figures")
    expect(page.locator(".hero .value[data-of=enough]")).to_have_text("depends")
    expect(field(page, "gpu")).to_have_value("t4")
    expect(page.locator("[data-used]")).to_contain_text("T4")


def test_a_cell_of_a_table_is_changed_in_place(visit: Open, book: Book) -> None:
    page = visit()
    cell = page.get_by_label("Steps, First in step").first
    cell.fill("40000")
    cell.press("Enter")
    edit = "train.runs['first'].steps=40000"
    expect(card(page)).to_have_text(expected(book, GPU_HOURS, edit))
    page.wait_for_url("**?train.runs[first].steps=40000")


def test_fields_show_their_inputs_before_any_change(visit: Open) -> None:
    page = visit("#inputs")
    shown = page.locator("[data-input] input[type=text]").evaluate_all(
        "every => every.map((each) => [each.closest('[data-of]').dataset.of, each.value])"
    )
    assert "reserve" in dict(shown), shown  # a number without unit and range
    assert all(text for _, text in shown), shown


def test_charts_follow_the_inputs(visit: Open) -> None:
    page = visit()
    bar = page.locator("figure[data-chart=by_phase] g[data-row=test] rect")
    before = bar.get_attribute("width")
    enter(page, "cards", "1")
    expect(bar).not_to_have_attribute("width", str(before))
    expect(page.locator("figure[data-chart=by_phase]")).to_have_class("chart changed")


# ------------------------------------------------------------------ invalid entries


@pytest.mark.parametrize("text", ["eight", "2.5", "0", "-3", "", "<img src=x onerror=alert(1)>"])
def test_a_bad_entry_is_reported_beside_its_field_and_changes_nothing(
    text: str, visit: Open
) -> None:
    page = visit("?cards=4")
    before = card(page).inner_text()
    control = enter(page, "cards", text)
    message = page.locator("[data-of=cards] .bad")
    expect(message).to_contain_text("Expected a whole number of at least 1 in GPU")
    expect(message).to_have_role("alert")
    expect(control).to_have_attribute("aria-invalid", "true")
    expect(control).to_have_attribute("aria-describedby", str(message.get_attribute("id")))
    expect(card(page)).to_have_text(before)
    assert query(page) == "?cards=4"
    enter(page, "cards", "5")
    expect(message).to_have_count(0)
    page.wait_for_url("**?cards=5")


def test_typed_values_are_in_the_address_when_the_window_loses_focus(visit: Open) -> None:
    page = visit()
    control = field(page, "cards")
    control.fill("80")
    control.dispatch_event("blur")
    page.wait_for_url("**?cards=80")


def test_escape_undoes_typing(visit: Open) -> None:
    page = visit()
    before = card(page).inner_text()
    control = field(page, "cards")
    control.fill("80")
    expect(card(page)).not_to_have_text(before)
    control.press("Escape")
    expect(card(page)).to_have_text(before)
    expect(control).to_have_value("8")
    assert query(page) == ""


def test_rubbish_in_the_address_is_reported_and_none_of_it_runs(visit: Open, book: Book) -> None:
    page = visit("?cards=<b>x</b>&nothing=1&constructor=2&price=5")
    told = page.locator(".what-if p.bad")
    expect(told).to_have_count(3)
    expect(told.nth(0)).to_contain_text("cards: Expected a whole number of at least 1 in GPU")
    expect(told.nth(1)).to_contain_text("There is no input “nothing” in this plan.")
    assert page.locator(".what-if b").count() == 0
    expect(card(page, "cost")).to_have_text(expected(book, "cost", "price=5"))


# ------------------------------------------------------------------ marks and resets


def test_a_change_is_marked_and_shows_the_published_value(visit: Open, book: Book) -> None:
    page = visit("?price=5")
    cost = page.locator(".hero .value[data-of=cost]")
    expect(cost).to_have_class("value changed")
    published = expected(book, "cost")
    expect(cost).to_have_attribute("title", f"published: {published} USD")
    expect(page.locator(".hero .was")).to_have_text(f"published: {published} USD")
    unchanged = page.locator(f".hero .value[data-of='{GPU_HOURS}']")
    expect(unchanged).to_have_class("value")
    expect(page.get_by_role("status")).to_contain_text("figures of the plan differ")


def test_a_row_in_the_headline_is_named_by_its_title(visit: Open, book: Book) -> None:
    titles = dict(
        zip(book.tables["hardware"].rows, book.tables["hardware"].row_titles, strict=True)
    )
    other = next(row for row in titles if row != "h100")
    for query, row in (("", "h100"), (f"?gpu={other}", other)):
        shown = visit(query).locator(".hero .value[data-of=gpu]")
        expect(shown).to_have_text(titles[row])


def test_a_change_can_be_undone_at_its_field_and_in_the_list(visit: Open) -> None:
    page = visit("?price=5&cards=4&reserve=0.2")
    expect(page.locator(".changes li")).to_have_count(3)
    page.locator("[data-of=price] .reset").click()
    page.wait_for_url("**?cards=4&reserve=0.2")
    expect(field(page, "price")).to_be_focused()
    expect(field(page, "price")).to_have_value("2.5")
    page.get_by_role("button", name="Undo: Reserve").click()
    page.wait_for_url("**?cards=4")
    expect(field(page, "reserve")).to_have_value("10%")


def test_a_changed_input_keeps_the_source_of_the_published_value(visit: Open) -> None:
    page = visit("?price=5")
    source = page.locator("#inputs ~ .scroll tr:has([data-of=price]) td.words")
    expect(source).to_have_text("Changed here; published: 2.5 USD/(GPU·h). =1+1 is a title")
    expect(source.locator(".published-as")).to_be_visible()
    page.locator("[data-of=price] .reset").click()
    expect(source.locator(".published-as")).to_be_hidden()


def test_all_changes_can_be_undone_at_once(visit: Open) -> None:
    page = visit()
    read = "() => document.querySelector('article').innerText"
    before = page.evaluate(read)
    page.goto(page.url + "?price=5&cards=4&scenario=written&gpu=t4&sizes[one].steps=7")
    page.get_by_role("button", name="Back to the published plan").click()
    page.wait_for_url("**/small.html")
    # the sensitivity charts are redrawn in slices, after the figures
    page.wait_for_function(f"before => ({read})() === before", arg=before)
    assert page.locator(".changed").count() == 0
    expect(page.locator(".what-if-bar")).to_be_hidden()


def test_the_headline_stays_in_sight_while_inputs_change(visit: Open, book: Book) -> None:
    page = visit()
    enter(page, "price", "5")
    bar = page.locator(".what-if-bar")
    expect(bar).to_be_in_viewport()
    expect(bar).to_contain_text(expected(book, "cost", "price=5"))
    expect(bar).to_contain_text("1 change")


# ------------------------------------------------------------------ a figure's formula


def test_a_figure_shows_its_formula_with_the_current_numbers(visit: Open) -> None:
    page = visit("?price=5")
    told = page.locator(".told")
    page.locator(".hero .value[data-of=cost]").click()
    expect(told).to_be_visible()
    expect(told).to_be_focused()
    for text in ("Cost", "USD", "published: ", "derived", "5.00 USD/(GPU·h)", "Needs"):
        expect(told).to_contain_text(text)
    expect(told.locator(".wide")).to_have_count(1)
    expect(told.locator("p:has-text('Needs') [data-of=price]")).to_contain_text("5.00")
    told.locator("[data-of=price]").first.click()  # from there to its inputs
    expect(told.locator(".title")).to_have_text("Price")
    expect(told).to_contain_text("Input, published")
    expect(told).to_contain_text("Takes a number of at least 0 in USD/(GPU·h)")
    page.keyboard.press("Escape")
    expect(told).to_be_hidden()
    expect(page.locator(".hero .value[data-of=cost]")).to_be_focused()


def test_the_keyboard_opens_a_cells_formula_for_its_own_row(visit: Open) -> None:
    page = visit()
    page.locator("td[data-of='sizes/one/spare'][tabindex='0']").first.focus()
    for key in ("ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    cell = page.locator("td:focus")
    expect(cell).to_have_attribute("data-of", "sizes/two/large")
    shown = cell.inner_text()
    page.keyboard.press("Enter")
    told = page.locator(".told")
    expect(told.locator(".title")).to_contain_text(", Two")
    own = told.locator("[data-own]").all()
    assert own
    assert all("/two/" in str(each.get_attribute("data-of")) for each in own)
    expect(told.locator(".value")).to_contain_text(shown)


def test_the_latex_of_a_formula_is_printed_from_its_mathml(visit: Open, book: Book) -> None:
    plan = book.plans["small"]
    context = Context(given(book))
    expected = {
        each.anchor: latex(each.formula.ends.value, Titles(context, plan, each.key.table))
        for group in plan_formulas(plan, evaluate(book, plan)).values()
        for each in group
    }
    page = visit()
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    texts = page.locator(".formulas .formula > div dd:nth-of-type(2)")
    expect(texts).to_have_count(len(expected))
    shown = "all => all.map(each => [each.closest('[id]').id, each.textContent])"
    assert dict(texts.evaluate_all(shown)) == expected
    assert len(expected) > 10


def test_in_a_field_it_takes_one_more_key(visit: Open) -> None:
    page = visit()
    field(page, "price").press("Alt+Enter")
    expect(page.locator(".told .title")).to_have_text("Price")


# ------------------------------------------------------------------ the address


def test_links_to_pages_of_the_plan_carry_the_changes(visit: Open) -> None:
    page = visit("?price=5")
    page.evaluate(
        "document.querySelector('article').insertAdjacentHTML("
        "'beforeend', '<a class=other href=\"small.html#inputs\">other</a>')"
    )
    enter(page, "cards", "4")
    link = page.locator("a.other")
    expect(link).to_have_attribute("href", "small.html?price=5&cards=4#inputs")


@pytest.mark.parametrize(
    "text", ["NaN", "Infinity", "1e999", "-1", "", "%00", "1,2,3", "<svg/onload=alert(1)>", "5..1"]
)
def test_an_invalid_address_leaves_the_page_as_published(
    text: str, visit: Open, book: Book
) -> None:
    page = visit(f"?price={text}&__proto__=1&price.x=2")
    expect(page.locator(".what-if p.bad")).to_have_count(3)
    expect(page.locator(".what-if p.bad").first).to_contain_text("price: Expected")
    expect(card(page, "cost")).to_have_text(expected(book, "cost"))
    expect(page.locator(".what-if-bar")).to_be_hidden()


def test_a_link_shows_what_its_sender_saw(visit: Open) -> None:
    first = visit()
    choose(first, "written")
    enter(first, "cards", "3")
    first.wait_for_url("**?scenario=written&cards=3")
    second = visit(query(first))
    expect(card(second)).to_have_text(card(first).inner_text())
    expect(second.locator("input[value=written]")).to_be_checked()
    second.reload()
    expect(card(second)).to_have_text(card(first).inner_text())


def test_back_and_forward_step_through_the_changes(visit: Open, book: Book) -> None:
    page = visit()
    enter(page, "price", "5")
    page.wait_for_url("**?price=5")
    choose(page, "written")
    page.wait_for_url("**?price=5&scenario=written")
    page.go_back()
    expect(card(page)).to_have_text(expected(book, GPU_HOURS))
    expect(card(page, "cost")).to_have_text(expected(book, "cost", "price=5"))
    expect(page.locator("input[value=corrected]")).to_be_checked()
    page.go_back()
    expect(card(page, "cost")).to_have_text(expected(book, "cost"))
    expect(field(page, "price")).to_have_value("2.50")
    page.go_forward()
    expect(card(page, "cost")).to_have_text(expected(book, "cost", "price=5"))


def test_a_place_on_the_page_stays_in_the_address(visit: Open) -> None:
    page = visit("#inputs")
    enter(page, "price", "5")
    page.wait_for_url("**?price=5#inputs")


# ------------------------------------------------------------------ accessibility


def test_it_works_with_the_keyboard(visit: Open, book: Book) -> None:
    page = visit()
    page.locator("input[value=corrected]").focus()
    page.keyboard.press("ArrowRight")
    expect(card(page)).to_have_text(expected(book, GPU_HOURS, "scenario=written"))
    page.keyboard.press("Tab")
    expect(page.locator(".what-if").get_by_label("Accelerator", exact=True)).to_be_focused()


def test_a_screen_reader_hears_what_changed(visit: Open) -> None:
    page = visit("?price=5")
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    names = [node.get("name", {}).get("value", "") for node in nodes]
    assert any("USD" in name and "changed" in name for name in names)


def test_every_field_has_a_name(visit: Open) -> None:
    page = visit()
    for control in page.locator(".field :is(input, select)").all():
        assert control.get_attribute("aria-label")


def test_without_scripts_the_page_has_all_figures_and_no_controls(visit: Open, book: Book) -> None:
    page = visit("?price=5", scripts=False)
    expect(card(page, "cost")).to_have_text(expected(book, "cost"))
    expect(page.locator(".what-if")).to_be_hidden()
    expect(page.locator("#inputs ~ .scroll").first).to_contain_text("USD/(GPU·h)")
    assert page.locator(".field, .changed").count() == 0


def test_nothing_overflows_on_a_phone(visit: Open) -> None:
    page = visit("?scenario=written&price=5&cards=oops", width=360)
    enter(page, "reserve", "nonsense")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    enter(page, "reserve", "20%")
    page.wait_for_url("**&reserve=0.2")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_an_untouched_page_is_as_published(visit: Open) -> None:
    still, live = visit(scripts=False), visit()
    marks = "[data-of]:not([data-input])"
    texts = "marks => marks.map(mark => mark.textContent)"
    shown = live.locator(f"article {marks}:not(.what-if-bar *)").evaluate_all(texts)
    assert shown == still.locator(marks).evaluate_all(texts)


def test_the_script_stays_small() -> None:
    # the last 500 bytes name the figures of tables, whose pages are 250 kB smaller for it
    assert len(script().encode()) < 112_000


def test_the_package_has_every_part_of_the_script() -> None:
    folder = Path(__file__).parents[3] / "generator/scalesheet/render/live"
    found = {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.js")}
    own = {"compare/accelerators", "compare/plans", "filtered", "later"}  # scripts of other pages
    assert found == {*PARTS, *ANSWERING, *FRONT, *DRAWING, *ASKING, *WORKLOAD, *SURE, *own}
