"""The tutorials work and print what they show when followed word for word."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from editions import given
from scalesheet.cli import main
from scalesheet.examine import examine
from scalesheet.render.pages import write_pages
from scalesheet.resolve.lowering.catalogue import core_units
from shipped import DATA
from tutorial import DOCUMENT, PAGE, PROGRAM, Edit, Run, Write, follow, steps


def figures_apart(line: str) -> str:
    """The line about the edition without its figures, which any change of an output changes."""
    if not line.startswith("edition hash"):
        return line
    return re.sub(r"\b[0-9a-f]{8}\b|[0-9][0-9,]*", "#", line)


def printing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[Run], None]:
    """Run a command of the page in a folder, and compare its output with the one shown."""
    monkeypatch.chdir(folder)

    def run(step: Run) -> None:
        main(shlex.split(step.command)[1:])
        printed = capsys.readouterr()
        lines = [figures_apart(line) for line in (printed.out + printed.err).splitlines()]
        shown = [figures_apart(line) for line in step.shown]
        if shown[-1] == "...":
            shown.pop()
            lines = lines[: len(shown)]
        assert lines == shown, step.command

    return run


def catalogue(folder: Path) -> None:
    """The shipped book without plans and published runs, and with only the models and offers that
    the tutorial and the examples of components name."""
    text = PROGRAM + "".join(path.read_text("utf-8") for path in DATA.glob("components/*.yaml"))

    def unneeded(of: str, names: list[str]) -> list[str]:
        if Path(of) == DATA:
            return ["plans", "runs", "measurements", "score.yaml"]
        if Path(of).name in ("models", "rates"):
            return [name for name in names if not re.search(rf"\b{name[:-5]}\b(?!-)", text)]
        return []

    shutil.copytree(DATA, folder / "data", ignore=unneeded)
    (folder / "data/plans").mkdir()


def test_the_training_program_is_written_step_by_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    catalogue(tmp_path)
    follow(tmp_path, printing(tmp_path, monkeypatch, capsys), page=PROGRAM)
    ships = (DATA / "plans/support-model/plan.yaml").read_text("utf-8")
    assert (tmp_path / "data/plans/support/plan.yaml").read_text("utf-8") == ships
    assert len(ships.splitlines()) <= 40


def test_every_step_prints_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = printing(tmp_path, monkeypatch, capsys)
    follow(tmp_path, run)
    assert {type(step) for step in steps()} == {Write, Edit, Run}

    # Claims of the page about the workbook: an input to change, and formulas that use names.
    book = openpyxl.load_workbook(tmp_path / "build/workbooks/tuning.xlsx")
    assert "Inputs" in book.sheetnames
    formulas = [
        cell.value
        for sheet in book
        for row in sheet.iter_rows()
        for cell in row
        if str(cell.value).startswith("=")
    ]
    assert any("hours*cards" in formula for formula in formulas)


def test_the_second_tutorial_continues_in_the_same_book(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = printing(tmp_path, monkeypatch, capsys)
    follow(tmp_path, run)
    follow(tmp_path, run, page=DOCUMENT)

    # Claims of the page about the files of a build.
    found = examine(tmp_path / "data")
    assert found.book is not None
    report = write_pages(
        given(found.book, results=found.results, audits=found.audits), tmp_path / "pages"
    )
    assert report.problems == ()
    named = re.findall(r"`((?:plans|audit)/memo[a-z-]*)`", DOCUMENT)
    assert len(named) == 4
    assert {f"{name}.md" for name in named} <= set(report.files)


def test_the_line_that_it_fixes_is_the_one_in_the_message() -> None:
    (line,) = {int(n) for n in re.findall(r"plan\.yaml:(\d+):\d+: U002", PAGE)}
    (plan,) = [s.text for s in steps() if isinstance(s, Write) and s.place.endswith("plan.yaml")]
    (edit,) = [s for s in steps() if isinstance(s, Edit)]
    assert plan.splitlines()[line - 1] == edit.old
    assert f"In line {line} of" in PAGE


def test_it_declares_only_its_own_units() -> None:
    (units,) = [s.text for s in steps() if isinstance(s, Write) and s.place.endswith("units.yaml")]
    names = re.findall(r"^  (\w+):", units, re.MULTILINE)
    assert names
    assert not set(names) & set(core_units())
