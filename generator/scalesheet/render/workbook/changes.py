"""The Changes sheet: differences from the shipped workbook, found by formulas.

An input has a row with its shipped and current value; a table column has a row with the number of
its unchanged cells. The list on top shows the first differences. Below, without formulas, is each
table as shipped: one line per row, one column per input.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from scalesheet.edition import HASH
from scalesheet.evaluate.edits import input_name
from scalesheet.frozen import dataclass
from scalesheet.language.syntax import ENDS, End
from scalesheet.model import Column, Key, Table
from scalesheet.render.workbook.canvas import Canvas
from scalesheet.render.workbook.context import Context, ends_of, stated_ends, stated_text
from scalesheet.render.workbook.places import (
    TOP,
    Kept,
    SheetPlan,
    View,
    absolute,
    prefix,
    relative,
)
from scalesheet.render.workbook.scalars import SHIPPED
from scalesheet.render.workbook.turned import is_axis
from scalesheet.render.workbook.widths import heading_of

SHOWN = 20  # changes listed on top
FIRST = TOP + SHOWN + 9  # the row of the first input
RUNNING, WHAT, SHEET, CELL, SHIPPED_AT, NOW, CHANGED, NAME = range(8)
HEADINGS = ("No.", "What", "Sheet", "Cell", "Shipped", "Now", "Changed?")
ALL_HEADINGS = (*HEADINGS, "Name")
WIDTHS = (7, 64, 30, 10, 26, 26, 12, 44)
CHANGED_CELLS = absolute(TOP, SHEET)  # the cell with the number of changes
#: Precedes the line of names of each table as shipped; ANY in a name stands for a row's id.
AS_SHIPPED, ANY = "As shipped", "*"
NO_ZERO = "0;-0;"  # an unchanged input shows nothing


@dataclass(frozen=True, slots=True)
class Entry:
    """One input cell and its name in edits.

    `now` is the cell to read, `cell` the one to edit. `shipped` is its value; `kept` is the cell on
    Inputs that keeps it.
    """

    name: str
    what: str
    sheet: str
    cell: str
    now: str
    shipped: float | str
    kept: str


@dataclass(frozen=True, slots=True)
class Rows:
    """One end of a table column: its shipped values by row id, which sorting does not change.

    `name` has ANY for the id. `first` and `column` are where the sheet keeps the shipped values.
    """

    table: Table
    column: Column
    end: End
    what: str
    sheet: str
    ids: str
    now: str
    name: str
    shipped: Mapping[str, float | str]
    first: int
    at: int

    @property
    def kept(self) -> Kept:
        last = self.first + len(self.table.rows) - 1
        ids, values = (f"{absolute(self.first, at)}:{absolute(last, at)}" for at in (WHAT, self.at))
        stated = next(at for at, id in enumerate(self.table.rows) if id in self.shipped)
        return Kept(ids, values, absolute(self.first + stated, self.at))


def write_changes(canvas: Canvas, context: Context, plan: SheetPlan) -> None:
    canvas.widths(*WIDTHS)
    inputs = list(_inputs(context))
    columns = _columns(context, len(inputs))
    first = FIRST
    last = first + len(inputs) + sum(map(len, columns.values()))
    running = f"{absolute(first, RUNNING)}:{absolute(last, RUNNING)}"
    flags = f"{absolute(first, CHANGED)}:{absolute(last, CHANGED)}"

    message = f"Edition {context.book.edition.isoformat()}, hash {HASH}"
    canvas.text(TOP - 1, WHAT, message, "text")
    canvas.text(TOP, WHAT, "Inputs and columns changed", "text")
    canvas.formula(TOP, SHEET, f'COUNTIF({flags},"changed")', 0.0, "count")
    top = TOP + 2
    canvas.text(top, RUNNING, f"The first {SHOWN} inputs and columns changed", "section")
    canvas.heads(top + 1, HEADINGS, ("Shipped", "Now"), flush=0)
    for at in range(1, SHOWN + 1):
        row = top + 1 + at
        canvas.number(row, RUNNING, float(at), "key_number")
        beyond = f"{relative(row, RUNNING)}>{absolute(TOP, SHEET)}"
        result = f"MATCH({relative(row, RUNNING)},{running},0)"
        for column in (WHAT, SHEET, CELL, SHIPPED_AT, NOW):
            area = f"{absolute(first, column)}:{absolute(last, column)}"
            text = f'IF({beyond},"",INDEX({area},{result}))'
            canvas.formula(row, column, text, "", "either" if column > CELL else "text")

    canvas.text(first - 3, RUNNING, "Inputs and columns, as shipped and as they are now", "section")
    canvas.heads(first - 2, ALL_HEADINGS, ("Shipped", "Now"), flush=0)
    for row, entry in enumerate(inputs, first):
        _entry(canvas, entry, row)
    row = first + len(inputs)
    canvas.text(last + 1, RUNNING, "Tables as shipped", "section")
    for name, of_table in columns.items():
        rows, top = context.tables[name].rows, of_table[0].first
        canvas.text(top - 1, RUNNING, AS_SHIPPED, "key")
        for at, id in enumerate(rows, top):
            canvas.text(at, WHAT, id, "key")
        for each in of_table:
            canvas.text(top - 1, each.at, each.name, "key")
            for at, id in enumerate(rows, top):
                if id in each.shipped:
                    _shipped(canvas, each.shipped[id], at, each.at)
            _column(canvas, each, row)
            row += 1
    canvas.stress(first, last, CHANGED, "changed")
    canvas.sheet.freeze_panes(TOP - 1, 0)


def _entry(canvas: Canvas, entry: Entry, row: int) -> None:
    canvas.text(row, WHAT, entry.what, "text")
    canvas.text(row, SHEET, entry.sheet, "small")
    canvas.text(row, NAME, entry.name, "key")
    canvas.link(row, CELL, f"internal:{entry.now}", entry.cell)
    canvas.formula(row, SHIPPED_AT, entry.kept, entry.shipped, "shipped")
    canvas.formula(row, NOW, entry.now, entry.shipped, "either")
    _compared(canvas, row)


def kept(context: Context) -> dict[tuple[str, str, End], Kept]:
    """Where the sheet keeps the shipped values of columns, as seen from other sheets."""
    sheet = prefix(context.layout.sheet("changes"))
    return {
        (table, each.column.name, each.end): Kept(
            *(f"{sheet}{part}" for part in (each.kept.ids, each.kept.values, each.kept.first))
        )
        for table, columns in _columns(context, len(list(_inputs(context)))).items()
        for each in columns
    }


def _column(canvas: Canvas, column: Rows, row: int) -> None:
    """Write the number of a column's unchanged rows.

    Rows are found by id and value as one text, because COUNTIFS would read an id such as `1-2` as a
    date.
    """
    shipped = column.kept.values
    found = f'MATCH({column.kept.ids}&"|"&{shipped},{column.ids}&"|"&{column.now},0)'
    number = float(len(column.shipped))
    canvas.text(row, WHAT, column.what, "text")
    canvas.text(row, SHEET, column.sheet, "small")
    canvas.link(row, CELL, f"internal:{column.ids}", "rows")
    canvas.number(row, SHIPPED_AT, number, "shipped")
    canvas.formula(row, NOW, f'SUMPRODUCT(({shipped}<>"")*ISNUMBER({found}))', number, "either")
    _compared(canvas, row)


def _compared(canvas: Canvas, row: int) -> None:
    same = f"{relative(row, NOW)}={relative(row, SHIPPED_AT)}"
    canvas.formula(row, CHANGED, f'IF({same},"","changed")', "", "flag")
    above = relative(row - 1, RUNNING)
    text = f'N({above})+COUNTIF({relative(row, CHANGED)},"changed")'
    canvas.formula(row, RUNNING, text, 0.0, "key_number", NO_ZERO)


def _shipped(canvas: Canvas, value: float | str, row: int, column: int) -> None:
    if isinstance(value, str):
        canvas.text(row, column, value, "shipped")
    else:
        canvas.number(row, column, value, "shipped")


def _inputs(context: Context) -> Iterator[Entry]:
    inputs = context.layout.sheet("inputs")
    sheet = next(plan for plan in context.layout.sheets if plan.kind == "inputs")
    rows = {name: row for group in sheet.groups for row, name in group.rows()}
    for name, spot in context.layout.scalars.items():
        scalar = context.plan.scalars[name]
        if scalar.stated is None:
            continue
        text = stated_text(scalar.stated, context.symbol(scalar))
        ends: tuple[End, ...] = ends_of(scalar) if text is None else ("value",)
        for end in ends:
            at = ENDS.index(end)
            shipped = text if text is not None else stated_ends(scalar.stated)[at]
            if shipped == "":
                continue
            kept = f"{prefix(inputs)}{absolute(rows[name], SHIPPED[at])}"
            what, named = heading_of(scalar, end), input_name(Key(name), end)
            now, cell = f"{prefix(spot.sheet)}{spot.at(end)}", relative(*spot.cell(end))
            yield Entry(named, what, spot.sheet, cell, now, shipped, kept)


def _columns(context: Context, inputs: int) -> Mapping[str, list[Rows]]:
    """By table, the ends of columns with stated cells. `inputs`: how many are listed above them."""
    sheet = context.layout.sheet("changes")
    view = View(context.layout, sheet)
    result: dict[str, list[Rows]] = {}
    for table in context.tables.values():
        place, ids = context.layout.tables[table.name], context.layout.names.tables[table.name]
        for column in table.columns.values():
            if column.kind in ("text", "date") or is_axis(table, column.name):
                continue
            for end in ends_of(column):
                shipped = dict(_stated(context, table, column, end))
                if shipped:
                    what = f"{table.title or table.name}: {heading_of(column, end)}"
                    now = view.range(table.name, column.name, end)
                    named = input_name(Key(column.name, table.name, ANY), end)
                    of_table = result.setdefault(table.name, [])
                    at = WHAT + 1 + len(of_table)
                    where = place.sheet, ids, now, named
                    of_table.append(Rows(table, column, end, what, *where, shipped, 0, at))
    first = FIRST + inputs + sum(map(len, result.values())) + 3
    for name, of_table in result.items():
        result[name] = [replace(each, first=first) for each in of_table]
        first += len(of_table[0].table.rows) + 2
    return result


def _stated(
    context: Context, table: Table, column: Column, end: End
) -> Iterator[tuple[str, float | str]]:
    """Yield the cells that a column states at one end; words only belong to the end `value`."""
    for row in table.rows:
        stated = column.stated.get(row)
        if stated is None:
            continue
        text = stated_text(stated, context.symbol(column))
        if text == "" or (text is not None and end != "value"):
            continue
        yield row, text if text is not None else stated_ends(stated)[ENDS.index(end)]
