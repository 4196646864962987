"""Seconds of the program for its help, and for answers: at first, again, and after an edit."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from benchmarks.measure import ROOT, Ratio, against, report, run, workspace

LIMIT = 8.0
#: Target seconds of processor time, with a full and an empty cache, and for one plan's output.
AIM, COLD_AIM, BUILD_AIM = 0.5, 3, 5
#: Edits of a file of the book: what is edited, its place, the text and what replaces it.
EDITS = (
    ("a plan's figure", "plans/support-model/plan.yaml", "80_000", "81_000"),
    ("a price", "rates/lambda-1x-h100-pcie.yaml", r"price: [0-9.]+", "price: 3.31"),
    ("a title", "models/llama-3-1-8b.yaml", r"(?m)^title: .*$", r"\g<0> again"),
)
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
        ["show", "support-model"],
        ["predict", "memory", str(folder / "five.csv")],
        ["choose", "llama-3-1-8b", "--tokens", "15e9", "--deadline", "3day"],
    ):
        taken = [run([*program, *command], cache=folder / "cache").seconds for _ in range(4)]
        name = f"seconds of {command[0]}, everything kept"
        result.append(Ratio(name, min(taken[1:]), None, f"aim {AIM}; best of 3"))
    data = shutil.copytree(ROOT / "data", folder / "data")
    for what, place, text, other in EDITS:
        path = data / place
        before = path.read_text("utf-8")
        after, count = re.subn(text, other, before)
        assert count, place
        path.write_text(after, "utf-8")
        taken = [run([*program, "check", "--data", str(data)], cache=folder / "cache").seconds]
        path.write_text(before, "utf-8")
        result.append(Ratio(f"seconds of check, {what} edited", *taken, None, f"aim {AIM}; once"))
    build = [*program, "build", "support-model", "--out", str(folder / "build")]
    taken = [run(build, cache=folder / "cache").seconds]
    result.append(Ratio("seconds of build of a plan", *taken, None, f"aim {BUILD_AIM}; once"))
    return result


if __name__ == "__main__":
    raise SystemExit(report("start", measure()))
