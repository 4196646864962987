"""Grids of runs: the number of runs of a phase follows from the values that they vary."""

from __future__ import annotations

from pathlib import Path

import pytest

from scalesheet.evaluate import evaluate
from scalesheet.model import Key, Stated
from small import plan, said

PLAN = """
scalars:
  goodput: {value: 0.5, unit: 1, domain: positive-fraction}
  seeds: {value: 3, unit: 1, domain: count}
phases:
  train:
    title: Train
    class: per_run
    gpus: 2
    hours: 5
    at_once: 4
    times: {ablation: [base, long, clean], seed: seeds, split: 1 + 1}
  report: {title: Report, class: per_seed, after: [train], hours: 1}
"""


def test_a_grid_counts_its_runs(tmp_path: Path) -> None:
    examined = plan(tmp_path, PLAN)
    assert said(examined) == []
    results = examined.results["small"]
    assert results.cell("phases", "train", "times").value == 18
    assert results.cell("phases", "train", "budget").value == 18 * 10
    assert results.cell("phases", "train", "end").value == 10 * 5  # five rounds of ten hours
    assert results.cell("phases", "report", "times").value == 3
    assert [cell.value for cell in results.tables["train.ablation"]["runs"]] == [6, 6, 6]
    assert results.scalars["train.ablation.total.runs"].value == 18


def test_another_number_of_seeds_changes_the_grid(tmp_path: Path) -> None:
    examined = plan(tmp_path, PLAN)
    assert examined.book is not None
    inputs = {Key("seeds"): Stated(5.0, 5.0, 5.0)}
    moved = evaluate(examined.book, examined.book.plans["small"], inputs)
    assert moved.cell("phases", "train", "times").value == 30


def test_one_more_line_in_the_list_is_one_more_run(tmp_path: Path) -> None:
    longer = plan(tmp_path, PLAN.replace("clean]", "clean, small]"))
    assert longer.results["small"].cell("phases", "train", "times").value == 24


@pytest.mark.parametrize(
    ("grid", "code"),
    [
        ("{seed: seds}", "N001"),
        ("{seed: 3 +}", "F001"),
        ("{ablation: [base, base]}", "S004"),
        ("{seed: 0}", "V002"),
        ("{ablation: []}", "S004"),
    ],
)
def test_an_invalid_grid_is_reported(tmp_path: Path, grid: str, code: str) -> None:
    text = PLAN.replace("{ablation: [base, long, clean], seed: seeds, split: 1 + 1}", grid)
    assert [line.split()[0] for line in said(plan(tmp_path, text))] == [code]
