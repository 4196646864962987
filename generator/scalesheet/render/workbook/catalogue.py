"""The catalogue's sheets, which other programs can read: one row of headings, then rows.

The meaning of the headings is on a sheet of its own.
"""

from __future__ import annotations

from scalesheet.defined_names import defined
from scalesheet.language.syntax import ENDS
from scalesheet.model import Table, formulas_of
from scalesheet.render.workbook.canvas import Canvas
from scalesheet.render.workbook.context import Context, ends_of
from scalesheet.render.workbook.formats import Role
from scalesheet.render.workbook.places import KEY, TITLE, TITLES_OF, TablePlace
from scalesheet.render.workbook.widths import in_use_headings


def plain_headings(canvas: Canvas, table: Table, place: TablePlace) -> None:
    """Write only names, as a spreadsheet table with filters."""
    heads = {TITLE: TITLES_OF, KEY: table.name}
    for column in table.columns.values():
        for end in ends_of(column):
            at = place.columns[column.name][ENDS.index(end)]
            heads[at] = column.name if end == "value" else f"{column.name}_{end}"
    for optional, text in ((place.source, "Source"), (place.note, "Note")):
        if optional is not None:
            heads[optional] = text
    heads |= {at: name for at, _, name in in_use_headings(table, place)}
    numbers = {place.columns[c.name][1] for c in table.columns.values() if c.kind == "number"}
    columns = []
    for at, text in sorted(heads.items()):
        role: Role = "heading" if at <= KEY else "heading_text"
        role = "heading_number" if at in numbers else role
        canvas.text(place.heading, at, text, role)
        columns.append({"header": text, "header_format": canvas.formats(role)})
    options = {"name": f"table_{defined(table.name)}", "columns": columns, "style": None}
    last = max(place.spacer - 1, place.first)
    code = canvas.sheet.add_table(place.heading, TITLE, last, max(heads), options)
    canvas.tally.check(code, f"the table on {canvas.name}")


def write_columns(canvas: Canvas, context: Context, row: int) -> None:
    """Describe how columns are computed; for catalogue sheets also their titles and units."""
    canvas.text(row, TITLE, "Columns of tables", "section")
    row += 1
    canvas.heads(row, ("Title", "Sheet", "Column", "Unit", "Formula, as built", "Note"))
    for table in context.tables.values():
        place = context.layout.tables[table.name]
        for column in table.columns.values() if not place.turned else ():
            formulas = dict.fromkeys(formula.text for formula in formulas_of(column))
            outer = any(formula.outer for formula in formulas_of(column))
            note = " ".join(filter(None, (column.note, "Low and high are outer bounds." * outer)))
            named = place.sheet, f"{table.name}.{column.name}", context.symbol(column)
            for text in formulas or ([""] if place.plain else ()):
                row += 1
                canvas.text(row, TITLE, column.title, "label")
                canvas.row_of(row, named, "text", 1)
                canvas.text(row, 4, text, "formula")
                canvas.text(row, 5, note, "small")
