"""Compares a workbook with the data: every input, row, formula and text."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from functools import partial

from scalesheet.evaluate.edits import input_name
from scalesheet.language.syntax import ENDS, End
from scalesheet.load.document import quotable
from scalesheet.model import Column, Key, Scalar, Table
from scalesheet.pull.added import added
from scalesheet.pull.formulas import Formulas
from scalesheet.pull.labels import COMPARE, labels
from scalesheet.pull.model import Edit, Finding, Pulling
from scalesheet.pull.phases import phase_entry
from scalesheet.pull.sheets import EMPTY, Value
from scalesheet.pull.sites import FILES
from scalesheet.pull.values import (
    ValueProblem,
    cell_text,
    said_by,
    said_in,
    same,
    stated_as,
    symbol_of,
    take_input,
)
from scalesheet.pull.where import END_HEADINGS, Place, Rows, area_of
from scalesheet.render.workbook.built import OVERWRITTEN
from scalesheet.render.workbook.checks import SHOULD
from scalesheet.render.workbook.context import ends_of
from scalesheet.render.workbook.places import CHECK_VALUE
from scalesheet.render.workbook.widths import heading_of
from scalesheet.resolve.lowering.scalars import SCENARIO
from scalesheet.source.patch import Drop, Set
from scalesheet.source.places import suggested
from scalesheet.vocabulary import counted

#: In a check of Checks, the cells whose formulas it counts.
_COUNTED = re.compile(r"ISFORMULA\(([^()]+)\)")


def compare(pulling: Pulling) -> None:
    """Fill in the edits, errors and remaining findings of a pull."""
    formulas = Formulas(pulling)
    for scalar in pulling.plan.scalars.values():
        if scalar.phase not in pulling.deleted:
            _scalar(pulling, formulas, scalar)
    added(pulling, formulas)
    for table in pulling.tables.values():
        rows = pulling.where.tables.get(table.name)
        if table.phase in pulling.deleted:
            continue
        if rows is not None:
            _table(pulling, formulas, table, rows)
        elif pulling.same or _had(pulling, table.name):
            text = f"the table '{table.name}' is gone: no row names it; put its sheet back"
            at = pulling.lines.of_table(table.name)
            pulling.refuse("W004", pulling.shipped_table(table.name), text, at)
    if formulas.skipped:
        many = counted(len(formulas.skipped), "formula")
        text = f"{many} could not be compared, since the steps of an older workbook differ"
        text += "; if you edited one, repeat the edit in a new workbook"
        pulling.notes.append(Finding("note:", str(formulas.skipped[0]), text))
    labels(pulling)
    _constants(pulling)
    ours = {rows.sheet for rows in pulling.where.tables.values()}
    ours |= {place.sheet for place in pulling.where.scalars.values()}
    ours |= {place.sheet for place in pulling.meanings.constants}
    _results(pulling, ours)
    _sheets(pulling, ours)


def _had(pulling: Pulling, table: str) -> bool:
    """Whether the workbook was shipped with a table."""
    return any(name.startswith(f"{table}['") for name in pulling.where.shipped)


# ------------------------------------------------------------------ scalars


def _scalar(pulling: Pulling, formulas: Formulas, scalar: Scalar) -> None:
    name = scalar.name
    places: dict[End, Place] = {}
    for end in ends_of(scalar):
        place = pulling.where.scalars.get((name, end))
        if place is None:
            if pulling.same or name in pulling.where.shipped:
                leads = pulling.where.gone.get(name, "nothing")
                text = f"'{name}' is gone: its name leads to {leads}; put its row back"
                at = pulling.lines.of_scalar(name)
                pulling.refuse("W004", pulling.shipped_scalar(name, end), text, at)
            return
        places[end] = place
    if name in pulling.where.moved:
        text = f"the name of '{name}' leads to a row other than its own; undo the sorting or moving"
        pulling.refuse("W004", places["value"], text)
        return
    if scalar.stated is None:
        formulas.scalar(scalar, places)
        return
    cell = pulling.cell(places["value"])
    if name == SCENARIO:
        if cell.value != scalar.stated.value:
            text = f"the scenario is set to '{cell.value}', which the data does not store"
            pulling.notes.append(Finding("note:", str(places["value"]), text))
        return
    site = pulling.sites.scalar(name)
    if cell.formula is not None and formulas.over_input(Key(name), scalar, site, places):
        return
    if not scalar.ranged and scalar.kind == "number":
        places |= _ends_beside(pulling, name)
    take_input(pulling, Key(name), scalar, scalar.stated, lambda: site, places)


def _ends_beside(pulling: Pulling, name: str) -> dict[End, Place]:
    """The ends that somebody added next to an input without a range."""
    row = pulling.where.listed.get(pulling.names.scalars[name, "value"].casefold())
    places = {end: row.place(END_HEADINGS[end]) for end in ENDS if end != "value"} if row else {}
    return {end: at for end, at in places.items() if at and not pulling.cell(at).blank}


# ------------------------------------------------------------------ tables


def _table(pulling: Pulling, formulas: Formulas, table: Table, rows: Rows) -> None:
    heading = rows.at(rows.heading, rows.key)
    for column in table.columns.values():
        lost = [end for end in ends_of(column) if (column.name, end) not in rows.columns]
        if lost and not pulling.same and "value" not in lost:
            continue  # it has a range by now
        if lost and (pulling.same or _had(pulling, table.name)):
            text = f"the column '{column.name}' of '{table.name}' is gone"
            pulling.refuse("W004", heading, f"{text}; put it back with its name")
            return
    for id, at in rows.twice:
        text = f"the id '{id}' is used twice in '{table.name}'; give one of the rows another"
        pulling.refuse("W008", rows.at(at, rows.key), text)
    for at, head in rows.strange.items():
        _strange(pulling, table, rows, at, head)
    for at, (name, _) in rows.used.items():
        _in_use(pulling, rows, at, name)
    if not pulling.same:
        rows = _with_ends(table, rows)
    known = set(table.rows)
    shipped = known if pulling.same else _shipped_rows(pulling, table)
    rows = rows if pulling.same else _taken_before(pulling, table, rows, shipped)
    for row in table.rows:
        if row in rows.rows:
            _row(pulling, formulas, table, rows, row, is_new=row not in shipped)
        elif row in shipped:
            _gone(pulling, table, rows, row)
    formulas.column_edits(table, rows)
    added = [(id, at) for id, at in rows.rows.items() if id not in known]
    added += [(_new_id(pulling, table, rows, at), at) for at in rows.without]
    whole = pulling.before.book.tables.get(table.name, table)
    for id, at in sorted(added, key=lambda item: item[1]):
        if id in whole.rows and id not in table.rows:
            new = pulling.same or id not in shipped
            _not_carried(pulling, whole, rows, id, at, is_new=new)
        elif id in shipped and not pulling.same:
            pulling.leave(
                rows.at(at, rows.key),
                f"the row '{id}' of '{table.name}' is no longer in the data",
            )
        else:
            _added(pulling, formulas, table, rows, id, at)
    if table.name in pulling.reordered:
        pulling.leave(heading, f"the rows of '{table.name}' are in a different order")


def _not_carried(
    pulling: Pulling, whole: Table, rows: Rows, id: str, line: int, *, is_new: bool
) -> None:
    """Report a catalogue row that this plan's workbook does not include. If the workbook had it,
    each of its edits is listed; otherwise, how to include the row.
    """
    site = pulling.sites.row(whole.name, id)
    at = site.position if site is not None else None
    text = f"'{id}' is in {whole.name}, but the workbook of this plan does not include it"
    if is_new:
        remedy = (
            f"to include it, write catalogue: {{{whole.name}: [{id}]}} into plan.yaml and build"
        )
        pulling.leave(rows.at(line, rows.key), f"{text}; {remedy}", at)
        return
    for (column, end), across in rows.columns.items():
        was = pulling.where.shipped.get(input_name(Key(column, whole.name, id), end))
        now = pulling.cell(rows.at(line, across))
        if was is not None and not _as_shipped(was.value, now.value):
            pulling.leave(rows.at(line, across), f"{text} any more; edit it in the data", at)


def _as_shipped(was: Value, now: Value) -> bool:
    if isinstance(was, float) and isinstance(now, float):
        return same((was,) * 3, (now,) * 3)
    return was == now


def _with_ends(table: Table, rows: Rows) -> Rows:
    """Use a column's value for all three ends if it had no range when the workbook was made."""
    ends = {
        (column.name, end): rows.columns[column.name, "value"]
        for column in table.columns.values()
        for end in ends_of(column)
        if (column.name, "value") in rows.columns
    }
    return replace(rows, columns={**ends, **rows.columns})


def _shipped_rows(pulling: Pulling, table: Table) -> set[str]:
    before = f"{table.name}['"
    return {
        name.removeprefix(before).partition("']")[0]
        for name in pulling.where.shipped
        if name.startswith(before)
    }


def _taken_before(pulling: Pulling, table: Table, rows: Rows, shipped: set[str]) -> Rows:
    """Give rows without an id the id that an earlier pull gave them, if the data have it."""
    result = {}
    for at in rows.without:
        id = _new_id(pulling, table, rows, at)
        if id in table.rows and id not in shipped and id not in rows.rows:
            result[id] = at
    without = tuple(at for at in rows.without if at not in result.values())
    return replace(rows, rows={**rows.rows, **result}, without=without)


def _in_use(pulling: Pulling, rows: Rows, at: int, name: str) -> None:
    """Report values over the formulas that give a column's values in use."""
    places = (rows.at(row, at) for row in rows.rows.values())
    cells = ((place, pulling.cell(place)) for place in places)
    typed = next((place for place, cell in cells if not cell.formula and not cell.blank), None)
    if typed is not None:
        text = f"a value over the formula that gives the value of '{name}' in use"
        pulling.leave(typed, f"{text}; put the formula back and edit the column '{name}'")


def _strange(pulling: Pulling, table: Table, rows: Rows, at: int, head: str) -> None:
    """Report a column that is not in the table. Only source and note columns are known."""
    if head in COMPARE:
        return
    ends = (heading_of(column, end) for column in table.columns.values() for end in ENDS)
    if not pulling.same and head in ends:
        return  # the column had a range when the workbook was made
    filled = [row for row in rows.rows.values() if not pulling.cell(rows.at(row, at)).blank]
    if filled:
        what = "line" if rows.turned else "column"
        text = f"a {what}{f' {quotable(head)!r}' if head else ''} beside those of '{table.name}'"
        hint = "add it to the plan's table first"
        if not head and not rows.turned:
            hint += ", or give it the heading Note if it is one"
        pulling.leave(rows.at(filled[0], at), f"{text}; {hint}")


def _row(
    pulling: Pulling, formulas: Formulas, table: Table, rows: Rows, row: str, *, is_new: bool
) -> None:
    """Compare a row. A row that was added and applied before may lack its columns' formulas."""
    at = rows.rows[row]
    _row_title(pulling, table, rows, row)
    for column in table.columns.values():
        stated = column.stated.get(row)
        places = {end: rows.at(at, rows.columns[column.name, end]) for end in ends_of(column)}
        key = Key(column.name, table.name, row)
        if stated is None and (column.formula is not None or row in column.own):
            if is_new and all(pulling.cell(place).blank for place in places.values()):
                continue
            formulas.cell(table, column, row, places)
            continue
        if column.name in dict(table.each) or stated is None:
            _unstated(pulling, table, column, row, places["value"])
            continue
        site = partial(pulling.sites.cell, table.name, row, column.name, stated.position)
        cell = pulling.cell(places["value"])
        if cell.formula is not None and formulas.over_input(key, column, site(), places):
            continue
        if table.name == "offers" and column.name in ("since", "seen"):
            if pulling.same and not same(said_by(stated, ""), cell_text(cell.value, column)):
                pulling.leave(places["value"], f"'{input_name(key)}' is edited with its price")
            continue
        if column.kind in ("text", "date") and not pulling.same:
            if not same(said_by(stated, ""), cell_text(cell.value, column)):
                text = f"'{input_name(key)}' reads '{quotable(str(cell.value or ''))}' here"
                pulling.leave(places["value"], f"{text}; texts of an older workbook are not merged")
            continue
        take_input(pulling, key, column, stated, site, places)


def _unstated(pulling: Pulling, table: Table, column: Column, row: str, place: Place) -> None:
    """Compare a cell without a stated value (an omitted text), or on an axis of a cross table."""
    cell, name = pulling.cell(place), input_name(Key(column.name, table.name, row))
    stated = column.stated.get(row)
    text = "" if stated is None else said_by(stated, "")
    now = cell_text(cell.value, column)
    if same(text, now):
        return
    site = pulling.sites.row(table.name, row)
    if stated is None and pulling.same and site is not None and table.name not in FILES:
        steps = (*site.steps, column.name)
        pulling.edits.append(
            Edit(name, str(place), site / column.name, "nothing", quotable(now), (Set(steps, now),))
        )
        return
    remedy = pulling.sites.paired(table) if table.each else "edit it in the data"
    pulling.leave(place, f"'{name}' reads '{quotable(now)}'; {remedy}")


def _row_title(pulling: Pulling, table: Table, rows: Rows, row: str) -> None:
    place = rows.at(rows.rows[row], rows.title)
    ours = table.row_titles[table.rows.index(row)] or row
    theirs = pulling.cell(place).value
    title = theirs if isinstance(theirs, str) else ("" if theirs is None else f"{theirs:.15g}")
    if same(ours, title):
        return
    site = pulling.sites.row(table.name, row)
    taken = table.name not in FILES or table.name in ("hardware", "nodes", "models")
    if not title.strip() or not pulling.same or not taken or site is None or table.each:
        message = f"the title of '{row}' in '{table.name}' reads '{quotable(title)}'"
        remedy = pulling.sites.paired(table) if table.each else "edit it in the data"
        pulling.leave(place, f"{message}; {remedy}")
        return
    name = f"the title of {table.name}['{row}']"
    first = None if (site / "title").there else ""
    change = Set((*site.steps, "title"), title, first)
    pulling.edits.append(Edit(name, str(place), site / "title", ours, title, (change,)))


# ------------------------------------------------------------------ rows


def _gone(pulling: Pulling, table: Table, rows: Rows, row: str) -> None:
    """Handle a row that is missing from the workbook."""
    site, place = pulling.sites.row(table.name, row), rows.at(rows.heading, rows.key)
    if table.name in FILES or table.each or site is None:
        what = site.document.path if site is not None and table.name in FILES else "the data"
        text = f"the row '{row}' of '{table.name}' was deleted here but is still in the data"
        remedy = (
            f": {pulling.sites.paired(table)}" if table.each else f": delete it from {what} by hand"
        )
        pulling.leave(place, text + remedy)
        return
    if not pulling.same and _moved_on(pulling, table, row):
        text = f"the row '{row}' of '{table.name}' was deleted here, but edited in the data since"
        pulling.refuse("W007", place, f"{text}; put it back, or delete it there too")
        return
    name = f"{table.name}['{row}']"
    pulling.edits.append(Edit(name, str(place), site, "a row", "deleted", (Drop(site.steps),)))


def _moved_on(pulling: Pulling, table: Table, row: str) -> bool:
    """Whether a row of the data has changed since the workbook was made."""
    for column in table.columns.values():
        stated = column.stated.get(row)
        was = pulling.where.shipped.get(input_name(Key(column.name, table.name, row)))
        if stated is not None and was is not None:
            ours = said_by(stated, symbol_of(pulling, column))
            now = ours if isinstance(ours, str) else ours[1]
            before = was.value
            if isinstance(now, float) and isinstance(before, float):
                if not same((now,) * 3, (before,) * 3):
                    return True
            elif now != before:
                return True
    return False


def _new_id(pulling: Pulling, table: Table, rows: Rows, at: int) -> str:
    """An id made from a row's title. For a phase, it is a valid name in formulas."""
    id = suggested(str(pulling.cell(rows.at(at, rows.title)).value or ""))
    return id.replace("-", "_") if table.name == "phases" else id


def _added(
    pulling: Pulling, formulas: Formulas, table: Table, rows: Rows, id: str, at: int
) -> None:
    """Handle a row that somebody added."""
    place = rows.at(at, rows.key)
    site = pulling.sites.row(table.name, id) if table.name not in FILES else None
    if site is None:
        kind = FILES.get(table.name, "")
        hint = f"create it with 'scalesheet new {kind} {id}'" if kind else "add it in the data"
        hint = pulling.sites.paired(table) if table.each else hint
        pulling.leave(place, f"the row '{id}' is new in '{table.name}'; {hint}")
        return
    if not id:
        pulling.refuse("W008", place, f"a new row of '{table.name}' has no id; write one beside it")
        return
    if id in table.rows or (id in rows.rows and rows.rows[id] != at):
        words = f"a new row of '{table.name}' would have the id '{id}', which is taken"
        pulling.refuse("W008", place, f"{words}; write an id beside it")
        return
    cells = _cells(pulling, formulas, table, rows, id, at)
    before = [row for row, where in rows.rows.items() if where < at and row in table.rows]
    after = max(before, key=lambda row: rows.rows[row], default=None)
    if cells is None:
        return
    if table.name == "phases":
        cells = phase_entry(pulling, table, cells, after)
    message = ", ".join(f"{name} {_brief(value)}" for name, value in cells.items())
    change = Set(site.steps, cells, after)
    name = f"{table.name}['{id}']"
    pulling.edits.append(Edit(name, str(place), site, "no row", message, (change,)))


def _cells(
    pulling: Pulling, formulas: Formulas, table: Table, rows: Rows, id: str, at: int
) -> dict[str, object] | None:
    """What a new row states; None if one of its cells cannot be determined."""
    cells: dict[str, object] = {}
    title = str(pulling.cell(rows.at(at, rows.title)).value or "").strip()
    if title and title != id:
        cells["title"] = title
    cells |= _note_beside(pulling, table, rows, at)
    failed = False
    for column in table.columns.values():
        places = {end: rows.at(at, rows.columns[column.name, end]) for end in ends_of(column)}
        cell = pulling.cell(places["value"])
        if column.hidden:
            continue
        if cell.formula is not None:
            text = formulas.of_new_row(table, column, id, places)
            failed = failed or text is None
            if text:
                cells[column.name] = {"formula": text}
            continue
        if cell.blank:
            continue  # the column's formula, or an error in `check`
        copied = (each for each in column.stated.values() if each.reason == cell.value)
        try:
            said = said_in(
                {end: pulling.cell(p) for end, p in places.items()}, column, next(copied, None)
            )
        except ValueProblem as problem:
            name = input_name(Key(column.name, table.name, id))
            pulling.refuse(problem.code, places["value"], f"'{name}' {problem.message}")
            failed = True
            continue
        cells[column.name] = stated_as(column, said)
    return None if failed else cells


def _note_beside(pulling: Pulling, table: Table, rows: Rows, at: int) -> dict[str, object]:
    """The note next to a new row, unless it was copied along with another row."""
    column = next((beside for beside, head in rows.strange.items() if head == "Note"), None)
    if column is None or rows.turned:
        return {}
    note = str(pulling.cell(rows.at(at, column)).value or "").strip()
    copied = (rows.at(rows.rows[row], column) for row in table.rows if row in rows.rows)
    beside = any(same(str(pulling.cell(place).value or ""), note) for place in copied)
    return {} if beside or not note else {"note": note}


def _brief(value: object) -> str:
    if isinstance(value, float):
        from scalesheet.source.spelling import number_text

        return number_text(value)
    if isinstance(value, dict):
        return ", ".join(f"{key} {_brief(each)}" for key, each in value.items())
    return quotable(str(value))


# ------------------------------------------------------------------ what is not data


def _constants(pulling: Pulling) -> None:
    """Report edited constants on Units (conversions, defaults of catalogue formulas): no file of
    the plan states them.
    """
    for place, token in pulling.meanings.constants.items():
        if place.sheet not in pulling.workbook.sheets:
            continue
        cell, name = pulling.cell(place), str(token[1])
        known = pulling.constants[name].value if name in pulling.constants else None
        value = cell.value if isinstance(cell.value, float) else None
        if known is None or (value is not None and same((value,) * 3, (known,) * 3)):
            continue
        text = f"the constant '{name}' reads {cell.value if cell != EMPTY else 'nothing'}"
        pulling.leave(place, f"{text} and is {known:.15g}: it is not an input of the plan")


def _results(pulling: Pulling, ours: Collection[str]) -> None:
    """Report overwritten formulas where only results are shown: on the sheets other than `ours`,
    and in areas that are full of formulas. Checks has their number.
    """
    sheets = pulling.workbook.sheets
    checks = next((each for each in sheets.values() if each.text(0, 0) == "Checks"), None)
    if checks is None:
        return
    for (row, column), cell in checks.cells.items():
        if (column, cell.value) != (0, OVERWRITTEN):
            continue
        should = checks.at(row, SHOULD).value
        counts = _COUNTED.search(checks.at(row, CHECK_VALUE).formula or "")
        area = area_of(counts[1]) if counts else None
        if area is None or area.sheet not in sheets or not isinstance(should, float):
            continue
        values = [at for at in area.spots if sheets[area.sheet].at(*at).formula is None]
        full = should == len(area.spots)
        lost = int(should) - len(area.spots) + len(values)
        if lost > 0 and (full or area.sheet not in ours):
            place = Place(area.sheet, *values[0]) if full else area.sheet
            text = f"{counted(lost, 'formula')} overwritten or deleted: results are not imported"
            pulling.leave(place, f"{text}; change the inputs, or the formulas in the data")


def _sheets(pulling: Pulling, ours: Collection[str]) -> None:
    """Report sheets that people added: those without anything that we know."""
    for name, sheet in pulling.workbook.sheets.items():
        if name in ours or not sheet.cells:
            continue
        titled = sheet.text(0, 0)
        fixed = (
            "Results",
            "Checks",
            "Sources",
            "Changes",
            "Sensitivity",
            "Actuals",
        )
        if titled not in (*fixed, pulling.plan.title):
            pulling.leave(name, "a separate sheet: it holds no data of the plan")
    for name in pulling.workbook.foreign:
        pulling.leave(name, "a separate sheet: it holds no data of the plan")
