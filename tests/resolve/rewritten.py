"""Books and plans whose inputs are written in other units of the same dimension."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random
from typing import Any
from unittest.mock import patch

from scalesheet.book import Book
from scalesheet.load import Document
from scalesheet.model import Stated
from scalesheet.resolve import book as resolved
from scalesheet.resolve.drafts import Draft, DraftPlan
from scalesheet.resolve.proving.integers import WHOLE
from scalesheet.units import Unit, Units
from scalesheet.values import Results, Value

DATE = "date"
#: What `with_forecast` adds for actuals, in the unit that it declares.
MADE = frozenset({"at_completion"})


def other_unit(unit: Unit, units: Units, random: Random, *, whole: bool) -> Unit:
    """A unit that measures the same; for `whole` numbers, one in which they stay whole."""
    powers: dict[str, Any] = {}
    for name, power in unit.factors:
        own = units.declared[name]
        others = [
            each.name
            for each in units.declared.values()
            if each.dimension == own.dimension and each.name != DATE
            if not whole or ((own.size / each.size) ** int(power)).denominator == 1
        ]
        chosen = name if name == DATE else random.choice(others)
        powers[chosen] = powers.get(chosen, 0) + power
    return Unit.of(powers)


def times(stated: Stated, factor: float) -> Stated:
    """The same value in a unit that is smaller by `factor`."""
    numbers = {
        key: number * factor
        for key in ("value", "low", "high", "at_least", "at_most")
        if isinstance(number := getattr(stated, key), float)
    }
    return replace(stated, **numbers)


def rewrite(draft: Draft, units: Units, random: Random) -> bool:
    """Write an input in another unit, in place. Returns whether it is written differently."""
    if draft.kind != "number" or draft.unit is None or draft.formulas or not draft.stated:
        return False
    if draft.domain == "fraction" or draft.table in MADE:
        return False
    unit = other_unit(draft.unit, units, random, whole=draft.domain in WHOLE)
    factor = float(units.factor(draft.unit, unit))
    draft.stated = {row: times(each, factor) for row, each in draft.stated.items()}
    changed, draft.unit = unit != draft.unit, unit
    return changed


def inputs_of(plan: DraftPlan) -> Iterator[Draft]:
    yield from plan.scalars.values()
    for table in plan.tables.values():
        yield from table.columns.values()


def resolve_rewritten(documents: Iterable[Document], seed: int | None) -> tuple[Book, int]:
    """The Book with every input of every plan in a random unit, and how many are rewritten: none
    without a seed.
    """
    random, made, count = Random(seed), resolved.plan_of, 0

    def plan_of(*given: Any) -> DraftPlan:
        nonlocal count
        plan = made(*given)
        if seed is not None:
            count += sum(rewrite(each, given[2].units, random) for each in inputs_of(plan))
        return plan

    with patch.object(resolved, "plan_of", plan_of):
        book, problems = resolved.resolve(list(documents))
    assert book is not None, problems
    return book, count


def differences(one: tuple[Book, Results], other: tuple[Book, Results], plan: str) -> Iterator[str]:
    """Yield each value of a plan that is not the same quantity in both books."""
    (book, results), (again, results_again) = one, other
    mine, theirs = book.plans[plan], again.plans[plan]
    for name, scalar in mine.scalars.items():
        factor = _factor(book.units, scalar, theirs.scalars[name])
        yield from _differs(name, results.scalars[name], results_again.scalars[name], factor)
    for name, table in mine.tables.items():
        for key, column in table.columns.items():
            factor = _factor(book.units, column, theirs.tables[name].columns[key])
            pairs = zip(
                table.rows, results.tables[name][key], results_again.tables[name][key], strict=True
            )
            for row, value, again_value in pairs:
                yield from _differs(f"{name}['{row}'].{key}", value, again_value, factor)


def _factor(units: Units, one: Any, other: Any) -> float:
    return 1.0 if one.kind != "number" else float(units.factor(one.unit, other.unit))


#: How far the ends may be apart, for the differences of numbers of about this size.
RELATIVE, OF_DIFFERENCES = 1e-9, 1e-12


def _differs(name: str, one: Value, other: Value, factor: float) -> Iterator[str]:
    for end in ("low", "value", "high"):
        a, b = getattr(one, end), getattr(other, end)
        if isinstance(a, float) and isinstance(b, float):
            same = abs(a * factor - b) <= RELATIVE * max(abs(a * factor), abs(b)) + OF_DIFFERENCES
        else:
            same = a == b
        if not same or one.reason != other.reason:
            yield f"{name}, {end}: {a!r} {one.reason} became {b!r} {other.reason} (x {factor:g})"
            return
