"""The pictures of the plans that ship say what the evaluator does."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypeVar

import pytest

from scalesheet.book import Book
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.edits import read_edit
from scalesheet.evaluate.sweep import swept
from scalesheet.model import Key, Plan
from scalesheet.pictures import Stack, Sweep
from scalesheet.render.stacks import stacked
from shipped import shipped_book

WITHIN = 1e-9


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped_book()


Kind = TypeVar("Kind")


def pictures(book: Book, kind: type[Kind]) -> Iterator[tuple[Plan, Kind]]:
    for plan in book.plans.values():
        yield from ((plan, chart) for chart in plan.charts if isinstance(chart, kind))


def test_the_parts_of_a_stack_add_up_to_its_total(book: Book) -> None:
    """In each scenario: a bar is as long as the number beside it."""
    bars = 0
    for plan, stack in pictures(book, Stack):
        for word in plan.scenarios or ("",):
            results = evaluate(book, plan, {Key("scenario"): word} if word else {})
            for bar in stacked(stack, plan, results, book.units).bars:
                if bar.whole.value is not None:
                    told = (plan.id, stack.id, word, bar.whole.id, bar.end, bar.whole.value)
                    assert math.isclose(bar.end, bar.whole.value, rel_tol=WITHIN), told
                    bars += 1
    assert bars > 20


def test_a_sweep_is_the_plan_with_another_input(book: Book) -> None:
    """Other inputs stay as the results have them, whichever were edited."""
    plan = book.plans["calculator"]
    texts = ("gpus=12", "method=QLoRA", "power_share=0.5..0.7", "batch=64")
    edits = dict(read_edit(book, plan, text) for text in texts)
    results = evaluate(book, plan, edits)
    sweeps = [sweep for owner, sweep in pictures(book, Sweep) if owner is plan]
    assert sweeps
    for sweep in sweeps:
        found = swept(book, plan, sweep, results)
        assert [*found] == sorted({*sweep.values, 12.0})
        for value, figure in found.items():
            alone = evaluate(book, plan, {**edits, Key(sweep.input): value})
            assert figure == alone.scalars[sweep.figure]
        assert found[12.0] == results.scalars[sweep.figure]
