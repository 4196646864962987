"""The edits that people make to a plan, in each shipped workbook: made in LibreOffice, saved,
pulled, checked and built again. `make test` tests one plan, another with each commit; the weekly
run tests all.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from plans.in_office import Typed, axes, typed_edits
from plans.ordinary import edits_of, plans
from project import THOROUGH
from proof import faces, ledger
from proof.faces import Shown
from proof.office import Office, Value, Workbook
from proof.subjects import PLANS, Subject, subject
from scalesheet.carried import carried
from scalesheet.cli import main
from scalesheet.diagnostics import errors
from scalesheet.examine import examine
from scalesheet.load.document import Steps
from scalesheet.model import within
from scalesheet.pull.sheets import read_workbook, spot
from scalesheet.render.workbook.write import write_workbook
from scalesheet.resolve.lowering.scalars import SCENARIO
from shipped import DATA

NEW_INPUT = {"A": "Margin", "B": "own_margin", "D": 1.25, "N": "Asked for by mail"}


@dataclass(frozen=True)
class Made:
    """An edit, with its line in the report and the values in the next workbook."""

    told: str  # a pattern for the line of the report, without the file
    make: Callable[[Workbook], None]
    shows: Mapping[str, Value]  # by the label of the cell
    at: int = 0


# ------------------------------------------------------------------ edits


def edits(subject: Subject) -> Iterator[Made]:
    by_label = {cell.label: cell for cell in subject.cells}
    inputs = [c for c in subject.cells if c.formula is None and c.key.table is None]
    numbers = [c for c in inputs if c.quantity.kind == "number" and c.end == "value"]
    yield from _whole(subject, numbers)
    yield from _expected(subject, numbers)
    yield from _scenario(subject, by_label)
    yield from _formulas(subject, by_label)
    yield from _rows(subject)


def _value(subject: Subject, cell: Shown) -> float | None:
    stated = subject.plan.scalars[cell.key.name].stated
    value = stated.value if stated is not None else None
    own = cell.key.name in plans().of(subject.plan.id, "plan").data.get("scalars", {})
    return value if own and isinstance(value, float) else None


def _whole(subject: Subject, numbers: list[Shown]) -> Iterator[Made]:
    """Change a batch of 8 to 16; without one, double another whole number."""
    whole = [
        (cell, value)
        for cell in sorted(numbers, key=lambda cell: "batch" not in cell.label)
        if (value := _value(subject, cell)) and value == int(value) > 1 and not cell.quantity.ranged
    ]
    for cell, value in whole[:1]:
        yield Made(
            f"{re.escape(cell.label)}: {value:g} -> {2 * value:g}.* \\({_at(cell)}\\)",
            _set(cell, 2 * value),
            {cell.label: 2 * value},
        )


def _expected(subject: Subject, numbers: list[Shown]) -> Iterator[Made]:
    """Move only the expected value, past an end of its range; both ends follow."""
    for cell in numbers:
        stated, value = subject.plan.scalars[cell.key.name].stated, _value(subject, cell)
        if stated is None or not value or stated.low == stated.high or not stated.low:
            continue
        low, high = float(stated.low or 0), float(stated.high or 0)
        past = float(f"{high * 1.1:.3g}")
        inside = within(cell.quantity.domain, high * past / value)
        new = past if inside else float(f"{low * 0.9:.3g}")
        ends = [float(f"{end * new / value:.12g}") for end in (low, high)]
        label = cell.label
        yield Made(
            rf"{re.escape(label)}: {value:g} \({low:g} to {high:g}\) -> .*; low and high follow by "
            rf"the same factor.* \({_at(cell)}\)",
            _set(cell, new),
            {label: new, f"low({label})": ends[0], f"high({label})": ends[1]},
        )
        return


def _scenario(subject: Subject, by_label: Mapping[str, Shown]) -> Iterator[Made]:
    cell = by_label.get(SCENARIO)
    if cell is not None:
        other = next(w for w in subject.plan.scenarios[::-1] if w)
        yield Made(
            f"{_at(cell)}: note: the scenario is set to '{other}'",
            _set(cell, other),
            {},
        )


def _formulas(subject: Subject, by_label: Mapping[str, Shown]) -> Iterator[Made]:
    """Multiply a figure by a new input, and another figure by a number."""
    own = plans().of(subject.plan.id, "plan").data["scalars"]
    derived = [
        scalar
        for scalar in subject.plan.scalars.values()
        if scalar.formula is not None
        and scalar.kind == "number"
        and isinstance(own.get(scalar.name), dict)
        and "formula" in own[scalar.name]
        and " if " not in scalar.formula.text
        and scalar.domain == "non-negative"
        and not scalar.contingency_on
    ]
    lists = [cell for cell in subject.cells if cell.address[0] == "Inputs"]
    below = max(int(re.sub("[A-Z]", "", cell.address[1])) for cell in lists) + 1

    def times(name: str, by: str) -> Callable[[Workbook], None]:
        def make(workbook: Workbook) -> None:
            if by.startswith("$"):
                workbook.set({("Inputs", f"{at}{below}"): v for at, v in NEW_INPUT.items()})
            for label in (name, f"low({name})", f"high({name})"):
                if label in by_label:
                    sheet, place = by_label[label].address
                    formula = str(workbook.cell(sheet, place).formula)
                    workbook.set_formula(sheet, place, f"=({formula.removeprefix('=')})*{by}")

        return make

    for scalar, by, said_so in zip(
        derived, (f"$Inputs.$D${below}", "1.5"), ("own_margin", "1.5"), strict=False
    ):
        name = scalar.name
        told = rf"{re.escape(name)}: .* -> .*\b{said_so}\b.* \({_at(by_label[name])}\)"
        yield Made(told, times(name, by), {})
    if derived:
        told = rf"own_margin: nothing -> 1.25 \(Inputs!D{below}\)"
        yield Made(told, lambda workbook: None, {"own_margin": 1.25})


def _rows(subject: Subject) -> Iterator[Made]:
    """Add a row, and delete a row that the plan's own lines do not name."""
    free = (
        edit.changes[0].steps
        for edit in edits_of(subject.plan.id)
        if edit.sort == "dropped" and not plans().tried(edit, audits=False).refusals
    )
    rows = [
        each
        for each in typed_edits(subject)
        if each.sort != "input" and each.about.table not in (*axes(subject), "phases")
    ]
    unnamed = next((steps for steps in free if any(map(_drops(steps), rows))), ())
    typed: dict[str, Typed] = {}
    for each in rows:
        if each.sort == "added" or _drops(unnamed)(each):
            typed.setdefault(each.sort, each)
    for sort, each in typed.items():
        what = "no row -> .*" if sort == "added" else "a row -> deleted"
        row = re.escape(f"{each.about.table}['{each.about.row}']")
        yield Made(rf"{row}: {what} \(.*![A-Z]+\d+\)", each.make, {}, each.at)


def _drops(steps: Steps) -> Callable[[Typed], bool]:
    """A test of whether an edit deletes the row at this place."""
    return lambda each: (
        each.sort == "dropped"
        and steps[-1:] == (each.about.row,)
        and ".".join(str(s) for s in steps[:-2] if s not in ("tables", "phases"))
        == each.about.table
    )


def _set(cell: Shown, value: Value) -> Callable[[Workbook], None]:
    return lambda workbook: workbook.set({cell.address: value})


def _at(cell: Shown) -> str:
    return re.escape("!".join(cell.address))


# ------------------------------------------------------------------ pulling edits


TURN = ledger.seed()[0] % len(PLANS)


@pytest.mark.parametrize("plan", PLANS if THOROUGH else PLANS[TURN:][:1])
def test_edits_of_a_plan_are_imported_and_shown_in_the_next_workbook(
    plan: str, office: Office, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, data = subject(plan, tmp_path), tmp_path / "data"
    shutil.copytree(DATA, data)
    made = list(edits(before))
    with office.open(before.workbook) as workbook:
        for each in sorted(made, key=lambda each: -each.at):
            each.make(workbook)
        workbook.recalculate()
        form = "ods" if plan == "micro-benchmark" else "xlsx"
        edited = workbook.store(tmp_path / f"edited.{form}")

    arguments = ["pull", "--data", str(data), str(edited)]
    status = main(arguments)
    report = capsys.readouterr().out
    assert status == 0, report
    lines = report.partition("\n\n")[0]
    assert [each.told for each in made if not re.search(each.told, lines)] == [], lines
    examined = examine(data, plans=[plan])
    assert errors(examined.diagnostics) == []

    assert examined.edition is not None
    book = examined.edition.book
    path = tmp_path / "again.xlsx"
    assert not write_workbook(examined.edition, book.plans[plan], path).problems
    sheets = read_workbook(path).sheets
    now = {
        cell.label: cell.address
        for cell in faces.cells(carried(book, book.plans[plan]), book.plans[plan])
    }
    for each in made:
        for label, value in each.shows.items():
            sheet, place = now[label]
            at = spot(place)
            assert at is not None
            assert sheets[sheet].at(*at).value == pytest.approx(value, rel=1e-9), label
    status = main(arguments)  # all edits are in the data now
    report = capsys.readouterr().out
    assert (status, "nothing to apply" in report) == (0, True), report
