"""The charts of a plan as native charts of the workbook, with alternative text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from scalesheet.model import Column, Table
from scalesheet.numbers import excel_format
from scalesheet.pictures import Chart, Picture, Scatter, Stack
from scalesheet.quantities import DATE
from scalesheet.render.workbook.canvas import Canvas
from scalesheet.render.workbook.context import Context
from scalesheet.render.workbook.places import TITLE, TablePlace

ROWS = 20  # rows of a sheet that a chart covers
SIZE = {"width": 860, "height": 380}
INK = "#404040"
COLOURS = ("#2F6690", "#B4540A", "#14796B", "#8A3C9B", "#6B7280", "#A3872A")
PATTERNS = ("", "wide_upward_diagonal", "wide_downward_diagonal", "percent_20")


def write_picture(canvas: Canvas, context: Context, picture: Picture, row: int) -> int:
    """Write a chart from this row on; return the row below it.

    A sweep is skipped, because its values are not in cells.
    """
    if type(picture) not in _MADE:
        return row
    made = _MADE[type(picture)](canvas, context, picture)
    made.set_title({"name": picture.title, "name_font": font(12, bold=True), "overlay": False})
    made.set_size(SIZE)
    code = canvas.sheet.insert_chart(
        row, TITLE, made, {"description": picture.alt, "object_position": 2, "x_offset": 4}
    )
    canvas.tally.check(code, f"chart {picture.id}")
    return row + ROWS + 1


def _chart(canvas: Canvas, context: Context, chart: Chart) -> Any:
    """One column of a table over its rows.

    A calendar has full bars, with an invisible part up to where each begins.
    """
    table = context.tables[chart.table]
    place = context.layout.tables[chart.table]
    column = table.columns[chart.column]
    bar = chart.kind != "column"  # rows from top to bottom, as in the table
    made = canvas.book.add_chart({"type": "bar" if bar else "column"})
    fmt = context.column_format(table, column)
    series = {
        "name": column.title or column.name,
        "categories": cells_of(place, place.titles),
        "values": cells_of(place, place.columns[chart.column][1]),
        "fill": {"color": COLOURS[0]},
        "gap": 60,
        "data_labels": {"value": True, "num_format": excel_format(fmt), "font": font(9)},
    }
    made.add_series({**series, "overlap": 100} if chart.start else series)
    if chart.start:
        made.add_series(
            {
                **series,
                "name": table.columns[chart.start].title,
                "values": cells_of(place, place.columns[chart.start][1]),
                "fill": {"color": "#FFFFFF"},
                "data_labels": {"value": False},
            }
        )
    made.set_legend({"none": True})
    _axes(made, context, table, column, bar=bar)
    return made


def _stack(canvas: Canvas, context: Context, stack: Stack) -> Any:
    """Stacked bars of parts, without a line for the capacity.

    If rows are parts of several bars, they are side by side instead: a native series is one range
    of cells.
    """
    table = context.tables[stack.table]
    place = context.layout.tables[stack.table]
    alone = len(stack.bars) == 1
    made = canvas.book.add_chart(
        {"type": "bar", "subtype": "stacked"} if stack.parts or alone else {"type": "bar"}
    )
    names = stack.parts or stack.bars
    at = place.columns[names[0]][1]
    if alone:
        each = {t: cells_of(place, at, n) for n, t in enumerate(table.row_titles)}
    else:
        each = {table.columns[n].title: cells_of(place, place.columns[n][1]) for n in names}
    for n, (title, cells) in enumerate(each.items()):
        series: dict[str, Any] = {
            # the title of a row follows its number when the table is sorted
            "name": cells_of(place, place.titles, n)[:3] if alone else title,
            "values": cells,
            **filled(n),
            "gap": 60,
        }
        if not alone:
            series["categories"] = cells_of(place, place.titles)
        made.add_series(series)
    made.set_legend({"position": "bottom", "font": font(9)} if len(each) > 1 else {"none": True})
    column = table.columns[names[0]]
    if stack.parts:
        column = replace(column, title=_title(context, table, stack.totals[0]))
    elif not alone:
        column = replace(column, title=table.title)
    _axes(made, context, table, column, bar=True, labelled=not alone)
    return made


def cells_of(place: TablePlace, column: int, row: int | None = None) -> list[str | int]:
    """Sheet and cells of a table's column, or of one row of it, as XlsxWriter takes them."""
    rows = (place.first, place.spacer - 1) if row is None else (place.first + row,) * 2
    return [place.sheet, *place.at(rows[0], column), *place.at(rows[1], column)]


def _title(context: Context, table: Table, name: str) -> str:
    """The title of a total: a column of the table, or a scalar."""
    return (table.columns.get(name) or context.plan.scalars[name]).title


def _scatter(canvas: Canvas, context: Context, scatter: Scatter) -> Any:
    """Points labeled with the titles of their rows; only the pages draw the frontier."""
    table, place = context.tables[scatter.table], context.layout.tables[scatter.table]
    made = canvas.book.add_chart({"type": "scatter"})
    # a text that begins with = would be taken for a formula
    titles = [{"value": f" {t}" if t.startswith("=") else t} for t in table.row_titles]
    made.add_series(
        {
            "name": scatter.title,
            "categories": cells_of(place, place.columns[scatter.x][1]),
            "values": cells_of(place, place.columns[scatter.y][1]),
            "marker": {"type": "circle", "size": 7, "fill": {"color": COLOURS[0]}},
            "data_labels": {"custom": titles, "value": True, "font": font(9)},
        }
    )
    made.set_legend({"none": True})
    made.set_x_axis(_numbers(context, table, table.columns[scatter.x]))
    made.set_y_axis(_numbers(context, table, table.columns[scatter.y]))
    return made


def filled(part: int) -> dict[str, Any]:
    """The color of a part, and its texture if it has one."""
    colour = COLOURS[part % len(COLOURS)]
    if texture := PATTERNS[part % len(PATTERNS)]:
        return {"pattern": {"pattern": texture, "fg_color": "#FFFFFF", "bg_color": colour}}
    return {"fill": {"color": colour}}


def _axes(
    made: Any, context: Context, table: Table, column: Column, *, bar: bool, labelled: bool = True
) -> None:
    categories = {
        "num_font": font(9),
        "major_gridlines": {"visible": False},
        "reverse": bar,
        "crossing": "max" if bar else None,
        "visible": labelled,
    }
    values = _numbers(context, table, column)
    # XlsxWriter swaps the axes of a bar chart, so that x is always horizontal
    made.set_x_axis(values if bar else categories)
    made.set_y_axis(categories if bar else values)


def _numbers(context: Context, table: Table, column: Column) -> dict[str, Any]:
    """The axis for the numbers of a column."""
    unit = context.symbol(column)
    return {
        "name": f"{column.title} ({unit})" if unit else column.title,
        "name_font": font(9),
        "num_font": font(9),
        "min": None if column.unit == DATE else 0,
        "num_format": excel_format(context.column_format(table, column)),
        "major_gridlines": {"visible": True, "line": {"color": "#D9D9D9", "width": 0.5}},
    }


def font(size: int, *, bold: bool = False) -> dict[str, object]:
    return {"name": "Arial", "size": size, "bold": bold, "color": INK}


_MADE: Mapping[type, Callable[..., Any]] = {Chart: _chart, Stack: _stack, Scatter: _scatter}
