"""The Results sheet: headline figures, phases, charts, recommendations. Every figure is a
reference."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from scalesheet.frozen import dataclass
from scalesheet.language.syntax import ENDS, Cell, End
from scalesheet.model import Column, Quantity
from scalesheet.numbers import Format, excel_format, text
from scalesheet.quantities import DATE
from scalesheet.render.workbook.canvas import Canvas
from scalesheet.render.workbook.context import Context, ends_of, stored
from scalesheet.render.workbook.formats import Role
from scalesheet.render.workbook.front import write_headline
from scalesheet.render.workbook.layout import totals_of
from scalesheet.render.workbook.moves import write_moves
from scalesheet.render.workbook.pictures import write_picture
from scalesheet.render.workbook.places import TITLE, TOP, SheetPlan, absolute, relative
from scalesheet.render.workbook.tables import stored_column
from scalesheet.render.workbook.widths import heading_of
from scalesheet.resolve.lowering.costs import BEHIND
from scalesheet.values import Value

WIDTHS = (42.0, 14.0, 16.0, 14.0, 16.0, *(14.0,) * 10)
TEXT_COLUMNS = 8  # columns that a recommendation spans
FIGURE_TEXT = 4  # the column with a figure as text, for recommendations
FIGURE = r"\{\{\s*([^{}]*?)\s*\}\}"


def write_results(canvas: Canvas, context: Context, plan: SheetPlan) -> None:
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
    """The phases table in short: expected values, and ranges of additive columns."""
    table = context.plan.tables.get("phases")
    if table is None:
        return row
    canvas.text(row, TITLE, table.title or "Phases", "section")
    head, unit, first = row + 1, row + 2, row + 3
    canvas.text(head, TITLE, "Phase", "heading")
    canvas.text(unit, TITLE, "", "unit")
    for at, title in enumerate(table.row_titles, first):
        canvas.text(at, TITLE, title or table.rows[at - first], "label")
    total_row = first + len(table.rows)
    canvas.text(total_row, TITLE, "Total", "total_label")
    totals = dict(totals_of(table, context.plan))
    at = TITLE
    for column in (c for c in table.columns.values() if not c.hidden and c.name not in BEHIND):
        for end in _shown_ends(column, column.name in table.totals):
            at += 1
            numeric = column.kind == "number"
            role: Role = "heading_number" if numeric else "heading_text"
            canvas.text(head, at, heading_of(column, end), role)
            canvas.text(unit, at, context.symbol(column), "unit_number" if numeric else "unit")
            _phase_column(canvas, context, column, end, at, first)
            if column.unit == DATE and at >= len(WIDTHS):
                canvas.widths(WIDTHS[1], start=at)
            canvas.text(total_row, at, "", "total")
            if column.name in table.totals:
                name = totals[column.name]
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


# ------------------------------------------------------------------ recommendations


def _advice(canvas: Canvas, context: Context, row: int) -> int:
    """Write the plan's recommendations; figures in them are live, each in a row of its own
    below."""
    advices = context.plan.recommendations
    if not advices:
        return row
    canvas.text(row, TITLE, "Recommendations", "section")
    named = {n for text in advices for n in re.split(FIGURE, text)[1::2]}
    figures = {n: each for n in sorted(named) if (each := _figure(context, n)) is not None}
    first = row + len(advices) + 4
    places = {name: absolute(at, FIGURE_TEXT) for at, name in enumerate(figures, first)}
    for advice in advices:
        row += 1
        formula, text = _live_text(advice, figures, places)
        canvas.merged(row, TITLE, TEXT_COLUMNS, text, "plain")
        if formula is not None:
            canvas.formula(row, TITLE, formula, text, "advice")
    if not figures:
        return row + 2
    canvas.text(row + 2, TITLE, "Figures in the recommendations", "section")
    numbers = ("Low", "Expected", "High")
    canvas.heads(row + 3, ("Figure", *numbers, "As written"), numbers)
    for at, (name, figure) in enumerate(figures.items(), first):
        _figure_row(canvas, at, name, figure)
    return first + len(figures) + 1


def _figure_row(canvas: Canvas, row: int, name: str, figure: _Figure) -> None:
    canvas.text(row, TITLE, figure.quantity.title or name, "label")
    fmt = excel_format(figure.fmt) if figure.quantity.kind == "number" else ""
    for end in ends_of(figure.quantity):
        at = 1 + ENDS.index(end)
        canvas.formula(row, at, figure.cells[end], stored(figure.value, end), "either", fmt)
    shown = text(figure.value, figure.fmt, figure.symbol)
    canvas.formula(row, FIGURE_TEXT, _in_words(figure, row), shown, "word")


@dataclass(frozen=True, slots=True)
class _Figure:
    """A figure named in a text: the cells of its ends, its value, and its format."""

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
    results = context.layout.sheet("results")
    cells = {
        end: context.printed(Cell(table_name, row, column_name, end), results).text for end in ENDS
    }
    value = context.results.cell(table_name, row, column_name)
    fmt = context.column_format(table, column)
    return _Figure(cells, value, fmt, context.symbol(column), column)


def _live_text(
    advice: str, figures: Mapping[str, _Figure], places: Mapping[str, str]
) -> tuple[str | None, str]:
    """A text with its figures as one formula, and its current text."""
    pieces: list[str] = []
    parts: list[str] = []
    for at, part in enumerate(re.split(FIGURE, advice)):
        figure = figures.get(part) if at % 2 else None
        if figure is None:
            shown = f"{{{{ {part} }}}}" if at % 2 else part
            parts.append(shown)
            pieces += [f'"{chunk}"' for chunk in _chunks(shown)]
        else:
            parts.append(text(figure.value, figure.fmt, figure.symbol))
            pieces.append(places[part])
    live = any(piece in places.values() for piece in pieces)
    return ("&".join(pieces) if live else None), "".join(parts)


def _chunks(shown: str) -> list[str]:
    """Split text into strings that a formula accepts, with quotes doubled."""
    return [shown[at : at + 120].replace('"', '""') for at in range(0, len(shown), 120)]


def _in_words(figure: _Figure, row: int) -> str:
    """The figure in words, from the cells beside it."""
    low, value, high = (relative(row, at) for at in (1, 2, 3))
    fmt, unit = figure.fmt, f'&" {figure.symbol}"' if figure.symbol else ""
    if figure.quantity.kind != "number" or fmt.scientific:
        return f"{value}{unit or '&' + chr(34) * 2}"
    shown = _number(value, fmt)
    if figure.value.ranged and "[" in text(figure.value, fmt):
        plain = replace(fmt, approximate=False)
        shown += f'&" ["&{_number(low, plain)}&"–"&{_number(high, plain)}&"]"'
    shown += unit
    return f"IF(ISTEXT({value}),{value},{shown})" if figure.quantity.may_reason else shown


def _number(cell: str, fmt: Format) -> str:
    """FIXED uses the reader's separators; TEXT would need its format in their language."""
    if fmt.date:
        month, day = (f'RIGHT("0"&{part}({cell}),2)' for part in ("MONTH", "DAY"))
        return f'YEAR({cell})&"-"&{month}&"-"&{day}'
    mark, times = ('"~"&' if fmt.approximate else ""), ("*100" if fmt.percent else "")
    return f"{mark}FIXED({cell}{times},{fmt.decimals})" + ('&"%"' if fmt.percent else "")
