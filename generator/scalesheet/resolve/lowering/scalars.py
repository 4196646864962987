"""Lowers scalars, the declarations that scalars and columns share, and both sides of a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scalesheet.diagnostics import at
from scalesheet.language.syntax import Choice, Compare, Name, Node, Over, Text
from scalesheet.load import flag
from scalesheet.model import Stated
from scalesheet.nearest import nearest
from scalesheet.quantities import LETTERS, behind, says_more, unit_of
from scalesheet.resolve.drafts import Draft, DraftPlan, DraftTable, Written
from scalesheet.resolve.lowering.values import Lowering, citation, show, stated, written
from scalesheet.units import UNKNOWN, Unit
from scalesheet.vocabulary import OLD_VERDICTS, VERDICTS, title_of

SCENARIO = "scenario"


def drafted(
    low: Lowering, name: str, entry: Mapping[str, Any], path: tuple[str | int, ...]
) -> Draft:
    """Lower what scalars and columns declare alike: kind, unit, domain, words."""
    draft = Draft(
        name,
        str(entry.get("title", title_of(name.rpartition(".")[2]))),
        low.document.key_at(*path),
        domain=entry.get("domain"),
        show=show(entry.get("show")),
        note=str(entry.get("note", "")),
        differs=entry.get("differs"),
        moves_with=str(entry.get("moves_with", "")),
    )
    if "ref" in entry:
        draft.kind, draft.refers_to = "reference", str(entry["ref"])
        if "rule" not in entry:  # the rule has a better message for a missing record
            low.later.append(lambda: _known_table(low, str(draft.refers_to), (*path, "ref")))
    elif "words" in entry:
        draft.kind, draft.words = "word", tuple(str(w) for w in entry["words"])
        old = next((word for word in OLD_VERDICTS if {word, *VERDICTS[:1]} <= {*draft.words}), None)
        if old:
            message = f"'{old}' is an outdated verdict on memory: expected {', '.join(VERDICTS)}"
            low.say("F008", message, *path, "words")
        if draft.differs is not None and draft.differs not in draft.words:
            low.say(
                "F006",
                f"'{draft.differs}' is not one of the words {', '.join(draft.words)}"
                f"{nearest(draft.differs, draft.words)}",
                *path,
                "differs",
            )
    elif flag(entry.get("flag", "no")):
        draft.kind = "flag"
    elif entry.get("text") is not None and flag(entry["text"]):
        draft.kind = "text"
    elif entry.get("date") is not None and flag(entry["date"]):
        draft.kind = "date"
    else:
        own = _unit_of_text(entry, low)
        draft.unstated = "unit" not in entry and own is None and "formula" in entry
        if "unit" not in entry and own is None and not (draft.unstated or _names_a_unit(entry)):
            message = (
                f"'{name}' is a number without a unit; add one, 'unit: 1' for a pure number; "
                "a word needs 'words:', yes or no 'flag: yes'"
            )
            low.problems.append(at(draft.position, "U003", message))
        if "unit" in entry:
            own = low.unit(entry["unit"], *path, "unit")
        draft.unit = own or UNKNOWN
    return draft


def _unit_of_text(entry: Mapping[str, Any], low: Lowering) -> Unit | None:
    """The unit in the value itself, as in `4_000 USD`."""
    texts = [entry[key] for key in ("value", "low", "high") if isinstance(entry.get(key), str)]
    units = (unit_of(text, low.units) for text in texts if says_more(text))
    return next((unit for unit in units if unit is not None), None)


def _names_a_unit(entry: Mapping[str, Any]) -> bool:
    """Whether the value names an unknown unit, which is reported where it is read."""
    texts = [entry[key] for key in ("value", "low", "high") if isinstance(entry.get(key), str)]
    return any(says_more(text) and behind(text) not in LETTERS for text in texts)


def lower_scalar(
    plan: DraftPlan, low: Lowering, phase: str | None, name: str, path: tuple[str | int, ...]
) -> None:
    """Add the scalar at a path, and its two sides if the document has another value."""
    entry = entry_at(low.document.data, path)
    full = f"{phase}.{name}" if phase else name
    draft = drafted(low, full, entry, path)
    draft.phase = phase
    draft.role = entry.get("role", "")
    draft.contingency_on = str(entry.get("contingency_on", ""))
    for other in plan.scalars.values():
        if draft.role and other.role == draft.role:
            message = (
                f"'{other.name}' and '{full}' both have the role '{draft.role}'; keep it at one"
            )
            low.say("N003", message, *path, "role")
    if "formula" in entry:
        formula = written(low, entry["formula"], *path, "formula")
        if formula is not None:
            draft.formulas[None] = replace(formula, citation=citation(entry.get("source")))
        else:
            draft.fault = low.problems[-1]
    elif "rule" not in entry:  # rules are applied once everything they may name exists
        draft.stated[None] = stated(low, draft, entry, *path)
        if "written" in entry:
            _scenario_scalar(plan, low, draft, entry, path)
    plan.scalars[full] = draft


def _known_table(low: Lowering, table: str, path: tuple[str | int, ...]) -> bool:
    known = low.rows(table) is not None
    if not known:
        message = (
            f"'{table}' is not a table to refer to; for a choice of words, write words: [a, b]"
        )
        low.say("N001", message, *path)
    return known


def entry_at(data: Any, path: tuple[str | int, ...]) -> Any:
    """The data at a path."""
    for step in path:
        data = data[step]
    return data


def _scenario_scalar(
    plan: DraftPlan,
    low: Lowering,
    draft: Draft,
    entry: Mapping[str, Any],
    path: tuple[str | int, ...],
) -> None:
    """Replace a value with `written:` beside it by two hidden inputs and a choice of them."""
    if len(plan.scenarios) < 2:
        low.say(
            "S002",
            "a value has 'written:' beside it, but the plan names no scenarios; "
            "add 'scenarios: [corrected, written]'",
            *path,
            "written",
        )
        return
    other = stated(low, draft, entry["written"], *path, "written", basis="published")
    for side in split_by_scenario(plan, draft, (draft.stated, {None: other}), "."):
        plan.scalars[side.name] = side


def split_by_scenario(
    plan: DraftPlan, draft: Draft, stated: tuple[dict[str | None, Stated], ...], joint: str
) -> list[Draft]:
    """The hidden quantities of a value that scenarios state differently. The value becomes a choice
    between them; the first is the default.
    """
    sides = [
        replace(
            draft,
            name=f"{draft.name}{joint}{scenario}",
            title=f"{draft.title} ({scenario})",
            hidden=True,
            side_of=draft.name,
            contingency_on="",
            stated=values,
            formulas={},
        )
        for scenario, values in zip(plan.scenarios, stated, strict=False)
    ]
    draft.sides = tuple(zip(plan.scenarios, (side.name for side in sides), strict=False))
    draft.stated = {}
    first, *others = ((word, Name(tuple(name.split(".")))) for word, name in draft.sides)
    tree: Node = first[1]
    for scenario, value in others:
        tree = Choice(value, Compare("==", Name((SCENARIO,)), Text(scenario)), tree)
    words = " or ".join(word for word, _ in draft.sides)
    text = f"{draft.name}, {words} by scenario"
    draft.formulas[None] = Written(text, tree, draft.position, indent=None)
    return sides


def lower_totals(
    plan: DraftPlan,
    table: DraftTable,
    names: Any,
    low: Lowering,
    path: tuple[str | int, ...],
) -> None:
    """Add a scalar `<table>.total.<column>` for each totaled column."""
    numbers = [each.name for each in table.columns.values() if each.kind == "number"]
    for index, name in enumerate(names):
        if name not in numbers:
            message = f"'{table.name}' has no column of numbers '{name}' to total"
            ending = [f"'{each}'" for each in numbers if each.endswith(f"_{name}")]
            hint = nearest(str(name), numbers)
            if ending:
                hint = f"; did you mean {' or '.join(ending)}?"
            low.say("N001", message + hint, *path, "total", index)
    if not {*names} <= {*numbers}:  # the intended name is unknown, and may be used elsewhere
        names = numbers
    for name in names:
        column = table.columns[name]
        full = f"{table.name}.total.{name}"
        plan.scalars[full] = Draft(
            full,
            f"{column.title} in total{'' if table.name == 'phases' else f', {table.title}'}",
            column.position,
            unit=column.unit,
            domain=None,
            show=column.show,
            phase=table.phase,
            formulas={
                None: Written(
                    f"sum({table.name}.{name})",
                    Over("sum", Name((*table.name.split("."), name)), None),
                    column.position,
                    indent=None,
                )
            },
        )
        table.totals = (*table.totals, name)
