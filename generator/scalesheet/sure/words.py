"""How sure the first figure of a plan is, in one line."""

from __future__ import annotations

from scalesheet.book import Book
from scalesheet.model import Plan
from scalesheet.numbers import format_of, text
from scalesheet.sure.quantiles import Sure
from scalesheet.values import Value


def in_short(book: Book, plan: Plan, found: Sure) -> str:
    """`P80 of Cost 2,250 USD, P50 1,610 USD; within the limit in 98.6 % of cases`; empty where
    nothing is uncertain."""
    name = found.first
    if not name:
        return ""
    scalar, each = plan.scalars[name], found.figures[name]
    symbol = book.units.symbol(scalar.unit) if scalar.unit is not None else ""

    def said(level: str) -> str:
        value = Value.number(each.deserved(level))
        return text(value, format_of(scalar, [value], book.units), symbol)

    limits = "".join(
        f"; {plan.scalars[of].title} within its limit in {100 * chance:.1f} % of cases"
        for of, chance in found.limits.items()
    )
    return f"P80 of {scalar.title} {said('p80')}, P50 {said('p50')}{limits}"
