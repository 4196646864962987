"""How sure a plan's headline figures are, as plain text."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.book import Book
from scalesheet.model import Plan
from scalesheet.render.sureness import called, chance, hundred
from scalesheet.render.text.plan import aligned, amount
from scalesheet.sure.quantiles import LEVELS, Quantiles, Sure
from scalesheet.values import Results, Value

PARTIAL = "one of the ranges behind it is not drawn. This understates the spread: compare low–high"
SHOWN = 5  # what to find out first


def sure_text(book: Book, plan: Plan, results: Results, found: Sure) -> str:
    """A line for each figure: its quantiles, the reserve between P50 and P80, and low to high."""
    heads = ["", *(name.upper() for name in LEVELS), "mean", "reserve", "± P80", "low–high"]
    rows = [heads]
    for name, each in found.figures.items():
        scalar = plan.scalars[name]
        numbers = [*map(each.deserved, each.values), _reserve(each), each.errors["p80"]]
        cells = [amount(book, scalar, Value.number(number)) for number in numbers]
        rows.append([name, *cells, amount(book, scalar, results.scalars[name])])
    falls = ", ".join(name for name, each in found.figures.items() if each.falls)
    lines = [
        plan.title,
        f"{found.draws:,} draws of {len(found.unknowns)} uncertain inputs and predictions",
        "P80: 80 of 100 draws are at or below it"
        + (f", of {falls} at or above it." if falls else ".")
        + " Reserve: P80 less P50. ± P80: standard error.",
        "low–high: all ranged inputs at their ends at once, and predictions at theirs",
        "",
    ]
    lines += aligned(rows, numbers=frozenset(range(1, len(heads) - 1)))
    if found.limits:
        lines += ["", "Chance to stay within the limit"]
        chances = [(name, chance(share)) for name, share in found.limits.items()]
        lines += aligned(chances, numbers=frozenset((1,)))
    for one in found.contingencies:
        title = plan.scalars[one.on].title
        lines += [
            "",
            f"Contingency {one.name}: {one.share:.0%} on {title} covers {hundred(one.covers)} "
            f"programs of 100; {max(one.needed, 0):.0%} covers 80",
        ]
    lines += _to_find_out(book, plan, found)
    for name, each in found.figures.items():
        if each.without:
            lines += ["", f"{name}: no value in {chance(each.without)} of the draws"]
        if name in found.partial:
            lines += ["", f"{name}: {PARTIAL}"]
    lines += [f"\n{name}: left out, no value in any draw" for name in found.left_out]
    return "\n".join(lines) + "\n"


def _reserve(each: Quantiles) -> float:
    return abs(each.deserved("p80") - each.deserved("p50"))


def _to_find_out(book: Book, plan: Plan, found: Sure) -> Iterator[str]:
    """What makes the reserve, and how much of it goes once that is known."""
    if not found.first:
        return
    figure, scalar = found.figures[found.first], plan.scalars[found.first]
    rows = [["", "of the reserve", "known, it goes down by", "which is worth", "found by"]]
    for each in figure.causes[:SHOWN]:
        worth = amount(book, scalar, Value.number(each.saves * figure.reserve))
        one = each.unknown
        rows.append(
            [called(one), f"{each.share:.0%}", f"{each.saves:.0%}", worth, one.found_by or "-"]
        )
    yield from ("", f"What to find out first: the reserve of {found.first}")
    yield from aligned(rows, numbers=frozenset((1, 2, 3)))
