"""Text around the inputs: titles, kinds and notes of inputs are applied, other changes are listed.

This requires that the workbook was made from the present data; in an older one, it is unclear
whether a text was edited there or in the data.
"""

from __future__ import annotations

from collections.abc import Mapping

from scalesheet.language.syntax import ENDS
from scalesheet.load.document import quotable
from scalesheet.model import Scalar, Table
from scalesheet.pull.model import Edit, Pulling
from scalesheet.pull.sites import FILES, Site
from scalesheet.pull.values import same, symbol_of
from scalesheet.pull.where import Listed, Place, Rows
from scalesheet.render.workbook.context import cite, ends_of
from scalesheet.render.workbook.layout import notes_of
from scalesheet.render.workbook.places import TITLES_OF
from scalesheet.render.workbook.tables import remarks, row_note, source_and_note
from scalesheet.render.workbook.widths import heading_of
from scalesheet.source.patch import Drop, Set

COMPARE = ("Source", "Note")  # of the rows of a table
#: Columns of Inputs that are keys of the input itself.
_KEYS = {"Quantity": "title", "Kind": "kind", "Note": "note"}


def labels(pulling: Pulling) -> None:
    """Compare the text next to the inputs and above the columns."""
    if not pulling.same:
        return
    for scalar in pulling.plan.scalars.values():
        name = pulling.names.scalars[scalar.name, "value"]
        row = pulling.where.listed.get(name.casefold())
        if row is not None and scalar.stated is not None:
            _input(pulling, scalar, row)
    for table in pulling.tables.values():
        rows = pulling.where.tables.get(table.name)
        if rows is not None:
            _headings(pulling, table, rows)
            _beside(pulling, table, rows)


def _input(pulling: Pulling, scalar: Scalar, row: Listed) -> None:
    stated = scalar.stated
    assert stated is not None
    notes = dict.fromkeys(part for part in (scalar.note, *notes_of(stated)) if part)
    ours = {
        "Quantity": scalar.title or scalar.name,
        "Unit": symbol_of(pulling, scalar),
        "Kind": stated.basis,
        "Source": cite(stated.citation),
        "Note": " ".join(notes),
    }
    site = pulling.sites.scalar(scalar.name)
    for heading, was in ours.items():
        place = row.place(heading)
        if place is None:
            continue
        now = _said(pulling, place)
        if not same(was, now):
            _edited(pulling, scalar, site, heading, was, now, place)
    sheet, last = pulling.workbook.sheets[row.sheet], max(row.columns.values())
    for (line, column), cell in sheet.cells.items():
        if line == row.row and column > last and not cell.blank:
            text = f"a remark beside '{scalar.name}'; write it under Note to import it"
            pulling.leave(Place(row.sheet, line, column), text)


def _edited(
    pulling: Pulling,
    scalar: Scalar,
    site: Site | None,
    heading: str,
    was: str,
    now: str,
    place: Place,
) -> None:
    key = _KEYS.get(heading)
    data = site.data if site is not None else None
    own = isinstance(data, Mapping) and "written" not in data
    whole = key != "note" or (isinstance(data, Mapping) and same(str(data.get("note", "")), was))
    if site is None or key is None or not own or not whole or not now or scalar.hidden:
        text = f"the {heading.lower()} of '{scalar.name}' reads '{quotable(now)}'"
        pulling.leave(place, f"{text}; edit it in the data")
        return
    name = f"the {key} of {scalar.name}"
    change = Set((*site.steps, key), now)
    pulling.edits.append(Edit(name, str(place), site / key, was or "nothing", now, (change,)))


def _headings(pulling: Pulling, table: Table, rows: Rows) -> None:
    """Compare the titles and units of the columns, in the two rows above their names."""
    for column in table.columns.values():
        for end in ends_of(column):
            at = rows.columns.get((column.name, end))
            if at is None or end not in ENDS:
                continue
            if sheet_of_its_own(pulling, rows):
                continue  # it has only names; titles and units are on Units
            for above, was in ((2, heading_of(column, end)), (1, symbol_of(pulling, column))):
                place = rows.at(rows.heading - above, at)
                now = _said(pulling, place)
                if not same(was, now):
                    text = f"the heading of '{table.name}.{column.name}' reads '{quotable(now)}'"
                    pulling.leave(place, f"{text}; edit it in the data")


def sheet_of_its_own(pulling: Pulling, rows: Rows) -> bool:
    """Whether a table has only one heading row."""
    at = rows.at(rows.heading, rows.title)
    return pulling.cell(at).value == TITLES_OF


def _beside(pulling: Pulling, table: Table, rows: Rows) -> None:
    """Compare the sources and notes next to a row, which are combined from its cells; in a turned
    table, those of a column.
    """
    if rows.turned:
        _beside_lines(pulling, table, rows)
        return
    for at, head in rows.strange.items():
        if head not in COMPARE:
            continue
        for row, line in rows.rows.items():
            if row not in table.rows and head == "Note":
                continue  # handled with the added row
            place = rows.at(line, at)
            now = _said(pulling, place)
            known = [row] if row in table.rows else table.rows
            was = [_stood_beside(pulling, table, each, head) for each in known]
            if row not in table.rows:
                was.append("")  # a copied row may bring the other row's text
            if any(same(each, now) for each in was) or _noted(
                pulling, table, row, head, now, place
            ):
                continue
            text = f"the {head.lower()} of {table.name}['{row}'] reads '{quotable(now)}'"
            pulling.leave(place, f"{text}; edit it in the data")


def _stood_beside(pulling: Pulling, table: Table, row: str, head: str) -> str:
    source, note = source_and_note(table, row)
    own = row_note(pulling.plan, table, row)
    return source if head == "Source" else " ".join(filter(None, (own, note)))


def _noted(pulling: Pulling, table: Table, row: str, head: str, now: str, place: Place) -> bool:
    """Record an edit of a row's note, written next to the notes of its cells. Returns whether
    there was one.
    """
    site = pulling.sites.row(table.name, row)
    if head != "Note" or site is None or table.name in FILES or table.each:
        return False
    if not isinstance(site.data, Mapping):
        return False
    of_cells, own = source_and_note(table, row)[1], str(site.data.get("note", ""))
    if of_cells not in now or not same(own, row_note(pulling.plan, table, row)):
        return False  # cell notes belong to the cells; a phase's note is at its head
    if any(same(now, _stood_beside(pulling, table, each, head)) for each in table.rows):
        return False  # it was moved here with another row's cells
    new = " ".join((now.replace(of_cells, " ") if of_cells else now).split())
    name, steps = f"the note of {table.name}['{row}']", (*site.steps, "note")
    change = Set(steps, new, "title" if (site / "title").there else "") if new else Drop(steps)
    was = own or "nothing"
    pulling.edits.append(Edit(name, str(place), site / "note", was, new or "nothing", (change,)))
    return True


def _beside_lines(pulling: Pulling, table: Table, rows: Rows) -> None:
    sheet = pulling.workbook.sheets[rows.sheet].turned
    for at in sorted({row for row, column in sheet.cells if column == rows.title}):
        head = sheet.text(at, rows.title)
        if head not in COMPARE or at < rows.last:
            continue
        for column in table.columns.values():
            line = rows.columns.get((column.name, "value"))
            was = remarks(table, column)[COMPARE.index(head)][0]
            if line is not None and not same(was, now := _said(pulling, rows.at(at, line))):
                text = f"the {head.lower()} of '{table.name}.{column.name}' reads '{quotable(now)}'"
                pulling.leave(rows.at(at, line), f"{text}; edit it in the data")


def _said(pulling: Pulling, place: Place) -> str:
    if place.row < 0:
        return ""
    value = pulling.cell(place).value
    return "" if value is None else str(value)
