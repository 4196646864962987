"""Warns of plans that can be computed but are probably wrong: GPUs without a network between them,
and phases on fewer GPUs than their runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scalesheet.diagnostics import Diagnostic, at
from scalesheet.evaluate.missing import Figure, figures_read
from scalesheet.language.syntax import Lookup, walk
from scalesheet.model import Column, Plan, Position, Scalar, Table
from scalesheet.values import Results


def doubts(tables: Mapping[str, Table], plan: Plan, results: Results) -> Iterator[Diagnostic]:
    """All such warnings of a plan; `tables` are its own and the catalogue's."""
    yield from _without_network(plan, results)
    yield from _of_runs(tables, plan, results)


def _without_network(plan: Plan, results: Results) -> Iterator[Diagnostic]:
    """Warn of the first run of each table that rents more GPUs than a fast link connects, on an
    offer of one GPU.
    """
    for table in plan.tables.values():
        for place, row in enumerate(table.rows):
            gpus, most = (_in_row(results, table, name, place) for name in ("gpus", "fast_domain"))
            if not isinstance(gpus, float) or not isinstance(most, float) or gpus <= most:
                continue
            offer = _in_row(results, table, "offer", place)
            rented = _in_row(results, table, "supply", place) != "owned"
            if rented and results.cell("offers", str(offer), "gpus").value == 1:
                message = (
                    f"{table.name}['{row}']: {gpus:,.0f} GPUs of an offer of 1, and a fast link "
                    f"connects at most {most:,.0f}: nothing says how the nodes are connected; "
                    "choose an offer of whole nodes"
                )
                position = table.row_positions[place] if table.row_positions else plan.position
                yield at(position or Position(plan.id, 1, 1), "V019", message)
                break


def _of_runs(tables: Mapping[str, Table], plan: Plan, results: Results) -> Iterator[Diagnostic]:
    """Warn of each phase that takes its hours from a run on more GPUs than the phase has, or that
    adds the time lost to failures to hours which have it already.
    """
    phases = plan.tables.get("phases")
    if phases is None or not phases.columns.keys() >= {"gpus", "hours"}:
        return
    for place, phase in enumerate(phases.rows):
        has = results.tables["phases"]["gpus"][place].value
        timed = list(_timed_by(tables, plan, results, phase))
        hours, gross = (_in_row(results, phases, each, place) for each in ("hours", "gross_hours"))
        gpus, run = max(timed, default=(0.0, ""))
        runs = plan.tables.get(run.partition("[")[0])
        lasts = isinstance(hours, float) and isinstance(gross, float) and gross > hours * (1 + 1e-9)
        if lasts and runs is not None and "net_gpu_hours" in runs.columns:
            message = (
                f"the hours of {run} already include time lost to failures, and phase '{phase}' "
                "divides them by goodput again; take its net_gpu_hours / gpus, or add gross_hours: "
                "{formula: hours}"
            )
            yield at(phases.row_positions[place], "V022", message)
        if isinstance(has, float) and has < gpus:
            message = (
                f"the phase '{phase}' has {has:,.0f} of the {gpus:,.0f} GPUs of {run}, "
                "from which it takes its hours; give the phase as many"
            )
            yield at(phases.row_positions[place], "V021", message)


def _timed_by(
    tables: Mapping[str, Table], plan: Plan, results: Results, phase: str
) -> Iterator[tuple[float, str]]:
    """The GPUs and names of the runs from which a phase takes its hours. Of runs among which a
    formula chooses, only the one with the fewest GPUs. A formula that reads a count of GPUs may
    convert hours to another count, and is not followed.
    """
    columns = plan.tables["phases"].columns

    def quantity(table: str | None, name: str) -> Scalar | Column | None:
        return plan.scalars.get(name) if table is None else tables[table].columns.get(name)

    waiting: list[tuple[Figure, bool]] = [(("phases", "hours", phase), True)]
    for (table, name, row), every in waiting:  # grows below
        of = quantity(table, name)
        if of is None or of.unit != columns["hours"].unit:
            continue
        if table is not None and table in plan.tables and table != "phases":
            runs_of = plan.tables[table]
            runs = [
                (gpus, f"{table}['{each}']")
                for at_row, each in enumerate(runs_of.rows)
                if row in (None, each)
                and isinstance(gpus := _in_row(results, runs_of, "gpus", at_row), float)
            ]
            yield from runs if every or not runs else (min(runs),)
            continue
        own = of.own if isinstance(of, Column) else {}
        formula = own.get(row or "", of.formula)
        for node in walk(formula.ends.value) if formula is not None else ():
            every &= not isinstance(node, Lookup) and getattr(node, "where", None) is None
        known, read = {figure for figure, _ in waiting}, set(figures_read(formula, table, row))
        units = [getattr(quantity(*each[:2]), "unit", None) for each in read]
        if columns["gpus"].unit not in units:
            waiting += [(each, every) for each in sorted(read - known, key=str)]


def _in_row(results: Results, table: Table, name: str, place: int) -> object:
    """The value of a figure in a row, or of the scalar that all rows of the table share."""
    if name in table.columns:
        return results.tables[table.name][name][place].value
    shared = results.scalars.get(f"{table.name}.all.{name}")
    return shared.value if shared is not None else None
