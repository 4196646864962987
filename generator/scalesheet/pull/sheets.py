"""The cells of a workbook: value and formula of each in one pass, and the defined names.

openpyxl gives formulas or stored values, and reads the file once for each; here both come from one
reading, by the tags and attributes that Excel, LibreOffice and Google Sheets all write. A shared
formula, as Excel keeps one that was filled down, is written out by openpyxl's translator.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

from scalesheet.language.arithmetic import decimal
from scalesheet.pull.opendocument import as_xlsx
from scalesheet.pull.package import OpenDocumentError, Package, UnreadableError, read_package

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
    """A sheet's cells that hold anything."""

    name: str
    cells: Mapping[Spot, Cell]

    @cached_property
    def turned(self) -> Sheet:
        """The sheet with its rows for columns."""
        return Sheet(self.name, {(column, row): cell for (row, column), cell in self.cells.items()})

    def at(self, row: int, column: int) -> Cell:
        return self.cells.get((row, column), EMPTY)

    def text(self, row: int, column: int) -> str:
        value = self.at(row, column).value
        return value if isinstance(value, str) else ""


@dataclass(frozen=True)
class Workbook:
    """All sheets by name, and what the defined names stand for, by their lower-case form."""

    sheets: Mapping[str, Sheet]
    names: Mapping[str, str]
    foreign: tuple[str, ...] = ()  # sheets that hold no cells: charts, dialogs


def read_workbook(path: Path) -> Workbook:
    """Reads the file. Raises UnreadableError where it may not or cannot be read, or OSError."""
    workbook: Workbook
    try:
        workbook = read_package(path, _read)
    except OpenDocumentError:
        with as_xlsx(path) as converted:
            workbook = read_package(converted, _read)
    return workbook


def address(row: int, column: int) -> str:
    """`D12`."""
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
    """Row and column of `D12` or `$D$12`."""
    match = _PLACE.fullmatch(text)
    return (int(match[2]) - 1, column_of(match[1])) if match else None


# ------------------------------------------------------------------ the parts


@cache
def _local(tag: str) -> str:
    return tag.rpartition(":")[2]


def _read(package: Package) -> Workbook:
    shown, names = _contents(package)
    targets = _targets(package)
    strings = _strings(package) if "xl/sharedStrings.xml" in package.names else []
    sheets: dict[str, Sheet] = {}
    foreign: list[str] = []
    for name, id in shown:
        part = targets.get(id, "")
        if not part.startswith("xl/worksheets/"):
            foreign.append(name)
        else:
            sheets[name] = Sheet(name, _cells(package, part, strings))
    return Workbook(sheets, names, tuple(foreign))


def _contents(package: Package) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """The sheets in order, and the defined names of the whole workbook."""
    sheets: list[tuple[str, str]] = []
    names: dict[str, str] = {}
    name: list[str] = []

    def start(tag: str, given: dict[str, str]) -> None:
        name.clear()
        match _local(tag):
            case "sheet":
                id = next((v for k, v in given.items() if _local(k) == "id" and ":" in k), "")
                sheets.append((given.get("name", ""), id))
            case "definedName" if "localSheetId" not in given:
                name.append(given.get("name", ""))

    def text(message: str) -> None:
        if name:
            names[name[0].casefold()] = names.get(name[0].casefold(), "") + message

    package.parse("xl/workbook.xml", start, lambda tag: name.clear(), text)
    if not sheets:
        raise UnreadableError("W001", "it has no sheets; give the workbook itself")
    return sheets, names


def _targets(package: Package) -> dict[str, str]:
    """Id of a relation -> the part that it leads to."""
    result: dict[str, str] = {}

    def start(tag: str, given: dict[str, str]) -> None:
        if _local(tag) == "Relationship":
            target = given.get("Target", "").replace("\\", "/")
            whole = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
            result[given.get("Id", "")] = whole

    package.parse("xl/_rels/workbook.xml.rels", start, None, None)
    return result


_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


def _plain(text: str) -> str:
    """Text as it is: `_x000D_` stands for a character that XML cannot hold."""
    if "_x" in text:
        text = _ESCAPED.sub(lambda result: chr(int(result[1], 16)), text)
    return text.replace("\r\n", "\n") if "\r" in text else text


def _strings(package: Package) -> list[str]:
    """The shared texts; runs of one text are put together, readings of it left out."""
    result: list[str] = []
    parts: list[str] = []
    inside = [False, False]  # a text, a phonetic reading

    def start(tag: str, given: dict[str, str]) -> None:
        match _local(tag):
            case "si":
                parts.clear()
            case "t":
                inside[0] = True
            case "rPh":
                inside[1] = True

    def end(tag: str) -> None:
        match _local(tag):
            case "si":
                result.append(_plain("".join(parts)))
            case "t":
                inside[0] = False
            case "rPh":
                inside[1] = False

    def text(message: str) -> None:
        if inside[0] and not inside[1]:
            parts.append(message)

    package.parse("xl/sharedStrings.xml", start, end, text)
    return result


class _Reader:
    """Handlers over one sheet: cells in `found`."""

    def __init__(self, strings: list[str]) -> None:
        self.strings = strings
        self.found: dict[Spot, Cell] = {}
        self.row = self.column = -1
        self.kind = ""
        self.shared: dict[str, tuple[str, str]] = {}  # index -> where it stands, the formula
        self.group: str | None = None
        self.parts: list[str] = []
        self.taking = False
        self.formula: str | None = None
        self.value: str | None = None
        self.inline: list[str] = []

    def start(self, tag: str, given: dict[str, str]) -> None:
        tag = _local(tag)
        if tag == "c":
            place = spot(given["r"]) if "r" in given else None
            self.row, self.column = place or (self.row, self.column + 1)
            self.kind = given.get("t", "n")
            self.formula = self.value = self.group = None
            self.inline.clear()
        elif tag in ("v", "t"):
            self.taking = True
            self.parts.clear()
        elif tag == "f":
            self.taking = True
            self.parts.clear()
            self.group = given.get("si") if given.get("t") == "shared" else None
        elif tag == "row":
            self.row = int(given["r"]) - 1 if _digits(given.get("r", "")) else self.row + 1
            self.column = -1

    def text(self, message: str) -> None:
        if self.taking:
            self.parts.append(message)

    def end(self, tag: str) -> None:
        tag = _local(tag)
        if tag == "c":
            self._finish()
        elif tag == "v":
            self.value, self.taking = "".join(self.parts), False
        elif tag == "f":
            self.formula, self.taking = "".join(self.parts), False
            self._share()
        elif tag == "t":
            self.inline.append("".join(self.parts))
            self.taking = False

    def _share(self) -> None:
        if self.group is None:
            return
        here = address(self.row, self.column)
        if self.formula:
            self.shared[self.group] = here, self.formula
        elif self.group in self.shared:
            from openpyxl.formula.translate import Translator

            origin, formula = self.shared[self.group]
            moved = Translator(f"={formula}", origin).translate_formula(here)
            self.formula = moved.removeprefix("=")

    def _finish(self) -> None:
        value: Value = None
        error = None
        text = self.value
        match self.kind:
            case "s" if text is not None:
                at = int(text) if _digits(text) else -1
                if not 0 <= at < len(self.strings):
                    raise UnreadableError("W001", "a text of it is lost; save it anew")
                value = self.strings[at]
            case "inlineStr":
                value = _plain("".join(self.inline))
            case "str" | "d":
                value = _plain(text or "")
            case "b":
                value = text == "1"
            case "e":
                error = text or "#VALUE!"
            case _ if text:
                try:
                    value = decimal(text.strip())
                except ValueError:
                    raise UnreadableError(
                        "W001", f"{address(self.row, self.column)} holds no number; save it anew"
                    ) from None
        formula = self.formula or None
        if value is not None or formula is not None or error is not None:
            self.found[self.row, self.column] = Cell(value, formula, error)


def _cells(package: Package, part: str, strings: list[str]) -> dict[Spot, Cell]:
    reader = _Reader(strings)
    package.parse(part, reader.start, reader.end, reader.text)
    return reader.found


def _digits(text: str) -> bool:
    """Whether a text is a whole number; other digits than 0-9 are none here."""
    return text.isascii() and text.isdigit()
