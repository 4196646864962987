"""How long the program takes to say what it can: `scalesheet --help` against `python -c pass`."""

from __future__ import annotations

import sys

from benchmarks.measure import Ratio, against, report, run

LIMIT = 8.0


def measure(times: int = 15) -> list[Ratio]:
    """The best of several starts of each."""
    ours, python = against(
        lambda: run([sys.executable, "-m", "scalesheet", "--help"]).seconds,
        lambda: run([sys.executable, "-c", "pass"]).seconds,
        times,
    )
    detail = f"{ours * 1e3:.0f} ms against {python * 1e3:.0f} ms, best of {times}"
    return [Ratio("scalesheet --help / python -c pass", ours / python, LIMIT, detail)]


if __name__ == "__main__":
    raise SystemExit(report("start", measure()))
