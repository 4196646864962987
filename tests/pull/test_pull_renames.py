"""Rows with a changed id, and notes written beside rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl.workbook import Workbook

from pull.workbooks import Change, Shipped, cell, copied, diff, said, ship
from scalesheet.build import build
from scalesheet.examine import sound_edition
from scalesheet.pull import read, write
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.plan.tables import plan_table
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
      gpu: {ref: hardware}
      hours: {unit: hour, formula: steps / rate}
    rows:
      one: {steps: 1_000, gpu: card}
      two:   # the second
        steps: {value: 500, source: a-vendor, note: as seen}
        gpu: card
        hours: {formula: 2 * steps / rate}
    total: [hours]
"""
)


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Shipped:
    files = {"plans/small/plan.yaml": PLAN, "plans/small/page.md": "# A plan\n\n{{ table runs }}\n"}
    return ship(tmp_path_factory.mktemp("rows"), files)


def identify(row: str, id: str, title: str | None = None) -> Change:
    def change(book: Workbook) -> None:
        at = cell(book, f"runs['{row}'].steps")
        at.parent.cell(at.row, 2).value = id
        if title:
            at.parent.cell(at.row, 1).value = title

    return change


def beside(row: str, note: str) -> Change:
    def change(book: Workbook) -> None:
        at = cell(book, f"runs['{row}'].steps")
        heads = next(line for line in at.parent.iter_rows() if line[1].value == "Id")
        column = next(each.column for each in heads if each.value == "Note")
        at.parent.cell(at.row, column).value = note

    return change


def test_a_row_with_another_id_is_renamed(rows: Shipped) -> None:
    """It keeps its source, note, formula and the comment in the file."""
    pulled = rows.pull({}, identify("two", "second", "The second"))
    assert (said(pulled), pulled.left) == ([], ())
    assert [(edit.name, edit.old, edit.new) for edit in pulled.edits] == [
        ("runs['two']", "two", "second"),
        ("the title of runs['two']", "two", "The second"),
    ]
    assert diff(pulled) == [
        "-      two:   # the second",
        "+      second:   # the second",
        "+        title: The second",
    ]


def test_a_formula_can_be_edited_in_a_renamed_row(rows: Shipped) -> None:
    def formula(book: Workbook) -> None:
        at = cell(book, "runs['two'].hours")
        at.value = at.value.replace("2*", "3*", 1)

    pulled = rows.pull({}, formula, identify("two", "second"))
    assert said(pulled) == []
    assert diff(pulled)[2:] == [
        "+      second:   # the second",
        "+        hours: {formula: 3 * steps / rate}",
    ]


def test_a_row_with_another_id_and_other_values_is_a_new_row(rows: Shipped) -> None:
    pulled = rows.pull({"runs['one'].steps": 7.0}, identify("one", "first"))
    assert next(edit.new for edit in pulled.edits) == "deleted"


def test_a_phase_with_another_id_keeps_its_tables(tmp_path: Path) -> None:
    plan = (
        HEAD
        + """\
headline: [phases.total.budget]
phases:
  first: {title: First, class: one_time, gpus: 4, hours: 10}
  last:
    title: Last
    class: one_time
    gpus: 8
    gpu_hours: {formula: runs.total.hours}
    tables:
      runs: {columns: {hours: {unit: GPU * hour}}, rows: {long: {hours: 40}}, total: [hours]}
"""
    )
    files = {"plans/small/plan.yaml": plan, "plans/small/page.md": "# A plan\n"}

    def change(book: Workbook) -> None:
        at = cell(book, "phases['last'].class")
        at.parent.cell(at.row, 2).value = "final"

    pulled = ship(tmp_path, files).pull({}, change)
    assert said(pulled) == []
    assert diff(pulled) == ["-  last:", "+  final:"]


def test_an_invalid_id_is_reported_with_its_cell(rows: Shipped) -> None:
    pulled = rows.pull({}, identify("two", "The second"))
    (told,) = said(pulled)
    assert told.startswith("S005 tables.runs.rows.The second: expected an id")
    assert list(pulled.causes.values()) == [pulled.edits[0].place]


def test_a_note_beside_a_row_is_imported_and_shown(rows: Shipped, tmp_path: Path) -> None:
    mine = copied(rows, tmp_path)
    edited = mine.edited(
        {}, beside("one", "Ask Ann."), beside("two", "Steps: as seen. On the old node.")
    )
    pulled = read(mine.data, edited)
    assert (said(pulled), pulled.left) == ([], ())
    assert diff(pulled)[1:] == [
        "+      one: {steps: 1_000, gpu: card, note: Ask Ann.}",
        "+        note: On the old node.",
    ]
    write(mine.data, pulled)
    build(mine.data, tmp_path / "build", site=False)
    again = Shipped(mine.data, tmp_path / "build" / "workbooks" / "small.xlsx")
    assert again.pull({}).edits == ()
    edition = sound_edition(mine.data)[0]
    plan = edition.book.plans["small"]
    page = plan_table(Context(edition), plan, plan.tables["runs"], edition.results["small"])
    assert 'one<span class="note">Ask Ann.</span>' in page
    pulled = again.pull({}, beside("one", ""))
    assert diff(pulled)[1:] == ["+      one: {steps: 1_000, gpu: card}"]
