"""What the script and the JSON of a plan show of a cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proof import faces
from proof.faces import Address, Shown
from proof.subjects import Subject


def of_script(subject: Subject, computed: Mapping[str, Any]) -> dict[Address, Any]:
    """Each cell by the script's computed values."""
    return {cell.address: _plain(_in_script(computed, cell), cell) for cell in subject.cells}


def _in_script(computed: Mapping[str, Any], cell: Shown) -> Any:
    if cell.key.table is None:
        return computed["scalars"][cell.key.name]
    return computed["tables"][cell.key.table][cell.key.name][cell.number]


def of_json(subject: Subject, data: Mapping[str, Any]) -> dict[Address, Any]:
    """Each cell by the JSON; the catalogue has files of its own."""
    rows = {
        table: {row["id"]: row["cells"] for row in content["rows"]}
        for table, content in data["tables"].items()
    }
    shown = {}
    for cell in subject.cells:
        key = cell.key
        if key.table in subject.book.tables:
            shown[cell.address] = faces.expected(subject.results, cell)
        elif key.table is None:
            shown[cell.address] = _plain(data["quantities"][key.name], cell)
        else:
            shown[cell.address] = _plain(rows[key.table][str(key.row)][key.name], cell)
    return shown


def _plain(value: Any, cell: Shown) -> Any:
    if isinstance(value, dict):
        value = value.get("reason", value.get(cell.end, value.get("value")))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value
