"""`scalesheet check` as the book grows to 5,000 files: time per file, valid or misspelled."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.measure import ROOT, Ratio, Run, report, run, workspace

#: The most that the time per file may grow from five hundred to five thousand files.
LIMIT = 1.5
SIZES = (50, 500, 5_000)
#: Runs of one size: at most so many, and no more after so many seconds.
TIMES, ENOUGH = 5, 12
MINIMAL = ROOT / "tests" / "invalid" / "minimal"


def _read(*place: str) -> str:
    return MINIMAL.joinpath(*place).read_text("utf-8")


#: Path and text of the file with a number, by kind.
KINDS: Mapping[str, Callable[[int], tuple[str, str]]] = {
    "accelerators": lambda n: (
        f"hardware/h{n}.yaml",
        _read("hardware", "card.yaml").replace("A card", f"Card {n}").replace("aliases:", "#"),
    ),
    "offers": lambda n: (
        f"rates/r{n}.yaml",
        _read("rates", "offer.yaml").replace("one-card", f"card-{n}"),
    ),
    "misspelt offers": lambda n: (
        f"rates/r{n}.yaml",
        _read("rates", "offer.yaml").replace(": card", f": crad{n}"),
    ),
    "models": lambda n: (f"models/m{n}.yaml", _read("models", "tiny.yaml")),
    "formulas": lambda n: (f"formulas/f{n}.yaml", _read("formulas", "weight-memory.yaml")),
    "plans": lambda n: (f"plans/p{n}/plan.yaml", _read("plans", "small", "plan.yaml")),
}


def measure() -> list[Ratio]:
    """Measure each kind separately, on top of the minimal book; checks are processes of their
    own."""
    return [_ratio(kind, [_checked(kind, size) for size in SIZES]) for kind in KINDS]


def _checked(kind: str, size: int) -> Run:
    with workspace() as folder:
        data = folder / "data"
        shutil.copytree(MINIMAL, data)
        for number in range(size):
            place, text = KINDS[kind](number)
            (data / Path(place).parent).mkdir(exist_ok=True)
            (data / place).write_text(text, "utf-8")
        # misspelled files end in status 1, as intended
        code = "import sys; from scalesheet.cli import main; main(sys.argv[1:])"
        command = [sys.executable, "-c", code, "check", "--data", str(data)]
        # a few files take little more than the startup, so use the best of several runs
        found = [run(command)]
        while len(found) < TIMES and sum(each.seconds for each in found) < ENOUGH:
            found.append(run(command))
        return min(found, key=lambda each: each.seconds)


def _ratio(kind: str, runs: list[Run]) -> Ratio:
    """The time per file from 500 to 5,000, compared with that from 50 to 500."""
    first, second = (
        (runs[at + 1].seconds - runs[at].seconds) / (SIZES[at + 1] - SIZES[at]) for at in range(2)
    )
    taken = ", ".join(f"{r.seconds:.2f} s for {n:,}" for r, n in zip(runs, SIZES, strict=True))
    return Ratio(f"time of a file, 5,000 / 500 {kind}", second / first, LIMIT, taken)


if __name__ == "__main__":
    raise SystemExit(report("files", measure()))
