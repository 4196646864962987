"""The language's own arithmetic on floats: one function per operation, the same in every output.

Spreadsheets are not IEEE: they snap, compare with a tolerance and round on decimal digits. The
rules here are those that a spreadsheet, a browser and Python can all follow, and each printer
writes them out:

- two numbers are equal when ``|a-b| <= EQUAL_WITHIN * (|a|+|b|)``; every other comparison follows;
- `ceil` and `floor` absorb a relative `ROUNDING_SLACK`, so that ``ceil(23.1 / 0.3)`` is 77; they
  never move a whole number, however large;
- `round` rounds half away from zero, and a number counts as a half if it equals one up to
  rounding;
- sums of several numbers are exactly rounded.

Nothing raises: an operation without a value returns nan, and one whose result is too large for a
float returns an infinity. Neither is ever a value of the language: `missing` gives the reason that
replaces it, and the evaluator and the runtimes stop there, so that no infinity is compared, or
disappears in `1 / x` or `min`.
The names are those of the language, so `abs`, `min`, `max` and `round` shadow the built-in ones.
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
_FLOAT_DIGITS = 17  # enough to distinguish any two floats

#: Every stated number is 0, or its absolute value is between these: literals, values in a file,
#: edits. No real figure comes close, and only a product of four can overflow.
SMALLEST_STATED, LARGEST_STATED = 1e-100, 1e100

#: The first Monday and the last day in the calendar of spreadsheets, whose day 0 is 1899-12-30.
MONDAY, LAST_DAY = 2, 2_958_465
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

NOT_A_NUMBER = "is not a number"
_DECIMAL = re.compile(r"[-+]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?")

#: Reasons that the arithmetic gives instead of a number.
DIVISION = "division by zero"
POWER = "a power that has no value"
TOO_LARGE = "too large to be a number"
#: These reasons, with the code of the diagnostic if they occur in shipped data.
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

#: The constants by their names in a workbook.
CONSTANTS = {"equal_within": EQUAL_WITHIN, "rounding_slack": ROUNDING_SLACK}


def stated(text: str) -> float:
    """The number that a text of digits states. Raises ValueError with what is wrong and how to fix
    it if it is not a number or is out of bounds.
    """
    if not _DECIMAL.fullmatch(text):
        raise ValueError(NOT_A_NUMBER)
    number = float(text.replace("_", ""))
    nothing = number == 0 and re.search("[1-9]", re.split("[eE]", text)[0]) is not None
    return in_bounds(0.5 * SMALLEST_STATED if nothing else number)


def decimal(text: str) -> float:
    """The number written with the digits 0-9, without bounds. Raises ValueError for any other text,
    and if the number is not finite.
    """
    number = float(text.replace("_", "")) if _DECIMAL.fullmatch(text) else math.nan
    if not math.isfinite(number):
        raise ValueError(NOT_A_NUMBER)
    return number


def in_bounds(number: float) -> float:
    """Check a stated number. Raises ValueError if it is not finite or out of bounds."""
    if number != number:
        raise ValueError(NOT_A_NUMBER)
    if math.fabs(number) > LARGEST_STATED:
        raise ValueError("is larger than 1e100; write it in a larger unit")
    if number and math.fabs(number) < SMALLEST_STATED:
        raise ValueError("is smaller than 1e-100; write 0, or use a smaller unit")
    return number


def missing(operation: str, result: float) -> str:
    """The reason for a result that is not finite, of an operator or function on numbers."""
    return _WITHOUT_VALUE.get(operation, TOO_LARGE) if math.isnan(result) else TOO_LARGE


def _within(a: float, b: float) -> float:
    return EQUAL_WITHIN * (math.fabs(a) + math.fabs(b))


def equal(a: float, b: float) -> bool:
    """Whether a and b are the same number apart from rounding."""
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
    """The largest whole number up to x, or the next one if x is within the slack below it."""
    if not math.isfinite(x):
        return math.nan
    return float(builtins.min(math.ceil(x), math.floor(x + math.fabs(x) * ROUNDING_SLACK)))


def ceil(x: float) -> float:
    """The smallest whole number from x up, or the one below if x is within the slack above it."""
    if not math.isfinite(x):
        return math.nan
    return float(builtins.max(math.floor(x), -math.floor(-(x - math.fabs(x) * ROUNDING_SLACK))))


def working_days(week: str) -> list[int]:
    """The days of a week such as `sun-thu`, from its first to its last day, in calendar order; 0 is
    Monday. Raises ValueError for any other text.
    """
    first, last = map(WEEKDAYS.index, week.split("-"))
    return sorted((first + each) % 7 for each in range((last - first) % 7 + 1))


def workday(day: float, count: float, *rest: Iterable[float] | str) -> float:
    """The count-th working day (from 1) starting at a day, in the stated week (default Monday to
    Friday), skipping days off. Days are numbered as in spreadsheets; beyond their calendar the
    result is nan.
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
    """Round x to a number of decimals (negative: tens, hundreds), half away from zero.

    A number within `EQUAL_WITHIN` below a half counts as the half: ``round(2.675, 2)`` is 2.68,
    although the float is slightly less. If 15 or more digits are kept, this does not apply.
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
    """A rounded number as text with `decimals` decimals, at most 15 digits and no separators."""
    if not math.isfinite(x):
        return ""
    exact = Decimal(math.fabs(x))
    if exact:
        exact = exact.quantize(Decimal(1).scaleb(exact.adjusted() - 14), ROUND_HALF_UP)
    text = f"{exact:.{decimals}f}"
    return f"-{text}" if x < 0 and text.strip("0.") else text


def power(base: float, exponent: float) -> float:
    """base to the exponent; nan for 0 to an exponent of 0 or less, and for fractional powers of
    negatives.
    """
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
    """The natural logarithm; nan unless x is positive."""
    return math.log(x) if x > 0 else math.nan


def log10(x: float) -> float:
    """The logarithm to base 10; nan unless x is positive."""
    return math.log10(x) if x > 0 else math.nan


def abs(x: float) -> float:
    """The absolute value."""
    return math.fabs(x)


def total(values: Iterable[float]) -> float:
    """The sum, rounded once; 0 without numbers."""
    numbers = list(values)
    try:
        return math.fsum(numbers)
    except (OverflowError, ValueError):
        return sum(numbers)


def mean(values: Iterable[float]) -> float:
    """The sum over the count; nan without numbers."""
    numbers = list(values)
    return total(numbers) / len(numbers) if numbers else math.nan


def min(*values: float) -> float:
    """The smallest number; nan if there are no numbers, or if one is nan."""
    return _pick(values, builtins.min)


def max(*values: float) -> float:
    """The largest number; nan if there are no numbers, or if one is nan."""
    return _pick(values, builtins.max)


def _pick(values: Sequence[float], pick: Callable[[Sequence[float]], float]) -> float:
    if not values or any(value != value for value in values):
        return math.nan
    return float(pick(values))


def first_at(values: Sequence[float], wanted: float) -> int:
    """The index of the first number that is `equal` to the wanted one; -1 if there is none.

    argmin and argmax use it, like a spreadsheet's MATCH.
    """
    return next((at for at, value in enumerate(values) if equal(value, wanted)), -1)
