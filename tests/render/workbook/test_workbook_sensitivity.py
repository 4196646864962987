"""The Sensitivity sheet and its part of the Summary: what is written, and what an edit does."""

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
from scalesheet.language.syntax import Cell, Lookup, walk
from scalesheet.model import Key, Plan
from scalesheet.render.workbook.context import Context
from scalesheet.render.workbook.layout import lay_out
from scalesheet.render.workbook.places import Layout, letters
from scalesheet.render.workbook.sensitivity import OUTDATED, arrange
from scalesheet.render.workbook.whatif import block, recipe
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


def context_of(made: Made) -> Context:
    book, plan, _ = made
    layout: Layout = lay_out(book, plan, sensitivity=True)
    return Context(
        given(
            book,
            results={plan.id: evaluate(book, plan)},
            sensitivities={plan.id: sensitivity(book, plan)},
        ),
        plan,
        layout,
    )


def test_the_sheet_stands_before_the_summary_and_only_where_it_was_asked_for(
    moving: Made, tmp_path: Path
) -> None:
    book, plan, path = moving
    names = openpyxl.load_workbook(path).sheetnames
    assert names[names.index("Summary") - 1] == "Sensitivity"
    write_workbook(
        given(book, results={plan.id: evaluate(book, plan)}),
        plan,
        tmp_path / "a.xlsx",
        sensitivity=False,
    )
    plain = openpyxl.load_workbook(tmp_path / "a.xlsx")
    assert "Sensitivity" not in plain.sheetnames
    assert "sensitivity_step" not in plain.defined_names


def test_every_number_of_it_is_a_formula_but_the_step(moving: Made) -> None:
    sheet = openpyxl.load_workbook(moving[2])["Sensitivity"]
    typed = [
        cell.coordinate
        for row in sheet.iter_rows()
        for cell in row
        if cell.data_type == "n" and cell.value is not None
    ]
    assert typed == ["C4"]
    assert openpyxl.load_workbook(moving[2]).defined_names["sensitivity_step"].attr_text == (
        "Sensitivity!$C$4"
    )


def test_a_catalogue_is_not_copied_for_the_row_that_is_looked_up(moving: Made) -> None:
    context = context_of(moving)
    assert context.sensitivity is not None
    trial = context.sensitivity.trials[Key("dense_bf16", "hardware")]
    made = block(context, trial, 0)
    assert made.seen_through == {("hardware", "dense_bf16")}
    assert list(made.parts) == [(None, "peak_hours", "value")]
    low = recipe(context, made, made.parts[None, "peak_hours", "value"], None, "low")
    assert low is not None
    assert any(isinstance(node, Lookup) for node in walk(low.tree))


def test_what_does_not_change_in_a_block_is_a_copy_of_the_plans_own_cell(moving: Made) -> None:
    context = context_of(moving)
    made = arrange(context).blocks[Key("gpu_hours", "phases", "test")]
    part = made.parts["phases", "gpu_hours", "value"]
    copied = recipe(context, made, part, "train", "low")
    assert copied is not None
    assert copied.tree == Cell("phases", "train", "gpu_hours")
    assert copied.formula is None


def test_columns_that_are_read_together_are_in_a_block_together(moving: Made) -> None:
    """Ranges of one table must stay as long as each other when a row is inserted."""
    made = arrange(context_of(moving)).blocks[Key("steps", "options")]
    assert {("options", "steps", "value"), ("options", "hours", "value")} <= set(made.parts)


def test_an_inserted_row_is_said_to_be_left_out_and_breaks_nothing(
    moving: Made, office: Office
) -> None:
    book, plan, path = moving
    place = lay_out(book, plan, sensitivity=True).tables["train.runs"]
    with office.open(path) as workbook:
        texts = [cell.value for cell in workbook.read("Summary").values()]
        assert OUTDATED not in texts
        row = place.spacer + 1
        workbook.insert_rows(place.sheet, row)
        workbook.set({(place.sheet, f"B{row}"): "third", (place.sheet, f"C{row}"): 9_000.0})
        for name in ("Sensitivity", "Summary"):
            cells = workbook.read(name)
            assert OUTDATED in [cell.value for cell in cells.values()]
            assert [at for at, cell in cells.items() if cell.error] == []


def test_another_accelerator_can_be_chosen_also_one_that_was_added(
    moving: Made, office: Office
) -> None:
    book, plan, path = moving
    layout = lay_out(book, plan, sensitivity=True)
    place = layout.tables["hardware"]
    peak = place.columns["dense_bf16"][1]
    with office.open(path) as workbook:
        row = place.spacer + 1
        workbook.insert_rows(place.sheet, row)
        column = letters(peak)
        workbook.set({(place.sheet, f"B{row}"): "new", (place.sheet, f"{column}{row}"): 500.0})
        workbook.set({layout.scalar_cell("gpu"): "new"})
        cells = workbook.read("Sensitivity")
        assert [at for at, cell in cells.items() if cell.error] == []
        low = next(
            int(at[1:])
            for at, c in cells.items()
            if at[0] == "B" and (c.value == "hardware.dense_bf16")
        )
        assert cells[f"G{low}"].number == pytest.approx(1e6 / 500 / 0.9 / 3600)


def test_a_changed_step_is_among_the_changes(moving: Made, office: Office) -> None:
    with office.open(moving[2]) as workbook:
        workbook.set({("Sensitivity", "C4"): 0.2})
        changes = workbook.read("Changes")
    assert changes["B8"].value == "Step of the sensitivity"
    assert (changes["E8"].value, changes["F8"].value) == (0.1, 0.2)
