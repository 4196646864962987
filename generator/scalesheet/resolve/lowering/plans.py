"""Lowers a plan: its scalars, tables, phases, scenarios, charts and checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scalesheet.language.parser import parse
from scalesheet.load import Document
from scalesheet.model import Stated
from scalesheet.nearest import nearest
from scalesheet.resolve.drafts import Draft, DraftPlan, Space, Written
from scalesheet.resolve.lowering.cases import lower_case
from scalesheet.resolve.lowering.charts import lower_chart
from scalesheet.resolve.lowering.differences import lower_differences
from scalesheet.resolve.lowering.phases import lower_phases
from scalesheet.resolve.lowering.rules import settle_rules
from scalesheet.resolve.lowering.scalars import SCENARIO, lower_scalar
from scalesheet.resolve.lowering.subpages import history_of
from scalesheet.resolve.lowering.tables import lower_table
from scalesheet.resolve.lowering.values import Lowering, citation, written


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
        status=str(data.get("status", "")),
        history=history_of(data),
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
    lower_case(plan, low, space)
    for name in data.get("scalars", {}):
        lower_scalar(plan, low, None, name, ("scalars", name))
    for name in data.get("tables", {}):
        lower_table(plan, low, space, None, name, ("tables", name))
    lower_phases(plan, low, space)
    settle_rules(plan, low, space)
    lower_differences(plan, low, space)
    for name, entry in data.get("checks", {}).items():
        _check(plan, low, name, entry, ("checks", name))
    plan.headline = tuple(
        (str(name), document.at("headline", index))
        for index, name in enumerate(data.get("headline", ()))
    )
    plan.charts += tuple(
        lower_chart(document, name, entry) for name, entry in data.get("charts", {}).items()
    )
    return plan


def _rows(table: str, plan: DraftPlan, space: Space) -> tuple[str, ...] | None:
    result = plan.tables.get(table) or space.catalogue.get(table)
    return result.rows if result else None


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
    flag = Draft(
        full,
        str(entry.get("title", name.replace("_", " ").capitalize())),
        low.document.key_at(*path),
        kind="flag",
        note=str(entry.get("note", "")),
        formulas={None: replace(formula, citation=citation(entry.get("source")))},
    )
    if "table" in entry:
        whole = _of_rows(plan, low, flag, str(entry["table"]), path)
        if whole is None:
            return
        flag = whole
    plan.scalars[full] = flag
    plan.checks = (*plan.checks, full)


def _of_rows(
    plan: DraftPlan, low: Lowering, flag: Draft, name: str, path: tuple[str | int, ...]
) -> Draft | None:
    """A check of every row: a column that says which rows hold, and a check that all do."""
    table = plan.tables.get(name)
    if table is None:
        message = f"there is no table '{name}' in this plan{nearest(name, plan.tables)}"
        low.say("N001", message, *path, "table")
        return None
    column = flag.name.replace(".", "_")
    table.columns[column] = replace(
        flag, name=column, table=table.name, phase=table.phase, hidden=True
    )
    plan.row_checks[flag.name] = name
    text = f"count({name} where not {column}) == 0"
    cited = flag.formulas[None].citation
    whole = Written(text, parse(text), flag.position, citation=cited, indent=None)
    return replace(flag, formulas={None: whole})
