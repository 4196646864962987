"""Ranges that were edited in a workbook: added, removed, or changed at only one end."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl.workbook import Workbook

from pull.workbooks import Shipped, cell, diff, said, ship
from scalesheet.pull import read, write
from scalesheet.pull.values import _followed
from small import HEAD


def test_an_emptied_range_leaves_a_single_number(shipped: Shipped) -> None:
    pulled = shipped.pull({"steps_per_hour low": None, "steps_per_hour high": None})
    assert (said(pulled), pulled.left) == ([], ())
    assert diff(pulled) == [
        "-  steps_per_hour: {value: 2_000, low: 1_800, high: 2_200, unit: step / hour, "
        "domain: positive}",
        "+  steps_per_hour: {value: 2_000, unit: step / hour, domain: positive}",
    ]
    pulled = shipped.pull({"wait low": None, "wait": 3.5, "wait high": None})
    assert diff(pulled)[1:] == ["+  wait: {value: 3.5, unit: minute}"]


def test_an_emptied_end_becomes_the_value(shipped: Shipped) -> None:
    pulled = shipped.pull({"steps_per_hour low": None})
    assert said(pulled) == []
    assert "{value: 2_000, low: 2_000, high: 2_200," in diff(pulled)[1]


def test_a_range_can_be_added_to_an_input(shipped: Shipped) -> None:
    row = 13  # the row of `batch` on Inputs
    assert shipped.pull({"batch": 99.0}).edits[0].place == f"Inputs!D{row}"
    pulled = shipped.pull({f"Inputs!C{row}": 12.0, f"Inputs!E{row}": 24.0})
    assert (said(pulled), pulled.left) == ([], ())
    assert [line.strip("+ ") for line in diff(pulled)] == ["low: 12", "high: 24"]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (
            {"steps_per_hour": 2500.0, "steps_per_hour high": 2400.0},
            "is 2500, above its high end of 2400; change Inputs!E12 too, or empty both ends where "
            "it has no range now",
        ),
        (
            {"steps_per_hour low": 2100.0},
            "is 2000, below its low end of 2100; change Inputs!C12 too, or empty both ends where "
            "it has no range now",
        ),
    ],
)
def test_a_value_outside_its_range_says_which_end_to_change(
    shipped: Shipped, cells: dict[str, float], message: str
) -> None:
    assert said(shipped.pull(cells)) == [f"W005 'steps_per_hour' {message}"]


def test_both_ends_follow_a_value_that_passes_one(shipped: Shipped) -> None:
    pulled = shipped.pull({"steps_per_hour": 2500.0})
    assert said(pulled) == []
    (edit,) = pulled.edits
    assert edit.old == "2000 (1800 to 2200)"
    assert edit.new == "2500 (2250 to 2750); low and high follow by the same factor"
    assert "{value: 2_500, low: 2_250, high: 2_750," in diff(pulled)[1]


@pytest.mark.parametrize(
    ("value", "ends"),
    [(0.97, (0.8622222222222, 0.97, 1.0)), (0.4, (0.3555555555556, 0.4, 0.4222222222222))],
)
def test_a_high_end_follows_within_its_domain(value: float, ends: tuple[float, ...]) -> None:
    typed, _ = _followed((0.8, value, 0.95), (0.8, 0.9, 0.95), "positive-fraction")
    assert typed == pytest.approx(ends)


PLAN = (
    HEAD
    + """\
headline: [all]
limits: {all: cap}
scalars:
  cap: {value: 50, unit: hour}
  each: {unit: hour, formula: runs.total.hours / count(runs)}
  all: {unit: hour, formula: runs.total.hours}
tables:
  runs:
    columns: {hours: {unit: hour}}
    rows: {one: {hours: 10}, two: {hours: {value: 5, low: 4, high: 8}}}
    total: [hours]
"""
)


@pytest.fixture(scope="module")
def ranged(tmp_path_factory: pytest.TempPathFactory) -> Shipped:
    files = {"plans/small/plan.yaml": PLAN, "plans/small/page.md": "# A plan\n"}
    return ship(tmp_path_factory.mktemp("ranged"), files)


def test_the_ends_of_a_number_without_a_range_follow_it(ranged: Shipped) -> None:
    """Its column shows three numbers in each row, because another row has a range."""
    pulled = ranged.pull({"runs['one'].hours": 12.0})
    assert said(pulled) == []
    assert "one: {hours: 12}" in diff(pulled)[1]


def test_a_value_over_a_formula_needs_all_three_ends(ranged: Shipped) -> None:
    (told,) = said(ranged.pull({"each": 7.0}))
    assert told == (
        "W006 'each' has a value over one end of its formula runs.total.hours / count(runs); "
        "put the formula back, or write low, expected and high"
    )
    pulled = ranged.pull({"each low": 6.0, "each": 7.0, "each high": 9.0})
    assert said(pulled) == []
    assert diff(pulled)[1:] == ["+  each: {unit: hour, value: 7, low: 6, high: 9}"]


def test_a_number_can_replace_the_formula_of_a_limit(ranged: Shipped) -> None:
    pulled = ranged.pull({"all.limit": 40.0})
    assert said(pulled) == []
    assert diff(pulled)[1:] == ["+limits: {all: 40}"]


AGAIN = PLAN.replace("count(runs)}", "count(runs) * rate}").replace(
    "scalars:\n", "scalars:\n  rate: {value: 2, low: 1, high: 3, unit: 1, domain: positive}\n"
)


@pytest.mark.parametrize(
    "cells",
    [
        {"rate low": None, "rate high": None, "runs['two'].hours low": None},
        {"runs['two'].hours low": None, "runs['two'].hours high": None},
        {"Inputs!C7": 40.0, "Inputs!E7": 60.0, "rate": 2.5},
    ],
)
def test_a_workbook_with_imported_ranges_can_be_pulled_again(
    cells: dict[str, float | None], tmp_path: Path
) -> None:
    """An input or a formula with a range has none now, or the other way round."""
    files = {"plans/small/plan.yaml": AGAIN, "plans/small/page.md": "# A plan\n"}
    mine = ship(tmp_path, files)
    edited = mine.edited(cells)
    pulled = read(mine.data, edited)
    assert said(pulled) == []
    assert len(pulled.edits) == 2 - ("rate" not in str(cells))
    write(mine.data, pulled)
    pulled = read(mine.data, edited)
    assert (said(pulled), pulled.edits, pulled.left) == ([], (), ())


def test_a_remark_beside_an_input_is_listed(shipped: Shipped) -> None:
    def remark(book: Workbook) -> None:
        at = cell(book, "batch")
        at.parent.cell(at.row, 27).value = "ask Ann"

    (left,) = shipped.pull({}, remark).left
    assert left.message == "a remark beside 'batch'; write it under Note to import it"
