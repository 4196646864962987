"""The proof: every face shows the evaluator's numbers, as shipped and after every single edit.

Evaluator = value stored in the workbook = value after a forced recalculation in LibreOffice =
JavaScript in Chromium = the JSON, for every cell of every plan. Proofs in the ledger are not
repeated, except for the plan whose turn it is; `make proof` proves everything and writes the
ledger.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from openpyxl.formula import Tokenizer

from proof import faces, ledger
from proof.browser import Chromium
from proof.held import Task, task
from proof.office import Office
from proof.other_faces import of_json, of_script
from proof.proving import Document, differing, prove_edits
from proof.subjects import Subject
from render import rows
from scalesheet.diagnostics import errors
from scalesheet.evaluate import evaluate
from scalesheet.language.syntax import ENDS, Number, walk
from scalesheet.model import Column, Key, Quantity, Scalar, Table, formulas_of
from scalesheet.pull import read
from scalesheet.render.script import runtime
from scalesheet.render.workbook.conventions import CONVENTIONS
from scalesheet.render.workbook.layout import lay_out
from scalesheet.render.workbook.places import TablePlace, relative
from scalesheet.render.workbook.steps import DEEPEST, LONGEST, lookups, nesting, stepped
from shipped import DATA

MOST_PAGES = 10
LARGEST = 500_000  # bytes per workbook
SORTED = "vlm-finetune"
LONGEST_OF_ALL = 300  # mostly texts with figures; 95 % of formulas are within LONGEST


@pytest.fixture
def unproved(subject: Subject, workbook_task: Task) -> Subject:
    """A subject whose workbook this run proves; otherwise, the ledger covers these tests too."""
    if workbook_task.held:
        pytest.skip(workbook_task.held)
    return subject


def test_a_plans_own_sheets_print_on_at_most_ten_pages(subject: Subject) -> None:
    """Each printed sheet is fitted to its own number of pages."""
    with zipfile.ZipFile(subject.workbook) as archive:
        sheets = [n for n in archive.namelist() if n.startswith("xl/worksheets/sheet")]
        texts = [archive.read(name).decode() for name in sheets]
    fitted = [re.search(r"<pageSetup[^>]*>", text) for text in texts if "<pageSetUpPr fit" in text]
    high = [re.search(r'fitToHeight="(\d+)"', each[0]) for each in fitted if each]
    assert 3 <= len(high) <= sum(int(each[1]) if each else 1 for each in high) <= MOST_PAGES


def test_a_workbook_is_small(subject: Subject) -> None:
    assert subject.workbook.stat().st_size <= LARGEST


def test_the_stored_values_are_the_evaluators_to_the_last_digit(unproved: Subject) -> None:
    wrong, subject = [], unproved
    for cell in subject.cells:
        mine = faces.expected(subject.results, cell)
        found = subject.stored.get(cell.address)
        stored = None if found is None else faces.said(cell, found.value)
        if mine != (stored if stored != "" else None):
            wrong.append(f"{cell.label} {cell.address}: {mine!r}, stored {stored!r}")
    assert wrong == []


def test_every_derived_cell_is_a_formula(unproved: Subject) -> None:
    typed = [
        cell.label
        for cell in unproved.cells
        if cell.formula is not None and unproved.stored[cell.address].formula is None
    ]
    assert typed == []


def test_every_formula_of_the_plan_can_be_read(unproved: Subject, record_property: Any) -> None:
    found = {at: c.formula for at, c in unproved.stored.items() if c.formula is not None}
    sizes = sorted(map(len, found.values()))
    record_property("formulas", len(sizes))
    record_property("95th percentile, longest", f"{sizes[len(sizes) * 95 // 100]}, {sizes[-1]}")
    assert sizes[len(sizes) * 95 // 100] <= LONGEST
    assert [at for at, text in found.items() if len(text) > LONGEST_OF_ALL] == []
    measured = [text for text in found.values() if "FORMULATEXT" in text]  # only on Checks
    deep = {at: text for at, text in found.items() if nesting(text) > DEEPEST}
    assert [at for at, text in deep.items() if text not in measured] == []
    twice = [at for at, text in found.items() if len(set(lookups(text))) < len(lookups(text))]
    assert twice == []


def test_no_formula_refers_to_a_row_of_a_table_by_its_number(unproved: Subject) -> None:
    assert rows.by_number(unproved.workbook, unproved.book, unproved.plan) == []


def test_a_column_has_one_formula_and_numbers_are_in_their_own_cells(unproved: Subject) -> None:
    """These are the conventions listed on About, with only the exceptions listed there."""
    shown = {str(cell.value) for (sheet, _), cell in unproved.stored.items() if sheet == "About"}
    assert {f"{number}.  {text}" for number, text in enumerate(CONVENTIONS, 1)} <= shown
    book, plan = unproved.book, stepped(unproved.book, unproved.plan)
    layout, tables = lay_out(book, plan), {**book.tables, **plan.tables}
    uneven = {
        (name, column.name, end): texts
        for name, place in layout.tables.items()
        for column in tables[name].columns.values()
        for index, end in enumerate(ENDS)
        if column.ranged or end == "value"
        for texts in (_along(unproved, place, tables[name], column, index),)
        if len(texts) > 1
    }
    assert uneven == {}
    written = {
        node.value
        for quantity in _quantities(unproved.plan.scalars, {**tables, **unproved.plan.tables})
        for formula in formulas_of(quantity)
        for tree in formula.ends.trees
        for node in walk(tree)
        if isinstance(node, Number)
    }
    calculated = {s.name for s in layout.sheets if s.kind == "calculation"}
    inside = {
        float(token.value)
        for (sheet, _), cell in unproved.stored.items()
        if cell.formula is not None and sheet in calculated
        for token in Tokenizer(f"={cell.formula}").items
        if token.subtype == "NUMBER"
    }
    assert inside - written - {0.0, 1.0} == set()
    inputs = {cell.address for cell in unproved.cells if cell.formula is None}
    stray = [
        at
        for at, cell in unproved.stored.items()
        if at[0] in calculated and isinstance(cell.value, float) and cell.formula is None
    ]
    assert [at for at in stray if at not in inputs] == []


def _quantities(scalars: Mapping[str, Scalar], tables: Mapping[str, Table]) -> Iterator[Quantity]:
    yield from scalars.values()
    for table in tables.values():
        yield from table.columns.values()


def _along(
    subject: Subject, place: TablePlace, table: Table, column: Column, index: int
) -> set[str | None]:
    """The formulas of a column at one end, with the number of their own row masked.

    Rows that state their own number or formula are exceptions.
    """
    found: set[str | None] = set()
    for number, row in enumerate(table.rows if column.formula is not None else ()):
        if row in column.stated or row in column.own:
            continue
        at = place.at(place.first + number, place.columns[column.name][index])
        letters, digits = re.findall("[A-Z]+|[0-9]+", relative(*at))
        cell = subject.stored.get((place.sheet, relative(*at)))
        own = rf"(?<![$\w.]){letters}(?=\$?\d)" if place.turned else rf"(?<=[A-Z]){digits}\b"
        found.add(re.sub(own, "#", cell.formula) if cell and cell.formula else None)
    return found


# one plan is enough: that no formula refers to rows by number is tested for all plans above
@pytest.mark.parametrize("subject", [SORTED], indirect=True)
def test_sorting_every_table_changes_no_result_and_is_not_an_edit(
    subject: Subject, workbook_task: Task, office: Office, tmp_path: Path
) -> None:
    if workbook_task.held:
        pytest.skip(workbook_task.held)
    book, plan = subject.book, subject.plan
    before, after = rows.sort_all(office, subject.workbook, book, plan, tmp_path)
    shown = rows.shown(before, book, plan)
    other = rows.differing(shown, rows.shown(after, book, plan))
    assert {each.partition(" ")[0] for each in other} <= {"Checks", "About", "Summary"}
    pulled = read(DATA, after)
    assert (pulled.edits, pulled.errors, errors(pulled.diagnostics)) == ((), (), [])


def test_libreoffice_recalculates_the_same_values(
    subject: Subject, document: Document, record_property: Any
) -> None:
    assert document.errors == []
    assert differing(subject, subject.results, document.shown) == []
    derived = [c for c in subject.cells if c.formula is not None]
    largest = max(
        faces.difference(mine, float(document.shown[c.address]))
        for c in derived
        if isinstance(mine := faces.expected(subject.results, c), float)
    )
    record_property("formula cells", len(derived))
    record_property("largest relative difference", f"{largest:.1e}")


def test_no_formula_of_any_sheet_changes_when_recalculated(
    subject: Subject, document: Document, record_property: Any
) -> None:
    """This includes checks, flags and links: LibreOffice computes whatever the file stores."""
    # a difference is compared relative to its operands, which are in the same row
    beside: dict[tuple[str, str], float] = {}
    for (sheet, at), cell in subject.stored.items():
        if sheet in ("Summary", "Results") and isinstance(cell.value, float):
            row = (sheet, at.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
            beside[row] = max(abs(cell.value), beside.get(row, 0.0))
    formulas = {at: cell for at, cell in subject.stored.items() if cell.formula is not None}
    wrong = []
    for (sheet, at), cell in formulas.items():
        mine, theirs = cell.error or cell.value, document.shown.get((sheet, at))
        magnitude = beside.get((sheet, at.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")), 0.0)
        if not faces.agree(mine, theirs, magnitude):
            wrong.append(f"{sheet}!{at}: {mine!r}, is {theirs!r}")
    record_property("formulas", len(formulas))
    assert formulas
    assert wrong == []


def test_chromium_computes_the_same_values(
    subject: Subject, chromium: Chromium, entries: ledger.Ledger, record_property: Any
) -> None:
    task_ = task(subject, "script", f"Chromium {chromium.version}", entries)
    if task_.held:
        pytest.skip(task_.held)
    call = f"scalesheet.plans[{json.dumps(subject.plan.id)}]"
    computed = chromium.run_javascript(runtime(), subject.script, f"{call}.compute({call}.inputs)")
    _prove_shown(task_, of_script(subject, computed), record_property)


def test_the_json_has_the_same_values(
    subject: Subject, entries: ledger.Ledger, record_property: Any
) -> None:
    task_ = task(subject, "json", "", entries)
    if task_.held:
        pytest.skip(task_.held)
    _prove_shown(task_, of_json(subject, json.loads(subject.json)), record_property)


def _prove_shown(task: Task, shown: dict[Any, Any], record_property: Any) -> None:
    subject = task.subject
    assert differing(subject, subject.results, shown) == []
    entry = task.entry({"cells": len(subject.cells), "seen": ledger.seen(shown)})
    if entry is not None:
        record_property("ledger", [subject.plan.id, task.face, entry])


def test_every_edit_of_an_input_changes_cells_as_the_evaluator_says(
    subject: Subject, document: Document, workbook_task: Task, record_property: Any
) -> None:
    """Input cells are changed and restored; each time, every cell must match the evaluator.

    Choices and words are changed one by one, numbers a few at a time that are far apart.
    """
    started = process_time()
    rounds, share = workbook_task.rounds()
    proved = prove_edits(subject, document, rounds)
    record_property("edits", f"{proved.edits} in {share}, {workbook_task.why}")
    record_property("cells moved", proved.moved)
    record_property("seconds of the evaluator", round(process_time() - started, 2))
    assert proved.wrong == ()
    assert proved.moved > proved.edits, "the edits moved nothing, so nothing was proved"
    entry = workbook_task.entry(proved.found)
    if entry is not None:
        record_property("ledger", [subject.plan.id, "workbook", entry])


def test_an_override_of_an_unknown_figure_is_refused(subject: Subject) -> None:
    with pytest.raises(KeyError):
        evaluate(subject.book, subject.plan, {Key("no_such_figure"): 1.0})
