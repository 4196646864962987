"""A workbook includes the catalogue rows that its plan uses, and alternatives to them."""

from __future__ import annotations

import shutil
from pathlib import Path

import openpyxl
import pytest

from own import PLAN, begun
from scalesheet.book import Book
from scalesheet.build import build
from scalesheet.carried import carried
from scalesheet.cli import main
from scalesheet.evaluate import evaluate
from scalesheet.examine import compile_book, diagnose
from scalesheet.pull import read
from shipped import shipped_book

MANY = 50  # the catalogue has over 200 offers and 130 models


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return begun(tmp_path_factory.mktemp("own"))


@pytest.fixture(scope="module")
def whole(data: Path) -> Book:
    return compile_book(data, plans=[PLAN])


@pytest.fixture(scope="module")
def few(whole: Book) -> Book:
    return carried(whole, whole.plans[PLAN])


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a new book with its workbook: read only."""
    folder = tmp_path_factory.mktemp("built")
    build(begun(folder), folder / "build", site=False)
    return folder


def test_it_includes_the_plans_rows_and_their_alternatives(whole: Book, few: Book) -> None:
    offers = few.tables["offers"]
    assert "runpod-secure-h100-sxm" in offers.rows
    assert len(offers.rows) < MANY < len(whole.tables["offers"].rows)
    assert {str(c.value) for c in offers.columns["accelerator"].stated.values()} == {"h100-sxm"}
    families = few.tables["models"].columns["family"].stated.values()
    assert len({each.value for each in families}) == 1
    assert {"llama-3-2-1b", "llama-3-1-8b", "llama-3-1-70b"} <= set(few.tables["models"].rows)


def test_rows_that_its_rows_refer_to_are_included(few: Book) -> None:
    for table in few.tables.values():
        for column in table.columns.values():
            of = few.tables.get(column.refers_to or "")
            named = {str(each.value) for each in column.stated.values() if each.value}
            assert of is None or named <= set(of.rows)


def test_every_figure_is_the_same_as_with_the_whole_catalogue(whole: Book, few: Book) -> None:
    plan = whole.plans[PLAN]
    with_all, with_few = evaluate(whole, plan), evaluate(few, plan)
    assert with_few.scalars == with_all.scalars
    for name in plan.tables:
        for column, series in with_all.tables[name].items():
            assert list(with_few.tables[name][column]) == list(series)


def test_a_book_that_needs_no_trimming_is_returned_unchanged(few: Book) -> None:
    assert carried(few, few.plans[PLAN]) is few
    shipped = shipped_book()
    for plan in shipped.plans.values():
        assert (carried(shipped, plan) is shipped) == (plan.carries.keys() != {"models"})


def test_a_plan_of_vision_models_includes_few_others() -> None:
    shipped = shipped_book()
    few = carried(shipped, shipped.plans["vlm-finetune"])
    models = set(few.tables["models"].rows)
    assert {"qwen2-vl-2b", "llava-1-5-7b", "gemma-3-4b"} <= models
    assert not {"gpt-3", "gemma-3-1b", "qwen3-8b"} & models
    assert few.tables["offers"] is shipped.tables["offers"]


@pytest.mark.parametrize(
    ("asked", "offers", "models"),
    [
        ('{offers: ["*a100*"]}', {"crusoe-a100-sxm", "runpod-secure-h100-sxm"}, "llama-3-1-8b"),
        ('{models: ["qwen2-*"]}', {"runpod-secure-h100-sxm"}, "qwen2-7b"),
    ],
)
def test_a_plan_can_ask_for_more_rows(
    asked: str, offers: set[str], models: str, tmp_path: Path
) -> None:
    book = compile_book(begun(tmp_path, f"catalogue: {asked}\n"), plans=[PLAN])
    tables = carried(book, book.plans[PLAN]).tables
    assert offers <= set(tables["offers"].rows)
    assert models in tables["models"].rows
    assert len(tables["offers"].rows) < 2 * MANY


def test_a_whole_table_can_be_included(tmp_path: Path) -> None:
    book = compile_book(begun(tmp_path, 'catalogue: {offers: ["*"]}\n'), plans=[PLAN])
    few = carried(book, book.plans[PLAN])
    assert few.tables["offers"] is book.tables["offers"]
    assert len(few.tables["models"].rows) < MANY


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("{offers: [h2000*]}", "nothing in offers is called 'h2000*'"),
        ("{offer: [h100*]}", "did you mean 'offers'"),
        ("{offers: h100*}", "expected a list such as [a100*, h100*]"),
    ],
)
def test_a_request_that_matches_nothing_is_reported(asked: str, says: str, tmp_path: Path) -> None:
    found = diagnose(begun(tmp_path, f"catalogue: {asked}\n"))
    assert [says in each.message for each in found] == [True], found


def test_about_says_how_much_of_the_catalogue_is_included(built: Path) -> None:
    about = openpyxl.load_workbook(built / "build/workbooks/first.xlsx")["About"]
    said = [str(cell.value).partition("  ")[2] for cell in about["A"]]
    (models,) = (text for text in said if text.startswith("Models has "))
    assert " of the catalogue's " in models
    assert 'write catalogue: {models: ["*"]} into plan.yaml' in models


def test_an_edit_of_a_row_that_is_no_longer_included_is_reported(tmp_path: Path) -> None:
    data = begun(tmp_path, 'catalogue: {models: ["qwen2-*"]}\n')
    build(data, tmp_path / "build", site=False)
    plan, path = data / "plans" / PLAN / "plan.yaml", tmp_path / "build/workbooks/first.xlsx"
    plan.write_text(plan.read_text("utf-8").partition("\n")[2], "utf-8")
    assert (read(data, path).same, read(data, path).left) == (False, ())
    workbook = openpyxl.load_workbook(path)
    sheet = workbook["Models"]
    at = next(cell.row for cell in sheet["B"] if cell.value == "qwen2-7b")
    layers = next(cell.column for cell in sheet[1] if cell.value == "layers")
    sheet.cell(at, layers).value = 5
    workbook.save(tmp_path / "edited.xlsx")
    (left,) = read(data, tmp_path / "edited.xlsx").left
    assert left.place == f"Models!{sheet.cell(at, layers).coordinate}"
    assert left.message == (
        "'qwen2-7b' is in models, but the workbook of this plan does not include it any more; "
        "edit it in the data"
    )
    assert left.at is not None
    assert left.at.path.endswith("models/qwen2-7b.yaml")


def test_an_added_row_that_is_not_included_says_how_to_include_it(
    built: Path, tmp_path: Path
) -> None:
    workbook = openpyxl.load_workbook(built / "build/workbooks/first.xlsx")
    sheet = workbook["Models"]
    last = max(cell.row for cell in sheet["B"] if cell.value)
    sheet.cell(last + 1, 2).value = "qwen2-7b"
    workbook.save(tmp_path / "edited.xlsx")
    (left,) = read(built / "data", tmp_path / "edited.xlsx").left
    assert left.message == (
        "'qwen2-7b' is in models, but the workbook of this plan does not include it; to include "
        "it, write catalogue: {models: [qwen2-7b]} into plan.yaml and build"
    )


def test_its_workbook_can_be_pulled(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unedited, it reports nothing; another of its rows can be chosen."""
    shutil.copytree(built, tmp_path, dirs_exist_ok=True)
    data = tmp_path / "data"
    monkeypatch.chdir(tmp_path)
    path = Path("build/workbooks/first.xlsx")
    assert path.stat().st_size < 400_000
    untouched = read(data, path)
    assert (untouched.edits, untouched.left, untouched.errors) == ((), (), ())
    workbook = openpyxl.load_workbook(path)
    cells = [
        each
        for sheet in workbook
        if sheet.title not in ("offers", "Offers")
        for row in sheet.iter_rows()
        for each in row
        if each.value == "llama-3-2-1b"
    ]
    for each in cells:
        if each.parent.title.lower() != "models":
            each.value = "llama-3-2-3b"
    workbook.save("edited.xlsx")
    assert main(["pull", "edited.xlsx"]) == 0
    assert "llama-3-2-3b" in (data / "plans" / PLAN / "plan.yaml").read_text("utf-8")
