"""The Changes sheet: what differs from what was shipped, found by formulas.

Every input of the workbook has a row with its shipped and its present value. The list on top
shows the first of those that differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scalesheet.evaluate.edits import input_name
from scalesheet.language.syntax import ENDS, Cell, End
from scalesheet.model import Key
from scalesheet.render.workbook.canvas import Canvas
from scalesheet.render.workbook.context import Context, ends_of, stated_ends, stated_text
from scalesheet.render.workbook.places import (
    TOP,
    SheetPlan,
    absolute,
    prefix,
    relative,
)
from scalesheet.render.workbook.scalars import NUMBERS, SHIPPED
from scalesheet.render.workbook.tables import is_axis
from scalesheet.render.workbook.widths import heading_of

SHOWN = 20  # changes listed on top
MOST_LINKS = 5_000  # a sheet takes 65,530
RUNNING, WHAT, SHEET, CELL, SHIPPED_AT, NOW, CHANGED, NAME = range(8)
HEADINGS = ("No.", "What", "Sheet", "Cell", "Shipped", "Now", "Changed?")
ALL_HEADINGS = (*HEADINGS, "Name")
WIDTHS = (7, 64, 30, 10, 26, 26, 12, 44)
CHANGED_CELLS = absolute(TOP, SHEET)  # counts them
NO_ZERO = "0;-0;"  # an input that is not changed has no number to show


@dataclass(frozen=True, slots=True)
class Entry:
    """One input cell, and how an edit names it: `now` is what reads it, `cell` where it stands (in
    a table the id of its row, which sorting does not change), `leads` the name that a link follows.
    `shipped` is its value; `kept` is the cell on Inputs that keeps it."""

    name: str
    what: str
    sheet: str
    cell: str
    now: str
    leads: str
    shipped: float | str
    kept: str | None = None


def write_changes(canvas: Canvas, context: Context, plan: SheetPlan) -> None:
    canvas.widths(*WIDTHS)
    entries = list(_entries(context))
    first = TOP + SHOWN + 9
    last = first + len(entries)
    running = f"{absolute(first, RUNNING)}:{absolute(last, RUNNING)}"
    flags = f"{absolute(first, CHANGED)}:{absolute(last, CHANGED)}"

    message = f"Edition {context.book.edition.isoformat()}, hash {context.edition.hash}"
    canvas.text(TOP - 1, WHAT, message, "text")
    canvas.text(TOP, WHAT, "Cells changed", "text")
    canvas.formula(TOP, SHEET, f'COUNTIF({flags},"changed")', 0.0, "count")
    top = TOP + 2
    canvas.text(top, RUNNING, f"The first {SHOWN} cells changed", "section")
    _headings(canvas, top + 1, HEADINGS)
    for at in range(1, SHOWN + 1):
        row = top + 1 + at
        canvas.number(row, RUNNING, float(at), "key_number")
        beyond = f"{relative(row, RUNNING)}>{absolute(TOP, SHEET)}"
        result = f"MATCH({relative(row, RUNNING)},{running},0)"
        for column in (WHAT, SHEET, CELL, SHIPPED_AT, NOW):
            area = f"{absolute(first, column)}:{absolute(last, column)}"
            text = f'IF({beyond},"",INDEX({area},{result}))'
            canvas.formula(row, column, text, "", "either" if column > CELL else "text")

    canvas.text(first - 3, RUNNING, "Every input, as shipped and as it is now", "section")
    _headings(canvas, first - 2, ALL_HEADINGS)
    canvas.text(first - 1, RUNNING, "", "text")
    for row, entry in enumerate(entries, first):
        _entry(canvas, entry, row, linked=row - first < MOST_LINKS)
    canvas.stress(first, last, CHANGED, "changed")
    canvas.sheet.freeze_panes(TOP - 1, 0)
    canvas.print_to(top + 1 + SHOWN, CHANGED)  # on paper only what is no longer as shipped


def _headings(canvas: Canvas, row: int, headings: tuple[str, ...]) -> None:
    numbers = {"Shipped", "Now"}
    for at, text in enumerate(headings):
        canvas.text(row, at, text, "heading_number" if text in numbers else "heading_text")


def _entry(canvas: Canvas, entry: Entry, row: int, *, linked: bool) -> None:
    canvas.text(row, WHAT, entry.what, "text")
    canvas.text(row, SHEET, entry.sheet, "small")
    canvas.text(row, NAME, entry.name, "key")
    canvas.link(row, CELL, f"internal:{entry.leads}" if linked else "", entry.cell)
    if entry.kept is not None:
        canvas.formula(row, SHIPPED_AT, entry.kept, entry.shipped, "shipped")
    elif isinstance(entry.shipped, str):
        canvas.text(row, SHIPPED_AT, entry.shipped, "shipped")
    else:
        canvas.number(row, SHIPPED_AT, entry.shipped, "shipped")
    canvas.formula(row, NOW, entry.now, entry.shipped, "either")
    same = f"{relative(row, NOW)}={relative(row, SHIPPED_AT)}"
    canvas.formula(row, CHANGED, f'IF({same},"","changed")', "", "flag")
    above = relative(row - 1, RUNNING)
    text = f'N({above})+COUNTIF({relative(row, CHANGED)},"changed")'
    canvas.formula(row, RUNNING, text, 0.0, "key_number", NO_ZERO)


def _entries(context: Context) -> Iterator[Entry]:
    inputs = context.layout.sheet("inputs")
    for name, spot in context.layout.scalars.items():
        scalar = context.plan.scalars[name]
        if scalar.stated is None:
            continue
        text = stated_text(scalar.stated, context.symbol(scalar))
        for end in ends_of(scalar) if text is None else ("value",):
            at = ENDS.index(_end(end))
            shipped = text if text is not None else stated_ends(scalar.stated)[at]
            if shipped == "":
                continue
            kept = f"{prefix(inputs)}{absolute(spot.row, SHIPPED[at])}"
            what = heading_of_scalar(scalar.title or name, _end(end))
            named = input_name(Key(name), _end(end))
            defined = context.layout.names.scalars[name, _end(end)]
            cell = relative(spot.row, NUMBERS[at])
            yield Entry(named, what, inputs, cell, defined, defined, shipped, kept)
    for table in context.tables.values():
        place, ids = context.layout.tables[table.name], context.layout.names.tables[table.name]
        for column in table.columns.values():
            if column.kind in ("text", "date") or is_axis(table, column.name):
                continue
            for number, row in enumerate(table.rows):
                stated = column.stated.get(row)
                if stated is None:
                    continue
                text = stated_text(stated, context.symbol(column))
                for end in ends_of(column) if text is None else ("value",):
                    at = ENDS.index(_end(end))
                    shipped = text if text is not None else stated_ends(stated)[at]
                    if shipped == "":
                        continue
                    title = table.row_titles[number] or row
                    what = f"{title}: {heading_of(column, _end(end))}"
                    named = input_name(Key(column.name, table.name, row), _end(end))
                    tree = Cell(table.name, row, column.name, _end(end))
                    now = context.printed(tree, context.layout.sheet("changes")).text
                    yield Entry(named, what, place.sheet, row, now, ids, shipped)


def heading_of_scalar(title: str, end: End) -> str:
    return title if end == "value" else f"{title}, {end}"


def _end(end: str) -> End:
    return next(known for known in ENDS if known == end)
