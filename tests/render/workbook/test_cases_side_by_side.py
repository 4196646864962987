"""On a component's sheet, each case is a column and each line item a row."""

from __future__ import annotations

import re
from pathlib import Path

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from cases import FILES, cases_book
from scalesheet.edition import Edition
from scalesheet.examine import examine
from scalesheet.render.workbook.layout import lay_out
from scalesheet.render.workbook.places import LINES_OF
from scalesheet.render.workbook.steps import stepped
from scalesheet.render.workbook.write import write_workbook
from small import lay

CASES = "DEF"


@pytest.fixture(scope="module")
def workbook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cases")
    book = cases_book(folder)
    path = folder / "cases.xlsx"
    assert not write_workbook(Edition(book), book.plans["cases"], path).problems
    return path


@pytest.fixture(scope="module")
def formulas(workbook: Path) -> Worksheet:
    return openpyxl.load_workbook(workbook)["Runs"]


@pytest.fixture(scope="module")
def values(workbook: Path) -> Worksheet:
    return openpyxl.load_workbook(workbook, data_only=True)["Runs"]


def line(sheet: Worksheet, name: str) -> int:
    """The row number of a line item."""
    return next(cell.row for cell in sheet["C"] if cell.value == name)


def test_line_items_run_from_inputs_to_results_to_steps(formulas: Worksheet) -> None:
    assert [formulas[f"{letter}4"].value for letter in "ABCDEF"] == [
        *("Line", "Unit", LINES_OF, "one", "two", "none")
    ]
    sections = [cell.value for cell in formulas["A"][5:] if cell.value and cell.font.size == 12]
    parts = ["Inputs", "Results", "Of this plan", "Steps", "Conditions", "Values in use"]
    assert sections == parts
    names = [cell.value for cell in formulas["C"][5:] if cell.value]
    assert names[:7] == ["hours", "load", "gpus", "ways", "status", "energy", "twice"]
    assert names[7:9] == ["rate", "much"]


def test_each_line_has_one_formula_in_all_cases(formulas: Worksheet) -> None:
    for name in ("status", "energy", "twice", "rate", "drawn", "broken"):
        row = line(formulas, name)
        alike = {re.sub(rf"\b{at}(?=\d)", "", formulas[f"{at}{row}"].value) for at in CASES}
        assert len(alike) == 1, (name, alike)


def test_a_case_that_cannot_run_has_blanks_and_says_why_once(values: Worksheet) -> None:
    rows = {name: line(values, name) for name in ("status", "energy", "twice", "rate")}
    assert {name: values[f"F{row}"].value for name, row in rows.items()} == {
        "status": "8 cards are too many",
        "energy": None,
        "twice": None,
        "rate": None,
    }
    assert values[f"D{rows['energy']}"].value == 480


def test_a_formula_that_reads_a_blank_gives_the_reason(workbook: Path) -> None:
    sheet = openpyxl.load_workbook(workbook, data_only=True)["Calculation"]
    found = {row[1].value: row[3].value for row in sheet.iter_rows(min_row=5)}
    assert found["picked"] == found["more"] == "8 cards are too many"
    assert found["known_ones"] == 2


def test_steps_fold_and_inputs_and_results_do_not(formulas: Worksheet) -> None:
    levels = {
        name: formulas.row_dimensions[line(formulas, name)].outlineLevel
        for name in ("hours", "status", "energy", "rate", "drawn", "broken")
    }
    assert levels == {"hours": 0, "status": 0, "energy": 0, "rate": 0, "drawn": 1, "broken": 1}
    assert not any(row.hidden for row in formulas.row_dimensions.values())
    assert formulas.sheet_properties.outlinePr.summaryBelow is False


def test_totals_are_in_the_last_columns_after_an_empty_one(
    formulas: Worksheet, values: Worksheet
) -> None:
    row = line(formulas, "energy")
    assert [values[f"{at}4"].value for at in "GHI"] == [None, "Total", "Cases with a number"]
    assert formulas[f"H{row}"].value.endswith(",SUM(runs_energy))")
    assert values[f"H{row}"].value == "a row has no value: runs.energy"
    assert values[f"I{row}"].value == "2 of 3"


def test_inputs_shared_by_all_cases_are_on_inputs_once(workbook: Path) -> None:
    sheet = openpyxl.load_workbook(workbook)["Inputs"]
    titles = [cell.value for cell in sheet["A"]]
    assert "Runs: every case" in titles
    shared = [cell.value for cell in sheet["B"] if str(cell.value).startswith("runs_all_")]
    assert shared == [
        "runs_all_card",
        "runs_all_load",
        "runs_all_gpus",
        "runs_all_watts",
        "runs_all_most",
    ]


def test_a_searched_layout_says_so_beside_its_line(values: Worksheet) -> None:
    ways = line(values, "ways")
    assert [values[f"{at}{ways}"].value for at in CASES] == [4, 4, 1]
    assert values["K4"].value == "Note"
    text = "Layout: the one with the fewest hours of those that fit (one, two), as of the build."
    assert values[f"K{ways}"].value == text


def test_inputs_of_a_case_are_checked_as_they_are_typed(formulas: Worksheet) -> None:
    row = line(formulas, "load")
    ranges = {str(each.sqref): each for each in formulas.data_validations.dataValidation}
    assert ranges[f"E{row}"].promptTitle == "Load"


def test_a_chart_of_cases_reads_along_the_row(workbook: Path) -> None:
    chart = openpyxl.load_workbook(workbook)["Results"]._charts[0]
    row = line(openpyxl.load_workbook(workbook)["Runs"], "energy")
    series = chart.series[0]
    assert (series.cat.strRef or series.cat.numRef).f == "Runs!$D$4:$F$4"
    assert series.val.numRef.f == f"Runs!$D${row}:$F${row}"


def test_about_says_how_to_add_a_case(workbook: Path) -> None:
    texts = [str(cell.value) for cell in openpyxl.load_workbook(workbook)["About"]["A"]]
    assert any("to add one, insert a column" in text for text in texts)


def test_a_table_of_very_many_cases_keeps_its_rows(tmp_path: Path) -> None:
    plan = "plans/cases/plan.yaml"
    rows = "".join(f"      case-{n}: {{hours: {n}}}\n" for n in range(1_001))
    many = FILES[plan].replace("      two: {", rows + "      two: {", 1)
    examined = examine(lay(tmp_path, FILES | {plan: many}))
    assert examined.book is not None, examined.diagnostics
    place = lay_out(examined.book, stepped(examined.book, examined.book.plans["cases"])).tables
    assert not place["runs"].turned
