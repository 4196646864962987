"""A row that was copied below the last one of its table."""

from __future__ import annotations

from pathlib import Path

from openpyxl.formula.translate import Translator
from openpyxl.workbook import Workbook

from pull.workbooks import cell, diff, said, ship
from small import HEAD

PLAN = (
    HEAD
    + """\
headline: [all]
scalars:
  rate: {value: 100, unit: step / hour}
  all: {unit: hour, formula: runs.total.hours}
tables:
  runs:
    columns:
      steps: {unit: step, domain: count}
      hours: {unit: hour, formula: steps / rate}
    rows:
      one: {steps: 1_000}
      two:
        steps: {value: 500, source: a-vendor, note: as seen}
        hours: {formula: 2 * steps / rate}
    total: [hours]
"""
)


def copied(book: Workbook) -> None:
    last = cell(book, "runs['two'].steps")
    sheet, row = last.parent, last.row
    for each in list(sheet[row]):
        below = sheet.cell(row + 1, each.column)
        value = each.value
        if isinstance(value, str) and value.startswith("="):
            value = Translator(value, each.coordinate).translate_formula(below.coordinate)
        below.value = "three" if value == "two" else value


def test_a_copied_row_keeps_its_formula_and_drops_its_source(tmp_path: Path) -> None:
    files = {"plans/small/plan.yaml": PLAN, "plans/small/page.md": "# A plan\n"}
    shipped = ship(tmp_path, files)
    pulled = shipped.pull({}, copied)
    assert said(pulled) == []
    assert pulled.left == ()
    assert diff(pulled) == [
        "+      three:",
        "+        steps: 500",
        "+        hours: {formula: 2 * steps / rate}",
    ]
