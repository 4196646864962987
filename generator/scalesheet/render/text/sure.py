"""Quantiles of a plan's headline figures as plain text."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.book import Book
from scalesheet.model import Plan
from scalesheet.render.sureness import amount_of, cause_rows, drawn_from, quantile_rows, summary
from scalesheet.render.text.plan import aligned, amount
from scalesheet.sure.quantiles import LEVELS, Sure
from scalesheet.sure.words import chance
from scalesheet.values import Results

PARTIAL = (
    "one of the ranges behind it is not drawn, so the spread is understated: compare the outer "
    "bound"
)


def sure_text(
    book: Book, plan: Plan, results: Results, found: Sure, was: Sure | None = None
) -> str:
    """A line for each figure: its quantiles, the reserve from P50 to P80, and its range.

    `was`: the plan as published, if its inputs were changed.
    """
    levels = (name.upper() for name in LEVELS)
    heads = ["", *levels, "mean", "reserve", "error of P80", "outer bound"]
    rows = [heads]
    for row in quantile_rows(book, plan, results, found):
        numbers = (*row.quantiles, row.reserve, row.error)
        cells = [f"{number} {row.symbol}".rstrip() for number in numbers]
        shown = amount(book, plan.scalars[row.name], results.scalars[row.name])
        rows.append([row.name, *cells, shown])
    falls = ", ".join(name for name, each in found.figures.items() if each.falls)
    lines = [
        plan.title,
        drawn_from(found),
        "P80: 80 of 100 draws are at or below it"
        + (f", of {falls} at or above it." if falls else ".")
        + " Reserve: P80 minus P50.",
        "Outer bound: every range at its low end at once, and every range at its high end",
        "",
    ]
    lines += aligned(rows, numbers=frozenset(range(1, len(heads) - 1)))
    if said := list(summary(book, plan, results, found)):
        lines += ["", *said]
    if was is not None and was.first == found.first and found.first:
        before, now = (
            amount_of(book, plan, one.first, one.figures[one.first].reserve) for one in (was, found)
        )
        lines += [f"Reserve with these inputs: {now}; as published: {before}."]
    lines += _to_measure(book, plan, found)
    for name, each in found.figures.items():
        if each.without:
            lines += ["", f"{name}: no value in {chance(each.without)} of the draws"]
        if name in found.partial:
            lines += ["", f"{name}: {PARTIAL}"]
    lines += [f"\n{name}: left out, no value in any draw" for name in found.left_out]
    return "\n".join(lines) + "\n"


def _to_measure(book: Book, plan: Plan, found: Sure) -> Iterator[str]:
    """The causes of the reserve, and how much each would shrink it if measured."""
    if not found.first:
        return
    rows = [("", "alone", "with others", "knowing it cuts", "worth", "found by")]
    for each in cause_rows(book, plan, found, found.first):
        numbers = (each.share, each.total, each.saves, each.worth)
        rows.append((each.title, *numbers, each.found_by or "-"))
    yield from ("", f"What to measure first: the reserve of {found.first}")
    yield "Alone, with others: share of the variance (first-order and total Sobol index)"
    yield from aligned(rows, numbers=frozenset((1, 2, 3, 4)))
