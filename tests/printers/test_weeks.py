"""Working days of any week match NumPy in Python, LibreOffice, Node and Chromium."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from printers.test_agreement import in_python, in_workbook, n, script
from printers.world import TABLE
from project import draws
from proof.office import Office
from scalesheet.language.arithmetic import WEEKDAYS
from scalesheet.language.syntax import Aggregate, Call, Node, Text
from scalesheet.quantities import DAY_0
from scalesheet.render.script import runtime as runtime_script


def drawn() -> tuple[list[Node], list[float]]:
    """Calls with and without days off, in all 49 kinds of week and the usual one, with results."""
    chance = random.Random(7)
    weeks = ["", *(f"{first}-{last}" for first in WEEKDAYS for last in WEEKDAYS)]
    nodes: list[Node] = []
    expected = []
    for at in range(draws(400)):
        day, count = chance.randint(46_000, 46_100), chance.choice((1, chance.randint(1, 300)))
        week = weeks[at % len(weeks)]
        off = [int(each) for each in TABLE["day"]] if chance.random() < 0.7 else []
        arguments: list[Node] = [n(float(day)), n(float(count))]
        arguments += [Aggregate("list", "t", "day")] if off else []
        arguments += [Text(week)] if week else []
        nodes.append(Call("workday", tuple(arguments)))
        first, last = (WEEKDAYS.index(each) for each in (week or "mon-fri").split("-"))
        worked = [(each - first) % 7 <= (last - first) % 7 for each in range(7)]
        holidays = [np.datetime64(DAY_0) + each for each in off]
        found = np.busday_offset(
            np.datetime64(DAY_0) + day, count - 1, "forward", worked, holidays=holidays
        )
        expected.append(float((found - np.datetime64(DAY_0)).astype(int)))
    return nodes, expected


NODES, EXPECTED = drawn()


def test_python_counts_like_numpy() -> None:
    assert in_python(NODES) == EXPECTED


def test_libreoffice_counts_like_numpy(office: Office, tmp_path: Path) -> None:
    assert in_workbook(NODES, office, tmp_path) == EXPECTED


def test_node_counts_like_numpy(run_node: Callable[..., Any]) -> None:
    assert run_node(runtime_script(), script(NODES)) == EXPECTED


def test_chromium_counts_like_numpy(run_javascript: Callable[..., Any]) -> None:
    assert run_javascript(runtime_script(), script(NODES)) == EXPECTED
