"""The whole loop: a workbook is edited in LibreOffice, pulled, checked and built again."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from proof.office import Office, Workbook
from pull.workbooks import cell, diff, said, ship
from scalesheet.build import build
from scalesheet.cli import main
from scalesheet.examine import diagnose
from scalesheet.pull import read

INPUTS, RUNS = "What I put in", "The runs of '26"


def edit(book: Workbook, columns: dict[str, str]) -> None:
    """Insert rows and columns, rename sheets, then change numbers, a row and formulas."""
    book.insert_rows("Inputs", 1, 3)
    book.insert_columns("Inputs", 3)
    book.rename_sheet("Inputs", INPUTS)
    book.insert_columns("Runs", 3, 2)
    book.insert_rows("Runs", 10)  # above the empty row at the table's end
    book.rename_sheet("Runs", RUNS)
    batch = columns["batch"]
    column, row = chr(ord(batch[0]) + 1), int(batch[1:]) + 3
    book.set({(INPUTS, f"{column}{row}"): 32.0})
    book.set({(RUNS, "A10"): "25 000 steps", (RUNS, "E10"): 25_000.0, (RUNS, "F10"): "not run"})
    for at in (7, 8, 9, 10):
        for letter, end in (("H", "_high"), ("I", ""), ("J", "_low")):
            book.set_formula(RUNS, f"{letter}{at}", f"=1.5*E{at}/steps_per_hour{end}")
    for name, end in (("cost", ""), ("cost low", "_low"), ("cost high", "_high")):
        book.set_formula(
            "Calculation", columns[name], f"=(price*1.1)*runs_total_hours{end}*one+0*one*price"
        )
    book.recalculate()


def test_edits_in_libreoffice_reach_the_data_and_the_next_workbook(
    office: Office,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shipped = ship(tmp_path)
    monkeypatch.chdir(tmp_path)
    plain = openpyxl.load_workbook(shipped.workbook)
    columns = {n: cell(plain, n).coordinate for n in ("batch", "cost", "cost low", "cost high")}

    with office.open(shipped.workbook) as book:
        untouched = book.store(tmp_path / "untouched.xlsx")
        edit(book, columns)
        cost = book.cell("Calculation", columns["cost"]).number
        edited = book.store(tmp_path / "edited.xlsx")

    pulled = read(shipped.data, untouched)  # merely saving in LibreOffice is not an edit
    assert (pulled.edits, pulled.left, said(pulled)) == ((), (), [])

    pulled = read(shipped.data, edited)
    assert said(pulled) == [
        "U002 '+' needs operands that measure the same: found USD and USD / hour; "
        "convert one to match the other"
    ]
    with office.open(edited) as book:
        for name, end in (("cost", ""), ("cost low", "_low"), ("cost high", "_high")):
            formula = f"=(price*1.1)*runs_total_hours{end}*one"
            book.set_formula("Calculation", columns[name], formula)
        book.store(tmp_path / "mended.xlsx")

    pulled = read(shipped.data, tmp_path / "mended.xlsx")
    assert said(pulled) == []
    assert [line for line in diff(pulled) if line[0] == "+"] == [
        "+    value: 32",
        '+  cost: {unit: USD, formula: "price * 1.1 * runs.total.hours * one"}   # in all',
        "+      hours: {unit: hour, formula: 1.5 * steps / steps_per_hour}",
        "+      25-000-steps:",
        "+        title: 25 000 steps",
        "+        steps: 25000",
        "+        peak: {reason: not run}",
    ]
    assert main(["pull", "mended.xlsx"]) == 0
    assert diagnose(Path("data")) == []
    build(Path("data"), Path("build"), site=False)
    again = openpyxl.load_workbook("build/workbooks/small.xlsx", data_only=True)
    assert cell(again, "cost").value == pytest.approx(cost, rel=1e-12)
    capsys.readouterr()
    assert main(["pull", "mended.xlsx"]) == 0  # all of it is in the data now
    assert "nothing to apply" in capsys.readouterr().out


def test_an_ods_file_is_pulled_through_libreoffice(office: Office, tmp_path: Path) -> None:
    shipped = ship(tmp_path)
    with office.open(shipped.edited({"batch": 32.0})) as book:
        edited = book.store(tmp_path / "edited.ods")
    pulled = read(shipped.data, edited)
    assert (said(pulled), pulled.left) == ([], ())
    assert [(edit.name, edit.new) for edit in pulled.edits] == [("batch", "32")]
