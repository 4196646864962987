"""The functions of formulas: one record with everything known about each before it is computed.

A function's arithmetic is the function of the same name in `arithmetic.py`, `arithmetic_vector.py`,
`printers/runtime.py` and `printers/runtime.js`. Functions that take several in Excel are in
`printers/excel.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Literal

from scalesheet.frozen import dataclass
from scalesheet.language.intervals import (
    Interval,
    at_or_above,
    exponential,
    greatest,
    itself,
    least,
    logarithm,
    magnitude,
    plus,
    rounded,
    rounded_down,
    rounded_up,
    union,
)

LOGARITHM = "logarithm of a number that is not positive"
ROOT = "square root of a negative number"


@dataclass(frozen=True, slots=True)
class Function:
    """A function of numbers.

    - `bounds`: computes the interval of its result from those of its arguments.
    - `fewest`, `most`: the number of arguments; `most` is None for any number.
    - `takes`: numbers of the same dimension (`alike`), one of `any` unit, or a `pure` one.
    - `power`: the unit of the result is the argument's unit to this power.
    - `whole`: when a result is a whole number: `always`, `kept` if its arguments are, `never`.
    - `rounds`: whether the result depends on the unit that it is computed in.
    - `defined`: where it has a value; elsewhere the result is the reason `undefined`.
    - `words`: precede its arguments in text; `excel`: the single function that computes it, if any.
    - `markup`: its mathematical notation, if not its name.
    """

    bounds: Callable[..., Interval]
    fewest: int = 1
    most: int | None = 1
    takes: Literal["alike", "any", "pure"] = "any"
    power: Fraction = Fraction(1)
    whole: Literal["always", "kept", "never"] = "never"
    rounds: bool = False
    defined: Literal["everywhere", "not negative", "positive"] = "everywhere"
    undefined: str = ""
    words: str = ""
    excel: str = ""
    markup: tuple[str, str] = ("", "")


FUNCTIONS: Mapping[str, Function] = {
    "sum": Function(plus, 1, None, "alike", whole="kept", words="the sum of"),
    "min": Function(least, 1, None, "alike", whole="kept", words="the smaller of"),
    "max": Function(greatest, 1, None, "alike", whole="kept", words="the larger of"),
    "mean": Function(union, 1, None, "alike", words="the mean of"),
    "ceil": Function(rounded_up, whole="always", rounds=True, markup=("⌈", "⌉")),
    "floor": Function(rounded_down, whole="always", rounds=True, markup=("⌊", "⌋")),
    # the second argument is a literal whole number of decimals
    "round": Function(rounded, 1, 2, rounds=True),
    "sqrt": Function(
        magnitude,
        power=Fraction(1, 2),
        defined="not negative",
        undefined=ROOT,
        words="the square root of",
        excel="SQRT",
    ),
    "exp": Function(exponential, takes="pure", words="e to the power of", excel="EXP"),
    "ln": Function(
        logarithm,
        takes="pure",
        defined="positive",
        undefined=LOGARITHM,
        words="the natural logarithm of",
        excel="LN",
    ),
    "log10": Function(
        logarithm,
        takes="pure",
        defined="positive",
        undefined=LOGARITHM,
        words="the logarithm to base 10 of",
        excel="LOG10",
    ),
    # a day, a count, a column of days off, and the week
    "workday": Function(at_or_above, 2, 4, whole="always", words="the working day by"),
    "abs": Function(
        magnitude, whole="kept", words="the magnitude of", excel="ABS", markup=("|", "|")
    ),
}
#: Names that other languages and spreadsheets use for our functions.
MEANT: Mapping[str, str] = {
    **dict.fromkeys(("total", "add"), "sum"),
    **dict.fromkeys(("avg", "average"), "mean"),
    **dict.fromkeys(("roundup", "ceiling"), "ceil"),
    **dict.fromkeys(("rounddown", "int", "trunc"), "floor"),
    "log": "ln",
}
#: Functions on ranges, which take one end or move parts together. Binding removes them.
OF_RANGES: Mapping[str, Function] = {
    **dict.fromkeys(("low", "expected", "high", "paired"), Function(itself, whole="kept")),
    "between": Function(union, 2, 3, "alike"),
}
EVERY: Mapping[str, Function] = {**FUNCTIONS, **OF_RANGES}
