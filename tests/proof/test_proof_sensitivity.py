"""The proof of the sensitivity: what a workbook computes again is what the evaluator says.

As shipped and after an edit: another input, another choice, another step. Every live cell of the
Sensitivity sheet's lists and of the Summary is compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from editions import given
from proof import faces
from proof.office import Address, Office
from proof.test_plans import DATA, PLAN_CASES, PLANS
from render import rows
from render.moving import moving_book
from scalesheet.build import compile_book
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.levers import STEP
from scalesheet.evaluate.sensitivity import Sensitivity, ranks, sensitivity
from scalesheet.language.syntax import ENDS
from scalesheet.model import Book, Key, Plan, Scalar
from scalesheet.render.workbook import write_workbook
from scalesheet.render.workbook.context import Context
from scalesheet.render.workbook.layout import lay_out
from scalesheet.render.workbook.moves import IN_SUMMARY
from scalesheet.render.workbook.places import relative
from scalesheet.render.workbook.sensitivity import (
    OUTDATED_ROW,
    RANK,
    RESULT_AT,
    SHOWN_AT,
    STEP_ROW,
    SWING,
    Arrangement,
    arrange,
)

SHEET = "Sensitivity"
REST_EDITS = 12  # an edit of every input would take minutes; every kind of input is among these


@dataclass(frozen=True)
class Case:
    book: Book
    plan: Plan
    shipped: Sensitivity
    arranged: Arrangement
    workbook: Path


@pytest.fixture(scope="module", params=[*PLAN_CASES, "moving"])
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    """Each plan, and one that is made to be hard to follow."""
    folder = tmp_path_factory.mktemp("proof")
    book = compile_book(DATA) if request.param in PLANS else moving_book(folder / "data")
    plan = book.plans[request.param]
    results, shipped = evaluate(book, plan), sensitivity(book, plan)
    path = folder / f"{plan.id}.xlsx"
    report = write_workbook(
        given(book, results={plan.id: results}, sensitivities={plan.id: shipped}), plan, path
    )
    assert not report.problems
    layout = lay_out(book, plan, sensitivity=True)
    context = Context(
        given(book, results={plan.id: results}, sensitivities={plan.id: shipped}), plan, layout
    )
    return Case(book, plan, shipped, arrange(context), path)


def test_no_formula_refers_to_a_row_of_a_table_by_its_number(case: Case) -> None:
    assert rows.by_number(case.workbook, case.book, case.plan) == []


@dataclass(frozen=True)
class Expected:
    """What a cell must show, and the largest number that it is computed from."""

    value: float | str | None
    magnitude: float = 0.0


def expected(case: Case, now: Sensitivity) -> dict[Address, Expected]:
    """Every live cell of the lists, by the evaluator."""
    found: dict[Address, Expected] = {(SHEET, relative(OUTDATED_ROW, 0)): Expected(None)}
    rankings = {ranking.name: ranking for ranking in now.rankings}
    for listing in case.arranged.listings:
        ranking = rankings[listing.ranking.name]
        effects = {effect.lever.key: effect for effect in ranking.effects}
        base = ranking.value
        rows = range(listing.first, listing.last + 1)
        swings = []
        for row, effect in zip(rows, listing.effects, strict=True):
            moved = effects.get(effect.lever.key)
            results = (moved.low, base, moved.high) if moved else (base, base, base)
            shown = [faces.face(value, "value") for value in results]
            largest = max((abs(x) for x in shown if isinstance(x, float)), default=0.0)
            for end, value in zip(ENDS, shown, strict=True):
                found[SHEET, relative(row, RESULT_AT[end])] = Expected(value)
            swings.append(moved.swing if moved else 0.0)
            found[SHEET, relative(row, SWING)] = Expected(swings[-1], largest)
            if moved is not None and moved.inputs is not None:
                for end, number in zip(ENDS, moved.inputs, strict=True):
                    found[SHEET, relative(row, SHOWN_AT[end])] = Expected(number)
        if _apart(swings, base.value):
            for row, rank in zip(rows, ranks(swings), strict=True):
                found[SHEET, relative(row, RANK)] = Expected(float(rank))
    return found


def _apart(swings: list[float], base: object) -> bool:
    """Whether no two swings are so near to each other that rounding decides their order."""
    size = abs(base) if isinstance(base, float) else 0.0
    near = 1e-9 * max([size, *swings])
    ordered = sorted(swings)
    return all(b - a > near or b == a for a, b in pairwise(ordered))


def wrong(want: Mapping[Address, Expected], shown: Mapping[Address, Any]) -> Iterator[str]:
    for address, each in want.items():
        if not faces.agree(each.value, shown.get(address), each.magnitude):
            yield f"{address}: {each.value!r}, shown {shown.get(address)!r}"


def test_the_lists_are_the_evaluators_as_stored_and_as_recalculated(
    case: Case, office: Office, record_property: Any
) -> None:
    want = expected(case, case.shipped)
    stored = openpyxl.load_workbook(case.workbook, data_only=True)[SHEET]
    assert list(wrong(want, {at: stored[at[1]].value for at in want})) == []
    with office.open(case.workbook) as workbook:
        cells = workbook.read(SHEET)
    assert list(wrong(want, {at: cells[at[1]].value for at in want if at[1] in cells})) == []
    record_property("live cells", len(want))


def test_no_formula_of_the_workbook_changes_when_recalculated(case: Case, office: Office) -> None:
    formulas = openpyxl.load_workbook(case.workbook)
    stored = openpyxl.load_workbook(case.workbook, data_only=True)
    with office.open(case.workbook) as workbook:
        sheets = workbook.read_all()
    differing, count = [], 0
    for sheet in formulas.worksheets:
        for line in sheet.iter_rows():
            values = [stored[sheet.title][cell.coordinate].value for cell in line]
            # a difference agrees relative to what it is the difference of, which stands beside it
            beside = [abs(v) for v in values if isinstance(v, int | float)]
            magnitude = max(beside, default=0.0) if sheet.title in (SHEET, "Summary") else 0.0
            for cell, mine in zip(line, values, strict=True):
                if cell.data_type != "f":
                    continue
                count += 1
                found = sheets[sheet.title].get(cell.coordinate)
                theirs = None if found is None else found.error_name or found.value
                number = float(mine) if isinstance(mine, int) else mine
                if not faces.agree(number, theirs, magnitude):
                    differing.append(f"{sheet.title}!{cell.coordinate}: {mine!r}, is {theirs!r}")
    assert count > 0
    assert differing == []


def test_after_an_edit_the_lists_are_what_the_evaluator_says_under_that_edit(
    case: Case, office: Office, record_property: Any
) -> None:
    made = list(chosen(case))
    differing: list[str] = []
    moved = 0
    with office.open(case.workbook) as workbook:
        sheets = workbook.read_all()
        base = {
            (name, at): cell.value for name, cells in sheets.items() for at, cell in cells.items()
        }
        for edit in made:
            now = sensitivity(case.book, case.plan, {edit.key: edit.stated})
            changes = workbook.perturb({edit.cell.address: edit.entry})
            want = expected(case, now)
            shown = {at: changes[at].value if at in changes else base.get(at) for at in want}
            moved += sum(at in changes for at in want)
            found = wrong(want, shown)
            differing += [f"{edit.cell.label} = {edit.entry!r}: {text}" for text in found]
    record_property("inputs changed", len(made))
    record_property("cells moved", moved)
    assert differing == []
    assert moved > len(made), "the edits moved nothing, so nothing was proved"


def chosen(case: Case) -> Iterator[faces.Edit]:
    """Edits of every choice and word of the plan, of each input that is listed, and some others."""
    listed = {effect.lever.key for each in case.arranged.listings for effect in each.effects}
    first: list[faces.Edit] = []
    rest: list[faces.Edit] = []
    for edit in faces.edits(case.book, case.plan):
        name = edit.key.name.rpartition(".")[0] if edit.key.table is None else ""
        of_lever = {edit.key, Key(name), Key(edit.key.name, edit.key.table)} & listed
        wanted = of_lever or isinstance(edit.entry, str)
        (first if edit.key.table is None and wanted else rest).append(edit)
    yield from first
    yield from rest[:: -(-len(rest) // REST_EDITS)]


def test_another_step_moves_the_lists_to_what_it_gives(case: Case, office: Office) -> None:
    want = expected(case, sensitivity(case.book, case.plan, step=2 * STEP))
    cell = (SHEET, relative(STEP_ROW, SHOWN_AT["low"]))
    with office.open(case.workbook) as workbook:
        workbook.set({cell: 2 * STEP})
        cells = workbook.read(SHEET)
    assert list(wrong(want, {at: cells[at[1]].value for at in want if at[1] in cells})) == []


def test_the_summary_lists_the_inputs_by_their_rank_as_it_is_now(
    case: Case, office: Office
) -> None:
    layout = lay_out(case.book, case.plan, sensitivity=True)
    number, at, scalar = _of_ranged_scalar(case)
    listing = case.arranged.listings[number]
    titles = [effect.lever.title for effect in listing.effects[:IN_SUMMARY]]
    assert scalar.stated is not None
    assert isinstance(scalar.stated.value, float)
    with office.open(case.workbook) as workbook:
        summary = workbook.read("Summary")
        heads = sorted(int(a[1:]) for a, c in summary.items() if c.value == "Result, low side")
        first = heads[number] + 1
        assert [summary[f"A{first + n}"].value for n in range(len(titles))] == titles
        # known to a hair, an input moves the figure less and stands further down
        middle = scalar.stated.value
        near = {layout.scalar_cell(scalar.name, "low"): middle * (1 - 1e-6),
                layout.scalar_cell(scalar.name, "high"): middle * (1 + 1e-6)}  # fmt: skip
        workbook.set(near)
        sheet, summary = workbook.read(SHEET), workbook.read("Summary")
    rows = range(listing.first, listing.last + 1)
    now = {sheet[relative(row, RANK)].number: sheet[relative(row, 0)].value for row in rows}
    shown = [summary[f"A{first + n}"].value for n in range(len(titles))]
    assert shown == [now[rank] for rank in range(1, len(titles) + 1)]
    assert shown != titles, f"{scalar.name} was to leave place {at}"


def _of_ranged_scalar(case: Case) -> tuple[int, int, Scalar]:
    """A list, a place in it that is not the last, and the ranged input that has the place."""
    for number, listing in enumerate(case.arranged.listings):
        for at, effect in enumerate(listing.effects[: IN_SUMMARY - 1]):
            name = effect.lever.key.name
            for own in (name, *(f"{name}.{word}" for word in case.plan.scenarios[:1])):
                scalar = case.plan.scalars.get(own)
                if scalar is not None and scalar.stated is not None and scalar.stated.ranged:
                    return number, at, scalar
    pytest.skip(f"no input that the lists of '{case.plan.id}' name is a scalar with a range")
