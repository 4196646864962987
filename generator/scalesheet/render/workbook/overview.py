"""The charts of the Summary: top inputs, a figure by phase, memory against capacity.

A native chart needs a range of cells. The data of these three is to their right, live: changes of
the result, lengths of error bars, and parts beside their capacity.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from scalesheet.frozen import dataclass
from scalesheet.language.syntax import Cell, End
from scalesheet.model import Column, Table
from scalesheet.numbers import excel_format, format_of
from scalesheet.pictures import Chart, Stack
from scalesheet.quantities import DATE
from scalesheet.render.workbook.canvas import Canvas
from scalesheet.render.workbook.context import Context, stored
from scalesheet.render.workbook.pictures import COLOURS, filled, font
from scalesheet.render.workbook.places import absolute, relative
from scalesheet.render.workbook.sensitivity import (
    RESULT_AT,
    arrange,
    figure_title,
    sheet_prefix,
)

WIDTH = 500  # of a chart, in pixels
PIXELS = 20  # of a row
WIDE = 8  # columns that a chart covers
MOST_BARS, MOST_INPUTS = 12, 6
#: The figure drawn by phase: the first of these that the plan has.
BY_PHASE = ("cost", "gross_gpu_hours", "gpu_hours", "hours")
CAPACITY = "#B4140A"


@dataclass(frozen=True, slots=True)
class _Row:
    """A bar: its title, and its cells as formulas with stored values; `{0}` is the first."""

    title: str
    cells: tuple[tuple[str, float | str], ...]


@dataclass(frozen=True, slots=True)
class _Block:
    """The data of one chart: `heads` names the series."""

    title: str
    unit: str
    fmt: str
    heads: tuple[str, ...]
    rows: tuple[_Row, ...]


def write_overview(canvas: Canvas, context: Context, row: int, column: int) -> int:
    """Write the charts below one another; return the next row."""
    behind, at = column + WIDE + 3, row
    canvas.text(row - 1, behind, "Chart data", "key")
    for make, block, rows in (
        (_tornado, _moves, 13),
        (_ends, _by_phase, 13),
        (_stack, _memory, 18),
    ):
        found = block(context)
        if found is None:
            continue
        cells = _written(canvas, found, at, behind)
        at += len(found.rows) + 3
        rows = max(rows, len(found.rows) + 6)  # room to label each bar
        made = make(canvas, found, cells)
        made.set_title({"name": found.title, "name_font": font(11, bold=True), "overlay": False})
        made.set_size({"width": WIDTH, "height": (rows - 1) * PIXELS})
        alt = f"{found.title}: {', '.join(found.heads)}, of {len(found.rows)} bars"
        place = {"description": alt, "object_position": 3}
        canvas.tally.check(canvas.sheet.insert_chart(row, column, made, place), "chart")
        row += rows
    return row


def _written(canvas: Canvas, block: _Block, row: int, column: int) -> list[list[str | int]]:
    """Write the data; return the ranges of the titles and of each series."""
    canvas.text(row, column, block.title, "key")
    for at, head in enumerate(block.heads, column + 1):
        canvas.text(row, at, head, "key")
    for below, each in enumerate(block.rows, row + 1):
        canvas.text(below, column, each.title, "key")
        own = [relative(below, at) for at in range(column + 1, column + 1 + len(each.cells))]
        for at, (formula, value) in enumerate(each.cells, column + 1):
            canvas.formula(below, at, _filled_in(formula, own), value, "number", block.fmt)
    last = row + len(block.rows)
    return [
        [canvas.name, row + 1, at, last, at] for at in range(column, column + len(block.heads) + 1)
    ]


def _filled_in(formula: str, own: Sequence[str]) -> str:
    for number, cell in enumerate(own):
        formula = formula.replace(f"{{{number}}}", cell)
    return formula


def _axes(made: Any, block: _Block, *, bar: bool) -> None:
    categories = {
        "num_font": font(9),
        "reverse": bar,
        "label_position": "low",
        "crossing": "max" if bar else None,
        "interval_unit": 1,  # label every bar
    }
    values = {
        "name": block.unit,
        "name_font": font(9),
        "num_font": font(9),
        "num_format": block.fmt,
        "major_gridlines": {"visible": True, "line": {"color": "#D9D9D9", "width": 0.5}},
    }
    made.set_x_axis(values if bar else categories)
    made.set_y_axis(categories if bar else values)


# ------------------------------------------------------------------ top inputs


def _moves(context: Context) -> _Block | None:
    """The changes of the first headline figure by its top inputs."""
    listings = arrange(context) if context.sensitivity is not None else ()
    if not listings:
        return None
    listing, sheet = listings[0], sheet_prefix(context)
    scalar = context.plan.scalars[listing.ranking.name]
    ranking = listing.ranking
    rows = []
    for at, effect in enumerate(listing.effects[:MOST_INPUTS], listing.first):
        results = [stored(each, "value") for each in (effect.low, ranking.value, effect.high)]
        if not all(isinstance(each, float) for each in results):
            continue
        low, now, high = (float(each) for each in results)
        was = f"{sheet}{absolute(at, RESULT_AT['value'])}"
        ends: tuple[tuple[End, float], ...] = (("low", low - now), ("high", high - now))
        cells = tuple((f"{sheet}{absolute(at, RESULT_AT[end])}-{was}", by) for end, by in ends)
        rows.append(_Row(effect.lever.title, cells))
    fmt = excel_format(format_of(scalar, ranking.values, context.book.units))
    fmt = "#,##0.0" if scalar.unit == DATE else fmt.removeprefix('"~"')
    title = f"Sensitivity: {scalar.title or scalar.name}"
    unit = f"change in {context.symbol(scalar) or figure_title(context, scalar.name)}"
    heads = ("Input at its low side", "Input at its high side")
    return _Block(title, unit, fmt, heads, tuple(rows)) if rows else None


def _tornado(canvas: Canvas, block: _Block, cells: Sequence[list[str | int]]) -> Any:
    made = canvas.book.add_chart({"type": "bar"})
    for name, values, colour in zip(block.heads, cells[1:], COLOURS, strict=False):
        made.add_series(
            {
                "name": name,
                "categories": cells[0],
                "values": values,
                "fill": {"color": colour},
                "overlap": 100,
                "gap": 50,
            }
        )
    made.set_legend({"position": "bottom", "font": font(9)})
    _axes(made, block, bar=True)
    return made


# ------------------------------------------------------------------ by phase, with ranges


def _by_phase(context: Context) -> _Block | None:
    """Cost or hours of the phases, or else the plan's first chart."""
    drawn = _drawn(context)
    if drawn is None:
        return None
    table, column = drawn
    fmt = excel_format(context.column_format(table, column))
    rows = []
    for row, title in list(zip(table.rows, table.row_titles, strict=True))[:MOST_BARS]:
        ends = {end: _cell(context, table, row, column, end) for end in ("low", "value", "high")}
        value = ends["value"]
        if not isinstance(value[1], float):
            continue
        low, high = (float(ends[end][1]) for end in ("low", "high"))
        spans = (
            ("IF(COUNT({0},{1})=2,{0}-{1},0)", value[1] - low),
            (
                "IF(COUNT({0},{2})=2,{2}-{0},0)",
                high - value[1],
            ),
        )
        rows.append(_Row(title or row, (value, ends["low"], ends["high"], *spans)))
    name = column.title or column.name
    heads = (name, "Low", "High", "To the low end", "To the high end")
    title = f"{name}, {(table.title or table.name).lower()}, with ranges"
    return _Block(title, context.symbol(column), fmt, heads, tuple(rows)) if rows else None


def _drawn(context: Context) -> tuple[Table, Column] | None:
    phases = context.plan.tables.get("phases")
    if phases is not None:
        for name in BY_PHASE:
            if name in phases.columns and not phases.columns[name].hidden:
                return phases, phases.columns[name]
    for chart in context.plan.charts:
        if isinstance(chart, Chart) and chart.kind != "calendar":
            table = context.tables[chart.table]
            return table, table.columns[chart.column]
    return None


def _cell(
    context: Context, table: Table, row: str, column: Column, end: End
) -> tuple[str, float | str]:
    at: End = end if column.ranged else "value"
    summary = context.layout.sheet("summary")
    where = context.printed(Cell(table.name, row, column.name, at), summary).text
    return where, stored(context.results.cell(table.name, row, column.name), at)


def _ends(canvas: Canvas, block: _Block, cells: Sequence[list[str | int]]) -> Any:
    made = canvas.book.add_chart({"type": "bar"})
    less, more = (_reference(each) for each in cells[4:])
    made.add_series(
        {
            "name": block.heads[0],
            "categories": cells[0],
            "values": cells[1],
            "fill": {"color": COLOURS[0]},
            "gap": 50,
            "x_error_bars": {"type": "custom", "plus_values": more, "minus_values": less},
        }
    )
    # Invisible: without it, a program does not make the axis long enough for error bars.
    unseen = {"fill": {"none": True}, "overlap": 100}
    made.add_series({"name": block.heads[2], "values": cells[3], **unseen})
    made.set_legend({"none": True})
    _axes(made, block, bar=True)
    return made


def _reference(cells: Sequence[str | int]) -> str:
    sheet, first, left, last, right = cells
    return f"='{sheet}'!{absolute(int(first), int(left))}:{absolute(int(last), int(right))}"


# ------------------------------------------------------------------ memory against capacity


def _memory(context: Context) -> _Block | None:
    """The plan's first stack with a capacity: one bar per row, with its parts and the capacity."""
    stack = next((p for p in context.plan.charts if isinstance(p, Stack) and p.capacity), None)
    if stack is None:
        return None
    table = context.tables[stack.table]
    parts = list(_parts(context, table, stack))[:MOST_BARS]
    names = stack.parts or table.rows
    heads = [table.columns[n].title for n in stack.parts] or list(table.row_titles)
    column = table.columns[(stack.parts or stack.bars)[0]]
    fmt = excel_format(context.column_format(table, column))
    assert len(names) == len(heads)
    title = f"{stack.title}, with the capacity"
    unit = context.symbol(column)
    return _Block(title, unit, fmt, (*heads, "Capacity"), tuple(parts)) if parts else None


def _parts(context: Context, table: Table, stack: Stack) -> Iterator[_Row]:
    columns = table.columns
    if stack.parts:
        for row, title in zip(table.rows, table.row_titles, strict=True):
            cells = [_cell(context, table, row, columns[n], "value") for n in stack.parts]
            yield _Row(title or row, (*cells, _capacity(context, table, row, stack)))
        return
    for name in stack.bars:
        cells = [_cell(context, table, row, columns[name], "value") for row in table.rows]
        yield _Row(columns[name].title, (*cells, _capacity(context, table, "", stack)))


def _capacity(context: Context, table: Table, row: str, stack: Stack) -> tuple[str, float | str]:
    if row and stack.capacity in table.columns:
        return _cell(context, table, row, table.columns[stack.capacity], "value")
    where = context.layout.names.scalars[stack.capacity, "value"]
    return where, stored(context.results.scalars[stack.capacity], "value")


def _stack(canvas: Canvas, block: _Block, cells: Sequence[list[str | int]]) -> Any:
    made = canvas.book.add_chart({"type": "column", "subtype": "stacked"})
    for number, (name, values) in enumerate(zip(block.heads[:-1], cells[1:-1], strict=True)):
        made.add_series(
            {"name": name, "categories": cells[0], "values": values, **filled(number), "gap": 60}
        )
    line = canvas.book.add_chart({"type": "line"})
    mark = {"type": "long_dash", "size": 12, "fill": {"color": CAPACITY}}
    line.add_series(
        {
            "name": block.heads[-1],
            "categories": cells[0],
            "values": cells[-1],
            "line": {"none": True},
            "marker": mark | {"border": {"color": CAPACITY}},
        }
    )
    made.combine(line)
    made.set_legend({"position": "bottom", "font": font(8)})
    _axes(made, block, bar=False)
    return made
