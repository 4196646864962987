"""Shapes of ranges: stated percentiles, inputs that move together, events."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from tests import small

from scalesheet.model import Event, Likelihood, Stated
from scalesheet.sure.draws import drawn
from scalesheet.sure.shapes import SHAPES, drawn_values, happens
from scalesheet.sure.spread import uniform

U = uniform("a")
RANGES = [(2.0, 5.0, 7.0), (2.0, 2.0, 7.0), (2.0, 7.0, 7.0), (3.0, 4.0, 90.0)]


def drawn_as(spread: str, low: float, value: float, high: float, *at: float) -> np.ndarray:
    percentiles = (at[0], at[1]) if at else (0.1, 0.9)
    return drawn_values(
        Stated(float(value), low, high, likelihood=Likelihood(spread, percentiles)), "signed", U
    )


@pytest.mark.parametrize("spread", ["lognormal", "normal", "triangular", "uniform", "pert"])
@pytest.mark.parametrize("ends", RANGES)
@pytest.mark.parametrize("at", [(0.1, 0.9), (0.05, 0.8), (0.25, 0.75)])
def test_low_and_high_are_the_stated_percentiles(
    spread: str, ends: tuple[float, float, float], at: tuple[float, float]
) -> None:
    made = drawn_as(spread, *ends, *at)
    found = np.quantile(made, at)
    assert found == pytest.approx([ends[0], ends[2]], abs=0.02 * (ends[2] - ends[0]))


@pytest.mark.parametrize("spread", ["triangular", "uniform", "pert"])
@pytest.mark.parametrize("ends", RANGES)
def test_a_bounded_shape_stays_within_its_bounds(
    spread: str, ends: tuple[float, float, float]
) -> None:
    made = drawn_as(spread, *ends, 0.0, 1.0)
    assert ends[0] <= made.min() < made.max() <= ends[2]
    width = ends[2] - ends[0]
    shape = (ends[1] - ends[0]) / width
    expected = {
        "triangular": stats.triang(shape, ends[0], width),
        "uniform": stats.uniform(ends[0], width),
        "pert": stats.beta(1 + 4 * shape, 5 - 4 * shape, ends[0], width),
    }[spread]
    assert made == pytest.approx(expected.ppf(U), abs=1e-4 * width)


@pytest.mark.parametrize("spread", ["lognormal", "normal"])
def test_the_expected_value_is_the_median(spread: str) -> None:
    assert np.median(drawn_as(spread, 3, 4, 90)) == pytest.approx(4, abs=0.05)


def test_the_expected_value_is_the_mean_of_two_points() -> None:
    made = drawn_as("two-point", 3, 4, 90)
    assert set(made) == {3, 90}
    assert made.mean() == pytest.approx(4, rel=0.05)


def test_a_lognormal_with_one_width_matches_scipy() -> None:
    made = drawn_as("lognormal", 2, 6, 18, 0.05, 0.95)
    width = np.log(3) / stats.norm.ppf(0.95)
    assert made == pytest.approx(stats.lognorm(width, scale=6).ppf(U), rel=1e-9)


@pytest.mark.parametrize("spread", SHAPES)
def test_a_higher_draw_is_a_higher_value(spread: str) -> None:
    assert (np.diff(drawn_as(spread, 2, 5, 7)[np.argsort(U)]) >= 0).all()


def test_an_event_is_binomial() -> None:
    times = happens(Event(0.3, times=5), U)
    expected = stats.binom(5, 0.3)
    assert [np.mean(times == n) for n in range(6)] == pytest.approx(
        [expected.pmf(n) for n in range(6)], abs=3e-3
    )
    assert (happens(Event(0.0, times=3), U) == 0).all()
    assert (happens(Event(1.0, times=3), U) == 3).all()


def sample(folder: Path, lines: str, name: str = "y") -> np.ndarray:
    examined = small.scalars(folder, lines, f"headline: [{name}]\n")
    assert examined.book is not None, small.said(examined)
    return drawn(examined.book, examined.book.plans["small"], [name]).figures[name]


def likely(name: str, extra: str) -> str:
    return f"{name}: {{value: 4, low: 2, high: 8, unit: 1, kind: assumption, {extra}}}\n"


def total(names: str) -> str:
    return f"y: {{unit: 1, domain: signed, formula: {' + '.join(names)}}}\n"


def test_a_sum_of_inputs_that_move_together_does_not_narrow(tmp_path: Path) -> None:
    together = "".join(likely(name, "moves_with: market") for name in "abcd")
    alone = sample(
        tmp_path, likely("a", "moves_with: market") + likely("b", "moves_with: market") + total("a")
    )
    assert sample(tmp_path, together + total("abcd")) == pytest.approx(4 * alone, rel=1e-12)


def test_inputs_that_move_in_opposite_directions_offset_each_other(tmp_path: Path) -> None:
    shape = "spread: normal, moves_with: "
    lines = likely("a", shape + "market") + likely("b", shape + "-market")
    lines = lines.replace("high: 8", "high: 6, domain: signed")
    assert sample(tmp_path, lines + total("ab")) == pytest.approx(8, rel=1e-9)


def test_an_input_can_move_with_another_by_name(tmp_path: Path) -> None:
    lines = likely("a", "spread: normal") + likely("b", "spread: normal, moves_with: a")
    assert sample(
        tmp_path, lines + "y: {unit: 1, domain: signed, formula: a - b}\n"
    ) == pytest.approx(0)


def test_a_range_from_a_formula_can_move_with_an_input(tmp_path: Path) -> None:
    lines = likely("a", "moves_with: -utilization") + (
        "b: {unit: 1, formula: 'between(2, 4, 8)', moves_with: utilization}\n"
    )
    product = sample(tmp_path, lines + "y: {unit: 1, formula: a * b}\n")
    assert product == pytest.approx(16, rel=1e-9)


def test_an_event_repeats_runs_and_drops_a_phase(tmp_path: Path) -> None:
    lines = (
        "runs: {value: 5, unit: run, kind: decision}\n"
        "again: {value: 0, unit: run, domain: whole, "
        "kind: assumption, event: {chance: 0.2, times: 5}}\n"
        "phase: {value: 1, unit: 1, domain: whole, "
        "kind: decision, event: {chance: 0.4, adds: -1}}\n"
        "y: {unit: run, formula: (runs + again) * phase}\n"
    )
    made = sample(tmp_path, lines)
    assert set(made) <= {0, 5, 6, 7, 8, 9, 10}
    assert np.mean(made == 0) == pytest.approx(0.4, abs=0.005)
    assert made[made > 0].mean() == pytest.approx(6, abs=0.05)


def test_an_event_can_happen_a_thousand_times(tmp_path: Path) -> None:
    lines = (
        "lost: {value: 0, unit: run, domain: whole, "
        "kind: assumption, event: {chance: 0.3, times: 1000}}\n"
        "y: {unit: run, formula: lost * 1}\n"
    )
    made = sample(tmp_path, lines)
    assert made.mean() == pytest.approx(300, rel=0.005)
    assert made.std() == pytest.approx(np.sqrt(1000 * 0.3 * 0.7), rel=0.05)


WRONG = [
    ("spread: lognormal", "V018", "a lognormal range is above 0, found low 0"),
    ("percentiles: [90, 10]", "V001", "percentile 90 of low is not below 10 of high"),
    ("percentiles: [0, 100]", "V018", "percentiles 0 and 100 are ends"),
    (
        "moves_with: market",
        "N001",
        "'a' moves with 'market', and nothing else belongs to that group",
    ),
    ("event: {chance: 1.5}", "V002", "a chance from 0 to 1, found the number 1.5"),
    (
        "event: {chance: 0.5, times: 1001}",
        "V002",
        "a whole number from 1 to 1000, found the number",
    ),
    ("event: {chance: 0.5}", "V018", "an event adds to a count, found the domain non-negative"),
]


@pytest.mark.parametrize(("extra", "code", "message"), WRONG)
def test_a_range_that_cannot_be_drawn_is_refused_with_a_fix(
    tmp_path: Path, extra: str, code: str, message: str
) -> None:
    lines = likely("a", extra).replace("low: 2", "low: 0") + total("a")
    found = small.scalars(tmp_path, lines, "headline: [y]\n").diagnostics
    assert [each.code for each in found if each.severity == "error"] == [code]
    assert any(message in each.message for each in found), found
    assert all(each.line > 4 for each in found if each.code == code)
