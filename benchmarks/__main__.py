"""All benchmarks, one after the other, each in a process of its own: `python -m benchmarks`."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.measure import ROOT

MODULES = (
    "start",
    "files",
    "workbook",
    "evaluate",
    "sure",
    "predict",
    "diff",
    "pull",
    "whatif",
    "site",
    "growth",
)


def main() -> int:
    commands = [[sys.executable, "-m", f"benchmarks.{module}"] for module in MODULES]
    return max(subprocess.run(command, cwd=ROOT, check=False).returncode for command in commands)


if __name__ == "__main__":
    raise SystemExit(main())
