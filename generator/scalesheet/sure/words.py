"""Describes how certain a plan is in words: a chance, and its first figure in one line."""

from __future__ import annotations

from scalesheet.book import Book
from scalesheet.model import Plan
from scalesheet.numbers import format_of, text
from scalesheet.sure.quantiles import Sure
from scalesheet.values import Value


def in_short(book: Book, plan: Plan, found: Sure) -> str:
    """`P80 of Cost 2,250 USD, P50 1,610 USD; within the limit in 98.6 % of cases`; empty if nothing
    is uncertain.
    """
    name = found.first
    if not name:
        return ""
    scalar, each = plan.scalars[name], found.figures[name]
    symbol = book.units.symbol(scalar.unit) if scalar.unit is not None else ""

    def said(level: str) -> str:
        value = Value.number(each.deserved(level))
        return text(value, format_of(scalar, [value], book.units), symbol)

    limits = "".join(
        f"; {plan.scalars[of].title} within its limit in {chance(share)} of cases"
        for of, share in found.limits.items()
    )
    return f"P80 of {scalar.title} {said('p80')}, P50 {said('p50')}{limits}"


def percent(share: float, decimals: int = 0) -> str:
    return f"{100 * share:.{decimals}f} %"


def chance(share: float) -> str:
    """A chance in percent; 0 or 100 %, without decimals, only if all draws agree."""
    if share in (0, 1):
        return percent(share)
    shown = percent(share, 1)
    if shown in ("100.0 %", "0.0 %"):
        return "more than 99.9 %" if share > 0.5 else "less than 0.1 %"
    return shown
