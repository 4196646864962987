"""Lowers a plan: scalars, tables, cross tables, phases, scenarios, charts and checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from scalesheet.diagnostics import at, nearest
from scalesheet.language.parser import parse
from scalesheet.language.syntax import Choice, Compare, Name, Node, Over, Text
from scalesheet.load import Document, flag
from scalesheet.model import Chart, Phase, PhaseClass, Position, Show, Stated
from scalesheet.resolve.drafts import Draft, DraftPlan, DraftTable, Space, Written
from scalesheet.resolve.values import Lowering, citation, show, stated, written

SCENARIO = "scenario"
#: Columns of the phases table: title, unit, domain.
PHASE_COLUMNS: Mapping[str, tuple[str, str, str]] = {
    "gpus": ("GPUs", "GPU", "positive"),
    "hours": ("Wall-clock hours", "hour", "non-negative"),
    "gpu_hours": ("GPU hours", "GPU * hour", "non-negative"),
    "overhead": ("Overhead", "1", "non-negative"),
    "budget": ("Budget", "GPU * hour", "non-negative"),
    "start": ("Start", "hour", "non-negative"),
    "end": ("End", "hour", "non-negative"),
}
#: How often a phase is paid for: the plan's scalar that multiplies it.
MULTIPLIED = {"per_seed": "seeds", "per_run": "runs", "per_cycle": "cycles"}
CLASSES = ("one_time", "per_seed", "single_seed", "per_run", "per_cycle")


def plan_of(document: Document, page: Document | None, space: Space, low: Lowering) -> DraftPlan:
    """A plan's drafts. Diagnostics go to `low`."""
    data = document.data
    low.citation = citation(data.get("source"))
    plan = DraftPlan(
        id=document.id,
        title=str(data["title"]),
        summary=str(data.get("summary", "")),
        position=document.at(),
        scenarios=tuple(data.get("scenarios", ())),
        recommendations=tuple(str(r) for r in data.get("recommendations", ())),
        page=page.data if page else "",
        page_path=page.path if page else "",
        citation=low.citation,
    )
    if plan.scenarios:
        plan.scalars[SCENARIO] = Draft(
            SCENARIO,
            "Scenario",
            document.at("scenarios"),
            kind="word",
            words=plan.scenarios,
            stated={None: Stated(plan.scenarios[0], basis="decision")},
            note="Which of the stated values the plan computes with",
        )
    low.rows = lambda table: _rows(table, plan, space)
    for name in data.get("scalars", {}):
        _scalar(plan, low, None, name, ("scalars", name))
    for name in data.get("tables", {}):
        _table(plan, low, space, None, name, ("tables", name))
    _phases(plan, low, space)
    for name, entry in data.get("checks", {}).items():
        _check(plan, low, name, entry, ("checks", name))
    plan.headline = tuple(
        (str(name), document.at("headline", index))
        for index, name in enumerate(data.get("headline", ()))
    )
    plan.charts = tuple(
        _chart(document, name, entry) for name, entry in data.get("charts", {}).items()
    )
    return plan


def _rows(table: str, plan: DraftPlan, space: Space) -> tuple[str, ...] | None:
    found = plan.tables.get(table) or space.catalogue.get(table)
    return found.rows if found else None


def _chart(document: Document, name: str, entry: Mapping[str, Any]) -> tuple[Chart, Position]:
    chart = Chart(
        name,
        str(entry["title"]),
        entry.get("kind", "bar"),
        str(entry["table"]),
        str(entry["column"]),
        str(entry.get("alt", entry["title"])),
    )
    return chart, document.at("charts", name)


# ------------------------------------------------------------------ scalars


def _draft(
    low: Lowering, name: str, entry: Mapping[str, Any], path: tuple[str | int, ...]
) -> Draft:
    """What a scalar and a column declare alike: kind, unit, domain, words."""
    draft = Draft(
        name,
        str(entry.get("title", name.rpartition(".")[2].replace("_", " ").capitalize())),
        low.document.key_at(*path),
        domain=entry.get("domain"),
        show=show(entry.get("show")),
        note=str(entry.get("note", "")),
        differs=entry.get("differs"),
    )
    if "ref" in entry:
        draft.kind, draft.refers_to = "reference", str(entry["ref"])
        low.later.append(lambda: _known_table(low, str(draft.refers_to), (*path, "ref")))
    elif "words" in entry:
        draft.kind, draft.words = "word", tuple(str(w) for w in entry["words"])
        if draft.differs is not None and draft.differs not in draft.words:
            low.say(
                "F006",
                f"'{draft.differs}' is not one of the words {', '.join(draft.words)}"
                f"{nearest(draft.differs, draft.words)}",
                *path,
                "differs",
            )
    elif flag(entry.get("flag", "no")):
        draft.kind = "flag"
    elif entry.get("text") is not None and flag(entry["text"]):
        draft.kind = "text"
    elif entry.get("date") is not None and flag(entry["date"]):
        draft.kind = "date"
    else:
        if "unit" not in entry:
            low.found.append(
                at(
                    draft.position,
                    "U003",
                    f"'{name}' is a number without a unit; add one, 'unit: 1' for a pure number; "
                    "a word needs 'words:', yes or no 'flag: yes'",
                )
            )
        draft.unit = low.unit(entry.get("unit", "1"), *path, "unit")
    return draft


def _scalar(
    plan: DraftPlan, low: Lowering, phase: str | None, name: str, path: tuple[str | int, ...]
) -> None:
    entry = _at(low.document.data, path)
    full = f"{phase}.{name}" if phase else name
    draft = _draft(low, full, entry, path)
    draft.phase = phase
    if "formula" in entry:
        formula = written(low, entry["formula"], *path, "formula")
        if formula is not None:
            draft.formulas[None] = replace(formula, citation=citation(entry.get("source")))
    else:
        draft.stated[None] = stated(low, draft, entry, *path)
        if "written" in entry:
            _scenario_scalar(plan, low, draft, entry, path)
    plan.scalars[full] = draft


def _known_table(low: Lowering, table: str, path: tuple[str | int, ...]) -> bool:
    known = low.rows(table) is not None
    if not known:
        low.say("N001", f"'{table}' is not a table to refer to", *path)
    return known


def _at(data: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        data = data[step]
    return data


def _scenario_scalar(
    plan: DraftPlan,
    low: Lowering,
    draft: Draft,
    entry: Mapping[str, Any],
    path: tuple[str | int, ...],
) -> None:
    """Two hidden inputs and a choice between them stand for a value with `written:` beside it."""
    if len(plan.scenarios) < 2:
        low.say(
            "S002",
            "a value has 'written:' beside it, but the plan names no scenarios; "
            "add 'scenarios: [corrected, written]'",
            *path,
            "written",
        )
        return
    other = stated(low, draft, entry["written"], *path, "written", basis="published")
    sides = dict(zip(plan.scenarios, (draft.stated.pop(None), other), strict=False))
    for scenario, value in sides.items():
        side = replace(
            draft,
            name=f"{draft.name}.{scenario}",
            title=f"{draft.title} ({scenario})",
            hidden=True,
            stated={None: value},
            formulas={},
        )
        plan.scalars[side.name] = side
    draft.formulas[None] = Written(
        f"{draft.name}, {' or '.join(sides)} by scenario",
        _by_scenario([Name(tuple(f"{draft.name}.{s}".split("."))) for s in sides], list(sides)),
        draft.position,
        indent=None,
    )


def _by_scenario(values: list[Name], scenarios: list[str]) -> Node:
    tree: Node = values[0]
    for value, scenario in zip(values[1:], scenarios[1:], strict=True):
        test = Compare("==", Name((SCENARIO,)), Text(scenario))
        tree = Choice(value, test, tree)
    return tree


# ------------------------------------------------------------------ tables


def _table(
    plan: DraftPlan,
    low: Lowering,
    space: Space,
    phase: str | None,
    name: str,
    path: tuple[str | int, ...],
) -> None:
    entry = _at(low.document.data, path)
    full = f"{phase}.{name}" if phase else name
    rows = entry["rows"]
    cross = "each" in rows and not _is_row(rows["each"])
    table = DraftTable(
        name=full,
        title=str(entry.get("title", name.replace("_", " ").capitalize())),
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
    for column in entry.get("columns", {}):
        _column(plan, low, table, column, entry, path, cross)
    if not cross:
        _unknown_cells(low, table, entry, path)
    _totals(plan, table, entry.get("total", ()), low, path)
    shown = entry.get("show")
    if shown:
        table.show = (str(shown["down"]), str(shown["across"]), str(shown["cell"]))
        for part in ("down", "across", "cell"):
            if shown[part] not in table.columns:
                low.say(
                    "N001",
                    f"'{full}' has no column '{shown[part]}'{nearest(shown[part], table.columns)}",
                    *path, "show", part,
                )  # fmt: skip
    plan.tables[full] = table


def _is_row(value: Any) -> bool:
    """`each` may also be the id of a row: then its value holds cells, not tables' names."""
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
    """The rows of a cross table: every combination, with one reference column for each axis."""
    axes: list[tuple[str, DraftTable, tuple[str, ...]]] = []
    for axis, target in each.items():
        name = target["table"] if isinstance(target, Mapping) else target
        found = plan.tables.get(str(name)) or space.catalogue.get(str(name))
        if found is None:
            known = [*plan.tables, *space.catalogue]
            low.say("N001", f"unknown table '{name}'{nearest(str(name), known)}", *path, axis)
            continue
        ids = tuple(target.get("rows", found.rows)) if isinstance(target, Mapping) else found.rows
        for index, row in enumerate(ids):
            if row not in found.rows:
                low.say(
                    "N002", f"'{row}' is not in {name}{nearest(row, found.rows)}",
                    *path, axis, "rows", index,
                )  # fmt: skip
        axes.append((axis, found, tuple(i for i in ids if i in found.rows)))
    combinations = list(product(*(ids for _, _, ids in axes))) if axes else []
    table.rows = tuple("--".join(ids) for ids in combinations)
    titles = [dict(zip(found.rows, found.row_titles, strict=True)) for _, found, _ in axes]
    table.row_titles = tuple(
        ", ".join(names[i] for names, i in zip(titles, ids, strict=True)) for ids in combinations
    )
    table.each = tuple((axis, found.name) for axis, found, _ in axes)
    table.row_positions = (low.document.at(*path),) * len(combinations)
    place = low.document.at(*path)
    for index, (axis, found, ids) in enumerate(axes):
        # one object for each id: a million rows share a thousand of them
        chosen = {id: Stated(id, basis="decision", position=place) for id in ids}
        table.columns[axis] = Draft(
            axis,
            axis.replace("_", " ").capitalize(),
            low.document.key_at(*path, axis),
            kind="reference",
            refers_to=found.name,
            table=table.name,
            stated={
                row: chosen[parts[index]]
                for row, parts in zip(table.rows, combinations, strict=True)
            },
        )


def _column(
    plan: DraftPlan,
    low: Lowering,
    table: DraftTable,
    name: str,
    entry: Mapping[str, Any],
    path: tuple[str | int, ...],
    cross: bool,
) -> None:
    spec = entry["columns"][name]
    place = (*path, "columns", name)
    draft = _draft(low, name, spec, place)
    draft.table, draft.phase = table.name, table.phase
    if "formula" in spec:
        formula = written(low, spec["formula"], *place, "formula")
        if formula is not None:
            draft.formulas[None] = replace(formula, citation=citation(spec.get("source")))
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
                    *path, "rows", row,
                )  # fmt: skip
            continue
        spot = (*path, "rows", row, name)
        cell = cells[name]
        if isinstance(cell, Mapping) and "formula" in cell:
            own = written(low, cell["formula"], *spot, "formula")
            if own is not None:
                draft.formulas[row] = own
            continue
        low.citation = citation(cells.get("source"), default)
        draft.stated[row] = stated(low, draft, cell, *spot, basis=spec.get("kind", "assumption"))
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
    first, second = plan.scenarios[:2]
    for scenario, values in ((first, draft.stated), (second, {**draft.stated, **other})):
        table.columns[f"{draft.name}_{scenario}"] = replace(
            draft,
            name=f"{draft.name}_{scenario}",
            title=f"{draft.title} ({scenario})",
            hidden=True,
            stated=dict(values),
            formulas={},
        )
    draft.stated = {}
    draft.formulas[None] = Written(
        f"{draft.name}, {first} or {second} by scenario",
        _by_scenario([Name((f"{draft.name}_{s}",)) for s in (first, second)], [first, second]),
        draft.position,
        indent=None,
    )


def _unknown_cells(
    low: Lowering, table: DraftTable, entry: Mapping[str, Any], path: tuple[str | int, ...]
) -> None:
    allowed = {"title", "note", "source", *entry.get("columns", {})}
    for row, cells in entry["rows"].items():
        if not isinstance(cells, Mapping):
            low.say("S003", f"the row '{row}' holds no cells", *path, "rows", row)
            continue
        for name in cells:
            if name not in allowed:
                place = low.document.key_at(*path, "rows", row, name)
                message = f"the table '{table.name}' has no column '{name}'{nearest(name, allowed)}"
                low.found.append(at(place, "S001", message))


def _totals(
    plan: DraftPlan,
    table: DraftTable,
    names: Any,
    low: Lowering,
    path: tuple[str | int, ...],
) -> None:
    for index, name in enumerate(names):
        column = table.columns.get(name)
        if column is None or column.kind != "number":
            message = f"'{table.name}' has no column of numbers '{name}' to total"
            low.say("N001", message + nearest(str(name), table.columns), *path, "total", index)
            continue
        full = f"{table.name}.total.{name}"
        plan.scalars[full] = Draft(
            full,
            f"{column.title} in total{'' if table.name == 'phases' else f', {table.title}'}",
            column.position,
            unit=column.unit,
            domain=None,
            show=column.show,
            phase=table.phase,
            formulas={
                None: Written(
                    f"sum({table.name}.{name})",
                    Over("sum", Name((*table.name.split("."), name)), None),
                    column.position,
                    indent=None,
                )
            },
        )
        table.totals = (*table.totals, name)


def _check(
    plan: DraftPlan,
    low: Lowering,
    name: str,
    entry: Mapping[str, Any],
    path: tuple[str | int, ...],
) -> None:
    formula = written(low, entry["formula"], *path, "formula")
    full = f"check.{name}"
    if formula is None:
        return
    plan.scalars[full] = Draft(
        full,
        str(entry.get("title", name.replace("_", " ").capitalize())),
        low.document.key_at(*path),
        kind="flag",
        note=str(entry.get("note", "")),
        formulas={None: formula},
    )
    plan.checks = (*plan.checks, full)


# ------------------------------------------------------------------ phases


def _phases(plan: DraftPlan, low: Lowering, space: Space) -> None:
    """The phases table: one row a phase, every derived cell with a formula of its own, so that a
    phase may rest on others without a circle of columns."""
    data = low.document.data.get("phases") or {}
    if not data:
        return
    plan.phases = tuple(
        Phase(
            name,
            str(entry.get("title", name)),
            entry.get("class", "one_time"),
            tuple(entry.get("after", ())),
            str(entry.get("note", "")),
        )
        for name, entry in data.items()
    )
    document = low.document
    table = DraftTable(
        name="phases",
        title="Phases",
        rows=tuple(data),
        row_titles=tuple(phase.title for phase in plan.phases),
        columns={},
        position=document.key_at("phases"),
        row_positions=tuple(document.key_at("phases", name) for name in data),
    )
    table.columns["class"] = Draft(
        "class",
        "Class",
        table.position,
        kind="word",
        words=CLASSES,
        table="phases",
        stated={p.id: Stated(p.phase_class, basis="decision") for p in plan.phases},
    )
    for name, (title, unit, domain) in PHASE_COLUMNS.items():
        table.columns[name] = Draft(
            name,
            title,
            table.position,
            unit=low.units.parse(unit),
            domain=domain,  # type: ignore[arg-type]  # the names of DOMAINS
            table="phases",
            show=Show(percent=name == "overhead"),
        )
    plan.tables["phases"] = table
    for phase in plan.phases:
        entry = data[phase.id]
        for name in entry.get("scalars", {}):
            _scalar(plan, low, phase.id, name, ("phases", phase.id, "scalars", name))
        for name in entry.get("tables", {}):
            _table(plan, low, space, phase.id, name, ("phases", phase.id, "tables", name))
        _phase_row(plan, low, table, phase, entry)
    _totals(plan, table, low.document.data.get("total", ("gpu_hours", "budget")), low, ())


def _phase_row(
    plan: DraftPlan, low: Lowering, table: DraftTable, phase: Phase, entry: Mapping[str, Any]
) -> None:
    path = ("phases", phase.id)
    for index, other in enumerate(phase.after):
        if other not in table.rows:
            message = f"'{other}' is not a phase{nearest(other, table.rows)}"
            low.say("N002", message, *path, "after", index)
            return
    default: dict[str, str | None] = {
        "gpus": "gpus" if "gpus" in plan.scalars else None,
        "hours": "gpu_hours / gpus" if "gpu_hours" in entry else None,
        "gpu_hours": "hours * gpus" if "hours" in entry else None,
        "overhead": None,
        "budget": _budget(phase.phase_class),
        "start": _start(phase),
        "end": "start + hours",
    }
    if "hours" not in entry and "gpu_hours" not in entry:
        low.say("S002", f"the phase '{phase.id}' states neither hours nor gpu_hours", *path)
        return
    for name, column in table.columns.items():
        if name == "class":
            continue
        given = entry.get(name)
        if isinstance(given, Mapping) and "formula" in given:
            formula = written(low, given["formula"], *path, name, "formula")
            if formula is not None:
                column.formulas[phase.id] = formula
        elif given is not None:
            column.stated[phase.id] = stated(low, column, given, *path, name)
        elif default[name] is not None:
            text = str(default[name])
            column.formulas[phase.id] = Written(
                text, parse(text), low.document.key_at(*path), indent=None
            )
        else:
            value, note = (1.0, "one GPU, since the plan does not say") if name == "gpus" else (
                0.0, "none stated")  # fmt: skip
            column.stated[phase.id] = Stated(
                value, value, value, note=note, basis="assumption",
                position=low.document.key_at(*path),
            )  # fmt: skip


def _budget(phase_class: PhaseClass) -> str:
    times = MULTIPLIED.get(phase_class)
    return f"gpu_hours * (1 + overhead){f' * {times}' if times else ''}"


def _start(phase: Phase) -> str | None:
    if not phase.after:
        return None
    ends = [f"phases['{other}'].end" for other in phase.after]
    return ends[0] if len(ends) == 1 else f"max({', '.join(ends)})"
