"""Limits on figures: each adds a check and a margin."""

from __future__ import annotations

from pathlib import Path

import pytest

import small
from pull.workbooks import diff, said, ship
from scalesheet.breaches import breaches

PLAN = (
    small.HEAD
    + """\
headline: [cost, hours]
limits: {cost: cap, total.cost: 900}
scalars:
  cap: {value: 500, unit: USD, kind: decision}
  hours: {value: 10, low: 8, high: 20, unit: hour}
  price: {value: 30, unit: USD / hour}
  cost: {unit: USD, formula: hours * price}
phases:
  one:
    title: One
    tables: {}
""".replace("phases:\n  one:\n    title: One\n    tables: {}\n", "").replace(
        ", total.cost: 900", ""
    )
)
FILES = {"plans/small/page.md": "# A plan\n", "plans/small/plan.yaml": PLAN}


def test_the_margin_follows_its_figure(tmp_path: Path) -> None:
    examined = small.examine(small.lay(tmp_path, FILES))
    assert examined.diagnostics == []
    assert examined.book is not None
    plan, results = examined.book.plans["small"], examined.results["small"]
    assert plan.headline == ("cost", "cost.margin", "hours")
    margin = results.scalars["cost.margin"]
    assert (margin.low, margin.value, margin.high) == (-100, 200, 260)
    assert list(breaches(plan, results)) == [], "it is expected to stay within"


@pytest.mark.parametrize(("limit", "broken"), [("299", True), ("300", False), ("cap / 2", True)])
def test_a_figure_above_its_limit_is_a_breach(tmp_path: Path, limit: str, broken: bool) -> None:
    text = PLAN.replace("cost: cap", f"cost: {limit}")
    examined = small.examine(small.lay(tmp_path, FILES | {"plans/small/plan.yaml": text}))
    assert examined.book is not None, examined.diagnostics
    plan = examined.book.plans["small"]
    found = [each.check.name for each in breaches(plan, examined.results["small"])]
    assert found == ["check.cost.limit"] * broken
    assert [each.code for each in examined.diagnostics] == ["V005"] * broken


@pytest.mark.parametrize(
    ("limit", "says"),
    [
        ("cots: 5", "N001 'cots' is not a figure of the plan; did you mean 'cost'?"),
        ("cost: price", "U002"),
        ("cost: copper", "N001 unknown name 'copper'"),
        ("cost: [1]", "S003"),
        ("cost: 1e400", "Y007"),
    ],
)
def test_an_invalid_limit_is_reported(tmp_path: Path, limit: str, says: str) -> None:
    text = PLAN.replace("cost: cap", limit)
    examined = small.examine(small.lay(tmp_path, FILES | {"plans/small/plan.yaml": text}))
    assert small.said(examined)[0].startswith(says)


def test_a_limit_can_be_edited_in_the_workbook(tmp_path: Path) -> None:
    shipped = ship(
        tmp_path, FILES | {"plans/small/plan.yaml": PLAN.replace("cost: cap", "cost: 450")}
    )
    pulled = shipped.pull({"cost.limit": 600})
    assert said(pulled) == []
    assert diff(pulled) == ["-limits: {cost: 450}", "+limits: {cost: 600}"]


def test_a_limit_by_a_formula_can_be_edited_in_the_workbook(tmp_path: Path) -> None:
    pulled = ship(tmp_path, FILES).pull({"cost.limit": "=cap*2"})
    assert said(pulled) == []
    assert diff(pulled) == ["-limits: {cost: cap}", "+limits: {cost: cap * 2}"]
