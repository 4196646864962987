"""The tables of a plan: row by row with totals and sources, or drawn as a grid of two axes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from scalesheet.model import Column, Plan, Stated, Table
from scalesheet.numbers import Format, format_of
from scalesheet.render.pages.context import Context, edit_link, value_of
from scalesheet.render.pages.figures import cell, cells, ends, kind
from scalesheet.render.pages.html import Html, join, link, tag
from scalesheet.render.pages.places import SCENARIO, cells_by, column_anchor, computed
from scalesheet.render.pages.tables import grid, heading_cell, reference, sourced
from scalesheet.values import Results, Series, Value

MOST_BESIDE = 2  # columns whose ranges stand beside the values; with more they stand below


@dataclass(frozen=True)
class _Drawing:
    """A table of a plan with its values."""

    context: Context
    plan: Plan
    table: Table
    results: Results

    @cached_property
    def columns(self) -> list[Column]:
        """What a page shows: neither machinery nor the axes of a cross table."""
        axes = {column for column, _ in self.table.each}
        return [c for c in self.table.columns.values() if not c.hidden and c.name not in axes]

    @cached_property
    def axes(self) -> list[Column]:
        return [self.table.columns[column] for column, _ in self.table.each]

    @cached_property
    def formats(self) -> dict[str, Format]:
        units = self.context.book.units
        return {c.name: format_of(c, self.series(c), units) for c in self.table.columns.values()}

    @cached_property
    def beside(self) -> frozenset[str]:
        """The columns whose ranges have a cell of their own."""
        ranged = frozenset(
            c.name
            for c in self.columns
            if any(ends(value, self.formats[c.name]) for value in self.series(c))
        )
        return ranged if len(ranged) <= MOST_BESIDE else frozenset()

    @cached_property
    def stated(self) -> dict[str, Mapping[str, Stated]]:
        """The stated cells of each column in the scenario at hand."""
        scenario = str(self.results.scalars.get(SCENARIO, Value()).value)
        return {c.name: cells_by(self.plan, self.table, c, scenario) for c in self.columns}

    def series(self, column: Column) -> Series:
        return self.results.tables[self.table.name][column.name]


def plan_table(context: Context, plan: Plan, table: Table, results: Results) -> Html:
    """A table with its note and, folded away, where its stated numbers come from."""
    drawing = _Drawing(context, plan, table, results)
    drawn = _rows(drawing) if table.show is None else _crossed(drawing)
    note = tag("p", table.note, class_="note") if table.note else None
    return join([drawn, note, _rests(drawing)], "\n")


# ------------------------------------------------------------------ row by row


def _rows(drawing: _Drawing) -> Html:
    table = drawing.table
    head = [heading_cell(axis.title) for axis in drawing.axes] or [heading_cell(table.title)]
    head += [part for column in drawing.columns for part in _heading(drawing, column)]
    body: list[list[Html]] = []
    for n, row in enumerate(drawing.results.rows[table.name]):
        first = [_reference(drawing, axis, drawing.series(axis)[n], "th") for axis in drawing.axes]
        first = first or [tag("th", drawing.context.row_title(table, row), scope="row")]
        body.append([*first, *(_cell(drawing, column, n, row) for column in drawing.columns)])
    caption = tag("strong", table.title) if drawing.axes else None
    return grid(head, body, foot=_totals(drawing), caption=caption)


def _heading(drawing: _Drawing, column: Column) -> Iterator[Html]:
    """The heading of a column, which leads to its formula, and that of its ranges."""
    title, symbol = _linked(drawing, column), drawing.context.symbol(column)
    yield heading_cell(title, symbol, number=column.kind == "number")
    if column.name in drawing.beside:
        yield tag("th", "range", scope="col", class_="range")


def _linked(drawing: _Drawing, column: Column) -> object:
    if not computed(drawing.plan, drawing.table, column):
        return column.title
    return link(f"#{column_anchor(drawing.table.name, column.name)}", column.title)


def _cell(drawing: _Drawing, column: Column, n: int, row: str) -> Html:
    value, fmt = drawing.series(column)[n], drawing.formats[column.name]
    if column.kind == "reference" and value.reason is None:
        return _reference(drawing, column, value, "td")
    if column.kind == "word" and isinstance(value.value, str):
        return tag("td", value.value.replace("_", " "))
    stated = column.kind == "number" and row in drawing.stated[column.name]
    if column.name in drawing.beside:
        return cells(value, fmt, input_=stated)
    return cell(value, fmt, input_=stated)


def _reference(drawing: _Drawing, column: Column, value: Value, element: str) -> Html:
    shown = reference(drawing.context, drawing.plan, column, value)
    return tag(element, shown, scope="row" if element == "th" else None)


def _totals(drawing: _Drawing) -> list[Html] | None:
    """The totals below their columns; where rows have no number it says how many count."""
    table = drawing.table
    if not table.totals:
        return None
    found = [tag("th", "Total", scope="row", colspan=len(drawing.axes) or None)]
    for column in drawing.columns:
        name = f"{table.name}.total.{column.name}"
        if column.name not in table.totals or name not in drawing.results.scalars:
            found.append(tag("td", colspan=2 if column.name in drawing.beside else None))
            continue
        value = drawing.results.scalars[name]
        scalar = drawing.plan.scalars[name]
        fmt = format_of(scalar, [value], drawing.context.book.units)
        found.append(cells(value, fmt) if column.name in drawing.beside else cell(value, fmt))
        series = drawing.series(column)
        if series.reasons:
            counted = f"{len(series) - len(series.reasons)} of {len(series)} rows"
            told = tag("span", counted, class_="range")
            found[-1] = Html(f"{found[-1].removesuffix('</td>')}{told}</td>")
    return found


# ------------------------------------------------------------------ a grid of two axes


def _crossed(drawing: _Drawing) -> Html:
    """One column of a cross table, drawn down one axis and across the other."""
    table = drawing.table
    assert table.show is not None
    down, across, shown = (table.columns[name] for name in table.show)
    values = zip(drawing.series(down), drawing.series(across), strict=True)
    at = {(below.value, beside.value): n for n, (below, beside) in enumerate(values)}
    downs = dict.fromkeys(below for below, _ in at)
    acrosses = dict.fromkeys(beside for _, beside in at)
    number = shown.kind == "number"
    head = [heading_cell(down.title)]
    for each in acrosses:
        title = reference(drawing.context, drawing.plan, across, Value(each))
        head.append(heading_cell(title, number=number))
    series, fmt = drawing.series(shown), drawing.formats[shown.name]
    body: list[list[Html]] = []
    for each in downs:
        row = [_reference(drawing, down, Value(each), "th")]
        for other in acrosses:
            n = at.get((each, other))
            row.append(tag("td") if n is None else cell(series[n], fmt))
        body.append(row)
    symbol = drawing.context.symbol(shown)
    unit = [" in ", tag("span", symbol, class_="unit")] if symbol else []
    caption = join([tag("strong", table.title), ": ", _linked(drawing, shown), *unit])
    return grid(head, body, caption=caption)


# ------------------------------------------------------------------ what its inputs rest on


def _rests(drawing: _Drawing) -> Html | None:
    """Kind, source and note of every stated number of the table, folded away."""
    rows = [_rest(drawing, column, row, stated) for column, row, stated in _stated_cells(drawing)]
    if not rows:
        return None
    head = [heading_cell("Row"), heading_cell("Column"), heading_cell("Value", number=True)]
    head += [heading_cell(title) for title in ("Kind", "Source and note", "")]
    count = f"{len(rows)} stated number{'s' if len(rows) > 1 else ''}"
    summary = f"Where the {count} of this table come{'' if len(rows) > 1 else 's'} from"
    return tag("details", tag("summary", summary), grid(head, rows, records=True), class_="quiet")


def _stated_cells(drawing: _Drawing) -> Iterator[tuple[Column, str, Stated]]:
    for row in drawing.table.rows:
        for column in drawing.columns:
            stated = drawing.stated[column.name].get(row)
            if stated is not None and (column.kind == "number" or stated.reason):
                yield column, row, stated


def _rest(drawing: _Drawing, column: Column, row: str, stated: Stated) -> list[Html]:
    context = drawing.context
    fmt = format_of(column, [value_of(stated)], context.book.units)
    notes = sourced(context, stated, column.note, drawing.plan.citation)
    return [
        tag("th", context.row_title(drawing.table, row), scope="row"),
        tag("td", column.title),
        cell(value_of(stated), fmt, context.symbol(column), input_=True),
        tag("td", kind(stated.basis)),
        tag("td", *notes, class_="words"),
        tag("td", edit_link(context, stated.position, "edit"), class_="num"),
    ]
