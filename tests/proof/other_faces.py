"""The content of each cell by a plan's script and by its JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proof import faces
from proof.faces import Address, Shown
from proof.subjects import Subject
from scalesheet.model import Key


def of_script(subject: Subject, computed: Mapping[str, Any]) -> dict[Address, Any]:
    """The content of each cell by the script's computed values."""

    def said(key: Key, number: int) -> Any:
        if key.table is None:
            return computed["scalars"][key.name]
        whole = subject.edition.book.tables.get(key.table)  # the workbook may include fewer rows
        row = number if whole is None else whole.rows.index(str(key.row))
        return computed["tables"][key.table][key.name][row]

    return {cell.address: _shown(cell, said) for cell in subject.cells}


def of_json(subject: Subject, data: Mapping[str, Any]) -> dict[Address, Any]:
    """The content of each cell by the JSON; the catalogue has its own files."""
    rows = {
        table: {row["id"]: row["cells"] for row in content["rows"]}
        for table, content in data["tables"].items()
    }

    def said(key: Key, number: int) -> Any:
        if key.table is None:
            return data["quantities"][key.name]
        return rows[key.table][str(key.row)][key.name]

    return {
        cell.address: faces.expected(subject.results, cell)
        if cell.key.table in subject.book.tables
        else _shown(cell, said)
        for cell in subject.cells
    }


def _shown(cell: Shown, said: Callable[[Key, int], Any]) -> Any:
    """The content that the workbook's cell must have by a face's values."""
    shown = _plain(said(cell.key, cell.number), cell)
    if cell.status is not None and shown == _plain(said(cell.status, cell.number), cell):
        return None
    return shown


def _plain(value: Any, cell: Shown) -> Any:
    if isinstance(value, dict):
        value = value.get("reason", value.get(cell.end, value.get("value")))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value
