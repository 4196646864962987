"""Widths of a table's columns: as wide as their widest number or word, within limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from scalesheet.language.syntax import ENDS, End
from scalesheet.model import Column, Quantity, Table
from scalesheet.numbers import Format, number, plain
from scalesheet.render.workbook.canvas import Canvas
from scalesheet.render.workbook.context import Context, ends_of
from scalesheet.render.workbook.places import KEY, REMARKS, TITLE, SheetPlan, TablePlace
from scalesheet.values import Series, Value

NARROWEST, WIDEST_NUMBER, WIDEST_TEXT = 10.5, 22.0, 30.0
TITLE_WIDTH, KEY_WIDTH = (24.0, 40.0), (14.0, 30.0)
SOURCE_WIDTH, NOTE_WIDTH = 44.0, 70.0
LINE_WIDTH, CASE_WIDTH, SPACER_WIDTH = (24.0, 52.0), 16.0, 2.0  # of a turned table
IN_USE = "_in_use"
REMARK_WIDTHS = (26.0, 72.0, 60.0)


def heading_of(quantity: Quantity, end: End) -> str:
    title = quantity.title or quantity.name
    return title if end == "value" else f"{title}, {end}"


def in_use_headings(table: Table, place: TablePlace) -> Iterator[tuple[int, str, str]]:
    """Yield where values in use are, their headings, and their names."""
    for name in place.used:
        column = table.columns[name]
        for end in ends_of(column):
            ending = "" if end == "value" else f"_{end}"
            yield place.read(name, end), heading_of(column, end), f"{name}{ending}{IN_USE}"


def set_widths(
    canvas: Canvas, context: Context, plan: SheetPlan, places: Sequence[TablePlace]
) -> None:
    """Make each column as wide as its widest number or word, within limits."""
    wanted: dict[int, float] = {TITLE: TITLE_WIDTH[0], KEY: KEY_WIDTH[0]}
    used: dict[int, float] = {}  # as wide as the widest of them

    def need(column: int, width: float) -> None:
        wanted[column] = max(wanted.get(column, NARROWEST), width)

    for group in plan.groups:
        need(TITLE, TITLE_WIDTH[1] - 6)
        longest = max((len(name) for name in group.scalars), default=0)
        need(KEY, min(longest * 0.95 + 2, KEY_WIDTH[1]))
        for column in range(2, 6):
            need(column, 13)
    for place in places:
        table = context.tables[place.name]
        if place.turned:
            wanted |= _of_lines(context, table, place)
            continue
        need(TITLE, min(max(map(len, table.row_titles)) * 1.02 + 2, TITLE_WIDTH[1]))
        need(KEY, min(max(map(len, table.rows)) * 0.95 + 2, KEY_WIDTH[1]))
        for name, triple in place.columns.items():
            column_ = table.columns[name]
            width = _width(context, table, column_)
            for end in ends_of(column_):
                need(triple[ENDS.index(end)], width)
            if name in place.used:
                used |= dict.fromkeys(place.used[name], width)
        if place.source is not None:
            need(place.source, SOURCE_WIDTH)
        if place.note is not None:
            need(place.note, NOTE_WIDTH)
    for at, width in sorted(wanted.items()):
        canvas.widths(width, start=at)
    if used:
        canvas.width(max(used.values()), min(used), max(used))


def _of_lines(context: Context, table: Table, place: TablePlace) -> dict[int, float]:
    """Widths for a turned table: all of its cases are as wide as the widest."""
    columns = table.columns.values()
    names = max(len(column.name) + 5 * column.ranged for column in columns)
    shown = max(_contents(context, table, c) for c in columns if c.kind != "text")
    title = max(len(heading_of(column, end)) for column in columns for end in ends_of(column))
    line = min(max(title + 2.0, LINE_WIDTH[0]), LINE_WIDTH[1])
    widths = [line, KEY_WIDTH[0], min(names * 0.95 + 2, KEY_WIDTH[1])]
    case = min(max(shown + 1.5, CASE_WIDTH), WIDEST_NUMBER)
    widths += [case] * len(table.rows) + [SPACER_WIDTH]
    widths += [CASE_WIDTH] * (place.last_column - REMARKS - place.spacer)
    return dict(enumerate((*widths, *REMARK_WIDTHS)))


def _width(context: Context, table: Table, column: Column) -> float:
    words = [word for end in ends_of(column) for word in heading_of(column, end).split()]
    heading = max(map(len, words), default=0) * 1.2
    under = max(len(column.name) + (5 if column.ranged else 0), len(context.symbol(column))) * 0.92
    limit = WIDEST_NUMBER if column.kind == "number" else WIDEST_TEXT
    return min(max(heading, under, _contents(context, table, column)) + 1.5, limit)


def _contents(context: Context, table: Table, column: Column) -> float:
    """The width of the widest cell of a column."""
    series = context.results.tables[table.name][column.name]
    if column.kind == "number":
        return _widest(series, context.column_format(table, column))
    return max((len(plain(value, Format())) for value in series), default=0) * 1.02


def _widest(series: Series, fmt: Format) -> float:
    """The width of the widest number. With fixed decimals, it is the smallest or the largest."""
    if fmt.scientific:
        return max((_number_width(value, fmt) for value in series), default=0.0)
    arrays = [each for each in (series.low, series.value, series.high) if each is not None]
    numbers = np.concatenate(arrays).astype(np.float64)
    numbers = numbers[~np.isnan(numbers)]
    ends = (float(numbers.min()), float(numbers.max())) if len(numbers) else ()
    values = [Value(reason=reason) for reason in series.reasons.values()]
    values += [Value.number(end) for end in ends]
    return max((_number_width(value, fmt) for value in values), default=0.0)


def _number_width(value: Value, fmt: Format) -> float:
    if value.reason is not None:
        return min(len(value.reason) * 0.6, 16.0)
    ends = [x for x in (value.low, value.value, value.high) if isinstance(x, float)]
    return max((len(number(x, fmt)) * 1.12 for x in ends), default=0.0)
