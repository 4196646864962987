"""The proof of the sensitivity: what a workbook computes again is what the evaluator says.

Every live cell of the Sensitivity sheet's lists and of the Summary is compared: as shipped, after
another step, and when an input's range shrinks. `test_plans.py` compares the lists after edits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from proof import lists
from proof.faces import Address
from proof.lists import SHEET
from proof.proving import Document
from proof.subjects import Subject
from scalesheet.evaluate.levers import STEP
from scalesheet.evaluate.sensitivity import sensitivity
from scalesheet.model import Scalar
from scalesheet.render.workbook.layout import lay_out
from scalesheet.render.workbook.moves import IN_SUMMARY
from scalesheet.render.workbook.places import relative
from scalesheet.render.workbook.sensitivity import RANK, SHOWN_AT, STEP_ROW


@contextmanager
def edited(document: Document, entries: Mapping[Address, float]) -> Iterator[None]:
    """The document with other numbers in some inputs, which are put back."""
    before = {at: document.shown[at] for at in entries}
    document.workbook.set(entries)
    try:
        yield
    finally:
        document.workbook.set(before)


def test_the_lists_are_the_evaluators_as_stored_and_as_recalculated(
    subject: Subject, document: Document, record_property: Any
) -> None:
    want = lists.expected(subject.arranged, subject.sensitivity)
    stored = {at: cell.value for at, cell in subject.stored.items()}
    assert list(lists.wrong(want, stored)) == []
    assert list(lists.wrong(want, document.shown)) == []
    record_property("live cells", len(want))


def test_another_step_moves_the_lists_to_what_it_gives(
    subject: Subject, document: Document
) -> None:
    want = lists.expected(subject.arranged, sensitivity(subject.book, subject.plan, step=2 * STEP))
    with edited(document, {(SHEET, relative(STEP_ROW, SHOWN_AT["low"])): 2 * STEP}):
        cells = document.workbook.read(SHEET)
    shown = {(SHEET, at): cell.error_name or cell.value for at, cell in cells.items()}
    assert list(lists.wrong(want, shown)) == []


def test_the_summary_lists_the_inputs_by_their_rank_as_it_is_now(
    subject: Subject, document: Document
) -> None:
    layout = lay_out(subject.book, subject.plan, sensitivity=True)
    number, at, scalar = _of_ranged_scalar(subject)
    listing = subject.arranged.listings[number]
    titles = [effect.lever.title for effect in listing.effects[:IN_SUMMARY]]
    assert scalar.stated is not None
    assert isinstance(scalar.stated.value, float)
    summary = {at: value for (sheet, at), value in document.shown.items() if sheet == "Summary"}
    heads = sorted(int(at[1:]) for at, value in summary.items() if value == "Result, low side")
    first = heads[number] + 1
    assert [summary[f"A{first + n}"] for n in range(len(titles))] == titles
    # known to a hair, an input moves the figure less and stands further down
    middle = scalar.stated.value
    near = {
        layout.scalar_cell(scalar.name, "low"): middle * (1 - 1e-6),
        layout.scalar_cell(scalar.name, "high"): middle * (1 + 1e-6),
    }
    with edited(document, near):
        sheet, moved = document.workbook.read(SHEET), document.workbook.read("Summary")
    rows = range(listing.first, listing.last + 1)
    now = {sheet[relative(row, RANK)].number: sheet[relative(row, 0)].value for row in rows}
    shown = [moved[f"A{first + n}"].value for n in range(len(titles))]
    assert shown == [now[rank] for rank in range(1, len(titles) + 1)]
    assert shown != titles, f"{scalar.name} was to leave place {at}"


def _of_ranged_scalar(subject: Subject) -> tuple[int, int, Scalar]:
    """A list, a place in it that is not the last, and the ranged input that has the place."""
    for number, listing in enumerate(subject.arranged.listings):
        for at, effect in enumerate(listing.effects[: IN_SUMMARY - 1]):
            name = effect.lever.key.name
            for own in (name, *(f"{name}.{word}" for word in subject.plan.scenarios[:1])):
                scalar = subject.plan.scalars.get(own)
                if scalar is not None and scalar.stated is not None and scalar.stated.ranged:
                    return number, at, scalar
    pytest.skip(f"no input that the lists of '{subject.plan.id}' name is a scalar with a range")
