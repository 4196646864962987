"""The uncertainty of a plan on its page: the same draws and numbers as Python, for any inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import small
from proof.browser import Chromium
from render.live.parts import part, sample, write_site
from scalesheet.book import Book
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.edits import read_edit
from scalesheet.render.live.engine import Engine
from scalesheet.render.pages.plan.draws import draws_script
from scalesheet.render.script import program
from scalesheet.render.sureness import quantile_rows, summary
from scalesheet.sure.quantiles import LEVELS, sure
from scalesheet.sure.shapes import normal
from scalesheet.sure.spread import key_of, uniform

Open = Callable[..., Page]
NAMES = (*LEVELS, "mean")

#: Every shape, a group and an input that moves against it, an event, ranges from formulas, a table,
#: a limit, a contingency, a margin, and a figure that has no number in some draws.
PLAN = """
scalars:
  a: {value: 100, low: 60, high: 220, unit: 1, kind: assumption}
  b: {value: 2, low: 1, high: 4, unit: 1, kind: assumption, moves_with: market}
  c: {value: 5, low: 3, high: 6, unit: 1, kind: assumption, moves_with: -market, spread: normal}
  d: {value: 8, low: 5, high: 20, unit: 1, spread: triangular, percentiles: [0, 100]}
  e: {value: 8, low: 5, high: 20, unit: 1, spread: pert, percentiles: [5, 95]}
  f: {value: 8, low: 5, high: 20, unit: 1, spread: uniform}
  g: {value: 8, low: 5, high: 20, unit: 1, spread: two-point}
  again: {value: 0, unit: run, domain: whole, kind: assumption, event: {chance: 0.1, times: 12}}
  extra: {value: 0.1, unit: 1, kind: decision, contingency_on: base}
  made: {unit: 1, formula: 'between(a / 2, a, a * 3)'}
  runs: {unit: 1, formula: 12 + again / one}
  one: {value: 1, unit: run, kind: decision}
  took: {value: 85, unit: 1, kind: measured, source: a-paper}
  seen: {unit: 1, formula: 'took if known(took) else between(a, a * 4, a * 9)'}
  base: {unit: 1, formula: made * b + c * d + e * f + g * runs + t.total.cost + seen}
  some: {unit: 1, formula: sum(t.cost where expected(t.cost) > expected(f))}
  lacking: {unit: 1, formula: "base if expected(b) < 3 else reason('too dear')"}
  cost: {unit: 1, formula: base * (1 + extra)}
headline: [cost, some, lacking]
limits: {cost: 2000}
tables:
  t:
    title: Cases
    columns:
      n: {unit: 1}
      cost: {unit: 1, formula: n * b}
    rows: {one: {n: 1}, two: {n: {value: 2, low: 1, high: 3}}, three: {n: 3}}
    total: [cost]
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    examined = small.plan(tmp_path_factory.mktemp("drawn"), PLAN)
    assert examined.book is not None, small.said(examined)
    return examined.book


@pytest.fixture(scope="module")
def engine(book: Book) -> Engine:
    return engine_of(book)


def engine_of(book: Book) -> Engine:
    plan = book.plans["small"]
    scripts = (part("sure/draws", "sure/quantiles"), program(plan, book), draws_script(plan, book))
    return Engine(*scripts, ANSWER)


ANSWER = """
const { draws, answer } = (() => {
  const { steps, inputs, drawn } = scalesheet.plans.small;
  const draws = scalesheet.makeDraws(scalesheet.runtime);
  return { draws, answer: scalesheet.makeQuantiles(draws).answering({ steps, inputs, drawn }) };
})();
const uniforms = (key) => Array.from(draws.uniforms(key, 4096, 32));
const normals = (numbers) => numbers.map(draws.normal);
const answered = (changes) => {
  const found = Array.from(answer(changes)).at(-1);
  return { ...found, unknowns: found.unknowns.map(({ name }) => name) };
};
"""


def test_the_draws_of_a_name_are_the_same_as_in_python(engine: Engine) -> None:
    made = engine.call("uniforms", f"{key_of('market'):032x}")
    assert made == uniform("market").tolist()
    tails = [1e-12, 1e-7, 0.01, 0.3, 0.5, 0.9, 0.999, 1 - 1e-12]
    assert engine.call("normals", tails) == pytest.approx(normal(np.array(tails)), rel=1e-14)


def test_without_uncertainty_the_earlier_reserve_is_the_same_as_in_python(tmp_path: Path) -> None:
    examined = small.scalars(
        tmp_path,
        """
        took: {value: 85, unit: 1, kind: measured, source: a-paper}
        exact: {unit: 1, formula: 2 * half}
        half: {value: 20, unit: 1, kind: decision}
        seen: {unit: 1, formula: 'took if known(took) else between(half, half * 2, half * 5)'}
        """,
        "headline: [exact, seen]\n",
    )
    assert examined.book is not None, small.said(examined)
    expected = sure(examined.book, examined.book.plans["small"])
    found = engine_of(examined.book).call("answered", [])
    assert (expected.first, expected.narrowed, "first" in found) == ("", "seen", False)
    assert expected.before > 1
    assert (found["measured"], found["narrowed"]) == (["Took"], "seen")
    assert found["before"] == pytest.approx(expected.before)


CHANGES: dict[str, list[dict[str, Any]]] = {
    "": [],
    "a=50..400": [{"name": "a", "value": {"value": 225, "low": 50, "high": 400}}],
    "c=0..6 extra=0.3": [
        {"name": "c", "value": {"value": 3, "low": 0, "high": 6}},
        {"name": "extra", "value": 0.3},
    ],
    "b=2 t[one].n=1..9": [
        {"name": "b", "value": 2},
        {"table": "t", "column": "n", "row": 0, "value": {"value": 5, "low": 1, "high": 9}},
    ],
}


@pytest.mark.parametrize("edits", CHANGES)
def test_quantiles_and_causes_are_the_same_as_in_python(
    book: Book, engine: Engine, edits: str
) -> None:
    plan = book.plans["small"]
    expected = sure(book, plan, dict(read_edit(book, plan, each) for each in edits.split()))
    found = engine.call("answered", CHANGES[edits])
    assert found["unknowns"] == [each.name for each in expected.unknowns]
    assert found["figures"].keys() == expected.figures.keys()
    for name, each in expected.figures.items():
        values, errors = (found["figures"][name][of] for of in ("values", "errors"))
        assert [values[n] for n in NAMES] == pytest.approx(
            [each.values[n] for n in NAMES], rel=1e-9
        )
        assert [errors[n] for n in NAMES] == pytest.approx(
            [each.errors[n] for n in NAMES], rel=1e-6
        )
        assert found["figures"][name]["without"] == pytest.approx(each.without)
        assert found["figures"][name]["expected"] == pytest.approx(each.expected)
    assert dict(found["limits"]) == pytest.approx(dict(expected.limits))
    (held,), (own,) = found["contingencies"], expected.contingencies
    assert (held["covers"], held["needed"]) == pytest.approx((own.covers, own.needed))
    assert found["as_needed"] == pytest.approx(expected.as_needed)
    assert (found["measured"], found["before"]) == (["Took"], pytest.approx(expected.before))
    causes = expected.figures[expected.first].causes
    told = found["figures"][found["first"]]["causes"]
    assert [each["unknown"]["name"] for each in told] == [each.unknown.name for each in causes]
    for each, cause in zip(told, causes, strict=True):
        numbers = (each["share"], each["total"], each["saves"])
        assert numbers == pytest.approx((cause.share, cause.total, cause.saves), abs=1e-9)


# ------------------------------------------------------------------ in a browser


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Book:
    return sample(tmp_path_factory.mktemp("shown"))


@pytest.fixture(scope="module")
def address(shown: Book, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("page") / "site"
    return (write_site(shown, shown.plans["small"], folder) / "small.html").as_uri()


@pytest.fixture
def visit(chromium: Chromium, address: str) -> Iterator[Open]:
    def open_page(query: str = "") -> Page:
        return chromium.visit(address + query).page

    yield open_page
    assert chromium.leave() == []


def said(book: Book, *edits: str) -> tuple[str, list[list[str]]]:
    """The sentences and the rows of quantiles that the build writes."""
    plan = book.plans["small"]
    overrides = dict(read_edit(book, plan, each) for each in edits)
    found, results = sure(book, plan, overrides), evaluate(book, plan, overrides)
    rows = quantile_rows(book, plan, results, found)
    return (
        " ".join(summary(book, plan, results, found)),
        [[*row.quantiles, row.reserve, row.error] for row in rows],
    )


def numbers(page: Page) -> list[list[str]]:
    rows = page.locator("[data-sure=quantiles] tbody tr").all()
    return [row.locator("td").all_text_contents() for row in rows]


EDIT = "steps_per_hour.corrected=1000..3000"


@pytest.mark.parametrize("worker", [True, False])
def test_the_page_says_what_a_build_with_these_inputs_would(
    shown: Book, visit: Open, worker: bool
) -> None:
    page = visit()
    if not worker:  # as in a browser that allows none
        page.evaluate("() => { globalThis.Worker = undefined; }")
    sentences, rows = said(shown)
    expect(page.locator("[data-sure=summary]")).to_contain_text(sentences)
    assert numbers(page) == rows
    control = page.locator("#inputs ~ .scroll [data-of='steps_per_hour'] input").first
    control.fill(EDIT.split("=")[1])
    control.press("Enter")
    sentences, rows = said(shown, EDIT)
    expect(page.locator("[data-sure=summary]")).to_contain_text(sentences)
    expect(page.locator("[data-sure=causes]")).not_to_contain_text("…")
    assert len(page.workers) == worker
    assert numbers(page) == rows
    page.get_by_role("button", name="Back to the published plan").click()
    expect(page.locator("[data-sure=summary]")).to_contain_text(said(shown)[0])
    assert numbers(page) == said(shown)[1]


def test_an_address_with_changes_has_their_quantiles(shown: Book, visit: Open) -> None:
    page = visit(f"?{EDIT}")
    expect(page.locator("[data-sure=summary]")).to_contain_text(said(shown, EDIT)[0])
