"""In LibreOffice, the sheet of actuals gives the program's figures and follows edits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import openpyxl
import pytest

from actuals.test_actuals import CSV, PLAN, given, stands
from proof.office import Cell, Office, Workbook
from scalesheet.cli import main
from scalesheet.examine import Examined
from scalesheet.render.workbook.write import write_workbook
from small import plan


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sheet")


@pytest.fixture(scope="module")
def examined(folder: Path) -> Examined:
    return given(folder)


@pytest.fixture(scope="module")
def written(examined: Examined, folder: Path) -> Path:
    assert examined.edition is not None
    report = write_workbook(
        examined.edition, examined.edition.book.plans["small"], folder / "small.xlsx"
    )
    assert report.problems == ()
    return report.path


@pytest.fixture
def live(written: Path, office: Office) -> Iterator[Workbook]:
    with office.open(written) as workbook:
        yield workbook


def figures(cells: Mapping[str, Mapping[str, Cell]]) -> dict[str, float | str]:
    """The figures of the whole plan, by title."""
    sheet = cells["Actuals"]
    return {str(sheet[f"A{row}"].value): sheet[f"C{row}"].value for row in range(4, 11)}


def test_every_formula_gives_the_programs_figure(
    examined: Examined, written: Path, live: Workbook
) -> None:
    computed, progress = live.read_all(), stands(examined)
    stored = openpyxl.load_workbook(written, data_only=True)["Actuals"]
    formulas = openpyxl.load_workbook(written)["Actuals"]
    places = [c.coordinate for row in formulas.iter_rows() for c in row if c.data_type == "f"]
    assert len(places) > 20
    for place in places:
        cell = computed["Actuals"][place]
        assert not cell.error, place
        assert cell.value == pytest.approx(stored[place].value, rel=1e-12, abs=1e-9), place
    found = figures(computed)
    assert found["Spent"] == pytest.approx(progress.spent)
    assert found["Left"] == pytest.approx(progress.left)
    assert found["Forecast"] == pytest.approx(progress.forecast.value)
    assert found["Forecast above the budget"] == pytest.approx(progress.over)


def test_edited_hours_and_inputs_change_the_forecast(live: Workbook) -> None:
    before = figures(live.read_all())
    sheet = live.read_all()["Actuals"]
    (first,) = [place for place, cell in sheet.items() if cell.value == "SFT"]
    (heading,) = [int(place[1:]) for place, cell in sheet.items() if cell.value == "Run"]
    assert first.startswith("A")
    live.set({("Actuals", f"G{heading + 1}"): 372.0})  # was 272, in the first attempt
    after = figures(live.read_all())
    assert after["Spent"] == pytest.approx(float(before["Spent"]) + 100)
    assert after["Forecast"] == pytest.approx(float(before["Forecast"]) + 100)
    below = heading + len(CSV.splitlines())
    live.set({("Actuals", f"B{below}"): "rl", ("Actuals", f"G{below}"): 50.0})
    assert figures(live.read_all())["Spent"] == pytest.approx(float(before["Spent"]) + 150)


def test_pull_finds_no_edit_in_it(
    written: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pull", str(written), "--data", str(folder / "data"), "--dry-run"]) == 0
    assert "nothing to apply" in capsys.readouterr().out


def test_a_plan_without_actuals_has_no_such_sheet(tmp_path: Path) -> None:
    found = plan(tmp_path, PLAN)
    assert found.edition is not None
    report = write_workbook(
        found.edition, found.edition.book.plans["small"], tmp_path / "small.xlsx"
    )
    assert "Actuals" not in report.sheets
