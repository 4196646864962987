"""Lowers a plan: its scalars, tables, phases, scenarios, charts and checks."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scalesheet.diagnostics import at
from scalesheet.language.parser import parse
from scalesheet.language.syntax import Choice, Join, Text
from scalesheet.load import Document
from scalesheet.model import LIMIT, Position, Stated, otherwise
from scalesheet.nearest import nearest
from scalesheet.pictures import DATED
from scalesheet.quantities import DATE, says_more
from scalesheet.resolve.drafts import Draft, DraftPlan, Space, Written
from scalesheet.resolve.lowering.cases import lower_case
from scalesheet.resolve.lowering.charts import lower_chart
from scalesheet.resolve.lowering.differences import lower_differences
from scalesheet.resolve.lowering.likelihood import lonely_groups
from scalesheet.resolve.lowering.phases import lower_phases
from scalesheet.resolve.lowering.rules import settle_rules
from scalesheet.resolve.lowering.scalars import SCENARIO, entry_at, lower_scalar
from scalesheet.resolve.lowering.sheets import lower_sheets
from scalesheet.resolve.lowering.tables import lower_table
from scalesheet.resolve.lowering.values import Lowering, citation, stated, written
from scalesheet.short_names import as_written, in_full
from scalesheet.vocabulary import title_of


def plan_of(document: Document, page: Document | None, space: Space, low: Lowering) -> DraftPlan:
    """Lower a plan to drafts. Diagnostics go to `low`."""
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
    for name, patterns in data.get("catalogue", {}).items():
        plan.carries[name] = _carried(name, patterns, low, space)
    low.rows = lambda table: _rows(table, plan, space)
    lower_case(plan, low, space)
    for name in data.get("scalars", {}):
        lower_scalar(plan, low, None, name, ("scalars", name))
    for name in data.get("tables", {}):
        lower_table(plan, low, space, None, name, ("tables", name))
    lower_phases(plan, low, space)
    settle_rules(plan, low, space)
    lower_differences(plan, low, space)
    lower_sheets(plan, low)
    for name, entry in data.get("checks", {}).items():
        _check(plan, low, name, entry, ("checks", name))
    plan.headline = tuple(
        (str(name), document.at("headline", index))
        for index, name in enumerate(data.get("headline", ()))
    )
    for name in data.get("limits", {}):
        _limit(plan, low, str(name), ("limits", name))
    for name, each in plan.scalars.items():
        of = plan.scalars.get(each.contingency_on)
        if each.contingency_on and (of is None or of.kind != "number"):
            known = [other for other, one in plan.scalars.items() if one.kind == "number"]
            what = f"'{each.contingency_on}' is not a figure of the plan"
            remedy = nearest(each.contingency_on, known)
            low.say("N001", what + remedy, "scalars", name, "contingency_on")
        elif of is each:
            what = f"'{name}' is a contingency on itself; name the figure that it is added to"
            low.say("N001", what, "scalars", name, "contingency_on")
        elif of is not None and each.unit is not None and each.unit.factors:
            what = f"'{name}' is a contingency: expected a share, found {each.unit}; write unit: 1"
            low.say("U002", what, "scalars", name, "contingency_on")
    lonely_groups(plan, space.groups, low.problems)
    dated = "phases" in plan.tables and "end_date" in plan.tables["phases"].columns
    if dated and DATED.id not in data.get("charts", {}):
        plan.charts += ((DATED, document.at("phases")),)
    plan.charts += tuple(
        lower_chart(document, name, entry) for name, entry in data.get("charts", {}).items()
    )
    return plan


def _carried(name: str, patterns: Sequence[str], low: Lowering, space: Space) -> tuple[str, ...]:
    """The patterns of the rows of a catalogue table that the workbook includes."""
    table, document = space.catalogue.get(name), low.document
    if table is None:
        known = nearest(name, space.catalogue, "tables")
        message = f"there is no table '{name}' in the catalogue{known}"
        low.problems.append(at(document.key_at("catalogue", name), "N001", message))
        return ()
    for place, pattern in enumerate(patterns):
        if not fnmatch.filter(table.rows, pattern):
            message = f"nothing in {name} is called '{pattern}'{nearest(pattern, table.rows)}"
            low.problems.append(at(document.at("catalogue", name, place), "N002", message))
    return tuple(patterns)


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
        str(entry.get("title", title_of(name))),
        low.document.key_at(*path),
        kind="flag",
        note=str(entry.get("note", "")),
        formulas={None: replace(formula, citation=citation(entry.get("source")))},
    )
    table = str(entry["table"]) if "table" in entry else None
    if table is not None:
        whole = _of_rows(plan, low, flag, table, path)
        if whole is None:
            return
        flag = whole
    plan.scalars[full] = flag
    plan.checks = (*plan.checks, full)
    says = written(low, entry["otherwise"], *path, "otherwise") if "otherwise" in entry else None
    if says is not None:
        _otherwise(plan, flag, table, says)


def _otherwise(plan: DraftPlan, flag: Draft, table: str | None, says: Written) -> None:
    """Add what is wrong if a check fails, in words; empty if it holds. The text repeats the check's
    condition, so that a missing value gives the same reason in both.
    """
    key = otherwise(flag.name, table)
    of = plan.tables[table].columns[flag.name.replace(".", "_")] if table else flag
    asked = of.formulas[None].tree
    tree = Choice(Join((Text(""),)), asked, says.tree)
    draft = Draft(
        key.name, f"{flag.title}: if not", flag.position, kind="text", hidden=True, table=table
    )
    draft.formulas[None] = replace(says, tree=tree)
    if table is None:
        plan.scalars[key.name] = draft
    else:
        draft.phase = plan.tables[table].phase
        plan.tables[table].columns[key.name] = draft


def _limit(plan: DraftPlan, low: Lowering, name: str, path: tuple[str | int, ...]) -> None:
    """Add a limit, the margin below it, and the check that it holds. The margin follows its figure
    in the headline.
    """
    full = in_full(name, plan.scalars)
    of = plan.scalars.get(full)
    where = low.document.key_at(*path)
    if of is None or of.kind != "number":
        what = "is not a number" if of else "is not a figure of the plan"
        known = [each.name for each in plan.scalars.values() if each.kind == "number"]
        low.say("N001", f"'{name}' {what}{nearest(name, as_written(known))}", *path)
        return
    limit = replace(
        of,
        name=f"{full}{LIMIT}",
        title=f"{of.title}: limit",
        position=where,
        domain=None,
        unstated=False,
        note="",
        role="",
        stated={},
        formulas={},
    )
    data = entry_at(low.document.data, path)
    if isinstance(data, str) and not says_more(data):
        formula = written(low, data, *path)
        if formula is None:
            return
        limit.formulas[None] = formula
    else:
        limit.stated[None] = stated(low, limit, data, *path, basis="decision")
    left, day = f"{limit.name} - {full}", f"expected({full})"
    margin = replace(limit, name=f"{full}.margin", title=f"{of.title}: left below the limit")
    if of.unit == DATE:  # to end on the day of the limit is in time
        left, day = f"{limit.name} - floor({full})", f"floor(expected({full}))"
        margin = replace(margin, title=f"{of.title}: left before the limit")
        margin = replace(margin, unit=low.units.parse("day"))
    holds = f"{day} <= expected({limit.name})"
    margin = replace(margin, domain="signed", stated={}, formulas={None: _ours(left, where)})
    check = Draft(f"check.{limit.name}", f"{of.title} is within its limit", where, kind="flag")
    check.formulas[None] = _ours(holds, where)
    for each in (limit, margin, check):
        plan.scalars[each.name] = each
    plan.checks = (*plan.checks, check.name)
    above = f"{of.title} is above its limit"
    said = Written(f"text('{above}')", Join((Text(above),)), where, indent=None)
    _otherwise(plan, check, None, said)
    names = [each for each, _ in plan.headline]
    at = names.index(name) + 1 if name in names else len(names)
    plan.headline = (*plan.headline[:at], (margin.name, where), *plan.headline[at:])


def _of_rows(
    plan: DraftPlan, low: Lowering, flag: Draft, name: str, path: tuple[str | int, ...]
) -> Draft | None:
    """Add a check of every row: a column that says which rows hold, and a check that all do."""
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
    whole = _ours(f"count({name} where not {column}) == 0", flag.position)
    cited = flag.formulas[None].citation
    return replace(flag, formulas={None: replace(whole, citation=cited)})


def _ours(text: str, position: Position) -> Written:
    """A generated formula that is in no file."""
    return Written(text, parse(text), position, indent=None)
