"""Rules: choose the record of a run that a plan uses, if the plan says what the record must be.

A rule is applied before anything is computed, from stated values alone. So the choice is an input
like any other: a drop-down in the workbook, a choice in the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scalesheet.frozen import dataclass
from scalesheet.load import flag
from scalesheet.model import Basis, Citation, Earlier, Stated
from scalesheet.nearest import nearest
from scalesheet.resolve.drafts import Draft, DraftPlan, DraftTable, Space
from scalesheet.resolve.lowering.scalars import entry_at
from scalesheet.resolve.lowering.values import Lowering, citation

RECORDS = "measurements"
#: Used if no record was on file yet.
NONE_YET = "no record matched"
#: The `scalesheet bench` option for each column of a rule.
OPTIONS = {
    "accelerator": "--accelerator",
    "method": "--method",
    "precision": "--precision",
    "weights_precision": "--weights",
    "attention": "--attention",
}
FLAGS = {"checkpointing": "--checkpointing", "compiled": "--compile"}
ACTIONS = {"measured": ["run"], "simulated": ["simulate"]}

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """A record that a rule may choose. `marked`: interrupted or unsteady."""

    id: str
    day: str  # ISO
    how: str
    marked: bool

    @property
    def rank(self) -> tuple[bool, bool, str, list[tuple[int, str]]]:
        """Measured before simulated, unmarked before marked, then the newest."""
        return self.how == "measured", not self.marked, self.day, natural(self.id)

    @property
    def sort(self) -> str:
        """How it is described: `measured`, `measured but marked`."""
        return f"{self.how} but marked" if self.marked else self.how


def natural(id: str) -> list[tuple[int, str]]:
    """A sort key that puts `run-10` after `run-9`."""
    parts = re.findall(r"[0-9]+|[^0-9]+", id)
    return [(int(part), "") if part.isascii() and part.isdigit() else (-1, part) for part in parts]


def settle_rules(plan: DraftPlan, low: Lowering, space: Space) -> None:
    """State the record that each rule of a plan chooses.

    Diagnostics go to `low`; if there are any, nothing can be bound.
    """
    for phase, name, path in scalars_of(low.document.data):
        entry = entry_at(low.document.data, path)
        draft = plan.scalars.get(name)
        if draft is None or "rule" not in entry:
            continue
        asked = _asked(plan, low, space, phase, entry["rule"], (*path, "rule"))
        chosen = None if asked is None else _choose(low, space, draft, entry, asked, path)
        if asked is None or chosen is None:
            low.later.append(lambda: False)
            continue
        draft.stated[None] = chosen
        draft.note = chosen.note


def scalars_of(data: Mapping[str, Any]) -> Iterator[tuple[str | None, str, Path]]:
    """The scalars in a plan's file: phase, full name, place."""
    for name in data.get("scalars", {}):
        yield None, str(name), ("scalars", name)
    for phase, entry in (data.get("phases") or {}).items():
        for name in entry.get("scalars", {}):
            yield str(phase), f"{phase}.{name}", ("phases", phase, "scalars", name)


# ------------------------------------------------------------------ what is asked for


def _asked(
    plan: DraftPlan,
    low: Lowering,
    space: Space,
    phase: str | None,
    rule: Mapping[str, Any],
    path: Path,
) -> dict[str, str | bool] | None:
    """What a record must be, by column; None if a value in the rule is invalid."""
    table = space.catalogue.get(RECORDS)
    asked: dict[str, str | bool] = {}
    for key, value in rule.items():
        column = None if table is None else table.columns[key]
        result = _meant(plan, low, space, phase, column, value, (*path, key))
        if result is None:
            return None
        asked[key] = result
    return asked


def _meant(
    plan: DraftPlan,
    low: Lowering,
    space: Space,
    phase: str | None,
    column: Draft | None,
    value: Any,
    path: Path,
) -> str | bool | None:
    """A row's id, a word or a flag; or the value stated by an input of the plan."""
    if column is None:  # no records at all, which is reported later
        named = _scalar(plan, phase, str(value))
        stated = None if named is None else named.stated.get(None)
        return str(value if stated is None else stated.value)
    if column.kind == "flag" and value in (True, False, "yes", "no"):
        return flag(value)
    text = str(value)
    known = column.words if column.refers_to is None else space.catalogue[column.refers_to].rows
    if text in known:
        return text
    result = _scalar(plan, phase, text)
    if result is None:
        names = [name for name, each in plan.scalars.items() if _fits(each, column)]
        what = f"a row of {column.refers_to}" if column.refers_to else "one of its words"
        message = f"'{text}' is neither {what} nor an input of the plan"
        low.say("N002", f"{message}{nearest(text, [*known, *names])}", *path)
        return None
    if not _fits(result, column):
        what = f"a row of {column.refers_to}" if column.refers_to else f"'{column.name}'"
        low.say("F004", f"'{text}' does not say {what}; name an input that does", *path)
        return None
    stated = result.stated.get(None)
    if stated is None or stated.value is None:
        message = f"'{text}' has no stated value, and a rule is settled before anything is computed"
        low.say("F004", f"{message}; name what it is computed from, or the id itself", *path)
        return None
    return stated.value if isinstance(stated.value, str | bool) else str(stated.value)


def _scalar(plan: DraftPlan, phase: str | None, name: str) -> Draft | None:
    """An input of the phase or plan; for scenarios, the side of the first."""
    for full in ([f"{phase}.{name}"] if phase else []) + [name]:
        if (result := plan.scalars.get(full)) is not None:
            return plan.scalars[result.sides[0][1]] if result.sides else result
    return None


def _fits(scalar: Draft, column: Draft) -> bool:
    same = scalar.kind == column.kind and scalar.refers_to == column.refers_to
    return same and (column.kind != "word" or bool(set(scalar.words) & set(column.words)))


# ------------------------------------------------------------------ which record


def _choose(
    low: Lowering,
    space: Space,
    draft: Draft,
    entry: Mapping[str, Any],
    asked: Mapping[str, str | bool],
    path: Path,
) -> Stated | None:
    """The chosen record with those chosen before it; a reason if none matches, and None in a book
    without records.
    """
    table = space.catalogue.get(RECORDS)
    matches = [] if table is None else list(_matches(table, asked))
    text = ", ".join(f"{key} {_word(value)}" for key, value in asked.items())
    shared = Stated(
        basis=_basis(entry), citation=_cited(entry), position=low.document.at(*path, "rule")
    )
    if not matches:
        code = "N011" if table is None or not table.rows else "V017"
        low.say(code, f"{_none(table, asked)}; make one with '{command(asked)}'", *path, "rule")
        return None if code == "N011" else replace(shared, reason=f"no record has {text}")
    day = space.as_of
    result: Stated | None = None
    for match, since in history(matches):
        if day and since > day:
            break
        on_file = [m for m in matches if not day or m.day <= day]
        rule = f"{text}: {why(match, on_file)}"
        note = f"{entry.get('note', '')} Chosen by the rule {rule}.".strip()
        before = result or replace(shared, reason=NONE_YET)
        cause = _cause(matches, before, match)
        past = (*before.was, Earlier(before, since, cause))
        result = replace(shared, value=match.id, note=note, rule=rule, since=since, was=past)
        others = [m for m in on_file if m.how != "measured"]
        if match.how == "measured" and others:
            result = replace(result, unmeasured=max(others, key=lambda m: m.rank).id)
    return result or replace(shared, reason=NONE_YET)


def _basis(entry: Mapping[str, Any]) -> Basis:
    basis: Basis = entry.get("kind", "decision")
    return basis


def _cited(entry: Mapping[str, Any]) -> Citation | None:
    return citation(entry.get("source"))


def _matches(table: DraftTable, asked: Mapping[str, str | bool]) -> Iterator[Match]:
    for row in table.rows:
        if all(_of(table, row, key) == value for key, value in asked.items()):
            marked = any(_of(table, row, mark) is True for mark in ("interrupted", "unsteady"))
            yield Match(row, str(_of(table, row, "date")), str(_of(table, row, "how")), marked)


def _of(table: DraftTable, row: str, column: str) -> object:
    stated = table.columns[column].stated.get(row)
    return None if stated is None else stated.value


def history(matches: Sequence[Match]) -> Iterator[tuple[Match, str]]:
    """Each record that was chosen and the day it became the choice, oldest first."""
    last = None
    for day in sorted({match.day for match in matches}):
        best = max((m for m in matches if m.day <= day), key=lambda match: match.rank)
        if best != last:
            yield best, day
        last = best


def why(chosen: Match, matches: Sequence[Match]) -> str:
    """`newest of 3 that match; measured`, or how it differs from the others."""
    alike = [m for m in matches if m.rank[:2] == chosen.rank[:2]]
    if len(matches) == 1:
        return f"the only one that matches; {chosen.sort}"
    if len(alike) == len(matches):
        return f"newest of {len(matches)} that match; {chosen.sort}"
    which = "the only one" if len(alike) == 1 else f"newest of {len(alike)}"
    return f"{which} that is {chosen.sort}, of {len(matches)} that match"


def _cause(matches: Sequence[Match], before: Stated, match: Match) -> str:
    old = next((m for m in matches if m.id == before.value), None)
    if old is None:
        return "the first record that matches"
    if old.how != match.how:
        return f"a {match.how} record in place of a {old.how} one"
    return (
        "a sound record in place of a marked one"
        if old.marked > match.marked
        else ("a newer record")
    )


# ------------------------------------------------------------------ none


def _none(table: DraftTable | None, asked: Mapping[str, str | bool]) -> str:
    """What no record has, and what the closest one has instead."""
    text = ", ".join(f"{key} {_word(value)}" for key, value in asked.items())
    if table is None or not table.rows:
        return f"there are no records of runs, but the rule needs {text}"
    near = max(
        table.rows,
        key=lambda row: (sum(_of(table, row, key) == v for key, v in asked.items()), natural(row)),
    )
    has = {key: _of(table, near, key) for key in asked}
    other = [
        f"{key} {_word(value) if isinstance(value, str | bool) else 'not stated'}"
        for key, value in has.items()
        if value != asked[key]
    ]
    return f"no record has {text}; the nearest, '{near}', has {', '.join(other)}"


def _word(value: str | bool) -> str:
    return value if isinstance(value, str) else "yes" if value else "no"


def command(asked: Mapping[str, str | bool]) -> str:
    """The command that would create a matching record."""
    parts = ["scalesheet bench", *ACTIONS.get(str(asked.get("how")), [])]
    parts.append(str(asked.get("model", "MODEL")))
    parts += [f"{option} {_option(asked[key])}" for key, option in OPTIONS.items() if key in asked]
    if asked.get("strategy", "single") != "single":
        parts.append(f"--gpus N --strategy {asked['strategy']}")
    parts += [each for key, each in FLAGS.items() if asked.get(key) is True]
    return " ".join(parts)


def _option(value: str | bool) -> str:
    """Options are written in lower case."""
    return str(value).lower()
