"""Lowers the grid of a phase's runs: how often it runs, by the settings that its runs vary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scalesheet.language.parser import parse
from scalesheet.model import Show
from scalesheet.resolve.drafts import Draft, DraftPlan, DraftTable, Written
from scalesheet.resolve.lowering.scalars import lower_totals
from scalesheet.resolve.lowering.values import Lowering, written
from scalesheet.vocabulary import title_of


def lower_grid(plan: DraftPlan, low: Lowering, phase: str, axes: Mapping[str, Any]) -> str:
    """The number of runs, as a formula. A list of settings becomes a table of the phase with the
    number of runs per row, so the count is computed from the rows.
    """
    counts = {axis: _count(low, phase, axis, each) for axis, each in axes.items()}
    for axis, each in axes.items():
        if isinstance(each, list):
            others = [count for name, count in counts.items() if name != axis]
            _rows(plan, low, (phase, axis, tuple(each)), " * ".join(others) or "1")
    return " * ".join(counts.values())


def _count(low: Lowering, phase: str, axis: str, given: Any) -> str:
    if isinstance(given, list):
        return f"count({phase}.{axis})"
    formula = written(low, given, "phases", phase, "times", axis)
    plain = isinstance(given, int | float) or str(given).isidentifier()
    return "1" if formula is None else str(given) if plain else f"({given})"


def _rows(
    plan: DraftPlan, low: Lowering, axis: tuple[str, str, tuple[str, ...]], runs: str
) -> None:
    phase, name, rows = axis
    path = ("phases", phase, "times", name)
    where = low.document.key_at(*path)
    table = DraftTable(
        name=f"{phase}.{name}",
        title=title_of(name),
        rows=rows,
        row_titles=rows,
        columns={},
        position=where,
        phase=phase,
        row_positions=tuple(low.document.at(*path, n) for n in range(len(rows))),
    )
    table.columns["runs"] = Draft(
        "runs",
        "Runs",
        where,
        unit=low.units.parse("1"),
        domain="non-negative",
        show=Show(decimals=0),
        table=table.name,
        phase=phase,
        formulas={None: Written(runs, parse(runs), where, indent=None)},
    )
    lower_totals(plan, table, ("runs",), low, path)
    plan.tables[table.name] = table
