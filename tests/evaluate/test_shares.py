"""Shares: a part's share is the amount by which the figure falls without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scalesheet.evaluate import computed, evaluate
from scalesheet.evaluate.shares import Sums
from scalesheet.examine import examine, sound
from scalesheet.model import Key
from scalesheet.resolve.order import name_of
from small import plan

PLAN = """
scalars:
  seeds: {value: 3, unit: 1, kind: decision}
  price: {value: 2, unit: USD / hour, kind: decision}
  storage: {value: 4, unit: USD, kind: decision}
  big: {flag: yes, value: yes, kind: decision}
  rent: {unit: USD, formula: sum(jobs.hours) * price}
  least: {value: 2, unit: hour, kind: decision}
  cost: {unit: USD, formula: "FORMULA"}
tables:
  jobs:
    columns: {hours: {unit: hour, kind: decision}}
    rows: {short: {hours: 1}, long: {hours: 6}, middle: {hours: 3}}
headline: [cost]
"""
ROWS = ["jobs['long'].hours", "jobs['middle'].hours", "jobs['short'].hours"]


@pytest.mark.parametrize(
    ("formula", "names"),
    [
        ("seeds * rent", ROWS),
        ("rent / seeds", ROWS),
        ("(1 + seeds) * rent", ROWS),
        ("rent if big else storage", ROWS),
        ("max(rent, storage)", ROWS),
        ("min(rent, 1000 * storage)", ROWS),
        ("rent + storage", [*ROWS[:2], "storage", ROWS[2]]),
        ("price * sum(jobs.hours where jobs.hours > least)", ROWS[:2]),
        ("rent + storage - storage - storage + storage", []),
        ("rent**2 / storage", []),
        ("ceil(rent / storage) * storage", []),
        ("storage", []),
        ("seeds * storage", []),
        ("rent - storage", []),
    ],
)
def test_the_share_of_a_part_is_the_figures_drop_without_it(
    tmp_path: Path, formula: str, names: list[str]
) -> None:
    plan(tmp_path, PLAN.replace("FORMULA", formula))
    edition = sound(examine(tmp_path / "data"))
    book, small = edition.book, edition.book.plans["small"]
    results = edition.results["small"]
    whole = float(str(results.scalars["cost"].value))
    found = Sums(book, small, results, computed(book, small)).of(Key("cost")).parts
    assert [name_of(key) for (key,), _ in found] == names
    for (key,), share in found:
        without = evaluate(book, small, {key: 0.0}).scalars["cost"].value
        assert whole - float(str(without)) == pytest.approx(share * whole)


PHASES = """
phases:
  first: {title: First, class: one_time, gpus: 1, hours: 9}
  beside: {title: Beside, class: one_time, gpus: 1, hours: 2}
  last: {title: Last, class: one_time, gpus: 1, hours: 3, after: [first, beside]}
"""


def test_the_end_of_a_plan_consists_of_the_phases_on_its_longest_path(tmp_path: Path) -> None:
    plan(tmp_path, PHASES)
    edition = sound(examine(tmp_path / "data"))
    book, small = edition.book, edition.book.plans["small"]
    results = edition.results["small"]
    end = Key("end", "phases", "last")
    found = Sums(book, small, results, computed(book, small)).of(end).parts
    shares = {key.row: share for keys, share in found for key in keys}
    assert shares == pytest.approx({"first": 9 / 12, "last": 3 / 12})


def test_a_column_without_a_row_is_its_only_row(tmp_path: Path) -> None:
    rows = "{short: {hours: 1}, long: {hours: 6}, middle: {hours: 3}}"
    formula = "sum(jobs.hours) * price + storage"
    for left in ("{long: {hours: 6}}", rows):
        plan(tmp_path, PLAN.replace("FORMULA", formula).replace(rows, left))
        edition = sound(examine(tmp_path / "data"))
        book, small = edition.book, edition.book.plans["small"]
        sums = Sums(book, small, edition.results["small"], computed(book, small))
        (end,) = sums.of(Key("hours", "jobs")).path
        assert end == Key("hours", "jobs", "long" if left != rows else None)
