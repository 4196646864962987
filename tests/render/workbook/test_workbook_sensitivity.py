"""The Sensitivity sheet and its part of the Summary, as written and after an edit."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from editions import given
from proof.office import Office
from render.moving import moving_book
from scalesheet.book import Book
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.sensitivity import sensitivity
from scalesheet.model import Plan
from scalesheet.render.workbook.layout import lay_out
from scalesheet.render.workbook.sensitivity import OUTDATED
from scalesheet.render.workbook.steps import stepped
from scalesheet.render.workbook.write import write_workbook

Made = tuple[Book, Plan, Path]


@pytest.fixture(scope="module")
def moving(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("moving")
    book = moving_book(folder / "data")
    plan = book.plans["moving"]
    path = folder / "moving.xlsx"
    report = write_workbook(
        given(
            book,
            results={plan.id: evaluate(book, plan)},
            sensitivities={plan.id: sensitivity(book, plan)},
        ),
        plan,
        path,
    )
    assert report.problems == ()
    return book, plan, path


def test_the_sheet_comes_before_checks_and_only_if_requested(moving: Made, tmp_path: Path) -> None:
    book, plan, path = moving
    names = openpyxl.load_workbook(path).sheetnames
    assert names[names.index("Checks") - 1] == "Sensitivity"
    write_workbook(
        given(book, results={plan.id: evaluate(book, plan)}),
        plan,
        tmp_path / "a.xlsx",
        sensitivity=False,
    )
    plain = openpyxl.load_workbook(tmp_path / "a.xlsx")
    assert "Sensitivity" not in plain.sheetnames


def test_its_lists_are_the_evaluators_for_the_shipped_plan(moving: Made) -> None:
    book, plan, path = moving
    sheet = openpyxl.load_workbook(path)["Sensitivity"]
    shown = [[cell.value for cell in row] for row in sheet.iter_rows()]
    for ranking in sensitivity(book, plan).rankings:
        for effect in ranking.shown:
            low, middle, high = effect.inputs or ("", "", "")
            results = (effect.low.value, ranking.value.value, effect.high.value)
            inputs = [low, middle, high] if effect.inputs else None
            assert any(
                row[0] == effect.lever.title
                and tuple(row[6:10]) == (*results, effect.swing)
                and (inputs is None or row[2:5] == inputs)
                for row in shown
            )


def test_each_figure_is_live_and_a_changed_input_is_noted(moving: Made, office: Office) -> None:
    book, plan, path = moving
    layout = lay_out(book, stepped(book, plan), sensitivity=True)
    name = plan.headline[0]
    ranged = next(e for e in sensitivity(book, plan).rankings[0].shown if e.inputs is not None)
    key = ranged.lever.key
    assert ranged.inputs is not None
    where = (
        layout.scalar_cell(key.name)
        if key.table is None
        else layout.table_cell(key.table, str(key.row), key.name)
    )
    with office.open(path) as workbook:
        assert OUTDATED not in [cell.value for cell in workbook.read("Summary").values()]
        workbook.set({where: ranged.inputs[2]})
        cells = {at: cell.value for at, cell in workbook.read("Sensitivity").items()}
        assert OUTDATED in cells.values()
        assert OUTDATED in [cell.value for cell in workbook.read("Summary").values()]
    now = evaluate(book, plan, {key: ranged.inputs[2]}).scalars[name].value
    row = next(at[1:] for at in sorted(cells) if cells[at] == layout.names.scalars[name, "value"])
    assert cells[f"H{row}"] == pytest.approx(now)
