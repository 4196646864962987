"""Edits of inputs accept numbers as people write them, even for inputs without a unit."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import scalesheet
import small
from scalesheet.book import Book
from scalesheet.cli import main
from scalesheet.evaluate.edits import EditError, read_edit
from scalesheet.nearest import nearest

PLAN = (
    small.HEAD
    + """\
headline: [cap]
scalars:
  cap: {value: 5_000 USD, kind: decision}
  wait: {low: 1 hour, high: 2 hours, kind: assumption}
  part: {value: 85 %, kind: assumption}
  memory: {value: 20, unit: GB, kind: assumption}
  price: {value: 0.9, unit: USD / hour, kind: assumption}
  share: {value: 0.1, unit: 1, domain: fraction, kind: assumption}
"""
)
FILES = {"plans/small/page.md": "# A plan\n", "plans/small/plan.yaml": PLAN}


@pytest.mark.parametrize(
    ("edit", "value"),
    [
        ("cap=4k", 4000),
        ("cap=4_000 USD", 4000),
        ("memory=20GB", 20),
        ("memory=20480 MiB", 21.47483648),
        ("memory=1 TB", 1000),
        ("price=0.9 USD / hour", 0.9),
        ("price=54 USD / minute", 3240),
        ("share=85 %", 0.85),
        ("memory=1..2 TB", 1500),
        ("memory=500 GB..1 TB", 750),
        ("cap=1e2..1e3", 550),
    ],
)
def test_an_edit_takes_quantities_as_people_write_them(
    tmp_path: Path, edit: str, value: float
) -> None:
    book = _book(tmp_path)
    key, stated = read_edit(book, book.plans["small"], edit)
    assert key.name == edit.partition("=")[0]
    assert stated.value == pytest.approx(value)


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        ("memory=2 hours", "'2 hours' is in hour; write a number in GB"),
        ("memory=2 GBB", "'2 GBB': unknown unit 'GBB'"),
        ("cap=4 %", "'4 %' is a share; write a number in USD"),
        ("cap=four", "expected a number in USD, found 'four'; write 4"),
        ("cap=30,000,000", "expected a number in USD, found '30,000,000'; write 30_000_000"),
        ("cap=$300", "expected a number in USD, found '$300'; write 300 USD"),
        ("share=85", "outside the domain 'fraction'"),
        ("memory=2..1 TB", "the low end 2 TB is above"),
    ],
)
def test_an_invalid_quantity_is_refused(tmp_path: Path, edit: str, says: str) -> None:
    book = _book(tmp_path)
    with pytest.raises(EditError, match=re.escape(says)):
        read_edit(book, book.plans["small"], edit)


def test_python_accepts_them_too(tmp_path: Path) -> None:
    opened = scalesheet.open_book(small.lay(tmp_path, FILES))
    plan = opened.plan("small").set(cap="4k", memory=("1 TB", "2 TB"))
    assert plan["cap"].value == 4000
    assert (plan["memory"].low, plan["memory"].high) == (1000, 2000)


def test_an_input_whose_value_has_a_unit_needs_no_other(tmp_path: Path) -> None:
    units = {name: str(s.unit) for name, s in _book(tmp_path).plans["small"].scalars.items()}
    assert (units["cap"], units["wait"], units["part"]) == ("USD", "hour", "1")


def test_a_letter_alone_is_not_a_unit(tmp_path: Path) -> None:
    text = PLAN.replace("value: 5_000 USD", "value: 5k")
    examined = small.examine(small.lay(tmp_path, FILES | {"plans/small/plan.yaml": text}))
    assert small.said(examined)[0].startswith("U003 scalars.cap lacks the key 'unit'")


def _book(folder: Path) -> Book:
    book = small.examine(small.lay(folder, FILES)).book
    assert book is not None
    return book


RANGED = (
    small.HEAD
    + """\
headline: [cost]
scalars:
  price: {value: 2, unit: USD / hour, kind: decision}
  wait: {low: 1 hour, high: 2 hours, kind: assumption}
  cost: {unit: USD, formula: price * wait}
  runs: {value: 3, unit: 1, kind: decision}
  mean: {unit: USD, formula: cost / runs}
"""
)


@pytest.mark.parametrize(
    ("name", "old", "low", "high"),
    [("price", "value: 2, unit", 1, 3), ("runs", "value: 3, unit", 2, 5)],
)
def test_a_range_for_an_exact_input_works_like_a_stated_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, old: str, low: int, high: int
) -> None:
    written = RANGED.replace(old, f"low: {low}, high: {high}, unit")
    stated = scalesheet.open_book(_laid(tmp_path / "stated", written)).plan("small")
    data = _laid(tmp_path / "exact", RANGED)
    edited = scalesheet.open_book(data).plan("small").set({name: (low, high)})
    figures = ("cost", "mean")
    assert [_ends(edited[each]) for each in figures] == [_ends(stated[each]) for each in figures]
    show = ["show", "small", f"--data={data}", f"--set={name}={low}..{high}", "--format=json"]
    assert main(show) == 0
    shown = json.loads(capsys.readouterr().out)["quantities"]["mean"]
    assert [shown[end] for end in ("low", "value", "high")] == _ends(stated["mean"])


def test_a_range_that_a_formula_cannot_use_is_refused(tmp_path: Path) -> None:
    text = RANGED.replace("cost / runs", "cost if runs > 2 else 0")
    plan = scalesheet.open_book(_laid(tmp_path, text)).plan("small")
    with pytest.raises(ValueError, match="a range of runs cannot be computed with"):
        plan.set(runs=(1, 4))


def test_an_input_of_all_rows_is_named_by_its_last_part() -> None:
    known = ("tokens", "runs.all.gpus", "runs.gpu", "runs.all.rank")
    for wrong in ("gpus", "runs.gpus"):
        assert nearest(wrong, known) == "; did you mean 'runs.all.gpus'?"


def _ends(quantity: scalesheet.Quantity) -> list[object]:
    return [quantity.low, quantity.value, quantity.high]


def _laid(folder: Path, plan: str) -> Path:
    return small.lay(folder, {**FILES, "plans/small/plan.yaml": plan})
