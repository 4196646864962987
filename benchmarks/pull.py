"""`scalesheet pull` of the largest workbook, with edits in it, against LibreOffice opening it.

LibreOffice opens the file and writes its first sheet, About, as CSV, which takes next to nothing;
its profile exists before the first measured run. Both are whole processes.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import openpyxl

from benchmarks.measure import ROOT, Ratio, against, report, run, workspace
from scalesheet.build import build

LIMIT = 1.0
OFFICE = ("soffice", "libreoffice")


def measure(times: int = 3) -> list[Ratio]:
    """Both as processes, start-up included; nothing where there is no LibreOffice."""
    office = next((found for name in OFFICE if (found := shutil.which(name))), None)
    if office is None:
        return []
    with workspace() as folder:
        build(ROOT / "data", folder / "built", site=False)
        largest = max((folder / "built" / "workbooks").glob("*.xlsx"), key=_size)
        edited = _edited(largest, folder / largest.name)
        pull = [sys.executable, "-m", "scalesheet", "pull", "--dry-run", edited]
        profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
        opened: list[str | Path] = [
            *(office, profile, "--headless", "--convert-to", "csv", "--outdir", folder / "csv"),
            edited,
        ]
        subprocess.run(opened, check=True, capture_output=True)
        # what a book was built of is kept, so pull reads the edits and not the book
        cache = folder / "cache"
        assert "3 changes of 1 file" in run(pull, cache=cache).said
        ours, theirs = against(lambda: run(pull, cache=cache).seconds, lambda: _used(opened), times)
        detail = (
            f"{edited.name}, {_size(largest) / 1e6:.1f} MB: {ours:.2f} s against {theirs:.2f} s, "
            f"best of {times}"
        )
        return [Ratio("pull / LibreOffice opening", ours / theirs, LIMIT, detail)]


def _used(command: list[str | Path]) -> float:
    """Processor time; LibreOffice starts others, which count as its own."""
    return run(["/bin/sh", "-c", '"$@"', "sh", *command]).seconds


def _size(path: Path) -> int:
    return path.stat().st_size


def _edited(path: Path, out: Path) -> Path:
    """Three assumptions on Inputs, up by a tenth."""
    book = openpyxl.load_workbook(path)
    sheet = book["Inputs"]
    exact = [row for row in range(6, 90) if sheet.cell(row, 3).value is None]
    numbers = [row for row in exact if isinstance(sheet.cell(row, 4).value, int | float)]
    guesses = [row for row in numbers if sheet.cell(row, 9).value == "assumption"]
    for row in guesses[-3:]:
        sheet.cell(row, 4).value *= 1.1
    book.save(out)
    return out


if __name__ == "__main__":
    raise SystemExit(report("pull", measure()))
