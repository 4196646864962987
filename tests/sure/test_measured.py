"""Measurements narrow the reserve; total indices; a contingency that is spent as needed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests import small

from scalesheet.book import Book
from scalesheet.evaluate import evaluate
from scalesheet.model import Plan
from scalesheet.render.sureness import summary
from scalesheet.render.text.sure import sure_text
from scalesheet.sure.quantiles import Sure, sure


def found(folder: Path, text: str) -> tuple[Sure, Plan, Book]:
    examined = small.plan(folder, text)
    assert examined.book is not None, small.said(examined)
    plan = examined.book.plans["small"]
    return sure(examined.book, plan), plan, examined.book


RUNS = """
scalars:
  price: {{value: 2, low: 1.5, high: 3, unit: USD / hour, kind: assumption}}
  cost: {{title: Cost, unit: USD, formula: runs.total.hours * price}}
headline: [cost]
tables:
  runs:
    title: Runs
    columns:
      measured: {{title: Measured time, unit: hour}}
      hours:
        title: Time
        unit: hour
        formula: measured if known(measured) else between(half * 20, half * 40, half * 90)
      half: {{unit: hour}}
    rows:
      one: {{title: One, half: 1, measured: {one}}}
      two: {{title: Two, half: 2, measured: {two}}}
    total: [hours]
"""
OPEN = "{reason: nothing measured yet}"
DONE = "{value: 85, kind: measured, source: a-paper}"


def test_a_measured_run_narrows_the_reserve_and_the_plan_shows_the_earlier_one(
    tmp_path: Path,
) -> None:
    first, *_ = found(tmp_path, RUNS.format(one=OPEN, two=OPEN))
    then, plan, book = found(tmp_path, RUNS.format(one=OPEN, two=DONE))
    now, before = then.figures["cost"].reserve, first.figures["cost"].reserve
    assert then.measured == ("Two: Measured time",)
    assert then.before == pytest.approx(before, rel=1e-12)
    assert now < 0.8 * before
    assert (first.measured, np.isnan(first.before)) == ((), True)
    (line,) = [
        each
        for each in summary(book, plan, evaluate(book, plan), then)
        if each.startswith("Measured: Two: Measured time.")
    ]
    assert line.endswith(f"The reserve was {before:.0f} USD before, and is {now:.2f} USD.")


def test_if_everything_is_measured_the_plan_shows_the_earlier_reserve(tmp_path: Path) -> None:
    """With an exact price and two measured times, the cost no longer has the reserve it had."""
    text = RUNS.replace("low: 1.5, high: 3, ", "").replace("[cost]", "[rate, cost]")
    exact = text.replace("  cost:", "  rate: {{unit: USD / hour, formula: price * 1}}\n  cost:")
    first, *_ = found(tmp_path, exact.format(one=OPEN, two=OPEN))
    then, plan, book = found(tmp_path, exact.format(one=DONE, two=DONE))
    before = first.figures["cost"].reserve
    assert (then.first, then.narrowed) == ("", "cost")
    assert then.before == pytest.approx(before, rel=1e-12)
    assert before > 0
    results = evaluate(book, plan)
    (line,) = summary(book, plan, results, then)
    assert line == (
        "No figure shown is uncertain. Measured: One: Measured time and Two: Measured time. "
        f"The reserve was {before:.0f} USD before, and is 0 USD."
    )
    assert line in sure_text(book, plan, results, then)
    assert not list(summary(book, plan, results, replace(then, narrowed="")))


WIDE = "{{value: 0, low: -{0}, high: {0}, unit: 1, domain: signed, kind: assumption}}"


def sums(folder: Path, formula: str) -> dict[str, tuple[float, float]]:
    made, *_ = found(
        folder,
        f"""
        scalars:
          a: {WIDE.format(3)}
          b: {WIDE.format(4)}
          y: {{unit: 1, domain: signed, formula: {formula}}}
        headline: [y]
        """,
    )
    return {each.unknown.name: (each.share, each.total) for each in made.figures["y"].causes}


def test_the_total_index_in_a_sum_equals_the_first_order_index(tmp_path: Path) -> None:
    by = sums(tmp_path, "a + b")
    assert by["a"] == pytest.approx((0.36, 0.36), abs=0.05)
    assert by["b"] == pytest.approx((0.64, 0.64), abs=0.07)


COIN = "{value: 0.5, low: 0, high: 1, unit: 1, kind: assumption, spread: two-point}"


def test_in_a_pure_interaction_each_total_index_is_1(tmp_path: Path) -> None:
    """Neither of two coins alone says whether they differ, and neither can be left out."""
    made, *_ = found(
        tmp_path,
        f"""
        scalars:
          a: {COIN}
          b: {COIN}
          c: {{value: 1, low: 0.95, high: 1.05, unit: 1, kind: assumption}}
          y: {{unit: 1, domain: signed, formula: 'max(a, b) - min(a, b) + c'}}
        headline: [y]
        """,
    )
    by = {each.unknown.name: (each.share, each.total) for each in made.figures["y"].causes}
    for share, total in (by["a"], by["b"]):
        assert share < 0.03
        assert total == pytest.approx(1, abs=0.15)


def test_a_contingency_spent_as_needed_has_the_same_coverage_on_its_figure(
    tmp_path: Path,
) -> None:
    """With an exact price, the budget suffices as often as the contingency on its hours."""
    made, plan, book = found(
        tmp_path,
        """
        scalars:
          hours: {value: 40, low: 20, high: 90, unit: hour, kind: assumption}
          work: {title: Work, unit: hour, formula: hours * 1}
          price: {value: 2, unit: USD / hour, kind: assumption}
          extra: {value: 0.15, unit: 1, kind: decision, contingency_on: work}
          cost: {title: Cost, unit: USD, formula: work * (1 + extra) * price}
        headline: [cost]
        """,
    )
    assert made.as_needed == pytest.approx(made.contingencies[0].covers)
    assert made.as_needed > made.figures["cost"].expected
    said = " ".join(summary(book, plan, evaluate(book, plan), made))
    assert "Both hold the contingency in full; spent only as needed, 92 USD is enough in" in said
