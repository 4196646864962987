"""A small book with its workbook, and edits of the workbook as saved by another program.

openpyxl saves no computed values, only formulas, which is the hardest case.
"""

from __future__ import annotations

import difflib
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openpyxl
from openpyxl.workbook import Workbook

from scalesheet.build import build
from scalesheet.pull import Pulled, read
from scalesheet.pull.model import Finding
from scalesheet.render.workbook.scalars import IN_USE_HEADINGS, NUMBERS
from small import HEAD, lay

PLAN = (
    HEAD
    + """\
scenarios: [corrected, written]
headline: [cost]
# what the runs rest on
scalars:
  steps_per_hour: {value: 2_000, low: 1_800, high: 2_200, unit: step / hour, domain: positive}
  batch:            # of one card
    value: 16
    unit: 1         # a pure number
    kind: decision
    note: >-
      A note that is folded over
      two lines.
  wait: {low: 2, high: 4, unit: minute}
  gpu: {ref: hardware, value: card}
  mode: {words: [fast, slow], value: fast}
  twice: {flag: yes, value: no}
  left: {value: 5, unit: GB, written: {value: 7}}
  price: {value: 1.25, unit: USD / (GPU * hour), kind: published, source: a-vendor}
  rest: {unit: hour, formula: wait + runs.total.hours}
  cost: {unit: USD, formula: "runs.total.hours * price * one"}   # in all
  one: {value: 1, unit: GPU}
  room: {unit: 1, formula: "weight_memory(params=1e9 * each, bytes_per_param=width) / gpu.memory"}
  width: {value: 2, unit: byte / parameter}
  each: {value: 1, unit: parameter}
  fits: {flag: yes, formula: room <= 0.5 and not twice}
tables:
  runs:
    title: Runs
    columns:
      steps: {unit: step, domain: count}
      peak: {unit: GB, kind: measured}
      by: {text: yes}
      hours: {unit: hour, formula: steps / steps_per_hour}
    rows:
      # the first ones
      s1k: {title: 1 000 steps, steps: 1_000, peak: 3.5}
      s10k: {title: 10 000 steps, steps: {value: 10_000, note: the long one}, peak: {reason: lost}}
      last:
        steps: 500
        peak: 2       # a guess
        by: hand
    total: [hours]
"""
)
FILES = {"plans/small/plan.yaml": PLAN, "plans/small/page.md": "# A plan\n"}

Change = Callable[[Workbook], object]


@dataclass(frozen=True)
class Shipped:
    """A data folder and the workbook that was built from it."""

    data: Path
    workbook: Path
    name: str = "small"

    @property
    def plan(self) -> Path:
        return self.data / "plans" / self.name / "plan.yaml"

    def edited(self, cells: Mapping[str, Any], *more: Change, name: str = "edited.xlsx") -> Path:
        """Save the workbook with other cell contents; return its path.

        A cell is given as `Inputs!D9`, as the name of a scalar, or as `runs['s1k'].steps`; the
        latter two may end with ` low` or ` high`.
        """
        book = openpyxl.load_workbook(self.workbook)
        for place, value in cells.items():
            cell(book, place).value = value
        for change in more:
            change(book)
        path = self.data.parent / name
        book.save(path)
        return path

    def pull(self, cells: Mapping[str, Any], *more: Change) -> Pulled:
        return read(self.data, self.edited(cells, *more))


def ship(folder: Path, files: Mapping[str, str] = FILES, plan: str = "small") -> Shipped:
    data = lay(folder, files)
    build(data, folder / "build", site=False)
    return Shipped(data, folder / "build" / "workbooks" / f"{plan}.xlsx", plan)


def cell(book: Workbook, place: str) -> Any:
    """A cell by its address or by the name of its content."""
    place, _, end = place.partition(" ")
    if "!" in place:
        sheet, at = place.split("!")
        return book[sheet][at]
    if "[" not in place:
        text = f"{place.replace('.', '_')}{f'_{end}' if end else ''}"
        sheet, at = book.defined_names[text].attr_text.split("!")
        found = book[sheet.strip("'")][at]
        # the name of an input refers to the value in use, at the end of its row
        return _typed(book, found) if sheet == "Inputs" else found
    table, row, column = place.replace("['", "|").replace("'].", "|").split("|")
    wanted = f"{column}_{end}" if end else column
    for sheet in book:  # a table of cases has its ids in a row
        ids = next((c.row for c in sheet["C"] if c.value == table and c.row < 12), None)
        if ids is not None:
            at = next(c.column for c in sheet[ids] if c.value == row)
            return sheet.cell(next(c.row for c in sheet["C"] if c.value == wanted), at)
    sheet = next(s for s in book if any(c.value == table for c in s["B"] if c.row < 12))
    heading = next(c.row for c in sheet["B"] if c.value == table)
    at = next(c.column for c in sheet[heading] if c.value == wanted)
    return sheet.cell(next(c.row for c in sheet["B"] if c.value == row), at)


def _typed(book: Workbook, found: Any) -> Any:
    """The yellow cell of an input: in its row, or on the Summary for a choice."""
    sheet = found.parent
    head = sheet.cell(4, found.column).value
    if head in IN_USE_HEADINGS.values():
        found = sheet.cell(found.row, NUMBERS[[*IN_USE_HEADINGS.values()].index(head)] + 1)
    if str(found.value).startswith("=Summary!") and str(found.value).endswith('&""'):
        found = book["Summary"][found.value[len("=Summary!") : -len('&""')]]
    return found


def said(pulled: Pulled) -> list[str]:
    """All errors; fails if a finding lacks its cell or line."""
    assert [each for each in (*pulled.errors, *pulled.left) if not _placed(each)] == []
    assert [each for each in pulled.diagnostics if not pulled.causes.get(each)] == []
    found = [f"{each.code} {each.message}" for each in pulled.errors]
    return found + [f"{d.code} {d.message}" for d in pulled.diagnostics if d.severity == "error"]


def _placed(finding: Finding) -> bool:
    """Whether a message names its cell, and its line if the data has one."""
    cell = re.fullmatch(r".+![A-Z]+[1-9][0-9]*", finding.place) is not None
    if finding.at is not None:
        return cell and finding.at.path.endswith(".yaml")
    match finding.code:
        case "W001" | "W003":  # about a part of the package, if it names one
            return True
        case "W002":  # about a plan that the data lacks
            return cell or "no sheet says" in finding.message
        case "W009":
            return "a separate sheet" in finding.message or (cell and "constant" in finding.message)
    return False


def diff(pulled: Pulled) -> list[str]:
    """The removed lines, then the added lines."""
    gone, come = [], []
    for old, new in pulled.files.values():
        before, after = old.decode().splitlines(), new.decode().splitlines()
        for line in difflib.ndiff(before, after):
            if line[0] in "-+":
                (gone if line[0] == "-" else come).append(line[0] + line[2:])
    return gone + come


def copied(shipped: Shipped, folder: Path) -> Shipped:
    """A writable copy of the data, with the same workbook."""
    shutil.copytree(shipped.data, folder / "data")
    return Shipped(folder / "data", shipped.workbook, shipped.name)
