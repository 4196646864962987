"""The edits of a workbook that `pull` lists without importing them, and those it refuses."""

from __future__ import annotations

import shutil
import zipfile
from itertools import pairwise
from pathlib import Path

import openpyxl
import pytest

from pull.workbooks import FILES, Shipped, cell, copied, diff, said, ship
from scalesheet.build import build
from scalesheet.cli import main
from scalesheet.pull import read
from scalesheet.render.workbook.scalars import KIND, NOTE
from small import HEAD, lay

BOOK = "title: T\nedition: 2026-11-20\nextends: ../company\n"

# ------------------------------------------------------------------ edits not imported


def test_cells_that_are_not_data_are_listed_and_the_rest_is_imported(shipped: Shipped) -> None:
    def more(book: openpyxl.Workbook) -> None:
        book.create_sheet("Mine")["A1"] = "scribbles"
        book["Runs"]["M6"], book["Runs"]["M7"] = "extra", 5
        book["Units"]["B5"] = 1000
        book["Runs"]["K8"] = 5

    pulled = shipped.pull({"batch": 32, "scenario": "written"}, more)
    assert said(pulled) == []
    assert [edit.name for edit in pulled.edits] == ["batch"]
    told = {finding.place: finding.message for finding in pulled.left}
    assert told["Mine"] == "a separate sheet: it holds no data of the plan"
    assert told["Runs!M7"].startswith("a column 'extra' beside those of 'runs'")
    assert told["Runs!K8"].startswith(
        "a value over the formula that gives the value of 'steps' in use"
    )
    assert told["Units!B5"].startswith("the constant 'byte_per_GiB' reads 1000.0 and is 1073741824")
    assert [note.message for note in pulled.notes] == [
        "the scenario is set to 'written', which the data does not store"
    ]


def test_results_that_were_overwritten_are_listed(shipped: Shipped) -> None:
    def over(book: openpyxl.Workbook) -> None:
        book["Summary"]["B8"] = 77
        book["Results"]["C6"] = None

    told = {finding.place: finding.message for finding in shipped.pull({}, over).left}
    assert told.keys() == {"Summary!B8", "Results"}
    assert all(each.startswith("1 formula overwritten or deleted") for each in told.values())


def test_choosing_only_the_scenario_is_not_a_finding(
    shipped: Shipped, capsys: pytest.CaptureFixture[str]
) -> None:
    edited = shipped.edited({"scenario": "written"})
    command = ["pull", "--data", str(shipped.data), "--dry-run", str(edited)]
    assert main(command) == 0
    assert "note: the scenario is set to 'written'" in capsys.readouterr().out


def test_texts_beside_an_input_are_imported_and_other_labels_listed(shipped: Shipped) -> None:
    def relabel(book: openpyxl.Workbook) -> None:
        row = cell(book, "batch").row
        sheet = book["Inputs"]
        sheet.cell(row, 1).value, sheet.cell(row, KIND + 1).value = "Batch of a card", "assumption"
        sheet.cell(row, NOTE + 1).value = "Seen on the last run"
        sheet.cell(row, 6).value = "sequences"
        book["Runs"]["C4"], book["Runs"]["J8"] = "Optimizer steps", "not so long"

    pulled = shipped.pull({}, relabel)
    assert said(pulled) == []
    assert diff(pulled) == [
        "-    kind: decision",
        "-      A note that is folded over",
        "-      two lines.",
        "+    kind: assumption",
        "+      Seen on the last run",
        "+    title: Batch of a card",
    ]
    assert {finding.place: finding.message.partition(";")[0] for finding in pulled.left} == {
        "Inputs!F13": "the unit of 'batch' reads 'sequences'",
        "Runs!C4": "the heading of 'runs.steps' reads 'Optimizer steps'",
        "Runs!J8": "the note of runs['s10k'] reads 'not so long'",
    }


def test_a_workbook_of_an_older_edition_is_merged_or_conflicts_are_reported(
    shipped: Shipped, tmp_path: Path
) -> None:
    mine = copied(shipped, tmp_path)
    text = mine.plan.read_text().replace("value: 16", "value: 24").replace("peak: 2 ", "peak: 1 ")
    mine.plan.write_text(
        text.replace("  one: {value: 1", "  more: {value: 1, unit: 1}\n  one: {value: 1")
    )
    pulled = read(
        mine.data, mine.edited({"mode": "slow", "runs['s1k'].steps": 1500}, name="a.xlsx")
    )
    assert (pulled.same, said(pulled), pulled.left) == (False, [], ())
    assert [edit.name for edit in pulled.edits] == ["mode", "runs['s1k'].steps"]
    pulled = read(mine.data, mine.edited({"batch": 32, "runs['last'].peak": 1}, name="b.xlsx"))
    assert said(pulled) == [
        "W007 'batch' was 16, is 32 here and 24 in the data; enter one of the two in the cell"
    ]
    assert not pulled.sound


def test_an_edited_step_in_a_workbook_of_an_older_edition_is_noted(
    tmp_path: Path,
) -> None:
    names = [f"quite_a_long_name_{letter}" for letter in "abcdefgh"]
    terms = [f"{a} * {b} ** 2 * max({a}, {b}) * min({a}, {b}, 3)" for a, b in pairwise(names)]
    plan = HEAD + "scalars:\n"
    plan += "".join(f"  {name}: {{value: 2, unit: 1, domain: positive}}\n" for name in names)
    plan += f'  long: {{unit: 1, formula: "{" + ".join(terms)}"}}\n'
    files = {"plans/small/plan.yaml": plan, "plans/small/page.md": "It is {{ long }}.\n"}
    mine = ship(tmp_path, files)
    mine.plan.write_text(plan.replace("value: 2", "value: 3", 1))
    edited = mine.edited({"long_part_1": f"={names[0]}*{names[1]}*7"})
    (note,) = read(mine.data, edited).notes
    assert note.place == "Calculation!D8"
    assert note.message.startswith("1 formula could not be compared")
    assert read(mine.data, mine.workbook).notes == ()


# ------------------------------------------------------------------ bad input


def spoilt(shipped: Shipped, folder: Path, **parts: str) -> Path:
    """The workbook with additional parts in its zip archive."""
    path = folder / "spoilt.xlsx"
    shutil.copy(shipped.workbook, path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name.replace("__", "/"), text)
    return path


def bombed(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b" " * 40_000_000)


def with_entity(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>")


def with_packed_bytes_changed(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", "<a>" + "workbook " * 400 + "</a>")
        start = archive.infolist()[0].header_offset + 30 + len("xl/workbook.xml")
    data = bytearray(path.read_bytes())
    data[start + 8 : start + 24] = b"\xff" * 16
    path.write_bytes(data)


def with_encoding(path: Path) -> None:
    """XML in an encoding that no program knows."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", '<?xml version="1.0" encoding="e"?><a/>')


def foreign(path: Path) -> None:
    openpyxl.Workbook().save(path)


def with_no_number(path: Path) -> None:
    """A cell stored as a number whose text is not a number."""
    book = openpyxl.Workbook()
    book.create_sheet("My runs")["B3"] = 12345
    book.save(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part.replace(b"<v>12345</v>", b"<v>many</v>"))


OLD = bytes.fromhex("d0cf11e0a1b11ae1")  # the first bytes of .xls files and protected ones
WRITERS = {
    "W001 expected an .xlsx workbook, found a damaged file": lambda p: p.write_bytes(
        b"PK\x03\x04 no zip"
    ),
    "W001 it is protected by a password": lambda p: p.write_bytes(OLD),
    "W001 it unpacks from 0.0 to 40 MB": bombed,
    "W001 its XML has a DOCTYPE": with_entity,
    "W001 expected XML, found a damaged file": with_packed_bytes_changed,
    "W001 expected XML, found a damaged file (": with_encoding,
    "W001 it holds 'many', which is not a number; write a number": with_no_number,
    "W002 no sheet says which plan it belongs to": foreign,
}


#: The part of the package, or the cell, that the message names.
PARTS = {
    "W001 its XML has a DOCTYPE": "xl/workbook.xml",
    "W001 expected XML, found a damaged file": "xl/workbook.xml",
    "W001 expected XML, found a damaged file (": "xl/workbook.xml",
    "W001 it holds 'many', which is not a number; write a number": "My runs!B3",
}


@pytest.mark.parametrize("message", WRITERS)
def test_a_file_that_is_not_a_workbook_of_ours_is_refused(
    message: str, shipped: Shipped, tmp_path: Path
) -> None:
    WRITERS[message](tmp_path / "a.xlsx")
    pulled = read(shipped.data, tmp_path / "a.xlsx")
    assert said(pulled)[0].startswith(message)
    assert pulled.errors[0].place == PARTS.get(message, "")


@pytest.mark.parametrize(
    ("part", "what"),
    [("xl__vbaProject.bin", "macros"), ("xl__externalLinks__externalLink1.xml", "links to other")],
)
def test_macros_and_links_to_other_files_are_refused(
    part: str, what: str, shipped: Shipped, tmp_path: Path
) -> None:
    path = spoilt(shipped, tmp_path, **{part: "x"})
    pulled = read(shipped.data, path)
    assert said(pulled)[0].startswith(f"W003 it holds {what}")
    assert pulled.errors[0].place == part.replace("__", "/")


BAD = {
    "W002 it belongs to the plan 'smal', which is not in this data folder; did you mean 'small'?": {
        "About!B5": "smal"
    },
    "W004 'batch' shows #REF!; put its value back": {"batch": "#REF!"},
    "W004 the formula of 'cost' holds #REF!: something that it reads was deleted; put it back": {
        "cost": "=#REF!*price"
    },
    "W004 'cost' has lost its formula, runs.total.hours * price * one; copy it back": {
        "cost": None,
        "cost low": None,
        "cost high": None,
    },
    "W004 the column 'steps' of 'runs' is gone; put it back with its name": {"Runs!C6": None},
    "W005 'batch' is empty; write a number": {"batch": None},
    "W005 'batch' is the text '12 h'; write it as a number": {"batch": "12 h"},
    "W005 'batch' is the text 'many', not a number, and this cell cannot hold a reason; write a "
    "number": {"batch": "many"},
    "W006 the formula of 'cost', =VLOOKUP(1,A1:B2,2): the function VLOOKUP has no counterpart in "
    "the formula language": {"cost": "=VLOOKUP(1,A1:B2,2)"},
    "W006 the formula of 'cost', =price*1E+999: a number in it is too large for a spreadsheet": {
        "cost": "=price*1E+999"
    },
    "W006 the formula of 'cost', =[b.xlsx]A!A1*2: it reads another file, [b.xlsx]A!A1": {
        "cost": "=[b.xlsx]A!A1*2"
    },
    "W008 a new row of 'runs' would have the id 's1k', which is taken; write an id beside it": {
        "Runs!A10": "S1k",
        "Runs!C10": 5,
    },
    "W008 the id 's1k' is used twice in 'runs'; give one of the rows another": {
        "Runs!B10": "s1k",
        "Runs!C10": 5,
    },
    "N002 'cart' is not in hardware; did you mean 'card'?": {"gpu": "cart"},
    "F006 'brisk' is not one of the words of 'mode': fast, slow": {"mode": "brisk"},
}


@pytest.mark.parametrize("message", BAD)
def test_a_bad_edit_is_reported_with_its_cell_and_nothing_is_written(
    message: str, shipped: Shipped
) -> None:
    pulled = shipped.pull(BAD[message])
    assert message in said(pulled)
    assert not pulled.sound
    assert set(pulled.causes) == set(pulled.diagnostics)


def test_a_deleted_input_is_reported(shipped: Shipped) -> None:
    def delete(book: openpyxl.Workbook) -> None:
        at = cell(book, "batch")
        book["Inputs"].cell(at.row, 2).value = None
        del book.defined_names["batch"]

    assert said(shipped.pull({}, delete)) == [
        "W004 'batch' is gone: its name leads to nothing; put its row back"
    ]


def test_inputs_whose_names_a_program_dropped_are_found_by_their_rows(shipped: Shipped) -> None:
    def drop(book: openpyxl.Workbook) -> None:
        for name in list(book.defined_names):
            if name not in ("cost_low", "cost_high"):  # formulas in the file still use them
                del book.defined_names[name]

    pulled = shipped.pull({"batch": 32, "wait low": 1}, drop)
    assert [edit.name for edit in pulled.edits] == ["batch", "wait"]


@pytest.mark.parametrize(
    "formula",
    ["-" * 8000 + "1", "+".join(["1"] * 4000), "1" + "%" * 4000, "^".join(["2"] * 2000)],
    ids=["signs", "terms", "percents", "powers"],
)
def test_a_formula_of_thousands_of_operations_is_refused(shipped: Shipped, formula: str) -> None:
    pulled = shipped.pull({"cost": f"={formula}"})
    (told,) = said(pulled)
    assert "more than 200 nested operations;" in told


@pytest.mark.parametrize(
    ("number", "told"),
    [
        ("nan", "W001"),
        ("1e999", "W001"),
        ("١٢", "W001"),
        ("1e308", "which is larger than 1e100"),
        ("1e-200", "which is smaller than 1e-100"),
        ("-3", "V002"),
    ],
)
def test_a_number_that_no_input_can_have_is_refused(
    shipped: Shipped, tmp_path: Path, number: str, told: str
) -> None:
    whole = shipped.edited({"batch": 98765})
    broken = tmp_path / "broken.xlsx"
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(broken, "w") as new:
        for part in old.namelist():
            new.writestr(part, old.read(part).replace(b"<v>98765</v>", f"<v>{number}</v>".encode()))
    done = read(shipped.data, broken)
    assert told in "\n".join(said(done))


def test_an_edit_of_an_extended_book_names_its_file(tmp_path: Path) -> None:
    """Also in a book that is extended by the one that this book extends."""
    for name, base in (("base", ""), ("company", "extends: ../../base\n")):
        lay(tmp_path / name, {"book.yaml": f"title: T\nedition: 2026-11-20\n{base}"})
    shutil.rmtree(tmp_path / "company" / "data" / "hardware")
    data = lay(tmp_path, {**FILES, "book.yaml": BOOK})
    for folder in ("hardware", "rates", "models", "formulas"):
        shutil.rmtree(data / folder)
    build(data, tmp_path / "build", site=False)
    mine = Shipped(data, tmp_path / "build" / "workbooks" / "small.xlsx")
    (told,) = said(mine.pull({"hardware['card'].memory": 96}))
    file = (tmp_path / "base" / "data" / "hardware" / "card.yaml").resolve()
    message, _, rest = told.partition(" in the book that this one extends, in ")
    named, _, remedy = rest.partition("; ")
    assert message.endswith("'hardware['card'].memory' is")
    assert Path(named).resolve() == file
    assert remedy.startswith("copy that file to hardware/card.yaml in the data folder")
