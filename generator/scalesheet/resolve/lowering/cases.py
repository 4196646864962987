"""Puts components into plans: as a single case, whose quantities are scalars of the plan, or as a
table with a row for each case.

An input is a cell of the row, a value stated for all rows, or the component's default.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from scalesheet.diagnostics import at
from scalesheet.frozen import dataclass
from scalesheet.language.parser import parse
from scalesheet.language.syntax import Name
from scalesheet.model import ALL, Chosen, Kind, Show, Stated
from scalesheet.nearest import nearest
from scalesheet.resolve.drafts import (
    Draft,
    DraftComponent,
    DraftPlan,
    DraftTable,
    Parts,
    Space,
    Written,
)
from scalesheet.resolve.lowering.components import (
    HOLDS,
    SAYS,
    STATUS,
    Path,
    fill,
    is_open,
    lacking,
    misspelt,
    unknown_inputs,
)
from scalesheet.resolve.lowering.scalars import lower_totals
from scalesheet.resolve.lowering.values import Lowering


def find(
    plan: DraftPlan, low: Lowering, space: Space, entry: Mapping[str, Any], path: Path
) -> DraftComponent | None:
    """Find the component that a plan uses."""
    name = str(entry["of"])
    component = space.components.get(name)
    if component is None:
        near = nearest(name, space.components)
        low.say("N001", f"unknown component '{name}'{near}", *path, "of")
        low.later.append(lambda: False)  # names of its quantities would not be found
    elif name not in plan.components:
        plan.components = (*plan.components, name)
    return component


# ------------------------------------------------------------------ a single case


def lower_case(plan: DraftPlan, low: Lowering, space: Space) -> None:
    """Lower the plan's own case: the component's quantities become scalars of the plan."""
    entry = low.document.data.get("case")
    component = find(plan, low, space, entry, ("case",)) if entry else None
    if component is None:
        return
    given = entry.get("with", {})
    unknown_inputs(low, component, given, ("case", "with"))
    axes = component.choice.among if component.choice else {}
    free = tuple(name for name in axes if name not in given)
    if free:
        plan.chosen += (Chosen(component.id, free),)
    for draft in _copies(component.inputs.values()):
        if draft.name in given:
            path = ("case", "with", draft.name)
            fill(low, draft, given[draft.name], path)
            draft.position = low.document.key_at(*path)
        elif is_open(draft):
            draft.fault = lacking(low, component, draft.name, ("case",), given=given)
        plan.scalars[draft.name] = draft
    single(plan, component, low)


def single(plan: DraftPlan, component: DraftComponent, low: Lowering) -> None:
    """Add the quantities of a component as scalars, and its conditions and parts as tables."""
    for draft in _copies(component.quantities.values()):
        plan.scalars[draft.name] = draft
    if component.conditions:
        plan.tables["conditions"] = _conditions_table(component)
    for name, parts in component.parts.items():
        plan.tables[name] = _parts_table(component, name, parts, low)
        lower_totals(plan, plan.tables[name], ("value",), low, ("parts", name))
    plan.charts = (*plan.charts, *component.charts)


def _copies(drafts: Iterable[Draft]) -> Iterator[Draft]:
    for draft in drafts:
        yield replace(draft, stated=dict(draft.stated), formulas=dict(draft.formulas))


def _table(component: DraftComponent, name: str, title: str, rows: Mapping[str, str]) -> DraftTable:
    place = component.document.at()
    return DraftTable(
        name,
        title,
        tuple(rows),
        tuple(rows.values()),
        {},
        place,
        row_positions=(place,) * len(rows),
    )


def _conditions_table(component: DraftComponent) -> DraftTable:
    table = _table(component, "conditions", "Can it run?", component.conditions)
    kinds: tuple[tuple[str, str, Kind], ...] = (
        (SAYS, "Figures", "text"),
        (HOLDS, "Holds", "flag"),
    )
    for key, title, kind in kinds:
        column = Draft(key, title, table.position, kind=kind, table=table.name)
        for row in table.rows:
            column.formulas[row] = _named(f"{row}_{key}", table)
        table.columns[key] = column
    return table


def _parts_table(component: DraftComponent, name: str, parts: Parts, low: Lowering) -> DraftTable:
    drafts = [component.quantities[each] for each in parts.of if each in component.quantities]
    table = _table(component, name, parts.title, {draft.name: draft.title for draft in drafts})
    if not drafts:
        return table
    first = drafts[0]
    values = replace(
        first, name="value", title=parts.column, table=name, role="", stated={}, domain=None
    )
    values.formulas = {draft.name: _named(draft.name, table) for draft in drafts}
    table.columns["value"] = values
    text = f"value / {name}.total.value"
    table.columns["share"] = Draft(
        "share",
        "Share",
        table.position,
        unit=low.units.parse("1"),
        table=name,
        show=Show(percent=True, decimals=0),
        formulas={None: Written(text, parse(text), table.position, indent=None)},
    )
    return table


def _named(name: str, table: DraftTable) -> Written:
    return Written(name, Name(tuple(name.split("."))), table.position, indent=None)


# ------------------------------------------------------------------ a table of cases


def lower_cases(
    low: Lowering,
    plan: DraftPlan,
    table: DraftTable,
    component: DraftComponent,
    entry: Mapping[str, Any],
    path: Path,
) -> None:
    """Add the columns of a table of cases. What all rows share is a scalar `<table>.all.<name>`."""
    _Cases(low, plan, table, component, entry, path).lower()


@dataclass(frozen=True, slots=True)
class _Cases:
    """A table of cases under construction."""

    low: Lowering
    plan: DraftPlan
    table: DraftTable
    component: DraftComponent
    entry: Mapping[str, Any]
    path: Path

    @property
    def given(self) -> Mapping[str, Any]:
        """The values stated for all rows."""
        given: Mapping[str, Any] = self.entry.get("with", {})
        return given

    @property
    def home(self) -> str:
        return f"{self.table.name}.{ALL}"

    @property
    def axes(self) -> list[str]:
        """The layout inputs that each row states or that are chosen for it."""
        choice = self.component.choice
        return [name for name in choice.among if name not in self.given] if choice else []

    def cells(self, row: str) -> Mapping[str, Any]:
        """What a row states; empty in a cross table."""
        cells = self.entry["rows"].get(row)
        return cells if isinstance(cells, Mapping) else {}

    def lower(self) -> None:
        unknown_inputs(self.low, self.component, self.given, (*self.path, "with"))
        for row in self.table.rows:
            free = tuple(name for name in self.axes if name not in self.cells(row))
            if free:
                self.plan.chosen += (Chosen(self.component.id, free, self.table.name, row),)
        self.taken()
        for draft in _copies(self.component.inputs.values()):
            self.input(draft)
        self.table.inputs = frozenset(self.table.columns) & self.component.inputs.keys()
        for draft in _copies(self.component.quantities.values()):
            self.quantity(draft)
        self.table.computed = frozenset(self.table.columns) & self.component.quantities.keys()
        self.table.sections = tuple(self.sections())

    def sections(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The columns in reading order: inputs, results, then the steps in between."""
        outputs = (STATUS, *self.component.outputs)
        computed = self.component.quantities
        yield "Inputs", tuple(name for name in self.table.columns if name not in computed)
        yield "Results", outputs
        title, names = "", list[str]()
        for name in self.component.quantities:
            if name in self.component.sections:
                yield title, tuple(names)
                title, names = self.component.sections[name], []
            if name in self.table.columns and name not in outputs:
                names.append(name)
        yield title, tuple(names)

    def taken(self) -> None:
        """Report columns of the table whose names the component already uses."""
        axes = self.table.columns.keys() & self.component.quantities.keys()
        for name in sorted(axes):
            self.clash(name, (*self.path, "rows", "each", name))
        columns = self.entry.get("columns", {}).keys()
        for name in sorted(columns & {*self.component.inputs, *self.component.quantities}):
            self.clash(name, (*self.path, "columns", name))

    def clash(self, name: str, path: Path) -> None:
        message = f"the component '{self.component.id}' has a '{name}' of its own; rename this one"
        self.low.problems.append(at(self.low.document.key_at(*path), "N003", message))

    def input(self, draft: Draft) -> None:
        """Add an input: a scalar if all rows share it, a column if any row has its own."""
        name = draft.name
        if name in self.table.columns:
            return  # an axis of a cross table
        own = [row for row in self.table.rows if name in self.cells(row)]
        if name in self.given:
            place = (*self.path, "with", name)
            fill(self.low, draft, self.given[name], place)
            draft.position = self.low.document.key_at(*place)
        elif draft.formulas:  # the component's own
            draft.home = self.home
        shared = draft.stated.pop(None, None)
        if shared is not None and name in self.axes:
            draft.stated = {row: shared for row in self.table.rows if row not in own}
        elif shared is not None and len(own) < max(len(self.table.rows), 1):
            self.share(replace(draft, stated={None: shared}, formulas={}))
            if own:
                draft.formulas[None] = _named(f"{self.home}.{name}", self.table)
        elif shared is None and not draft.formulas and not own:
            if draft.fault is None:  # a formula that cannot be read was reported
                given = [*self.given, *(key for row in self.table.rows for key in self.cells(row))]
                draft.fault = lacking(self.low, self.component, name, self.path, given=given)
            self.column(draft)  # so that the component's formulas find its name
        elif shared is None and not draft.formulas:
            for row in self.table.rows:
                if row not in own and not misspelt(self.component, name, self.cells(row)):
                    lacking(self.low, self.component, name, (*self.path, "rows", row), row)
        if own or draft.stated or draft.formulas:
            for row in own:
                place = (*self.path, "rows", row, name)
                fill(self.low, draft, self.cells(row)[name], place, row)
            self.column(draft)

    def quantity(self, draft: Draft) -> None:
        """Add a quantity: a column, or a shared scalar if nothing is computed."""
        draft.role = ""
        if not draft.formulas:
            self.share(replace(draft, hidden=True))
            return
        draft.home, draft.needed = self.home, True
        draft.hidden = draft.name not in (*self.component.outputs, STATUS)
        self.column(draft)

    def share(self, draft: Draft) -> None:
        full = f"{self.home}.{draft.name}"
        self.plan.scalars[full] = replace(draft, name=full, phase=self.table.phase)

    def column(self, draft: Draft) -> None:
        draft.table, draft.phase = self.table.name, self.table.phase
        self.table.columns[draft.name] = draft


# ------------------------------------------------------------------ by itself


def alone(component: DraftComponent, space: Space, low: Lowering) -> DraftPlan:
    """The component as a plan of its own, to check it once and run its examples. Inputs without a
    default get a placeholder value.
    """
    plan = DraftPlan(
        component.id,
        component.title,
        component.summary,
        component.document.at(),
        citation=component.citation,
    )
    for draft in _copies(component.inputs.values()):
        if is_open(draft):
            draft.stated[None] = _stand_in(draft, space)
        plan.scalars[draft.name] = draft
    single(plan, component, low)
    return plan


def _stand_in(draft: Draft, space: Space) -> Stated:
    table = space.catalogue.get(draft.refers_to or "")
    if draft.kind == "reference" and table is not None:
        return Stated(table.rows[0], basis="decision")
    if draft.kind == "word":
        return Stated(draft.words[0], basis="decision")
    if draft.kind == "flag":
        return Stated(False, basis="decision")
    return Stated(1.0, 1.0, 1.0, basis="decision")
