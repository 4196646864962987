"""Inputs that somebody added to Inputs: a row with a name, a value and a unit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from openpyxl.workbook import Workbook

from pull.workbooks import Change, Shipped, cell, copied, diff, said
from scalesheet.examine import diagnose
from scalesheet.pull import read, write

ENDS = {"cost": "Value", "cost low": "Low", "cost high": "High"}


def new(**beside: Any) -> Change:
    """A row below the inputs, and the cost times what it says."""

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


def test_a_new_input_is_stated_with_what_stands_beside_it(shipped: Shipped, tmp_path: Path) -> None:
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


def test_a_formula_in_place_of_the_value_makes_a_figure(shipped: Shipped) -> None:
    pulled = shipped.pull({}, new(**DISCOUNT | {"Value": "=0.5*room"}))
    assert said(pulled) == []
    assert "+  discount: {title: Discount, formula: 0.5 * room, unit: 1}" in diff(pulled)


def test_a_value_without_a_name_is_listed(shipped: Shipped) -> None:
    def scribble(book: Workbook) -> None:
        book["Inputs"]["D21"] = 5

    (left,) = shipped.pull({}, scribble).left
    assert str(left.place) == "Inputs!D21"
    assert left.message == "a value without a name beside it; to make it a new input, write one"


@pytest.mark.parametrize(
    ("beside", "message"),
    [
        ({"Value": "much"}, "W005 'discount' is the text 'much', not a number"),
        ({"Unit": "hous"}, "W005 the unit of 'discount' is not known"),
        ({"Name": "Cost!"}, "W008 a new input would have the name 'cost', which is taken"),
    ],
)
def test_what_a_new_input_lacks_is_told_with_its_cell(
    shipped: Shipped, beside: dict[str, Any], message: str
) -> None:
    pulled = shipped.pull({}, new(**DISCOUNT | beside))
    assert any(each.startswith(message) for each in said(pulled)), said(pulled)
    assert all(
        finding.place == "Inputs!D21" for finding in pulled.errors if "W006" not in finding.code
    )
