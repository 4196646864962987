"""The proof of a workbook under edits: change inputs, and compare each cell with the evaluator."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proof import faces, ledger
from proof.edits import Round, moved
from proof.faces import Address
from proof.office import Cell, Workbook
from proof.subjects import Subject
from scalesheet.evaluate import evaluate
from scalesheet.model import Key
from scalesheet.render.workbook.built import UNSEEN
from scalesheet.render.workbook.checks import BUILT
from scalesheet.values import Results

MOST_WRONG = 20


@dataclass(frozen=True)
class Proved:
    """The result of edits: counts, a digest of all visibly changed cells, and the errors."""

    edits: int
    rounds: int
    moved: int
    seen: str
    wrong: tuple[str, ...]

    @property
    def found(self) -> dict[str, Any]:
        """The result as it is stored in an entry of the ledger."""
        return {name: getattr(self, name) for name in ("edits", "rounds", "moved", "seen")}


@dataclass(frozen=True)
class Document:
    """A workbook open in LibreOffice, with the values of its cells and the errors among them."""

    workbook: Workbook
    shown: dict[Address, Any]
    errors: list[str]


def differing(subject: Subject, results: Results, shown: Mapping[Address, Any]) -> list[str]:
    """Descriptions of the cells in which a face differs from the evaluator."""
    return [
        f"{cell.label} {cell.address}: {faces.expected(results, cell)!r}, shown {theirs!r}"
        for cell in subject.cells
        if not faces.shows(results, cell, theirs := shown.get(cell.address))
    ]


def values(cells: Mapping[Address, Cell]) -> dict[Address, Any]:
    """The values of cells: a number, a text, or the name of an error."""
    return {address: cell.error_name or cell.value for address, cell in cells.items()}


def unwatched(workbook: Workbook) -> None:
    """Stop Checks from comparing the texts of all formulas after each edit, which is slow."""
    cells = workbook.read("Checks").items()
    row = next(int(at[1:]) for at, cell in cells if cell.value == BUILT) + 1
    workbook.set({("Checks", f"C{row}"): UNSEEN})


def prove_edits(subject: Subject, document: Document, rounds: Sequence[Round]) -> Proved:
    """Make the edits of each round in turn, and compare all cells.

    LibreOffice computes when cells are read, so undoing one round and making the next takes only
    one recalculation.
    """
    base = document.shown
    unwatched(document.workbook)
    by_address = {cell.address: cell for cell in subject.cells}
    by_key: dict[Key, list[faces.Shown]] = {}
    for cell in subject.cells:
        by_key.setdefault(cell.key, []).append(cell)
    sheets = list(dict.fromkeys(cell.address[0] for cell in subject.cells))
    wrong: list[str] = []
    seen = hashlib.sha256()
    count = 0
    for edits in rounds:
        overrides = {edit.key: edit.stated for edit in edits}
        results = evaluate(subject.book, subject.plan, overrides)
        found = document.workbook.perturb(
            {edit.cell.address: edit.entry for edit in edits},
            sheets,
        )
        said = ", ".join(f"{edit.cell.label} = {edit.entry!r}" for edit in edits)
        changes = values(found)
        keys = moved(subject.results, results)
        wrong += [
            f"{said}: {edit.cell.label} did not take the edit"
            for edit in edits
            if edit.cell.address not in changes
        ]
        suspects = [cell for key in keys for cell in by_key.get(key, ())]
        suspects += [
            cell
            for address in changes
            if (cell := by_address.get(address)) is not None and cell.key not in keys
        ]
        for cell in suspects:
            theirs = changes.get(cell.address, base.get(cell.address))
            if not faces.shows(results, cell, theirs):
                mine = faces.expected(results, cell)
                wrong.append(
                    f"{said}: {cell.label} {cell.address} should be {mine!r}, is {theirs!r}"
                )
        assert len(wrong) < MOST_WRONG, "\n".join(wrong)
        visible = sorted(
            (*at, ledger.text(value))
            for at, value in changes.items()
            if at in by_address and ledger.text(value) != ledger.text(base.get(at))
        )
        count += len(visible)
        seen.update(repr((said, visible)).encode())
    edited = sum(map(len, rounds))
    return Proved(edited, len(rounds), count, seen.hexdigest(), tuple(wrong))
