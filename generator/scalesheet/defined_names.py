"""Defined names that are valid in Excel, LibreOffice and Google Sheets, and unique ignoring case.

XlsxWriter accepts `TPU4`, `GPU8` or `true` as a name, and LibreOffice then reads a cell or a
constant, so neither of them catches the problem. Names here are letters, digits and `_`: the dot of
`total.gpu_hours` becomes `_`, since LibreOffice takes text before a dot for a sheet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Literal

from scalesheet.book import Book
from scalesheet.diagnostics import Diagnostic, at
from scalesheet.frozen import dataclass
from scalesheet.language.functions import FUNCTIONS
from scalesheet.language.syntax import (
    ENDS,
    Aggregate,
    Cell,
    Column,
    Constant,
    End,
    Lookup,
    Node,
    walk,
)
from scalesheet.model import Plan, Position, Quantity, Table, formulas_of

_WORD = re.compile(r"[a-z_][a-z0-9_]*")
_CELL = re.compile(r"([a-z]{1,3})([0-9]+)")
_ROW_COLUMN = re.compile(r"r[0-9]*(c[0-9]*)?|c[0-9]*")

#: Words that a spreadsheet reserves: constants, functions that our formulas use, and its own.
TAKEN: Mapping[str, str] = {
    **dict.fromkeys(("true", "false"), "is a spreadsheet constant"),
    **dict.fromkeys(
        (
            *(each.excel.lower() for each in FUNCTIONS.values() if each.excel),
            "and",
            "average",
            "count",
            "counta",
            "countif",
            "countifs",
            "fixed",
            "if",
            "iferror",
            "index",
            "int",
            "isnumber",
            "istext",
            "log",
            "match",
            "max",
            "min",
            "mod",
            "not",
            "or",
            "round",
            "roundup",
            "rounddown",
            "sign",
            "sum",
            "sumif",
            "sumifs",
            "sumproduct",
        ),
        "is a spreadsheet function",
    ),
    **dict.fromkeys(
        ("print_area", "print_titles", "database", "criteria", "extract", "consolidate_area"),
        "is a name that spreadsheets reserve",
    ),
}

EQUAL_WITHIN, ROUNDING_SLACK, CHECK_WITHIN = "equal_within", "rounding_slack", "check_within"
OUT_OF_REACH = "out_of_reach"
#: The arithmetic's own constants with their meanings: always on the Units sheet.
ARITHMETIC: Mapping[str, tuple[float, str]] = {
    EQUAL_WITHIN: (2.0**-49, "two numbers a and b count as equal when |a-b| <= this × (|a|+|b|)"),
    ROUNDING_SLACK: (1e-12, "ceil and floor absorb a relative error of this size"),
    OUT_OF_REACH: (1e300, "keeps excluded rows from being the smallest or largest"),
    CHECK_WITHIN: (1e-9, "two sums within this relative difference count as equal in a check"),
}

OUTER: tuple[End, ...] = ("low", "high")
Subject = Literal["quantity", "table", "constant"]


@dataclass(frozen=True, slots=True)
class Names:
    """The defined names: of each quantity's ends, each table's key column, and each constant.

    Also of columns that formulas read as a whole, if the name is free.
    """

    scalars: Mapping[tuple[str, End], str]
    tables: Mapping[str, str]
    constants: Mapping[str, str]
    columns: Mapping[tuple[str, str, End], str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NameProblem:
    """A name that cannot be used: `code` N003 (collision) or N004 (has another meaning)."""

    code: Literal["N003", "N004"]
    subject: Subject
    name: str
    message: str


def defined(name: str) -> str:
    """The name in the form that spreadsheets accept: dots and dashes become `_`."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def bad_name(name: str) -> str | None:
    """The reason why the text is not a valid defined name, or None."""
    folded = name.casefold()
    if not _WORD.fullmatch(folded):
        return "may contain only letters, digits and '_', and must begin with a letter"
    if len(name) > 255:
        return "is longer than 255 characters"
    if _CELL.fullmatch(folded):
        return "is the address of a spreadsheet cell"
    if _ROW_COLUMN.fullmatch(folded):
        return "is the address of a spreadsheet row or column"
    if folded.startswith("_xl"):
        return "begins with '_xl', which spreadsheets reserve"
    return TAKEN.get(folded)


def names(
    scalars: Iterable[Quantity],
    tables: Iterable[str],
    constants: Iterable[str],
    columns: Iterable[tuple[str, Quantity]] = (),
) -> tuple[Names, tuple[NameProblem, ...]]:
    """Build all defined names of one workbook, and report problems.

    An exact scalar has one name; a ranged one also `<name>_low` and `<name>_high`.
    """
    problems: list[NameProblem] = []
    owners: dict[str, str] = {}

    def claim(defined_name: str, subject: Subject, name: str, called: str) -> str:
        why = bad_name(defined_name)
        if why is not None:
            message = f"'{defined_name}' {why}; give it another name"
            problems.append(NameProblem("N004", subject, name, message))
        owner = owners.setdefault(defined_name.casefold(), called)
        if owner != called:
            message = f"{called} and {owner} are both '{defined_name}' in a spreadsheet; rename one"
            problems.append(NameProblem("N003", subject, name, message))
        return defined_name

    of_scalars: dict[tuple[str, End], str] = {}
    for scalar in scalars:
        base = defined(scalar.name)
        called = f"'{scalar.name}'"
        defined_name = claim(base, "quantity", scalar.name, called)
        of_scalars |= {(scalar.name, end): defined_name for end in ENDS}
        for end in OUTER if scalar.ranged else ():
            defined_name = claim(f"{base}_{end}", "quantity", scalar.name, f"{called} ({end})")
            of_scalars[scalar.name, end] = defined_name
    of_tables = {
        table: claim(f"{defined(table)}_id", "table", table, f"the ids of table '{table}'")
        for table in tables
    }
    of_constants = {
        constant: claim(defined(constant), "constant", constant, f"the constant '{constant}'")
        for constant in constants
    }
    of_columns: dict[tuple[str, str, End], str] = {}
    for table, column in columns:
        base = defined(f"{table}_{column.name}")
        for end in ENDS:
            text = f"{base}_{end}" if column.ranged and end in OUTER else base
            called = f"{table}.{column.name} ({text})"
            if not bad_name(text) and owners.setdefault(text.casefold(), called) == called:
                of_columns[table, column.name, end] = text
    return Names(of_scalars, of_tables, of_constants, of_columns), tuple(problems)


def tables_of(book: Book, plan: Plan) -> dict[str, Table]:
    """Every table in a plan's workbook: catalogue tables that it reads, then its own."""
    reached = frozenset(plan.catalogue)
    return {**{name: t for name, t in book.tables.items() if name in reached}, **plan.tables}


def quantities_of(plan: Plan, tables: Iterable[Table]) -> Iterator[Quantity]:
    """Yield every scalar of a plan, then every column of some tables."""
    yield from plan.scalars.values()
    for table in tables:
        yield from table.columns.values()


def constants_of(quantities: Iterable[Quantity]) -> dict[str, float]:
    """The conversions and defaults that formulas use, and the arithmetic's own constants."""
    used = {name: value for name, (value, _) in ARITHMETIC.items()}
    for quantity in quantities:
        for formula in formulas_of(quantity):
            for tree in formula.ends.trees:
                used |= {n.name: n.value for n in walk(tree) if isinstance(n, Constant)}
    return used


def read_whole(tables: Mapping[str, Table], plan: Plan) -> Iterator[tuple[str, Quantity]]:
    """Yield the columns that need names as a whole, each once, with its table.

    These are columns that formulas look up or aggregate, and ranged columns of the plan, which
    checks read.
    """
    read: dict[tuple[str, str], None] = {
        (table.name, column.name): None
        for table in plan.tables.values()
        for column in table.columns.values()
        if column.ranged
    }
    for quantity in quantities_of(plan, tables.values()):
        for formula in formulas_of(quantity):
            for tree in formula.ends.trees:
                read |= dict.fromkeys(_read_whole(tree))
    for table, column in read:
        yield table, tables[table].columns[column]


def columns_read(tables: Mapping[str, Table], plan: Plan) -> frozenset[tuple[str, str]]:
    """The table and name of each column in which formulas look for rows or read single cells."""
    return frozenset(
        (node.table, node.column)
        for quantity in quantities_of(plan, tables.values())
        for formula in formulas_of(quantity)
        for tree in formula.ends.trees
        for node in walk(tree)
        if isinstance(node, Column | Lookup | Cell | Aggregate) and node.column is not None
        if not isinstance(node, Aggregate) or node.where is not None
    )


def _read_whole(tree: Node) -> Iterator[tuple[str, str]]:
    for node in walk(tree):
        if isinstance(node, Lookup | Cell | Aggregate) and node.column is not None:
            yield node.table, node.column
        if isinstance(node, Aggregate) and node.where is not None:
            for each in walk(node.where):
                if isinstance(each, Column) and each.table == node.table:
                    yield each.table, each.column


def plan_names(book: Book, plan: Plan) -> tuple[Names, tuple[NameProblem, ...]]:
    """Build all defined names of a plan's workbook."""
    tables = tables_of(book, plan)
    constants = constants_of(quantities_of(plan, tables.values()))
    return names(plan.scalars.values(), tables, sorted(constants))


def name_problems(book: Book, plan: Plan) -> tuple[Diagnostic, ...]:
    """Report names that collide or have another meaning in the plan's workbook (N003, N004)."""
    start = plan.position or Position(f"plans/{plan.id}/plan.yaml", 1, 1)
    places: dict[tuple[Subject, str], Position | None] = {
        ("quantity", scalar.name): scalar.position for scalar in plan.scalars.values()
    }
    return tuple(
        at(places.get((problem.subject, problem.name)) or start, problem.code, problem.message)
        for problem in plan_names(book, plan)[1]
    )
