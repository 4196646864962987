"""Added inputs and figures: a row with a name, a value or a formula, and a unit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from openpyxl.formula.translate import Translator
from openpyxl.workbook import Workbook
from openpyxl.workbook.defined_name import DefinedName

from pull.workbooks import Change, Shipped, cell, copied, diff, said
from scalesheet.examine import diagnose
from scalesheet.pull import read, write

ENDS = {"cost": "Value", "cost low": "Low", "cost high": "High"}


def new(**beside: Any) -> Change:
    """Add a row below the inputs, and multiply the cost by it."""

    def change(book: Workbook) -> None:
        sheet = book["Inputs"]
        heads = {str(each.value): each.column for each in sheet[4]}
        at = cell(book, "each").row + 1
        for head, value in beside.items():
            sheet.cell(at, heads[head]).value = value
        for name, end in ENDS.items():
            head = end if end in beside else "Value"
            cell(book, name).value += f"*Inputs!{sheet.cell(at, heads[head]).coordinate}"

    return change


DISCOUNT = {"Quantity": "Discount", "Name": "discount", "Value": 0.9, "Kind": "assumption"}


def test_a_new_input_is_imported_with_the_cells_beside_it(shipped: Shipped, tmp_path: Path) -> None:
    mine = copied(shipped, tmp_path)
    edited = mine.edited({}, new(**DISCOUNT, Low=0.8, High=1, Note="By mail", Domain="fraction"))
    pulled = read(mine.data, edited)
    assert (said(pulled), pulled.left) == ([], ())
    assert diff(pulled) == [
        '-  cost: {unit: USD, formula: "runs.total.hours * price * one"}   # in all',
        '+  cost: {unit: USD, formula: "runs.total.hours * price * one * discount"}   # in all',
        "+  discount:",
        "+    title: Discount",
        "+    value: 0.9",
        "+    low: 0.8",
        "+    high: 1",
        "+    unit: 1",
        "+    domain: fraction",
        "+    kind: assumption",
        "+    note: By mail",
    ]
    write(mine.data, pulled)
    assert diagnose(mine.data) == []
    again = read(mine.data, edited)
    assert (said(again), again.edits, again.left) == ([], (), ())


def test_a_formula_instead_of_the_value_makes_a_figure(shipped: Shipped) -> None:
    pulled = shipped.pull({}, new(**DISCOUNT | {"Value": "=0.5*room"}))
    assert said(pulled) == []
    assert "+  discount: {title: Discount, formula: 0.5 * room, unit: 1}" in diff(pulled)


def test_a_value_without_a_name_is_listed(shipped: Shipped) -> None:
    def scribble(book: Workbook) -> None:
        book["Inputs"]["D21"] = 5

    (left,) = shipped.pull({}, scribble).left
    assert str(left.place) == "Inputs!D21"
    told = "a value without a name beside it; to make it a new input, give it a name"
    assert left.message == told


@pytest.mark.parametrize(
    ("beside", "message"),
    [
        ({"Value": "much"}, "W005 'discount' is the text 'much', not a number"),
        ({"Unit": "hous"}, "W005 the unit of 'discount' is not known"),
        ({"Name": "Cost!"}, "W008 a new input would have the name 'cost', which is taken"),
    ],
)
def test_an_incomplete_new_input_is_reported_with_its_cell(
    shipped: Shipped, beside: dict[str, Any], message: str
) -> None:
    pulled = shipped.pull({}, new(**DISCOUNT | beside))
    assert any(each.startswith(message) for each in said(pulled)), said(pulled)
    assert all(
        finding.place == "Inputs!D21" for finding in pulled.errors if "W006" not in finding.code
    )


# ------------------------------------------------------------------ on Calculation


def test_a_row_on_calculation_is_a_new_figure(shipped: Shipped, tmp_path: Path) -> None:
    def add(book: Workbook) -> None:
        sheet, last = book["Calculation"], cell(book, "fits").row
        row = ("Cost a day", "daily", None, "=cost/days", None, "USD / h", None, "About")
        for at, value in enumerate(row, 1):
            sheet.cell(last + 1, at).value = value
        for at, value in ((2, "days"), (4, "=rest/24"), (6, "h")):
            sheet.cell(last + 2, at).value = value
        book.defined_names["days"] = DefinedName("days", attr_text=f"Calculation!$D${last + 2}")

    mine = copied(shipped, tmp_path)
    edited = mine.edited({}, add)
    pulled = read(mine.data, edited)
    assert (said(pulled), pulled.left) == ([], ())
    assert diff(pulled) == [
        "+  daily: {title: Cost a day, formula: cost / days, unit: USD / hour, note: About}",
        "+  days: {formula: rest / 24, unit: hour}",
    ]


# ------------------------------------------------------------------ copies


def copy_of(name: str, **beside: Any) -> Change:
    """Copy the row of an input below the last one."""

    def change(book: Workbook) -> None:
        sheet, row, last = book["Inputs"], cell(book, name).row, cell(book, "each").row
        for each in list(sheet[row]):
            value = each.value
            if isinstance(value, str) and value.startswith("="):
                below = sheet.cell(last + 1, each.column).coordinate
                value = Translator(value, each.coordinate).translate_formula(below)
            sheet.cell(last + 1, each.column).value = value
        heads = {str(each.value): each.column for each in sheet[4]}
        for head, value in beside.items():
            sheet.cell(last + 1, heads[head]).value = value

    return change


def test_a_copied_input_is_an_assumption_without_the_original_source(shipped: Shipped) -> None:
    pulled = shipped.pull({}, copy_of("price", Name="spot_price", Value=0.8))
    assert (said(pulled), pulled.left) == ([], ())
    assert diff(pulled) == [
        "+  spot_price: {value: 0.8, unit: USD / (GPU * hour), domain: non-negative, "
        "kind: assumption}",
    ]
    assert pulled.edits[0].new == (
        "0.8 USD/(GPU·h), as an assumption; the source beside it belongs to another input"
    )


def test_a_copied_input_drops_the_note_and_lists_a_new_source(shipped: Shipped) -> None:
    pulled = shipped.pull({}, copy_of("batch", Name="other_batch", Source="an e-mail"))
    assert "note" not in "".join(diff(pulled))
    assert [(left.place, left.message) for left in pulled.left] == [
        ("Inputs!M21", "the source of 'other_batch' reads 'an e-mail'; state it in the data")
    ]


@pytest.mark.parametrize("name", ["price", "batch"])
def test_a_copied_input_needs_its_own_name(shipped: Shipped, name: str) -> None:
    pulled = shipped.pull({}, copy_of(name))
    assert said(pulled) == [
        f"W008 the name '{name}' is used twice on Inputs; give one of the rows another"
    ]
    assert pulled.errors[0].place == "Inputs!B21"
