"""Makes claims from rows: a document's table is listed cell by cell, and each column states once
what its cells are compared with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from scalesheet.frozen import dataclass
from scalesheet.load import Steps
from scalesheet.nearest import nearest
from scalesheet.resolve.claims.expressions import Row
from scalesheet.resolve.drafts import DraftTable, Space
from scalesheet.resolve.lowering.values import Lowering

#: What a claim states; a column states it for all its cells, a cell for itself.
STATED = ("says", "from", "against", "plan", "lacks", "role", "limit", "effect", "expect", "note")


@dataclass(frozen=True, slots=True)
class Entry:
    """A claim as written: its data, the place of each key, and the row it is from.

    `unit` is set if the figure is read from the quote.
    """

    id: str
    data: Mapping[str, Any]
    places: Mapping[str, Steps]
    place: Steps
    row: Row = field(default_factory=Row)
    unit: Any = None
    column: tuple[str, str] | None = None

    def at(self, key: str) -> Steps:
        return self.places.get(key, self.place)


def id_of(document: str, line: int, number: int) -> str:
    return f"{document}-L{line:03d}-{number:02d}"


def entries_of(
    data: Mapping[str, Any], document: str, space: Space, low: Lowering
) -> Iterator[Entry]:
    """Every claim of the file: those written individually, and those made from rows."""
    for id_, claim in data.get("claims", {}).items():
        steps: Steps = ("claims", id_)
        yield Entry(id_, claim, {key: (*steps, key) for key in claim}, steps)
    for name, table in data.get("tables", {}).items():
        yield from _of_table(name, table, document, space, low)


def _of_table(
    name: str, data: Mapping[str, Any], document: str, space: Space, low: Lowering
) -> Iterator[Entry]:
    table = _table(name, data, space, low)
    columns: Mapping[str, Mapping[str, Any]] = data["columns"]
    line = int(data["line"])
    for row, written in data["rows"].items():
        steps: Steps = ("tables", name, "rows", row)
        cells, below = written, steps
        if isinstance(written, Mapping):
            line = int(written.get("line", line))
            cells, below = written["cells"], (*steps, "cells")
        if table is not None and row not in table.rows:
            low.problems.append(_no_row(low, table, row, steps))
        if len(cells) > len(columns):
            message = f"the row '{row}' has {len(cells)} cells and the table {len(columns)} columns"
            low.say("S004", message, *below)
        result = _row(name, data, columns, cells, document, line)
        siblings = {column: id_ for column, id_, _ in result}
        known = table if table is not None and row in table.rows else None
        for column, id_, place in result:
            yield _entry(
                id_,
                (name, column),
                columns[column],
                cells[place],
                (*below, place),
                Row(known, row, siblings),
            )
        line += 1


def _table(name: str, data: Mapping[str, Any], space: Space, low: Lowering) -> DraftTable | None:
    """The table in the plan that the rows belong to."""
    wanted = data.get("table")
    if wanted is None:
        return None
    known = {**space.catalogue, **space.tables}
    if wanted not in known:
        message = f"the plan has no table '{wanted}'{nearest(str(wanted), known)}"
        low.say("N001", message, "tables", name, "table")
        return None
    return known[wanted]


def _no_row(low: Lowering, table: DraftTable, row: str, steps: Steps) -> Any:
    from scalesheet.diagnostics import at

    message = f"'{row}' is not a row of {table.name}{nearest(row, table.rows)}"
    return at(low.document.key_at(*steps), "N002", message)


def _row(
    name: str,
    data: Mapping[str, Any],
    columns: Mapping[str, Mapping[str, Any]],
    cells: list[Any],
    document: str,
    line: int,
) -> list[tuple[str, str, int]]:
    """Column, id and place of each claim of a row; ids are numbered within each line."""
    result: list[tuple[str, str, int]] = []
    counted: dict[int, int] = {}
    for place, (column, shared) in enumerate(columns.items()):
        if place >= len(cells) or cells[place] is None:
            continue
        own = line + int(shared.get("offset", 0))
        counted[own] = int(shared.get("number", counted.get(own, 0) + 1))
        result.append((column, id_of(document, own, counted[own]), place))
    return result


def _entry(
    id_: str,
    column: tuple[str, str],
    shared: Mapping[str, Any],
    cell: Any,
    place: Steps,
    row: Row,
) -> Entry:
    """The column's keys, overridden by the cell's own."""
    own: Mapping[str, Any] = cell if isinstance(cell, Mapping) else {}
    above: Steps = ("tables", column[0], "columns", column[1])
    data: dict[str, Any] = {}
    places: dict[str, Steps] = {}
    for key in STATED:
        if key in own:
            if own[key] is not None:
                data[key], places[key] = own[key], (*place, key)
        elif key in shared:
            data[key], places[key] = shared[key], (*above, key)
    if "quote" in own:
        data["quote"] = own["quote"]
    else:
        data["quote"] = str(shared.get("quote", "{}")).replace("{}", str(cell))
    unit = None if "says" in data else shared.get("unit", "")
    return Entry(id_, data, places, place, row, unit, column)
