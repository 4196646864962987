"""Defined names: safe in Excel, LibreOffice and Google Sheets, and unique once case is lost.

XlsxWriter accepts `TPU4`, `GPU8` or `true` as a name and LibreOffice then reads a cell or a
constant, so neither of them catches the fault. Names here are letters, digits and `_`: the dot of
`total.gpu_hours` becomes `_`, since LibreOffice reads a sheet before a dot.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from scalesheet.language.syntax import ENDS, End
from scalesheet.model import Quantity

_WORD = re.compile(r"[a-z_][a-z0-9_]*")
_CELL = re.compile(r"([a-z]{1,3})([0-9]+)")
_ROW_COLUMN = re.compile(r"r[0-9]*(c[0-9]*)?|c[0-9]*")

#: Words that a spreadsheet takes for a constant, a function that our formulas use, or its own.
TAKEN: Mapping[str, str] = {
    **dict.fromkeys(("true", "false"), "is a constant of spreadsheets"),
    **dict.fromkeys(
        (
            "abs", "and", "average", "count", "counta", "countif", "countifs", "exp", "fixed",
            "if", "iferror", "index", "int", "isnumber", "istext", "ln", "log", "match", "max",
            "min", "mod", "not", "or", "round", "roundup", "rounddown", "sign", "sqrt", "sum",
            "sumif", "sumifs", "sumproduct",
        ),
        "is a function of spreadsheets",
    ),
    **dict.fromkeys(
        ("print_area", "print_titles", "database", "criteria", "extract", "consolidate_area"),
        "is a name that spreadsheets keep for themselves",
    ),
}  # fmt: skip

OUTER: tuple[End, ...] = ("low", "high")
Subject = Literal["quantity", "table", "constant"]


@dataclass(frozen=True, slots=True)
class Names:
    """The defined name of each quantity's end, of each table's key column, of each constant."""

    scalars: Mapping[tuple[str, End], str]
    tables: Mapping[str, str]
    constants: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class NameFault:
    """A name that cannot stand: `code` N003 (collides) or N004 (means something else)."""

    code: Literal["N003", "N004"]
    subject: Subject
    name: str
    message: str


def defined(name: str) -> str:
    """The name as a spreadsheet takes it: dots and dashes become `_`."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def bad_name(name: str) -> str | None:
    """Why the text is no safe defined name, or None."""
    folded = name.casefold()
    if not _WORD.fullmatch(folded):
        return "is not made of letters, digits and '_' after a first letter"
    if len(name) > 255:
        return "is longer than 255 characters"
    if _CELL.fullmatch(folded):
        return "is a cell of a spreadsheet"
    if _ROW_COLUMN.fullmatch(folded):
        return "is a row or column of a spreadsheet"
    if folded.startswith("_xl"):
        return "begins with '_xl', which spreadsheets keep for themselves"
    return TAKEN.get(folded)


def names(
    scalars: Iterable[Quantity], tables: Iterable[str], constants: Iterable[str]
) -> tuple[Names, tuple[NameFault, ...]]:
    """All defined names of one workbook, and every fault among them.

    An exact scalar has one name; a ranged one also `<name>_low` and `<name>_high`.
    """
    faults: list[NameFault] = []
    owners: dict[str, str] = {}

    def claim(text: str, subject: Subject, name: str, called: str) -> str:
        why = bad_name(text)
        if why is not None:
            message = f"'{text}' {why}; give it another name"
            faults.append(NameFault("N004", subject, name, message))
        owner = owners.setdefault(text.casefold(), called)
        if owner != called:
            message = f"{called} and {owner} are both '{text}' in a spreadsheet; rename one"
            faults.append(NameFault("N003", subject, name, message))
        return text

    of_scalars: dict[tuple[str, End], str] = {}
    for scalar in scalars:
        base = defined(scalar.name)
        called = f"'{scalar.name}'"
        text = claim(base, "quantity", scalar.name, called)
        of_scalars |= {(scalar.name, end): text for end in ENDS}
        for end in OUTER if scalar.ranged else ():
            text = claim(f"{base}_{end}", "quantity", scalar.name, f"{called} ({end})")
            of_scalars[scalar.name, end] = text
    of_tables = {
        table: claim(f"{defined(table)}_id", "table", table, f"the ids of table '{table}'")
        for table in tables
    }
    of_constants = {
        constant: claim(defined(constant), "constant", constant, f"the constant '{constant}'")
        for constant in constants
    }
    return Names(of_scalars, of_tables, of_constants), tuple(faults)
