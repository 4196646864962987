"""The edits that people make every week, one at a time, on every shipped plan: another value of an
input, one more row, one row less. Only the edited plan is compiled again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache, cached_property
from typing import Any

from scalesheet.check import check
from scalesheet.diagnostics import Diagnostic, errors
from scalesheet.edition import Edition
from scalesheet.evaluate.findings import Faults
from scalesheet.kept_edition import KeptEdition
from scalesheet.kept_plan import examined_plan
from scalesheet.load import PLAN_KINDS, Document, Steps, audited, flag, parse
from scalesheet.load.folder import documents_of, files_of
from scalesheet.model import DOMAINS, within
from scalesheet.resolve.book import Ground, resolve_plan
from scalesheet.source.patch import Change, Drop, Set, patched
from shipped import DATA, shipped

#: The keys of a number that is written as a mapping.
NUMBERS = ("value", "low", "high", "at_least", "at_most")
#: Keys of a row or scalar other than cells and values.
ABOUT = ("title", "note", "source", "formula", "rule", "reason")
#: Figures of a phase with another than the default domain.
_PHASE_DOMAIN = {"gpus": "positive"}
#: Factors for numbers, which are rounded up if the domain asks for whole ones.
FACTORS = {"up": 1.5, "down": 0.6}
NEW, NEW_PHASE = "one-more", "one_more"


@dataclass(frozen=True)
class Edit:
    """One edit of a plan's file. `sort` is "input", "added" or "dropped"."""

    plan: str
    sort: str
    what: str
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Tried:
    """The result of an edit: its diagnostics, and the edition unless it is refused."""

    diagnostics: tuple[Diagnostic, ...]
    edition: Edition | None

    @property
    def refusals(self) -> list[Diagnostic]:
        return errors(self.diagnostics)


@dataclass(frozen=True)
class Plans:
    """The shipped plans, on a catalogue that is compiled once."""

    ground: Ground
    faults: Faults
    documents: tuple[Document, ...]

    def of(self, plan: str, kind: str) -> Document:
        return next(each for each in self.documents if (each.id, each.kind) == (plan, kind))

    @cached_property
    def ids(self) -> tuple[str, ...]:
        return tuple(each.id for each in self.documents if each.kind == "plan")

    def rows(self, plan: str, table: str) -> Sequence[str]:
        """The rows that a reference to a table can name."""
        own = dict(tables(self.of(plan, "plan").data))
        for steps, entry in own.items():
            if ".".join(map(str, steps)).removeprefix("tables.") == table:
                return list(entry["rows"])
        catalogue = self.ground.space.catalogue.get(table)
        return catalogue.rows if catalogue else ()

    def tried(self, edit: Edit, *, audits: bool = True) -> Tried:
        """The result of `check` after an edit.

        Without `audits`, which use the frozen plan anyway, it takes half the time.
        """
        plan = self.of(edit.plan, "plan")
        text = patched((DATA / "plans" / edit.plan / "plan.yaml").read_text("utf-8"), edit.changes)
        parsed = parse(text.encode(), plan.path)
        assert not parsed.diagnostics, edit
        edited = replace(plan, data=parsed.data, places=parsed.places, keys=parsed.keys)
        return self.compiled(edited, audits=audits)

    def compiled(self, edited: Document, *, audits: bool = True) -> Tried:
        """The result of `check` with another file of a plan."""
        plan = self.of(edited.id, "plan")
        kinds = PLAN_KINDS if audits else PLAN_KINDS - {"claims"}
        own = [
            each
            for each in self.documents
            if each.id == plan.id and each is not plan and each.kind in kinds
        ]
        # the shipped plan equals the frozen one, so loading left that one out
        own.append(
            replace(plan, kind=audited.KIND, data=audited.frozen(plan.data), as_of="2026-11-22")
        )
        rest = [each for each in self.documents if each.kind in ("book", "sources")]
        found = check([edited, *rest])
        if errors(found):
            return Tried(tuple(found), None)
        problems: list[Diagnostic] = []
        resolved = resolve_plan(self.ground, [edited, *own], problems)
        if resolved is None or errors(problems) or self.ground.book is None:
            return Tried((*found, *problems), None)
        edition, more = examined_plan(self.ground.book, resolved, self.faults)
        return Tried((*found, *problems, *more), edition)


@cache
def plans() -> Plans:
    """The shipped plans."""
    edition, files = shipped().edition, files_of(DATA)
    assert isinstance(edition, KeptEdition)
    assert files is not None
    ground: Ground = edition.below["ground"]
    own = [
        each for each in files.every if each.plan or each.parts[0] in ("book.yaml", "sources.yaml")
    ]
    documents, found = documents_of(replace(files, every=tuple(own)))
    assert not found
    whole = replace(ground, book=edition.below["book"])
    return Plans(whole, edition.below["faults"], tuple(documents))


# ------------------------------------------------------------------ edits


def edits_of(plan: str) -> Iterator[Edit]:
    """Every ordinary edit of a plan, in the order of its file."""
    made = plans()
    data = made.of(plan, "plan").data
    for steps, entry in inputs(data):
        for how, changes in _values(plan, steps, entry, data):
            yield Edit(plan, "input", f"{_name(steps)} {how}", changes)
    for steps, rows in rows_of(data):
        for number, row in enumerate(rows):
            if len(rows) > 1:
                yield Edit(plan, "dropped", _name((*steps, row)), (Drop((*steps, row)),))
            if number == len(rows) - 1:
                copy = (
                    {**rows[row], "title": "One more"}
                    if isinstance(rows[row], Mapping)
                    else rows[row]
                )
                change = Set((*steps, NEW if steps != ("phases",) else NEW_PHASE), copy)
                yield Edit(plan, "added", _name(steps), (change,))


def _name(steps: Steps) -> str:
    return ".".join(str(step) for step in steps if step not in ("scalars", "tables", "rows"))


def tables(data: Mapping[str, Any]) -> Iterator[tuple[Steps, Mapping[str, Any]]]:
    """Each table whose rows are stated."""
    for steps, scope in _scopes(data):
        for name, table in scope.get("tables", {}).items():
            if "each" not in table["rows"]:
                yield (*steps, "tables", name), table


def rows_of(data: Mapping[str, Any]) -> Iterator[tuple[Steps, Mapping[str, Any]]]:
    for steps, table in tables(data):
        yield (*steps, "rows"), table["rows"]
    if data.get("phases"):
        yield ("phases",), data["phases"]


def _scopes(data: Mapping[str, Any]) -> Iterator[tuple[Steps, Mapping[str, Any]]]:
    yield (), data
    for name, phase in data.get("phases", {}).items():
        yield ("phases", name), phase


def inputs(data: Mapping[str, Any]) -> Iterator[tuple[Steps, Mapping[str, Any]]]:
    """Each stated value: its place and its declaration."""
    for steps, scope in _scopes(data):
        for name, scalar in scope.get("scalars", {}).items():
            if not {"formula", "rule", "reason"} & set(scalar):
                yield (*steps, "scalars", name), scalar
    for steps, table in tables(data):
        for row, cells in table["rows"].items():
            for column, cell in cells.items() if isinstance(cells, Mapping) else ():
                declared = table.get("columns", {}).get(column)
                computed = isinstance(cell, Mapping) and {"formula", "reason"} & set(cell)
                if column not in ABOUT and declared is not None and not computed:
                    yield (*steps, "rows", row, column), declared
    for phase, entry in data.get("phases", {}).items():
        for key in ("gpus", "hours", "gpu_hours", "overhead"):
            if key in entry and not (isinstance(entry[key], Mapping) and "formula" in entry[key]):
                yield ("phases", phase, key), {"unit": "1", "domain": _PHASE_DOMAIN.get(key)}


def _values(
    plan: str, steps: Steps, declared: Mapping[str, Any], data: Any
) -> Iterator[tuple[str, tuple[Change, ...]]]:
    """Other values of an input, and the changes that make them."""
    stated = data
    for step in steps:
        stated = stated[step]
    at = (*steps, "value") if isinstance(stated, Mapping) else steps
    value = stated.get("value") if isinstance(stated, Mapping) else stated
    if "ref" in declared or "words" in declared:
        known = plans().rows(plan, declared["ref"]) if "ref" in declared else declared["words"]
        other = [each for each in known if each != value]
        if other and declared.get("kind") != "published":  # the hardware of a run is a fact
            yield f"= {other[0]}", (Set(at, other[0]),)
    elif flag(declared.get("flag")):
        yield "turned", (Set(at, "no" if flag(value) else "yes"),)
    elif flag(declared.get("text")):
        yield "= other", (Set(at, "Something else"),)
    elif flag(declared.get("date")):
        yield "a day later", (Set(at, str(date.fromisoformat(str(value)) + timedelta(1))),)
    else:
        yield from _numbers(steps, stated, declared)


def _numbers(
    steps: Steps, stated: Any, declared: Mapping[str, Any]
) -> Iterator[tuple[str, tuple[Change, ...]]]:
    domain = str(
        (stated.get("domain") if isinstance(stated, Mapping) else None)
        or declared.get("domain")
        or "non-negative"
    )
    parts: dict[Steps, float] = (
        {(*steps, key): stated[key] for key in NUMBERS if key in stated}
        if isinstance(stated, Mapping)
        else {steps: stated}
    )
    if not all(isinstance(each, int | float) for each in parts.values()) or not parts:
        return
    for how, factor in FACTORS.items():
        moved = {place: moved_number(number, factor, domain) for place, number in parts.items()}
        if moved != parts and all(within(domain, each) for each in moved.values()):
            if not _in_order(steps, moved):
                continue  # rounding moved an end beyond the value, which nobody would type
            yield how, tuple(Set(place, number) for place, number in moved.items())
    if DOMAINS[domain][1] and DOMAINS[domain][0] in (0.0, None) and any(parts.values()):
        yield "= 0", tuple(Set(place, 0) for place in parts)


def _in_order(steps: Steps, moved: Mapping[Steps, float]) -> bool:
    ends = [moved[(*steps, key)] for key in ("low", "value", "high") if (*steps, key) in moved]
    return ends == sorted(ends)


def moved_number(number: float, factor: float, domain: str) -> float:
    _, _, most, whole = DOMAINS[domain]
    if most is not None and factor > 1:
        return round((number + most) / 2, 6)
    if whole or (float(number).is_integer() and abs(number) >= 1):
        moved = round(number * factor)
        return number + (1 if factor > 1 else -1) if moved == number else moved
    return float(f"{number * factor:.6g}")
