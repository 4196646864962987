"""Time and memory of a whole build as the book grows: ten and a hundred times rows and plans."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from benchmarks.measure import Ratio, Run, report, run, workspace
from benchmarks.synthetic import lay

#: A hundred times may take so much more than ten times, fixed costs taken off, beyond the tenfold.
LIMIT = 1.5
ROWS, PLAN_ROWS = 200, 100
MILLION_ROWS = 53_000
MEMORY = 2048.0  # MB


def measure() -> list[Ratio]:
    """Builds without site, each a process of its own."""
    by_rows = [built(plans=1, rows=ROWS * times) for times in (1, 10, 100)]
    by_plans = [built(plans=times, rows=PLAN_ROWS) for times in (1, 10, 100)]
    return [_linear("rows", by_rows), _linear("plans", by_plans), _memory()]


def built(*, plans: int, rows: int) -> Run:
    """A build of a synthetic book."""
    with workspace() as folder:
        data = lay(folder, plans=plans, rows=rows)
        out = folder / "out"
        return run([sys.executable, "-m", "scalesheet", "build", "--no-site", *_places(data, out)])


def _places(data: Path, out: Path) -> list[str]:
    return ["--data", str(data), "--out", str(out)]


def formulas(done: Run) -> int:
    """How many live formulas a build said that it wrote."""
    found = re.search(r"([\d,]+) of them live formulas", done.said)
    assert found, done.said
    return int(found[1].replace(",", ""))


def _linear(what: str, runs: list[Run]) -> Ratio:
    one, ten, hundred = (each.seconds for each in runs)
    value = (hundred - one) / (ten - one) / (99 / 9)
    detail = (
        f"{one:.2f}, {ten:.2f} and {hundred:.2f} s for "
        + ", ".join(f"{formulas(each):,}" for each in runs)
        + " formula cells"
    )
    return Ratio(f"100 times the {what} / linear from 10 times", value, LIMIT, detail)


def _memory() -> Ratio:
    done = built(plans=1, rows=MILLION_ROWS)
    cells = formulas(done)
    assert cells >= 1_000_000, cells
    detail = (
        f"{done.memory:,.0f} MB for {cells:,} formula cells in one workbook, {done.seconds:.0f} s"
    )
    return Ratio("memory / 2 GB, a million formula cells", done.memory / MEMORY, 1.0, detail)


if __name__ == "__main__":
    raise SystemExit(report("growth", measure()))
