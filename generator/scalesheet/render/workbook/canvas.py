"""A sheet to write on: only text, numbers and formulas, with every refusal reported as a problem.

XlsxWriter warns or returns a negative code when a limit is broken, and goes on. Here each case is
added to `Tally.problems`, so that a build cannot ignore it.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from itertools import pairwise
from textwrap import wrap
from typing import Any

from xlsxwriter.format import Format as CellFormat
from xlsxwriter.utility import xl_rowcol_to_cell
from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from scalesheet.frozen import dataclass
from scalesheet.model import Position
from scalesheet.render.workbook.formats import LOOKS, SEEN_EMPTY, WRAPPING, Formats, Role
from scalesheet.render.workbook.paper import set_paper

LONGEST_FORMULA = 8_192
LONGEST_URL = 2_079
DEFAULT_WIDTH, DEFAULT_HEIGHT = 8.43, 15.0
TALLEST = 400.0
#: What users may do on a protected sheet.
ALLOWED = (
    *("format_cells", "format_columns", "format_rows", "insert_rows", "insert_columns"),
    *("insert_hyperlinks", "sort", "autofilter", "pivot_tables"),
)
CHARACTERS_PER_WIDTH = 1.2  # in our font at 10 points, per unit of column width


@dataclass(frozen=True, slots=True)
class Problem:
    """Something a spreadsheet would not accept, and the place in the data that caused it."""

    message: str
    position: Position | None = None


@dataclass
class Tally:
    """What was written to a workbook: counts and problems."""

    cells: int = 0
    formulas: int = 0
    problems: list[Problem] = field(default_factory=list)

    def report(self, message: str, position: Position | None = None) -> None:
        self.problems.append(Problem(message, position))

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Turn XlsxWriter's warnings into problems."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        for warning in caught:
            self.report(str(warning.message))

    def check(self, code: object, what: str) -> None:
        """Turn a negative return code into a problem."""
        if isinstance(code, int) and code < 0:
            self.report(f"{what}: not written (code {code})")


class PlainSheet(Worksheet):  # type: ignore[misc]  # XlsxWriter has no types: a class of Any
    """A worksheet that writes formulas unchanged, and every digit of a number.

    XlsxWriter searches each formula, including its strings, for thirty functions newer than Excel
    2010. Ours use none, and the search takes a third of the time. It writes numbers with 16 digits;
    one in four needs 17. It writes a column's formula in every row, though the format lets rows
    share one: a third of the file.
    """

    def __init__(self) -> None:
        super().__init__()
        self._shared: dict[tuple[int, int], tuple[int, str]] = {}
        self._groups = 0

    def _calculate_spans(self) -> None:
        """Leave out the columns in use of each row, a hint that no program needs."""

    def shares(self, row: int, column: int) -> bool:
        """Whether the cell shares its formula."""
        return (row, column) in self._shared

    def share(self, cells: Sequence[tuple[int, int]]) -> None:
        """Share one formula among cells; it must be the same relative to each, the top left one
        first."""
        ends = (xl_rowcol_to_cell(*cell) for cell in (cells[0], cells[-1]))
        self._shared[cells[0]] = self._groups, f' ref="{":".join(ends)}"'
        self._shared |= dict.fromkeys(cells[1:], (self._groups, ""))
        self._groups += 1

    def _write_cell(self, row: int, col: int, cell: Any) -> None:
        self._group = self._shared.get((row, col))
        super()._write_cell(row, col, cell)

    def _xml_formula_element(
        self, formula: str, result: object, attributes: Iterable[tuple[str, Any]] = ()
    ) -> None:
        if isinstance(result, float):
            result = repr(result).removesuffix(".0")
        if self._group is None:
            super()._xml_formula_element(formula, result, attributes)
            return
        number, ref = self._group
        text = "".join(f' {key}="{self._escape_attributes(value)}"' for key, value in attributes)
        own = f">{self._escape_data(formula)}</f>" if ref else "/>"
        value = self._escape_data(result)
        self.fh.write(f'<c{text}><f t="shared"{ref} si="{number}"{own}<v>{value}</v></c>')

    def _prepare_formula(self, formula: str, expand_future_functions: bool = False) -> str:
        return formula.removeprefix("{").removesuffix("}").removeprefix("=")

    def _xml_number_element(
        self, number: float, attributes: Iterable[tuple[str, Any]] = ()
    ) -> None:
        text = "".join(f' {key}="{self._escape_attributes(value)}"' for key, value in attributes)
        self.fh.write(f"<c{text}><v>{repr(float(number)).removesuffix('.0')}</v></c>")


class PlainBook(Workbook):  # type: ignore[misc]  # as above
    """A workbook whose properties do not list the defined names a second time."""

    def _extract_named_ranges(self, defined_names: object) -> list[str]:
        return []


#: A cell in a formula: what precedes it, its column, and the row with its `$`, if any.
_CELL = re.compile(r"(?<![\w.$])(\$?[A-Z]{1,3})(\$?)(\d+)(?![\w.(])")
_SHEET = re.compile(r"'(?:[^']|'')*'")
FEWEST = 2  # cells that share a formula


def _from(row: int, formula: str) -> str:
    """A formula with the rows of its cells relative to its own. A text or the name of a sheet that
    looks like a cell keeps it apart."""
    if any(_CELL.search(text) for text in (*_TEXT.findall(formula), *_SHEET.findall(formula))):
        return f"{row}:{formula}"
    return _CELL.sub(
        lambda cell: cell[0] if cell[2] else f"{cell[1]}[{int(cell[3]) - row}]", formula
    )


_TEXT = re.compile(r'"(?:[^"]|"")*"')
_CALL = re.compile(r"(?<=[A-Z])\(")


def _uncalled(text: re.Match[str]) -> str:
    """Split a string so that XlsxWriter cannot see a call in it: `"SORT(x)"` as `"SORT"&"(x)"`."""
    return _CALL.sub('"&"(', text[0])


class Canvas:
    """One worksheet with its formats and the workbook's tally. Rows and columns count from 0."""

    def __init__(self, book: Workbook, sheet: Worksheet, formats: Formats, tally: Tally) -> None:
        self.book = book
        self.sheet = sheet
        self.name = sheet.get_name()
        self.formats = formats
        self.tally = tally
        self._widths: dict[int, float] = {}
        self._heights: dict[int, float] = {}
        self._levels: dict[int, int] = {}
        self.formulas: list[str] = []
        self._alike: dict[tuple[int, str], list[tuple[int, int]]] = {}
        self._end: tuple[int, int] | None = None

    def _wrote(self, code: int, row: int, column: int, what: str = "cell") -> None:
        self.tally.cells += 1
        if code:
            where = f"{self.name}!{xl_rowcol_to_cell(row, column)}"
            self.tally.report(f"{where}: the {what} was not written (code {code})")

    def text(self, row: int, column: int, text: str, role: Role = "text") -> None:
        """Write text literally. Empty text becomes a blank cell if that is visible or editable,
        else nothing."""
        if not text:
            if role in SEEN_EMPTY:
                self.sheet.write_blank(row, column, None, self.formats(role))
            return
        code = self.sheet.write_string(row, column, text, self.formats(role))
        self._wrote(code, row, column, "text")
        if role in WRAPPING:
            self.fit(row, column, column, text, role)

    def number(
        self, row: int, column: int, value: float, role: Role = "number", fmt: str = ""
    ) -> None:
        code = self.sheet.write_number(row, column, value, self.formats(role, fmt))
        self._wrote(code, row, column, "number")

    def formula(
        self,
        row: int,
        column: int,
        formula: str,
        stored: float | str,
        role: Role = "number",
        fmt: str = "",
        array: bool = False,
    ) -> None:
        """Write a formula, without its `=`, and its value."""
        self.put_formula(row, column, formula, stored, self.formats(role, fmt), array)
        if isinstance(stored, str) and role in WRAPPING:
            self.fit(row, column, column, stored, role)

    def put_formula(
        self,
        row: int,
        column: int,
        formula: str,
        stored: float | str,
        cell_format: CellFormat,
        array: bool,
    ) -> None:
        """`formula` with a ready format, for columns of many rows."""
        if len(formula) >= LONGEST_FORMULA:
            where = f"{self.name}!{xl_rowcol_to_cell(row, column)}"
            self.tally.report(
                f"{where}: the formula has {len(formula):,} characters, spreadsheets take "
                f"{LONGEST_FORMULA:,}"
            )
            return
        if '"' in formula:
            formula = _TEXT.sub(_uncalled, formula)
        if array:
            code = self.sheet.write_array_formula(
                row, column, row, column, f"{{={formula}}}", cell_format, stored
            )
        else:
            code = self.sheet.write_formula(row, column, f"={formula}", cell_format, stored)
            if not self.sheet.shares(row, column):
                self._alike.setdefault((column, _from(row, formula)), []).append((row, column))
        self.tally.formulas += 1
        self.formulas.append(formula)
        self._wrote(code, row, column, "formula")

    def link(
        self, row: int, column: int, url: str, text: str, role: Role = "link", tip: str = ""
    ) -> None:
        """Write a link to http(s) or into the workbook; anything else stays plain text."""
        if not url.startswith(("https://", "http://", "internal:")) or len(url) > LONGEST_URL:
            self.text(row, column, text, role)
            return
        code = self.sheet.write_url(row, column, url, self.formats(role), text, tip[:255] or None)
        self._wrote(code, row, column, "link")

    def merged(self, row: int, first: int, last: int, text: str, role: Role = "merged") -> None:
        """Write text across several columns of one row."""
        if first == last:
            self.text(row, first, text, role)
            return
        cell_format = self.formats(role)
        code = self.sheet.merge_range(row, first, row, last, "", cell_format)
        self.tally.check(code, f"{self.name}!{xl_rowcol_to_cell(row, first)}")
        if text:
            code = self.sheet.write_string(row, first, text, cell_format)
            self._wrote(code, row, first, "text")
            self.fit(row, first, last, text, role)

    def row_of(self, row: int, texts: tuple[str, ...], role: Role, start: int = 0) -> None:
        """Write texts side by side."""
        for at, text in enumerate(texts):
            self.text(row, start + at, text, role)

    def heads(
        self, row: int, texts: Sequence[str], numbers: Collection[str] = (), flush: int = 1
    ) -> None:
        """Write column headings: `numbers` are aligned right, the first `flush` others have no
        indent.

        A heading extends over the empty ones after it.
        """
        starts = [at for at, text in enumerate(texts) if text]
        for at, end in pairwise([*starts, len(texts)]):
            role: Role = "heading" if at < flush else "heading_text"
            role = "heading_number" if texts[at] in numbers else role
            self.merged(row, at, end - 1, texts[at], role)

    def widths(self, *widths: float, start: int = 0) -> None:
        """Set column widths in characters."""
        for at, width in enumerate(widths, start):
            self.width(width, at, at)

    def width(self, width: float, first: int, last: int) -> None:
        """Set the width of columns from first to last."""
        self._widths |= dict.fromkeys(range(first, last + 1), width)
        self.tally.check(self.sheet.set_column(first, last, width), f"{self.name}: width")

    def fit(self, row: int, first: int, last: int, text: str, role: Role) -> None:
        """Make the row high enough for a text that wraps in the columns from first to last."""
        size = LOOKS[role].get("font_size", 10)
        room = sum(self._widths.get(at, DEFAULT_WIDTH) for at in range(first, last + 1))
        bold = 0.9 if LOOKS[role].get("bold") else 1.0
        per_line = max(1, int((room - 1) * CHARACTERS_PER_WIDTH * bold * 10 / size))
        if len(text) <= per_line:
            return
        lines = len(wrap(text, per_line))
        self._heights[row] = max(self._heights.get(row, 0.0), 1.5 + lines * size * 1.26)

    def stress(self, first: int, last: int, column: int, word: str, role: Role = "alarm") -> None:
        """Emphasize cells of a column that have this word."""
        when = {"type": "cell", "criteria": "==", "value": f'"{word}"'}
        options = when | {"format": self.formats(role)}
        code = self.sheet.conditional_format(first, column, last, column, options)
        self.tally.check(code, f"{self.name}: conditional format")

    def fold(self, row: int, level: int) -> None:
        """Fold a row under the one above it with a lower level."""
        self._levels[row] = level

    def height(self, row: int, points: float) -> None:
        """Set a row's height, if its text does not determine it."""
        self._heights[row] = points

    def print_to(self, row: int, column: int) -> None:
        """Set the last row and column that print."""
        self._end = row, column
        code = self.sheet.print_area(0, 0, row, column)
        self.tally.check(code, f"{self.name}: print area")

    def print_nothing(self) -> None:
        """Print nothing: the print area is one empty cell."""
        right = (self.sheet.dim_colmax or 0) + 2
        code = self.sheet.print_area(0, right, 0, right)
        self.tally.check(code, f"{self.name}: print area")

    def protect(self) -> None:
        """Lock cells with formulas, without a password, against accidental edits.

        Users can still insert rows, change formats, and edit cells of unlocked roles.
        """
        self.sheet.protect("", dict.fromkeys(ALLOWED, True))

    def set_rows(self) -> None:
        """Set the heights of rows with wrapped text, which not every program computes, and the
        folding."""
        for row in sorted(self._heights | self._levels):
            height = min(self._heights[row], TALLEST) if row in self._heights else None
            self.sheet.set_row(row, height, None, {"level": self._levels.get(row, 0)})
        if self._levels:
            self.sheet.outline_settings(symbols_below=False)

    def finish(self, *, prints: bool) -> None:
        """Set the rows, and how the sheet prints, if it does."""
        self.set_rows()
        for cells in self._alike.values():
            if len(cells) >= FEWEST:
                self.sheet.share(sorted(cells))
        last, right = self._end or (self.sheet.dim_rowmax or 0, self.sheet.dim_colmax or 0)
        widths = [self._widths.get(at, DEFAULT_WIDTH) for at in range(right + 1)]
        heights = [self._heights.get(row, DEFAULT_HEIGHT) for row in range(last + 1)]
        if not prints or not set_paper(self.sheet, widths, heights):
            self.print_nothing()
