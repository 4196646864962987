"""Rows with a new id: each keeps what its file states about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from scalesheet.model import Table
from scalesheet.pull.model import Edit, Pulling
from scalesheet.pull.sites import FILES
from scalesheet.pull.values import ValueProblem, said_by, said_in, same, symbol_of
from scalesheet.pull.where import Rows
from scalesheet.render.workbook.context import ends_of
from scalesheet.source.patch import Rename


def renamed(pulling: Pulling) -> Pulling:
    """The pull with rows under the ids that the data have; each new id is an edit.

    A row counts as the same if it is between the same rows and states the same in each cell.
    """
    if not pulling.same:
        return pulling
    tables = dict(pulling.where.tables)
    ids: dict[tuple[str, str], str] = {}
    for name, rows in pulling.where.tables.items():
        table = pulling.tables[name]
        if (
            table.each
            or name in FILES
            or name in pulling.reordered
            or set(table.rows) <= {*rows.rows}
        ):
            continue
        new = {
            new: old
            for old, new in _pairs(table.rows, rows)
            if _alike(pulling, table, rows, old, new)
        }
        for id, old in new.items():
            site = pulling.sites.row(name, old)
            if site is not None:
                place = str(rows.at(rows.rows[id], rows.key))
                change = Rename(site.steps, id)
                pulling.edits.append(Edit(f"{name}['{old}']", place, site, old, id, (change,)))
                ids[name, old] = id
        known = {new.get(id, id): at for id, at in rows.rows.items()}
        tables[name] = replace(rows, rows=known)
    if not ids:
        return pulling
    return replace(pulling, where=replace(pulling.where, tables=tables), renamed=ids)


def _pairs(ours: Sequence[str], rows: Rows) -> Iterator[tuple[str, str]]:
    """Pairs each missing row with the new one in its place, between the same rows."""
    theirs = sorted(rows.rows, key=lambda id: rows.rows[id])
    for gone, new in zip(_between(ours, theirs), _between(theirs, ours), strict=True):
        yield from zip(gone, new, strict=False)


def _between(rows: Sequence[str], others: Sequence[str]) -> list[list[str]]:
    """Groups of rows that the others lack, split at the rows that they have."""
    result: list[list[str]] = [[]]
    for row in rows:
        if row in others:
            result.append([])
        else:
            result[-1].append(row)
    return result


def _alike(pulling: Pulling, table: Table, rows: Rows, old: str, new: str) -> bool:
    """Whether the new row contains everything that the old one states."""
    for column in table.columns.values():
        stated = column.stated.get(old)
        if stated is None or any((column.name, end) not in rows.columns for end in ends_of(column)):
            continue
        at = rows.rows[new]
        cells = {
            end: pulling.cell(rows.at(at, rows.columns[column.name, end]))
            for end in ends_of(column)
        }
        try:
            if not same(
                said_in(cells, column, stated), said_by(stated, symbol_of(pulling, column))
            ):
                return False
        except ValueProblem:
            return False
    return True
