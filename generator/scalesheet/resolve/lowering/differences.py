"""Differences: compares a record's settings with the plan's, live in every output.

A record that a plan uses ran with its own length, batch and precision. If a reference says what the
plan `runs` with, a table in the plan shows both, with a row for each setting.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import Any

from scalesheet.diagnostics import at
from scalesheet.frozen import dataclass
from scalesheet.language.format import formula_text
from scalesheet.language.syntax import (
    Binary,
    Call,
    Choice,
    Compare,
    Flag,
    Join,
    Logic,
    Name,
    Node,
    Number,
    Over,
    Placeholder,
    Reason,
    Text,
)
from scalesheet.load import flag
from scalesheet.model import Stated
from scalesheet.nearest import nearest
from scalesheet.resolve.drafts import Draft, DraftPlan, DraftTable, Space, Written
from scalesheet.resolve.lowering.catalogue_columns import NOT_STATED
from scalesheet.resolve.lowering.rules import RECORDS, Path, scalars_of
from scalesheet.resolve.lowering.scalars import entry_at
from scalesheet.resolve.lowering.values import Lowering, written
from scalesheet.units import PURE

SAME, OTHER = "same", "other"
NO_NUMBER = "no number"


@dataclass(frozen=True, slots=True)
class _Setting:
    """A setting: its column, the record's figure and the plan's, stated as `written`."""

    column: Draft
    record: Node
    written: Written
    exact: bool = False  # the plan's value is an input without a range

    @property
    def plan(self) -> Node:
        return self.written.tree

    @property
    def recorded_exactly(self) -> bool:
        return not any(stated.ranged for stated in self.column.stated.values())


def lower_differences(plan: DraftPlan, low: Lowering, space: Space) -> None:
    """Add a table `<name>_differences` and a count `<name>_differing` for each reference to a
    record that says what the plan runs with, or warn if it should but does not.
    """
    for phase, name, path in scalars_of(low.document.data):
        entry, draft = entry_at(low.document.data, path), plan.scalars.get(name)
        if draft is None or draft.refers_to != RECORDS or RECORDS not in space.catalogue:
            continue
        if "runs" in entry:
            _lower(plan, low, space, draft, phase, entry, path)
        elif "rule" in entry or _is_measured(space, draft):
            message = (
                f"'{name}' uses a record, but the plan does not say how its own runs differ; state "
                "it, as in 'runs: {sequence_length: max_length}'"
            )
            low.problems.append(at(low.document.key_at(*path), "V016", message))


def _is_measured(space: Space, draft: Draft) -> bool:
    stated = draft.stated.get(None)
    how = space.catalogue[RECORDS].columns["how"].stated
    return stated is not None and stated.value in how and how[str(stated.value)].value == "measured"


def _lower(
    plan: DraftPlan,
    low: Lowering,
    space: Space,
    draft: Draft,
    phase: str | None,
    entry: Mapping[str, Any],
    path: Path,
) -> None:
    full = f"{draft.name}_differences"
    if full in plan.tables:
        message = f"the table '{full}' is made from 'runs'; rename the plan's own"
        low.problems.append(at(plan.tables[full].position, "N003", message))
        return
    own = tuple(draft.name.split("."))
    settings: dict[str, _Setting] = {}
    for group in ("rule", "runs"):
        for key, value in entry.get(group, {}).items():
            setting = _setting(plan, low, space, own, key, value, (*path, group, key))
            if setting is not None:
                settings[key] = setting
    where = low.document.key_at(*path, "runs")
    table = DraftTable(
        name=full,
        title=f"{draft.title}: differences to the plan",
        rows=tuple(key.replace("_", "-") for key in settings),
        row_titles=tuple(each.column.title for each in settings.values()),
        columns={},
        position=where,
        phase=phase,
        note="The settings of the record, and those of the plan.",
        row_positions=tuple(each.written.position for each in settings.values()),
    )
    recorded = Draft("recorded", "Record", where, kind="text")
    planned = Draft("planned", "Plan", where, kind="text")
    ratio = Draft("ratio", "Plan / record", where, unit=PURE)
    agrees = Draft("agrees", "Alike", where, kind="word", words=(SAME, OTHER))
    for row, each in zip(table.rows, settings.values(), strict=True):
        formulas = [
            (recorded, _printed(each.record, each.column, each.recorded_exactly)),
            (planned, _shown(each, space)),
            (agrees, _alike(each)),
        ]
        if each.column.kind == "number":
            formulas.append((ratio, Binary("/", each.plan, each.record)))
        else:
            ratio.stated[row] = Stated(reason=NO_NUMBER, basis="decision", position=where)
        for column, tree in formulas:
            column.formulas[row] = replace(each.written, text=formula_text(tree), tree=tree)
    for column in (recorded, planned, ratio, agrees):
        column.table, column.phase = full, phase
        table.columns[column.name] = column
    plan.tables[full] = table
    _count(plan, draft, table)


def _count(plan: DraftPlan, draft: Draft, table: DraftTable) -> None:
    """Count the settings that differ. A column of ones is summed, because a sum skips reasons."""
    test = Compare("==", Name(("agrees",)), Text(OTHER))
    ones = Choice(Number(1.0, "1"), test, Number(0.0, "0"))
    one = Written(formula_text(ones), ones, table.position, indent=None)
    table.columns["differs"] = Draft(
        "differs",
        "Other",
        table.position,
        unit=PURE,
        domain="whole",
        hidden=True,
        phase=table.phase,
        table=table.name,
        formulas={None: one},
    )
    name, column = f"{draft.name}_differing", (*table.name.split("."), "differs")
    every = Over("sum", Name(column), None)
    total = Written(formula_text(every), every, table.position, indent=None)
    plan.scalars[name] = Draft(
        name,
        f"{draft.title}: settings in which the plan differs",
        table.position,
        unit=PURE,
        domain="whole",
        phase=table.phase,
        formulas={None: total},
    )


def _setting(
    plan: DraftPlan,
    low: Lowering,
    space: Space,
    own: tuple[str, ...],
    key: str,
    value: Any,
    path: Path,
) -> _Setting | None:
    """Lower a setting: words, ids and flags are taken as they are; the rest are formulas."""
    column = space.catalogue[RECORDS].columns[key]
    record = Name((*own, key))
    place = low.document.at(*path)
    text = str(value)
    rows = space.catalogue[column.refers_to].rows if column.refers_to else column.words
    if column.kind == "flag" and value in (True, False, "yes", "no"):
        word = Flag(flag(value))
        return _Setting(column, record, Written(text, word, place, indent=None))
    if column.kind != "number" and text in rows:
        return _Setting(column, record, Written(text, Text(text), place, indent=None))
    first = text.split(".")[0]
    known = {*plan.scalars, *(each.id for each in plan.phases)}
    hint = "" if column.kind == "number" else nearest(text, rows)
    if hint and first not in known and ".".join((*own[:-1], first)) not in known:
        low.say("F006", f"expected one of {', '.join(rows)}, found '{text}'{hint}", *path)
        low.later.append(lambda: False)
        return None
    formula = written(low, text, *path)
    if formula is None:
        return None
    return _Setting(column, record, formula, exact=_exact(plan, own[:-1], formula.tree))


def _exact(plan: DraftPlan, phase: tuple[str, ...], node: Node) -> bool:
    """Whether it clearly has no range; for computed values the compiler decides."""
    if not isinstance(node, Name):
        return isinstance(node, Number)
    names = (".".join((*phase, *node.path)), ".".join(node.path))
    result = next((plan.scalars[name] for name in names if name in plan.scalars), None)
    return (
        result is not None
        and not result.formulas
        and not any(stated.ranged for stated in result.stated.values())
    )


def _shown(each: _Setting, space: Space) -> Node:
    """The plan's side as text; an id is shown by its title."""
    table = space.catalogue.get(each.column.refers_to or "")
    if isinstance(each.plan, Text) and table is not None:
        return Join((Text(table.row_titles[table.rows.index(each.plan.value)]),))
    return _printed(each.plan, each.column, each.exact)


def _printed(node: Node, column: Draft, exact: bool) -> Node:
    """A figure as text: both ends of a range, yes or no for flags."""
    if column.kind == "flag":
        yes, no = (Join((Text(word),)) for word in ("yes", "no"))
        known = Choice(yes, node, no)
        return _known(known, node, column) if isinstance(node, Name) else known
    if column.kind != "number":
        return Join((node if isinstance(node, Text) else Placeholder(node, None, ""),))
    unit = "" if column.unit is None or column.unit.pure else str(column.unit)
    if exact:
        return Join((Placeholder(node, 0, unit),))
    low, high = (Placeholder(Call(end, (node,)), 0, unit) for end in ("low", "high"))
    ranged = Compare("<", Call("low", (node,)), Call("high", (node,)))
    return Join((low, Choice(Join((Text(" to "), high)), ranged, Text(""))))


def _alike(each: _Setting) -> Node:
    """Whether both agree; ranges agree if they overlap."""
    test: Node
    if each.column.kind == "number":
        if each.exact and each.recorded_exactly:
            return Choice(Text(SAME), Compare("==", each.record, each.plan), Text(OTHER))
        (one, most), (other, other_most) = (
            (node, node) if exact else (Call("low", (node,)), Call("high", (node,)))
            for node, exact in ((each.plan, each.exact), (each.record, each.recorded_exactly))
        )
        meet = Logic("and", Compare("<=", one, other_most), Compare("<=", other, most))
        return Choice(Text(SAME), meet, Text(OTHER))
    test = Compare("==", each.record, each.plan)
    return _known(Choice(Text(SAME), test, Text(OTHER)), each.record, each.column)


def _known(then: Node, record: Node, column: Draft) -> Node:
    """Add a test for words and flags that records may leave out, because a missing one equals no
    word. The compiler guards numbers.
    """
    if column.kind == "reference" or all(s.reason is None for s in column.stated.values()):
        return then
    values: list[Node] = [Text(word) for word in column.words] or [Flag(True), Flag(False)]
    tests: list[Node] = [Compare("==", record, value) for value in values]
    return Choice(then, reduce(lambda a, b: Logic("or", a, b), tests), Reason(Text(NOT_STATED)))
