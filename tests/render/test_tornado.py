"""Tornado charts, and the sensitivity on a plan's page and as JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from editions import given
from render.drawings import across, length, of_plan, said, svg_of, texts
from render.moving import moving_book
from scalesheet.book import Book
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.sensitivity import Sensitivity, sensitivity
from scalesheet.render.api.sensitivity import sensitivity_json
from scalesheet.render.live.engine import Engine
from scalesheet.render.pages import write_pages
from scalesheet.render.pages.plan.moves import rankings


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    return moving_book(tmp_path_factory.mktemp("moving"))


@pytest.fixture(scope="module")
def found(book: Book) -> Sensitivity:
    return sensitivity(book, book.plans["moving"])


@pytest.fixture(scope="module")
def tornados(book: Book, found: Sensitivity) -> dict[str, Any]:
    """The tornado charts that the script draws, by figure."""
    plan = book.plans["moving"]
    told = rankings(found, plan, book)
    drawn = Engine(of_plan(plan, book)).call("scalesheet.published", plan.id, told)["tornados"]
    assert isinstance(drawn, dict)
    return drawn


def test_bars_reach_from_the_current_figure_to_both_sides(tornados: dict[str, Any]) -> None:
    cards = svg_of(tornados["cost"]["svg"]).findall("g")[0]
    assert "Cards, 7 to 9 GPUs: 197 to 251" in (cards.findtext("title") or "")
    low, high = cards.findall("rect")
    base = next(length(line, "x1") for line in cards.iter("line") if line.get("class") == "axis")
    assert length(low, "x") + length(low, "width") == pytest.approx(base, abs=0.002)
    assert length(high, "x") == pytest.approx(base, abs=0.002)
    assert length(low, "width") == pytest.approx(length(high, "width"), abs=0.002)  # 26.8 each


def test_a_side_is_marked_by_a_sign_and_not_by_color_alone(tornados: dict[str, Any]) -> None:
    cards = svg_of(tornados["cost"]["svg"]).findall("g")[0]
    assert texts(cards, "muted") == ["−", "+"]


def test_the_text_alternative_holds_every_number(tornados: dict[str, Any]) -> None:
    assert said(svg_of(tornados["least"]["svg"])) == (
        "As it is: 1.0 h. Options: Factor, low ends or -10% to high ends or +10%: 0.5 to 1.5; "
        "Options: Steps, -10% to +10%: 0.9 to 1.1; Rate, 1,800 to 2,100 steps/h: 1.1 to 1.0."
    )


def test_all_values_lie_on_the_axis(tornados: dict[str, Any]) -> None:
    for tornado in tornados.values():
        assert all(0 <= place <= 100 for place in across(svg_of(tornado["svg"])))


def test_an_inputs_range_is_printed_with_as_many_digits_as_it_needs(
    tornados: dict[str, Any],
) -> None:
    moves = [told for each in tornados.values() for told in texts(svg_of(each["svg"]), "label")]
    assert "Share (0.855 to 1)" in moves


def test_the_page_has_a_chart_for_each_figure_and_its_numbers(
    book: Book, found: Sensitivity, tmp_path: Path
) -> None:
    plan = book.plans["moving"]
    write_pages(
        given(book, results={plan.id: evaluate(book, plan)}, sensitivities={plan.id: found}),
        tmp_path,
    )
    page = (tmp_path / "plans" / "moving.md").read_text("utf-8")
    before, _, after = page.partition("## What moves the result { #sensitivity }")
    assert "## Inputs" not in before
    section = after.partition("\n## ")[0]
    assert section.count("<svg") == len(found.rankings)
    row = re.search(r"<tr>(?:(?!</tr>).)*>Cards<.*?</tr>", section)
    assert row is not None
    cells = re.findall(r"<td[^>]*>(.*?)</td>", row[0])
    assert [re.sub("<[^>]*>", "", cell) for cell in cells] == [
        "7",
        "9 GPUs",
        "83.1",
        "105.7",
        "-11.30",
        "+11.30",
    ]
    assert 'href="#i.cards"' in row[0]


def test_a_page_without_a_sensitivity_does_not_mention_it(book: Book, tmp_path: Path) -> None:
    plan = book.plans["moving"]
    write_pages(given(book, results={plan.id: evaluate(book, plan)}), tmp_path)
    assert "What moves" not in (tmp_path / "plans" / "moving.md").read_text("utf-8")


def test_the_json_holds_each_input_with_the_figure_at_both_sides(
    book: Book, found: Sensitivity
) -> None:
    data = json.loads(json.dumps(sensitivity_json(book, book.plans["moving"], found)))
    assert data["step"] == 0.1
    cost = data["figures"]["cost"]
    assert cost["without_effect"] == 2
    assert cost["inputs"][0] | {"low": None, "high": None} == {
        "name": "cards",
        "title": "Cards",
        "at": {"value": 8.0, "low": 7.0, "high": 9.0, "unit": "GPU"},
        "low": None,
        "high": None,
        "swing": pytest.approx(53.675),
    }
    assert cost["inputs"][0]["high"]["value"] == pytest.approx(251.0375)
    names = [each["name"] for each in data["figures"]["phases.total.gpu_hours"]["inputs"]]
    assert names[-1] == "phases.test.gpu_hours"
