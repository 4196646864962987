"""Freezes a version of a plan: its headline, the inputs behind it, and what changed.

It is compared with the previous version by the inputs that both list. Each changed input is reset
alone, with everything else unchanged: the headline's difference is the effect of the change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scalesheet.book import Book
from scalesheet.choose.layout import RULES, settled
from scalesheet.diff.changes import CATALOGUE, Place, Released
from scalesheet.diff.inputs import label_of
from scalesheet.diff.matching import Names
from scalesheet.diff.printing import said
from scalesheet.edition import Edition
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.references import rests_on
from scalesheet.model import Changed, Frozen, Key, Plan, Quantity, Stated, Version
from scalesheet.quantities import DATE, day_text
from scalesheet.resolve.order import name_of
from scalesheet.scenarios import SCENARIO
from scalesheet.units import Unit
from scalesheet.values import Results, Value

MOST_TRIED = 60  # changed inputs that are reset alone, each with one evaluation
SAME = 1e-12


def cut(edition: Edition, plan: Plan, version: str, text: str) -> Version:
    """The plan as it is now, as a version after the last one."""
    book, results = edition.book, edition.results[plan.id]
    before = plan.version
    inputs = _inputs(book, plan, results)
    keys = {name_of(key): key for key in inputs}
    frozen = {name_of(key): each for key, each in inputs.items()}
    was = before.inputs if before is not None else {}
    own = {name for name in keys if _is_told(plan, name)}
    both = [name for name in frozen if name in was]
    # a layout that is chosen now is a consequence of the others
    told = [name for name in both if frozen[name].stated.rule not in RULES]
    moved = {name: keys[name] for name in told if _differs(was[name], frozen[name])}
    return Version(
        version,
        text,
        book.edition.isoformat(),
        headline=_headline(plan, results),
        inputs=frozen,
        changed={
            name: _changed(edition, plan, key, was[name], frozen[name], at < MOST_TRIED)
            for at, (name, key) in enumerate(moved.items())
        },
        added=tuple(sorted(own - was.keys())) if was else (),
        removed=tuple(sorted(name for name in was if name not in frozen and _is_told(plan, name))),
    )


def is_same(version: Version, before: Version | None) -> bool:
    """Whether headline and inputs are the same as in the previous version."""
    if before is None or not before.headline:
        return False
    figures = version.headline.keys() == before.headline.keys() and not any(
        _differs(before.headline[name], each) for name, each in version.headline.items()
    )
    return figures and not (version.changed or version.added or version.removed)


def released(base: Book, head: Book, names: Names) -> Iterator[Released]:
    """The versions that only the new side has."""
    before = {new: base.plans[old] for old, new in names.plans.items() if old}
    for plan in head.plans.values():
        was = before[plan.id].history if plan.id in before else ()
        known = {each.version for each in was if each.status == "released"}
        for each in plan.history:
            if each.status == "released" and each.version not in known:
                yield Released(plan.id, each.version, each.text)


def _inputs(book: Book, plan: Plan, results: Results) -> dict[Key, Frozen]:
    """All inputs with a value that the headline depends on, without the defaults of components."""
    found: dict[Key, Stated] = {}
    for name in plan.headline:
        found |= rests_on(book, plan, results, Key(name), choices=True)
    if plan.scenarios:
        stated = plan.scalars[SCENARIO].stated
        found |= {Key(SCENARIO): stated} if stated is not None else {}
    return {
        key: Frozen(_title(book, plan, key), _unit(book, plan, key), found[key])
        for key in sorted(found, key=name_of)
        if found[key].reason is None and not (found[key].default or _is_axis(plan, key))
    }


def _is_axis(plan: Plan, key: Key) -> bool:
    """Whether a cell only says which row of a cross table it is in."""
    table = plan.tables.get(key.table or "")
    return table is not None and key.name in dict(table.each)


def _headline(plan: Plan, results: Results) -> dict[str, Frozen]:
    def figure(name: str) -> Frozen:
        scalar = plan.scalars[name]
        unit = scalar.unit if scalar.kind == "number" else None
        return Frozen(scalar.title, unit, _as_stated(results.scalars[name]))

    return {name: figure(name) for name in plan.headline}


def _changed(
    edition: Edition, plan: Plan, key: Key, was: Frozen, now: Frozen, tried: bool
) -> Changed:
    book = edition.book
    without = dict(_without(edition, plan, key, was)) if tried else {}
    return Changed(now.title, now.unit, was.stated, now.stated, said(book, now.stated), without)


def _without(edition: Edition, plan: Plan, key: Key, was: Frozen) -> Iterator[tuple[str, Stated]]:
    """The headline figures that differ if this input has its old value."""
    book, results = edition.book, edition.results[plan.id]
    quantity = _quantity(book, plan, key)
    refers = {**book.tables, **plan.tables}.get(quantity.refers_to or "")
    if was.unit != _unit(book, plan, key) or (refers and was.stated.value not in refers.rows):
        return
    back = evaluate(book, plan, settled(book, plan, {key: was.stated}))
    for name in plan.headline:
        value = _as_stated(back.scalars[name])
        if _moved(value, _as_stated(results.scalars[name])):
            yield name, value


def _differs(one: Frozen, other: Frozen) -> bool:
    return one.unit != other.unit or _moved(one.stated, other.stated)


def _moved(one: Stated, other: Stated) -> bool:
    """Whether two values differ by more than rounding in the last digit."""
    pairs = list(zip(_ends(one), _ends(other), strict=True))
    numbers = all(isinstance(a, float) and isinstance(b, float) for a, b in pairs)
    if not numbers:
        return (one.value, one.reason) != (other.value, other.reason)
    return any(abs(a - b) > SAME * max(abs(a), abs(b)) for a, b in pairs)


def _ends(stated: Stated) -> tuple[Any, Any, Any]:
    value = stated.value
    low = value if stated.low is None else stated.low
    return low, value, value if stated.high is None else stated.high


def _is_told(plan: Plan, name: str) -> bool:
    """Whether an added or removed input is reported. Catalogue inputs follow from the row that a
    plan names, and the two sides of a value from its scenario.
    """
    if "[" in name:
        return name.partition("[")[0] in plan.tables
    return name not in plan.scalars or not plan.scalars[name].hidden


def _as_stated(value: Value) -> Stated:
    return Stated(value.value, value.low, value.high, value.reason, basis="derived")


def _quantity(book: Book, plan: Plan, key: Key) -> Quantity:
    if key.table is None:
        return plan.scalars[key.name]
    return {**book.tables, **plan.tables}[key.table].columns[key.name]


def _unit(book: Book, plan: Plan, key: Key) -> Unit | None:
    quantity = _quantity(book, plan, key)
    return quantity.unit if quantity.kind == "number" else None


def _title(book: Book, plan: Plan, key: Key) -> str:
    own = key.table is None or key.table in plan.tables
    return label_of(book, Place(plan.id if own else CATALOGUE, key)) or name_of(key)


# ------------------------------------------------------------------ as it is written


def data_of(version: Version) -> dict[str, Any]:
    """The content of a version's file."""
    changed = {
        name: {
            "title": each.title,
            "was": _data(each.was, each.unit),
            "now": _data(each.now, each.unit),
            **({"because": each.because} if each.because else {}),
            **_if_any(
                "without",
                {
                    key: _data(value, version.headline[key].unit)
                    for key, value in each.without.items()
                },
            ),
        }
        for name, each in version.changed.items()
    }
    return {
        "date": version.date,
        "text": version.text,
        "headline": {
            name: {"title": each.title, **_data(each.stated, each.unit)}
            for name, each in version.headline.items()
        },
        **_if_any("changed", changed),
        **_if_any("added", list(version.added)),
        **_if_any("removed", list(version.removed)),
        **_if_any(
            "inputs", {name: _data(each.stated, each.unit) for name, each in version.inputs.items()}
        ),
    }


def _if_any(key: str, data: Any) -> Mapping[str, Any]:
    return {key: data} if data else {}


def _data(stated: Stated, unit: Unit | None) -> dict[str, Any]:
    """A value as people would write it."""
    if stated.reason is not None or stated.value is None:
        return {"reason": stated.reason or "nothing"}
    if not isinstance(stated.value, float):
        return {"value": stated.value}
    day = unit == DATE and stated.value == int(stated.value) and not stated.ranged
    data: dict[str, Any] = {"value": day_text(stated.value) if day else stated.value}
    if stated.ranged:
        data |= {"low": stated.low, "high": stated.high}
    return data | ({"unit": str(unit)} if unit is not None and not unit.pure else {})
