"""`pull` of a table whose cases are side by side: each case is a column of the sheet."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl import Workbook
from openpyxl.formula.translate import Translator
from openpyxl.worksheet.worksheet import Worksheet

from cases import FILES, TABLE
from proof.office import Office
from pull.workbooks import Shipped, diff, said, ship
from scalesheet.pull import read
from small import HEAD


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Shipped:
    return ship(tmp_path_factory.mktemp("cases"), FILES, "cases")


def test_an_unedited_workbook_changes_nothing(cases: Shipped) -> None:
    for path in (cases.workbook, cases.edited({})):
        pulled = read(cases.data, path)
        assert (pulled.same, pulled.edits, pulled.left, said(pulled)) == (True, (), (), [])


def test_an_own_line_in_the_table_is_reported_and_cells_below_are_not(cases: Shipped) -> None:
    below = {"Runs!A40": "Mine", "Runs!D40": 1}
    beside = {"Runs!A27": "Half", "Runs!D27": "=D13/2"}
    assert cases.pull(below).left == ()
    assert [each.message for each in cases.pull(beside).left] == [
        "a line 'Half' beside those of 'runs'; add it to the plan's table first"
    ]


CROSS = """\
headline: [runs.total.energy]
tables:
  lengths:
    columns: {hours: {unit: hour}}
    rows: {short: {hours: 3}, long: {hours: 8}}
  loads:
    columns: {load: {unit: 1}}
    rows: {half: {load: 0.5}, all: {load: 1}}
  runs:
    of: energy
    with: {card: card, hours: length.hours, load: at.load, gpus: 2}
    rows: {each: {length: lengths, at: loads}}
    show: {down: at, across: length, cell: energy}
    total: [energy]
"""


def test_an_unedited_cross_table_with_its_grid_changes_nothing(tmp_path: Path) -> None:
    shipped = ship(tmp_path, FILES | {"plans/cases/plan.yaml": HEAD + CROSS}, "cases")
    pulled = shipped.pull({})
    assert (pulled.same, pulled.edits, pulled.left, said(pulled)) == (True, (), (), [])


def test_inputs_of_a_case_are_edited_in_its_column(cases: Shipped) -> None:
    pulled = cases.pull({"runs['two'].hours": 12, "runs['one'].load": 0.9, "runs_all_load": 0.7})
    assert diff(pulled) == [
        "-    with: {card: card, load: 0.8}",
        "-      one: {hours: days * 3}",
        "-      two: {hours: 10, gpus: 4, load: 0.5}",
        "+    with: {card: card, load: 0.7}",
        "+      one: {hours: days * 3, load: 0.9}",
        "+      two: {hours: 12, gpus: 4, load: 0.5}",
    ]


def test_an_input_written_with_its_unit_is_edited_as_a_number(tmp_path: Path) -> None:
    text = TABLE.replace("load: 0.8", "load: 80 %").replace("hours: 10,", "hours: 600 minutes,")
    shipped = ship(tmp_path, FILES | {"plans/cases/plan.yaml": HEAD + text}, "cases")
    assert shipped.pull({}).same
    pulled = shipped.pull({"runs['two'].hours": 12, "runs_all_load": 0.7})
    assert (said(pulled), diff(pulled)) == (
        [],
        [
            "-    with: {card: card, load: 80 %}",
            "-      two: {hours: 600 minutes, gpus: 4, load: 0.5}",
            "+    with: {card: card, load: 0.7}",
            "+      two: {hours: 12, gpus: 4, load: 0.5}",
        ],
    )


def test_a_chosen_layout_can_be_overwritten(cases: Shipped) -> None:
    pulled = cases.pull({"runs['one'].ways": 2, "runs['none'].ways": 4})
    assert (said(pulled), pulled.left) == ([], ())
    assert diff(pulled)[2:] == [
        "+      one: {hours: days * 3, ways: 2}",
        "+      none: {hours: drawn, gpus: 8, ways: 4}",
    ]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("runs['two'].load", "two: {hours: 10, gpus: 4, load: 0.5}", "two: {hours: 10, gpus: 4}"),
        ("runs['none'].gpus", "none: {hours: drawn, gpus: 8}", "none: {hours: drawn}"),
    ],
)
def test_an_emptied_input_is_no_longer_stated(
    cases: Shipped, name: str, old: str, new: str
) -> None:
    """The row then uses the shared value, or the component's default."""
    pulled = cases.pull({name: None})
    assert (said(pulled), pulled.left) == ([], ())
    assert [line.split(None, 1)[1] for line in diff(pulled)] == [old, new]


def test_an_emptied_input_of_all_rows_is_no_longer_stated(tmp_path: Path) -> None:
    text = FILES["plans/cases/plan.yaml"].replace("load: 0.8}", "load: 0.8, gpus: 2}")
    pulled = ship(tmp_path, {**FILES, "plans/cases/plan.yaml": text}, "cases").pull(
        {"runs_all_gpus": None}
    )
    assert diff(pulled) == [
        "-    with: {card: card, load: 0.8, gpus: 2}",
        "+    with: {card: card, load: 0.8}",
    ]


def test_libreoffice_overwrites_a_layout_and_empties_an_input(
    cases: Shipped, office: Office, tmp_path: Path
) -> None:
    with office.open(cases.workbook) as book:
        book.set({("Runs", "D10"): 2.0, ("Runs", "E8"): None})
        book.recalculate()
        edited = book.store(tmp_path / "edited.xlsx")
    pulled = read(cases.data, edited)
    assert (said(pulled), pulled.left) == ([], ())
    assert diff(pulled)[2:] == [
        "+      one: {hours: days * 3, ways: 2}",
        "+      two: {hours: 10, gpus: 4}",
    ]


def test_an_input_without_a_default_must_be_stated(cases: Shipped) -> None:
    assert said(cases.pull({"runs['two'].hours": None})) == [
        "W005 'runs['two'].hours' is empty; write a number"
    ]


def test_a_default_of_the_component_is_edited_for_all_rows(cases: Shipped) -> None:
    assert diff(cases.pull({"runs_all_gpus": 2})) == [
        "-    with: {card: card, load: 0.8}",
        "+    with: {card: card, load: 0.8, gpus: 2}",
    ]


CROSS = """\
headline: [runs.total.energy]
tables:
  sites: {columns: {hours: {unit: hour}}, rows: {here: {hours: 2}, there: {hours: 3}}}
  runs:
    of: energy
    with: {card: card, hours: site.hours}
    rows: {each: {site: sites}}
    total: [energy]
"""


def test_a_layout_of_a_cross_table_must_be_stated_for_all_rows(tmp_path: Path) -> None:
    """Its rows are in no file."""
    files = {**FILES, "plans/cases/plan.yaml": HEAD + CROSS}
    pulled = ship(tmp_path, files, "cases").pull({"runs['here'].ways": 1})
    assert (pulled.edits, said(pulled)) == ((), [])
    assert [each.message for each in pulled.left] == [
        "'runs['here'].ways' is chosen for each row of a cross table; state 'ways' under 'with:'"
    ]


def test_a_cell_of_a_cross_table_says_where_to_edit_it(tmp_path: Path) -> None:
    shipped = ship(tmp_path, {**FILES, "plans/cases/plan.yaml": HEAD + CROSS}, "cases")
    lines = (HEAD + CROSS).splitlines()
    each = lines.index("    rows: {each: {site: sites}}") + 1
    (left,) = shipped.pull({"runs['here'].site": "there"}).left
    assert left.message.startswith(
        "'runs['here'].site' reads 'there'; its rows are those of 'sites' combined: edit them "
        "there, or 'each:' at "
    )
    assert left.message.endswith(f"plan.yaml:{each}")
    (told,) = said(shipped.pull({"runs['here'].hours": 5}))
    assert told.startswith(
        "W006 'runs['here'].hours' is computed for all rows of a cross table alike; "
        "put the formula back, or edit it at "
    )
    assert told.endswith(f"plan.yaml:{each - 1}")


def test_a_formula_of_a_case_is_edited_in_its_column(cases: Shipped) -> None:
    pulled = cases.pull({"runs['one'].hours": "=days*4", "runs['none'].hours": "=D7-drawn"})
    assert diff(pulled)[2:] == [
        "+      one: {hours: days * 4}",
        "+      none: {hours: \"runs['one'].hours - drawn\", gpus: 8}",
    ]


def test_a_result_of_the_component_cannot_be_edited(cases: Shipped) -> None:
    assert said(cases.pull({"runs['one'].energy": "=D19*D7*2"})) == [
        "S001 Energy of a run computes 'energy'; state its inputs instead"
    ]


def _case(sheet: Worksheet, column: str, beside: str) -> None:
    """Copy a case from another column, as a person does."""
    for row in range(4, 27):
        old = sheet[f"{beside}{row}"].value
        formula = isinstance(old, str) and old.startswith("=")
        copied = Translator(old, f"{beside}1").translate_formula(f"{column}1") if formula else old
        sheet[f"{column}{row}"].value = copied
    sheet[f"{column}4"], sheet[f"{column}5"], sheet[f"{column}9"] = "Three", "three", 3


def test_an_added_column_is_a_new_case(cases: Shipped) -> None:
    pulled = cases.pull({}, lambda book: _case(book["Runs"], "G", "E"))
    assert (said(pulled), pulled.left) == ([], ())
    assert diff(pulled) == [
        "+      three: {title: Three, hours: 10, load: 0.5, gpus: 3, ways: 4}",
    ]


def test_a_deleted_column_deletes_its_case(cases: Shipped) -> None:
    def delete(book: Workbook) -> None:
        for row in range(4, 27):
            book["Runs"][f"E{row}"].value = None

    pulled = cases.pull({}, delete)
    assert diff(pulled) == ["-      two: {hours: 10, gpus: 4, load: 0.5}"]


def test_edited_texts_beside_the_lines_are_reported(cases: Shipped) -> None:
    pulled = cases.pull({"Runs!A13": "Power", "Runs!K8": "mine"})
    assert [each.message for each in pulled.left] == [
        "the heading of 'runs.energy' reads 'Power'; edit it in the data",
        "the note of 'runs.load' reads 'mine'; edit it in the data",
    ]


def test_a_case_and_a_formula_from_libreoffice_are_imported(
    cases: Shipped, office: Office, tmp_path: Path
) -> None:
    with office.open(cases.workbook) as book:
        untouched = book.store(tmp_path / "untouched.xlsx")
        book.insert_rows("Runs", 8, 2)
        book.insert_columns("Runs", 7)  # before the empty column
        book.insert_columns("Runs", 1)
        for column in "EFGH":
            book.set_formula("Runs", f"{column}18", f"=2*{column}15/{column}7")
        book.set({("Runs", "H5"): "three", ("Runs", "H7"): 4.0})
        book.recalculate()
        edited = book.store(tmp_path / "edited.xlsx")
    pulled = read(cases.data, untouched)
    assert (pulled.edits, pulled.left, said(pulled)) == ((), (), [])
    pulled = read(cases.data, edited)
    assert said(pulled) == []
    assert diff(pulled)[1:] == [
        "+      three: {hours: 4}",
        "+      rate: {unit: W, formula: 2 * energy / hours}",
    ]
