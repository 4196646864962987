"""Where everything is, as data: sheet, row and column of every scalar, cell, key and constant.

`View` implements the formula printer's `Places` as seen from one sheet. Rows and columns count from
0. `layout.py` fills this in; nothing here knows XlsxWriter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cache
from typing import Literal

from scalesheet.defined_names import NameProblem, Names
from scalesheet.frozen import dataclass
from scalesheet.language.syntax import ENDS, End
from scalesheet.render.workbook.chosen import Choice

SheetKind = Literal[
    "summary",
    "about",
    "inputs",
    "units",
    "catalogue",
    "calculation",
    "sensitivity",
    "actuals",
    "results",
    "checks",
    "sources",
    "changes",
]

Triple = tuple[int, int, int]  # the columns of low, value, high; equal where exact
Square = tuple[int, int]  # row and column of a cell

TITLE, KEY = 0, 1  # the first two columns of every list and table
LOW_VALUE_HIGH: Triple = (2, 3, 4)
UNIT = 5
#: On the Summary: the columns of expected, low and high, and the first rows of its blocks.
SUMMARY_VALUE, SUMMARY_LOW, SUMMARY_HIGH = 1, 2, 3
REMARKS = 3  # columns beside a turned table: source, note, formula
NAMES_OF = "Name in formulas"  # heads the row of names of a table and its columns
TITLES_OF = "Title"  # the first cell of a plain table: its own sheet, one row of headings
LINES_OF = "Name of line"  # the same for a turned table
CHECK_VALUE = 2
#: The Checks column with messages.
CHECK_WRONG = 5
TOP = 3  # the first row below a sheet's title and lead
SUMMARY_RESULTS = TOP + 2


def first_choice(figures: int) -> int:
    """The row of the first choice on the Summary, below this many headline figures."""
    return SUMMARY_RESULTS + 2 + figures + 3


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a scalar is: row and column of low, value, high."""

    sheet: str
    cells: tuple[Square, Square, Square]

    @property
    def row(self) -> int:
        return self.cells[1][0]

    def cell(self, end: End) -> Square:
        return self.cells[ENDS.index(end)]

    def at(self, end: End) -> str:
        return absolute(*self.cell(end))


@dataclass(frozen=True, slots=True)
class Group:
    """Scalars listed under one heading: `heading` is its row, the names follow below it."""

    title: str
    heading: int
    scalars: tuple[str, ...]

    def rows(self) -> Iterator[tuple[int, str]]:
        return enumerate(self.scalars, self.heading + 1)

    @property
    def end(self) -> int:
        """The last row."""
        return self.heading + len(self.scalars)


@dataclass(frozen=True, slots=True)
class TablePlace:
    """Where a table is. Its rows are rows of the sheet, or columns if it is `turned`.

    `heading`, `first`, `spacer`, `total` and `counted` are rows of the table; `titles`, `ids`,
    `columns`, `source`, `note` and `used` are columns of it; `at` converts both to a cell. Ranges
    run from `first` to `spacer`, an empty row, both included. Formulas read the columns `used`
    instead of those that people edit.
    """

    name: str
    sheet: str
    caption: int | None  # row of the block's own title
    heading: int  # titles; units and names in the two rows below
    first: int
    spacer: int
    total: int | None
    counted: int | None  # row of "k of m"
    columns: Mapping[str, Triple]
    source: int | None
    note: int | None
    drawing: int | None  # first row of the sheet with the drawn cross table
    end: int  # first free row of the sheet below
    turned: bool = False
    plain: bool = False  # one row of headings, the names, on top of a sheet of its own
    titles: int = TITLE
    ids: int = KEY
    # for a turned table, by sheet row: its headings, and the levels of folded lines
    sections: tuple[tuple[int, str], ...] = ()
    levels: Mapping[int, int] = field(default_factory=dict)
    used: Mapping[str, Triple] = field(default_factory=dict)

    @property
    def names(self) -> int:
        """The row with the names of its columns."""
        return self.heading if self.plain else self.heading + 2

    @property
    def first_row(self) -> int:
        """The first row on the sheet."""
        if self.turned:
            return self.titles
        return self.heading if self.caption is None else self.caption

    @property
    def last_column(self) -> int:
        """The last column on the sheet."""
        if self.turned:
            return (self.counted or self.total or self.spacer) + REMARKS
        right = [max(triple) for triple in self.columns.values()]
        return max([KEY, *right, self.source or 0, self.note or 0])

    def read(self, column: str, end: End) -> int:
        """Where formulas read a column."""
        return self.used.get(column, self.columns[column])[ENDS.index(end)]

    def at(self, row: int, column: int) -> Square:
        """Row and column on the sheet."""
        return (column, row) if self.turned else (row, column)

    def label(self, row: int) -> str:
        """A row of the table as in addresses: `12`, or `D` if it is turned."""
        return letters(row) if self.turned else str(row + 1)

    def own(self, column: int) -> str:
        """The cell of a column in the current row."""
        return f"{ROW}{column + 1}" if self.turned else f"{letters(column)}{ROW}"

    def area(self, column: int) -> str:
        """The range of a column."""
        first, last = self.at(self.first, column), self.at(self.spacer, column)
        return f"{absolute(*first)}:{absolute(*last)}"


@dataclass(frozen=True, slots=True)
class Kept:
    """Where Changes keeps the shipped values of a column: ids, values, and the first value."""

    ids: str
    values: str
    first: str


ConstantKind = Literal["conversion", "default", "arithmetic"]


@dataclass(frozen=True, slots=True)
class ConstantPlace:
    """A named constant on Units: its row, its value with unit, and its kind."""

    row: int
    value: float
    unit: str
    kind: ConstantKind
    meaning: str


@dataclass(frozen=True, slots=True)
class SheetPlan:
    """One sheet: its groups of scalars and its tables, top to bottom.

    `captions`: row, title and note of phases that share the sheet with others.
    """

    name: str
    kind: SheetKind
    title: str
    lead: str = ""
    groups: tuple[Group, ...] = ()
    tables: tuple[str, ...] = ()
    captions: tuple[tuple[int, str, str], ...] = ()


@dataclass(frozen=True)
class Layout:
    """The whole workbook."""

    sheets: tuple[SheetPlan, ...]
    scalars: Mapping[str, Spot]
    tables: Mapping[str, TablePlace]
    constants: Mapping[str, ConstantPlace]
    lists: Mapping[tuple[str, ...], tuple[int, int]]  # words -> first and last row on Inputs
    row_numbers: Mapping[str, Mapping[str, int]]  # table -> id -> number from 0
    names: Names
    problems: tuple[NameProblem, ...] = ()
    choices: tuple[Choice, ...] = ()  # the inputs whose cells are on the Summary

    def has(self, kind: SheetKind) -> bool:
        return any(plan.kind == kind for plan in self.sheets)

    def sheet(self, kind: SheetKind) -> str:
        return next(plan.name for plan in self.sheets if plan.kind == kind)

    def scalar_cell(self, name: str, end: End = "value") -> tuple[str, str]:
        """Sheet and address of a scalar's end: `("Inputs", "D12")`."""
        spot = self.scalars[name]
        return spot.sheet, relative(*spot.cell(end))

    def table_cell(self, table: str, row: str, column: str, end: End = "value") -> tuple[str, str]:
        """Sheet and address of a cell of a table."""
        place = self.tables[table]
        at = place.first + self.row_numbers[table][row]
        return place.sheet, relative(*place.at(at, place.columns[column][ENDS.index(end)]))


# ------------------------------------------------------------------ addresses


@cache
def letters(column: int) -> str:
    """`A`, `Z`, `AA`."""
    text = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        text = chr(ord("A") + rest) + text
    return text


def absolute(row: int, column: int) -> str:
    return f"${letters(column)}${row + 1}"


def relative(row: int, column: int) -> str:
    return f"{letters(column)}{row + 1}"


@cache
def prefix(sheet: str) -> str:
    """`Units!`, `'Stage 2'!`: quoted unless it is clearly a word."""
    if re.fullmatch(r"[A-Za-z_]{4,}", sheet) and sheet.casefold() not in ("true", "false"):
        return f"{sheet}!"
    return "'" + sheet.replace("'", "''") + "'!"


ROW = "\0"  # stands for the label of the current row in a column's formula


@dataclass(frozen=True)
class View:
    """The places of quantities as seen from one sheet, for the formula printer.

    The current row is printed as `ROW`, so that a column's formula is printed only once.
    """

    layout: Layout
    sheet: str

    def _prefix(self, sheet: str) -> str:
        return "" if sheet == self.sheet else prefix(sheet)

    def scalar(self, name: str, end: End) -> str:
        return self.layout.names.scalars[name, end]

    def column(self, table: str, column: str, end: End) -> str:
        place = self.layout.tables[table]
        assert place.sheet == self.sheet, (table, self.sheet)
        return place.own(place.read(column, end))

    def range(self, table: str, column: str, end: End) -> str:
        """The cells of a column that people edit, including rows that they add."""
        place = self.layout.tables[table]
        if column not in place.used:
            return self.looked_up(table, column, end)
        return self._prefix(place.sheet) + place.area(place.columns[column][ENDS.index(end)])

    def looked_up(self, table: str, column: str, end: End) -> str:
        named = self.layout.names.columns.get((table, column, end))
        if named is not None:
            return named
        place = self.layout.tables[table]
        return self._prefix(place.sheet) + place.area(place.read(column, end))

    def keys(self, table: str, column: str, end: End) -> str:
        return self.ids(table)

    def ids(self, table: str) -> str:
        return self.layout.names.tables[table]

    def titles(self, table: str) -> str:
        place = self.layout.tables[table]
        return self._prefix(place.sheet) + place.area(place.titles)

    def constant(self, name: str) -> str:
        return self.layout.names.constants[name]
