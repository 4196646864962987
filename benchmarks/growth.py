"""Time and memory of a whole build as the book grows to 8 and 64 times the rows and plans."""

from __future__ import annotations

import re
import sys

from benchmarks.measure import Ratio, Run, report, run, workspace
from benchmarks.synthetic import lay

#: The most that the time per formula cell may grow in a book 64 times as large; 1 is linear growth.
LIMIT = 1.5
TIMES = (1, 8, 64)
ROWS, PLAN_ROWS = 530, 100
HALF_A_MILLION = 500_000  # formula cells in the largest book
MEMORY = 1024.0  # MB
SMALL = 10_000  # rows; smaller runs differ too much to be compared


def measure() -> list[Ratio]:
    """Build without the site, each in a process of its own, for books without a catalogue.

    A catalogue would not grow, and would be part of each workbook.
    """
    by_rows = [built(plans=1, rows=ROWS * times) for times in TIMES]
    by_plans = [built(plans=times, rows=PLAN_ROWS) for times in TIMES]
    return [_linear("rows", by_rows), _linear("plans", by_plans), _memory(by_rows[-1])]


def built(*, plans: int, rows: int) -> Run:
    """Build a synthetic book; the best of three runs if it is small."""
    times = 3 if plans * rows <= SMALL else 1
    with workspace() as folder:
        places = ["--data", str(lay(folder, plans=plans, rows=rows, bare=True)), "--out"]
        build = [sys.executable, "-m", "scalesheet", "build", "--no-site", *places]
        runs = [run([*build, str(folder / f"out-{number}")]) for number in range(times)]
    return min(runs, key=lambda each: each.seconds)


def formulas(done: Run) -> int:
    """The number of live formulas that a build reported."""
    found = re.search(r"([\d,]+) of them live formulas", done.said)
    assert found, done.said
    return int(found[1].replace(",", ""))


def _linear(what: str, runs: list[Run]) -> Ratio:
    """The time per formula cell from 8 to 64 times, compared with that from 1 to 8 times."""
    seconds, cells = [each.seconds for each in runs], [formulas(each) for each in runs]
    first, second = (
        (seconds[at + 1] - seconds[at]) / (cells[at + 1] - cells[at]) for at in range(2)
    )
    taken = ", ".join(f"{s:.2f} s for {c:,}" for s, c in zip(seconds, cells, strict=True))
    detail = f"formula cells of 1, 8 and 64 times: {taken}"
    return Ratio(f"time a formula cell, 64 / 8 times the {what}", second / first, LIMIT, detail)


def _memory(done: Run) -> Ratio:
    cells = formulas(done)
    assert cells >= HALF_A_MILLION, cells
    detail = (
        f"{done.memory:,.0f} MB for {cells:,} formula cells in one workbook, {done.seconds:.0f} s"
    )
    return Ratio("memory / 1 GB, half a million formula cells", done.memory / MEMORY, 1.0, detail)


if __name__ == "__main__":
    raise SystemExit(report("growth", measure()))
