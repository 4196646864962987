"""Lowers what all files share: values, units, citations, formulas, quantities."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from scalesheet import foreign
from scalesheet.diagnostics import Diagnostic, Refused, at
from scalesheet.hints import number_hint, share_hint
from scalesheet.language.parser import parse
from scalesheet.language.syntax import Number
from scalesheet.language.tokens import FormulaError
from scalesheet.load import Document, flag, quotable
from scalesheet.model import (
    DOMAIN_WORDS,
    LIMIT,
    TO_BE_STATED,
    Basis,
    Citation,
    Earlier,
    Position,
    Show,
    Stated,
    within,
)
from scalesheet.nearest import nearest
from scalesheet.quantities import DATE, quantity, unit_of
from scalesheet.resolve.drafts import Draft, Written
from scalesheet.resolve.lowering.likelihood import KEYS as LIKELIHOOD
from scalesheet.resolve.lowering.likelihood import likelihood
from scalesheet.units import UNKNOWN, Unit, UnitError, Units

MILLION = 1e6


@dataclass(slots=True)
class Lowering:
    """A document being lowered: its diagnostics, the units, and the default source of values."""

    document: Document
    units: Units
    problems: list[Diagnostic] = field(default_factory=list)
    citation: Citation | None = None
    rows: Callable[[str], tuple[str, ...] | None] = lambda table: None
    later: list[Callable[[], bool]] = field(default_factory=list)

    def finish(self) -> bool:
        """Run the checks that had to wait for all tables. Returns whether binding can go on."""
        held = [check() for check in self.later]  # run all of them, so that everything is reported
        return all(held)

    def say(self, code: str, message: str, *path: str | int) -> None:
        self.problems.append(at(self.document.at(*path), code, message))

    def unit(self, text: Any, *path: str | int) -> Unit:
        """The unit at a path; if invalid, reports a diagnostic and returns one that fits any."""
        try:
            return self.units.parse(str(text))
        except UnitError as error:
            position = self.document.at(*path)
            place = Written(str(text), Number(0.0), position, indent=_indent(position))
            wrong = re.search(rf"\b{re.escape(error.word)}\b", str(text))
            here = place.at(wrong.start() if wrong else 0)
            self.problems.append(at(here, "U001", error.message))
            return UNKNOWN


def citation(data: Any, default: Citation | None = None) -> Citation | None:
    """A source reference: a key alone, or a key with a locator and a quote."""
    if data is None:
        return default
    named = Citation(data) if isinstance(data, str) else None
    named = named or Citation(data["key"], str(data.get("locator", "")), str(data.get("quote", "")))
    return None if named.key == TO_BE_STATED else named


def show(data: Mapping[str, Any] | None) -> Show:
    data = data or {}
    return Show(
        decimals=data.get("decimals"),
        digits=data.get("digits"),
        percent=flag(data.get("percent", "no")),
        approximate=flag(data.get("approximate", "no")),
        code=flag(data.get("code", "no")),
    )


def written(low: Lowering, text: Any, *path: str | int, claims: bool = False) -> Written | None:
    """The parsed formula at a path; None with a diagnostic if it cannot be parsed."""
    position = low.document.at(*path)
    formula = Written(str(text), Number(0.0), position, indent=_indent(position))
    try:
        return replace(formula, tree=parse(str(text), claims=claims))
    except FormulaError as error:
        if hint := number_hint(text):
            message = f"expected a number or a formula, found '{quotable(text)}'{hint}"
            low.say(error.code, message, *path)
            return None
        where = f"formula, character {error.offset + 1}: "
        low.problems.append(at(formula.at(error.offset), error.code, where + error.message))
        return None


@lru_cache(maxsize=64)
def _lines(path: str) -> tuple[str, ...]:
    try:
        return tuple(foreign.text(foreign.read(Path(path), "Y004")).split("\n"))
    except Refused:
        return ()


def _indent(position: Position) -> int | None:
    """1 if the text in the file is quoted, None if it is a block, else 0."""
    lines = _lines(position.path)
    if position.line > len(lines):
        return 0
    first = lines[position.line - 1][position.column - 1 : position.column]
    return None if first in ("|", ">") else int(first in ("'", '"'))


def forget_files() -> None:
    """Forget files that were read for positions, since they may have changed."""
    _lines.cache_clear()


def stated(
    low: Lowering,
    draft: Draft,
    data: Any,
    *path: str | int,
    basis: Basis = "assumption",
    elsewhere: bool = False,
) -> Stated:
    """The value at a path, in its quantity's unit, words or table. `elsewhere`: the domain is
    declared in another file, so `check`, which reads files one by one, could not test it.

    If the value has earlier ones, the one in force on the document's day is returned.
    """
    if isinstance(data, Mapping) and "was" in data:
        return _dated(low, draft, data, path, basis)
    position = low.document.at(*path)
    if not isinstance(data, Mapping):
        data = {"value": data}
    shared = {
        "basis": data.get("kind", basis),
        "citation": citation(data.get("source"), low.citation),
        "note": str(data.get("note", "")),
        "position": position,
    }
    if "reason" in data:
        return Stated(reason=str(data["reason"]), **shared)
    if draft.kind != "number":
        if "unit" in data:
            low.say("S001", f"'{draft.name}' is not a number; delete its unit", *path, "unit")
        value = _word(low, draft, data.get("value"), (*path, "value") if "value" in data else path)
        return Stated(value=value, **shared)
    scale, own = 1.0, draft.unit
    if "unit" in data and draft.unit is not None:
        own = low.unit(data["unit"], *path, "unit")
        if own != draft.unit:
            if DATE in (own, draft.unit) or not low.units.compatible(own, draft.unit):
                remedy = f"give it in {draft.unit}"
                if draft.unit == DATE:
                    remedy = "write a day such as 2026-03-31"
                if low.units.compatible(own * low.units.parse("GPU / node"), draft.unit):
                    remedy = "multiply it by the number of accelerators in a node"
                low.say(
                    "U002",
                    f"'{draft.name}' is in {draft.unit}, found {own}; {remedy}",
                    *path,
                    "unit",
                )
            else:
                scale = float(low.units.factor(own, draft.unit))
    texts = str | int | float if own == draft.unit == DATE else str  # a number is no date
    written = {
        key: str(data[key]) for key in _IS if key != "reason" and isinstance(data.get(key), texts)
    }
    before = len(low.problems)
    name = draft.name.removesuffix(LIMIT)
    numbers = {key: _written(low, name, text, own, path) for key, text in written.items()}
    result = _number({**data, **numbers}, scale, shared)
    if (numbers or elsewhere or own != draft.unit) and len(low.problems) == before:
        _sound(low, draft, result, path)
    if own is not None and "unit" not in data:
        for key in ("value", "low", "high"):
            _counted_twice(low, draft, data.get(key), numbers.get(key), own, path)
    if any(key in data for key in LIKELIHOOD):

        def wrong(code: str, message: str, key: str) -> None:
            low.say(code, message, *path, key)

        return replace(result, likelihood=likelihood(draft, result, data, wrong))
    return result


def _counted_twice(
    low: Lowering,
    draft: Draft,
    raw: object,
    number: float | None,
    unit: Unit,
    path: tuple[str | int, ...],
) -> None:
    """Warn of a number without a unit that counts in millions although its unit does, too:
    `20_000_000` in Mtoken was meant in tokens.
    """
    found = number if isinstance(raw, str) else raw
    if not isinstance(found, int | float) or found < MILLION:
        return  # most numbers
    declared = low.units.declared.get(str(unit))
    if declared is None or not declared.per or (isinstance(raw, str) and unit_of(raw, low.units)):
        return
    counts = low.units.parse(declared.per.rpartition("*")[2].strip())
    size = float(low.units.factor(unit, counts))
    if size < MILLION or found < size:
        return
    message = (
        f"'{draft.name}' is in {unit}, so this is {found:,.0f} {unit}; write the unit, "
        f"'{raw} {counts}' or '{raw} {unit}'"
    )
    low.say("U006", message, *path)


def _written(
    low: Lowering, name: str, text: str, unit: Unit | None, path: tuple[str | int, ...]
) -> float:
    """The number in a text such as `50k` or `20 GB`. Reports a diagnostic if it is not one."""
    try:
        return quantity(text, unit, low.units)
    except ValueError as error:
        if isinstance(error, UnitError):
            low.say("U001", f"'{name}': {error.message}", *path)
        else:
            low.say("U002", f"'{name}': '{text}' {error}", *path)
        return 1.0


def _sound(low: Lowering, draft: Draft, stated: Stated, path: tuple[str | int, ...]) -> None:
    """Check the domain and order of numbers that `check` saw as text."""
    named = (("low", stated.low), ("value", stated.value), ("high", stated.high))
    ends = [(name, each) for name, each in named if isinstance(each, float)]
    domain = draft.domain or "non-negative"
    wrong = next((each for _, each in ends if not within(domain, each)), None)
    if wrong is not None:
        message = (
            f"'{draft.name}': expected {DOMAIN_WORDS[domain]} (domain {domain}), found {wrong:g}"
            f"{share_hint(domain, wrong)}"
        )
        low.say("V002", message, *path)
        return
    for (one, lower), (other, upper) in pairwise(ends):
        if lower > upper:
            both = f"{one} {lower:,.12g} is above {other} {upper:,.12g}"
            low.say("V001", f"'{draft.name}': {both}; swap or correct them", *path)
            return


#: The keys that make up a value rather than describe it; each earlier value has its own.
_IS = ("value", "low", "high", "at_least", "at_most", "reason")


def _dated(
    low: Lowering, draft: Draft, data: Mapping[str, Any], path: tuple[str | int, ...], basis: Basis
) -> Stated:
    """The value in force, with the earlier ones. A value applies from its day on, as with prices;
    unit, kind and source default to the newest value's.
    """
    newest = {key: value for key, value in data.items() if key != "was"}
    shared = {key: value for key, value in newest.items() if key not in _IS}
    past: list[Earlier] = []
    since = ""
    for index, entry in enumerate(data["was"]):
        own = {key: value for key, value in entry.items() if key not in ("until", "why")}
        earlier = stated(low, draft, {**shared, **own}, *path, "was", index, basis=basis)
        earlier = replace(earlier, since=since, was=tuple(past))
        since = str(entry["until"])
        if low.document.as_of and low.document.as_of < since:
            return earlier
        past.append(Earlier(earlier, since, str(entry["why"])))
    now = stated(low, draft, newest, *path, basis=basis)
    return replace(now, since=since, was=tuple(past))


def _number(data: Mapping[str, Any], scale: float, shared: dict[str, Any]) -> Stated:
    def number(key: str) -> float | None:
        result = data.get(key)
        return None if result is None else float(result) * scale

    value, lowest, highest = number("value"), number("low"), number("high")
    midpoint = value is None and lowest is not None and highest is not None
    if midpoint:
        assert lowest is not None
        assert highest is not None
        value = (lowest + highest) / 2
    return Stated(
        value=value,
        low=value if lowest is None else lowest,
        high=value if highest is None else highest,
        at_least=number("at_least"),
        at_most=number("at_most"),
        midpoint=midpoint,
        **shared,
    )


def _word(low: Lowering, draft: Draft, value: Any, path: tuple[str | int, ...]) -> str | bool:
    if draft.kind == "flag" and isinstance(value, bool):
        return value
    text = "" if value is None else str(value)
    words = ("yes", "no") if draft.kind == "flag" else draft.words
    if draft.kind in ("word", "flag") and text not in words:
        hint = nearest(text, draft.words)
        if _is_scalar(low, text) or (not hint and "." in text):
            hint = f"; to take it from another figure, write {{formula: {text}}}"
        low.say(
            "F006",
            f"'{text}' is not one of the words of '{draft.name}': {', '.join(words)}{hint}",
            *path,
        )
    if draft.kind == "flag":
        return flag(text)
    if draft.kind == "reference" and draft.refers_to is not None:
        low.later.append(lambda: _known_row(low, str(draft.refers_to), text, path))
    return text


def _is_scalar(low: Lowering, name: str) -> bool:
    return ("scalars", name) in low.document.keys


def _known_row(low: Lowering, table: str, row: str, path: tuple[str | int, ...]) -> bool:
    rows = low.rows(table)
    if rows is not None and row not in rows:
        hint = nearest(row, rows, "known there")
        if table == "models" and row.endswith(".json"):
            hint = f"; make a model of the file: scalesheet new model ID --from {row}"
        elif _is_scalar(low, row):
            hint = f"; to take it from another figure, write {{formula: {row}}}"
        low.say("N002", f"'{row}' is not in {table}{hint}", *path)
    return True
