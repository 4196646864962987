"""The front page in a browser: its answer is that of the evaluator, its layout that of `choose`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, expect

from editions import given
from proof.browser import Chromium
from proof.ledger import share
from render.live.parts import ASSETS, with_policy, write_site
from render.live.reading import open_read
from render.pages.rendered import html
from scalesheet.book import Book
from scalesheet.choose.case import Case, taken
from scalesheet.choose.job import PLAN, Job, assumptions
from scalesheet.choose.search import search
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.edits import read_edit
from scalesheet.model import Plan
from scalesheet.numbers import format_of, plain
from scalesheet.predict.cases.catalogue import known
from scalesheet.render.live import FRONT, script
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.front.page import FrontPage, front_page
from scalesheet.render.pages.front.question import LAYOUT
from scalesheet.render.script import runtime
from scalesheet.values import Results, Value
from scalesheet.vocabulary import METHODS
from shipped import ROOT, shipped, shipped_book

Open = Callable[..., Page]
WRITTEN = (ROOT / "docs" / "index.md").read_text("utf-8")
DONE = "[data-beside]:not([aria-busy])"
PATIENCE = 300_000  # ms: where nothing fits the page tries every accelerator in ever larger numbers


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped_book()


@pytest.fixture(scope="module")
def plan(book: Book) -> Plan:
    return book.plans[PLAN]


def filled(book: Book, written: str = WRITTEN) -> FrontPage:
    found = shipped()
    context = Context(given(book, results=found.results, scores=found.scores))
    return front_page(context, written, "docs/index.md")


@pytest.fixture(scope="module")
def front(book: Book) -> FrontPage:
    return filled(book)


@pytest.fixture(scope="module")
def folder(
    front: FrontPage, book: Book, plan: Plan, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The page and the plan's, as a site has them."""
    made = tmp_path_factory.mktemp("front")
    write_site(book, plan, made / "book")
    write_front(front, made)
    return made


@pytest.fixture(scope="module")
def address(folder: Path) -> str:
    return (folder / "index.html").as_uri()


def write_front(front: FrontPage, folder: Path) -> Path:
    """The page as a browser reads it from a folder, with the site's style and policy."""
    assets = folder / "book" / "assets"
    assets.mkdir(parents=True, exist_ok=True)
    scripts = {"runtime": runtime(), "question": front.script, "front": script(FRONT)}
    for name, text in scripts.items():
        (assets / f"{name}.js").write_text(text, "utf-8")
    for name in ("site.css", "front.css"):
        (folder / name).write_bytes((ASSETS / name).read_bytes())
    styles = "".join(f'<link rel="stylesheet" href="{n}.css">' for n in ("site", "front"))
    page = folder / "index.html"
    page.write_text(
        with_policy(
            '<!doctype html><html lang="en"><head><title>Front</title>'
            f'<meta name="viewport" content="width=device-width">{styles}</head>'
            '<body data-md-color-scheme="default"><article class="md-typeset">'
            f"{html(front.page)}</article></body></html>"
        ),
        "utf-8",
    )
    return page


@pytest.fixture
def visit(chromium: Chromium, address: str) -> Iterator[Open]:
    """Opens the page; in the end no script has failed and the policy was kept."""

    def open_page(query: str = "", scripts: bool = True, at: str = address) -> Page:
        page = chromium.visit(at + query, scripts=scripts).page
        page.wait_for_selector(DONE, timeout=PATIENCE)
        return page

    yield open_page
    assert chromium.leave() == []


def answers(page: Page) -> list[str]:
    """The answer and what stands below it, as markup."""
    found = page.evaluate(
        "['answer', 'beside'].map(name => document.querySelector(`[data-${name}]`).outerHTML)"
    )
    assert isinstance(found, list)
    return found


def asked_by(page: Page, link: str) -> dict[str, str]:
    """The plan's inputs that a link of the page has."""
    target = page.locator(link).first.get_attribute("href")
    assert target is not None
    return dict(parse_qsl(urlsplit(target).query))


def evaluated(book: Book, plan: Plan, asked: dict[str, str]) -> Results:
    edits = (read_edit(book, plan, f"{name}={text}") for name, text in asked.items())
    return evaluate(book, plan, dict(edits))


def shown(book: Book, plan: Plan, name: str, value: Value) -> str:
    return plain(value, format_of(plan.scalars[name], [value], book.units))


# ------------------------------------------------------------------ the answer


def test_the_script_writes_what_the_build_wrote(visit: Open) -> None:
    built = answers(visit(scripts=False))
    page = visit("?gpus=4")
    assert answers(page) != built
    page.get_by_role("button", name="Start again").click()
    page.wait_for_selector(DONE)
    assert answers(page) == built


#: Address, and what is asked of `choose`: model, method, accelerator, count, batch, tokens.
ASKED = {
    "LoRA at home": ("?method=LoRA&gpu=rtx4090&gpus=2", "llama-3-1-8b", "lora", "rtx4090", 2, 128),
    "what fits nowhere": ("?gpu=rtx4090&gpus=2", "llama-3-1-8b", "full", "rtx4090", 2, 128),
    "experts": ("?model=mixtral-8x7b&gpus=16", "mixtral-8x7b", "full", "h100-sxm", 16, 128),
    "pretraining": (
        "?model=llama-3-1-70b&method=pretraining&batch=512&gpus=64",
        "llama-3-1-70b",
        "pretrain",
        "h100-sxm",
        64,
        512,
    ),
}


#: Cases that the build answers as the script does, by what they say in place of the page's.
BUILT = {
    "what fits nowhere": {"gpu": "rtx4090", "gpus": "2"},
    "what fits only on more": {"model": "llama-3-1-70b"},
    "pretraining": {"method": "pretraining", "gpus": "16"},
    "a stated layout": {"stage": "3", "checkpointing": "full"},
}


@pytest.mark.parametrize("name", share(list(BUILT), 2))
def test_the_script_writes_what_the_build_wrote_of_other_cases(
    name: str, visit: Open, book: Book, tmp_path: Path
) -> None:
    says = "".join(f"  {each}: {text}\n" for each, text in BUILT[name].items())
    dropped = "|".join((*BUILT[name], "epochs" if name == "pretraining" else "model-of-none"))
    written = re.sub(rf"^  ({dropped}): .*\n", "", WRITTEN, flags=re.MULTILINE)
    front = filled(book, written.replace("question: #", f"question:\n{says}#", 1))
    assert front.problems == ()
    at = write_front(front, tmp_path).as_uri()
    built = answers(visit(scripts=False, at=at))
    page = visit("?samples=50000", at=at)
    assert answers(page) != built
    page.get_by_role("button", name="Start again").click()
    page.wait_for_selector(DONE)
    assert answers(page) == built


@pytest.mark.parametrize("name", ASKED)
def test_any_answer_is_the_evaluators_in_the_layout_of_choose(
    name: str, visit: Open, book: Book, plan: Plan
) -> None:
    query, model, method, accelerator, gpus, batch = ASKED[name]
    page = visit(query)
    asked = asked_by(page, ".value.fit a")
    results = evaluated(book, plan, asked)
    assert page.locator(".value.fit").inner_text() == results.scalars["verdict"].value
    if results.scalars["verdict"].value != "does not fit":
        for figure in ("hours", "calendar_time"):
            text = page.locator(f".figure.{figure} .num").inner_text()
            assert text == shown(book, plan, figure, results.scalars[figure])
        bought = evaluated(book, plan, asked_by(page, ".offers tbody tr:first-child td.num a"))
        text = page.locator(".offers tbody tr:first-child td.num a").inner_text()
        every = page.locator(".offers tbody tr:not(.own) td.num a").all_inner_texts()
        assert float(text.replace(",", "")) == pytest.approx(bought.scalars["cost"].value, rel=0.02)
        numbers = [float(each.replace(",", "")) for each in every]
        assert numbers == sorted(numbers)

    job = Job(
        model=model,
        methods=(method,),
        tokens=614.4e6,
        sequence=2048.0,
        batch=float(batch),
        deadline=math.inf,
        certain=True,
        most_gpus=float(gpus),
    )
    found = search(book, known(book), job, assumptions(book, plan, {}))
    row = taken(found, Case(method, accelerator, gpus))
    assert row is not None
    made, at = found.grid, found.at[row]
    layout = [getattr(made, each)[at] for each in LAYOUT]
    assert [results.scalars[each].value for each in LAYOUT] == layout
    assert results.scalars["method"].value == METHODS[method].plan


#: Cases whose link leads to their formulas: rented, and on accelerators that nobody rents out.
LINKED = {
    "full fine-tuning": "",
    "LoRA, spot alone or not": "?method=LoRA&gpu=rtx4090&gpus=2",
    "QLoRA on one's own": "?gpu=rtx4080&gpus=1&method=QLoRA&data=tokens&tokens=50",
    "pretraining": "?model=llama-3-1-70b&method=pretraining&gpus=64",
    "a stated layout": "?stage=3&checkpointing=full&trainer=tuned",
    "what does not fit": "?gpu=rtx4090&gpus=2",
}
#: Figures of the page with what of them is printed, by the plan's.
FIGURES = {
    "hours": ".figure.hours .value",
    "calendar_time": ".figure.calendar_time .value",
    "cost": ".figure.cost .value",
    "verdict": ".value.fit",
}


@pytest.mark.parametrize("name", share(list(LINKED), 3))
def test_the_link_to_all_formulas_leads_to_the_figures_of_the_page(
    name: str, visit: Open, folder: Path, chromium: Chromium, book: Book, plan: Plan
) -> None:
    page = visit(LINKED[name])
    link = page.locator(".more a").get_attribute("href")
    assert link is not None
    target, _, query = link.partition("?")
    led = open_read(chromium, folder / target, f"?{query}").marks
    results = evaluated(book, plan, dict(parse_qsl(query)))  # as `show --set` reads it
    told = (
        page.locator(".stack figcaption").inner_text() + page.locator(".range").first.inner_text()
    )
    for figure in ("needed_memory", "most_memory", "usable_memory"):
        assert led[f"{figure}  ", "figure"] <= {shown_with(book, plan, figure, results)}
        assert shown_with(book, plan, figure, results) in told.replace("\u00a0", " ")
    seen = {name: at for name, at in FIGURES.items() if page.locator(at).count()}
    assert set(seen) == ({"verdict"} if "does not fit" in name else set(FIGURES))
    for figure, at in seen.items():
        text = page.locator(at).inner_text()
        assert text == shown_with(book, plan, figure, results)
        assert led[f"{figure}  ", "figure"] == {text}


def shown_with(book: Book, plan: Plan, name: str, results: Results) -> str:
    scalar, value = plan.scalars[name], results.scalars[name]
    unit = "" if scalar.unit is None else book.units.symbol(scalar.unit)
    return f"{shown(book, plan, name, value)} {unit}".strip()


# ------------------------------------------------------------------ what cannot run


def test_what_does_not_fit_has_no_hours_and_no_cost_anywhere(visit: Open) -> None:
    page = visit("?gpu=rtx4090&gpus=2")
    expect(page.locator(".value.fit")).to_have_text("does not fit")
    for gone in (".figure.hours", ".figure.calendar_time", ".figure.cost", ".offers *"):
        expect(page.locator(gone)).to_have_count(0)
    expect(page.locator(".changes h2")).to_have_text("What would make it run")
    verdicts = page.locator(".changes td.fit").all_inner_texts()
    assert verdicts
    assert set(verdicts) == {"fits"}
    expect(page.locator("[role=status]")).to_have_text(re.compile(r"RTX 4090: does not fit\.$"))


def test_a_change_that_does_not_fit_has_no_hours_and_no_cost(visit: Open) -> None:
    page = visit("?method=LoRA&gpu=rtx4090&gpus=2")
    rows = page.locator(".changes tbody tr", has_text="does not fit")
    assert rows.count() > 0
    assert rows.locator("td.num").all_inner_texts() == [""] * 2 * rows.count()


def test_the_plain_page_of_what_does_not_fit_says_what_would(book: Book) -> None:
    written = WRITTEN.replace("h100-sxm", "rtx4090").replace("gpus: 8", "gpus: 2")
    said = filled(book, written).plain.split("## Whole programmes")[0]
    assert "it does not fit" in said
    assert "- Hours" not in said
    assert "- Cost" not in said
    assert "- What would make it run: LoRA instead; QLoRA instead; Cheapest that fits: " in said


#: Layouts that are stated and cannot run, and what the page says of them.
CANNOT = {
    "layers": (
        "method=pretraining&gpus=128&tensor=8&pipeline=16",
        ["126 layers do not divide among 16 pipeline stages"],
    ),
    "trainer": (
        "gpus=128&tensor=8&pipeline=16",
        [
            "126 layers do not divide among 16 pipeline stages",
            "a general trainer cannot split a replica over 128 accelerators; a tuned one can",
        ],
    ),
    "accelerators": (
        "method=pretraining&gpus=8&tensor=8&pipeline=2",
        ["8 accelerators do not divide into replicas of 16 (tensor degree 8 × 2 pipeline stages)"],
    ),
    "batch": (
        "gpus=3&batch=128",
        ["128 sequences in a step do not divide among 3 replicas with a micro-batch of 1"],
    ),
    "stage": (
        "method=pretraining&gpus=64&stage=3&pipeline=2&trainer=tuned",
        ["ZeRO stage 3 does not go with 2 pipeline stages, which keep gradients and weights whole"],
    ),
}


@pytest.mark.parametrize("name", CANNOT)
def test_the_page_names_what_keeps_a_layout_from_running(name: str, visit: Open) -> None:
    query, reasons = CANNOT[name]
    page = visit(f"?model=llama-3-1-405b&{query}")
    expect(page.locator("[data-answer] .bad")).to_have_text(f"Cannot run: {'; '.join(reasons)}.")
    assert page.locator("[data-answer] .num, .offers *").count() == 0
    for row in page.locator(".changes tbody tr").all():
        expect(row.locator("td.fit")).to_have_text(re.compile("^(fits|may not fit)$"))


def test_a_stated_layout_of_the_page_that_cannot_run_is_named(book: Book) -> None:
    layout = "gpus: 128\n  tensor: 8\n  pipeline: 16\n  trainer: tuned"
    written = WRITTEN.replace("llama-3-1-8b", "llama-3-1-405b").replace("gpus: 8", layout)
    (problem,) = filled(book, written).problems
    assert problem.message.endswith(
        "no layout can run: 126 layers do not divide among 16 pipeline stages"
    )


# ------------------------------------------------------------------ pretraining


def test_pretraining_begins_with_one_epoch_and_its_usual_batch(
    visit: Open, book: Book, plan: Plan
) -> None:
    page = visit()
    fields = {name: page.locator(f"#ask-{name}") for name in ("epochs", "batch")}

    def are(epochs: str, batch: str) -> None:
        expect(fields["epochs"]).to_have_value(epochs)
        expect(fields["batch"]).to_have_value(batch)
        page.wait_for_selector(DONE)
        asked = asked_by(page, ".more a")
        results = evaluated(book, plan, asked)
        stated = [results.scalars[name].value for name in fields]
        assert stated == [float(text.replace(",", "")) for text in (epochs, batch)]

    def choose(method: str) -> None:
        page.get_by_label(method, exact=True).check()
        page.wait_for_selector(DONE)

    are("3", "128")
    choose("Pretraining")
    are("1", "256")
    page.wait_for_url("**?method=pretraining")
    page.locator("#ask-samples").fill("10,000,000")
    page.locator("#ask-samples").press("Enter")
    are("1", "1,024")
    choose("LoRA")
    are("3", "128")
    choose("Pretraining")
    page.locator("details.layout > summary").click()
    fields["batch"].fill("512")
    fields["batch"].press("Enter")
    fields["epochs"].fill("3")
    fields["epochs"].press("Enter")
    are("3", "512")
    page.wait_for_url("**epochs=3&batch=512**")
    choose("LoRA")
    choose("Pretraining")
    are("3", "512")


def test_what_no_offer_sells_has_hours_memory_and_electricity(
    visit: Open, book: Book, plan: Plan
) -> None:
    page = visit("?gpu=rtx4080&gpus=1&method=QLoRA&data=tokens&tokens=50")
    results = evaluated(book, plan, asked_by(page, ".figure.cost a"))
    assert results.scalars["supply"].value == "owned"
    assert results.scalars["trained_tokens"].value == 150.0
    for name in ("hours", "cost"):
        text = page.locator(f".figure.{name} .num").inner_text()
        assert text == shown(book, plan, name, results.scalars[name])
    expect(page.locator(".figure.cost .label")).to_have_text("Electricity")
    expect(page.locator(".offers tbody tr")).to_have_count(1)


def test_no_processor_is_offered_as_an_accelerator(visit: Open, book: Book) -> None:
    table = book.tables["hardware"]
    kinds = {row: table.columns["kind"].stated[row].value for row in table.rows}
    assert "processor" in kinds.values()
    options = visit().locator("#ask-gpu option")
    values = options.evaluate_all("all => all.map((option) => option.value)")
    assert set(values) == {row for row, kind in kinds.items() if kind == "accelerator"}


def test_a_layout_can_be_fixed_and_one_that_divides_nothing_is_told(visit: Open) -> None:
    page = visit("?stage=3&checkpointing=full")
    expect(page.locator("[data-layout]")).to_have_text(re.compile("ZeRO 3, .*, checkpointing"))
    page.locator("#ask-gpus").fill("3")
    expect(page.locator("[data-answer] .bad")).to_contain_text("do not divide among 3")
    page.get_by_role("link", name="129 sequences in a step").click()
    expect(page.locator(".value.fit")).to_have_text("fits")
    page.wait_for_url("**batch=129**")


# ------------------------------------------------------------------ a reader


def test_a_stranger_changes_the_question_and_sends_the_link(visit: Open, address: str) -> None:
    page = visit()
    page.get_by_label("Accelerator").select_option(label="NVIDIA GeForce RTX 4090")
    count = page.get_by_label("Count", exact=True)
    count.fill("2")
    count.dispatch_event("blur")  # as when the browser's own address field takes the focus
    page.wait_for_url("**gpus=2")
    page.wait_for_selector(DONE)
    expect(page.locator(".value.fit")).to_have_text("does not fit")
    first = page.locator(".first strong")
    expect(first).to_have_text("Optimizer: master weights and moments")
    page.get_by_role("link", name="LoRA instead", exact=True).click()
    expect(page.locator(".value.fit")).to_have_text("fits")
    page.wait_for_selector(DONE)
    page.wait_for_url("**method=LoRA**")
    assert dict(parse_qsl(urlsplit(page.url).query)) == {
        "method": "LoRA",
        "gpu": "rtx4090",
        "gpus": "2",
    }
    again = visit(page.url.removeprefix(address))
    assert answers(again) == answers(page)
    expect(again.get_by_label("Count", exact=True)).to_have_value("2")
    page.go_back()
    expect(page.locator(".value.fit")).to_have_text("does not fit")
    expect(page.get_by_label("LoRA", exact=True)).not_to_be_checked()


BAD = {
    "#ask-gpus": ("-4", "“-4”"),
    "#ask-sequence": ("<b>x</b>", "<b>x</b>"),
    "#ask-epochs": ("", ""),
    "#ask-samples": ("1..2", "Expected one number"),
    "#ask-batch": ("1e999", "“1e999”"),
}


def test_what_cannot_be_read_is_told_beside_its_field(visit: Open) -> None:
    page = visit()
    before = answers(page)
    page.locator("details.layout > summary").click()
    for control, (text, told) in BAD.items():
        page.locator(control).fill(text)
        page.locator(control).press("Enter")
        alert = page.locator(f".field:has({control}) [role=alert]")
        expect(alert).to_contain_text(told)
        expect(page.locator(control)).to_have_attribute("aria-invalid", "true")
    assert answers(page) == before
    page.locator("#ask-gpus").fill("8")
    page.locator("#ask-gpus").press("Enter")
    expect(page.locator(".field:has(#ask-gpus) [role=alert]")).to_have_count(0)


def test_an_address_with_rubbish_is_told_and_runs_nothing(visit: Open) -> None:
    script = "<img src=x onerror=alert(1)>"
    page = visit(f"?gpus=-1&{script}=1&model={script}&stage=7&gpu=rtx4090&data[]=1&h=fits")
    expect(page.locator("[data-faults] .bad")).to_have_count(2)
    for name in ("gpus", "model", "stage"):
        expect(page.locator(f"[data-field={name}] [role=alert]")).to_contain_text("cannot be")
    expect(page.locator(".case")).to_contain_text("8 × NVIDIA GeForce RTX 4090")
    assert page.locator("img").count() == 0


def test_without_scripts_the_case_stands_answered(visit: Open) -> None:
    page = visit(scripts=False)
    expect(page.locator("form")).to_be_hidden()
    expect(page.locator(".case")).to_contain_text("Full fine-tuning of Llama 3.1 8B")
    expect(page.locator(".value.fit")).to_have_text("fits")


# ------------------------------------------------------------------ what is written by hand


def test_the_plain_page_says_the_answer(front: FrontPage) -> None:
    assert front.problems == ()
    assert "{{" not in front.page + front.plain
    assert "- Cost on demand: " in front.plain
    assert "<div" not in front.plain


@pytest.mark.parametrize(
    ("written", "code", "told"),
    [
        ("# Home\n\n{{ answer }}\n", "N001", "the front page can have question, plans"),
        ("# Home\n\n{{ question }}\n", "X002", "expected its case in the front matter"),
        (WRITTEN.replace("gpus: 8", "gpus: none"), "X002", "gpus: expected"),
        (WRITTEN.replace("llama-3-1-8b", "lama"), "X002", "model: 'lama' is not possible here"),
        (WRITTEN.replace("h100-sxm", "rtx4080"), "X002", "no offer on demand sells"),
    ],
)
def test_what_is_wrong_on_the_page_is_told(written: str, code: str, told: str, book: Book) -> None:
    (problem,) = filled(book, written).problems
    assert problem.path == "docs/index.md"
    assert problem.code == code
    assert told in problem.message


def test_a_page_without_questions_stays_as_it_is(book: Book, tmp_path: Path) -> None:
    text = "# Home\n\nWritten by hand, with `{{ question }}` in a line.\n"
    assert filled(book, text).page == text
