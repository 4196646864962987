"""Lowers components: a piece of a plan that is written once, with inputs, formulas and conditions.

A plan uses one as a single case, whose quantities are scalars of the plan, or as a table with a row
for each case. Inputs are a cell of the row, a value that the use states for all rows, or the
component's default.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from scalesheet.diagnostics import Diagnostic, at
from scalesheet.language.parser import parse
from scalesheet.language.syntax import Name, Node, walk
from scalesheet.load import Document, flag
from scalesheet.model import CaseExample, Choice, Chosen, Show, Stated
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
from scalesheet.resolve.lowering.charts import lower_chart
from scalesheet.resolve.lowering.scalars import drafted, entry_at, lower_totals
from scalesheet.resolve.lowering.values import Lowering, citation, stated, written
from scalesheet.resolve.proving.integers import WHOLE

Path = tuple[str | int, ...]

#: What a condition becomes: whether it holds, and its numbers.
HOLDS, SAYS = "holds", "says"
#: How many conditions a case breaks, and the first of them in words.
BROKEN, STATUS = "broken", "status"
#: Before the name of what all rows of a table share: `runs.all.rank`.
ALL = "all"


def components_of(
    documents: Sequence[Document], space: Space, problems: list[Diagnostic]
) -> dict[str, DraftComponent]:
    """The components of a book, each with those that it uses written out."""
    files = {document.id: document for document in documents if document.kind == "component"}
    done: dict[str, DraftComponent] = {}
    for name in files:
        _component(name, files, space, done, problems, ())
    return done


def _component(
    name: str,
    files: Mapping[str, Document],
    space: Space,
    done: dict[str, DraftComponent],
    problems: list[Diagnostic],
    around: tuple[str, ...],
) -> DraftComponent:
    if name in done:
        return done[name]
    document = files[name]
    low = _lowering(document, space, problems)
    data = document.data
    made = DraftComponent(document.id, str(data["title"]), str(data.get("summary", "")), document)
    low.citation = made.citation = citation(data.get("source"))
    for each in data["inputs"]:
        made.inputs[each] = _input(low, each)
    for each, entry in data.get("uses", {}).items():
        _used(made, low, each, entry, files, space, done, problems, (*around, name))
    for each in data["quantities"]:
        _once(made, low, each, _quantity(low, each), ("quantities", each))
    for each in data.get("conditions", {}):
        _condition(made, low, each)
    made.outputs = tuple(str(each) for each in data["outputs"])
    _status(made, low)
    for index, each in enumerate(made.outputs):
        _output(made, low, each, ("outputs", index))
    for each, entry in data.get("parts", {}).items():
        made.parts[each] = _parts(made, low, each, entry)
    if "choose" in data:
        made.choice = _choice(made, low, data["choose"])
    made.charts = tuple(
        lower_chart(document, each, entry) for each, entry in data.get("charts", {}).items()
    )
    _choices(made)
    low.finish()
    done[name] = made
    return made


def _lowering(document: Document, space: Space, problems: list[Diagnostic]) -> Lowering:
    low = Lowering(document, space.units, problems)
    low.rows = lambda table: space.catalogue[table].rows if table in space.catalogue else None
    return low


def _input(low: Lowering, name: str) -> Draft:
    path: Path = ("inputs", name)
    entry = entry_at(low.document.data, path)
    draft = drafted(low, name, entry, path)
    if "formula" in entry:
        formula = written(low, entry["formula"], *path, "formula")
        if formula is not None:
            draft.formulas[None] = formula
    elif "value" in entry or "low" in entry:
        draft.stated[None] = stated(low, draft, entry, *path)
    return draft


def _quantity(low: Lowering, name: str) -> Draft:
    path: Path = ("quantities", name)
    entry = entry_at(low.document.data, path)
    draft = drafted(low, name, entry, path)
    draft.role = entry.get("role", "")
    if "formula" in entry:
        formula = written(low, entry["formula"], *path, "formula")
        if formula is not None:
            draft.formulas[None] = replace(formula, citation=citation(entry.get("source")))
    else:
        draft.stated[None] = stated(low, draft, entry, *path)
    return draft


def _once(made: DraftComponent, low: Lowering, name: str, draft: Draft, path: Path) -> None:
    """Adds a quantity whose name nothing else of the component has."""
    if name in made.inputs or name in made.quantities:
        place = low.document.key_at(*path)
        message = f"the component has another '{name}'; give one of them another name"
        low.problems.append(at(place, "N003", message))
    made.quantities[name] = draft


def _condition(made: DraftComponent, low: Lowering, name: str) -> None:
    """Two quantities: whether it holds, and its numbers. In these `holds` is the first."""
    path: Path = ("conditions", name)
    entry = entry_at(low.document.data, path)
    title = str(entry["title"])
    own = {HOLDS: f"{name}_{HOLDS}"}
    for key, kind, called in ((HOLDS, "flag", title), (SAYS, "text", f"{title}: its numbers")):
        formula = written(low, entry[key], *path, key)
        if formula is None:
            continue
        full = f"{name}_{key}"
        draft = Draft(full, called, low.document.key_at(*path), kind=kind)  # type: ignore[arg-type]
        draft.formulas[None] = replace(formula, tree=renamed(formula.tree, own))
        _once(made, low, full, draft, path)
    made.conditions[name] = title


def _status(made: DraftComponent, low: Lowering) -> None:
    """How many conditions are broken, and the first of them in words."""
    place = low.document.at()
    names = list(made.conditions)
    terms = " + ".join(f"(0 if {name}_{HOLDS} else 1)" for name in names) or "0"
    chain = "".join(f"{name}_{SAYS} if not {name}_{HOLDS} else " for name in names)
    broken = Draft(
        BROKEN,
        "Conditions that are broken",
        place,
        unit=low.units.parse("1"),
        domain="whole",
        role=BROKEN,
        note="A case that breaks one cannot run; the status says which.",
        formulas={None: Written(terms, parse(terms), place, indent=None)},
    )
    text = f"{chain}text('can run')"
    status = Draft(
        STATUS,
        "Whether it can run",
        place,
        kind="text",
        formulas={None: Written(text, parse(text), place, indent=None)},
    )
    _once(made, low, BROKEN, broken, ())
    _once(made, low, STATUS, status, ())


def _output(made: DraftComponent, low: Lowering, name: str, path: Path) -> None:
    """An output of what cannot run is the reason why."""
    draft = made.quantities.get(name)
    if draft is None:
        known = [*made.quantities]
        low.say("N001", f"'{name}' is no quantity of the component{nearest(name, known)}", *path)
        return
    formula = draft.formulas.get(None)
    if formula is None or draft.kind != "number" or not made.conditions:
        return
    text = f"({formula.text}) if {BROKEN} == 0 else reason('{{{STATUS}}}')"
    draft.formulas[None] = replace(formula, text=text, tree=parse(text), indent=None)


def _parts(made: DraftComponent, low: Lowering, name: str, entry: Mapping[str, Any]) -> Parts:
    of = tuple(str(each) for each in entry["of"])
    for index, each in enumerate(of):
        if each not in made.quantities:
            near = nearest(each, made.quantities)
            message = f"'{each}' is no quantity of the component{near}"
            low.say("N001", message, "parts", name, "of", index)
    return Parts(str(entry["title"]), str(entry.get("column", entry["title"])), of)


def _choices(made: DraftComponent) -> None:
    """Whole numbers that conditions rest on are choices: a tenth more of one may be impossible."""
    waiting = [f"{name}_{HOLDS}" for name in made.conditions]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        draft = made.quantities.get(name) or made.inputs.get(name)
        if draft is None or name in seen:
            continue
        seen.add(name)
        draft.choice = name in made.inputs and draft.domain in WHOLE
        for formula in draft.formulas.values():
            waiting += [node.path[0] for node in walk(formula.tree) if isinstance(node, Name)]


def _choice(made: DraftComponent, low: Lowering, entry: Mapping[str, Any]) -> Choice:
    """How a layout is chosen that a use does not state."""
    unknown_inputs(low, made, entry["among"], ("choose", "among"))
    within = tuple((str(need), str(most)) for need, most in entry["within"].items())
    for name in (entry["least"], *(each for pair in within for each in pair)):
        if name not in made.quantities:
            near = nearest(name, made.quantities)
            low.say("N001", f"'{name}' is no quantity of the component{near}", "choose")
    among = {
        name: tuple(each if isinstance(each, str) else float(each) for each in values)
        for name, values in entry["among"].items()
    }
    for name in among:
        if name in made.inputs and not made.inputs[name].stated:
            message = f"'{name}' is chosen where a use does not state it; give it a value too"
            low.say("S002", message, "choose", "among", name)
    return Choice(among, within, str(entry["least"]))


# ------------------------------------------------------------------ a component within another


def _used(
    made: DraftComponent,
    low: Lowering,
    name: str,
    entry: Mapping[str, Any],
    files: Mapping[str, Document],
    space: Space,
    done: dict[str, DraftComponent],
    problems: list[Diagnostic],
    around: tuple[str, ...],
) -> None:
    """Writes out a component that this one uses: its quantities are `name_x` here, and what their
    formulas name likewise."""
    path: Path = ("uses", name)
    of = str(entry["of"])
    if of in around:
        circle = " -> ".join((*around, of))
        low.say("N005", f"the component uses itself: {circle}; leave one of them out", *path, "of")
        return
    if of not in files:
        low.say("N001", f"unknown component '{of}'{nearest(of, files)}", *path, "of")
        return
    inner = _component(of, files, space, done, problems, around)
    names = {each: f"{name}_{each}" for each in (*inner.inputs, *inner.quantities)}
    given = entry.get("with", {})
    unknown_inputs(low, inner, given, (*path, "with"))
    for each, draft in inner.inputs.items():
        own = _renamed_draft(draft, f"{name}_{each}", names)
        if each in given:
            fill(low, own, given[each], (*path, "with", each))
        elif is_open(own):
            lacking(low, inner, each, path)
        _once(made, low, own.name, own, path)
    for draft in inner.quantities.values():
        own = _renamed_draft(draft, f"{name}_{draft.name}", names)
        _once(made, low, own.name, own, path)


def _renamed_draft(draft: Draft, name: str, names: Mapping[str, str]) -> Draft:
    formulas = {
        row: replace(formula, tree=renamed(formula.tree, names), indent=None)
        for row, formula in draft.formulas.items()
    }
    return replace(draft, name=name, role="", stated=dict(draft.stated), formulas=formulas)


def renamed(node: Node, names: Mapping[str, str]) -> Node:
    """A written tree whose names begin otherwise."""
    if isinstance(node, Name):
        return replace(node, path=(names.get(node.path[0], node.path[0]), *node.path[1:]))
    changed: dict[str, Any] = {}
    for item in fields(node):
        value = getattr(node, item.name)
        if isinstance(value, Node):
            changed[item.name] = renamed(value, names)
        elif isinstance(value, tuple):
            changed[item.name] = tuple(_renamed_part(part, names) for part in value)
    return replace(node, **changed) if changed else node


def _renamed_part(part: Any, names: Mapping[str, str]) -> Any:
    if isinstance(part, Node):
        return renamed(part, names)
    if isinstance(part, tuple) and len(part) == 2 and isinstance(part[1], Node):
        return part[0], renamed(part[1], names)
    return part


# ------------------------------------------------------------------ what a use states


def unknown_inputs(
    low: Lowering, component: DraftComponent, given: Iterable[str], path: Path
) -> None:
    """Says of each name in `given` that is no input what it is instead."""
    for name in sorted(given):
        if name in component.inputs:
            continue
        what = f"{component.title} computes '{name}'; state its inputs instead"
        if name not in component.quantities:
            near = nearest(name, component.inputs)
            what = f"the component '{component.id}' has no input '{name}'{near}"
        low.problems.append(at(low.document.key_at(*path, name), "S001", what))


def lacking(low: Lowering, component: DraftComponent, name: str, path: Path, row: str = "") -> None:
    where = f"the row '{row}'" if row else f"this use of '{component.id}'"
    draft = component.inputs[name]
    message = f"{where} has no '{name}' ({draft.title}), and there is no default; state it"
    low.problems.append(at(low.document.key_at(*path), "S002", message))


def fill(low: Lowering, draft: Draft, entry: Any, path: Path, row: str | None = None) -> None:
    """Puts what a use states into an input: a value, or a formula; in a number's place a text is a
    formula."""
    draft.stated.pop(row, None)
    draft.formulas.pop(row, None)
    by_text = draft.kind == "number" and isinstance(entry, str)
    if by_text or (isinstance(entry, Mapping) and "formula" in entry):
        text, place = (entry, path) if by_text else (entry["formula"], (*path, "formula"))
        formula = written(low, text, *place)
        if formula is not None:
            draft.formulas[row] = formula
        return
    draft.stated[row] = stated(low, draft, entry, *path, basis="decision")


def find(
    plan: DraftPlan, low: Lowering, space: Space, entry: Mapping[str, Any], path: Path
) -> DraftComponent | None:
    """The component that a use of the plan names."""
    name = str(entry["of"])
    component = space.components.get(name)
    if component is None:
        near = nearest(name, space.components)
        low.say("N001", f"unknown component '{name}'{near}", *path, "of")
    elif name not in plan.components:
        plan.components = (*plan.components, name)
    return component


# ------------------------------------------------------------------ a single case


def lower_case(plan: DraftPlan, low: Lowering, space: Space) -> None:
    """The plan's own case: the quantities of a component are scalars of the plan."""
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
            lacking(low, component, draft.name, ("case",))
        plan.scalars[draft.name] = draft
    single(plan, component, low)


def single(plan: DraftPlan, component: DraftComponent, low: Lowering) -> None:
    """The quantities of a component as scalars, its conditions and parts as tables."""
    for draft in _copies(component.quantities.values()):
        plan.scalars[draft.name] = draft
    if component.conditions:
        plan.tables["conditions"] = _conditions_table(component)
    for name, parts in component.parts.items():
        plan.tables[name] = _parts_table(component, name, parts, low)
        lower_totals(plan, plan.tables[name], ("value",), low, ("parts", name))
    plan.charts = (*plan.charts, *component.charts)


def _copies(drafts: Any) -> Iterator[Draft]:
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
    for key, title, kind in ((SAYS, "Its numbers", "text"), (HOLDS, "Holds", "flag")):
        column = Draft(key, title, table.position, kind=kind, table=table.name)  # type: ignore[arg-type]
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
    """The columns of a table of cases. What all rows share is a scalar `<table>.all.<name>`."""
    _Cases(low, plan, table, component, entry, path).lower()


@dataclass(frozen=True, slots=True)
class _Cases:
    """A table of cases in the making."""

    low: Lowering
    plan: DraftPlan
    table: DraftTable
    component: DraftComponent
    entry: Mapping[str, Any]
    path: Path

    @property
    def given(self) -> Mapping[str, Any]:
        """What all rows state alike."""
        given: Mapping[str, Any] = self.entry.get("with", {})
        return given

    @property
    def home(self) -> str:
        return f"{self.table.name}.{ALL}"

    @property
    def axes(self) -> list[str]:
        """The inputs of a layout that each row states or has chosen."""
        choice = self.component.choice
        return [name for name in choice.among if name not in self.given] if choice else []

    def cells(self, row: str) -> Mapping[str, Any]:
        """What a row states; nothing in a cross table."""
        cells = self.entry["rows"].get(row)
        return cells if isinstance(cells, Mapping) else {}

    def lower(self) -> None:
        unknown_inputs(self.low, self.component, self.given, (*self.path, "with"))
        for row in self.table.rows:
            free = tuple(name for name in self.axes if name not in self.cells(row))
            if free:
                self.plan.chosen += (Chosen(self.component.id, free, self.table.name, row),)
        for draft in _copies(self.component.inputs.values()):
            self.input(draft)
        self.table.inputs = frozenset(self.table.columns) & self.component.inputs.keys()
        for draft in _copies(self.component.quantities.values()):
            self.quantity(draft)

    def input(self, draft: Draft) -> None:
        """An input: a scalar where all rows share it, a column where one has its own."""
        name = draft.name
        if name in self.table.columns:
            return  # an axis of a cross table
        own = [row for row in self.table.rows if name in self.cells(row)]
        if name in self.given:
            place = (*self.path, "with", name)
            fill(self.low, draft, self.given[name], place)
            draft.position = self.low.document.key_at(*place)
        else:  # its formula, if it has one, is the component's
            draft.home = self.home
        shared = draft.stated.pop(None, None)
        if shared is not None and name in self.axes:
            draft.stated = {row: shared for row in self.table.rows if row not in own}
        elif shared is not None and len(own) < max(len(self.table.rows), 1):
            self.share(replace(draft, stated={None: shared}, formulas={}))
            if own:
                draft.formulas[None] = _named(f"{self.home}.{name}", self.table)
        elif shared is None and not draft.formulas:
            for row in self.table.rows:
                if row not in own:
                    lacking(self.low, self.component, name, (*self.path, "rows", row), row)
        if own or draft.stated or draft.formulas:
            for row in own:
                place = (*self.path, "rows", row, name)
                fill(self.low, draft, self.cells(row)[name], place, row)
            self.column(draft)

    def quantity(self, draft: Draft) -> None:
        """A quantity: a column, or where nothing is computed a scalar that all rows share."""
        draft.role = ""
        if not draft.formulas:
            self.share(replace(draft, hidden=True))
            return
        draft.home = self.home
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
    """The component as a plan of its own, to be checked once and run on examples. An input without
    a default has a value that only stands for one."""
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


def examples_of(
    component: DraftComponent, space: Space, problems: list[Diagnostic]
) -> tuple[CaseExample, ...]:
    """The examples; what they lack and which names they get wrong goes to `problems`."""
    low = _lowering(component.document, space, problems)
    examples = []
    for index, entry in enumerate(component.document.data["examples"]):
        path = ("examples", index)
        unknown_inputs(low, component, entry["given"], (*path, "given"))
        for name, draft in component.inputs.items():
            if name not in entry["given"] and is_open(draft):
                lacking(low, component, name, path)
        for name in entry["expect"]:
            if name not in component.quantities:
                near = nearest(name, component.quantities)
                message = f"'{name}' is no quantity of the component{near}"
                low.say("N001", message, *path, "expect", name)
        for name, draft in component.inputs.items():
            if name in entry["given"]:
                stated(low, draft, entry["given"][name], *path, "given", name)
        place = low.document.at(*path)
        given = {name: _plain(component.inputs.get(name), v) for name, v in entry["given"].items()}
        expect = {
            name: _plain(component.quantities.get(name), v) for name, v in entry["expect"].items()
        }
        examples.append(CaseExample(given, expect, str(entry.get("note", "")), place))
    low.finish()
    return tuple(examples)


def _plain(draft: Draft | None, value: Any) -> float | str | bool:
    """A value of an example as results hold it."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return flag(value) if draft is not None and draft.kind == "flag" else str(value)


def is_open(draft: Draft) -> bool:
    """Whether an input has no default, so that every use states it."""
    return not (draft.stated or draft.formulas)
