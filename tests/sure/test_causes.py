"""Causes of a reserve, contingencies, margins and digits: properties and closed forms."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests import small

from scalesheet.book import Book
from scalesheet.evaluate import evaluate
from scalesheet.model import Plan
from scalesheet.render.sureness import hundred, quantile_rows
from scalesheet.sure.draws import drawn
from scalesheet.sure.quantiles import Quantiles, Sure, deserved, sure


def found(folder: Path, lines: str, rest: str = "headline: [y]\n") -> tuple[Sure, Plan, object]:
    examined = small.scalars(folder, lines, rest)
    assert examined.book is not None, small.said(examined)
    plan = examined.book.plans["small"]
    return sure(examined.book, plan), plan, examined.book


def wide(name: str, width: float, extra: str = "") -> str:
    ends = f"value: 0, low: {-width}, high: {width}"
    return f"{name}: {{{ends}, unit: 1, domain: signed, kind: assumption{extra}}}\n"


def share_of(figure: Quantiles) -> dict[str, tuple[float, float]]:
    return {each.unknown.name: (each.share, each.saves) for each in figure.causes}


def test_shares_in_a_sum_of_normals_follow_from_the_variances(tmp_path: Path) -> None:
    """Widths 3 and 4 give 5; if the first becomes known, 4 of 5 remain."""
    lines = wide("a", 3) + wide("b", 4) + "y: {unit: 1, domain: signed, formula: a + b}\n"
    by = share_of(found(tmp_path, lines)[0].figures["y"])
    assert by["a"] == pytest.approx((9 / 25, 1 - 4 / 5), abs=0.03)
    assert by["b"] == pytest.approx((16 / 25, 1 - 3 / 5), abs=0.03)


def test_the_only_unknown_causes_the_whole_reserve(tmp_path: Path) -> None:
    lines = (
        "a: {value: 4, low: 1, high: 9, unit: 1, kind: assumption}\ny: {unit: 1, formula: a * 2}\n"
    )
    ((share, saves),) = share_of(found(tmp_path, lines)[0].figures["y"]).values()
    assert share == pytest.approx(1, abs=0.05)
    assert saves == pytest.approx(1, abs=0.03)


def test_an_input_without_effect_is_no_cause_and_an_exact_figure_has_none(tmp_path: Path) -> None:
    lines = wide("a", 3) + wide("b", 4) + "y: {unit: 1, domain: signed, formula: a + 0 * b}\n"
    lines += "x: {unit: 1, formula: 2 + 3}\n"
    figures = found(tmp_path, lines, "headline: [y, x]\n")[0].figures
    assert list(share_of(figures["y"])) == ["a"]
    assert (figures["x"].causes, figures["x"].reserve) == ((), 0)


def test_a_pure_interaction_of_two_unknowns_is_caused_by_neither_alone(tmp_path: Path) -> None:
    """Neither of two coins alone says whether they differ."""
    coin = "{value: 0.5, low: 0, high: 1, unit: 1, kind: assumption, spread: two-point}"
    lines = (
        f"a: {coin}\nb: {coin}\ny: {{unit: 1, domain: signed, formula: 'max(a, b) - min(a, b)'}}\n"
    )
    made = found(tmp_path, lines)[0].figures["y"]
    assert made.values["mean"] == pytest.approx(0.5, abs=0.05)
    assert sum(each.share for each in made.causes) < 0.03


def test_a_group_is_one_cause_with_its_members(tmp_path: Path) -> None:
    market = ", moves_with: market"
    lines = wide("a", 3, market) + wide("b", 4, market) + wide("c", 7)
    lines += "y: {unit: 1, domain: signed, formula: a + b + c}\n"
    causes = found(tmp_path, lines)[0].figures["y"].causes
    assert {each.unknown.name: each.unknown.titles for each in causes} == {
        "market": ("A", "B"),
        "c": ("C",),
    }
    assert [each.share for each in causes] == pytest.approx([0.5, 0.5], abs=0.03)


LIMITED = (
    "cost: {unit: USD, formula: hours * price}\n"
    "hours: {value: 40, low: 20, high: 90, unit: hour, kind: assumption}\n"
    "price: {value: 2, low: 1.5, high: 3, unit: USD / hour, kind: assumption}\n"
)


def test_quantiles_of_a_margin_are_reversed(tmp_path: Path) -> None:
    """The margin that remains four times out of five is the limit less the cost's P80."""
    made, plan, book = found(tmp_path, LIMITED, "headline: [cost]\nlimits: {cost: 150 USD}\n")
    cost, margin = made.figures["cost"], made.figures["cost.margin"]
    for name, value in cost.values.items():
        assert margin.values[name] == pytest.approx(150 - value, rel=1e-9), name
    assert (margin.falls, cost.falls) == (True, False)
    assert margin.reserve == pytest.approx(cost.reserve)
    assert made.money == "cost"
    sample = drawn(book, plan, ["cost"]).figures["cost"]  # type: ignore[arg-type]
    assert made.limits["cost"] == pytest.approx(np.mean(sample <= 150))


def contingency(folder: Path, share: float) -> Sure:
    lines = LIMITED + (
        f"extra: {{value: {share}, unit: 1, kind: decision, contingency_on: cost}}\n"
        "budget: {unit: USD, formula: cost * (1 + extra)}\n"
    )
    return found(folder, lines, "headline: [budget]\n")[0]


def test_a_larger_contingency_covers_more(tmp_path: Path) -> None:
    covers = [contingency(tmp_path, share).contingencies[0].covers for share in (0, 0.15, 0.6)]
    assert 0 < covers[0] < covers[1] < covers[2] < 1


def test_the_needed_contingency_covers_80_of_100(tmp_path: Path) -> None:
    needed = contingency(tmp_path, 0.15).contingencies[0].needed
    (again,) = contingency(tmp_path, needed).contingencies
    assert again.covers == pytest.approx(0.8, abs=1 / 2048)


def test_a_contingency_on_an_unknown_figure_is_refused(tmp_path: Path) -> None:
    lines = "extra: {value: 0.1, unit: 1, kind: decision, contingency_on: costs}\n" + LIMITED
    assert small.said(small.scalars(tmp_path, lines)) == [
        "N001 'costs' is not a figure of the plan; did you mean 'cost'?"
    ]


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        (
            "value: 0.1, unit: 1, kind: decision, contingency_on: extra",
            "N001 'extra' is a contingency on itself; name the figure that it is added to",
        ),
        (
            "value: 300, unit: USD, kind: decision, contingency_on: cost",
            "U002 'extra' is a contingency: expected a share, found USD; write unit: 1",
        ),
    ],
)
def test_a_contingency_must_be_a_share_of_another_figure(
    tmp_path: Path, extra: str, said: str
) -> None:
    assert small.said(small.scalars(tmp_path, f"extra: {{{extra}}}\n" + LIMITED)) == [said]


def test_a_contingency_without_a_value_covers_nothing_and_is_not_shown(tmp_path: Path) -> None:
    lines = LIMITED + "extra: {reason: not decided, unit: 1, contingency_on: cost}\n"
    made, *_ = found(tmp_path, lines, "headline: [cost]\n")
    assert made.contingencies == ()
    assert np.isnan(made.as_needed)


def test_a_cause_says_how_to_reduce_it(tmp_path: Path) -> None:
    text = LIMITED.replace("unit: hour,", "unit: hour, found_by: a run of 2 hours,")
    first = found(tmp_path, text, "headline: [cost]\n")[0].figures["cost"].causes[0]
    assert (first.unknown.name, first.unknown.found_by) == ("hours", "a run of 2 hours")


@pytest.mark.parametrize(
    ("value", "error", "digits"),
    [(9663.2, 18.0, 9660), (2239.4, 17.0, 2240), (0.12345, 0.003, 0.123), (5.0, 0.0, 5.0)],
)
def test_a_quantile_has_as_many_digits_as_its_error_allows(
    value: float, error: float, digits: float
) -> None:
    assert deserved(value, error) == pytest.approx(digits, rel=1e-12)


def test_a_possible_event_is_never_shown_as_0_or_100_of_100() -> None:
    assert [hundred(each) for each in (0, 0.001, 0.714, 0.999, 1)] == [
        "0",
        "less than 1",
        "71",
        "more than 99",
        "100",
    ]


def test_a_limit_on_a_figure_without_a_value_has_no_probability(tmp_path: Path) -> None:
    rule = "cost if low(cost) > 100 * high(cost) else reason('too little')"
    lines = f'{LIMITED}lacking: {{unit: USD, formula: "{rule}"}}\n'
    more = "headline: [cost, lacking]\nlimits: {cost: 150 USD, lacking: 150 USD}\n"
    assert found(tmp_path, lines, more)[0].limits.keys() == {"cost"}


def test_an_error_has_the_decimals_of_its_figure_and_at_least_one_digit(tmp_path: Path) -> None:
    lines = "x: {value: 8.24, low: 4, high: 16, unit: hour, kind: assumption}\n"
    sure_, plan, book = found(tmp_path, f"{lines}y: {{unit: hour, formula: x}}\n")
    assert isinstance(book, Book)
    each = sure_.figures["y"]
    for error, shown in ((0.0109, "0.01"), (0.26, "0.3"), (12.34, "12.3")):
        errors = {**each.errors, "p80": error}
        with_error = replace(sure_, figures={"y": replace(each, errors=errors)})
        (row,) = quantile_rows(book, plan, evaluate(book, plan), with_error)
        assert row.error == shown
