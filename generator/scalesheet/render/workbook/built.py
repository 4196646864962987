"""Checks that a workbook is still as built: its formulas, and the rows of its tables.

ISFORMULA says whether a cell has a formula; the length of its FORMULATEXT stands for the formula.
Programs spell formulas differently: LibreOffice writes `$Units.B4` and `TRUE()` for `Units!B4` and
`TRUE`, so lengths are taken without `$`, `'` and `()`. Where a program lacks either function, or
uses other function names, the check says that it cannot see formulas. An edit that keeps the length
of a formula goes unnoticed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scalesheet.frozen import dataclass
from scalesheet.model import Table
from scalesheet.render.workbook.context import Context
from scalesheet.render.workbook.places import View, absolute, prefix

UNSEEN = "not seen"
OVERWRITTEN = "No formula is overwritten"
SPELLING = ("$", "'", "()")  # parts of a formula that programs spell differently
LONGEST_ID = 32  # characters of an id that are compared
LETTERS = f"COLUMN({absolute(0, 0)}:{absolute(0, LONGEST_ID - 1)})"
#: Two formulas of many functions, with their values: their texts show which function names a
#: program uses.
WORDS: tuple[tuple[str, float], ...] = (
    ("SUMPRODUCT(--ISNUMBER($A$1))", 0.0),
    ('IFERROR(MATCH($A$1,INDEX($A$1:$B$1,0),COUNTIF($A$1,"")),0)', 1.0),
)


@dataclass(frozen=True, slots=True)
class Check:
    """One automatic check: `found` must equal `should` (a formula, or the number `stored_should`).

    In `found`, `{least}` and `{most}` stand for the cells of the bounds, `{should}` for that of the
    expected value. `wrong` is the formula for the message on failure. With `may_be_unseen`, there
    is no verdict if `found` says that formulas cannot be seen.
    """

    title: str
    where: str
    found: str
    stored: float
    should: str | None = None
    stored_should: float = 0.0
    least: float | None = None
    most: float | None = None
    note: str = ""
    wrong: str = ""
    first: str = ""  # the number of the first row that fails, `{first}` in `wrong`
    array: bool = False
    may_be_unseen: bool = False
    words: tuple[tuple[str, float | str], ...] = ()  # formulas instead of the bounds


@dataclass(frozen=True, slots=True)
class Used:
    """What was written to a sheet or a part of it: the last cell, the formulas, and the first
    cell."""

    row: int
    column: int
    formulas: tuple[str, ...]
    begins: tuple[int, int] = (0, 0)

    def area(self, sheet: str) -> str:
        return f"{prefix(sheet)}{absolute(*self.begins)}:{absolute(self.row, self.column)}"


def built(context: Context, used: Mapping[str, Used]) -> Iterator[Check]:
    """Yield checks on whether formulas can be seen, on each sheet's formulas and on each table's
    rows."""
    yield _words()
    for name, sheet in used.items():
        if sheet.formulas:
            yield _formulas(name, sheet)
            yield _lengths(name, sheet)
    view = View(context.layout, context.layout.sheet("checks"))
    for table in context.tables.values():
        sheet_name = context.layout.tables[table.name].sheet
        yield _rows(table, sheet_name, view)
        if table.name not in context.plan.tables:
            yield _order(table, sheet_name, view)


def _formulas(name: str, sheet: Used) -> Check:
    count = float(len(sheet.formulas))
    return Check(
        OVERWRITTEN,
        name,
        f'IFERROR(SUMPRODUCT(--_xlfn.ISFORMULA({sheet.area(name)})),"{UNSEEN}")',
        count,
        stored_should=count,
        note="Counts the formulas of the sheet.",
        wrong='"a formula was overwritten, added or deleted here"',
        may_be_unseen=True,
    )


def _words() -> Check:
    total = float(sum(length(formula) for formula, _ in WORDS))
    return Check(
        "This program writes formulas as LibreOffice and English Excel do",
        "Checks",
        f'IF(IFERROR({_measured("{least}:{most}")},0)={{should}},{{should}},"{UNSEEN}")',
        total,
        stored_should=total,
        note="If it does not, edits inside formulas are not seen.",
        array=True,
        may_be_unseen=True,
        words=WORDS,
    )


def _measured(area: str) -> str:
    """The formula for the total length of all formulas in a range, as `length` counts them."""
    text = f"_xlfn.FORMULATEXT({area})"
    for part in SPELLING:
        text = f'SUBSTITUTE({text},"{part}","")'
    return f"SUM(IF(_xlfn.ISFORMULA({area}),LEN({text})))"


def _lengths(name: str, sheet: Used) -> Check:
    total = float(sum(map(length, sheet.formulas)))
    return Check(
        "No formula is edited",
        name,
        f'IF({{seen}}="{UNSEEN}","{UNSEEN}",{_measured(sheet.area(name))})',
        total,
        stored_should=total,
        note="Adds up the lengths of the formulas, without $, ' and ().",
        wrong='"a formula was edited here, or a row or sheet that it names has moved"',
        array=True,
        may_be_unseen=True,
    )


def length(formula: str) -> int:
    """The length of the formula's FORMULATEXT, without parts that programs spell differently."""
    text = f"={formula.replace('_xlfn.', '')}"
    for part in SPELLING:
        text = text.replace(part, "")
    return len(text)


def _rows(table: Table, sheet: str, view: View) -> Check:
    count = float(len(table.rows))
    return Check(
        f"Rows as built: {table.title or table.name}",
        sheet,
        f"COUNTA({view.ids(table.name)})",
        count,
        stored_should=count,
        note="Counts the ids.",
        wrong='"a row was added or deleted; the results follow, and pull imports it"',
    )


def _order(table: Table, sheet: str, view: View) -> Check:
    """Check the order of rows by a sum over their ids' characters, weighted by position and row."""
    ids = view.ids(table.name)
    letters = f'CODE(MID({ids}&REPT(" ",MAX({LETTERS})),{LETTERS},1))*{LETTERS}'
    rows = f"(ROW({ids})-MIN(ROW({ids})))"
    total = order(table.rows)
    return Check(
        f"Order as built: {table.title or table.name}",
        sheet,
        f"SUMPRODUCT({letters}*{rows})",
        total,
        stored_should=total,
        note="Weights the characters of the ids by position.",
        wrong='"the rows are in a different order, or an id was changed; no result depends on the '
        'order"',
    )


def order(ids: tuple[str, ...]) -> float:
    """The value that `_order` gives for the sheet as built, including the empty last row."""
    return float(
        sum(
            ord(letter) * place * row
            for row, id in enumerate((*ids, ""))
            for place, letter in enumerate(id.ljust(LONGEST_ID)[:LONGEST_ID], 1)
        )
    )
