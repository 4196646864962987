"""The subjects of the proof: a plan, its results and sensitivity, and its workbook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from calibrated import calibrated_book
from cases import cases_book
from costs import costs_book
from dated import dated_book, sundays_book
from editions import given
from own import own_book
from proof import edits, faces, ledger
from proof.edits import Round
from proof.faces import Address
from render.moving import moving_book
from render.sample import sample_book
from scalesheet.book import Book
from scalesheet.carried import carried, edition_of
from scalesheet.edition import Edition
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.sensitivity import sensitivity
from scalesheet.model import Plan
from scalesheet.pull.sheets import Cell, address, read_workbook
from scalesheet.render.api import as_json, plan_json
from scalesheet.render.script import program
from scalesheet.render.workbook.write import write_workbook
from scalesheet.values import Results
from shipped import DATA, shipped_book

_FOLDERS = [folder for folder in (DATA / "plans").iterdir() if folder.is_dir()]
#: The shipped plans, largest first, so that two processes end at about the same time.
PLANS = [
    folder.name
    for folder in sorted(
        _FOLDERS,
        key=lambda folder: (-sum(f.stat().st_size for f in folder.glob("*.yaml")), folder.name),
    )
]
#: Small books by the name of their plan; every run proves them.
SMALL = {
    "moving": moving_book,
    "small": sample_book,
    "cases": cases_book,
    "dated": dated_book,
    "sundays": sundays_book,
    "costs": costs_book,
    "calibrated": calibrated_book,
    "first": own_book,
}
#: Small books with hundreds of inputs; only some cells of each column are edited.
MANY_INPUTS = ("first",)


@dataclass(frozen=True)
class Subject:
    """A plan and its workbook as shipped."""

    book: Book  # with the catalogue rows that the workbook includes
    plan: Plan
    workbook: Path
    edition: Edition  # of the whole book, but with only this plan's results and sensitivity

    @cached_property
    def results(self) -> Results:
        return edition_of(self.edition, self.plan).results[self.plan.id]

    @property
    def ships(self) -> bool:
        """Whether it is a shipped plan, which the ledger covers."""
        return self.plan.id in PLANS

    @cached_property
    def cells(self) -> tuple[faces.Shown, ...]:
        return tuple(faces.cells(self.book, self.plan))

    @cached_property
    def stored(self) -> Mapping[Address, Cell]:
        """The value and formula of each cell in the file."""
        sheets = read_workbook(self.workbook).sheets.values()
        return {
            (sheet.name, address(*spot)): cell
            for sheet in sheets
            for spot, cell in sheet.cells.items()
        }

    @cached_property
    def script(self) -> str:
        return program(self.plan, self.edition.book)

    @cached_property
    def json(self) -> str:
        return as_json(plan_json(self.edition.book, self.plan, self.results))

    def conditions(self, face: ledger.Face, program: str) -> dict[str, str]:
        """The conditions of a proof of the face."""
        match face:
            case "workbook":
                contents = ledger.workbook_contents(self.workbook)
            case "script":
                contents = ledger.text_contents(self.script)
            case "json":
                contents = ledger.text_contents(self.json)
        plan = ledger.plan_contents(self.book, self.plan)
        return {
            "contents": contents,
            "plan": plan,
            "code": ledger.code(face),
            "program": program,
        }

    def rounds(self, whole: bool) -> list[Round]:
        """The edits to make: all of them, or fewer in a quick proof."""
        if not self.ships and self.plan.id not in MANY_INPUTS:
            return edits.one_by_one(self.book, self.plan)
        choose = edits.every if whole else edits.chosen
        return choose(self.book, self.plan, self.results)


def subject(name: str, folder: Path) -> Subject:
    """The subject with this name, with its files below a folder."""
    book = shipped_book() if name in PLANS else SMALL[name](folder / "data")
    return subject_of(book, name, folder)


def subject_of(book: Book, name: str, folder: Path) -> Subject:
    """A plan of a book as a subject, with its files below a folder."""
    plan = book.plans[name]
    edition = given(
        book, results={name: evaluate(book, plan)}, sensitivities={name: sensitivity(book, plan)}
    )
    path = folder / f"{name}.xlsx"
    assert not write_workbook(edition, plan, path).problems
    return Subject(carried(book, plan), plan, path, edition)
