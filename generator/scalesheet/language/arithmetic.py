"""The language's own arithmetic on floats: one function for each operation, the same on every face.

Spreadsheets are not IEEE: they snap, compare with a tolerance and round on decimal digits. The
rules here are those that a spreadsheet, a browser and Python can all keep, and each printer
writes them out:

- two numbers are equal when ``|a-b| <= EQUAL_WITHIN * (|a|+|b|)``; every other comparison follows;
- `ceil` and `floor` absorb a relative `ROUNDING_SLACK`, so that ``ceil(23.1 / 0.3)`` is 77; they
  never move a whole number, however large;
- `round` is half away from zero, where a number that equals a half but for rounding is one;
- sums of several numbers are exactly rounded.

Nothing raises: where an operation has no value the result is nan, where it is too large for a
float an infinity. Neither is ever a value of the language: `missing` says which reason stands
there instead, and the evaluator and the runtimes stop at it, so that no infinity is compared, or
lost again in `1 / x` or `min`.
The names are those of the language, so `abs`, `min`, `max` and `round` stand before Python's own.
"""

from __future__ import annotations

import builtins
import math
import re
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal

from scalesheet.language.functions import EVERY, FUNCTIONS

__all__ = [
    "ARITHMETIC",
    "EQUAL_WITHIN",
    "LARGEST_STATED",
    "ROUNDING_SLACK",
    "SMALLEST_STATED",
    "abs",
    "at_least",
    "at_most",
    "ceil",
    "decimal",
    "differ",
    "divide",
    "equal",
    "exp",
    "first_at",
    "fixed",
    "floor",
    "greater",
    "in_bounds",
    "less",
    "ln",
    "log10",
    "max",
    "mean",
    "min",
    "missing",
    "power",
    "round",
    "sqrt",
    "stated",
    "total",
    "workday",
    "working_days",
]

EQUAL_WITHIN = 2.0**-49
ROUNDING_SLACK = 1e-12
_FLOAT_DIGITS = 17  # as many as tell any float from the next

#: Every number that somebody states is 0, or its size is between these: a literal, a value in a
#: file, an edit. No figure comes near them, and it takes a product of four to overflow.
SMALLEST_STATED, LARGEST_STATED = 1e-100, 1e100

#: The first Monday and the last day of the calendar of spreadsheets, whose day 0 is 1899-12-30.
MONDAY, LAST_DAY = 2, 2_958_465
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

NOT_A_NUMBER = "is not a number"
_DECIMAL = re.compile(r"[-+]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?")

#: Reasons that the arithmetic gives in place of a number.
DIVISION = "division by zero"
POWER = "a power that has no value"
TOO_LARGE = "too large to be a number"
#: Reasons that it gives, and the code of the diagnostic when shipped data meet them.
ARITHMETIC = {
    DIVISION: "V003",
    **{each.undefined: "V004" for each in EVERY.values() if each.undefined},
    POWER: "V004",
    TOO_LARGE: "V006",
}
_WITHOUT_VALUE = {
    "/": DIVISION,
    "**": POWER,
    **{name: function.undefined for name, function in FUNCTIONS.items() if function.undefined},
}

#: The constants by the names that they have in a workbook.
CONSTANTS = {"equal_within": EQUAL_WITHIN, "rounding_slack": ROUNDING_SLACK}


def stated(text: str) -> float:
    """The number that a text of digits states. Raises ValueError with what is wrong and what to do
    where it is none, or beyond the bounds of stated numbers.
    """
    if not _DECIMAL.fullmatch(text):
        raise ValueError(NOT_A_NUMBER)
    number = float(text.replace("_", ""))
    nothing = number == 0 and re.search("[1-9]", re.split("[eE]", text)[0]) is not None
    return in_bounds(0.5 * SMALLEST_STATED if nothing else number)


def decimal(text: str) -> float:
    """The number that a text of the digits 0-9 is, bounded or not. Raises ValueError for any other
    text, and where the number is not finite.
    """
    number = float(text.replace("_", "")) if _DECIMAL.fullmatch(text) else math.nan
    if not math.isfinite(number):
        raise ValueError(NOT_A_NUMBER)
    return number


def in_bounds(number: float) -> float:
    """A number that somebody states. Raises ValueError where it is not finite, or out of bounds."""
    if number != number:
        raise ValueError(NOT_A_NUMBER)
    if math.fabs(number) > LARGEST_STATED:
        raise ValueError("is larger than 1e100; write it in a larger unit")
    if number and math.fabs(number) < SMALLEST_STATED:
        raise ValueError("is smaller than 1e-100; write 0, or use a smaller unit")
    return number


def missing(operation: str, result: float) -> str:
    """The reason in place of a result that is not finite, of an operator or function on numbers."""
    return _WITHOUT_VALUE.get(operation, TOO_LARGE) if math.isnan(result) else TOO_LARGE


def _within(a: float, b: float) -> float:
    return EQUAL_WITHIN * (math.fabs(a) + math.fabs(b))


def equal(a: float, b: float) -> bool:
    """Whether a and b are the same number but for rounding."""
    return math.fabs(a - b) <= _within(a, b)


def differ(a: float, b: float) -> bool:
    """The opposite of `equal`."""
    return math.fabs(a - b) > _within(a, b)


def less(a: float, b: float) -> bool:
    """Whether a is below b by more than rounding."""
    return a - b < -_within(a, b)


def at_most(a: float, b: float) -> bool:
    """Whether a is below or equal to b."""
    return a - b <= _within(a, b)


def greater(a: float, b: float) -> bool:
    """Whether a is above b by more than rounding."""
    return a - b > _within(a, b)


def at_least(a: float, b: float) -> bool:
    """Whether a is above or equal to b."""
    return a - b >= -_within(a, b)


def floor(x: float) -> float:
    """The greatest whole number up to x, or x's own if it lies within the slack below one."""
    if not math.isfinite(x):
        return math.nan
    return float(builtins.min(math.ceil(x), math.floor(x + math.fabs(x) * ROUNDING_SLACK)))


def ceil(x: float) -> float:
    """The least whole number from x, or x's own if it lies within the slack above one."""
    if not math.isfinite(x):
        return math.nan
    return float(builtins.max(math.floor(x), -math.floor(-(x - math.fabs(x) * ROUNDING_SLACK))))


def working_days(week: str) -> list[int]:
    """The days of a week such as `sun-thu`, from its first to its last one, in the order of the
    calendar; 0 is Monday. Raises ValueError for another text.
    """
    first, last = map(WEEKDAYS.index, week.split("-"))
    return sorted((first + each) % 7 for each in range((last - first) % 7 + 1))


def workday(day: float, count: float, *rest: Iterable[float] | str) -> float:
    """The count-th day, 1 or more, that is worked on from a day on, in the week that is stated,
    Monday to Friday otherwise, and none of the days off. Days are counted as spreadsheets count
    them, and beyond their calendar there is none.
    """
    if not (math.isfinite(day) and math.isfinite(count)):
        return math.nan
    start, more = math.floor(day), builtins.max(1, math.floor(count))
    if start < 1 or more > LAST_DAY:
        return math.inf
    worked = working_days(next((each for each in rest if isinstance(each, str)), "mon-fri"))
    columns = [each for each in rest if not isinstance(each, str)]
    off = {math.floor(one) for each in columns for one in each if math.isfinite(one)}

    def day_of(ahead: int) -> int:
        week, place = divmod(ahead, len(worked))
        return MONDAY + 7 * week + worked[place]

    week, weekday = divmod(start - MONDAY, 7)
    before = builtins.sum(each < weekday for each in worked)
    ahead = len(worked) * week + before + more - 1  # working days since that Monday
    for each in sorted(off):
        if start <= each <= day_of(ahead) and (each - MONDAY) % 7 in worked:
            ahead += 1
    found = day_of(ahead)
    return float(found) if found <= LAST_DAY else math.inf


def round(x: float, decimals: int = 0) -> float:
    """x to so many decimals (negative: tens, hundreds), half away from zero.

    A number within `EQUAL_WITHIN` below a half counts as the half: ``round(2.675, 2)`` is 2.68,
    though the float is a little less. Where 15 digits or more would stay there is no such doubt.
    """
    if not math.isfinite(x):
        return math.nan
    size = math.fabs(x)
    stay = Decimal(size).adjusted() + 1 + decimals
    if x == 0 or stay > _FLOAT_DIGITS:
        return x
    exact = Decimal(size if stay >= 15 else size + size * EQUAL_WITHIN)
    nearest = exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    return math.copysign(float(nearest), x) if nearest else 0.0


def fixed(x: float, decimals: int = 0) -> str:
    """A rounded number as text: so many decimals, no thousands apart, 15 digits at most."""
    if not math.isfinite(x):
        return ""
    exact = Decimal(math.fabs(x))
    if exact:
        exact = exact.quantize(Decimal(1).scaleb(exact.adjusted() - 14), ROUND_HALF_UP)
    text = f"{exact:.{decimals}f}"
    return f"-{text}" if x < 0 and text.strip("0.") else text


def power(base: float, exponent: float) -> float:
    """base to the exponent; nan for 0**0, for 0 to a negative and for broken roots of negatives."""
    if base == 0 and exponent <= 0:
        return math.nan
    try:
        return math.pow(base, exponent)
    except ValueError:
        return math.nan
    except OverflowError:
        return -math.inf if base < 0 and exponent % 2 == 1 else math.inf


def divide(a: float, b: float) -> float:
    """a / b; nan where b is 0."""
    return a / b if b else math.nan


def sqrt(x: float) -> float:
    """The square root; nan below 0."""
    return math.sqrt(x) if x >= 0 else math.nan


def exp(x: float) -> float:
    """e to the x."""
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def ln(x: float) -> float:
    """The natural logarithm; nan from 0 down."""
    return math.log(x) if x > 0 else math.nan


def log10(x: float) -> float:
    """The logarithm to base 10; nan from 0 down."""
    return math.log10(x) if x > 0 else math.nan


def abs(x: float) -> float:
    """x without its sign."""
    return math.fabs(x)


def total(values: Iterable[float]) -> float:
    """The sum, rounded once; 0 of nothing."""
    numbers = list(values)
    try:
        return math.fsum(numbers)
    except (OverflowError, ValueError):
        return sum(numbers)


def mean(values: Iterable[float]) -> float:
    """The sum over the count; nan of nothing."""
    numbers = list(values)
    return total(numbers) / len(numbers) if numbers else math.nan


def min(*values: float) -> float:
    """The least of the numbers; nan if there is none, or if one is nan."""
    return _pick(values, builtins.min)


def max(*values: float) -> float:
    """The greatest of the numbers; nan if there is none, or if one is nan."""
    return _pick(values, builtins.max)


def _pick(values: Sequence[float], pick: Callable[[Sequence[float]], float]) -> float:
    if not values or any(value != value for value in values):
        return math.nan
    return float(pick(values))


def first_at(values: Sequence[float], wanted: float) -> int:
    """The place of the first number that is `equal` to the one wanted; -1 if there is none.

    What argmin and argmax look up, as a spreadsheet's MATCH does.
    """
    return next((at for at, value in enumerate(values) if equal(value, wanted)), -1)
