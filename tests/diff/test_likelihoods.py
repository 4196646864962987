"""A changed range shows as a change of P80, and plans that did not change are not listed."""

from __future__ import annotations

from pathlib import Path

from tests import small

from scalesheet.diff import Diff, compare
from scalesheet.render.text.diff import Sides, as_markdown, as_text

PLAN = """
scalars:
  hours: {{value: 40, low: 20, high: {high}, unit: hour, kind: assumption}}
  price: {{value: 2, unit: USD / hour, kind: decision}}
  cost: {{title: Cost, unit: USD, formula: hours * price}}
headline: [cost]
limits: {{cost: 150 USD}}
"""


EXACT = PLAN.replace("low: 20, high: {high}, ", "")


def changed(folder: Path, high: int, after: str = PLAN) -> Diff:
    sides = [
        small.plan(folder / str(at), text.format(high=each)).edition
        for at, (text, each) in enumerate(((PLAN, 90), (after, high)))
    ]
    assert sides[0] is not None
    assert sides[1] is not None
    return compare(*sides)


def test_a_wider_range_is_listed_with_its_p80_and_limit(tmp_path: Path) -> None:
    diff = changed(tmp_path, 120)
    (told,) = diff.likelihoods
    assert told.plan == "small"
    assert told.old.startswith("P80 of Cost 136 USD, P50 80 USD; Cost within its limit in 84")
    assert told.new.startswith("P80 of Cost 16")
    for text in (as_text(diff, Sides("a", "b")), as_markdown(diff, Sides("a", "b"))):
        assert "P80 of Cost 16" in text
        assert "(was P80 of Cost 136 USD" in text


def test_a_plan_that_became_exact_says_so(tmp_path: Path) -> None:
    diff = changed(tmp_path, 90, EXACT)
    text = as_markdown(diff, Sides("a", "b"))
    assert "small: no figure shown is uncertain (was P80 of Cost 136 USD" in text


def test_unchanged_plans_are_not_listed(tmp_path: Path) -> None:
    assert changed(tmp_path, 90).likelihoods == ()
