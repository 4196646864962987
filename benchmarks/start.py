"""How long the program takes to print its help, and to answer with and without a cache."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.measure import Ratio, against, report, run, workspace

LIMIT = 8.0
#: Target seconds of processor time, with a full and an empty cache.
AIM, COLD_AIM = 0.5, 3
CASES = "id,kind,params,tokens,hardware,n_gpus\n" + "".join(
    f"{n},pretrain,{n}e9,2e10,H100,{8 * n}\n" for n in range(1, 6)
)


def measure(times: int = 15) -> list[Ratio]:
    """The best of several starts of each."""
    ours, python = against(
        lambda: run([sys.executable, "-m", "scalesheet", "--help"]).seconds,
        lambda: run([sys.executable, "-c", "pass"]).seconds,
        times,
    )
    detail = f"{ours * 1e3:.0f} ms against {python * 1e3:.0f} ms, best of {times}"
    start = Ratio("scalesheet --help / python -c pass", ours / python, LIMIT, detail)
    with workspace() as folder:
        return [start, *_commands(folder)]


def _commands(folder: Path) -> list[Ratio]:
    """Commands on the shipped book, each repeated once the cache is filled."""
    (folder / "five.csv").write_text(CASES, "utf-8")
    program = [sys.executable, "-m", "scalesheet"]
    cold = run([*program, "check"], cache=folder / "cache").seconds
    result = [Ratio("seconds of check, nothing kept", cold, None, f"aim {COLD_AIM}; once")]
    for command in (
        ["check"],
        ["show", "pixelis"],
        ["predict", "runs", str(folder / "five.csv")],
        ["choose", "llama-3-1-8b", "--tokens", "15e9"],
    ):
        taken = [run([*program, *command], cache=folder / "cache").seconds for _ in range(4)]
        name = f"seconds of {command[0]}, everything kept"
        result.append(Ratio(name, min(taken[1:]), None, f"aim {AIM}; best of 3"))
    return result


if __name__ == "__main__":
    raise SystemExit(report("start", measure()))
