"""Lowers phases: one table with known columns, where each phase is also a namespace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scalesheet.diagnostics import at
from scalesheet.hints import share_hint
from scalesheet.language.parser import parse
from scalesheet.model import DOMAIN_WORDS, Domain, Phase, Show, Stated, deadline_check, within
from scalesheet.nearest import nearest
from scalesheet.quantities import DATE
from scalesheet.resolve.drafts import (
    ADD_GOODPUT,
    GOODPUT,
    Draft,
    DraftPlan,
    DraftTable,
    Space,
    Written,
)
from scalesheet.resolve.lowering.costs import COST_COLUMNS, OFFER, OFFERS, Costs, costs_of, on_gpus
from scalesheet.resolve.lowering.grids import lower_grid
from scalesheet.resolve.lowering.scalars import lower_scalar, lower_totals
from scalesheet.resolve.lowering.schedule import BEGIN, HOLIDAYS, SHARED, WEEK, WORKED, Schedule
from scalesheet.resolve.lowering.tables import lower_table
from scalesheet.resolve.lowering.values import Lowering, stated, written
from scalesheet.resolve.proving.integers import WHOLE

#: The domain of the goodput.
SHARE: Domain = "positive-fraction"
#: Columns of the phases table: title, unit, domain.
PHASE_COLUMNS: Mapping[str, tuple[str, str, Domain]] = {
    "gpus": ("GPUs", "GPU", "positive"),
    "hours": ("Wall-clock hours", "hour", "non-negative"),
    "gpu_hours": ("GPU hours", "GPU * hour", "non-negative"),
    "overhead": ("Overhead", "1", "non-negative"),
    "times": ("Times", "1", "non-negative"),
    "budget": ("GPU budget", "GPU * hour", "non-negative"),
    "gross_hours": ("Gross wall-clock hours", "hour", "non-negative"),
    "gross_gpu_hours": ("Gross GPU hours", "GPU * hour", "non-negative"),
    "at_once": ("Concurrent runs", "1", "count"),
    "gpus_at_once": ("GPUs at once", "GPU", "positive"),
    "work": ("People's work", "hour", "non-negative"),
    "people": ("People", "1", "positive"),
    "workdays": ("Working days", "1", "whole"),
    "not_before": ("Not before", "date", "non-negative"),
    "start": ("Start", "hour", "non-negative"),
    "end": ("End", "hour", "non-negative"),
    "start_date": ("Start date", "date", "non-negative"),
    "end_date": ("End date", "date", "non-negative"),
    "deadline": ("Deadline", "date", "non-negative"),
    **COST_COLUMNS,
}
#: Columns that exist if a phase states the key; all of them depend on dates.
OF_PEOPLE = ("work", "people", "workdays")

#: The plan's scalar that multiplies a phase: how often it is paid for.
MULTIPLIED = {"per_seed": "seeds", "per_run": "runs", "per_cycle": "cycles"}

#: The accelerators that a plan has, from which the shortage is computed.
AT_HAND = "gpus_at_hand"
SHORT = "phases.total.gpus_short"
#: Working hours per day if the plan does not say.
USUAL_DAY = Stated(8.0, 8.0, 8.0, note="the plan does not say", basis="assumption")


CLASSES = ("one_time", "per_seed", "single_seed", "per_run", "per_cycle")


def lower_phases(plan: DraftPlan, low: Lowering, space: Space) -> None:
    """Add the phases table: one row per phase, with a separate formula in each derived cell, so
    that phases can depend on others without a cycle of columns.
    """
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
    _dates(plan, low, data)
    dated = BEGIN in plan.scalars
    costs = costs_of(plan, low, dated)
    unneeded = _unneeded(data, dated) | (COST_COLUMNS.keys() - costs.columns)
    without = any(not on_gpus(entry) for entry in data.values())
    if costs.accelerators:
        table.columns[OFFER] = Draft(
            OFFER, "Offer", table.position, kind="reference", refers_to=OFFERS, table="phases"
        )
    for name, (title, unit, domain) in PHASE_COLUMNS.items():
        if name in unneeded:
            continue
        if without and name in ("gpus", "gpus_at_once"):
            domain = "non-negative"
        if name == "workdays" and WEEK in low.document.data:
            title += f" ({low.document.data[WEEK]})"
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
    schedule = Schedule(
        plan.phases,
        columns=frozenset(table.columns),
        shared=SHARED in plan.scalars,
        off=HOLIDAYS in plan.tables,
        week=low.document.data.get(WEEK),
        people=frozenset(name for name, entry in data.items() if "work" in entry),
        on_gpus=frozenset(name for name, entry in data.items() if on_gpus(entry)),
    )
    for phase in plan.phases:
        entry = data[phase.id]
        for name in entry.get("scalars", {}):
            lower_scalar(plan, low, phase.id, name, ("phases", phase.id, "scalars", name))
        for name in entry.get("tables", {}):
            lower_table(plan, low, space, phase.id, name, ("phases", phase.id, "tables", name))
        _phase_row(plan, low, table, (phase, schedule, costs), entry)
    if _counts_gpus(plan, table.columns["gpus"]):
        table.columns["gpus"].domain = "whole" if without else "count"
    usual = (*TOTALS, *(["work"] if "work" in table.columns else []))
    totals = low.document.data.get("total", usual)
    lower_totals(plan, table, dict.fromkeys((*totals, *costs.totals)), low, ())
    for name, text in costs.unpriced(table.columns):
        total = plan.scalars[f"phases.total.{name}"]
        total.formulas[None] = Written(text, parse(text), table.position, indent=None)
    if costs.added and costs.chart.id not in low.document.data.get("charts", {}):
        plan.charts += ((costs.chart, table.position),)
    for name, title in GREATEST.items():
        if name not in table.columns:
            continue
        text = f"max(phases.{name})"
        plan.scalars[f"phases.total.{name}"] = _beside(table, name, title, text)
    at_hand = plan.scalars.get(AT_HAND)
    if at_hand is not None and at_hand.unit != low.units.parse("GPU"):
        message = f"'{AT_HAND}': expected 'unit: GPU', found {at_hand.unit or 'none'}"
        low.problems.append(at(at_hand.position, "U002", message))
    elif at_hand is not None:
        text = f"max(0, phases.total.gpus_at_once - {AT_HAND})"
        short = replace(_beside(table, "gpus_at_once", "GPUs missing", text), name=SHORT)
        plan.scalars[SHORT] = short
    goodput = plan.scalars.get(GOODPUT)
    share = goodput.stated.get(None) if goodput is not None else None
    if goodput is not None and goodput.domain is None:
        goodput.domain = SHARE
    if share is not None and isinstance(share.value, float) and not within(SHARE, share.value):
        message = f"'{GOODPUT}': expected {DOMAIN_WORDS[SHARE]}, found {share.value:g}"
        message += share_hint(SHARE, share.value)
        low.problems.append(at(share.position or table.position, "V002", message))
    if GOODPUT not in plan.scalars:
        message = (
            f"the plan has phases and no scalar '{GOODPUT}', the share of the time that makes "
            "progress; add it, 1 where nothing is known or the hours include restarts, as those of "
            f"training-run do: {ADD_GOODPUT}"
        )
        low.problems.append(at(table.position, "V008", message))
    for phase in plan.phases:
        if "deadline" in data[phase.id]:
            _deadline(plan, low, phase)


def _counts_gpus(plan: DraftPlan, gpus: Draft) -> bool:
    """Whether the GPUs of all phases are stated, and as whole numbers. Then they are counts, which
    the sensitivity moves in whole steps.
    """
    shared = plan.scalars.get("gpus")
    whole = shared is not None and shared.domain in WHOLE
    ends = [end for each in gpus.stated.values() for end in (each.low, each.value, each.high)]
    return all(whole and each.text == "gpus" for each in gpus.formulas.values()) and all(
        isinstance(end, float) and end.is_integer() for end in ends if end is not None
    )


#: The columns whose maximum is shown next to the totals.
GREATEST = {
    "end": "End of the calendar",
    "end_date": "End date",
    "gpus_at_once": "GPUs at once, at most",
}
#: The columns that are totaled by default.
TOTALS = ("gpu_hours", "budget", "gross_gpu_hours")


def _unneeded(data: Mapping[str, Any], dated: bool) -> set[str]:
    """The columns that no phase uses, so that they would say the same for every phase."""
    names = {key for entry in data.values() for key in entry}
    classes = {entry.get("class") for entry in data.values()}
    unneeded = {"at_once", "not_before", "deadline"} - names
    unneeded |= set() if dated and "work" in names else set(OF_PEOPLE)
    unneeded |= set() if dated else {"not_before", "deadline", "start_date", "end_date"}
    return unneeded if "times" in names or classes & set(MULTIPLIED) else unneeded | {"times"}


def _dates(plan: DraftPlan, low: Lowering, data: Mapping[str, Any]) -> None:
    """Report dates in a plan that states no start date; add the working hours per day."""
    begin = plan.scalars.get(BEGIN)
    if begin is not None and begin.unit == DATE:
        if any("work" in entry for entry in data.values()) and WORKED not in plan.scalars:
            unit, title = low.units.parse("hour"), "Work hours per day"
            where = low.document.key_at("phases")
            plan.scalars[WORKED] = Draft(
                WORKED, title, where, unit=unit, domain="positive", stated={None: USUAL_DAY}
            )
        return
    if begin is not None:
        message = f"the plan begins on a day: expected 'unit: date', found {begin.unit or 'none'}"
        low.problems.append(at(begin.position, "U002", f"{message}; write {EXAMPLE}"))
    asked = [
        ("phases", name, key)
        for name, entry in data.items()
        for key in ("work", "people", "not_before", "deadline")
        if key in entry
    ]
    for path in [*asked, *([(WEEK,)] if WEEK in low.document.data else [])]:
        message = f"'{path[-1]}' needs the day on which the plan begins; add the scalar {EXAMPLE}"
        low.say("S002", message, *path)


EXAMPLE = "begin: {value: 2026-01-05, unit: date}"


def _deadline(plan: DraftPlan, low: Lowering, phase: Phase) -> None:
    """Check that the phase is over by the end of the day."""
    table = plan.tables["phases"]
    if "deadline" not in table.columns:
        return
    where = low.document.key_at("phases", phase.id, "deadline")
    ends = f"floor(expected(phases['{phase.id}'].end_date))"
    text = f"{ends} <= phases['{phase.id}'].deadline"
    name = deadline_check(phase.id)
    check = Draft(name, f"{phase.title} ends by its deadline", where, kind="flag")
    check.formulas[None] = Written(text, parse(text), where, indent=None)
    plan.scalars[name] = check
    plan.checks = (*plan.checks, name)


def _beside(table: DraftTable, name: str, title: str, text: str) -> Draft:
    """A scalar next to the totals, in the column's unit."""
    column = table.columns[name]
    formula = Written(text, parse(text), column.position, indent=None)
    return Draft(
        f"phases.total.{name}", title, column.position, unit=column.unit, formulas={None: formula}
    )


def _phase_row(
    plan: DraftPlan,
    low: Lowering,
    table: DraftTable,
    placed: tuple[Phase, Schedule, Costs],
    entry: Mapping[str, Any],
) -> None:
    phase, schedule, costs = placed
    path = ("phases", phase.id)
    for index, other in enumerate(phase.after):
        if other not in table.rows:
            message = f"'{other}' is not a phase{nearest(other, table.rows)}"
            low.say("N002", message, *path, "after", index)
            return
    needs = phase.id in schedule.on_gpus
    times = MULTIPLIED.get(phase.phase_class)
    if "times" in entry:
        times = lower_grid(plan, low, phase.id, entry["times"])
    elif times is not None and times not in plan.scalars:
        message = f"the class '{phase.phase_class}' multiplies by '{times}', a scalar that the plan"
        example = f"{times}: {{value: 3, unit: 1, domain: count}}"
        low.say("N001", f"{message} does not have; add it: {example}", *path, "class")
        times = None
    default: dict[str, str | Stated | None] = {
        "gpus": "gpus" if "gpus" in plan.scalars and needs else None,
        "hours": "gpu_hours / gpus" if "gpu_hours" in entry else None,
        "gpu_hours": "hours * gpus" if "hours" in entry else None,
        "overhead": None,
        "times": times,
        "budget": f"gpu_hours * (1 + overhead){' * times' if times else ''}",
        "gross_hours": f"hours * (1 + overhead){' / goodput' if GOODPUT in plan.scalars else ''}",
        "gross_gpu_hours": f"budget{' / goodput' if GOODPUT in plan.scalars else ''}",
        "at_once": None,
        "gpus_at_once": schedule.at_once(phase),
        "people": None,
        "workdays": f"ceil(work{' * times' if times else ''} / (people * {WORKED}))",
        "not_before": BEGIN,
        "start": schedule.start(phase, "not_before" in entry),
        "end": schedule.end(phase),
        "start_date": f"{BEGIN} + start",
        "end_date": f"{BEGIN} + end",
        **dict(costs.cells(phase, entry, schedule)),
    }
    if "hours" not in entry and "gpu_hours" not in entry and needs:
        low.say("S002", f"the phase '{phase.id}' states neither hours nor gpu_hours", *path)
        return
    for name, column in table.columns.items():
        if name == "class":
            continue
        given = entry.get(name) if name != "times" else None
        if isinstance(given, Mapping) and "formula" in given:
            formula = written(low, given["formula"], *path, name, "formula")
            if formula is not None:
                column.formulas[phase.id] = formula
        elif given is not None:
            column.stated[phase.id] = stated(low, column, given, *path, name)
        elif isinstance(unstated := default.get(name), Stated):
            column.stated[phase.id] = replace(unstated, position=low.document.key_at(*path))
        elif unstated is not None:
            column.formulas[phase.id] = Written(
                unstated, parse(unstated), low.document.key_at(*path), indent=None
            )
        elif name == "deadline":
            column.stated[phase.id] = Stated(reason="none", position=low.document.key_at(*path))
        else:
            unsaid = UNSAID if needs else UNSAID | {"gpus": (0.0, "it needs none")}
            value, note = unsaid.get(name, (0.0, "none stated"))
            column.stated[phase.id] = Stated(
                value,
                value,
                value,
                note=note,
                basis="assumption",
                position=low.document.key_at(*path),
                default=True,
            )


#: Defaults where a phase says nothing and nothing follows from the rest.
UNSAID = {
    "gpus": (1.0, "one GPU, since the plan does not say"),
    "times": (1.0, "once, by its class"),
    "at_once": (1.0, "one after the other"),
    "people": (1.0, "one, since the phase does not say"),
}
