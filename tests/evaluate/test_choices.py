"""A plan with each of many rows chosen is the plan in which that row was entered."""

from __future__ import annotations

from pathlib import Path

import pytest

from render.sample import sample_book
from scalesheet.book import Book
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.choices import between, each_chosen
from scalesheet.model import Key
from small import plan

CARDS = """
scalars:
  card: {ref: cards, value: a, title: Card}
  many: {value: 3, unit: GPU, domain: count, kind: decision, title: Many}
  used: {unit: GPU, formula: sum(runs.used where runs.card == card)}
  room: {unit: GPU, formula: many - card.least}
tables:
  cards:
    title: Cards
    columns:
      least: {unit: GPU, domain: count, title: Least}
    rows:
      a: {title: A, least: 1}
      b: {title: B, least: 5}
  runs:
    title: Runs
    rows: {each: {card: cards}}
    columns:
      used: {unit: GPU, formula: "many if card.least <= many else reason('too few')"}
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    return sample_book(tmp_path_factory.mktemp("sample"))


def test_every_figure_is_that_of_an_evaluation(book: Book) -> None:
    small = book.plans["small"]
    figures = [name for name, scalar in small.scalars.items() if scalar.formula is not None]
    rows = book.tables["hardware"].rows
    for row, found in each_chosen(book, small, "gpu", rows, figures):
        whole = evaluate(book, small, {Key("gpu"): row})
        assert found == {name: whole.scalars[name] for name in figures}


def test_only_what_lies_between_is_computed(book: Book) -> None:
    small = book.plans["small"]
    assert between(book, small, "gpu", ["cost", "enough"]) == (Key("enough"),)
    assert between(book, small, "gpu", ["cost"]) == ()


def test_a_reason_goes_where_another_row_gives_a_number(tmp_path: Path) -> None:
    examined = plan(tmp_path, CARDS)
    assert examined.book is not None, examined.diagnostics
    of = examined.book.plans["small"]
    for row, found in each_chosen(examined.book, of, "card", ("b", "a", "b"), ["used", "room"]):
        whole = evaluate(examined.book, of, {Key("card"): row})
        assert found == {name: whole.scalars[name] for name in ("used", "room")}
