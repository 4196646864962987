"""Sensitivity: which inputs move and how far, their effects on figures, and the order."""

from __future__ import annotations

from pathlib import Path

import pytest

from costs import costs_book
from dated import DATED, dated_book
from render.moving import moving_book
from scalesheet.book import Book
from scalesheet.evaluate import Overrides, evaluate
from scalesheet.evaluate.sensitivity import Effect, Ranking, Sensitivity, ranks, sensitivity
from scalesheet.model import Key, Plan, Stated


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    return moving_book(tmp_path_factory.mktemp("moving"))


@pytest.fixture(scope="module")
def plan(book: Book) -> Plan:
    return book.plans["moving"]


@pytest.fixture(scope="module")
def found(book: Book, plan: Plan) -> Sensitivity:
    return sensitivity(book, plan)


def ranking(found: Sensitivity, name: str) -> Ranking:
    return next(each for each in found.rankings if each.name == name)


def effect(found: Sensitivity, figure: str, title: str) -> Effect:
    return next(e for e in ranking(found, figure).effects if e.lever.title == title)


def column(plan: Plan, table: str, name: str, factor: float) -> dict[Key, Stated]:
    """Overrides that scale every number of an exact column of whole numbers."""
    moved: dict[Key, Stated] = {}
    for row, stated in plan.tables[table].columns[name].stated.items():
        if isinstance(stated.value, float):
            value = float(round(stated.value * factor))
            moved[Key(name, table, row)] = Stated(value, value, value)
    return moved


@pytest.mark.parametrize(
    ("figure", "title", "low", "high"),
    [
        ("cost", "Price", {Key("price"): 2.25}, {Key("price"): 2.75}),
        ("cost", "Wage", {Key("wage"): -1.0}, {Key("wage"): 2.0}),
        ("least", "Rate", {Key("rate.corrected"): 1800.0}, {Key("rate.corrected"): 2100.0}),
        ("margin", "Rate", {Key("rate.corrected"): 1800.0}, {Key("rate.corrected"): 2100.0}),
        ("filtered", "Threshold", {Key("threshold"): 2250.0}, {Key("threshold"): 2750.0}),
        (
            "phases.total.gpu_hours",
            "Test: GPU hours",
            {Key("gpu_hours", "phases", "test"): 3.6},
            {Key("gpu_hours", "phases", "test"): 4.4},
        ),
        (
            "peak_hours",
            "Hardware: Dense BF16 peak, FP32 accumulate",
            {Key("dense_bf16", "hardware", "h100"): 989.4 * 0.9},
            {Key("dense_bf16", "hardware", "h100"): 989.4 * 1.1},
        ),
    ],
)
def test_an_effect_is_the_evaluators_result_for_the_moved_input(
    book: Book,
    plan: Plan,
    found: Sensitivity,
    figure: str,
    title: str,
    low: Overrides,
    high: Overrides,
) -> None:
    one = effect(found, figure, title)
    for side, overrides in ((one.low, low), (one.high, high)):
        whole = evaluate(book, plan, overrides).scalars[figure].value
        assert side.value == pytest.approx(whole, rel=1e-14)


def test_the_cells_of_a_column_move_together(book: Book, plan: Plan, found: Sensitivity) -> None:
    one = effect(found, "least", "Options: Steps")
    for side, factor in ((one.low, 0.9), (one.high, 1.1)):
        moved = column(plan, "options", "steps", factor)
        assert side.value == pytest.approx(evaluate(book, plan, moved).scalars["least"].value)
    assert one.inputs is None


def test_values_with_a_range_move_over_it_and_others_by_the_step(
    found: Sensitivity,
) -> None:
    lever = effect(found, "least", "Options: Factor").lever
    assert (lever.own, lever.stepped) == (True, True)
    assert effect(found, "cost", "Wage").inputs == (-1.0, 0.0, 2.0)


def test_an_input_stays_in_its_domain(found: Sensitivity) -> None:
    assert effect(found, "cost", "Share").inputs == pytest.approx((0.855, 0.95, 1.0))


def test_a_whole_number_moves_in_whole_steps_and_a_small_one_stays(
    book: Book, plan: Plan, found: Sensitivity
) -> None:
    assert effect(found, "cost", "Cards").inputs == (7.0, 8.0, 9.0)
    titles = {e.lever.title for e in ranking(found, "cost").effects}
    assert "One" not in titles
    wide = sensitivity(book, plan, step=0.6)
    assert effect(wide, "cost", "One").inputs == (1.0, 1.0, 2.0)


def test_the_gpus_of_phases_move_in_whole_steps(tmp_path: Path) -> None:
    book = dated_book(tmp_path, DATED.replace("[total.end_date]", "[total.gpu_hours]"))
    plan = book.plans["dated"]
    ranked = ranking(sensitivity(book, plan), "phases.total.gpu_hours")
    inputs = {each.lever.key: each.inputs for each in ranked.effects}
    assert Key("gpus", "phases", "train") not in inputs  # a tenth of 4 is no whole step
    wide = ranking(sensitivity(book, plan, step=0.3), "phases.total.gpu_hours")
    moved = {each.lever.key: each.inputs for each in wide.effects}
    assert moved[Key("gpus", "phases", "train")] == (3.0, 4.0, 5.0)


def test_a_value_with_two_scenarios_is_one_input_and_moves_from_the_current_one(
    book: Book, plan: Plan, found: Sensitivity
) -> None:
    assert effect(found, "cost", "Rate").inputs == (1800.0, 2000.0, 2100.0)
    written = sensitivity(book, plan, {Key("scenario"): "written"})
    assert effect(written, "cost", "Rate").inputs == pytest.approx((1710.0, 1900.0, 2090.0))
    runs = effect(written, "filtered", "Runs: Steps")
    assert runs.high.value == pytest.approx(11_000 + 2_860)


def test_unrelated_inputs_are_not_listed_and_those_without_effect_are_counted(
    found: Sensitivity,
) -> None:
    cost = ranking(found, "cost")
    titles = {each.lever.title for each in cost.effects}
    assert not titles & {"Unused", "Work", "Nothing", "One"}
    assert cost.still == 2  # Nothing is 0, One is too small to move as a whole number
    assert ranking(found, "least").still == 1  # the threshold only makes a longer option longer


def test_a_choice_and_a_count_of_the_catalogue_do_not_move(found: Sensitivity) -> None:
    keys = {each.lever.key for listed in found.rankings for each in listed.effects}
    assert Key("gpu") not in keys
    assert Key("scenario") not in keys


def test_the_largest_swing_comes_first_and_includes_the_current_figure(
    found: Sensitivity,
) -> None:
    for listed in found.rankings:
        swings = [each.swing for each in listed.effects]
        assert swings == sorted(swings, reverse=True)
    # both sides of the rate give 0.95; the current figure is above them
    rate = effect(found, "margin", "Rate")
    assert (rate.low.value, rate.high.value) == pytest.approx((0.95, 0.95))
    assert rate.swing == pytest.approx(2100 / 1800 * 0.95 - 0.95)


def test_equal_swings_keep_their_order() -> None:
    assert ranks([1.0, 3.0, 1.0 + 1e-16, 2.0]) == [3, 1, 4, 2]


def test_a_figure_without_a_number_has_no_effects(book: Book, plan: Plan) -> None:
    found = sensitivity(book, plan, {Key("gpu"): "t4"})
    peak = ranking(found, "peak_hours")
    assert peak.value.reason == "no bf16 tensor unit"
    assert peak.effects == ()


@pytest.mark.parametrize("step", [0.0, 1.0, -0.1])
def test_a_step_must_be_between_0_and_1(book: Book, plan: Plan, step: float) -> None:
    with pytest.raises(ValueError, match="expected a step between 0 and 1"):
        sensitivity(book, plan, step=step)


def test_recomputing_only_the_changes_equals_a_full_evaluation(
    book: Book, plan: Plan, found: Sensitivity
) -> None:
    whole = evaluate(book, plan, {Key("cards"): 9.0})
    moved = [
        (listed.name, each.high.value)
        for listed in found.rankings
        for each in listed.effects
        if each.lever.key == Key("cards")
    ]
    assert moved
    assert all(value == whole.scalars[name].value for name, value in moved)


def test_what_a_phase_does_not_say_moves_nothing(tmp_path: Path) -> None:
    book = costs_book(tmp_path)
    found = sensitivity(book, book.plans["costs"])
    titles = {each.lever.title for each in ranking(found, "phases.total.cost").effects}
    assert "Label: People's work" in titles
    assert not titles & {"Label: Times", "Serve: Times", "Keep: Times", "Train: Times"}
