"""The Checks sheet notices every edit of what was built, tried in LibreOffice edit by edit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import openpyxl
import pytest

from proof.office import Cell, Office, Workbook
from render.workbook.conftest import Made
from scalesheet.render.workbook.built import length, order
from scalesheet.render.workbook.checks import ALL_HOLD, SOME_FAIL
from scalesheet.render.workbook.scalars import NOTE

Edit = Callable[[Made, Workbook], object]


@pytest.fixture
def live(made: Made, office: Office) -> Iterator[Workbook]:
    with office.open(made.path) as workbook:
        yield workbook


def holds(workbook: Workbook) -> bool:
    """Whether the light is green: About says that all checks hold."""
    return ALL_HOLD in [cell.value for cell in workbook.read("About").values()]


def wrong(workbook: Workbook) -> list[str]:
    """`where: what is wrong` of each check that fails."""
    cells = workbook.read("Checks")
    failing = [at[1:] for at, cell in cells.items() if at[0] == "E" and cell.value == "check"]
    return [f"{_text(cells, f'B{row}')}: {_text(cells, f'F{row}')}" for row in failing]


def _text(cells: dict[str, Cell], at: str) -> str:
    return str(cells[at].value) if at in cells else ""


def results(workbook: Workbook, edited: str = "") -> list[Cell]:
    """The headline on About, or on Summary when rows of About are edited."""
    cells = workbook.read("Summary" if edited == "About" else "About")
    return [
        replace(cell, formula=None)
        for at, cell in cells.items()
        if at[0] in "BCD" and cell.formula and cell.value not in (ALL_HOLD, SOME_FAIL)
    ]


# ------------------------------------------------------------------ edits


def by_number(made: Made, workbook: Workbook) -> None:
    workbook.set({made.layout.scalar_cell("cost"): 120.0})


def by_factor(made: Made, workbook: Workbook) -> None:
    at = made.layout.scalar_cell("minutes")
    workbook.set_formula(*at, f"{workbook.cell(*at).formula}*2")


def in_table(made: Made, workbook: Workbook) -> None:
    workbook.set({made.layout.table_cell("train.runs", "first", "gpu_hours"): 1.0})


def row_deleted(made: Made, workbook: Workbook) -> None:
    place = made.layout.tables["train.runs"]
    workbook.delete_rows(place.sheet, place.first + 1)


def row_inserted(made: Made, workbook: Workbook) -> None:
    place = made.layout.tables["train.runs"]
    workbook.insert_rows(place.sheet, place.spacer + 1)
    workbook.set({(place.sheet, f"B{place.spacer + 1}"): "third"})


def input_deleted(made: Made, workbook: Workbook) -> None:
    workbook.delete_rows("Inputs", made.layout.scalars["many"].row + 1)


CLOSELY = ("Inputs", "Units", "Hardware", "Calculation", "Phases and sizes")
EDITED = "a formula was edited here, or a row or sheet that it names has moved"
OVERWRITTEN = "a formula was overwritten, added or deleted here"


@pytest.mark.parametrize(
    ("edit", "seen"),
    [
        (by_number, f"Calculation: {OVERWRITTEN}"),
        (by_factor, f"Calculation: {EDITED}"),
        (in_table, f"Phases and sizes: {OVERWRITTEN}"),
        (row_deleted, "Phases and sizes: a row was added or deleted"),
        (row_inserted, "Phases and sizes: a row was added or deleted"),
        (input_deleted, "Inputs: an input is gone: put its row back"),
    ],
)
def test_an_edit_of_a_formula_or_row_fails_the_check(
    made: Made, live: Workbook, edit: Edit, seen: str
) -> None:
    assert holds(live)
    edit(made, live)
    assert not holds(live)
    assert [each for each in wrong(live) if each.startswith(seen)]


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("cards", "many", "Cards: not a number; shipped value used"),
        ("cards", None, "Cards: empty; shipped value used"),
        ("cards", 0.0, "Cards: must be a whole number from 1; shipped value used"),
        ("cards", -1.0, "Cards: must be a whole number from 1; shipped value used"),
        ("gpu", "h900", "Accelerator: not in the list; shipped value used"),
        ("gpu", None, "Accelerator: empty; shipped value used"),
    ],
)
def test_an_invalid_input_is_named_with_its_reason(
    made: Made, live: Workbook, name: str, value: float | str | None, reason: str
) -> None:
    live.set({made.layout.scalar_cell(name): value})
    assert not holds(live)
    assert f"Inputs: {reason}" in wrong(live)
    told = f"Every input is present and valid: {reason}"
    assert told in [cell.value for cell in live.read("Summary").values()]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("many", "=1 run: 'many'; must be a whole number from 1; shipped value used"),
        (None, "=1 run: ''; must be a whole number from 1; shipped value used"),
        (-1.0, "=1 run: '-1'; must be a whole number from 1; shipped value used"),
    ],
)
def test_an_invalid_cell_of_a_table_is_named(
    made: Made, live: Workbook, value: float | str | None, reason: str
) -> None:
    live.set({made.layout.table_cell("sizes", "one", "steps"): value})
    assert not holds(live)
    assert f"Phases and sizes: {reason}" in wrong(live)


def test_a_fraction_in_a_column_of_whole_numbers_is_noticed(made: Made, live: Workbook) -> None:
    live.set({made.layout.table_cell("sizes", "one", "steps"): 2.5})
    assert "Phases and sizes: not whole" in wrong(live)


# ------------------------------------------------------------------ row by row


def test_a_deleted_or_inserted_row_changes_no_result_or_fails_the_check(
    live: Workbook,
) -> None:
    """Every row of sheets with inputs and results, every ninth row of the others."""
    ends = {
        sheet: max(int(re.sub(r"\D", "", at)) for at in cells)
        for sheet, cells in live.read_all().items()
    }
    before = {sheet: results(live, sheet) for sheet in ends}
    for change in (live.delete_rows, live.insert_rows):
        for sheet, end in ends.items():
            each = 1 if sheet in CLOSELY and change == live.delete_rows else 9
            for row in range(1, end + 1, each):
                change(sheet, row)
                assert results(live, sheet) == before[sheet] or not holds(live), (sheet, row)
                live.undo()
    assert holds(live)


def test_renaming_a_sheet_changes_no_result(live: Workbook) -> None:
    before = results(live)
    for sheet in live.sheets():
        if sheet != "About":
            live.rename_sheet(sheet, f"{sheet[:20]} anew")
    assert results(live) == before


# ------------------------------------------------------------------ checksums


def test_the_length_of_a_formula_is_the_same_in_every_program() -> None:
    said = ["FIXED('Stage 2'!$B$4,0,TRUE)", "FIXED($'Stage 2'.$B$4;0;TRUE())"]
    assert len({length(text) for text in said}) == 1
    assert length("_xlfn.ISFORMULA(A1)") == len("=ISFORMULA(A1)")


def test_swapping_any_two_ids_changes_the_checksum_of_their_order() -> None:
    ids = ("a100-40gb", "a100-80gb", "b", "c-1", "c-2")
    for one in range(len(ids) - 1):
        other = [*ids[:one], ids[one + 1], ids[one], *ids[one + 2 :]]
        assert order(tuple(other)) != order(ids)
    assert order(("a", "bb")) != order(("a", "bc"))


def test_formulas_are_locked_and_inputs_and_notes_are_not(made: Made) -> None:
    written = openpyxl.load_workbook(made.path)
    for sheet in written:
        assert sheet.protection.sheet == (sheet.title != "Changes"), sheet.title
        assert sheet.protection.password is None
        locked = [c.protection.locked for row in sheet for c in row if c.data_type == "f"]
        assert all(locked), sheet.title
    row = made.layout.scalars["cards"].row + 1
    assert not written["Inputs"].cell(row, NOTE + 1).protection.locked
