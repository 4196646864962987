"""Lowers phases: one table with known columns, each phase a namespace of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from scalesheet.diagnostics import at
from scalesheet.language.parser import parse
from scalesheet.model import Domain, Phase, PhaseClass, Show, Stated
from scalesheet.nearest import nearest
from scalesheet.resolve.drafts import Draft, DraftPlan, DraftTable, Space, Written
from scalesheet.resolve.lowering.scalars import lower_scalar, lower_totals
from scalesheet.resolve.lowering.tables import lower_table
from scalesheet.resolve.lowering.values import Lowering, stated, written

#: Columns of the phases table: title, unit, domain.
PHASE_COLUMNS: Mapping[str, tuple[str, str, Domain]] = {
    "gpus": ("GPUs", "GPU", "positive"),
    "hours": ("Wall-clock hours", "hour", "non-negative"),
    "gpu_hours": ("GPU hours", "GPU * hour", "non-negative"),
    "overhead": ("Overhead", "1", "non-negative"),
    "times": ("Times", "1", "non-negative"),
    "budget": ("Budget", "GPU * hour", "non-negative"),
    "gross_hours": ("Gross wall-clock hours", "hour", "non-negative"),
    "gross_gpu_hours": ("Gross GPU hours", "GPU * hour", "non-negative"),
    "at_once": ("Side by side", "1", "count"),
    "gpus_at_once": ("GPUs at once", "GPU", "positive"),
    "start": ("Start", "hour", "non-negative"),
    "end": ("End", "hour", "non-negative"),
}


#: How often a phase is paid for: the plan's scalar that multiplies it.
MULTIPLIED = {"per_seed": "seeds", "per_run": "runs", "per_cycle": "cycles"}

#: The share of time that makes progress; from it, gross hours.
GOODPUT = "goodput"
#: The accelerators that a plan has; from them, how many are short.
AT_HAND = "gpus_at_hand"
SHORT = "phases.total.gpus_short"
#: Sets of phases that may run at the same time, beyond which they are simply added up.
MOST_SETS = 32


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
    unneeded = _unneeded(data)
    for name, (title, unit, domain) in PHASE_COLUMNS.items():
        if name in unneeded:
            continue
        table.columns[name] = Draft(
            name,
            title,
            table.position,
            unit=low.units.parse(unit),
            domain=domain,
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
    lower_totals(plan, table, low.document.data.get("total", TOTALS), low, ())
    for name, title in (("end", "End of the calendar"), ("gpus_at_once", "GPUs at once, at most")):
        text = f"max(phases.{name})"
        plan.scalars[f"phases.total.{name}"] = _beside(table, name, title, text)
    if AT_HAND in plan.scalars:
        text = f"max(0, phases.total.gpus_at_once - {AT_HAND})"
        short = replace(_beside(table, "gpus_at_once", "GPUs short", text), name=SHORT)
        plan.scalars[SHORT] = short
    if GOODPUT not in plan.scalars:
        message = (
            f"the plan has phases and no scalar '{GOODPUT}', the share of the time that makes "
            "progress; add it, 1 where nothing is known"
        )
        low.problems.append(at(table.position, "V008", message))


#: What is totalled where the plan does not say.
TOTALS = ("gpu_hours", "budget", "gross_gpu_hours")


def _unneeded(data: Mapping[str, Any]) -> set[str]:
    """The columns that say the same of every phase, since no phase makes use of them."""
    names = {key for entry in data.values() for key in entry}
    classes = {entry.get("class") for entry in data.values()}
    unneeded = set() if "at_once" in names else {"at_once"}
    return unneeded if classes & set(MULTIPLIED) else unneeded | {"times"}


def _beside(table: DraftTable, name: str, title: str, text: str) -> Draft:
    """A scalar beside the totals, of the column's unit."""
    column = table.columns[name]
    formula = Written(text, parse(text), column.position, indent=None)
    return Draft(
        f"phases.total.{name}", title, column.position, unit=column.unit, formulas={None: formula}
    )


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
        "times": MULTIPLIED.get(phase.phase_class),
        "budget": _budget(phase.phase_class),
        "gross_hours": f"hours * (1 + overhead){' / goodput' if GOODPUT in plan.scalars else ''}",
        "gross_gpu_hours": f"budget{' / goodput' if GOODPUT in plan.scalars else ''}",
        "at_once": None,
        "gpus_at_once": _gpus_at_once(plan, phase, table),
        "start": _start(phase),
        "end": _end(table),
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
            value, note = UNSAID.get(name, (0.0, "none stated"))
            column.stated[phase.id] = Stated(
                value,
                value,
                value,
                note=note,
                basis="assumption",
                position=low.document.key_at(*path),
            )


#: What stands where a phase says nothing and nothing follows from the rest.
UNSAID = {
    "gpus": (1.0, "one GPU, since the plan does not say"),
    "times": (1.0, "once, by its class"),
    "at_once": (1.0, "one after the other"),
}


def _budget(phase_class: PhaseClass) -> str:
    times = MULTIPLIED.get(phase_class)
    return f"gpu_hours * (1 + overhead){f' * {times}' if times else ''}"


def _start(phase: Phase) -> str | None:
    if not phase.after:
        return None
    ends = [f"phases['{other}'].end" for other in phase.after]
    return ends[0] if len(ends) == 1 else f"max({', '.join(ends)})"


def _end(table: DraftTable) -> str:
    """Runs of a phase follow one another, as many side by side as the phase says."""
    if "times" not in table.columns:
        return "start + gross_hours"
    rounds = "ceil(times / at_once)" if "at_once" in table.columns else "times"
    return f"start + gross_hours * {rounds}"


def _gpus_at_once(plan: DraftPlan, phase: Phase, table: DraftTable) -> str:
    """The most GPUs that can be needed while the phase runs.

    Phases that do not wait for one another may run at the same time, however long each takes; so it
    is the greatest sum over the sets of phases of which none waits for another.
    """
    own = "gpus * min(at_once, times)" if "times" in table.columns else "gpus * at_once"
    own = own if "at_once" in table.columns else "gpus"

    def term(other: str) -> str:
        if other == phase.id:
            return own
        return re.sub(r"\b(gpus|at_once|times)\b", rf"phases['{other}'].\1", own)

    sets = list(islice(beside(plan.phases, phase.id), MOST_SETS + 1))
    if len(sets) > MOST_SETS:
        sets = [sorted(set().union(*sets))]
    sums = [" + ".join(term(other) for other in each) for each in sets]
    return sums[0] if len(sums) == 1 else f"max({', '.join(sums)})"


def beside(phases: Sequence[Phase], phase: str) -> Iterator[list[str]]:
    """Every largest set of phases with this one in which none waits for another, in order."""
    waits = _waits(phases)
    free = {
        one: {o for o in waits if o != one and o not in waits[one] and one not in waits[o]}
        for one in waits
    }
    order = list(waits)

    def grown(members: set[str], open_: set[str], closed: set[str]) -> Iterator[list[str]]:
        if not open_ and not closed:
            yield sorted(members, key=order.index)
        for one in sorted(open_, key=order.index):
            yield from grown(members | {one}, open_ & free[one], closed & free[one])
            open_, closed = open_ - {one}, closed | {one}

    yield from grown({phase}, free[phase], set())


def _waits(phases: Sequence[Phase]) -> dict[str, set[str]]:
    """For each phase all that must be over before it, at any distance."""
    direct = {phase.id: set(phase.after) for phase in phases}
    waits: dict[str, set[str]] = {}

    def of(one: str, seen: frozenset[str]) -> set[str]:
        if one not in waits and one not in seen:
            inner = (of(other, seen | {one}) for other in direct.get(one, ()))
            waits[one] = direct.get(one, set()).union(*inner)
        return waits.get(one, set())

    for phase in phases:
        of(phase.id, frozenset())
    return waits
