"""Work in other processes gives the same results in order, and leaves nothing running."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sys
import time
from pathlib import Path

import pytest

import small
from project import contents, project
from scalesheet import cli, forks
from scalesheet.diagnostics import Diagnostic, Refused
from scalesheet.forks import spread
from scalesheet.kept import VARIABLE as CACHE

PROBLEM = Diagnostic("a.yaml", 1, 2, "V005", "no layout fits")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks")


@pytest.fixture(autouse=True)
def several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(forks.VARIABLE, "3")


def test_results_from_other_processes_are_in_the_order_of_the_items() -> None:
    with spread(lambda item: (item * item, os.getpid()), range(8)) as results:
        made = results()
    assert [square for square, _ in made] == [0, 1, 4, 9, 16, 25, 36, 49]
    assert len({process for _, process in made} - {os.getpid()}) == 3


def test_a_single_process_is_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(forks.VARIABLE, "1")
    with spread(lambda _: os.getpid(), [0, 1]) as results:
        assert results() == [os.getpid()] * 2


def test_a_forked_process_does_not_fork() -> None:
    def within(_: int) -> int:
        return forks.processes()

    with spread(within, [0, 1]) as results:
        assert results() == [1, 1]


def test_exceptions_of_the_work_are_raised_here_with_all_details() -> None:
    def refused(_: int) -> None:
        raise Refused([PROBLEM])

    with pytest.raises(Refused) as caught, spread(refused, [0, 1]) as results:
        results()
    assert caught.value.diagnostics == (PROBLEM,)


def test_the_work_of_a_lost_process_is_done_here() -> None:
    here = os.getpid()

    def lost(item: int) -> int:
        if os.getpid() != here and item == 1:
            os._exit(9)
        return item

    with spread(lost, [0, 1, 2, 3]) as results:
        assert results() == [0, 1, 2, 3]


def test_an_error_in_the_block_ends_the_processes() -> None:
    with pytest.raises(KeyError), spread(lambda _: time.sleep(60), [0, 1]):
        raise KeyError
    assert not multiprocessing.active_children()


def test_a_build_in_several_processes_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = (
        small.HEAD
        + "scalars:\n  x: {unit: 1, low: 1, value: 2, high: 3}\n  y: {unit: 1, formula: 3 * x}\n"
    )
    texts = {
        f"plans/{name}/{file}": text
        for name in ("one", "two", "three")
        for file, text in (("plan.yaml", plan), ("page.md", "It is {{ y }}.\n"))
    }
    data = project(tmp_path / "book", texts)
    monkeypatch.setenv(CACHE, "")
    made = []
    for processes in ("1", "3"):
        monkeypatch.setenv(forks.VARIABLE, processes)
        assert cli.main(["build", "--data", str(data), "--out", str(tmp_path / "build")]) == 0
        made.append(contents(tmp_path / "build"))
        shutil.rmtree(tmp_path / "build")
    assert made[0] == made[1]
    assert "workbooks/three.xlsx" in made[0]
