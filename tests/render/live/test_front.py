"""The front page: the evaluator's answer, the layout that `choose` finds, and a reader's use."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from editions import edition_of, given
from proof.browser import Chromium
from render.live.parts import ASSETS, with_policy, write_site
from render.live.reading import open_read
from render.pages.rendered import html
from scalesheet.book import Book
from scalesheet.choose.binding import nearest
from scalesheet.choose.evidence import basis
from scalesheet.choose.job import PLAN, Job, assumptions
from scalesheet.choose.search import Search, search
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.edits import read_edit
from scalesheet.model import Plan
from scalesheet.numbers import Rule, format_by, format_of, plain
from scalesheet.predict.arrays import Flags
from scalesheet.predict.cases.catalogue import known
from scalesheet.render.live import ANSWERING, FRONT, script
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.front.page import FrontPage, front_page
from scalesheet.render.pages.markdown import as_markdown
from scalesheet.render.script import runtime
from scalesheet.values import Results, Value
from scalesheet.vocabulary import AXES, METHODS, PRETRAINING, TUNING
from shipped import ROOT, shipped, shipped_book

Open = Callable[..., Page]
WRITTEN = (ROOT / "docs" / "index.md").read_text("utf-8")
DONE = "[data-beside]:not([aria-busy])"
PATIENCE = 300_000  # ms: where nothing fits, the page tries ever more of every accelerator
EVALUATED: dict[tuple[str, ...], Results] = {}
#: The answer to a reader's case, as the page's scripts draw it part by part.
ASK = """
(texts) => {
  const { stated } = scalesheet.cases.readCase(texts);
  const parts = scalesheet.answer.answered(scalesheet.cases.complete(stated), stated);
  const { answer, offers, changes, sentence } = Object.assign({}, ...parts);
  return { answer, offers, changes, sentence };
}
"""
Tree = Any  # [tag, attributes, ...content]
Ask = Callable[[str], dict[str, Tree]]


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
    """The front page and the plan's pages, as on the site."""
    made = tmp_path_factory.mktemp("front")
    write_site(book, plan, made / "book")
    write_front(front, made)
    return made


@pytest.fixture(scope="module")
def address(folder: Path) -> str:
    return (folder / "index.html").as_uri()


def write_front(front: FrontPage, folder: Path) -> Path:
    """Write the page to a folder for a browser, with the site's style and policy."""
    assets = folder / "book" / "assets"
    assets.mkdir(parents=True, exist_ok=True)
    scripts = {
        "runtime": runtime(),
        "question": front.script,
        "answering": script(ANSWERING),
        "front": script(FRONT),
    }
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
    """Opens the page; fails at the end if a script failed or broke the policy."""

    def open_page(query: str = "", scripts: bool = True, at: str = address) -> Page:
        page = chromium.visit(at + query, scripts=scripts).page
        page.wait_for_selector(DONE, timeout=PATIENCE)
        return page

    yield open_page
    assert chromium.leave() == []


def answers(page: Page) -> list[str]:
    """The answer and the part below it, as markup."""
    found = page.evaluate(
        "['answer', 'beside'].map(name => document.querySelector(`[data-${name}]`).outerHTML)"
    )
    assert isinstance(found, list)
    return found


@pytest.fixture(scope="module")
def ask(address: str, chromium: Chromium) -> Iterator[Ask]:
    """The answer to an address, as the page's scripts draw it.

    One page stays open for all addresses, so that the browser compiles its scripts only once.
    """
    page = chromium.new_page()
    page.goto(address)
    page.wait_for_selector(DONE)
    yield cache(lambda query: page.evaluate(ASK, parse_qsl(query)))
    page.context.close()


def within(tree: Tree, *path: str) -> list[Tree]:
    """The parts of a drawing that match a path of `tag.class` steps, each within the last."""
    found = [tree]
    for step in path:
        tag, *classes = step.split(".")
        found = [
            each
            for one in found
            for each in parts(one)
            if tag in ("", each[0]) and set(classes) <= set(each[1].get("class", "").split())
        ]
    return found


def parts(tree: Tree) -> Iterator[Tree]:
    for each in tree[2:]:
        if isinstance(each, list):
            yield each
            yield from parts(each)


def words(tree: Tree) -> str:
    return "".join(words(each) if isinstance(each, list) else each for each in tree[2:])


def texts(tree: Tree, *path: str) -> list[str]:
    return [words(each).replace("\u00a0", " ") for each in within(tree, *path)]


def inputs_of(address: str) -> dict[str, str]:
    """The inputs in a link's query."""
    return dict(parse_qsl(urlsplit(address).query))


def asked_by(page: Page, link: str) -> dict[str, str]:
    """The plan's inputs in a link on the page."""
    target = page.locator(link).first.get_attribute("href")
    assert target is not None
    return inputs_of(target)


def evaluated(book: Book, plan: Plan, asked: dict[str, str]) -> Results:
    """The evaluator's results with these inputs of the plan, computed once."""
    edits = tuple(f"{name}={text}" for name, text in asked.items())
    if edits not in EVALUATED:
        read = (read_edit(book, plan, edit) for edit in edits)
        EVALUATED[edits] = evaluate(book, plan, dict(read))
    return EVALUATED[edits]


def shown(book: Book, plan: Plan, name: str, value: Value) -> str:
    return plain(value, format_of(plan.scalars[name], [value], book.units))


# ------------------------------------------------------------------ the answer


def test_a_published_page_is_the_one_that_its_script_makes(visit: Open) -> None:
    form = "document.querySelector('form').innerHTML"
    still, page = visit(scripts=False), visit()
    built = answers(still)
    assert answers(page) == built
    assert page.evaluate(form) == still.evaluate(form)
    page.get_by_label("Count", exact=True).fill("4")
    page.wait_for_selector(DONE)
    assert answers(page) != built
    page.get_by_role("button", name="Start again").click()
    page.wait_for_selector(DONE)
    assert answers(page) == built


#: Cases that a reader states.
ASKED = {
    "full fine-tuning": "",
    "LoRA at home": "method=LoRA&gpu=rtx4090&gpus=2",
    "what fits nowhere": "gpu=rtx4090&gpus=2",
    "what fits only on more": "model=llama-3-1-70b",
    "experts": "model=mixtral-8x7b&gpus=16",
    "pretraining": "method=pretraining&gpus=16",
}


@pytest.mark.parametrize("name", ASKED)
def test_every_figure_is_the_evaluators_for_the_inputs_of_its_link(
    name: str, ask: Ask, book: Book, plan: Plan
) -> None:
    drawn = ask(ASKED[name])
    (fit,) = within(drawn["answer"], "p.fit", "a")
    results = led_to(book, plan, fit)
    verdict = results.scalars["verdict"].value
    assert words(fit) == verdict
    for figure in ("hours", "calendar_time") if verdict != "does not fit" else ():
        expected = shown(book, plan, figure, results.scalars[figure])
        assert texts(drawn["answer"], f"div.figure.{figure}", "span.num") == [expected]

    bought = [at_link(book, plan, "cost", each) for each in within(drawn["offers"], "td", "a")]
    assert bool(bought) == (verdict != "does not fit")
    assert bought[:-1] == sorted(bought[:-1])  # the last row is for owned accelerators

    for row in within(drawn["changes"], "tbody", "tr"):
        links = within(row, "td", "a")
        assert bool(links) == (texts(row, "td.fit") != ["does not fit"])
        for figure, link in zip(("hours", "cost"), links, strict=False):
            at_link(book, plan, figure, link)
            verdict = led_to(book, plan, link).scalars["verdict"].value
            assert texts(row, "td.fit") == [verdict]


def led_to(book: Book, plan: Plan, link: Tree) -> Results:
    """The evaluator's results with the inputs of a link."""
    return evaluated(book, plan, inputs_of(link[1]["href"]))


def at_link(book: Book, plan: Plan, figure: str, link: Tree) -> float:
    """The exact figure behind a link, checked against the rounded one on the page."""
    value = led_to(book, plan, link).scalars[figure].value
    assert isinstance(value, float)
    text = words(link).replace(",", "")
    last = 10 ** -len(text.partition(".")[2])
    assert float(text) == pytest.approx(value, abs=last * 0.501, rel=0)
    return value


@pytest.mark.parametrize("name", ASKED)
def test_layouts_and_the_cheapest_accelerator_are_those_of_choose(
    name: str, ask: Ask, book: Book, plan: Plan
) -> None:
    drawn = ask(ASKED[name])
    (own,) = within(drawn["answer"], "p.fit", "a")
    rows = within(drawn["changes"], "tbody", "tr")
    links = [own, *(link for row in rows for link in within(row, "td", "a")[:1])]
    states = [led_to(book, plan, link).scalars for link in links]
    asked, *_, elsewhere = states
    # `choose` takes one sequence and precision, and here offloads nothing
    same = ("sequence", "offload", "precision")
    states = [each for each in states if all(each[n].value == asked[n].value for n in same)]
    job = Job(
        model=str(asked["model"].value),
        methods=("pretrain",) if asked["method"].value == PRETRAINING else TUNING,
        tokens=number_of(asked["trained_tokens"]) * 1e6,
        sequence=number_of(asked["sequence"]),
        batch=number_of(asked["batch"]),
        deadline=math.inf,
        certain=True,
        most_gpus=max(number_of(each["gpus"]) for each in states),
        wide=False,
    )
    found = search(book, known(book), job, assumptions(book, plan, {}))

    for each in states:
        row = best(found, of(found, each) & of_gpu(found, each))
        layout = [getattr(found.grid, axis)[found.at[row]] for axis in AXES]
        assert [each[axis].value for axis in AXES] == layout
    catalogue = known(book).results
    evidence = basis(book, edition_of(shipped()).scores, catalogue)
    assert evidence is not None
    others = of(found, elsewhere) & ~of_gpu(found, asked) & found.fits
    cheapest = found.best(others, evidence.said.near ** evidence.unknown(found))
    assert elsewhere["owned_gpu"].value == found.grid.accelerator[found.at[cheapest]]


def best(found: Search, rows: Flags) -> int:
    """The cheapest row that fits; if none fits, the one that comes nearest to fitting."""
    row = found.best(rows & found.fits)
    row = nearest(found, "memory", rows) if row is None else row
    assert row is not None
    return row


def of(found: Search, state: Mapping[str, Value]) -> Flags:
    """The rows with the method and number of accelerators of a state."""
    methods = {METHODS[name].plan: name for name in METHODS}
    same = np.equal(found.grid.method, methods[str(state["method"].value)])
    rows: Flags = (same & (found.grid.gpus == number_of(state["gpus"])))[found.at]
    return rows


def of_gpu(found: Search, state: Mapping[str, Value]) -> Flags:
    rows: Flags = np.equal(found.grid.accelerator, str(state["owned_gpu"].value))[found.at]
    return rows


def number_of(value: Value) -> float:
    assert isinstance(value.value, float)
    return value.value


#: Cases that link to their formulas: on rented accelerators, and on some that nobody rents out.
LINKED = {
    **ASKED,
    "QLoRA on one's own": "gpu=rtx4080&gpus=1&method=QLoRA&data=tokens&tokens=50M",
    "a stated layout": "stage=3&checkpointing=full&trainer=tuned",
}
#: Where the page shows each figure of the plan.
FIGURES = {
    "hours": "div.figure.hours",
    "calendar_time": "div.figure.calendar_time",
    "cost": "div.figure.cost",
    "verdict": "div.figure.verdict-of",
}


@pytest.mark.parametrize("name", LINKED)
def test_the_link_to_all_formulas_leads_to_the_same_figures(
    name: str, ask: Ask, book: Book, plan: Plan
) -> None:
    answer = ask(LINKED[name])["answer"]
    (link,) = within(answer, "p.more", "a")
    results = led_to(book, plan, link)  # read like `show --set`
    (memory,) = texts(answer, "figcaption")
    for figure in ("needed_memory", "most_memory", "usable_memory"):
        assert in_gib(results.scalars[figure]) in memory
    seen = {name: texts(answer, at, "p.value") for name, at in FIGURES.items()}
    runs = results.scalars["verdict"].value != "does not fit"
    assert [name for name in seen if seen[name]] == (list(FIGURES) if runs else ["verdict"])
    for figure, said in seen.items():
        assert said in ([], [shown_with(book, plan, figure, results)])


def test_the_page_of_all_formulas_shows_the_figures_of_the_answer(
    visit: Open, folder: Path, chromium: Chromium
) -> None:
    page = visit("?method=LoRA&gpu=rtx4090&gpus=2")
    link = page.locator(".more a").get_attribute("href")
    assert link is not None
    target, _, query = link.partition("?")
    led = open_read(chromium, folder / target, f"?{query}").marks
    shown = [figure for figure in FIGURES if (f"{figure}  ", "figure") in led]
    assert {"hours", "cost", "verdict"} <= set(
        shown
    )  # headline figures; others are one page further
    for figure, at in ((figure, FIGURES[figure]) for figure in shown):
        assert led[f"{figure}  ", "figure"] == {page.locator(f"{at} .value").inner_text()}


def in_gib(value: Value) -> str:
    """Memory as the page shows it."""
    ends = (end for end in (number_of(value), value.low, value.high) if end)
    gib = Value(*ends)
    return f"{plain(gib, format_by(Rule(digits=3), [gib]))} GiB"


def shown_with(book: Book, plan: Plan, name: str, results: Results) -> str:
    scalar, value = plan.scalars[name], results.scalars[name]
    unit = "" if scalar.unit is None else book.units.symbol(scalar.unit)
    return f"{shown(book, plan, name, value)} {unit}".strip()


# ------------------------------------------------------------------ what cannot run


def test_an_answer_that_does_not_fit_has_no_hours_and_no_cost(ask: Ask) -> None:
    drawn = ask("gpu=rtx4090&gpus=2")
    assert texts(drawn["answer"], "p.fit") == ["does not fit"]
    for gone in ("hours", "calendar_time", "cost"):
        assert within(drawn["answer"], f"div.figure.{gone}") == []
    assert drawn["offers"] == ["section", {"class": "offers", "hidden": True}]
    assert texts(drawn["changes"], "h2") == ["What would make it run"]
    assert set(texts(drawn["changes"], "td.fit")) == {"fits"}
    assert drawn["sentence"].endswith("RTX 4090: does not fit.")


def test_a_change_that_does_not_fit_has_no_hours_and_no_cost(ask: Ask) -> None:
    rows = within(ask("method=LoRA&gpu=rtx4090&gpus=2")["changes"], "tbody", "tr")
    without = [row for row in rows if texts(row, "td.fit") == ["does not fit"]]
    assert without
    for row in without:
        assert texts(row, "td.num") == ["", ""]


def test_the_plain_page_of_a_case_that_does_not_fit_says_what_would(book: Book) -> None:
    written = WRITTEN.replace("h100-sxm", "rtx4090").replace("gpus: 8", "gpus: 2")
    said = as_markdown(filled(book, written).page).split("## Whole programs")[0]
    assert "- Does it fit?: [does not fit](" in said
    assert "- Hours" not in said
    assert "- Cost" not in said
    assert "- There are no hours and no cost" in said
    assert "\n## What would make it run\n" in said
    assert "\n| LoRA instead | fits | " in said


#: Stated layouts that cannot run, and the reasons that the page gives.
CANNOT = {
    "layers": (
        "model=pythia-70m&method=pretraining&gpus=128&tensor=8&pipeline=16",
        ["6 layers are too few for 16 pipeline stages"],
    ),
    "trainer": (
        "model=pythia-70m&gpus=128&tensor=8&pipeline=16",
        [
            "6 layers are too few for 16 pipeline stages",
            "a general trainer cannot split a replica over 128 accelerators; a tuned one can",
        ],
    ),
    "accelerators": (
        "method=pretraining&gpus=8&tensor=8&pipeline=2",
        ["8 accelerators do not divide into replicas of 16 (tensor degree 8 × 2 pipeline stages)"],
    ),
    "batch": (
        "model=llama-3-1-405b&gpus=3&batch=128",
        ["128 sequences per step do not divide evenly among 3 replicas with a micro-batch of 1"],
    ),
    "stage": (
        "method=pretraining&gpus=64&stage=3&pipeline=2&trainer=tuned",
        [
            "ZeRO stage 3 does not work with 2 pipeline stages, "
            "which keep gradients and weights whole"
        ],
    ),
}


@pytest.mark.parametrize("name", CANNOT)
def test_the_page_says_why_a_layout_cannot_run(name: str, ask: Ask) -> None:
    query, reasons = CANNOT[name]
    drawn = ask(query)
    assert texts(drawn["answer"], "p.bad") == [f"Cannot run: {'; '.join(reasons)}."]
    assert within(drawn["answer"], ".num") == within(drawn["offers"], "") == []
    assert set(texts(drawn["changes"], "td.fit")) <= {
        "fits",
        "probably fits",
        "probably does not fit",
    }


def test_the_case_of_a_page_may_use_accelerators_that_nobody_rents_out(book: Book) -> None:
    written = WRITTEN.replace("h100-sxm", "rtx4080").replace("full fine-tuning", "QLoRA")
    front = filled(book, written.replace("gpus: 8", "gpus: 1"))
    assert front.problems == ()
    assert "\n- Electricity: " in as_markdown(front.page)
    assert '<option value="rtx4080" selected>' in front.page


def test_a_page_whose_own_layout_cannot_run_is_an_error(book: Book) -> None:
    layout = "gpus: 128\n  tensor: 8\n  pipeline: 16\n  trainer: tuned"
    written = WRITTEN.replace("llama-3-1-8b", "pythia-70m").replace("gpus: 8", layout)
    (problem,) = filled(book, written).problems
    assert problem.message.endswith(
        "no layout can run: 6 layers are too few for 16 pipeline stages"
    )


# ------------------------------------------------------------------ evidence


def test_an_answer_shows_its_evidence_and_the_published_run(ask: Ask) -> None:
    case = "method=pretraining&model=deepseek-v3&data=tokens&gpu=h800-sxm&gpus=2048&tokens="
    like, run, loss = texts(ask(case + "14.8T")["answer"], "p.evidence")
    assert loss.startswith("Expected loss ")
    assert re.match(r"\d+ published runs like this, typical error \d+ %. The score", like)
    assert run.startswith("Published: DeepSeek-V3 671B took 2,664,000 GPU hours on 2,048 × NVIDIA")
    only, _ = texts(ask(case + "1T")["answer"], "p.evidence")
    assert only == like


def test_without_a_published_run_the_answer_is_called_an_assumption(ask: Ask) -> None:
    (said,) = texts(ask("method=LoRA&gpu=mi300x")["answer"], "p.evidence")
    assert said == "No published run on this accelerator: an assumption. The score"
    (said,) = texts(ask("method=QLoRA")["answer"], "p.evidence")
    assert said.startswith("No published run like this (QLoRA, Hopper, 1B to 10B parameters)")


def test_a_warning_about_unusual_utilization_comes_before_the_answer(ask: Ask) -> None:
    answer = ask("method=QLoRA&batch=8&sequence=16")["answer"]
    kinds = [each[1].get("class", "") for each in answer[2:]]
    assert kinds.index("bad unusual") < kinds.index("hero")
    assert within(ask("method=LoRA")["answer"], "p.unusual") == []
    assert within(ask("gpu=rtx4090&gpus=2")["answer"], "p.evidence") == []


# ------------------------------------------------------------------ pretraining


def test_pretraining_starts_with_one_epoch_and_its_usual_batch(
    visit: Open, book: Book, plan: Plan
) -> None:
    page = visit("?gpus=1")  # the fastest to answer
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
    page.wait_for_url("**?method=pretraining&gpus=1")
    page.locator("#ask-tokens").fill("41B")
    page.locator("#ask-tokens").press("Enter")
    page.wait_for_url("**tokens=41000000000**")
    are("1", "512")
    choose("LoRA")
    are("3", "128")
    choose("Pretraining")
    page.locator("details.layout > summary").click()
    fields["batch"].fill("256")
    fields["batch"].press("Enter")
    fields["epochs"].fill("3")
    fields["epochs"].press("Enter")
    are("3", "256")
    page.wait_for_url("**epochs=3&batch=256**")
    choose("LoRA")
    choose("Pretraining")
    are("3", "256")


def test_accelerators_that_nobody_rents_out_have_hours_memory_and_electricity(
    ask: Ask, book: Book, plan: Plan
) -> None:
    drawn = ask("gpu=rtx4080&gpus=1&method=QLoRA&data=tokens&tokens=50M")
    (cost,) = within(drawn["answer"], "div.figure.cost")
    results = led_to(book, plan, *within(cost, "a"))
    assert results.scalars["supply"].value == "owned"
    assert results.scalars["trained_tokens"].value == 150.0
    assert texts(cost, "p.label") == ["Electricity"]
    assert texts(cost, "span.num") == [shown(book, plan, "cost", results.scalars["cost"])]
    assert len(within(drawn["offers"], "tbody", "tr")) == 1


def test_no_processor_is_offered_as_an_accelerator(front: FrontPage, book: Book) -> None:
    table = book.tables["hardware"]
    kinds = {row: table.columns["kind"].stated[row].value for row in table.rows}
    assert "processor" in kinds.values()
    select = front.page.partition('name="gpu">')[2].partition("</select>")[0]
    offered = re.findall('<option value="(.*?)"', select)
    assert sorted(offered) == sorted(row for row in kinds if kinds[row] == "accelerator")


def test_a_layout_can_be_stated_and_one_that_does_not_divide_is_reported(visit: Open) -> None:
    page = visit("?stage=3&checkpointing=full")
    expect(page.locator("[data-layout]")).to_have_text(re.compile("ZeRO 3, .*, checkpointing"))
    page.locator("#ask-gpus").fill("3")
    expect(page.locator("[data-answer] .bad")).to_contain_text("do not divide evenly among 3")
    page.get_by_role("link", name="129 sequences per step").click()
    expect(page.locator(".value.fit")).to_have_text("fits")
    page.wait_for_url("**batch=129**")


# ------------------------------------------------------------------ a reader


def test_a_stranger_changes_the_question_and_sends_the_link(visit: Open, address: str) -> None:
    page = visit()
    page.get_by_label("Accelerator").select_option(label="NVIDIA GeForce RTX 4090")
    count = page.get_by_label("Count", exact=True)
    count.fill("2")
    count.dispatch_event("blur")  # as when the browser's own address bar takes the focus
    page.wait_for_url("**gpus=2")
    page.wait_for_selector(DONE)
    expect(page.locator(".value.fit")).to_have_text("does not fit")
    expect(page.locator("[role=status]")).to_have_text(re.compile(r"RTX 4090: does not fit\.$"))
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


def test_an_invalid_value_is_reported_beside_its_field(visit: Open) -> None:
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


def test_rubbish_in_the_address_is_reported_and_runs_nothing(visit: Open) -> None:
    script = "<img src=x onerror=alert(1)>"
    page = visit(f"?gpus=-1&{script}=1&model={script}&stage=7&gpu=rtx4090&data[]=1&h=fits")
    expect(page.locator("[data-faults] .bad")).to_have_count(2)
    for name in ("gpus", "model", "stage"):
        expect(page.locator(f"[data-field={name}] [role=alert]")).to_contain_text("value we don't")
    expect(page.locator(".case")).to_contain_text("8 × NVIDIA GeForce RTX 4090")
    assert page.locator("img").count() == 0


def test_without_scripts_the_case_is_answered(visit: Open) -> None:
    page = visit(scripts=False)
    expect(page.locator("form")).to_be_hidden()
    expect(page.locator(".case")).to_contain_text("Full fine-tuning of Llama 3.1 8B")
    expect(page.locator(".value.fit")).to_have_text("fits")


# ------------------------------------------------------------------ the page's Markdown


def test_the_plain_page_says_the_answer(front: FrontPage) -> None:
    assert front.problems == ()
    assert "{{" not in front.page
    plain = as_markdown(front.page)
    assert "- Cost, on demand from: " in plain
    assert re.search(r"spot from [\d.]+ USD, reserved from", plain)
    assert "<div" not in plain
    assert "{ .lead }" not in plain


@pytest.mark.parametrize(
    ("written", "code", "told"),
    [
        ("# Home\n\n{{ answer }}\n", "N001", "the front page can have title, question, plans"),
        ("# Home\n\n{{ question }}\n", "X002", "expected its case in the front matter"),
        (WRITTEN.replace("gpus: 8", "gpus: none"), "X002", "gpus: Expected a whole number"),
        (WRITTEN.replace("llama-3-1-8b", "lama"), "X002", "model: “lama” is not possible here"),
        (
            WRITTEN.replace("gpus: 8", "card: 8"),
            "X002",
            "card: There is no “card” in this question",
        ),
    ],
)
def test_an_error_in_the_page_is_reported(written: str, code: str, told: str, book: Book) -> None:
    (problem,) = filled(book, written).problems
    assert problem.path == "docs/index.md"
    assert problem.code == code
    assert told in problem.message


def test_a_page_without_questions_stays_unchanged(book: Book, tmp_path: Path) -> None:
    text = "# Home\n\nWritten by hand, with `{{ question }}` in a line.\n"
    assert filled(book, text).page == text
