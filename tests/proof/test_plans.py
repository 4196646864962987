"""The proof: every face shows the evaluator's numbers, as shipped and after every single edit.

Evaluator = value stored in the workbook = value after a forced recalculation in LibreOffice =
JavaScript in Chromium = the JSON, for every cell of every plan.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import openpyxl
import pytest

from editions import given
from proof import faces
from proof.office import Office
from render import rows
from scalesheet.diagnostics import errors
from scalesheet.evaluate import evaluate
from scalesheet.model import Book, Key, Plan
from scalesheet.pull import read
from scalesheet.render.api import as_json, plan_json
from scalesheet.render.script import program, runtime
from scalesheet.render.workbook import write_workbook
from scalesheet.values import Results
from shipped import shipped_book

DATA = Path(__file__).parents[2] / "data"
PLANS = sorted(folder.name for folder in (DATA / "plans").iterdir() if folder.is_dir())
# what is made of a plan is made once: its tests stay in one process
PLAN_CASES = [pytest.param(plan, marks=pytest.mark.xdist_group(plan)) for plan in PLANS]


@dataclass(frozen=True)
class Case:
    book: Book
    plan: Plan
    results: Results
    workbook: Path
    cells: tuple[faces.Shown, ...]


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped_book()


@pytest.fixture(scope="module", params=PLAN_CASES)
def case(
    request: pytest.FixtureRequest, book: Book, tmp_path_factory: pytest.TempPathFactory
) -> Case:
    plan = book.plans[request.param]
    results = evaluate(book, plan)
    path = tmp_path_factory.mktemp("proof") / f"{plan.id}.xlsx"
    report = write_workbook(given(book, results={plan.id: results}), plan, path, sensitivity=False)
    assert not report.problems
    return Case(book, plan, results, path, tuple(faces.cells(book, plan)))


def differing(case: Case, results: Results, shown: Callable[[faces.Shown], Any]) -> list[str]:
    """Cells in which a face differs from the evaluator, in words."""
    found = []
    for cell in case.cells:
        mine, theirs = faces.expected(results, cell), shown(cell)
        if not faces.agree(mine, theirs) and not faces.agree(
            mine, theirs, faces.operands(results, cell)
        ):
            found.append(f"{cell.label} {cell.address}: {mine!r}, shown {theirs!r}")
    return found


def test_the_stored_values_are_the_evaluators_to_the_last_digit(case: Case) -> None:
    workbook = openpyxl.load_workbook(case.workbook, data_only=True)
    sheets = {sheet.title: sheet for sheet in workbook.worksheets}
    wrong = []
    for cell in case.cells:
        mine = faces.expected(case.results, cell)
        stored = sheets[cell.address[0]][cell.address[1]].value
        if mine != stored:
            wrong.append(f"{cell.label} {cell.address}: {mine!r}, stored {stored!r}")
    assert wrong == []


def test_every_derived_cell_is_a_formula(case: Case) -> None:
    workbook = openpyxl.load_workbook(case.workbook)
    sheets = {sheet.title: sheet for sheet in workbook.worksheets}
    typed = [
        cell.label
        for cell in case.cells
        if cell.formula is not None and sheets[cell.address[0]][cell.address[1]].data_type != "f"
    ]
    assert typed == []


# one plan stands for all: what no formula of theirs does is tested for each without LibreOffice
@pytest.mark.parametrize("case", PLAN_CASES[PLANS.index("vlm-finetune") :][:1], indirect=True)
def test_sorting_every_table_changes_no_result_and_is_no_edit(
    case: Case, office: Office, tmp_path: Path
) -> None:
    before, after = rows.sort_all(office, case.workbook, case.book, case.plan, tmp_path)
    shown = rows.shown(before, case.book, case.plan)
    assert rows.differing(shown, rows.shown(after, case.book, case.plan)) == []
    pulled = read(DATA, after)
    assert (pulled.edits, pulled.errors, errors(pulled.diagnostics)) == ((), (), [])


def test_libreoffice_recalculates_the_same(
    case: Case, office: Office, record_property: Any
) -> None:
    started = perf_counter()
    with office.open(case.workbook) as workbook:
        sheets = workbook.read_all()

    def shown(cell: faces.Shown) -> Any:
        found = sheets[cell.address[0]].get(cell.address[1])
        assert found is None or not found.error, f"{cell.label} {cell.address}: {found}"
        return None if found is None else found.value

    assert differing(case, case.results, shown) == []
    derived = [c for c in case.cells if c.formula is not None]
    largest = max(
        faces.difference(mine, float(shown(c)))
        for c in derived
        if isinstance(mine := faces.expected(case.results, c), float)
    )
    record_property("formula cells", len(derived))
    record_property("largest relative difference", f"{largest:.1e}")
    record_property("seconds", round(perf_counter() - started, 2))


def test_no_formula_of_any_sheet_changes_when_recalculated(
    case: Case, office: Office, record_property: Any
) -> None:
    """Checks, flags and links too: whatever the file stores is what LibreOffice computes."""
    formulas = openpyxl.load_workbook(case.workbook)
    stored = openpyxl.load_workbook(case.workbook, data_only=True)
    with office.open(case.workbook) as workbook:
        sheets = workbook.read_all()
    count, wrong = 0, []
    for sheet in formulas.worksheets:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type != "f":
                    continue
                count += 1
                mine = stored[sheet.title][cell.coordinate].value
                found = sheets[sheet.title].get(cell.coordinate)
                theirs = None if found is None else found.error_name or found.value
                mine = float(mine) if isinstance(mine, int) else mine
                if not faces.agree(mine, theirs):
                    wrong.append(f"{sheet.title}!{cell.coordinate}: {mine!r}, is {theirs!r}")
    record_property("formulas", count)
    assert wrong == []


def test_chromium_computes_the_same(case: Case, run_javascript: Callable[..., Any]) -> None:
    call = f"scalesheet.plans[{json.dumps(case.plan.id)}]"
    computed = run_javascript(
        runtime(), program(case.plan, case.book), f"{call}.compute({call}.inputs)"
    )
    assert differing(case, case.results, lambda c: _of_script(case, computed, c)) == []


def _of_script(case: Case, computed: dict[str, Any], cell: faces.Shown) -> Any:
    key = cell.key
    if key.table is None:
        value = computed["scalars"][key.name]
    else:
        table = {**case.book.tables, **case.plan.tables}[key.table]
        value = computed["tables"][key.table][key.name][table.rows.index(str(key.row))]
    if not isinstance(value, dict):
        shown = value
    elif "reason" in value:
        shown = value["reason"]
    else:
        shown = value.get(cell.end, value.get("value"))
    return {True: "yes", False: "no"}.get(shown, shown) if isinstance(shown, bool) else shown


def test_the_json_holds_the_same(case: Case) -> None:
    data = json.loads(as_json(plan_json(case.book, case.plan, case.results)))

    def shown(cell: faces.Shown) -> Any:
        key = cell.key
        if key.table in case.book.tables:
            return faces.expected(case.results, cell)  # the catalogue has files of its own
        if key.table is None:
            value = data["quantities"][key.name]
        else:
            rows = {row["id"]: row["cells"] for row in data["tables"][key.table]["rows"]}
            value = rows[key.row][key.name]
        shown = value.get("reason", value.get(cell.end))
        if isinstance(shown, bool):
            return "yes" if shown else "no"
        return shown

    assert differing(case, case.results, shown) == []


def test_every_edit_of_an_input_moves_what_the_evaluator_says(
    case: Case, office: Office, record_property: Any
) -> None:
    """Input cells are changed and put back; after each time every cell must be what the evaluator
    says.

    Choices and words are changed one by one; of numbers a few at a time that lie far apart: all
    scalars, and some rows of each column. With SCALESHEET_EDITS=all every input cell, one by one.
    """
    started = perf_counter()
    possible = list(faces.edits(case.book, case.plan))
    if os.environ.get("SCALESHEET_EDITS") == "all":
        made = [(edit,) for edit in possible]
    else:
        made = faces.together(faces.chosen(case.plan, case.results, possible))
    shipped = {cell.address: faces.expected(case.results, cell) for cell in case.cells}
    by_address = {cell.address: cell for cell in case.cells}
    by_key: dict[Key, list[faces.Shown]] = {}
    for cell in case.cells:
        by_key.setdefault(cell.key, []).append(cell)
    wrong: list[str] = []
    moved = 0
    with office.open(case.workbook) as workbook:
        workbook.read_all()
        for edits in made:
            results = evaluate(case.book, case.plan, {edit.key: edit.stated for edit in edits})
            changes = workbook.perturb({edit.cell.address: edit.entry for edit in edits})
            said = ", ".join(f"{edit.cell.label} = {edit.entry!r}" for edit in edits)
            assert {edit.cell.address for edit in edits} <= set(changes), said
            moved += sum(address in by_address for address in changes)
            keys = faces.moved(case.results, results)
            suspects = [cell for key in keys for cell in by_key.get(key, ())]
            suspects += [
                cell
                for address in changes
                if (cell := by_address.get(address)) is not None and cell.key not in keys
            ]
            for cell in suspects:
                mine = faces.expected(results, cell)
                found = changes.get(cell.address)
                theirs = found.value if found is not None else shipped[cell.address]
                if found is not None and found.error:
                    theirs = found.error_name
                if not faces.agree(mine, theirs) and not faces.agree(
                    mine, theirs, faces.operands(results, cell)
                ):
                    wrong.append(
                        f"{said}: {cell.label} {cell.address} should be {mine!r}, is {theirs!r}"
                    )
            assert len(wrong) < 20, "\n".join(wrong)
    count = sum(map(len, made))
    record_property("inputs changed", f"{count} of {len(possible)}, {len(made)} times")
    record_property("cells moved", moved)
    record_property("seconds", round(perf_counter() - started, 2))
    assert wrong == []
    assert moved > count, "the edits moved nothing, so nothing was proved"


def test_an_override_of_what_is_no_input_is_refused(case: Case) -> None:
    derived = next(s for s in case.plan.scalars.values() if s.formula is not None)
    with pytest.raises(KeyError):
        evaluate(case.book, case.plan, {Key(derived.name): 1.0})
