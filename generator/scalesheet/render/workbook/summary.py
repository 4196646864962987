"""The Summary sheet: headline figures, phases, charts, advice. Every figure is a reference."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from scalesheet.language.syntax import ENDS, Cell, End
from scalesheet.model import Column, Quantity
from scalesheet.numbers import Format, excel_format, text
from scalesheet.render.workbook.canvas import Canvas
from scalesheet.render.workbook.context import Context
from scalesheet.render.workbook.formats import Role
from scalesheet.render.workbook.front import write_headline
from scalesheet.render.workbook.moves import write_moves
from scalesheet.render.workbook.pictures import write_picture
from scalesheet.render.workbook.places import TITLE, TOP, SheetPlan
from scalesheet.render.workbook.tables import stored_column
from scalesheet.render.workbook.widths import heading_of
from scalesheet.values import Value

WIDTHS = (42.0, 14.0, 16.0, 14.0, 16.0, *(14.0,) * 10)
TEXT_COLUMNS = 8  # over which advice is written


def write_summary(canvas: Canvas, context: Context, plan: SheetPlan) -> None:
    canvas.widths(*WIDTHS)
    row = write_headline(canvas, context, TOP) + 1
    row = _phases(canvas, context, row)
    if context.sensitivity is not None:
        row = write_moves(canvas, context, row)
    row = _advice(canvas, context, row)
    for chart in context.plan.charts:
        row = write_picture(canvas, context, chart, row)
    canvas.sheet.freeze_panes(TOP, 0)


# ------------------------------------------------------------------ phases


def _phases(canvas: Canvas, context: Context, row: int) -> int:
    """The phases table in short: expected values, and the ends of what is added up."""
    table = context.plan.tables.get("phases")
    if table is None:
        return row
    place = context.layout.tables[table.name]
    canvas.text(row, TITLE, table.title or "Phases", "section")
    head, unit, first = row + 1, row + 2, row + 3
    canvas.text(head, TITLE, "Phase", "heading")
    canvas.text(unit, TITLE, "", "unit")
    for at, title in enumerate(table.row_titles, first):
        canvas.text(at, TITLE, title or table.rows[at - first], "label")
    total_row = first + len(table.rows)
    canvas.text(total_row, TITLE, "Total", "total_label")
    totals = {
        spot.columns[1]: (name, spot)
        for name, spot in context.layout.scalars.items()
        if (spot.sheet, spot.row) == (place.sheet, place.total)
    }
    at = TITLE
    for column in (c for c in table.columns.values() if not c.hidden):
        for end in _shown_ends(column, column.name in table.totals):
            at += 1
            numeric = column.kind == "number"
            role: Role = "heading_number" if numeric else "heading_text"
            canvas.text(head, at, heading_of(column, end), role)
            canvas.text(unit, at, context.symbol(column), "unit_number" if numeric else "unit")
            _phase_column(canvas, context, column, end, at, first)
            canvas.text(total_row, at, "", "total")
            if column.name in table.totals:
                name, _ = totals[place.columns[column.name][1]]
                scalar = context.plan.scalars[name]
                chosen: End = end if scalar.ranged else "value"
                value = context.results.scalars[name].end(chosen)
                canvas.formula(
                    total_row,
                    at,
                    context.layout.names.scalars[name, chosen],
                    value if isinstance(value, float) else "",
                    "total",
                    context.number_format(scalar),
                )
    return total_row + 2


def _shown_ends(column: Column, added: bool) -> tuple[End, ...]:
    return ENDS if column.ranged and added else ("value",)


def _phase_column(
    canvas: Canvas, context: Context, column: Column, end: End, at: int, first: int
) -> None:
    table = context.plan.tables["phases"]
    stored = stored_column(context.results.tables["phases"][column.name], end)
    numeric = column.kind == "number"
    fmt = excel_format(context.column_format(table, column)) if numeric else ""
    for number_, row in enumerate(table.rows):
        if stored(number_) == "":
            continue
        source = context.printed(Cell(table.name, row, column.name, end), canvas.name).text
        role: Role = "either" if numeric else "word"
        canvas.formula(first + number_, at, source, stored(number_), role, fmt)


# ------------------------------------------------------------------ advice


def _advice(canvas: Canvas, context: Context, row: int) -> int:
    """The plan's recommendations; a figure named in one is live."""
    if not context.plan.recommendations:
        return row
    canvas.text(row, TITLE, "Recommendations", "section")
    for advice in context.plan.recommendations:
        row += 1
        formula, text = _live_text(context, advice)
        canvas.merged(row, TITLE, TEXT_COLUMNS, text, "plain")
        if formula is not None:
            canvas.formula(row, TITLE, formula, text, "advice")
    return row + 2


@dataclass(frozen=True, slots=True)
class _Figure:
    """A figure named in a text: the cells of its ends, its value, and how it prints."""

    cells: Mapping[End, str]
    value: Value
    fmt: Format
    symbol: str
    quantity: Quantity


def _figure(context: Context, name: str) -> _Figure | None:
    """`cost`, `total.gpu_hours` (short for that of the phases), `phases.sft.gpu_hours`."""
    plan = context.plan
    scalar = plan.scalars.get(name) or plan.scalars.get(f"phases.{name}")
    if scalar is not None:
        cells = {end: context.layout.names.scalars[scalar.name, end] for end in ENDS}
        fmt = context.scalar_formats[scalar.name]
        value = context.results.scalars[scalar.name]
        return _Figure(cells, value, fmt, context.symbol(scalar), scalar)
    parts = re.fullmatch(r"(phases)\.([^.]+)\.(\w+)|([\w.]+)\['([^']+)'\]\.(\w+)", name)
    if parts is None:
        return None
    table_name, row, column_name = (text for text in parts.groups() if text is not None)
    table = plan.tables.get(table_name)
    if table is None or row not in table.rows or column_name not in table.columns:
        return None
    column = table.columns[column_name]
    summary = context.layout.sheet("summary")
    cells = {
        end: context.printed(Cell(table_name, row, column_name, end), summary).text for end in ENDS
    }
    value = context.results.cell(table_name, row, column_name)
    fmt = context.column_format(table, column)
    return _Figure(cells, value, fmt, context.symbol(column), column)


def _live_text(context: Context, advice: str) -> tuple[str | None, str]:
    """A text with its figures as one formula, and what it says now."""
    pieces: list[str] = []
    parts: list[str] = []
    live = False
    for at, part in enumerate(re.split(r"\{\{\s*([^{}]*?)\s*\}\}", advice)):
        figure = _figure(context, part) if at % 2 else None
        if figure is None:
            shown = f"{{{{ {part} }}}}" if at % 2 else part
            parts.append(shown)
            pieces += [f'"{chunk}"' for chunk in _chunks(shown)]
            continue
        live = True
        parts.append(text(figure.value, figure.fmt, figure.symbol))
        pieces += _live_figure(figure)
    return ("&".join(pieces) if live else None), "".join(parts)


def _chunks(shown: str) -> list[str]:
    """Pieces that a formula's string takes, quotes doubled."""
    return [shown[at : at + 120].replace('"', '""') for at in range(0, len(shown), 120)]


def _live_figure(figure: _Figure) -> list[str]:
    fmt, unit = figure.fmt, [f'" {figure.symbol}"'] if figure.symbol else []
    shown = _live_number(figure.cells["value"], figure.quantity, fmt)
    if not figure.value.ranged or "[" not in text(figure.value, fmt):
        return [shown, *unit]
    plain = replace(fmt, approximate=False)
    low, high = (_live_number(figure.cells[end], figure.quantity, plain) for end in ("low", "high"))
    return [shown, '" ["', low, '"–"', high, '"]"', *unit]


def _live_number(cell: str, quantity: Quantity, fmt: Format) -> str:
    """FIXED knows the reader's own separators; TEXT would need its format in their language."""
    if quantity.kind != "number" or fmt.scientific:
        return cell
    mark, times = ('"~"&' if fmt.approximate else ""), ("*100" if fmt.percent else "")
    shown = f"{mark}FIXED({cell}{times},{fmt.decimals})" + ('&"%"' if fmt.percent else "")
    return f"IF(ISTEXT({cell}),{cell},{shown})" if quantity.may_reason else shown
