"""Lowers tables: hand-written rows, cross tables, totals, and cells with a second value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from operator import itemgetter
from typing import Any

from scalesheet.diagnostics import at
from scalesheet.model import Basis, Stated
from scalesheet.nearest import nearest
from scalesheet.resolve.drafts import Draft, DraftPlan, DraftTable, Space
from scalesheet.resolve.lowering.cases import find, lower_cases
from scalesheet.resolve.lowering.components import unknown_inputs
from scalesheet.resolve.lowering.scalars import (
    drafted,
    entry_at,
    lower_totals,
    split_by_scenario,
)
from scalesheet.resolve.lowering.values import Lowering, citation, stated, written
from scalesheet.vocabulary import title_of


def lower_table(
    plan: DraftPlan,
    low: Lowering,
    space: Space,
    phase: str | None,
    name: str,
    path: tuple[str | int, ...],
    basis: Basis = "assumption",
) -> None:
    """Add the table at a path, with its totals as scalars of the plan.

    `basis` is the default basis of its stated cells.
    """
    entry = entry_at(low.document.data, path)
    full = f"{phase}.{name}" if phase else name
    rows = entry["rows"]
    cross = "each" in rows and not _is_row(rows["each"])
    if full in space.catalogue:
        message = f"the catalogue has a table '{full}' too, and formulas could mean either; rename"
        low.problems.append(at(low.document.key_at(*path), "N003", f"{message} this one"))
    table = DraftTable(
        name=full,
        title=str(entry.get("title", title_of(name))),
        rows=(),
        row_titles=(),
        columns={},
        position=low.document.key_at(*path),
        phase=phase,
        note=str(entry.get("note", "")),
    )
    if cross:
        _cross_rows(plan, low, space, table, rows["each"], (*path, "rows", "each"))
    else:
        table.rows = tuple(rows)
        table.row_titles = tuple(
            str(cells.get("title", row)) if isinstance(cells, Mapping) else str(row)
            for row, cells in rows.items()
        )
        table.row_positions = tuple(low.document.key_at(*path, "rows", row) for row in rows)
        table.row_notes = {
            row: str(cells["note"])
            for row, cells in rows.items()
            if isinstance(cells, Mapping) and cells.get("note")
        }
    component = find(plan, low, space, entry, path) if "of" in entry else None
    if not cross and (component is not None) == ("of" in entry):
        _unknown_cells(low, space, table, entry, path)
    if component is not None:
        lower_cases(low, plan, table, component, entry, path)
    for column in entry.get("columns", {}):
        _column(plan, low, table, column, entry, path, cross, basis)
    if component is not None or "of" not in entry:
        lower_totals(plan, table, entry.get("total", ()), low, path)
    shown = entry.get("show")
    if shown:
        table.show = (str(shown["down"]), str(shown["across"]), str(shown["cell"]))
        for part in ("down", "across", "cell"):
            if shown[part] not in table.columns:
                low.say(
                    "N001",
                    f"'{full}' has no column '{shown[part]}'{nearest(shown[part], table.columns)}",
                    *path,
                    "show",
                    part,
                )
            elif part != "cell" and table.columns[shown[part]].formulas:
                message = f"'{shown[part]}' is computed; lay the table out by stated columns"
                low.say("F004", message, *path, "show", part)
    plan.tables[full] = table


def _is_row(value: Any) -> bool:
    """Whether `each` is the id of a row: then its value holds cells, not names of tables."""
    return not isinstance(value, Mapping) or not all(
        isinstance(v, str) or (isinstance(v, Mapping) and "table" in v) for v in value.values()
    )


def _cross_rows(
    plan: DraftPlan,
    low: Lowering,
    space: Space,
    table: DraftTable,
    each: Mapping[str, Any],
    path: tuple[str | int, ...],
) -> None:
    """The rows of a cross table: every combination, with one reference column per axis."""
    axes: list[tuple[str, DraftTable, tuple[str, ...]]] = []
    for axis, target in each.items():
        name = target["table"] if isinstance(target, Mapping) else target
        result = plan.tables.get(str(name)) or space.catalogue.get(str(name))
        if result is None:
            known = [*plan.tables, *space.catalogue]
            low.say("N001", f"unknown table '{name}'{nearest(str(name), known)}", *path, axis)
            continue
        ids = tuple(target.get("rows", result.rows)) if isinstance(target, Mapping) else result.rows
        for index, row in enumerate(ids):
            if row not in result.rows:
                low.say(
                    "N002",
                    f"'{row}' is not in {name}{nearest(row, result.rows, 'known there')}",
                    *path,
                    axis,
                    "rows",
                    index,
                )
        axes.append((axis, result, tuple(i for i in ids if i in result.rows)))
    combinations = list(product(*(ids for _, _, ids in axes))) if axes else []
    table.rows = tuple(map("--".join, combinations))
    titles = [
        [result.row_titles[places[id_]] for id_ in ids]
        for _, result, ids in axes
        for places in ({row: place for place, row in enumerate(result.rows)},)
    ]
    table.row_titles = tuple(map(", ".join, product(*titles))) if axes else ()
    table.each = tuple((axis, result.name) for axis, result, _ in axes)
    table.row_positions = (low.document.at(*path),) * len(combinations)
    place = low.document.at(*path)
    for index, (axis, result, ids) in enumerate(axes):
        # one object per id: a million rows share a thousand of them
        chosen = {id: Stated(id, basis="decision", position=place) for id in ids}
        parts = map(itemgetter(index), combinations)
        table.columns[axis] = Draft(
            axis,
            title_of(axis),
            low.document.key_at(*path, axis),
            kind="reference",
            refers_to=result.name,
            table=table.name,
            stated=dict(zip(table.rows, map(chosen.__getitem__, parts), strict=True)),
        )


def _column(
    plan: DraftPlan,
    low: Lowering,
    table: DraftTable,
    name: str,
    entry: Mapping[str, Any],
    path: tuple[str | int, ...],
    cross: bool,
    basis: Basis,
) -> None:
    spec = entry["columns"][name]
    place = (*path, "columns", name)
    draft = drafted(low, name, spec, place)
    draft.table, draft.phase = table.name, table.phase
    if "formula" in spec:
        formula = written(low, spec["formula"], *place, "formula")
        if formula is not None:
            draft.formulas[None] = replace(formula, citation=citation(spec.get("source")))
        else:
            draft.fault = low.problems[-1]
    default = citation(spec.get("source"), low.citation)
    inherited, low.citation = low.citation, default
    other: dict[str | None, Stated] = {}
    for row in table.rows if not cross else ():
        cells = entry["rows"][row]
        if not isinstance(cells, Mapping) or name not in cells:
            if "formula" not in spec and draft.kind not in ("text", "date"):
                low.say(
                    "S002",
                    f"the row '{row}' has no '{name}', and the column has no formula; "
                    f"write a value, or {{reason: why there is none}}",
                    *path,
                    "rows",
                    row,
                )
            continue
        spot = (*path, "rows", row, name)
        cell = cells[name]
        if isinstance(cell, Mapping) and "formula" in cell:
            own = written(low, cell["formula"], *spot, "formula")
            if own is not None:
                draft.formulas[row] = own
            continue
        low.citation = citation(cells.get("source"), default)
        draft.stated[row] = stated(low, draft, cell, *spot, basis=spec.get("kind", basis))
        if isinstance(cell, Mapping) and "written" in cell:
            other[row] = stated(low, draft, cell["written"], *spot, "written", basis="published")
    low.citation = inherited
    table.columns[name] = draft
    if other:
        _scenario_column(plan, low, table, draft, other, path)


def _scenario_column(
    plan: DraftPlan,
    low: Lowering,
    table: DraftTable,
    draft: Draft,
    other: Mapping[str | None, Stated],
    path: tuple[str | int, ...],
) -> None:
    if len(plan.scenarios) < 2:
        low.say(
            "S002",
            "a cell has 'written:' beside it, but the plan names no scenarios; "
            "add 'scenarios: [corrected, written]'",
            *path,
        )
        return
    for side in split_by_scenario(plan, draft, (draft.stated, {**draft.stated, **other}), "_"):
        table.columns[side.name] = side


def _unknown_cells(
    low: Lowering,
    space: Space,
    table: DraftTable,
    entry: Mapping[str, Any],
    path: tuple[str | int, ...],
) -> None:
    own = {"title", "note", "source", *entry.get("columns", {})}
    component = space.components[entry["of"]] if "of" in entry else None
    for row, cells in entry["rows"].items():
        if not isinstance(cells, Mapping):
            low.say("S003", f"the row '{row}' has no cells", *path, "rows", row)
            continue
        if component is not None:
            unknown_inputs(low, component, set(cells) - own, (*path, "rows", row))
            continue
        for name in cells:
            if name not in own:
                place = low.document.key_at(*path, "rows", row, name)
                message = f"the table '{table.name}' has no column '{name}'{nearest(name, own)}"
                low.problems.append(at(place, "S001", message))
