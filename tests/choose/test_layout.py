"""An unstated layout is the fastest one that fits, also after an edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from cases import JOB, JOBS
from scalesheet.choose.layout import RULE, layouts, moved
from scalesheet.cli import main
from scalesheet.evaluate.edits import read_edit
from scalesheet.examine import Examined
from small import plan, said


@pytest.fixture
def jobs(tmp_path: Path) -> Examined:
    examined = plan(tmp_path, JOBS, {"components/job.yaml": JOB})
    assert said(examined) == []
    return examined


def chosen(examined: Examined, *edits: str) -> dict[str, object]:
    """The parts of layouts that edits change, by row and name."""
    assert examined.book is not None
    small = examined.book.plans["small"]
    given = dict(read_edit(examined.book, small, text) for text in edits)
    found = moved(small, layouts(examined.book, small, given))
    return {f"{key.row}.{key.name}": stated.value for key, stated in found.items()}


def test_the_fastest_layout_that_fits_is_chosen(jobs: Examined) -> None:
    assert jobs.book is not None
    parts = jobs.book.plans["small"].tables["jobs"].columns["parts"].stated
    assert (parts["free"].value, parts["free"].rule) == (1, RULE)
    assert (parts["fixed"].value, parts["fixed"].rule) == (4, "")


@pytest.mark.parametrize(
    ("edits", "moves"),
    [
        (["data=9"], {}),  # it still fits
        (["data=11"], {"free.parts": 2}),
        (["data=35"], {"free.parts": 4}),
        (["data=800"], {"free.parts": 8}),  # nothing fits: the nearest one
        (["jobs.all.room=4"], {"free.parts": 2}),
        (["data=35", "jobs['free'].parts=8"], {}),  # a stated part is not searched any more
    ],
)
def test_an_edit_searches_layouts_again(
    jobs: Examined, edits: list[str], moves: dict[str, object]
) -> None:
    assert chosen(jobs, *edits) == moves


def test_show_lists_layouts_that_were_chosen_again(
    jobs: Examined, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["show", "small", "--data", str(tmp_path / "data"), "--set", "data=35"])
    shown = capsys.readouterr().out
    assert "chosen again: jobs['free']: parts 4\n" in shown
    assert "jobs.total.hours  16 h" in shown


def test_show_reports_rows_that_no_layout_fits(
    jobs: Examined, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["show", "small", "--data", str(tmp_path / "data"), "--set", "data=800"])
    shown = capsys.readouterr().out
    assert "Does not hold\n  jobs['free']: no layout that was tried fits\n" in shown


def test_check_reports_rows_that_no_layout_fits(tmp_path: Path) -> None:
    much = JOBS.replace("data: {value: 8,", "data: {value: 800,")
    told = said(plan(tmp_path, much, {"components/job.yaml": JOB}))
    assert told == [
        "V005 no layout that was tried fits jobs['free']; give it more or larger accelerators"
    ]
