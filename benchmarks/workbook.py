"""Rendering a workbook, compared with XlsxWriter writing the same cells with the same formats.

The cells that the renderer writes are recorded, and written again by a plain loop over the list:
the same texts, numbers, formulas and stored values, with formats of the same properties. Everything
else in rendering (layout, names, printing of formulas, widths, validation) counts as ours.

First comes a table of facts about each workbook: its size, and the wall-clock time that LibreOffice
takes to open it and recalculate every formula.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import xlsxwriter
from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from benchmarks.measure import ROOT, Ratio, against, report, timed, workspace
from benchmarks.synthetic import lay
from scalesheet.examine import sound_edition
from scalesheet.pull.sheets import read_workbook
from scalesheet.render.workbook.canvas import PlainSheet
from scalesheet.render.workbook.write import write_workbook

LIMIT = 1.5  # the goal is 1.2
LARGEST, SLOWEST = 500, 5  # kB of a file, seconds to open it
ROWS = 3_000
WRITES = (
    "write_string",
    "write_number",
    "write_formula",
    "write_blank",
    "write_url",
    "write_array_formula",
)


@dataclass
class Recording:
    """What was written: formats in order, and each cell.

    A cell is its sheet, the method, and the method's arguments before, at and after the format.
    """

    formats: list[dict[str, Any]] = field(default_factory=list)
    sheets: list[str] = field(default_factory=list)
    cells: list[tuple[int, str, tuple[Any, ...], int, tuple[Any, ...]]] = field(
        default_factory=list
    )


@dataclass(frozen=True)
class Facts:
    """A workbook: bytes, lengths of its formulas, median seconds to open, printed pages.

    Only a plan's own part prints, so these are all pages.
    """

    plan: str
    size: int
    sheets: int
    cells: int
    lengths: Sequence[int]
    seconds: float
    pages: int

    def __str__(self) -> str:
        """A line of the table."""
        usual, longest = self.lengths[len(self.lengths) * 95 // 100], self.lengths[-1]
        file = f"`{self.plan}` | {self.size / 1000:.0f} | {self.sheets} | {self.cells:,}"
        formulas = f"{len(self.lengths):,} | {usual} | {longest}"
        return f"| {file} | {formulas} | {self.seconds:.1f} | {self.pages} |"


HEADINGS = ("workbook", "kB", "sheets", "cells", "formulas", "95 % of formulas", "longest formula")
HEADINGS += ("s to open", "printed pages")


def facts(times: int = 3) -> list[Facts]:
    """Measure the workbook of each plan, opened in one LibreOffice; empty without it."""
    from tests.proof.office import Office, missing

    if missing():
        return []
    edition, _ = sound_edition(ROOT / "data")
    found = []
    with workspace() as folder, Office() as office:
        office.check_recalculates(folder)  # also warms it up
        for plan in edition.book.plans.values():
            report = write_workbook(edition, plan, folder / f"{plan.id}.xlsx")
            sheets = read_workbook(report.path).sheets.values()
            texts = [c.formula for s in sheets for c in s.cells.values() if c.formula is not None]
            seconds = []
            for _ in range(times):
                start = time.perf_counter()
                with office.open(report.path, protected=True) as opened:
                    seconds.append(time.perf_counter() - start)
                    printed = opened.to_pdf(folder / f"{plan.id}.pdf").read_bytes()
            found.append(
                Facts(
                    plan.id,
                    report.path.stat().st_size,
                    len(report.sheets),
                    report.cells,
                    sorted(map(len, texts)),
                    median(seconds),
                    len(re.findall(rb"/Type\s*/Page\b", printed)),
                )
            )
    return found


def tabulate(found: Sequence[Facts]) -> Iterator[Ratio]:
    """Print the table; yield goals for the largest and the slowest."""
    if not found:
        return
    print(f"| {' | '.join(HEADINGS)} |\n|{'---|' * len(HEADINGS)}", *found, sep="\n")
    largest, slowest = max(found, key=lambda f: f.size), max(found, key=lambda f: f.seconds)
    yield Ratio("kB of the largest workbook", largest.size / 1000, LARGEST, largest.plan)
    yield Ratio("seconds to open the slowest", slowest.seconds, SLOWEST, slowest.plan)


def measure(times: int = 5) -> list[Ratio]:
    """Measure the first plan of the book, and one with many rows."""
    with workspace() as folder:
        data = {"the book's plan": ROOT / "data", f"{ROWS:,} rows": lay(folder, plans=1, rows=ROWS)}
        return [
            ratio
            for name, where in data.items()
            for ratio in _ratios(name, where, folder / "a.xlsx", times)
        ]


def _ratios(name: str, data: Path, out: Path, times: int) -> Iterator[Ratio]:
    """Compare with the library as it is, and without its search of formulas for newer functions.

    Our renderer also skips that search.
    """
    edition, _ = sound_edition(data)
    plan = next(iter(edition.book.plans.values()))
    assert edition.results  # computed before the clock runs, and so are the next two
    assert edition.sensitivities
    assert edition.hash

    def render() -> None:
        write_workbook(edition, plan, out)

    recording = record(render)
    for other, kind, limit in (
        ("XlsxWriter", None, LIMIT),
        ("XlsxWriter without its search", PlainSheet, None),
    ):
        ours, plain = against(
            lambda: timed(render),
            lambda kind=kind: timed(lambda: replay(recording, out, kind)),
            times,
        )
        cells = f"{len(recording.cells):,} cells"
        detail = f"{cells}: {ours:.2f} s against {plain:.2f} s, best of {times}"
        yield Ratio(f"rendering / {other}, {name}", ours / plain, limit, detail)


def record(render: Callable[[], None]) -> Recording:
    """Render once and record each cell."""
    recording = Recording()
    with _watched(recording):
        render()
    return recording


@contextmanager
def _watched(recording: Recording) -> Iterator[None]:
    kept = {name: getattr(Worksheet, name) for name in WRITES}
    add_format, add_worksheet = Workbook.add_format, Workbook.add_worksheet
    numbers: dict[int, int] = {}  # by the id() of a format; the book keeps formats alive
    inside = 0

    def formats(self: Workbook, properties: dict[str, Any] | None = None) -> Any:
        made = add_format(self, properties)
        if {"xf_index", "hyperlink"} & set(properties or {}):
            return made  # the library's own format, which it will make again by itself
        numbers[id(made)] = len(recording.formats)
        recording.formats.append(dict(properties or {}))
        return made

    def worksheets(self: Workbook, name: str | None = None, kind: Any = None) -> Any:
        made = add_worksheet(self, name, kind)
        recording.sheets.append(made.get_name())
        return made

    def watched(name: str) -> Any:
        def write(self: Worksheet, *given: Any) -> Any:
            nonlocal inside
            if not inside and not isinstance(given[0], str):
                at = next(at for at, each in enumerate(given) if id(each) in numbers)
                number = numbers[id(given[at])]
                recording.cells.append((self.index, name, given[:at], number, given[at + 1 :]))
            inside += 1
            try:
                return kept[name](self, *given)
            finally:
                inside -= 1

        return write

    Workbook.add_format, Workbook.add_worksheet = formats, worksheets
    for name in WRITES:
        setattr(Worksheet, name, watched(name))
    try:
        yield
    finally:
        Workbook.add_format, Workbook.add_worksheet = add_format, add_worksheet
        for name, method in kept.items():
            setattr(Worksheet, name, method)


def replay(recording: Recording, out: Path, kind: type[Worksheet] | None = None) -> None:
    """Write the same cells in a plain loop, as anyone would."""
    with xlsxwriter.Workbook(str(out), {"strings_to_urls": False}) as book:
        formats = [book.add_format(properties) for properties in recording.formats]
        sheets = [book.add_worksheet(name, kind) for name in recording.sheets]
        for sheet, method, before, number, after in recording.cells:
            getattr(sheets[sheet], method)(*before, formats[number], *after)


if __name__ == "__main__":
    raise SystemExit(report("workbook", [*tabulate(facts()), *measure()]))
