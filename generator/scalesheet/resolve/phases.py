"""Lowers phases: one table with known columns, each phase a namespace of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scalesheet.diagnostics import nearest
from scalesheet.language.parser import parse
from scalesheet.model import Phase, PhaseClass, Show, Stated
from scalesheet.resolve.drafts import Draft, DraftPlan, DraftTable, Space, Written
from scalesheet.resolve.scalars import lower_scalar
from scalesheet.resolve.tables import lower_table, lower_totals
from scalesheet.resolve.values import Lowering, stated, written

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


def lower_phases(plan: DraftPlan, low: Lowering, space: Space) -> None:
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
            lower_scalar(plan, low, phase.id, name, ("phases", phase.id, "scalars", name))
        for name in entry.get("tables", {}):
            lower_table(plan, low, space, phase.id, name, ("phases", phase.id, "tables", name))
        _phase_row(plan, low, table, phase, entry)
    lower_totals(plan, table, low.document.data.get("total", ("gpu_hours", "budget")), low, ())


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
