"""Finds inputs that cite a line of an audited document although the line has another value.

An input that has not changed since the audit is compared with the claims bound to it. One that has
is compared with every figure of its dimension on the lines that it cites: it may be derived from
other lines, but not from one that says something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from scalesheet.audit.explain import claim_text
from scalesheet.audit.verdicts import states
from scalesheet.book import Book
from scalesheet.claims import Audit, Claim, Figure, cites
from scalesheet.diagnostics import Diagnostic, at
from scalesheet.model import Column, Key, Plan, Quantity, Scalar, Stated
from scalesheet.resolve.claims.changed import CHANGED, said_by, same, stated_at
from scalesheet.resolve.order import name_of


def cited_lines(book: Book, plan: Plan, audits: Sequence[Audit]) -> Iterator[Diagnostic]:
    """A finding for each input whose value differs from every figure on the lines that it cites."""
    then, bound = book.compared(plan.id), said_by(audits)
    for key, quantity, stated in _inputs(plan):
        cited = stated.citation
        if cited is None or not isinstance(stated.value, float) or _is_told(cited.locator):
            continue
        audit = next((each for each in audits if each.document.key == cited.key), None)
        if audit is None or stated.position is None:
            continue
        was = stated_at(then, key)
        if was is None:
            continue  # an added row has its table's source until it gets its own
        kept = same(was, stated)
        own = [claim for claim, document in bound.get(key, ()) if document == cited.key]
        known = own if kept else audit.claims.values()
        alike = [each for each in known if _alike(book, quantity, each)]
        there = [each for each in alike if cites(cited, cited.key, each.line)] or (
            [] if kept else [each for each in own if _alike(book, quantity, each)]
        )
        figures = [claim.says for claim in there]
        figures += [_around(figures)] if len({each.unit for each in figures}) == 1 else []
        if there and not any(states(stated, f, quantity.unit, book.units) for f in figures):
            says = ", ".join(dict.fromkeys(claim_text(c.says, book.units) for c in there[:3]))
            lines = ", ".join(dict.fromkeys(f"line {c.line}" for c in there[:3]))
            message = (
                f"'{name_of(key)}' cites {cited.locator} of {cited.key}, but {lines} says {says}; "
                "cite where the value is from, or leave out the source"
            )
            yield at(stated.position, "C010", message)


def _around(figures: Sequence[Figure]) -> Figure:
    """The range that contains all figures, since an input may cite several lines."""
    ends = [
        (f.value if f.low is None else f.low, f.value if f.high is None else f.high)
        for f in figures
    ]
    lowest, highest = min(float(low) for low, _ in ends), max(float(high) for _, high in ends)
    return replace(figures[0], value=(lowest + highest) / 2, low=lowest, high=highest, bound=None)


def _inputs(plan: Plan) -> Iterator[tuple[Key, Quantity, Stated]]:
    scalar: Scalar
    for scalar in plan.scalars.values():
        if scalar.stated is not None:
            yield Key(scalar.name), scalar, scalar.stated
    for table in plan.tables.values():
        column: Column
        for column in table.columns.values():
            for row, stated in column.stated.items():
                yield Key(column.name, table.name, row), column, stated


def _is_told(locator: str) -> bool:
    return locator.startswith(CHANGED)


def _alike(book: Book, quantity: Quantity, claim: Claim) -> bool:
    """Whether a figure has the dimension of the quantity."""
    unit = claim.says.unit
    if unit is None or quantity.unit is None or not isinstance(claim.says.value, float):
        return False
    return book.units.compatible(unit, quantity.unit)
