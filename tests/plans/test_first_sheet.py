"""A person opens a plan's workbook without a guide: its first sheet answers ten questions, and
three inputs are changed. Each commit tests one plan in turn; the weekly run tests all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from project import THOROUGH
from proof import ledger
from proof.office import Office, Workbook
from proof.subjects import PLANS, Subject, subject
from scalesheet.defined_names import tables_of
from scalesheet.evaluate import evaluate
from scalesheet.model import Key, Scalar, within
from scalesheet.pull.sheets import address, spot
from scalesheet.render.workbook.context import ends_of, stored
from scalesheet.render.workbook.layout import choice_words, lay_out
from scalesheet.render.workbook.places import Layout
from scalesheet.render.workbook.scalars import IN_USE
from scalesheet.render.workbook.steps import stepped
from scalesheet.render.workbook.sure import LEVELS, UNCHECKED
from scalesheet.sure.quantiles import deserved, sure
from scalesheet.values import Results
from scalesheet.vocabulary import VERDICTS

ALL_WELL, CHECKS = "All checks hold", "Checks"
OFFER = "The offer is for the chosen accelerator"
TURN = PLANS if THOROUGH else [PLANS[ledger.seed()[0] % len(PLANS)]]
Row = list[object]


class Sheet:
    """The Summary as a reader sees it: rows of values, found by their first cell."""

    def __init__(self, workbook: Workbook) -> None:
        self.cells = workbook.read("Summary")
        last = max(int("".join(filter(str.isdigit, at))) for at in self.cells)
        self.rows = [[self.at(f"{c}{row}") for c in "ABCDEFG"] for row in range(1, last + 1)]

    def at(self, address: str) -> object:
        return self.cells[address].value if address in self.cells else None

    def block(self, title: str) -> list[Row]:
        """The rows below a heading and its line of titles, up to the next empty row."""
        start = next((n for n, row in enumerate(self.rows) if row[0] == title), len(self.rows)) + 2
        block: list[Row] = []
        for row in self.rows[start:]:
            if row[0] in (None, "", "Choices", "Scenarios", "How sure, as shipped"):
                break
            block.append(row)
        return block


@pytest.fixture(scope="module", params=TURN)
def read(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Subject:
    return subject(request.param, tmp_path_factory.mktemp("first"))


def laid_out(subject: Subject) -> Layout:
    return lay_out(subject.book, stepped(subject.book, subject.plan))


def figures(plan_results: Results, subject: Subject) -> list[Row]:
    """The evaluator's headline: expected value, low, high."""
    rows = []
    for name in subject.plan.headline:
        ends = ends_of(subject.plan.scalars[name])
        order = ("value", "low", "high")
        value = plan_results.scalars[name]
        rows.append([stored(value, end) if end in ends else None for end in order])
    return rows


def same(shown: list[Row], wanted: list[Row]) -> bool:
    def alike(one: object, other: object) -> bool:
        if isinstance(one, float) and isinstance(other, float):
            return abs(one - other) <= 1e-9 * max(abs(one), abs(other))
        return (one or None) == (other or None)

    pairs = [zip(row[1:4], other, strict=True) for row, other in zip(shown, wanted, strict=True)]
    return all(alike(one, other) for each in pairs for one, other in each)


def levers(subject: Subject) -> Iterator[tuple[str, object]]:
    """Inputs to change: the choices on the first sheet, then numbers that change a result.

    Each comes with a new value.
    """
    plan, tables = subject.plan, subject.book.tables | subject.plan.tables
    for choice in laid_out(subject).choices:
        scalar = plan.scalars[choice.name]
        assert scalar.stated is not None
        options = tables[scalar.refers_to].rows if scalar.refers_to else choice_words(scalar)
        others = [option for option in options if option != scalar.stated.value]
        if others:
            yield choice.name, others[ledger.seed()[0] % len(others)]
    for name, scalar in plan.scalars.items():
        moved = _moved(scalar)
        if moved is not None:
            other = evaluate(subject.book, plan, {Key(name): moved})
            if figures(other, subject) != figures(subject.results, subject):
                yield name, moved


def _moved(scalar: Scalar) -> float | None:
    stated = scalar.stated
    if stated is None or scalar.ranged or scalar.kind != "number" or stated.reason is not None:
        return None
    if not isinstance(stated.value, float | int) or isinstance(stated.value, bool):
        return None
    moved = float(stated.value) + 1
    return moved if within(scalar.domain, moved) else None


def test_ten_questions_are_answered_on_the_first_sheet(read: Subject, office: Office) -> None:
    plan, results = read.plan, read.results
    with office.open(read.workbook) as workbook:
        assert workbook.sheets()[0] == "Summary"
        sheet = Sheet(workbook)
    shown = sheet.block("Results")
    titles = [plan.scalars[name].title or name for name in plan.headline]
    failing = sum(results.scalars[name].value is not True for name in plan.checks)
    light = next(str(row[1]) for row in sheet.rows if row[0] == "Checks")

    # 1 what is the plan, 2 do its checks hold
    assert (sheet.at("A1"), bool(sheet.at("A2"))) == (plan.title, bool(plan.summary))
    assert light.startswith(f"{failing} check") if failing else light == ALL_WELL
    # 3 what is the result, 4 at least, 5 at most, 6 in which unit
    assert [row[0] for row in shown] == titles
    assert same(shown, figures(results, read))
    units = [plan.scalars[name].unit for name in plan.headline]
    symbols = [read.book.units.symbol(unit) if unit is not None else "" for unit in units]
    assert [row[4] or "" for row in shown] == symbols
    # 7 does it fit, in one of four verdicts
    fits = [row[1] for row in shown if "fit" in str(row[0]).lower()]
    assert all(str(each) in VERDICTS or "needs" in str(each) for each in fits)
    # 8 what can be chosen, 9 what does each choice affect and not
    choices = sheet.block("Choices")
    known = laid_out(read).choices
    assert [row[0] for row in choices] == [plan.scalars[c.name].title or c.name for c in known]
    for row, choice in zip(choices, known, strict=True):
        assert row[2] == "every result" if not choice.leaves else row[5]
    # 10 what is enough four times out of five
    found = {n: each for n, each in sure(read.book, plan).figures.items() if each.causes}
    drawn = (
        [row for row in sheet.block("How sure, as shipped") if row[0] in titles] if found else []
    )
    assert [row[0] for row in drawn] == [plan.scalars[name].title or name for name in found]
    for row, each in zip(drawn, found.values(), strict=True):
        assert row[1:6] == [each.deserved(level) for level in LEVELS]
        assert row[6] == deserved(each.reserve, each.errors["p80"])


def test_three_inputs_are_changed_and_the_results_follow(read: Subject, office: Office) -> None:
    plan, layout = read.plan, laid_out(read)
    leaves = {choice.name: choice.leaves for choice in layout.choices}
    tried = [each for each, _ in zip(levers(read), range(3), strict=False)]
    assert len(tried) == 3
    with office.open(read.workbook) as workbook:
        before = Sheet(workbook).block("Results")
        for name, option in tried:
            where = layout.scalar_cell(name)
            was = workbook.cell(*where).value
            workbook.set({where: option})  # type: ignore[dict-item]
            after = Sheet(workbook).block("Results")
            assert same(after, figures(evaluate(read.book, plan, {Key(name): option}), read)), name
            for row, old, figure in zip(after, before, plan.headline, strict=True):
                assert row == old or figure not in leaves.get(name, ()), (name, figure)
            moved = {row[0] for row, old in zip(after, before, strict=True) if row[1] != old[1]}
            told = {row[0]: row[4] for row in Sheet(workbook).block("P80 as inputs are now")}
            assert {title for title, said in told.items() if said == UNCHECKED} == moved & {*told}
            workbook.set({where: was})
        assert Sheet(workbook).block("Results") == before


@pytest.mark.parametrize("plan", ["qwen2-finance"])
def test_an_accelerator_that_differs_from_the_offers_is_reported(
    plan: str, office: Office, tmp_path: Path
) -> None:
    """The cost is the offer's, whatever accelerator is chosen."""
    read = subject(plan, tmp_path)
    layout = laid_out(read)
    stated = read.plan.scalars["gpu"].stated
    assert stated is not None
    other = next(row for row in read.book.tables["hardware"].rows if row != stated.value)
    with office.open(read.workbook) as workbook:
        assert _verdict(workbook) == "ok"
        cost = [row for row in Sheet(workbook).block("Results") if "Cost" in str(row[0])]
        workbook.set({layout.scalar_cell("gpu"): other})
        assert _verdict(workbook) == "check"
        assert [r for r in Sheet(workbook).block("Results") if "Cost" in str(r[0])] == cost
        assert any(row[0] == "Checks" and "fail" in str(row[1]) for row in Sheet(workbook).rows)


def test_a_high_end_that_follows_its_value_stays_within_its_domain(
    office: Office, tmp_path: Path
) -> None:
    """The goodput is 0.9, from 0.8 to 0.95: at 0.97, its high end would be 1.02."""
    read = subject("support-model", tmp_path)
    sheet, at = laid_out(read).scalar_cell("goodput")
    place = spot(at)
    assert place is not None
    with office.open(read.workbook) as workbook:
        workbook.set({(sheet, at): 0.97})
        used = [workbook.cell(sheet, address(place[0], column)).value for column in IN_USE]
    assert used == pytest.approx([0.8 * 0.97 / 0.9, 0.97, 1.0])


@pytest.mark.parametrize("typed", ["", "many", 0.0, -1.0])
def test_a_wrong_cell_of_a_table_is_the_failing_check_that_is_named(
    office: Office, tmp_path: Path, typed: float | str
) -> None:
    """No other check fails: formulas read the shipped value."""
    read = subject("support-model", tmp_path)
    with office.open(read.workbook) as workbook:
        workbook.set({laid_out(read).table_cell("bases", "mistral", "gpus"): typed})
        row = next(row for row in Sheet(workbook).rows if row[0] == "Checks")
    assert row[1] == "1 check fails"
    assert str(row[2]).startswith("Values inside their domain (count): GPUs: mistral: '")


@pytest.mark.parametrize("typed", ["", "many", 0.0, -1.0])
def test_a_wrong_cell_of_a_table_gives_no_error(
    read: Subject, office: Office, typed: float | str
) -> None:
    """Formulas use the shipped value instead, as for the inputs with names, and a check fails."""
    layout = laid_out(read)
    tables = tables_of(read.book, stepped(read.book, read.plan))
    with office.open(read.workbook) as workbook:
        for table in tables.values():
            used = [table.columns[name] for name in layout.tables[table.name].used]
            first = ledger.seed()[0] % max(len(used), 1)
            for column in used if THOROUGH else used[first : first + 1]:
                row = next(row for row in table.rows if row in column.stated)
                cells = [
                    layout.table_cell(table.name, row, column.name, end) for end in ends_of(column)
                ]
                changed = workbook.perturb(dict.fromkeys(cells, typed))
                assert [at for at, cell in changed.items() if cell.error] == [], (row, column.name)
                reasons = any(each.reason for each in column.stated.values())
                if typed == "" or (typed == "many" and not reasons):
                    failed = {cell.value for (sheet, _), cell in changed.items() if sheet == CHECKS}
                    assert "check" in failed, (row, column.name)


def _verdict(workbook: Workbook) -> object:
    cells: Mapping[str, object] = {at: c.value for at, c in workbook.read("Checks").items()}
    row = next(at[1:] for at, value in cells.items() if value == OFFER)
    return cells[f"E{row}"]
