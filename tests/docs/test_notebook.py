"""The notebook of the page "From Python" runs from top to bottom, without Jupyter."""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest

import scalesheet
from project import ROOT

NOTEBOOK = ROOT / "docs" / "reference" / "from-python.ipynb"
CELLS = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
CODE = ["".join(cell["source"]) for cell in CELLS if cell["cell_type"] == "code"]


@pytest.fixture(scope="module")
def ran() -> tuple[dict[str, Any], list[Any]]:
    """The names that the cells define, and the value of each cell's last expression."""
    names: dict[str, Any] = {}
    shown = []
    for source in CODE:
        *before, last = ast.parse(source).body
        assert isinstance(last, ast.Expr), "a cell ends in what it shows"
        exec(compile(ast.Module(before, []), NOTEBOOK.name, "exec"), names)
        shown.append(eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names))
    return names, shown


def test_it_has_ten_cells_and_no_stored_output() -> None:
    assert len(CELLS) == 10
    assert all(cell["outputs"] == [] for cell in CELLS if cell["cell_type"] == "code")


def test_each_cell_shows_something(ran: tuple[dict[str, Any], list[Any]]) -> None:
    tables = [each._repr_html_() for each in ran[1] if hasattr(each, "_repr_html_")]
    assert len(tables) == len(CODE) - 1
    assert all(html.startswith(("<", "\n<")) for html in tables)


def test_the_change_and_the_sweep_match_the_plan(
    ran: tuple[dict[str, Any], list[Any]],
) -> None:
    names = ran[0]
    plan = scalesheet.load(ROOT / "data").plan("support-model")
    assert float(names["more"]["cost"]) > float(plan["cost"])
    sweep = names["sweep"]
    assert list(sweep.index) == list(range(1, 9))
    assert sweep.loc[5, "cost"] == plan.set(seeds=5)["cost"].value
    assert sweep["cost"].is_monotonic_increasing


def test_the_chart_has_a_bar_for_each_run(ran: tuple[dict[str, Any], list[Any]]) -> None:
    names, shown = ran
    (chart,) = [each for each in shown if "Cost of each run" in str(_html(each))]
    assert _html(chart).count("linear-gradient") == names["runs"]["cost"].nunique()
    assert all(row in _html(chart) for row in names["runs"].index)


def _html(shown: object) -> str:
    return str(shown._repr_html_()) if hasattr(shown, "_repr_html_") else ""
