"""Uncertainty of results: the words, rows and charts that all outputs share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import floor, isfinite, log10

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.model import Plan, Scalar
from scalesheet.numbers import Format, format_of, text
from scalesheet.quantities import DATE
from scalesheet.sure.draws import Unknown
from scalesheet.sure.quantiles import LEVELS, Quantiles, Sure
from scalesheet.sure.words import chance, percent
from scalesheet.values import Results, Value

MEMBERS = 2  # members of a group named before "and N more"
SHOWN = 5  # causes listed for a reserve
NAMES = (*LEVELS, "mean")


@dataclass(frozen=True, slots=True)
class QuantileRow:
    """One figure as text, in its unit `symbol`.

    `quantiles` are P10, P50, P80, P90 and the mean, with as many digits as their errors justify;
    `error` is that of P80.
    """

    name: str
    title: str
    symbol: str
    quantiles: tuple[str, ...]
    reserve: str
    error: str
    expected: str


@dataclass(frozen=True, slots=True)
class CauseRow:
    """The effect of one unknown on a reserve, as text; `worth` has its unit.

    `share` and `total` are shares of the variance: by itself, and including interactions with
    others.
    """

    title: str
    share: str
    total: str
    saves: str
    worth: str
    found_by: str


@dataclass(frozen=True, slots=True)
class QuantileBar:
    """A figure's P10, P50, P80, P90 and range, in percent of its expected value."""

    label: str
    text: str
    quantiles: tuple[float, ...]
    ends: tuple[float, float]


@dataclass(frozen=True, slots=True)
class QuantileBars:
    """The data of `live/quantile_bars.js`."""

    id: str
    title: str
    axis: str
    rows: tuple[QuantileBar, ...]


def quantile_rows(book: Book, plan: Plan, results: Results, found: Sure) -> list[QuantileRow]:
    """A row for each headline figure that has a number, in the order of the headline."""
    return [_row(book, plan, results, name, each) for name, each in found.figures.items()]


def _row(book: Book, plan: Plan, results: Results, name: str, each: Quantiles) -> QuantileRow:
    scalar, expected = plan.scalars[name], results.scalars[name]
    numbers = [each.deserved(level) for level in NAMES]
    reserve = abs(each.deserved("p80") - each.deserved("p50"))
    fmt = format_of(scalar, [expected], book.units)
    quantiles = tuple(text(Value.number(number), fmt) for number in numbers)
    if scalar.unit == DATE:
        held, error = (amount_of(book, plan, name, x) for x in (reserve, each.errors["p80"]))
    else:
        held = text(Value.number(reserve), fmt)
        error = text(Value.number(each.errors["p80"]), _at_least_a_digit(fmt, each.errors["p80"]))
    symbol = book.units.symbol(scalar.unit) if scalar.unit is not None else ""
    value = expected.value
    only = text(Value.number(value) if isinstance(value, float) else expected, fmt)
    return QuantileRow(name, scalar.title, symbol, quantiles, held, error, only)


def difference(book: Book, quantity: Scalar) -> Scalar:
    """What the difference of two values of a quantity is: days, if they are dates."""
    if quantity.unit != DATE:
        return quantity
    return replace(quantity, unit=book.units.parse("day"))


def _at_least_a_digit(fmt: Format, error: float) -> Format:
    """Add decimals until the error has at least one digit."""
    shown = 100 * error if fmt.percent else error
    if fmt.scientific or not shown > 0:
        return fmt
    return replace(fmt, decimals=max(fmt.decimals, -floor(log10(shown))))


def cause_rows(book: Book, plan: Plan, found: Sure, name: str) -> list[CauseRow]:
    """The causes of a figure's reserve, the largest saving first."""
    each = found.figures[name]
    return [
        CauseRow(
            called(one.unknown),
            percent(one.share),
            percent(one.total),
            percent(one.saves),
            amount_of(book, plan, name, one.saves * each.reserve),
            one.unknown.found_by,
        )
        for one in each.causes[:SHOWN]
    ]


def amount_of(book: Book, plan: Plan, name: str, number: float) -> str:
    """Print a difference of two values of a figure with its unit."""
    scalar, value = difference(book, plan.scalars[name]), Value.number(number)
    symbol = book.units.symbol(scalar.unit) if scalar.unit is not None else ""
    return text(value, format_of(scalar, [value], book.units), symbol)


def quantile_bars(book: Book, plan: Plan, results: Results, found: Sure) -> QuantileBars | None:
    """Chart the plan's uncertain figures; None if none is above 0."""
    rows = []
    for row in quantile_rows(book, plan, results, found):
        each, value = found.figures[row.name], results.scalars[row.name]
        expected = value.value
        if not isinstance(expected, float) or expected <= 0 or each.falls or not each.reserve:
            continue
        ends = (expected if end is None else end for end in (value.low, value.high))
        low, high = (100 * end / expected for end in ends)
        p80 = f"P50 {row.quantiles[1]}, P80 {row.quantiles[2]} {row.symbol}".rstrip()
        quantiles = tuple(100 * each.values[level] / expected for level in LEVELS)
        rows.append(QuantileBar(row.title, p80, quantiles, (low, high)))
    title = "How likely each figure is"
    return (
        QuantileBars("quantiles", title, "% of the expected value", tuple(rows)) if rows else None
    )


def summary(book: Book, plan: Plan, results: Results, found: Sure) -> Iterator[str]:
    """Yield a sentence each on what to budget, what the plan's figures cover and what to measure
    first."""
    name, narrowed = found.first, ""
    if found.narrowed:
        amounts = found.before, found.figures[found.narrowed].reserve
        was, now = (amount_of(book, plan, found.narrowed, held) for held in amounts)
        narrowed = f"Measured: {some(found.measured)}. The reserve was {was} before, and is {now}."
    if not name:
        yield from [f"No figure shown is uncertain. {narrowed}"] if narrowed else []
        return
    each = found.figures[name]
    (row,) = (one for one in quantile_rows(book, plan, results, found) if one.name == name)
    unit = f" {row.symbol}" if row.symbol else ""
    yield (
        f"{row.title}: {row.quantiles[2]}{unit} is enough in 80 of 100 cases, and the expected "
        f"{row.expected}{unit} in {hundred(each.expected)}."
    )
    if isfinite(found.as_needed):
        yield (
            f"Both hold the contingency in full; spent only as needed, {row.expected}{unit} is "
            f"enough in {hundred(found.as_needed)}."
        )
    for title, chance_ in limits(plan, found):
        yield f"The chance to stay within the limit on {title} is {chance_}."
    yield from contingencies(plan, found)
    if narrowed:
        yield narrowed
    first = cause_rows(book, plan, found, name)[0]
    how = f" ({first.found_by})" if first.found_by else ""
    yield (
        f"Measure first: {first.title}{how}. That would cut the reserve by {first.saves} "
        f"({first.worth})."
    )


def limits(plan: Plan, found: Sure) -> list[tuple[str, str]]:
    """The title of each figure with a limit, and the chance of staying within it."""
    return [(plan.scalars[name].title, chance(share)) for name, share in found.limits.items()]


def contingencies(plan: Plan, found: Sure) -> Iterator[str]:
    """Say how much each contingency of the plan covers."""
    for each in found.contingencies:
        yield (
            f"{plan.scalars[each.name].title}: {percent(each.share)} on "
            f"{plan.scalars[each.on].title} covers {hundred(each.covers)} of 100 simulated "
            f"programs; {percent(max(each.needed, 0))} covers 80."
        )


def drawn_from(found: Sure) -> str:
    """`10,000 draws of 12 uncertain inputs and predictions`."""
    count = len(found.unknowns)
    what = "uncertain input or prediction" if count == 1 else "uncertain inputs and predictions"
    return f"{found.draws:,} draws of {count} {what}"


def called(unknown: Unknown) -> str:
    """The name of an unknown: its first members, or the first figure that a prediction gives."""
    if unknown.made:
        return f"{unknown.titles[0]} (predicted)"
    return some(tuple(dict.fromkeys(unknown.titles)))


def some(titles: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and 2 more`: the first titles, and how many more there are."""
    if len(titles) <= MEMBERS:
        return " and ".join(titles)
    return f"{', '.join(titles[:MEMBERS])} and {len(titles) - MEMBERS} more"


def hundred(share: float) -> str:
    """A share as a count out of 100."""
    count = round(100 * share)
    if count in (0, 100) and 0 < share < 1:
        return "more than 99" if count else "less than 1"
    return str(count)
