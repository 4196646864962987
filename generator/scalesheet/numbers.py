"""How quantities print: digits, unit, range and reason, by one rule for every output.

`format_of` decides once for a quantity (a column has one format), from the plan's `show:`, or else
from unit and magnitude: stated numbers keep their digits, money of 100 and above and counted things
have no decimals, hours have one, and everything else has three significant digits. Rounding
is half away from zero on 15 digits, as in spreadsheets.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Literal

from scalesheet.frozen import dataclass
from scalesheet.language.arithmetic import LAST_DAY
from scalesheet.model import Column, Quantity, Scalar
from scalesheet.quantities import DATE, day_text
from scalesheet.units import Unit, Units, beside
from scalesheet.values import Value

MOST_DECIMALS = 9  # of a stated number; numbers with more get an exponent
MOST_DERIVED_DECIMALS = 6
SIGNIFICANT = 3
WIDE = Context(prec=400)  # enough for the largest float with any number of decimals
LARGE, SMALL = 1e15, 1e-3  # beyond, numbers get an exponent unless their stated form is short


@dataclass(frozen=True, slots=True)
class Format:
    """Decimals (of the percentage, of the mantissa), and decorations.

    Each number of a column keeps at least `least` decimals even if they are zeros; by default all.
    A spreadsheet has one format for a column, and pads it.
    """

    decimals: int = 0
    percent: bool = False
    approximate: bool = False
    scientific: bool = False
    least: int | None = None
    date: bool = False


#: Classes of units and domains with their own rule for digits.
Sort = Literal["", "money", "price", "whole", "counted", "hours", "date"]


@dataclass(frozen=True, slots=True)
class Rule:
    """The part of a quantity's format that does not depend on its values."""

    decimals: int | None = None
    digits: int | None = None
    percent: bool = False
    approximate: bool = False
    stated: bool = False
    sort: Sort = ""


def format_of(quantity: Quantity, values: Iterable[Value], units: Units) -> Format:
    """The format of a scalar or of a whole column, from all the values it has."""
    return format_by(rule_of(quantity, units), values)


def rule_of(quantity: Quantity, units: Units) -> Rule:
    """The part of a quantity's format that stays when its values change."""
    show = quantity.show
    return Rule(
        show.decimals,
        show.digits,
        show.percent,
        show.approximate,
        is_stated(quantity),
        _sort(quantity, units),
    )


def format_by(rule: Rule, values: Iterable[Value]) -> Format:
    """Apply a rule to values. A page's script does the same (`numbers.js`)."""
    if rule.sort == "date":
        return Format(date=True)
    numbers = _magnitudes(values)
    if rule.percent:
        numbers = [n * 100 for n in numbers]
    if rule.decimals is not None:
        return Format(rule.decimals, rule.percent, rule.approximate)
    if rule.digits is not None:
        decimals = max(0, _decimals_for(numbers, rule.digits))
        return Format(decimals, rule.percent, rule.approximate)
    if not rule.percent and _needs_exponent(numbers, rule.stated):
        return Format(2 if not rule.stated else _mantissa(numbers), False, rule.approximate, True)
    return Format(_by_sort(rule, numbers), rule.percent, rule.approximate, least=_least(rule))


def _least(rule: Rule) -> int | None:
    """The decimals that every number keeps; None for all of them.

    Stated numbers keep their own digits, but a stated price has at least its cents.
    """
    if not rule.stated or rule.sort == "money":
        return None
    return 2 if rule.sort == "price" else 0


def is_stated(quantity: Quantity) -> bool:
    """Return whether every number of it is stated rather than computed."""
    match quantity:
        case Scalar():
            return quantity.formula is None
        case Column():
            return quantity.formula is None and not quantity.own
    return False


def _sort(quantity: Quantity, units: Units) -> Sort:
    unit = quantity.unit
    if unit == DATE:
        return "date"
    if unit is not None and (currency := _currency(unit, units)) is not None:
        return "money" if currency == unit else "price"
    if quantity.domain in ("whole", "count"):
        return "whole"
    if unit is None:
        return ""
    if _counted(unit, units):
        return "counted"
    return "hours" if any(n == "hour" and p > 0 for n, p in unit.factors) else ""


def _by_sort(rule: Rule, numbers: list[Decimal]) -> int:
    needed = max((_needed(n) for n in numbers), default=0)
    largest = max(numbers, default=Decimal(0))
    if rule.sort == "money":
        return 0 if largest >= 100 or needed == 0 else 2
    if rule.sort == "price":
        if needed > 4:
            return min(4, max(2, _decimals_for(numbers, SIGNIFICANT)))
        return max(2, needed)
    if rule.stated:
        return min(needed, MOST_DECIMALS)
    if rule.sort == "whole" or (rule.sort == "counted" and largest >= 10):
        return 0
    significant = min(needed, max(0, _decimals_for(numbers, SIGNIFICANT)))
    if rule.sort == "hours":
        usual = 0 if largest >= 1000 else 1 if largest >= 1 else significant
        return min(needed, max(usual, _one_digit_of_least(numbers, usual + 2)))
    least = _one_digit_of_least(numbers, significant + 2)
    return min(needed, MOST_DERIVED_DECIMALS, max(significant, least))


def _magnitudes(values: Iterable[Value]) -> list[Decimal]:
    """Absolute values of all numbers and ends, without zeros and duplicates."""
    result: set[float] = set()
    for value in values:
        for number in (value.value, value.low, value.high):
            if isinstance(number, float | int) and not isinstance(number, bool):
                result.add(abs(float(number)))
    result.discard(0.0)
    return [_decimal(number) for number in sorted(result) if math.isfinite(number)]


def _decimal(number: float | Decimal) -> Decimal:
    """The number rounded to the 15 digits that a spreadsheet shows."""
    return number if isinstance(number, Decimal) else Decimal(f"{number:.15g}")


def _needed(number: Decimal) -> int:
    """Decimals that show the number exactly."""
    exponent = number.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _decimals_for(numbers: list[Decimal], digits: int) -> int:
    """Decimals at which the largest number has this many significant digits."""
    if not numbers:
        return 0
    largest = max(numbers)
    shown = largest.normalize().as_tuple().digits
    carries = set(shown[:digits]) == {9} and shown[digits : digits + 1] >= (5,)
    return digits - 1 - largest.adjusted() - carries  # 0.9996 prints as 1.00


def _one_digit_of_least(numbers: list[Decimal], most: int) -> int:
    """Decimals at which the smallest number does not print as 0, up to `most`."""
    decimals = -min(numbers).adjusted() if numbers else 0
    return max(0, min(decimals, most))


def _needs_exponent(numbers: list[Decimal], stated: bool) -> bool:
    if not numbers:
        return False
    largest = max(numbers)
    if largest >= LARGE:
        return True
    return largest < Decimal(str(SMALL)) and (not stated or max(map(_needed, numbers)) > 4)


def _mantissa(numbers: list[Decimal]) -> int:
    digits = max(len(n.normalize().as_tuple().digits) for n in numbers)
    return min(digits - 1, MOST_DERIVED_DECIMALS)


def _currency(unit: Unit, units: Units) -> Unit | None:
    """The currency in a unit (`USD` of `USD / (GPU * hour)`), if it is in the numerator."""
    money = [
        (name, power)
        for name, power in unit.factors
        if power == 1 and units.declared[name].dimension == "currency"
    ]
    return Unit(tuple(money)) if len(money) == 1 else None


def _counted(unit: Unit, units: Units) -> bool:
    """Return whether the unit consists of counted things: `step`, `token / step`."""
    return not unit.pure and all(units.declared[name].counted for name, _ in unit.factors)


# ------------------------------------------------------------------ text


def number(value: float, fmt: Format) -> str:
    """`1,234.5`, `35%`, `~342`, `3.12e21`."""
    if fmt.date and 0 <= value < LAST_DAY:
        return day_text(value)
    sign, shown = "-" if value < 0 else "", abs(value)
    mark = "~" if fmt.approximate else ""
    if fmt.scientific:
        mantissa, exponent = _scientific(shown, fmt.decimals)
        return f"{mark}{sign}{mantissa}e{exponent}"
    exact = _decimal(shown) * (100 if fmt.percent else 1)
    body = f"{exact.quantize(Decimal(1).scaleb(-fmt.decimals), ROUND_HALF_UP, WIDE):,f}"
    for _ in range(0 if fmt.least is None else fmt.decimals - fmt.least):
        body = body.removesuffix("0")
    body = body.removesuffix(".")
    if not any(c in "123456789" for c in body):
        sign = ""
    return f"{mark}{sign}{body}{'%' if fmt.percent else ''}"


def _scientific(value: float, decimals: int) -> tuple[str, int]:
    exact = _decimal(value)
    if not exact:
        return f"{Decimal(0):.{decimals}f}", 0
    exponent = exact.adjusted()
    step = Decimal(1).scaleb(-decimals)
    mantissa = exact.scaleb(-exponent).quantize(step, ROUND_HALF_UP)
    if mantissa >= 10:
        exponent += 1
        mantissa = exact.scaleb(-exponent).quantize(step, ROUND_HALF_UP)
    return f"{mantissa:f}", exponent


def span(low: float, high: float, fmt: Format) -> str:
    """`326–380`; with a negative end `-3 to 5`."""
    plain = replace(fmt, approximate=False)
    first, last = number(low, plain), number(high, plain)
    if low < 0 or high < 0 or fmt.date:
        return f"{first} to {last}"
    return f"{first.removesuffix('%')}–{last}"


def plain(value: Value, fmt: Format) -> str:
    """The expected value without unit: number, word, `yes`, `no`, reason, or empty."""
    if value.reason is not None:
        return value.reason
    match value.value:
        case None:
            return ""
        case bool(flag):
            return "yes" if flag else "no"
        case str(word):
            return word
        case float() | int() as shown:
            return number(float(shown), fmt)


def text(value: Value, fmt: Format, unit_symbol: str = "") -> str:
    """With range and unit: `342 GPU·h`, `342 [326–380] GPU·h`, `fits`, `n/a`."""
    if value.reason is not None or isinstance(value.value, bool | str | None):
        return plain(value, fmt)
    shown = plain(value, fmt)
    if value.ranged and value.low is not None and value.high is not None:
        ends = span(value.low, value.high, fmt)
        first, last = number(value.low, fmt), number(value.high, fmt)
        if not first == last == shown:
            shown = f"{shown} [{ends}]"
    return beside(shown, unit_symbol)


def excel_format(fmt: Format) -> str:
    """The equivalent number format of a spreadsheet: `#,##0.0`, `0.0%`, `"~"#,##0`."""
    if fmt.date:
        return "yyyy-mm-dd"
    digits = "." + "0" * fmt.decimals if fmt.decimals else ""
    if fmt.scientific:
        body = f"0{digits}E+0"
    elif fmt.percent:
        body = f"#,##0{digits}%"
    else:
        body = f"#,##0{digits}"
    return f'"~"{body}' if fmt.approximate else body
