"""`scalesheet pull` of the largest edited workbook, compared with LibreOffice opening it.

Also its reading of cells, compared with openpyxl reading formulas and values in two passes.
LibreOffice opens the file and writes its first sheet as CSV, which takes next to no time; its
profile exists before the first measured run. Both are whole processes.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import openpyxl

from benchmarks.measure import Ratio, against, report, run, timed, workspace
from scalesheet.pull.sheets import read_workbook

LIMIT = 0.7
READER_LIMIT = 0.9  # above that, reading both in one pass would not be worth the code
OFFICE = ("soffice", "libreoffice")


def measure(times: int = 3) -> list[Ratio]:
    """Time both as processes, including startup; empty without LibreOffice."""
    office = next((found for name in OFFICE if (found := shutil.which(name))), None)
    if office is None:
        return []
    with workspace() as folder:
        # the built book is in the cache, so pull reads only the edits
        cache = folder / "cache"
        scalesheet = [sys.executable, "-m", "scalesheet"]
        run([*scalesheet, "build", "--no-site", "--out", folder / "built"], cache=cache)
        largest = max((folder / "built" / "workbooks").glob("*.xlsx"), key=_size)
        # each run has edits that no earlier run has seen
        edited = [_edited(largest, folder / f"{n}.xlsx", 0.9 - n / 100) for n in range(times + 1)]
        profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
        opened: list[str | Path] = [
            *(office, profile, "--headless", "--convert-to", "csv", "--outdir", folder / "csv"),
            edited[0],
        ]
        subprocess.run(opened, check=True, capture_output=True)

        def pulled() -> float:
            result = run([*scalesheet, "pull", "--dry-run", edited.pop()], cache=cache)
            assert "3 changes of 1 file" in result.said
            return result.seconds

        pulled()
        ours, theirs = against(pulled, lambda: _used(opened), times)
        size = f"{largest.name}, {_size(largest) / 1e6:.1f} MB"
        detail = f"{size}: {ours:.2f} s against {theirs:.2f} s, best of {times}"
        reader, other = against(
            lambda: timed(lambda: read_workbook(largest)),
            lambda: timed(lambda: _by_openpyxl(largest)),
            times,
        )
        read = f"{size}: {reader:.2f} s against {other:.2f} s, best of {times}"
        return [
            Ratio("pull / LibreOffice opening", ours / theirs, LIMIT, detail),
            Ratio("reading a workbook / openpyxl", reader / other, READER_LIMIT, read),
        ]


def _by_openpyxl(path: Path) -> int:
    """Read what pull needs of each cell: its formula and its value, in one pass each."""
    found = 0
    for values in (False, True):
        book = openpyxl.load_workbook(path, read_only=True, data_only=values)
        found += sum(cell is not None for sheet in book for row in sheet.values for cell in row)
    return found


def _used(command: list[str | Path]) -> float:
    """Processor time, including the processes that LibreOffice starts."""
    return run(["/bin/sh", "-c", '"$@"', "sh", *command]).seconds


def _size(path: Path) -> int:
    return path.stat().st_size


def _edited(path: Path, out: Path, factor: float) -> Path:
    """Multiply three assumptions on Inputs by a factor."""
    book = openpyxl.load_workbook(path)
    sheet = book["Inputs"]
    kind = next(cell.column for cell in sheet[4] if cell.value == "Kind")
    rows = range(5, sheet.max_row + 1)
    exact = [row for row in rows if sheet.cell(row, 3).value is None]
    numbers = [row for row in exact if isinstance(sheet.cell(row, 4).value, int | float)]
    guesses = [row for row in numbers if sheet.cell(row, kind).value == "assumption"]
    for row in guesses[:3]:
        sheet.cell(row, 4).value *= factor
    book.save(out)
    return out


if __name__ == "__main__":
    raise SystemExit(report("pull", measure()))
