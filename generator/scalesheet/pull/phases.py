"""A phase that was added to the table of phases: creates its entry in `phases:`."""

from __future__ import annotations

from collections.abc import Mapping

from scalesheet.model import Column, Table
from scalesheet.pull.model import Pulling
from scalesheet.pull.values import said_by, stated_as, symbol_of

#: Keys of an entry that no cell of its row shows.
BESIDE = ("after", "times")


def phase_entry(
    pulling: Pulling, table: Table, cells: Mapping[str, object], above: str | None
) -> dict[str, object]:
    """The entry of a phase whose row holds `cells`, based on the most similar phase.

    Whatever that phase leaves to defaults is left out here too, and the new phase waits for the
    same phases. If several are equally similar, the nearest one above counts.
    """
    shown = {row: _shown(pulling, table, row) for row in table.rows}

    def likeness(row: str) -> tuple[int, bool]:
        return sum(shown[row].get(name) == said for name, said in cells.items()), row == above

    model = max(table.rows, key=likeness)
    data = pulling.sites.row(table.name, model)
    stated = data.data if data is not None and isinstance(data.data, Mapping) else {}
    entry: dict[str, object] = {}
    for name, said in cells.items():
        same = shown[model].get(name) == said
        if same and (name in BESIDE or name not in stated) and name in table.columns:
            continue
        plain = same and not isinstance(stated.get(name), Mapping)
        entry[name] = stated[name] if plain and name in stated else said
    beside = {key: stated[key] for key in BESIDE if key in stated and key not in entry}
    first: dict[str, object] = {key: entry.pop(key) for key in ("title", "class") if key in entry}
    return {**first, **beside, **entry}


def _shown(pulling: Pulling, table: Table, row: str) -> dict[str, object]:
    """What the cells of a phase say, in the form in which a new row states it."""
    return {
        column.name: said
        for column in table.columns.values()
        if (said := _said(pulling, column, row)) is not None
    }


def _said(pulling: Pulling, column: Column, row: str) -> object:
    formula, stated = column.own.get(row) or column.formula, column.stated.get(row)
    if stated is not None:
        return stated_as(column, said_by(stated, symbol_of(pulling, column)))
    return None if formula is None else {"formula": formula.text}
