"""Tables can be sorted: no formula refers to a row by number, and no result changes."""

from __future__ import annotations

import re
from pathlib import Path

import openpyxl
import pytest

from proof.office import Office
from pull.workbooks import said
from render import rows, sample
from scalesheet.book import Book
from scalesheet.edition import Edition
from scalesheet.examine import compile_book
from scalesheet.model import Plan
from scalesheet.pull import Pulled, read
from scalesheet.render.workbook.layout import lay_out
from scalesheet.render.workbook.steps import stepped
from scalesheet.render.workbook.write import write_workbook

#: Scalars, a table row, a catalogue row and a recommendation that each name a row by its id.
NAMED = {
    "  many: {value": """\
  between: {unit: step, formula: "sizes['two'].steps - sizes['one'].steps"}
  ratio: {unit: 1, formula: "hardware['h100'].memory / hardware['t4'].memory"}
  many: {value""",
    "      two: {title: Two, steps: {value: 3000, source: {key: memo}, note: rounded}}\n": """\
      two: {title: Two, steps: {value: 3000, source: {key: memo}, note: rounded}}
      far: {title: Far, steps: {formula: "2 * sizes['two'].steps"}}
""",
    "count(sizes) == 2": "count(sizes) == 3",
    '"Plan {{ total.gpu_hours }}': '"Train {{ phases.train.hours }}, plan {{ total.gpu_hours }}',
}

Made = tuple[Book, Plan, Path]


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("sorting")
    sample.write_sample(folder / "data")
    path = folder / "data" / "plans" / "small" / "plan.yaml"
    text = path.read_text(encoding="utf-8")
    for old, new in NAMED.items():
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    book = compile_book(folder / "data")
    plan = book.plans["small"]
    write_workbook(Edition(book), plan, folder / "small.xlsx")
    return book, plan, folder / "small.xlsx"


def edited(path: Path, name: str, formula: str) -> Path:
    """The workbook with another formula in a named cell."""
    workbook = openpyxl.load_workbook(path)
    sheet, at = workbook.defined_names[name].attr_text.split("!")
    workbook[sheet.strip("'")][at].value = formula
    workbook.save(path.with_name("edited.xlsx"))
    return path.with_name("edited.xlsx")


def pulled(made: Made, path: Path) -> Pulled:
    return read(made[2].parent / "data", path)


def memory(made: Made, row: str) -> str:
    """A reference to an accelerator's memory by its row number as shipped."""
    book, plan, _ = made
    sheet, at = lay_out(book, stepped(book, plan)).table_cell("hardware", row, "memory")
    return f"{sheet}!{at}"


def test_no_formula_refers_to_a_row_of_a_table_by_its_number(named: Made) -> None:
    book, plan, path = named
    assert rows.by_number(path, book, plan) == []


@pytest.mark.parametrize("said", ["Hardware!D3", "Hardware!$D$3", "Hardware!$B$3"])
def test_a_formula_that_refers_by_row_number_is_noticed(named: Made, said: str) -> None:
    book, plan, path = named
    told = rows.by_number(edited(path, "ratio", f"={said}"), book, plan)
    assert [each.partition(" refers to ")[2] for each in told] == [said]


def test_sorting_every_table_changes_no_result_and_is_not_an_edit(
    named: Made, office: Office, tmp_path: Path
) -> None:
    book, plan, path = named
    before, after = rows.sort_all(office, path, book, plan, tmp_path)
    shown = rows.shown(before, book, plan)
    other = rows.differing(shown, rows.shown(after, book, plan))
    # only the notes that the catalogue's rows are in another order, no result
    assert {each.partition(" ")[0] for each in other} == {"Checks", "About", "Summary"}
    assert [each for each in other if "rows are in a different order" in each]
    found = pulled(named, after)
    assert (found.edits, said(found)) == ((), [])
    order = [finding.message for finding in found.left]
    assert "the rows of 'hardware' are in a different order" in order


def test_a_reference_by_row_number_is_read_while_rows_are_in_shipped_order(named: Made) -> None:
    formula = f"={memory(named, 't4')}/{memory(named, 'h100')}"
    found = pulled(named, edited(named[2], "ratio", formula))
    assert said(found) == []
    assert [edit.new for edit in found.edits] == ["hardware['t4'].memory / hardware['h100'].memory"]


@pytest.mark.parametrize("held", [False, True])
def test_a_reference_by_row_number_into_a_sorted_table_is_refused(
    named: Made, office: Office, tmp_path: Path, held: bool
) -> None:
    book, plan, path = named
    pointed = memory(named, "h100")
    if held:
        pointed = re.sub(r"!([A-Z]+)", r"!$\1$", pointed)
    _, after = rows.sort_all(office, path, book, plan, tmp_path)
    found = pulled(named, edited(after, "ratio", f"={pointed}/{memory(named, 't4')}"))
    assert [(each.code, each.message.partition(": ")[2]) for each in found.errors] == [
        (
            "W006",
            f"{pointed} goes by row number, and the rows of 'hardware' were sorted; "
            'refer to it by its id: INDEX(column,MATCH("id",hardware_id,0))',
        )
    ]


def test_a_reference_shifted_by_sorting_is_refused(
    named: Made, office: Office, tmp_path: Path
) -> None:
    """Sorting moves a row's relative references with it, to other rows of other sheets."""
    book, plan, path = named
    layout = lay_out(book, stepped(book, plan))
    sheet, at = layout.table_cell("sizes", "two", "spare")
    inputs, many = layout.scalar_cell("many")
    workbook = openpyxl.load_workbook(path)
    workbook[sheet][at].value = f"={inputs}!{many}"
    workbook.save(path.with_name("pointing.xlsx"))
    _, after = rows.sort_all(office, path.with_name("pointing.xlsx"), book, plan, tmp_path)
    found = pulled(named, after)
    assert [each.message.partition(" goes by row number")[1] for each in found.errors] == [
        " goes by row number"
    ]
