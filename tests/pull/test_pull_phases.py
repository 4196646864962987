"""Phases that were added to the sheet of phases, copied from another, or deleted."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl.formula.translate import Translator
from openpyxl.workbook import Workbook

from dated import DATED
from pull.workbooks import Shipped, cell, copied, diff, said, ship
from scalesheet.pull import read
from small import HEAD

PLAN = (
    HEAD
    + """\
headline: [phases.total.budget]
scalars:
  goodput: {value: 0.9, unit: 1, domain: positive-fraction}
  seeds: {value: 3, unit: 1, domain: count}
phases:
  first: {title: First, class: one_time, gpus: 4, hours: 10}
  second:
    title: Second
    class: per_seed
    after: [first]
    gpus: {value: 8, note: as seen}
    gpu_hours: {formula: second.runs.total.gpu_hours}
    tables:
      runs:
        columns: {gpu_hours: {unit: GPU * hour}}
        rows: {long: {gpu_hours: 40}}
        total: [gpu_hours]
  third: {title: Third, class: one_time, gpus: 4, hours: {value: 5, low: 4, high: 8}}
"""
)


@pytest.fixture(scope="module")
def phased(tmp_path_factory: pytest.TempPathFactory) -> Shipped:
    files = {"plans/small/plan.yaml": PLAN, "plans/small/page.md": "# A plan\n"}
    return ship(tmp_path_factory.mktemp("phased"), files)


@pytest.fixture(scope="module")
def dated(tmp_path_factory: pytest.TempPathFactory) -> Shipped:
    files = {"plans/small/plan.yaml": HEAD + DATED, "plans/small/page.md": "# A plan\n"}
    return ship(tmp_path_factory.mktemp("dated"), files)


def add(book: Workbook, phase: str, last: str, title: str, **values: object) -> None:
    """Copy the row of a phase below the last one."""
    at, below = (
        cell(book, f"phases['{phase}'].class"),
        cell(book, f"phases['{last}'].class").row + 1,
    )
    for each in list(at.parent[at.row]):
        copy, value = at.parent.cell(below, each.column), each.value
        if isinstance(value, str) and value.startswith("="):
            value = Translator(value, each.coordinate).translate_formula(copy.coordinate)
        copy.value = value
    at.parent.cell(below, 1).value, at.parent.cell(below, 2).value = title, None
    cell(book, f"phases['{last}'].class").parent.cell(below, 2).value = values.pop("id", None)
    for name, value in values.items():
        column = cell(book, f"phases['{phase}'].{name}").column
        at.parent.cell(below, column).value = value


def drop(book: Workbook, phase: str) -> None:
    """Empty the row of a phase."""
    at = cell(book, f"phases['{phase}'].class")
    for each in at.parent[at.row]:
        each.value = None


def test_a_copied_phase_is_a_new_phase(phased: Shipped) -> None:
    pulled = phased.pull({}, lambda book: add(book, "second", "third", "A fourth one", gpus=16))
    assert said(pulled) == []
    assert pulled.left == ()
    assert diff(pulled) == [
        "+  a_fourth_one:",
        "+    title: A fourth one",
        "+    class: per_seed",
        "+    after: [first]",
        "+    gpus: 16",
        "+    gpu_hours: {formula: second.runs.total.gpu_hours}",
    ]
    assert pulled.moved is not None


def test_a_copied_phase_keeps_the_defaults_of_the_original(phased: Shipped) -> None:
    pulled = phased.pull({}, lambda book: add(book, "third", "third", "Again", hours=6.0))
    assert diff(pulled) == [
        "+  again: {title: Again, class: one_time, gpus: 4, hours: {value: 6, low: 4, high: 8}}"
    ]


def test_a_copied_phase_keeps_its_dates_and_number_of_runs(dated: Shipped) -> None:
    pulled = dated.pull({}, lambda book: add(book, "judge", "report", "Judge 2"))
    assert said(pulled) == []
    assert sorted(line.strip("+ ") for line in diff(pulled)) == [
        "after: [train]",
        "class: per_run",
        "gpus: 2",
        "hours: 3",
        "judge_2:",
        "times: {model: [base, long, clean]}",
        "title: Judge 2",
        "work: 10",
    ]
    pulled = dated.pull({}, lambda book: add(book, "report", "report", "Report 2"))
    assert said(pulled) == []
    assert "+    not_before: 2026-01-24" in diff(pulled)


def test_an_already_imported_phase_is_not_an_edit(phased: Shipped, tmp_path: Path) -> None:
    mine = copied(phased, tmp_path)
    edited = mine.edited({}, lambda book: add(book, "second", "third", "A fourth one"))
    for _, new in read(mine.data, edited).files.values():
        mine.plan.write_bytes(new)
    pulled = read(mine.data, edited)
    assert (said(pulled), pulled.edits, pulled.left) == ([], (), ())


def test_a_deleted_phase_is_deleted(phased: Shipped) -> None:
    pulled = phased.pull({}, lambda book: drop(book, "third"))
    assert said(pulled) == []
    assert [line[:9] for line in diff(pulled)] == ["-  third:"]


def test_a_phase_is_deleted_with_its_rows_and_its_sheet(phased: Shipped) -> None:
    """Its tables are deleted too, whether the workbook still has their sheet or not."""

    def empty(book: Workbook) -> None:
        at = cell(book, "second.runs['long'].gpu_hours")
        for each in at.parent[at.row]:
            each.value = None

    pulled = phased.pull({}, lambda book: drop(book, "second"), empty)
    assert said(pulled) == []
    assert [edit.name for edit in pulled.edits] == ["phases['second']"]

    def remove(book: Workbook) -> None:
        del book[cell(book, "second.runs['long'].gpu_hours").parent.title]

    pulled = phased.pull({}, lambda book: drop(book, "second"), remove)
    assert [edit.name for edit in pulled.edits] == ["phases['second']"]


def test_an_edited_number_of_runs_changes_the_grid_of_a_phase(
    dated: Shipped, phased: Shipped
) -> None:
    pulled = phased.pull({"phases['third'].times": 2.0})
    assert said(pulled) == []
    assert diff(pulled)[1].endswith(", times: {run: 2}}")
    pulled = phased.pull({"phases['second'].times": 5.0})
    assert said(pulled) == []
    assert diff(pulled) == ["+    times:", "+      run: 5"]
    pulled = phased.pull({"phases['third'].times": "=seeds*2"})
    assert diff(pulled)[1].endswith(", times: {run: seeds * 2}}")
    (told,) = said(dated.pull({"phases['judge'].times": 2.0}))
    assert told.startswith(
        "W006 'phases['judge'].times' is the product of what its runs differ in, `times:`; put "
        "the formula back, and edit that at "
    )


def test_a_formula_over_a_default_of_a_phase_is_imported(phased: Shipped) -> None:
    pulled = phased.pull({"phases['first'].overhead": "=goodput/9"})
    assert said(pulled) == []
    assert diff(pulled)[1].endswith(", overhead: {formula: goodput / 9}}")


def test_a_reference_to_a_deleted_phase_is_reported_at_its_line(phased: Shipped) -> None:
    pulled = phased.pull({}, lambda book: drop(book, "first"))
    assert said(pulled) == ["N002 'first' is not a phase"]
    (found,) = pulled.diagnostics
    lines = phased.plan.read_text().splitlines()
    assert found.line == lines.index("    after: [first]")  # one line above it was deleted


def test_the_title_of_a_phase_can_be_edited(phased: Shipped) -> None:
    def rename(book: Workbook) -> None:
        at = cell(book, "phases['third'].class")
        at.parent.cell(at.row, 1).value = "The third"

    pulled = phased.pull({}, rename)
    assert (said(pulled), pulled.left) == ([], ())
    assert diff(pulled)[-1].startswith("+  third: {title: The third, class")


def test_a_class_that_needs_seeds_says_so(tmp_path_factory: pytest.TempPathFactory) -> None:
    plan = PLAN.replace("  seeds: {value: 3, unit: 1, domain: count}\n", "")
    plan = plan.replace("class: per_seed", "class: one_time")
    files = {"plans/small/plan.yaml": plan, "plans/small/page.md": "# A plan\n"}
    pulled = ship(tmp_path_factory.mktemp("seedless"), files).pull(
        {"phases['third'].class": "per_seed"}
    )
    assert said(pulled) == [
        "N001 the class 'per_seed' multiplies by 'seeds', a scalar that the plan does not have; "
        "add it: seeds: {value: 3, unit: 1, domain: count}"
    ]


def test_a_figure_typed_on_the_sheet_of_a_phase_is_listed_with_its_cell(tmp_path: Path) -> None:
    half = "    scalars: {half: {unit: GPU * hour, formula: runs.total.gpu_hours / 2}}\n"
    text = PLAN.replace("    tables:\n", f"{half}    tables:\n", 1)
    shipped = ship(tmp_path, {"plans/small/plan.yaml": text, "plans/small/page.md": "# A plan\n"})

    def type_in(book: Workbook) -> None:
        at = cell(book, "second.half")
        at.parent.cell(at.row + 1, 2).value = "second.daily"
        at.parent.cell(at.row + 1, at.column).value = f"={at.coordinate}/5"

    pulled = shipped.pull({}, type_in)
    assert (said(pulled), pulled.edits) == ([], ())
    (left,) = pulled.left
    assert (left.place, left.message) == (
        "Second!D6",
        "'second.daily' is new on the sheet of a phase; to add it to the plan, write it on "
        "Calculation",
    )
