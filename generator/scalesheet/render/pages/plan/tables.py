"""The tables of a plan: row by row with totals and sources, or as a grid of two axes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from scalesheet.frozen import dataclass
from scalesheet.model import Column, Key, Plan, Stated, Table
from scalesheet.numbers import Format, format_of
from scalesheet.render.pages.context import Context, address, edit_link
from scalesheet.render.pages.figures import amount, bound, cell, cells, ends, kind
from scalesheet.render.pages.html import Html, join, link, tag
from scalesheet.render.pages.marks import by_scenario, mark, of_cell
from scalesheet.render.pages.places import row_page
from scalesheet.render.pages.plan.prose_figures import Here, open_bound
from scalesheet.render.pages.tables import grid, heading_cell, reference, sourced
from scalesheet.scenarios import SCENARIO, cells_by, computed
from scalesheet.values import Results, Series, Value
from scalesheet.vocabulary import counted

MOST_BESIDE = 2  # columns that may show ranges beside their values; with more, ranges go below


@dataclass(frozen=True)
class _Drawing:
    """Draws a table of a plan with its values, on a page of the plan.

    `only` is a column that refers to another table, and a row of that: only rows that refer to it
    are shown, without the column.
    """

    context: Context
    plan: Plan
    table: Table
    results: Results
    here: Here
    only: tuple[str, str] | None = None

    @cached_property
    def columns(self) -> list[Column]:
        """The visible columns: neither hidden ones nor the axes of a cross table."""
        axes = {column for column, _ in self.table.each}
        if self.only is not None:
            axes.add(self.only[0])
        return [c for c in self.table.columns.values() if not c.hidden and c.name not in axes]

    @cached_property
    def axes(self) -> list[Column]:
        names = [column for column, _ in self.table.each]
        return [self.table.columns[c] for c in names if self.only is None or c != self.only[0]]

    @cached_property
    def rows(self) -> list[tuple[int, str]]:
        """The visible rows, with their numbers in the table."""
        numbered = list(enumerate(self.results.rows[self.table.name]))
        if self.only is None:
            return numbered
        column, row = self.only
        belongs = self.series(self.table.columns[column])
        return [(n, id_) for n, id_ in numbered if belongs[n].value == row]

    @cached_property
    def formats(self) -> dict[str, Format]:
        units = self.context.book.units
        return {c.name: format_of(c, self.series(c), units) for c in self.table.columns.values()}

    @cached_property
    def beside(self) -> frozenset[str]:
        """The columns whose ranges get a cell of their own."""
        ranged = frozenset(
            c.name
            for c in self.columns
            if any(ends(value, self.formats[c.name]) for value in self.series(c))
        )
        return ranged if len(ranged) <= MOST_BESIDE else frozenset()

    @cached_property
    def stated(self) -> dict[str, Mapping[str, Stated]]:
        """The stated cells of each column in the current scenario."""
        return {c.name: cells_by(self.table, c, self.scenario) for c in self.columns}

    @property
    def scenario(self) -> str:
        return str(self.results.scalars.get(SCENARIO, Value()).value)

    def series(self, column: Column) -> Series:
        return self.results.tables[self.table.name][column.name]


def plan_table(
    context: Context,
    plan: Plan,
    table: Table,
    results: Results,
    here: Here | None = None,
    only: tuple[str, str] | None = None,
) -> Html:
    """A table with its note and, folded, the origin of its stated numbers; or `only` some of its
    rows."""
    drawing = _Drawing(context, plan, table, results, here or Here(plan.id), only)
    drawn = _crossed(drawing) if table.show is not None and only is None else _rows(drawing)
    note = tag("p", table.note, class_="note") if table.note else None
    return join([drawn, note, _rests(drawing)], "\n")


# ------------------------------------------------------------------ row by row


def _rows(drawing: _Drawing) -> Html:
    table = drawing.table
    head = [heading_cell(axis.title) for axis in drawing.axes] or [heading_cell(table.title)]
    head += [part for column in drawing.columns for part in _heading(drawing, column)]
    body: list[list[Html]] = []
    for n, row in drawing.rows:
        first = [_axis(drawing, axis, drawing.series(axis)[n]) for axis in drawing.axes]
        first = first or [tag("th", _row_title(drawing, row), scope="row")]
        body.append([*first, *(_cell(drawing, column, n, row) for column in drawing.columns)])
    caption = tag("strong", table.title) if drawing.axes else None
    return grid(head, body, foot=_totals(drawing), caption=caption)


def _row_title(drawing: _Drawing, row: str) -> Html | str:
    """The title of a row, linked if it has a page, with its note."""
    title: Html | str = drawing.context.row_title(drawing.table, row)
    page = row_page(drawing.plan, drawing.table.name, row)
    if page and page != drawing.here.page:
        title = link(f"{page}.md", title)
    note = drawing.table.row_notes.get(row)
    return join([title, tag("span", note, class_="note")]) if note else title


def _heading(drawing: _Drawing, column: Column) -> Iterator[Html]:
    """Yield the heading of a column, linked to its formula, and that of its ranges."""
    title, symbol = _linked(drawing, column), drawing.context.symbol(column)
    unit = "" if symbol == column.title.lower() else symbol  # not "Steps steps"
    yield heading_cell(title, unit, number=column.kind == "number")
    if column.name in drawing.beside:
        yield tag("th", "range", scope="col", class_="range")


def _linked(drawing: _Drawing, column: Column) -> object:
    if not computed(column):
        return column.title
    key = Key(column.name, drawing.table.name)
    return link(address(drawing.context, drawing.plan, key, drawing.here.page), column.title)


def _cell(drawing: _Drawing, column: Column, n: int, row: str) -> Html:
    value, fmt = drawing.series(column)[n], drawing.formats[column.name]
    stated = row in drawing.stated[column.name]
    still = stated and column.kind in ("text", "date")
    of = None if still or value == Value() else of_cell(drawing.table.name, row, column.name)
    if column.kind in ("reference", "word") and value.reason is None:
        live = mark(of, "row" if column.kind == "reference" else "word")
        choice = "" if stated and of else None
        return tag("td", _choice(drawing, column, value), data_input=choice, **live)
    if column.kind == "text" and isinstance(value.value, str):
        if column.show.code:
            code = tag("code", value.value, **mark(of, "text"))
            return tag("td", tag("pre", code), class_="code")
        return tag("td", value.value, class_="words", **mark(of, "text"))
    input_ = stated and column.kind == "number"
    at_least = open_bound(drawing.stated[column.name].get(row))
    if at_least is not None:
        limit = bound(at_least, fmt, "")
        return tag("td", limit, class_="num input", colspan=_cells(drawing, column))
    if column.name in drawing.beside:
        return cells(value, fmt, input_=input_, of=of)
    return cell(value, fmt, input_=input_, of=of)


def _cells(drawing: _Drawing, column: Column) -> int | None:
    """The number of cells that a value of the column takes, if more than one."""
    return 2 if column.name in drawing.beside else None


def _choice(drawing: _Drawing, column: Column, value: Value) -> Html | str:
    """A row by its title, or a word with spaces for underscores."""
    if column.kind == "reference":
        return reference(drawing.context, drawing.plan, column, value)
    return str(value.value or "").replace("_", " ")


def _axis(drawing: _Drawing, column: Column, value: Value) -> Html:
    shown = reference(drawing.context, drawing.plan, column, value)
    return tag("th", shown, scope="row")


def _totals(drawing: _Drawing) -> list[Html] | None:
    """The totals below their columns, with the number of rows counted if some have no number."""
    table = drawing.table
    if not table.totals or drawing.only is not None:
        return None
    result = [tag("th", "Total", scope="row", colspan=len(drawing.axes) or None)]
    for column in drawing.columns:
        name = f"{table.name}.total.{column.name}"
        if column.name not in table.totals or name not in drawing.results.scalars:
            result.append(tag("td", colspan=_cells(drawing, column)))
            continue
        value = drawing.results.scalars[name]
        scalar = drawing.plan.scalars[name]
        fmt = format_of(scalar, [value], drawing.context.book.units)
        beside = column.name in drawing.beside
        if column.may_reason:
            shown = tag("span", amount(value, fmt), **mark(name, usual="amount"))
            counted = _counted(drawing, column)
            result.append(tag("td", shown, counted, class_="num", colspan=2 if beside else None))
        else:
            result.append(cells(value, fmt, of=name) if beside else cell(value, fmt, of=name))
    return result


def _counted(drawing: _Drawing, column: Column) -> Html:
    """`3 of 4 rows`, if some have no number."""
    series = drawing.series(column)
    counted = f"{len(series) - len(series.reasons)} of {len(series)} rows"
    of = of_cell(drawing.table.name, "*", column.name)
    return tag("span", counted if series.reasons else None, class_="range", **mark(of, "count"))


# ------------------------------------------------------------------ a grid of two axes


def _crossed(drawing: _Drawing) -> Html:
    """Draw one column of a cross table, with one axis down and one across."""
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
        row = [_axis(drawing, down, Value(each))]
        for other in acrosses:
            n = at.get((each, other))
            if n is None:
                row.append(tag("td"))
                continue
            of = of_cell(table.name, drawing.results.rows[table.name][n], shown.name)
            row.append(cell(series[n], fmt, of=of))
        body.append(row)
    symbol = drawing.context.symbol(shown)
    unit = [" in ", tag("span", symbol, class_="unit")] if symbol else []
    caption = join([tag("strong", table.title), ": ", _linked(drawing, shown), *unit])
    return grid(head, body, caption=caption)


# ------------------------------------------------------------------ origin of its inputs


def _rests(drawing: _Drawing) -> Html | None:
    """Kind, source and note of every stated number of the table, folded."""
    rows = [_rest(drawing, column, row, stated) for column, row, stated in _stated_cells(drawing)]
    if not rows:
        return None
    head = [heading_cell("Row"), heading_cell("Column"), heading_cell("Value", number=True)]
    head += [heading_cell(title) for title in ("Kind", "Source and note", "")]
    count = counted(len(rows), "stated number")
    summary = f"Where the {count} of this table come{'' if len(rows) > 1 else 's'} from"
    return tag("details", tag("summary", summary), grid(head, rows, records=True), class_="quiet")


def _stated_cells(drawing: _Drawing) -> Iterator[tuple[Column, str, Stated]]:
    for _, row in drawing.rows:
        for column in drawing.columns:
            stated = drawing.stated[column.name].get(row)
            if stated is not None and (column.kind == "number" or stated.reason):
                yield column, row, stated


def _rest(drawing: _Drawing, column: Column, row: str, stated: Stated) -> list[Html]:
    context, plan = drawing.context, drawing.plan

    def each(cell_of: Callable[[Stated], Html | None]) -> Html | None:
        def of(scenario: str) -> Html | None:
            return cell_of(cells_by(drawing.table, column, scenario).get(row, stated))

        return by_scenario(plan.scenarios, drawing.scenario, of)

    def notes(stated: Stated) -> Html:
        return join(sourced(context, stated, column.note, plan.citation))

    value = drawing.results.cell(drawing.table.name, row, column.name)
    fmt, symbol = drawing.formats[column.name], context.symbol(column)
    of = None if value == Value() else of_cell(drawing.table.name, row, column.name)
    return [
        tag("th", context.row_title(drawing.table, row), scope="row"),
        tag("td", column.title),
        cell(value, fmt, symbol, input_=True, of=of),
        tag("td", each(lambda stated: kind(stated.basis))),
        tag("td", each(notes), class_="words"),
        tag("td", each(lambda stated: edit_link(context, stated.position, "edit")), class_="num"),
    ]
