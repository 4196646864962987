"""Evaluating a table of a million rows, compared with numpy computing the same columns directly.

No data folder has a table of that size (a file has at most 5 MB), so a small plan is resolved and
its table is then given a million rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import Ratio, against, report, timed, workspace
from benchmarks.synthetic import COLUMNS, lay
from scalesheet.evaluate import evaluate
from scalesheet.examine import compile_book
from scalesheet.model import Plan, Stated
from scalesheet.values import Results

ROWS = 1_000_000


def measure(rows: int = ROWS, times: int = 3) -> list[Ratio]:
    """Compute all columns and totals of the synthetic plan, with three ends for ranged columns."""
    with workspace() as folder:
        book = compile_book(lay(folder, plans=1, rows=2))
    plan, steps = widened(next(iter(book.plans.values())), rows)
    alike(evaluate(book, plan), by_hand(steps))
    ours, numpy = against(
        lambda: timed(lambda: evaluate(book, plan)), lambda: timed(lambda: by_hand(steps)), times
    )
    detail = (
        f"{rows / ours:,.0f} rows/s against {rows / numpy:,.0f} rows/s, "
        f"{len(COLUMNS)} columns, best of {times}"
    )
    return [Ratio(f"evaluate / numpy by hand, {rows:,} rows", ours / numpy, None, detail)]


def widened(plan: Plan, rows: int) -> tuple[Plan, NDArray[np.float64]]:
    """The plan with this many rows in its table, and their steps."""
    steps = np.arange(rows, dtype=np.float64) % 9973 + 1
    table = plan.tables["runs"]
    ids = tuple(f"r{row}" for row in range(rows))
    cells = {id: Stated(step, step, step) for id, step in zip(ids, steps.tolist(), strict=True)}
    columns = {**table.columns, "steps": replace(table.columns["steps"], stated=cells)}
    wide = replace(table, rows=ids, row_titles=ids, columns=columns)
    return replace(plan, tables={**plan.tables, "runs": wide}), steps


def by_hand(steps: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """The synthetic plan's columns in plain numpy, (low, expected, high) by row."""
    speed = np.array([[2200.0], [2000.0], [1800.0]])
    checkpoints = np.ceil(steps / 100.0)
    hours = steps / speed
    gpu_hours = hours * 8.0
    made: dict[str, NDArray[np.float64]] = {
        "tokens": steps * 4096.0,
        "share": steps / (steps + 50.0),
        "checkpoints": checkpoints,
        "stored": checkpoints * 3.0 * 1e9,
        "hours": hours,
        "gpu_hours": gpu_hours,
        "cost": gpu_hours * 1.25,
        "energy": gpu_hours * 0.4,
    }
    for name in ("gpu_hours", "cost"):
        made[f"total {name}"] = made[name].sum(axis=1)
    made["total steps"] = steps.sum()
    return made


def alike(ours: Results, other: dict[str, NDArray[Any]]) -> None:
    """Make sure that both compute the same, or the comparison would mean nothing."""
    for name in COLUMNS:
        series = ours.tables["runs"][name]
        expected = other[name] if other[name].ndim == 1 else other[name][1]
        np.testing.assert_allclose(series.value, expected, rtol=1e-12)
        if series.low is not None:
            np.testing.assert_allclose(series.low, other[name][0], rtol=1e-12)


if __name__ == "__main__":
    raise SystemExit(report("evaluate", measure()))
