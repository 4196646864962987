"""`scalesheet diff` of two editions of the whole book, compared with `scalesheet build
--no-site`."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from benchmarks.measure import ROOT, Ratio, report, run, workspace

LIMIT = 2.0
PRICE = re.compile(r"(?<=price: )[0-9.]+")


def measure(times: int = 1) -> list[Ratio]:
    """Time both as processes, including startup: for one changed price, and for those of a
    generation.

    The build is the same for both.
    """
    with workspace() as folder:
        one, many = folder / "one", folder / "many"
        rates = sorted(Path("rates", p.name) for p in (ROOT / "data" / "rates").glob("*h100*"))
        for data, changed in ((one, rates[:1]), (many, rates)):
            shutil.copytree(ROOT / "data", data)
            for place in changed:
                _dearer(data / place)
        command = [sys.executable, "-m", "scalesheet"]
        build = [*command, "build", "--no-site", "--out"]
        built = min(run([*build, str(folder / f"out-{at}")]).seconds for at in range(times))
        ratios = []
        for name, data in (("one price", one), (f"{len(rates)} prices", many)):
            diff = [*command, "diff", "data", str(data)]
            ours = min(run(diff).seconds for _ in range(times))
            detail = f"{ours:.2f} s against {built:.2f} s, best of {times}"
            ratios.append(Ratio(f"diff / build --no-site, {name}", ours / built, LIMIT, detail))
    return ratios


def _dearer(path: Path) -> None:
    """Raise the last price by 0.1 %, which no check objects to."""
    text = path.read_text("utf-8")
    found = list(PRICE.finditer(text))
    if found:
        last = found[-1]
        dearer = f"{float(last[0]) * 1.001:.6g}"
        path.write_text(text[: last.start()] + dearer + text[last.end() :], "utf-8")


if __name__ == "__main__":
    raise SystemExit(report("diff", measure()))
