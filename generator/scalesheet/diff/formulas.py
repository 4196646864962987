"""Formulas that changed: of plans, of catalogue columns, and of the formula catalogue."""

from __future__ import annotations

import re
from collections.abc import Mapping

from scalesheet.book import Book
from scalesheet.diff.changes import FormulaChanged, Place
from scalesheet.diff.inputs import label_of, statements
from scalesheet.diff.matching import Names, own_tables, plan_of
from scalesheet.model import Formula, Key

BY_SCENARIO = re.compile(r".* by scenario")  # a choice between two values, created by the program


def formula_changes(base: Book, head: Book, names: Names) -> tuple[FormulaChanged, ...]:
    """Formulas on both sides that differ in more than spaces and new names, and quantities that
    changed from stated to computed or back.
    """
    changes: list[FormulaChanged] = []
    for id, record in base.records.items():
        now = head.records.get(id)
        if now is not None and _plain(record.formula.text) != _plain(now.formula.text):
            texts = _plain(record.formula.text), _plain(now.formula.text)
            changes.append(FormulaChanged(None, id, now.title, *texts, now.position))
    for plan, new_plan in names.changed(base, head):
        before, after = formulas_of(base, plan), formulas_of(head, new_plan)
        was_stated, is_stated = statements(base, plan), statements(head, new_plan)
        renamed = {o: n for o, n in names.scalars[plan].items() if o != n}
        for key in {**before, **dict.fromkeys(was_stated)}:
            place = names.place(Place(plan, key))
            if place is None or BY_SCENARIO.fullmatch(before[key].text if key in before else ""):
                continue
            old = _with(renamed, _plain(before[key].text)) if key in before else ""
            new = _plain(after[place.key].text) if place.key in after else ""
            if old == new or not (new or place.key in is_stated):
                continue
            if BY_SCENARIO.fullmatch(new):
                continue
            formula = after.get(place.key)
            position = formula.position if formula else is_stated[place.key][1].position
            label = label_of(head, place)
            changes.append(FormulaChanged(place, "", label, old, new, position))
    return tuple(changes)


def formulas_of(book: Book, plan: str) -> dict[Key, Formula]:
    """The formulas of a plan, or of the catalogue's columns for the empty id."""
    result = {
        Key(scalar.name): scalar.formula
        for scalar in plan_of(book, plan).scalars.values()
        if scalar.formula is not None
    }
    for table in own_tables(book, plan).values():
        for column in table.columns.values():
            if column.formula is not None:
                result[Key(column.name, table.name)] = column.formula
            result |= {Key(column.name, table.name, row): own for row, own in column.own.items()}
    return result


def _plain(text: str) -> str:
    return " ".join(text.split())


def _with(renamed: Mapping[str, str], text: str) -> str:
    """The text with renamed things under their new names."""
    for old, new in renamed.items():
        text = re.sub(rf"(?<![\w.]){re.escape(old)}(?![\w])", new, text)
    return text
