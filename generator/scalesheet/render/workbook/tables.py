"""Tables: headings with units and names, rows, a spacer row, totals, and notes below.

A column's formula is printed once and the row number filled in, so a table of many rows costs
little more than writing its cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from scalesheet.language.syntax import ENDS, Cell, End
from scalesheet.model import Basis, Column, Formula, Plan, Stated, Table, formulas_of
from scalesheet.numbers import excel_format
from scalesheet.printers.base import PrinterError
from scalesheet.quantities import day_number, is_day
from scalesheet.render.workbook.canvas import Canvas
from scalesheet.render.workbook.catalogue import plain_headings
from scalesheet.render.workbook.context import (
    Context,
    end_node,
    ends_of,
    stated_ends,
    stated_text,
)
from scalesheet.render.workbook.formats import Role
from scalesheet.render.workbook.layout import notes_of, totals_of
from scalesheet.render.workbook.places import (
    KEY,
    LINES_OF,
    NAMES_OF,
    REMARKS,
    ROW,
    TITLE,
    TOP,
    UNIT,
    SheetPlan,
    TablePlace,
    relative,
)
from scalesheet.render.workbook.scalars import write_ends, write_group
from scalesheet.render.workbook.turned import is_axis
from scalesheet.render.workbook.validation import LONGEST_MESSAGE, choices, clipped, fits, rule
from scalesheet.render.workbook.widths import heading_of, in_use_headings, set_widths
from scalesheet.values import Series

SECTION_HEIGHT = 22
FEW = 3  # cases that a note names


def write_tables(canvas: Canvas, context: Context, plan: SheetPlan) -> None:
    """Write a sheet of one table, or of a phase: its scalars, then its tables."""
    places = [context.layout.tables[name] for name in plan.tables]
    last = max((place.last_column for place in places), default=KEY)
    set_widths(canvas, context, plan, places)
    for row, title, note in plan.captions:
        canvas.text(row, TITLE, title, "section")
        if note:
            canvas.text(row + 1, TITLE, note, "lead_line")
    for group in plan.groups:
        write_group(canvas, context, group, last)
    for place in places:
        write_table(canvas, context, place)
    canvas.print_to(*_printed(context, plan, places))
    if len(places) == 1 and not plan.groups:
        place = places[0]
        canvas.sheet.freeze_panes(*((place.ids + 1, KEY) if place.turned else (place.first, KEY)))
    else:
        canvas.sheet.freeze_panes(TOP, KEY)


def write_table(canvas: Canvas, context: Context, place: TablePlace) -> None:
    """Write one table with everything that belongs to it."""
    table = context.tables[place.name]
    if place.caption is not None:
        canvas.text(place.caption, TITLE, table.title, "section")
        if table.note:
            canvas.text(place.caption + 1, TITLE, table.note, "lead_line")
    (_lines if place.turned else _headings)(canvas, context, table, place)
    looks: tuple[Role, Role] = (
        ("heading_number", "name_number") if place.turned else ("label", "key")
    )
    for at, (row, title) in enumerate(zip(table.rows, table.row_titles, strict=True), place.first):
        canvas.text(*place.at(at, place.titles), title or row, looks[0])
        canvas.text(*place.at(at, place.ids), row, looks[1])
    for column in table.columns.values():
        _Cells(canvas, context, table, column, place).write()
    if place.turned:
        _remarks(canvas, table, place)
    else:
        _sources_and_notes(canvas, context, table, place)
    _totals(canvas, context, table, place)
    if place.drawing is not None:
        _drawing(canvas, context, table, place, place.drawing)


def _printed(context: Context, plan: SheetPlan, places: Sequence[TablePlace]) -> tuple[int, int]:
    """The last row and column that print: steps, sources and notes are for the screen."""
    right, last = (UNIT if plan.groups else KEY), plan.groups[-1].end if plan.groups else TOP
    for place in places:
        if place.turned:
            folded = min(place.levels, default=place.end + 1) - 2
            bottom, edge = (place.end - 1 if place.drawing else folded), place.last_column - REMARKS
        else:
            shown = (c.name for c in context.tables[place.name].columns.values() if not c.hidden)
            edge, bottom = max(max(place.columns[name]) for name in shown), place.end - 1
        right, last = max(right, edge), max(last, bottom)
    return last, right


def _headings(canvas: Canvas, context: Context, table: Table, place: TablePlace) -> None:
    if place.plain:
        plain_headings(canvas, table, place)
        return
    titles, units, names = place.heading, place.heading + 1, place.names
    for at in range(KEY + 1, place.last_column + 1):  # there may be a gap before the source
        canvas.text(titles, at, "", "heading")
        canvas.text(units, at, "", "unit")
        canvas.text(names, at, "", "name")
    canvas.row_of(titles, ("Row", "Id"), "heading")
    canvas.row_of(units, ("Unit", ""), "unit")
    canvas.row_of(names, (NAMES_OF, table.name), "name")
    for column in table.columns.values():
        numeric = column.kind == "number"
        for end in ends_of(column):
            at = place.columns[column.name][ENDS.index(end)]
            name = column.name if end == "value" else f"{column.name}_{end}"
            heading = heading_of(column, end)
            canvas.text(titles, at, heading, "heading_number" if numeric else "heading_text")
            canvas.text(units, at, context.symbol(column), "unit_number" if numeric else "unit")
            canvas.text(names, at, name, "name_number" if numeric else "name_text")
    for optional, text in ((place.source, "Source"), (place.note, "Note")):
        if optional is not None:
            canvas.text(titles, optional, text, "heading_text")
    for at, heading, name in in_use_headings(table, place):
        canvas.text(titles, at, heading, "heading_text")
        canvas.text(units, at, "in use", "unit")
        canvas.text(names, at, name, "name_text")


def _lines(canvas: Canvas, context: Context, table: Table, place: TablePlace) -> None:
    """Write the headings of a turned table, and its lines with titles, units and names."""
    units, names = place.heading + 1, place.heading + 2
    for at in range(place.last_column + 1):
        canvas.text(place.titles, at, "", "heading")
        canvas.text(place.ids, at, "", "name")
    canvas.row_of(place.titles, ("Line", "Unit", LINES_OF), "heading")
    canvas.row_of(place.ids, ("Id", "", table.name), "name")
    for row, title in place.sections:
        canvas.text(row, TITLE, title, "section")
        canvas.height(row, SECTION_HEIGHT)
    for column in table.columns.values():
        for end in ends_of(column):
            line = place.columns[column.name][ENDS.index(end)]
            name = column.name if end == "value" else f"{column.name}_{end}"
            canvas.text(line, TITLE, heading_of(column, end), "label")
            canvas.text(line, units, context.symbol(column), "symbol")
            canvas.text(line, names, name, "key")
    for line, heading, name in in_use_headings(table, place):
        canvas.text(line, TITLE, heading, "label")
        canvas.text(line, names, name, "key")
    for line, level in place.levels.items():
        canvas.fold(line, level)


# ------------------------------------------------------------------ cells


class _Cells:
    """Writes the cells of one column, end by end."""

    def __init__(
        self, canvas: Canvas, context: Context, table: Table, column: Column, place: TablePlace
    ) -> None:
        self.canvas, self.context = canvas, context
        self.table, self.column, self.place = table, column, place
        self.symbol = context.symbol(column)
        self.series: Series = context.results.tables[table.name][column.name]
        fmt = context.column_format(table, column) if column.kind == "number" else None
        self.format = excel_format(fmt) if fmt else ""

    def write(self) -> None:
        for end in ends_of(self.column):
            at = self.place.columns[self.column.name][ENDS.index(end)]
            self._stated(end, at)
            self._computed(end, at)
            if self.column.name in self.place.used:
                self._in_use(end, at)
        if self.column.stated and self._stated_role() not in ("small", "shipped", "free"):
            self._validations()

    def _stated(self, end: End, at: int) -> None:
        role = self._stated_role()
        for number_, row in enumerate(self.table.rows, self.place.first):
            stated = self.column.stated.get(row)
            if stated is None:
                continue
            cell = self.place.at(number_, at)
            text = stated_text(stated, self.symbol)
            if text is not None and self._is_day and is_day(text):
                self.canvas.number(*cell, day_number(text), role, "yyyy-mm-dd")
            elif text is not None:
                # a reason is in all three cells, since formulas read each of them
                whole = end == "value" or stated.reason is not None
                self.canvas.text(*cell, text if whole else "", role)
            else:
                value = stated_ends(stated)[ENDS.index(end)]
                self.canvas.number(*cell, value, "input", self.format)

    @property
    def _is_day(self) -> bool:
        """Return whether days are stored as dates: where other programs read them and no formula
        does."""
        read = (self.table.name, self.column.name, "value") in self.context.layout.names.columns
        return self.column.kind == "date" and self.place.plain and not read

    def _computed(self, end: End, at: int) -> None:
        stored = stored_column(self.series, end)
        for formula, rows in self._formulas():
            try:
                printed = self.context.printed(end_node(formula, end), self.place.sheet)
            except PrinterError as error:
                where = f"'{self.table.name}.{self.column.name}'"
                self.canvas.tally.report(f"{where}: {error.message}", formula.position)
                continue
            outer = formula.outer and end != "value"
            look = self.canvas.formats(self._role(outer), self.format)
            text, array, put = printed.text, printed.array, self.canvas.put_formula
            place = self.place
            may_wrap = self.column.may_reason or self.column.kind == "text"
            if len(rows) > 1 and not array:
                self.canvas.sheet.share([place.at(place.first + row, at) for row in rows])
            for row in rows:
                at_row = place.first + row
                value, (line, column) = stored(row), place.at(at_row, at)
                put(line, column, text.replace(ROW, place.label(at_row)), value, look, array)
                if may_wrap and isinstance(value, str):
                    self.canvas.fit(line, column, column, value, "either")

    def _in_use(self, end: End, typed: int) -> None:
        """Write what formulas read: the cell, or if it is not valid, the row's shipped value.

        A row that was added has none, and takes that of the first row.
        """
        column, place, context = self.column, self.place, self.context
        cell, at = place.own(typed), place.read(column.name, end)
        key = self.table.name, column.name
        kept = context.kept.get((*key, end)) or context.kept[*key, "value"]
        words = choices(context, column)
        shipped = f"INDEX({kept.values},MATCH({place.own(place.ids)},{kept.ids},0))"
        valid = fits(context, column, cell)
        if any(stated_text(each, "") for each in column.stated.values()) and not words:
            valid = f"OR(ISTEXT({cell}),{valid})"  # a reason
        text = f"IFERROR(IF({valid},{cell},{shipped}),{kept.first})"
        stored = stored_column(self.series, end)
        look = self.canvas.formats("shipped_text" if words else "shipped", self.format)
        rows = [at for at, row in enumerate(self.table.rows, place.first) if row in column.stated]
        if len(rows) > 1:
            self.canvas.sheet.share([place.at(row, at) for row in rows])
        for number_, row in enumerate(self.table.rows):
            formula = text if row in column.stated else cell
            line = place.first + number_
            formula = formula.replace(ROW, place.label(line))
            self.canvas.put_formula(*place.at(line, at), formula, stored(number_), look, False)

    def _formulas(self) -> Iterator[tuple[Formula, Sequence[int]]]:
        """Yield the formulas of this column with the numbers of their rows."""
        column, numbers = self.column, self.context.layout.row_numbers[self.table.name]
        for row, formula in column.own.items():
            yield formula, (numbers[row],)
        if column.formula is not None:
            taken = {*column.stated, *column.own}
            yield column.formula, [at for at, row in enumerate(self.table.rows) if row not in taken]

    def _role(self, outer: bool) -> Role:
        if self.column.kind != "number":
            return "either" if self.place.turned else "word"
        if outer:
            return "outer"
        return "either" if self.column.may_reason else "number"

    def _stated_role(self) -> Role:
        """The role of stated cells that are not numbers. Descriptive text is not an input."""
        if is_axis(self.table, self.column.name):
            return "shipped" if self.place.turned else "small"
        if self.column.kind in ("text", "date"):
            return "free"
        right = self.place.turned or self.column.kind == "number"
        return "input_reason" if right else "input_text"

    def _validations(self) -> None:
        """Add one validation for rows with the same message; sources have a column of their own.

        In the catalogue, it says neither that nor whether a value is published or assumed.
        """
        triple = self.place.columns[self.column.name]
        alike: dict[tuple[Basis | None, bool], list[int]] = {}
        for at, row in enumerate(self.table.rows, self.place.first):
            stated = self.column.stated.get(row)
            if stated is not None:
                basis = None if self.place.plain else stated.basis
                cited = stated.citation is not None and not self.place.plain
                alike.setdefault((basis, cited), []).append(at)
        for (basis, cited), rows in alike.items():
            stated = None if basis is None else Stated(basis=basis)
            options = rule(self.context, self.column, stated)
            if cited:
                text = f"{options['input_message']} Source: in the column Source."
                options["input_message"] = clipped(text, LONGEST_MESSAGE)
            ends = [
                (self.place.at(first, min(triple)), self.place.at(last, max(triple)))
                for first, last in _runs(rows)
            ]
            areas = (f"{relative(*first)}:{relative(*last)}" for first, last in ends)
            options["multi_range"] = " ".join(areas)
            code = self.canvas.sheet.data_validation(*ends[0][0], *ends[0][1], options)
            self.canvas.tally.check(code, f"validation of {self.table.name}.{self.column.name}")


def _runs(rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield first and last of each run of consecutive rows."""
    for _, run in groupby(enumerate(rows), lambda item: item[1] - item[0]):
        stretch = [row for _, row in run]
        yield stretch[0], stretch[-1]


def stored_column(series: Series, end: End) -> Callable[[int], float | str]:
    """Return row number -> the stored result of a formula, without making a Value for each cell."""
    chosen = {"low": series.low, "value": None, "high": series.high}[end]
    numbers = (series.value if chosen is None else chosen).tolist()
    reasons: Mapping[int, str] = series.reasons

    def stored(row: int) -> float | str:
        if row in reasons:
            return reasons[row]
        value = numbers[row]
        if value is None or value != value:
            return ""
        if isinstance(value, bool):
            return "yes" if value else "no"
        return value if isinstance(value, float) else str(value)

    return stored


# ------------------------------------------------------------------ beside and below the rows


def _sources_and_notes(canvas: Canvas, context: Context, table: Table, place: TablePlace) -> None:
    for at, row in enumerate(table.rows, place.first):
        source, note = source_and_note(table, row)
        note = " ".join(filter(None, (row_note(context.plan, table, row), note)))
        if place.source is not None:
            canvas.text(at, place.source, source, "small")
        if place.note is not None:
            canvas.text(at, place.note, note, "note")


def _remarks(canvas: Canvas, table: Table, place: TablePlace) -> None:
    """Write source, note and formula beside the lines of a turned table."""
    at = place.last_column - REMARKS + 1
    canvas.row_of(place.titles, ("Source", "Note", "Formula"), "heading_text", at)
    for column in table.columns.values():
        line = place.columns[column.name][1]
        for beside, (text, role) in enumerate(remarks(table, column), at):
            canvas.text(line, beside, text, role)


def remarks(table: Table, column: Column) -> tuple[tuple[str, Role], ...]:
    """Sources, notes and formula of a line."""
    formulas = dict.fromkeys(formula.text for formula in formulas_of(column))
    outer = any(formula.outer for formula in formulas_of(column))
    cited: dict[str, dict[str, None]] = {}
    noted = dict.fromkeys(filter(None, (column.note, "Low and high are outer bounds." * outer)))
    ruled: dict[str, list[str]] = {}
    for row, title in zip(table.rows, table.row_titles, strict=True):
        stated = column.stated.get(row)
        if stated is None:
            continue
        if stated.citation:
            cited.setdefault(stated.citation.key, {})[stated.citation.locator] = None
        noted |= dict.fromkeys(note for note in notes_of(stated) if note != column.note)
        if stated.rule:
            ruled.setdefault(stated.rule, []).append(title or row)
    # a workbook does not choose again, pull does
    rules = (
        f"{r[0].upper()}{r[1:]} ({_which(t, table)}), as of the build." for r, t in ruled.items()
    )
    return (
        ("; ".join(_cited(key, cited[key]) for key in cited), "small"),
        (" ".join((*rules, *noted)), "small"),
        ("; ".join(formulas), "formula_line"),
    )


def _which(titles: Sequence[str], table: Table) -> str:
    """Cases by their titles, or their number."""
    if len(titles) == len(table.rows):
        return "every case"
    few = len(titles) <= FEW
    return ", ".join(titles) if few else f"{len(titles)} of {len(table.rows)} cases"


def row_note(plan: Plan, table: Table, row: str) -> str:
    """The note of a row of the plan. Notes of catalogue entries are on their pages."""
    return table.row_notes.get(row, "") if table.name in plan.tables else ""


def source_and_note(table: Table, row: str) -> tuple[str, str]:
    """The sources and notes of a row's stated cells."""
    several = len(table.columns) > 1
    cited: dict[str, dict[str, None]] = {}
    noted: dict[str, None] = {}
    for column in table.columns.values():
        stated = column.stated.get(row)
        if stated is None:
            continue
        if stated.citation:
            cited.setdefault(stated.citation.key, {})[stated.citation.locator] = None
        for note in notes_of(stated):
            text = f"{column.title}: {note}" if several else note
            noted[text if text.endswith((".", "!", "?")) else f"{text}."] = None
    return "; ".join(_cited(key, cited[key]) for key in cited), " ".join(noted)


def _cited(key: str, locators: Iterable[str]) -> str:
    """One source and the places in it."""
    places = ", ".join(filter(None, locators))
    return f"{key} ({places})" if places else key


def _totals(canvas: Canvas, context: Context, table: Table, place: TablePlace) -> None:
    if place.total is None:
        return
    if place.turned:
        canvas.text(*place.at(place.total, place.titles), "Total", "heading_number")
    else:
        for at in range(place.last_column + 1):
            canvas.text(place.total, at, "", "total_label")
        canvas.text(place.total, TITLE, "Total", "total_label")
    for _, name in totals_of(table, context.plan):
        write_ends(canvas, context, context.plan.scalars[name], "total")
    if place.counted is None:
        return
    if place.turned:
        canvas.text(*place.at(place.counted, place.titles), "Cases with a number", "heading_number")
    else:
        for at in range(place.last_column + 1):
            canvas.text(place.counted, at, "", "total_text")
        canvas.text(place.counted, TITLE, "Rows with a number", "total_note")
    ids = context.layout.names.tables[table.name]
    for name in table.totals:
        column, triple = table.columns[name], place.columns[name]
        if not column.may_reason:
            continue
        values = context.results.tables[table.name][name]
        with_number = sum(isinstance(value.value, float) for value in values)
        ends = (relative(*place.at(row, triple[1])) for row in (place.first, place.spacer))
        area = ":".join(ends)
        message = f"{with_number} of {len(table.rows)}"
        text = f'COUNT({area})&" of "&COUNTA({ids})'
        canvas.formula(*place.at(place.counted, triple[1]), text, message, "total_text")


def _drawing(canvas: Canvas, context: Context, table: Table, place: TablePlace, top: int) -> None:
    """Write a cross table as a grid: each cell looks up the row with its figure."""
    assert table.show is not None
    down, across, cell = (table.columns[name] for name in table.show)
    canvas.text(top, TITLE, f"{cell.title}: {down.title} by {across.title}", "section")
    symbol = context.symbol(cell)
    text = f"expected values, {symbol}" if symbol else "expected values"
    canvas.text(top + 1, TITLE, text, "heading")
    canvas.text(top + 1, KEY, "", "heading")
    rows: dict[str, int] = {}
    columns: dict[str, int] = {}
    axes = dict(table.each)
    stored = stored_column(context.results.tables[table.name][cell.name], "value")
    fmt = context.column_format(table, cell) if cell.kind == "number" else None
    for at, row in enumerate(table.rows):
        one, other = str(down.stated[row].value), str(across.stated[row].value)
        if other not in columns:
            columns[other] = KEY + 1 + len(columns)
            title = context.title_of(axes.get(across.name, ""), other)
            canvas.text(top + 1, columns[other], title, "heading_number")
        if one not in rows:
            rows[one] = top + 2 + len(rows)
            canvas.text(rows[one], TITLE, context.title_of(axes.get(down.name, ""), one), "label")
            canvas.text(rows[one], KEY, one, "key")
        source = context.printed(Cell(table.name, row, cell.name), place.sheet).text
        if stored(at) != "":
            canvas.formula(
                rows[one],
                columns[other],
                source,
                stored(at),
                "either",
                excel_format(fmt) if fmt else "",
            )
