"""Reads the cells of a workbook, with their values and formulas, and the defined names.

openpyxl returns either formulas or stored values. Its sheet parser is extended here to keep both,
which takes about half the time of reading the file twice.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Generator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from scalesheet.foreign import File, parsing, read
from scalesheet.foreign.package import judge, part
from scalesheet.frozen import dataclass
from scalesheet.language.arithmetic import decimal
from scalesheet.load.document import quotable
from scalesheet.pull.opendocument import as_xlsx

Value = float | str | bool | None
Spot = tuple[int, int]  # row and column, from 0


class Cell(NamedTuple):
    """A cell: its value or error, and its formula without `=`."""

    value: Value = None
    formula: str | None = None
    error: str | None = None

    @property
    def blank(self) -> bool:
        return self.formula is None and self.error is None and self.value in (None, "")


EMPTY = Cell()


@dataclass(frozen=True)
class Sheet:
    """The non-empty cells of a sheet."""

    name: str
    cells: Mapping[Spot, Cell]

    @cached_property
    def turned(self) -> Sheet:
        """The sheet with rows and columns exchanged."""
        return Sheet(self.name, {(column, row): cell for (row, column), cell in self.cells.items()})

    def at(self, row: int, column: int) -> Cell:
        return self.cells.get((row, column), EMPTY)

    def text(self, row: int, column: int) -> str:
        value = self.at(row, column).value
        return value if isinstance(value, str) else ""


@dataclass(frozen=True)
class Workbook:
    """All sheets by name, and the meanings of defined names, keyed in lower case."""

    sheets: Mapping[str, Sheet]
    names: Mapping[str, str]
    foreign: tuple[str, ...] = ()  # sheets without cells: charts, dialogs


def read_workbook(path: Path) -> Workbook:
    """Read a workbook. Raises Refused if it is not safe or not readable."""
    file = read(path, "W001")
    if not judge(file):
        file = as_xlsx(file, path)
        judge(file)
    with parsing(file, "an .xlsx workbook"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about styles and extensions, which are ignored
        return _by_openpyxl(file)


def address(row: int, column: int) -> str:
    """An address such as `D12`."""
    text, column = "", column + 1
    while column:
        column, rest = divmod(column - 1, 26)
        text = chr(ord("A") + rest) + text
    return f"{text}{row + 1}"


_PLACE = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")


@cache
def column_of(letters: str) -> int:
    column = 0
    for letter in letters.upper():
        column = column * 26 + ord(letter) - 64
    return column - 1


def spot(text: str) -> Spot | None:
    """Row and column of an address such as `D12` or `$D$12`."""
    match = _PLACE.fullmatch(text)
    return (int(match[2]) - 1, column_of(match[1])) if match else None


# ------------------------------------------------------------------ by openpyxl


def _by_openpyxl(file: File) -> Workbook:
    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(file.content), read_only=True, keep_links=False)
    try:
        sheets = {sheet.title: Sheet(sheet.title, _cells(file, sheet)) for sheet in book.worksheets}
        names = {name.casefold(): each.value for name, each in book.defined_names.items()}
        return Workbook(sheets, names, tuple(sheet.title for sheet in book.chartsheets))
    finally:
        book.close()


def _cells(file: File, sheet: Any) -> dict[Spot, Cell]:
    from openpyxl.worksheet._reader import ROW_TAG, VALUE_TAG, WorkSheetParser
    from openpyxl.xml.functions import iterparse

    class Parser(WorkSheetParser):
        """Keeps the stored value of a formula, and dates as plain numbers. Skips everything but
        cells: validations, formats and links would take as long again."""

        def parse(self) -> Generator[Any, None, None]:
            for _, element in iterparse(self.source):
                if element.tag == ROW_TAG:
                    yield self.parse_row(element)
                    element.clear()

        def parse_cell(self, element: Any) -> Any:
            kind = element.get("t", "n")
            if kind in ("n", "d"):
                element.set("t", "str")  # keep the text, do not create a date
            found = super().parse_cell(element)
            if found["data_type"] == "f":
                found["formula"] = _formula(found["value"])
                found["value"] = element.findtext(VALUE_TAG) or None
            found["data_type"] = kind
            return found

    cells: dict[Spot, Cell] = {}
    with sheet._get_source() as source:
        for _, row in Parser(source, sheet._shared_strings).parse():
            for found in row:
                cell = _cell(file, sheet.title, found)
                if cell != EMPTY:
                    cells[found["row"] - 1, found["column"] - 1] = cell
    return cells


def _cell(file: File, sheet: str, found: Mapping[str, Any]) -> Cell:
    value, formula = found["value"], found.get("formula") or None
    if value is None:
        return Cell(None, formula)
    match found["data_type"]:
        case "e":
            return Cell(None, formula, value)
        case "b":
            return Cell(value in (True, "1"), formula)
        case "n":
            try:
                return Cell(decimal(value.strip()), formula)
            except ValueError:
                place = f"{sheet}!{address(found['row'] - 1, found['column'] - 1)}"
                text = f"it holds {quotable(value)!r}, which is not a number; write a number"
                raise part(file, place).refused(text) from None
    return Cell(_plain(value), formula)


def _formula(value: Any) -> str:
    """An array formula is an object with a text; a data table has none."""
    text = value if isinstance(value, str) else getattr(value, "text", None)
    return (text or "").removeprefix("=")


_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


def _plain(text: str) -> str:
    """Decode text: `_x000D_` stands for a character that XML cannot contain."""
    if "_x" in text:
        text = _ESCAPED.sub(lambda result: chr(int(result[1], 16)), text)
    return text.replace("\r\n", "\n") if "\r" in text else text
