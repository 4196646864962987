"""How sure a plan's headline figures are, as plain text."""

from __future__ import annotations

from scalesheet.book import Book
from scalesheet.model import Plan
from scalesheet.render.text.plan import aligned, amount
from scalesheet.sure.quantiles import LEVELS, Sure
from scalesheet.values import Results, Value

PARTIAL = "one of the ranges behind it is not drawn. This understates the spread: compare low–high"


def sure_text(book: Book, plan: Plan, results: Results, found: Sure) -> str:
    """A line for each figure: its quantiles, the reserve between P50 and P80, and low to high."""
    heads = ["", *(name.upper() for name in LEVELS), "mean", "reserve", "± P80", "low–high"]
    rows = [heads]
    for name, each in found.figures.items():
        scalar = plan.scalars[name]
        numbers = [*each.values.values(), each.reserve, each.errors["p80"]]
        cells = [amount(book, scalar, Value.number(number)) for number in numbers]
        rows.append([name, *cells, amount(book, scalar, results.scalars[name])])
    lines = [
        plan.title,
        f"{found.draws:,} draws of {found.unknowns} uncertain inputs and predictions",
        "P80: 80 of 100 draws are at or below it. Reserve: P80 less P50. ± P80: standard error.",
        "low–high: all ranged inputs at their ends at once, and predictions at theirs",
        "",
    ]
    lines += aligned(rows, numbers=frozenset(range(1, len(heads) - 1)))
    if found.limits:
        lines += ["", "Chance to stay within the limit"]
        chances = [(name, _chance(chance)) for name, chance in found.limits.items()]
        lines += aligned(chances, numbers=frozenset((1,)))
    for name, each in found.figures.items():
        if each.without:
            lines += ["", f"{name}: no value in {_chance(each.without)} of the draws"]
        if name in found.partial:
            lines += ["", f"{name}: {PARTIAL}"]
    lines += [f"\n{name}: left out, no value in any draw" for name in found.left_out]
    return "\n".join(lines) + "\n"


def _chance(chance: float) -> str:
    """Never certain where a draw says otherwise."""
    shown = f"{chance:.1%}"
    if 0 < chance < 1 and shown in ("100.0%", "0.0%"):
        return "more than 99.9%" if chance > 0.5 else "less than 0.1%"
    return shown
