"""Tests of the ledger: which entries hold, and that manually edited ones are reported."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

from proof import edits as module
from proof import held, ledger
from proof.edits import edits, every, one_by_one
from proof.subjects import PLANS, SMALL, subject
from scalesheet.carried import carried
from scalesheet.evaluate import evaluate
from shipped import shipped_book

CONDITIONS = {"contents": "a", "plan": "b", "code": "c", "program": "LibreOffice 1"}
FOUND = {"edits": 3, "rounds": 2, "moved": 9, "seen": "d"}


@pytest.fixture
def on_file(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.json"
    ledger.write({"demo": {"workbook": ledger.entry("demo", "workbook", CONDITIONS, FOUND)}}, path)
    return path


def test_an_entry_holds_under_the_same_conditions(on_file: Path) -> None:
    entry = ledger.read(on_file)["demo"]["workbook"]
    assert entry.items() >= {**CONDITIONS, **FOUND}.items()
    assert ledger.lacking(entry, CONDITIONS) is None


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"contents": "x"}, "its contents changed since it was proved"),
        ({"plan": "x"}, "the plan behind it changed since it was proved"),
        ({"code": "x"}, "the evaluator or the code of the proof changed since it was proved"),
        ({"program": "LibreOffice 2"}, "it was proved on LibreOffice 1, this is LibreOffice 2"),
    ],
)
def test_a_changed_condition_is_named(on_file: Path, changed: dict[str, str], why: str) -> None:
    entry = ledger.read(on_file)["demo"]["workbook"]
    assert ledger.lacking(entry, {**CONDITIONS, **changed}) == why
    assert ledger.lacking(None, CONDITIONS) == "the ledger has no entry for it"


@pytest.mark.parametrize("key", [*CONDITIONS, *FOUND, "digest"])
def test_a_manually_edited_entry_is_reported(on_file: Path, key: str) -> None:
    entry = ledger.read(on_file)["demo"]["workbook"]
    value: Any = entry[key] + (1 if isinstance(entry[key], int) else "0")
    ledger.write({"demo": {"workbook": {**entry, key: value}}}, on_file)
    with pytest.raises(ValueError, match="workbook of 'demo' was changed by hand"):
        ledger.read(on_file)


def test_an_entry_of_another_plan_does_not_count(on_file: Path) -> None:
    ledger.write({"other": ledger.read(on_file)["demo"]}, on_file)
    with pytest.raises(ValueError, match="workbook of 'other' was changed by hand"):
        ledger.read(on_file)


def test_a_made_up_entry_differs_from_one_of_a_proof(on_file: Path) -> None:
    """Its digest is right, so only the weekly run reports it, which compares the files."""
    made_up = ledger.entry("demo", "workbook", CONDITIONS, {**FOUND, "seen": "made up"})
    proved = ledger.read(on_file)
    ledger.write({"demo": {"workbook": made_up}}, on_file)
    assert ledger.read(on_file) != proved


def test_the_stored_ledger_was_written_by_a_proof() -> None:
    assert set(ledger.read()) <= set(PLANS)


def zipped(path: Path, sheet: str, level: int) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", sheet)
    return path


def test_compression_and_last_bits_of_results_do_not_change_a_workbooks_hash(
    tmp_path: Path,
) -> None:
    def of(formula: str, result: str, typed: str = "5", level: int = 9) -> str:
        cells = f"<c><f>{formula}</f><v>{result}</v></c><c><v>{typed}</v></c>"
        return ledger.workbook_contents(zipped(tmp_path / "a.xlsx", cells, level))

    first = of("A1^2", "0.1")
    assert first == of("A1^2", "0.1", level=1)
    assert first == of("A1^2", "0.10000000000000002")
    assert first != of("A1^2", "0.10001")
    assert first != of("A1^3", "0.1")
    assert first != of("A1^2", "0.1", typed="5.0000000000000009")
    assert of("A1", "yes") != of("A1", "no")


@pytest.mark.parametrize("number", [0.5, 2.5, 1.2345675, 65.95, 1e9 / 3, 8.24375])
def test_a_number_is_visibly_the_same_with_other_last_bits(number: float) -> None:
    for factor in (1 - 3e-16, 1 + 3e-16, 1 + 1e-14):
        assert ledger.visible(number * factor) == ledger.visible(number)
    assert ledger.visible(number * 1.0001) != ledger.visible(number)


def test_the_small_books_have_every_kind_of_input(tmp_path: Path) -> None:
    """Flags and texts are in the plans of `test_proof_texts.py`, which every run also proves."""
    kinds = set()
    for name in SMALL:
        made = subject(name, tmp_path / name)
        for round in one_by_one(made.book, made.plan):
            assert len(round) == 1
            quantity = round[0].cell.quantity
            kinds.add("range" if quantity.ranged else quantity.kind)
    assert kinds >= {"number", "range", "word", "reference"}, kinds


def test_every_input_of_a_plan_and_every_catalogue_cell_is_edited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Tests the plan whose turn it is; if the ledger is written, all plans.

    Together, all plans edit every cell of the catalogue.
    """
    book = shipped_book()
    homes = module.homes(book)  # the same for each plan of the book, and slow to compute
    monkeypatch.setattr(module, "homes", lambda book: homes)
    catalogue, edited = set(), set()
    for plan in (book.plans[name] for name in (PLANS if held.whole() else [held.turn()])):
        own, made = set(), set()
        few = carried(book, plan)
        for edit in edits(few, plan):
            of_plan = edit.key.table is None or edit.key.table in plan.tables
            (own if of_plan else catalogue).add((edit.key, edit.cell.end))
        for round in every(few, plan, evaluate(few, plan)):
            keys = [edit.key for edit in round]
            assert len(set(keys)) == len(keys), "two ends of one input at the same time"
            made |= {(edit.key, edit.cell.end) for edit in round}
        assert own
        assert own <= made
        edited |= made
    assert not held.whole() or catalogue <= edited


def test_turns_rotate_with_the_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = []
    for seed in range(len(PLANS)):
        monkeypatch.setattr(ledger, "seed", lambda seed=seed: (seed, "a test"))
        turns.append(held.turn())
    assert sorted(turns) == sorted(PLANS)
