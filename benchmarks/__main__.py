"""Runs all benchmarks, each in a process of its own, two at a time: `python -m benchmarks`.

They measure processor time, and both sides of a ratio run under the same load.
"""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from benchmarks.measure import ROOT

#: The slowest first, so that the two processes finish at about the same time.
MODULES = (
    "growth",
    "files",
    "pull",
    "site",
    "diff",
    "predict",
    "workbook",
    "whatif",
    "evaluate",
    "sure",
    "start",
)


def main() -> int:
    with ThreadPoolExecutor(2) as pool:
        return max([_status(done) for done in pool.map(_run, MODULES)])


def _run(module: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", f"benchmarks.{module}"]
    return subprocess.run(command, cwd=ROOT, check=False, text=True, stdout=subprocess.PIPE)


def _status(done: subprocess.CompletedProcess[str]) -> int:
    """Print the output of a benchmark, in their order."""
    print(done.stdout, end="", flush=True)
    return done.returncode


if __name__ == "__main__":
    raise SystemExit(main())
