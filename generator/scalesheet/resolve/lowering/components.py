"""Lowers components: parts of a plan that are written once, with inputs, formulas and conditions.

`cases.py` puts them into plans.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from scalesheet.diagnostics import Diagnostic, at
from scalesheet.language.parser import parse
from scalesheet.language.syntax import Name, Node, mapped, walk
from scalesheet.load import Document, flag
from scalesheet.model import CaseExample, Choice, Kind
from scalesheet.nearest import nearest
from scalesheet.quantities import says_more
from scalesheet.resolve.drafts import (
    Draft,
    DraftComponent,
    Parts,
    Space,
    Written,
)
from scalesheet.resolve.lowering.charts import lower_chart
from scalesheet.resolve.lowering.scalars import drafted, entry_at
from scalesheet.resolve.lowering.values import Lowering, citation, stated, written
from scalesheet.resolve.proving.integers import WHOLE
from scalesheet.vocabulary import title_of

Path = tuple[str | int, ...]

#: The suffixes of a condition's quantities: whether it holds, and its numbers.
HOLDS, SAYS = "holds", "says"
#: The number of conditions that a case breaks, and the first of them in words. Conditions that use
#: this number are checked after those it counts; if only they fail, the figures they use are kept.
BROKEN, STATUS = "broken", "status"
CALIBRATION = "calibration"  # the small table of what own records teach
#: If there are later conditions: the first broken one among the others in words, and whether all
#: hold.
OBSTACLE, POSSIBLE = "obstacle", "possible"


def components_of(
    documents: Sequence[Document], space: Space, problems: list[Diagnostic]
) -> dict[str, DraftComponent]:
    """The components of a book, with the components they use expanded."""
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
    made.sections[next(iter(data["quantities"]))] = "Steps"
    made.sections |= data.get("sections", {})
    made.corrections = _corrections(low, space)
    by = {data["calibrated"][name]["of"]: draft for name, draft in made.corrections.items()}
    for each in data["quantities"]:
        draft = _quantity(low, each)
        if each in by:
            _once(made, low, by[each].name, by[each], ("calibrated", by[each].name))
            _correct(draft, by[each].name)
        _once(made, low, each, draft, ("quantities", each))
    for each in data.get("conditions", {}):
        _condition(made, low, each)
    made.outputs = tuple(str(each) for each in data["outputs"])
    _status(made, low)
    for index, each in enumerate(made.outputs):
        _output(made, low, each, ("outputs", index))
    for each in data.get("sections", {}):
        if each not in data["quantities"]:
            near = nearest(each, data["quantities"])
            low.say("N001", f"'{each}' is not a quantity of the component{near}", "sections", each)
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


def _corrections(low: Lowering, space: Space) -> dict[str, Draft]:
    """The factors learned from own records by name, if the book has them."""
    made: dict[str, Draft] = {}
    if CALIBRATION not in space.catalogue or not space.calibrated:
        return made
    for name, entry in low.document.data.get("calibrated", {}).items():
        path: Path = ("calibrated", name)
        if entry["of"] not in low.document.data["quantities"]:
            near = nearest(entry["of"], low.document.data["quantities"])
            message = f"'{entry['of']}' is not a quantity of the component{near}"
            low.say("N001", message, *path, "of")
        draft = drafted(low, name, {**entry, "unit": "1", "domain": "positive"}, path)
        formula = written(low, entry["formula"], *path, "formula")
        if formula is not None:
            draft.formulas[None] = formula
        made[name] = draft
    return made


def _correct(draft: Draft, factor: str) -> None:
    """Multiply a quantity by the expected value of a factor; its range stays that of the fit."""
    formula = draft.formulas[None]
    text = f"({formula.text}) * expected({factor})"
    draft.formulas[None] = replace(formula, text=text, tree=parse(text), indent=None)


def _once(made: DraftComponent, low: Lowering, name: str, draft: Draft, path: Path) -> None:
    """Add a quantity, unless its name is already used in the component."""
    if name in made.inputs or name in made.quantities:
        place = low.document.key_at(*path)
        message = f"the component has another '{name}'; give one of them another name"
        low.problems.append(at(place, "N003", message))
    made.quantities[name] = draft


def _condition(made: DraftComponent, low: Lowering, name: str) -> None:
    """Add two quantities: whether the condition holds, and its numbers. In the latter `holds`
    refers to the former.
    """
    path: Path = ("conditions", name)
    entry = entry_at(low.document.data, path)
    title = str(entry["title"])
    own = {HOLDS: f"{name}_{HOLDS}"}
    kinds: tuple[tuple[str, Kind, str], ...] = (
        (HOLDS, "flag", title),
        (SAYS, "text", f"{title}: details"),
    )
    for key, kind, called in kinds:
        formula = written(low, entry[key], *path, key)
        if formula is None:
            continue
        full = f"{name}_{key}"
        place = low.document.key_at(*path)
        draft = Draft(full, called, place, kind=kind, condition=kind == "flag")
        draft.formulas[None] = replace(formula, tree=renamed(formula.tree, own))
        _once(made, low, full, draft, path)
    if not made.conditions:
        made.sections[f"{name}_{HOLDS}"] = "Conditions"
    made.conditions[name] = title


def _status(made: DraftComponent, low: Lowering) -> None:
    """Add the number of broken conditions, the first of them in words, and whether all hold."""
    later = _later(made)
    names = [name for name in made.conditions if name not in later]
    terms = " + ".join(f"(0 if {name}_{HOLDS} else 1)" for name in names) or "0"
    broken = _made_up(low, BROKEN, "Broken conditions", "number", terms)
    broken.unit, broken.domain, broken.role = low.units.parse("1"), "whole", BROKEN
    broken.note = "A case that breaks a condition cannot run; its status says which."
    _once(made, low, BROKEN, broken, ())
    first, last = _first(names), _first(later)
    if later:
        title = "What keeps it from running"
        _once(made, low, OBSTACLE, _made_up(low, OBSTACLE, title, "text", f"{first}text('')"), ())
        first = f"{OBSTACLE} if {BROKEN} > 0 else "
        possible = " and ".join([f"{BROKEN} == 0", *(f"{name}_{HOLDS}" for name in later)])
        title = "Whether all conditions hold"
        _once(made, low, POSSIBLE, _made_up(low, POSSIBLE, title, "flag", possible), ())
    text = f"{first}{last}text('can run')"
    _once(made, low, STATUS, _made_up(low, STATUS, "Whether it can run", "text", text), ())


def _first(conditions: Iterable[str]) -> str:
    """The first of some conditions that does not hold, in words: the beginning of a choice."""
    return "".join(f"{name}_{SAYS} if not {name}_{HOLDS} else " for name in conditions)


def _made_up(low: Lowering, name: str, title: str, kind: Kind, formula: str) -> Draft:
    """A generated quantity that is derived from the conditions."""
    place = low.document.at()
    written = Written(formula, parse(formula), place, indent=None)
    return Draft(name, title, place, kind=kind, formulas={None: written})


def _later(made: DraftComponent) -> list[str]:
    """The conditions that use the number of broken ones."""
    return [
        name
        for name in made.conditions
        if any(
            isinstance(node, Name) and node.path[0] == BROKEN
            for draft in [made.quantities.get(f"{name}_{HOLDS}")]
            if draft is not None
            for formula in draft.formulas.values()
            for node in walk(formula.tree)
        )
    ]


def _rests_on(made: DraftComponent, names: Iterable[str]) -> set[str]:
    """All inputs and quantities that the given quantities depend on, including themselves."""
    waiting, found = list(names), set[str]()
    while waiting:
        name = waiting.pop()
        draft = made.quantities.get(name) or made.inputs.get(name)
        if draft is None or name in found:
            continue
        found.add(name)
        for formula in draft.formulas.values():
            waiting += [node.path[0] for node in walk(formula.tree) if isinstance(node, Name)]
    return found


def _output(made: DraftComponent, low: Lowering, name: str, path: Path) -> None:
    """Replace an output by a reason if the case cannot run. Quantities that a later condition uses
    are kept if only that condition fails.
    """
    draft = made.quantities.get(name)
    if draft is None:
        known = [*made.quantities]
        low.say("N001", f"'{name}' is not a quantity of the component{nearest(name, known)}", *path)
        return
    formula = draft.formulas.get(None)
    if formula is None or draft.kind != "number" or not made.conditions:
        return
    test, why = f"{BROKEN} == 0", STATUS
    if POSSIBLE in made.quantities:
        early = name in _rests_on(made, [POSSIBLE, STATUS])
        test, why = (test, OBSTACLE) if early else (POSSIBLE, STATUS)
    text = f"({formula.text}) if {test} else reason('{{{why}}}')"
    draft.formulas[None] = replace(formula, text=text, tree=parse(text), indent=None)


def _parts(made: DraftComponent, low: Lowering, name: str, entry: Mapping[str, Any]) -> Parts:
    of = tuple(str(each) for each in entry["of"])
    for index, each in enumerate(of):
        if each not in made.quantities:
            near = nearest(each, made.quantities)
            message = f"'{each}' is not a quantity of the component{near}"
            low.say("N001", message, "parts", name, "of", index)
    return Parts(str(entry["title"]), str(entry.get("column", entry["title"])), of)


def _choices(made: DraftComponent) -> None:
    """Mark whole-number inputs of conditions as choices: a tenth more of one may be impossible."""
    for name in _rests_on(made, [BROKEN]):
        draft = made.quantities.get(name) or made.inputs[name]
        draft.choice = name in made.inputs and draft.domain in WHOLE


def _choice(made: DraftComponent, low: Lowering, entry: Mapping[str, Any]) -> Choice:
    """How to choose the layout inputs that a use does not state."""
    unknown_inputs(low, made, entry["among"], ("choose", "among"))
    within = tuple((str(need), str(most)) for need, most in entry["within"].items())
    for name in (entry["least"], *(each for pair in within for each in pair)):
        if name not in made.quantities:
            near = nearest(name, made.quantities)
            low.say("N001", f"'{name}' is not a quantity of the component{near}", "choose")
    among = {
        name: tuple(each if isinstance(each, str) else float(each) for each in values)
        for name, values in entry["among"].items()
    }
    for name in among:
        if name in made.inputs and not made.inputs[name].stated:
            message = f"'{name}' is chosen if a use does not state it; give it a value too"
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
    """Expand a component that this one uses: its `x` becomes `name_x` here, also in formulas."""
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
    made.sections[next(iter(names.values()))] = inner.title


def _renamed_draft(draft: Draft, name: str, names: Mapping[str, str]) -> Draft:
    formulas = {
        row: replace(formula, tree=renamed(formula.tree, names), indent=None)
        for row, formula in draft.formulas.items()
    }
    return replace(draft, name=name, role="", stated=dict(draft.stated), formulas=formulas)


def renamed(node: Node, names: Mapping[str, str]) -> Node:
    """A parsed tree with the first part of its names replaced."""
    if isinstance(node, Name):
        return replace(node, path=(names.get(node.path[0], node.path[0]), *node.path[1:]))
    return mapped(node, lambda child: renamed(child, names))


# ------------------------------------------------------------------ what a use states


def unknown_inputs(
    low: Lowering, component: DraftComponent, given: Iterable[str], path: Path
) -> None:
    """Report each name in `given` that is not an input, and what it is instead."""
    for name in sorted(given):
        if name in component.inputs:
            continue
        near = nearest(name, component.inputs)
        what = f"{component.title} computes '{name}'; state its inputs instead{near}"
        if name not in component.quantities:
            what = f"the component '{component.id}' has no input '{name}'{near}"
        low.problems.append(at(low.document.key_at(*path, name), "S001", what))


def misspelt(component: DraftComponent, name: str, given: Iterable[str]) -> bool:
    """Whether one of the given names is probably this input, misspelled."""
    others = [each for each in given if each not in component.inputs]
    return bool(get_close_matches(name, others, n=1, cutoff=0.7))


def lacking(
    low: Lowering,
    component: DraftComponent,
    name: str,
    path: Path,
    row: str = "",
    given: Iterable[str] = (),
) -> Diagnostic:
    """Report that an input is missing, unless a misspelled one in `given` was reported already."""
    if misspelt(component, name, given):
        return low.problems[-1]
    where = f"the row '{row}'" if row else f"this use of '{component.id}'"
    title = component.inputs[name].title
    more = f" ({title})" if title != title_of(name) else ""
    message = f"{where} has no '{name}'{more}, and there is no default; state it"
    low.problems.append(at(low.document.key_at(*path), "S002", message))
    return low.problems[-1]


def fill(low: Lowering, draft: Draft, entry: Any, path: Path, row: str | None = None) -> None:
    """Fill an input with a value or a formula from a use. For numbers, text is a number with a
    letter or unit, such as `20M token`, or a formula.
    """
    draft.stated.pop(row, None)
    draft.formulas.pop(row, None)
    by_text = draft.kind == "number" and isinstance(entry, str) and not says_more(entry)
    if by_text or (isinstance(entry, Mapping) and "formula" in entry):
        text, place = (entry, path) if by_text else (entry["formula"], (*path, "formula"))
        formula = written(low, text, *place)
        if formula is not None:
            draft.formulas[row] = formula
        else:
            draft.fault = low.problems[-1]
        return
    draft.stated[row] = stated(low, draft, entry, *path, basis="decision", elsewhere=True)


# ------------------------------------------------------------------ examples


def examples_of(
    component: DraftComponent, space: Space, problems: list[Diagnostic]
) -> tuple[CaseExample, ...]:
    """The examples; missing inputs and unknown names go to `problems`."""
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
                message = f"'{name}' is not a quantity of the component{near}"
                low.say("N001", message, *path, "expect", name)
        place = low.document.at(*path)
        given = {
            name: value
            for name, draft in component.inputs.items()
            if name in entry["given"]
            and (value := stated(low, draft, entry["given"][name], *path, "given", name).value)
            is not None
        }
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
    """Whether an input has no default, so that every use must state it."""
    return not (draft.stated or draft.formulas)
