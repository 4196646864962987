"""Lowers the small tables of the catalogue: facts by row, in columns that each file declares."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from scalesheet.diagnostics import Diagnostic, at
from scalesheet.load import Document
from scalesheet.resolve.drafts import DraftPlan, DraftRecord, DraftTable, Space
from scalesheet.resolve.lowering.tables import lower_table
from scalesheet.resolve.lowering.values import Lowering, citation
from scalesheet.units import Units

#: Folders of the site and of the data API, and tables with their own kind of file.
TAKEN = frozenset(
    (
        "audit",
        "fits",
        "formulas",
        "hardware",
        "index",
        "measurements",
        "models",
        "nodes",
        "offers",
        "phases",
        "plans",
        "prices",
        "reference",
        "schemas",
        "score",
        "sensitivity",
        "sources",
        "tables",
        "units",
    )
)
_NAME = re.compile("[a-z][a-z0-9_]*")


def small_tables(
    documents: Sequence[Document],
    units: Units,
    records: Mapping[str, DraftRecord],
    known: Mapping[str, DraftTable],
    problems: list[Diagnostic],
) -> dict[str, DraftTable]:
    """The tables by name. `known` are the other tables of the catalogue, which they may refer to.

    They are read like the tables of a plan, so they may have computed columns.
    """
    tables: dict[str, DraftTable] = {}
    lowered: list[Lowering] = []
    for document in documents:
        problem = _misnamed(document.id)
        if problem is not None:
            problems.append(at(document.at(), *problem))
            continue
        low = Lowering(document, units, problems, citation(document.data.get("source")))
        low.rows = lambda name: _rows(name, tables, known)
        around = DraftPlan(document.id, "", "", document.at())
        space = Space(units, records, known)
        lower_table(around, low, space, None, document.id, (), basis="published")
        table = around.tables[document.id]
        table.note = str(document.data["summary"])
        tables[document.id] = table
        lowered.append(low)
    for low in lowered:  # after all of them, since they may refer to each other
        low.finish()
    return tables


def _misnamed(id: str) -> tuple[str, str] | None:
    """Code and message if a file's name cannot be a table's name."""
    if not _NAME.fullmatch(id):
        message = f"'{id}' is not a name of a table: use a-z, 0-9 and '_', a letter first"
        return "S005", message
    if id in TAKEN:
        message = f"the address of a table '{id}' is taken by another part of the site"
        return "N009", f"{message}; rename the file"
    return None


def _rows(
    name: str, tables: Mapping[str, DraftTable], known: Mapping[str, DraftTable]
) -> tuple[str, ...] | None:
    table = tables.get(name) or known.get(name)
    return table.rows if table is not None else None
