"""What people do to a workbook besides typing inputs, in LibreOffice, on each sheet of each shipped
plan. No result changes, or Checks names the sheet; and `pull` accepts the edit or says why not.

Each commit tests one plan in turn; the weekly run tests all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

from project import THOROUGH
from proof import ledger
from proof.office import Address, Office, Workbook
from proof.subjects import PLANS, Subject, subject
from scalesheet.pull import Pulled, read
from scalesheet.pull.sheets import address, read_workbook
from scalesheet.pull.where import Rows, locate
from scalesheet.render.workbook.layout import lay_out
from scalesheet.render.workbook.places import TOP
from scalesheet.render.workbook.steps import stepped
from shipped import DATA

OVERWRITTEN = "a formula was overwritten, added or deleted here"
EDITED = "a formula was edited here, or a row or sheet that it names has moved"
A_ROW = "a row was added or deleted; the results follow, and pull imports it"


@dataclass(frozen=True)
class Bench:
    """The workbook of a shipped plan, and LibreOffice."""

    subject: Subject
    office: Office
    folder: Path

    @cached_property
    def formulas(self) -> Mapping[str, list[str]]:
        """The cells with formulas by sheet: the plan's, or else the workbook's own.

        The Summary has only its first result; Checks and About, which repeats it, are left out.
        """
        found: dict[str, list[str]] = {}
        own: dict[str, list[str]] = {}
        of_plan = {cell.address for cell in self.subject.cells if cell.formula is not None}
        for (sheet, at), cell in self.subject.stored.items():
            if cell.formula is not None and sheet not in ("About", "Checks", "Summary"):
                found.setdefault(sheet, []).append(at)
                if (sheet, at) in of_plan:
                    own.setdefault(sheet, []).append(at)
        return {**found, **own, "Summary": [f"B{TOP + 5}"]}

    @cached_property
    def tables(self) -> Mapping[str, Rows]:
        """The tables of the workbook whose rows run downwards."""
        book, plan = self.subject.book, stepped(self.subject.book, self.subject.plan)
        layout = lay_out(book, plan)
        found = locate(read_workbook(self.subject.workbook), book, plan, layout.names).tables
        return {name: rows for name, rows in found.items() if not layout.tables[name].turned}

    @cached_property
    def names(self) -> list[str]:
        """The defined names of the headline figures."""
        known = lay_out(self.subject.book, stepped(self.subject.book, self.subject.plan)).names
        headline = self.subject.plan.headline
        return [text for (scalar, _), text in known.scalars.items() if scalar in headline]

    def open(self) -> Workbook:
        return self.office.open(self.subject.workbook)

    def pulled(self, workbook: Workbook) -> Pulled:
        """The result of pulling the workbook in its current state."""
        return read(DATA, workbook.store(self.folder / "edited.xlsx"))

    def headline(self, workbook: Workbook) -> list[object]:
        """The headline figures, wherever their cells are now."""
        known = workbook.defined_names()
        cells = workbook.cells([_place(known[name]) for name in self.names])
        return [
            # without digits that depend on the order of a sum
            f"{each.value:.10g}" if isinstance(each.value, float) else (each.value, each.error)
            for each in cells
        ]

    def first(self, each: list[str], sheet: str) -> str:
        """One of a sheet's items, a different one for each commit."""
        return each[(ledger.seed()[0] + len(sheet)) % len(each)]


def _place(said: str) -> Address:
    """The address for LibreOffice's `$Sheet.$A$1` or `$'A sheet'.$A$1`."""
    sheet, _, at = said.rpartition(".")
    return sheet.removeprefix("$").strip("'").replace("''", "'"), at.replace("$", "")


def failing(workbook: Workbook) -> set[tuple[str, str]]:
    """The sheet and the problem of each check that fails."""
    cells = workbook.read("Checks")

    def text(at: str) -> str:
        return str(cells[at].value) if at in cells else ""

    rows = [at[1:] for at, cell in cells.items() if at[0] == "E" and cell.value == "check"]
    return {(text(f"B{row}"), text(f"F{row}")) for row in rows}


def spoken_of(pulled: Pulled) -> set[str]:
    """Every place that `pull` names."""
    return {each.place for each in (*pulled.edits, *pulled.left, *pulled.errors, *pulled.notes)}


def unspoken(cells: Iterable[Address], pulled: Pulled) -> list[str]:
    return sorted({f"{sheet}!{at}" for sheet, at in cells} - spoken_of(pulled))


@pytest.fixture(
    scope="module", params=PLANS if THOROUGH else [PLANS[ledger.seed()[0] % len(PLANS)]]
)
def bench(
    request: pytest.FixtureRequest, office: Office, tmp_path_factory: pytest.TempPathFactory
) -> Bench:
    folder = tmp_path_factory.mktemp("safe")
    return Bench(subject(request.param, folder), office, folder)


# ------------------------------------------------------------------ formulas


@pytest.mark.parametrize(("by", "wrong"), [("number", OVERWRITTEN), ("formula", EDITED)])
def test_an_overwritten_formula_is_noticed_on_every_sheet(
    bench: Bench, by: str, wrong: str
) -> None:
    cells = {s: bench.first(at, s) for s, at in bench.formulas.items()}
    with bench.open() as workbook:
        for sheet, at in cells.items():
            formula = str(workbook.cell(sheet, at).formula)
            if by == "number":
                workbook.set({(sheet, at): 120.0})
            else:
                workbook.set_formula(sheet, at, f"=IF(1=1;{formula[1:]};0)")
        seen = {sheet for sheet, why in failing(workbook) if why == wrong}
        assert set(cells) - seen == set()
        pulled = bench.pulled(workbook)
    of_plan = {cell.address for cell in bench.subject.cells}
    assert unspoken(of_plan & set(cells.items()), pulled) == []


# ------------------------------------------------------------------ rows


def test_inserted_rows_change_nothing(bench: Bench) -> None:
    """An empty row is inserted in each table, and one above everything else on each sheet."""
    with bench.open() as workbook:
        before = bench.headline(workbook)
        for rows in bench.tables.values():
            workbook.insert_rows(rows.sheet, max(rows.rows.values()) + 1)
        for sheet in workbook.sheets():
            if sheet != "Checks":
                workbook.insert_rows(sheet, 3)
        assert bench.headline(workbook) == before
        pulled = bench.pulled(workbook)
    # after inserting rows, LibreOffice 7.4 reports circular references when it recalculates
    # everything, but not once the file is reopened
    with bench.office.open(bench.folder / "edited.xlsx") as workbook:
        assert bench.headline(workbook) == before
    assert (pulled.edits, pulled.errors) == ((), ())


def test_deleted_rows_are_noticed_and_named(bench: Bench) -> None:
    """The second to last row of each table is deleted."""
    with bench.open() as workbook:
        gone = {}
        for name, rows in sorted(bench.tables.items(), key=lambda item: -item[1].heading):
            if len(rows.rows) > 1:
                id, at = sorted(rows.rows.items(), key=lambda item: item[1])[-2]
                workbook.delete_rows(rows.sheet, at + 1)
                gone[name] = id
        seen = {sheet for sheet, why in failing(workbook) if why == A_ROW}
        assert {bench.tables[name].sheet for name in gone} - seen == set()
        pulled = bench.pulled(workbook)
    said = [e.name for e in pulled.edits] + [f.message for f in (*pulled.left, *pulled.errors)]
    phase = f"{gone.get('phases')}."  # deleting it also deletes its tables
    missing = [
        f"{name}['{id}']"
        for name, id in gone.items()
        if not name.startswith(phase)
        and not any(f"'{id}'" in each and name in each for each in said)
    ]
    assert missing == []


# ------------------------------------------------------------------ order, filters, names


def test_sorted_and_filtered_tables_and_renamed_sheets_change_nothing(bench: Bench) -> None:
    with bench.open() as workbook:
        before = bench.headline(workbook)
        sorted_, order = [], {}
        for name, rows in bench.tables.items():
            ids = sorted(rows.rows, key=lambda id: rows.rows[id])
            right = max([*rows.columns.values(), *rows.strange])
            first, last = min(rows.rows.values()), max(rows.rows.values())
            block = f"{address(first, rows.title)}:{address(last, right)}"
            if len(ids) > 1:
                workbook.sort(rows.sheet, block, rows.key - rows.title)
                order[name] = ids != sorted(ids, reverse=True)
            workbook.filter(rows.sheet, block, rows.key - rows.title, ids[0])
            sorted_.append(name)
        for sheet in workbook.sheets():
            workbook.rename_sheet(sheet, f"{sheet[:24]} anew")
        workbook.recalculate()
        workbook.recalculate()
        assert bench.headline(workbook) == before
        pulled = bench.pulled(workbook)
    assert (pulled.edits, pulled.errors) == ((), ())
    told = " ".join(each.message for each in pulled.left)
    catalogue = bench.subject.book.tables
    assert [n for n in order if order[n] and f"'{n}'" not in told and n in catalogue] == []
