"""Lowers the actuals of a plan: lines of CSV files, and what they are compared with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from scalesheet.diagnostics import Diagnostic, at
from scalesheet.foreign import YEARS, moment
from scalesheet.load import Document
from scalesheet.model import Actuals, Attempt, Plan, Stated
from scalesheet.nearest import nearest
from scalesheet.short_names import in_full
from scalesheet.units import Units

#: The columns of phases that runs are compared with. Gross hours are the hours that are paid for.
PHASES = {"table": "phases", "gpu_hours": "gross_gpu_hours", "runs": "times"}
#: The key that names the table of estimates at completion, and the column of that table.
FORECAST = "forecast"
UNITS = {"gpu_hours": "GPU * hour", "runs": "1", "budget": "GPU * hour", "cost": "USD"}


def actuals_of(
    plan_file: Document,
    documents: Sequence[Document],
    plan: Plan,
    units: Units,
    problems: list[Diagnostic],
) -> Actuals | None:
    """The actuals in the files of a plan. None if there are none and the plan does not mention
    them, or if they cannot be read.
    """
    entry: Mapping[str, Any] = plan_file.data.get("actuals", {})
    if not entry and not documents:
        return None
    names = _compared(entry, plan)
    own: list[Diagnostic] = [*_unknown(plan_file, names, plan, units)]
    attempts: list[Attempt] = []
    if not own:
        rows = plan.tables[names["table"]].rows
        own += _unmatched(plan_file, entry, rows)
        attempts = [a for d in documents for a in _attempts(d, rows, names["table"], own)]
        own += _doubled(attempts)
    problems += own
    if any(each.severity == "error" for each in own):
        return None
    match = tuple((str(row), str(pattern)) for row, pattern in entry.get("match", {}).items())
    return Actuals(tuple(attempts), **names, match=match)


def with_forecast(document: Document, estimates: Mapping[str, Stated]) -> Document:
    """The file of a plan with its table for estimates at completion filled in."""
    entry = document.data.get("actuals", {}) if isinstance(document.data, Mapping) else {}
    name = entry.get("forecast")
    if name is None or not estimates:
        return document
    tables = document.data["tables"]
    cells = {
        row: {
            **cells,
            FORECAST: {"value": e.value, "low": e.low, "high": e.high, "kind": e.basis},
        }
        for row, cells in tables[name]["rows"].items()
        if (e := estimates.get(row) or estimates.get(row.replace("-", "_"))) is not None
    }
    table = {**tables[name], "rows": {**tables[name]["rows"], **cells}}
    return replace(document, data={**document.data, "tables": {**tables, name: table}})


def _compared(entry: Mapping[str, Any], plan: Plan) -> dict[str, str]:
    """The stated names of a table and its columns, with defaults."""
    names = {
        name: in_full(str(value), plan.scalars) for name, value in entry.items() if name != "match"
    }
    names.setdefault("table", PHASES["table"])
    if names["table"] == PHASES["table"]:
        columns = plan.tables["phases"].columns if "phases" in plan.tables else ()
        known = {key: name for key, name in PHASES.items() if name in columns}
        return {**known, "gpu_hours": PHASES["gpu_hours"], **names}
    names.setdefault("gpu_hours", "gpu_hours")
    return names


def _unknown(
    document: Document, names: Mapping[str, str], plan: Plan, units: Units
) -> Iterator[Diagnostic]:
    """Report names that the plan lacks, and figures in another unit."""
    table = plan.tables.get(names["table"])
    if table is None:
        where = document.at("actuals", "table") if "actuals" in document.data else plan.position
        message = (
            f"runs are compared with the table '{names['table']}', which the plan lacks"
            f"{nearest(names['table'], plan.tables)}; name one of its tables under 'actuals: table'"
        )
        assert where is not None
        yield at(where, "N001", message)
        return
    if FORECAST in names:
        yield from _no_estimates(document, names[FORECAST], plan, units)
    for key, unit in UNITS.items():
        if key not in names:
            continue
        known = table.columns if key in ("gpu_hours", "runs") else plan.scalars
        quantity = known.get(names[key])
        place = document.at("actuals", key)
        what = f"column of {table.name}" if known is table.columns else "figure of the plan"
        if quantity is None:
            message = f"there is no {what} '{names[key]}'{nearest(names[key], known)}"
            yield at(place, "N001", message)
        elif quantity.unit != units.parse(unit):
            found = quantity.unit if quantity.unit is not None else quantity.kind
            message = f"'{names[key]}': expected a {what} in {unit}, found {found}; name another"
            yield at(place, "U002", message)


def _no_estimates(document: Document, name: str, plan: Plan, units: Units) -> Iterator[Diagnostic]:
    """Report what is wrong with the table for the estimates at completion."""
    place, table = document.at("actuals", FORECAST), plan.tables.get(name)
    if table is None or table.each:
        message = f"there is no table '{name}' with rows of its own{nearest(name, plan.tables)}"
        yield at(place, "N001", message)
    elif FORECAST not in table.columns or table.columns[FORECAST].formula is not None:
        yield at(place, "N001", f"'{name}' has no column '{FORECAST}' that is stated; add it")
    elif table.columns[FORECAST].unit != units.parse("GPU * hour"):
        found = table.columns[FORECAST].unit
        message = f"'{name}.{FORECAST}': expected GPU * hour, found {found}; declare that unit"
        yield at(place, "U002", message)


def _unmatched(
    document: Document, entry: Mapping[str, Any], rows: Sequence[str]
) -> Iterator[Diagnostic]:
    """Report patterns for rows that do not exist."""
    for row in entry.get("match", {}):
        if row not in rows:
            message = f"'{row}' is not a row that runs belong to{nearest(row, rows)}"
            yield at(document.key_at("actuals", "match", row), "N002", message)


def _attempts(
    document: Document, rows: Sequence[str], table: str, problems: list[Diagnostic]
) -> Iterator[Attempt]:
    """The lines of a file that say how long they took."""
    for index, line in enumerate(document.data["rows"]):
        position = document.at("rows", index)
        start, end = (moment(line[key]) if key in line else None for key in ("start", "end"))
        hours, gpus, cost = line.get("gpu_hours"), line.get("gpus"), line.get("cost")
        if start is not None and end is not None and end < start:
            message = f"the run ends at {line['end']}, before its start at {line['start']}"
            problems.append(at(document.at("rows", index, "end"), "V001", f"{message}; fix one"))
            continue
        if cost is not None and cost < 0:
            if hours:
                message = (
                    f"a refund of {cost:,.10g} USD has {hours:,.10g} GPU hours; delete the hours, "
                    "or write what the run cost"
                )
                problems.append(at(document.at("rows", index, "gpu_hours"), "V002", message))
                continue
            hours = 0.0
        if hours is None and start is not None and end is not None and gpus is not None:
            hours = gpus * (end - start).total_seconds() / 3600
        if start is not None and end is None and hours and gpus and hours > gpus * _up_to(start):
            message = (
                f"{hours:,.4g} GPU hours on {gpus:,.4g} GPUs from {line['start']} end after the "
                f"year {YEARS[-1]}; fix the hours or the number of GPUs"
            )
            problems.append(at(document.at("rows", index, "gpu_hours"), "V001", message))
            continue
        going = line["state"] == "running" and start is not None and gpus is not None
        if hours is None and not going:
            message = "the run has no gpu_hours; write them, or start, end and gpus"
            problems.append(at(position, "A002", message))
            continue
        phase = line.get("phase", "")
        if phase not in rows:
            said = f"'{phase}' is not in {table}" if phase else "the run names no phase"
            hint = nearest(phase, rows) if phase else ""
            message = f"{said}, so its hours are counted as outside the plan{hint}"
            problems.append(at(document.at("rows", index, "phase"), "A001", message))
        yield Attempt(
            phase=phase,
            run=line.get("run", ""),
            seed=line.get("seed", ""),
            state=line["state"],
            share=line.get("share"),
            gpu_hours=hours,
            cost=cost,
            start=start,
            end=end,
            accelerator=line.get("accelerator", ""),
            gpus=gpus,
            tokens=line.get("tokens"),
            steps=line.get("steps"),
            origin=line.get("from", ""),
            note=line.get("note", ""),
            position=position,
        )


def _up_to(start: datetime) -> float:
    """The hours from a time to the end of the last year that times may have."""
    return (datetime(YEARS[-1] + 1, 1, 1, tzinfo=UTC) - start).total_seconds() / 3600


def _doubled(attempts: Sequence[Attempt]) -> Iterator[Diagnostic]:
    """Report lines that repeat an earlier line's run and start time."""
    seen: dict[tuple[object, ...], Attempt] = {}
    for each in attempts:
        key = (each.phase, each.run, each.seed, each.start)
        first = seen.setdefault(key, each)
        if first is each or _recorded_apart(first, each):
            continue
        if each.start is not None or each.gpu_hours == first.gpu_hours:
            assert each.position is not None
            assert first.position is not None
            message = (
                f"the same phase, run, seed and start as {first.position.path}:"
                f"{first.position.line}; both are counted, delete one of them"
            )
            yield at(each.position, "A003", message)


def _recorded_apart(one: Attempt, other: Attempt) -> bool:
    """Whether one tool has different ids for two runs. Where it has none, equal lines are told
    apart by a number that is added to their digest.
    """
    (tool, _, own), (another, _, theirs) = (each.origin.partition(" ") for each in (one, other))
    return bool(tool) and tool == another and own != re.sub(r"-\d+$", "", theirs)
