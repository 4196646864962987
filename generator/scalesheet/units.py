"""Units: built-in ones and those of `units.yaml`, and how one converts to another.

A unit is declared with its dimension and its exact size. A unit text is a product of powers with an
explicit `*`; a conversion is a list of named constants (`byte_per_GB`), cells of the Units sheet.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction

from scalesheet.frozen import dataclass
from scalesheet.nearest import near


class UnitError(ValueError):
    """Raised for an invalid unit text.

    `near` is the nearest known name, if any; `remedy` says what to do if there is none; `word` is
    the part of the text that is wrong, if it is not all of it.
    """

    def __init__(
        self, message: str, near: str | None = None, remedy: str = "", word: str = ""
    ) -> None:
        super().__init__(message)
        self.near, self.remedy, self.word = near, remedy, word

    @property
    def message(self) -> str:
        """The message, including what to do."""
        remedy = f"did you mean '{self.near}'?" if self.near else self.remedy
        return f"{self}; {remedy}" if remedy else str(self)


#: The power of a unit: an int if it is whole.
Power = int | Fraction


@dataclass(frozen=True, slots=True)
class Unit:
    """A product of powers of named units, sorted by name. No factors: a pure number."""

    factors: tuple[tuple[str, Power], ...] = ()

    @staticmethod
    def of(powers: Mapping[str, Power]) -> Unit:
        return Unit(tuple(sorted((name, _whole(p)) for name, p in powers.items() if p)))

    @property
    def pure(self) -> bool:
        return not self.factors

    def __mul__(self, other: Unit) -> Unit:
        powers = dict(self.factors)
        for name, power in other.factors:
            powers[name] = powers.get(name, 0) + power
        return Unit.of(powers)

    def __truediv__(self, other: Unit) -> Unit:
        return self * other**-1

    def __pow__(self, exponent: Power) -> Unit:
        return Unit.of({name: power * exponent for name, power in self.factors})

    def __str__(self) -> str:
        """`GPU * hour`, `USD / (GPU * hour)`, `1` for a pure number; can be parsed again."""

        def side(parts: Iterable[tuple[str, Power]]) -> list[str]:
            return [name if power == 1 else f"{name}**{_power(power)}" for name, power in parts]

        above = side((n, p) for n, p in self.factors if p > 0)
        below = side((n, -p) for n, p in self.factors if p < 0)
        if not below:
            return " * ".join(above) or "1"
        under = below[0] if len(below) == 1 else f"({' * '.join(below)})"
        return f"{' * '.join(above) or '1'} / {under}"


PURE = Unit()
#: The unit of calendar days.
DATE = Unit((("date", 1),))
#: Limits on the size of a product of units and of a single one, in powers of 10 from 1, so that
#: conversion factors are finite.
MOST_DECADES, MOST_DECADES_OF_ONE = 150, 30
#: Replaces a unit text that was not understood: it fits any, so that an error is reported only
#: once.
UNKNOWN = Unit((("?", 1),))


def unknown(unit: Unit) -> bool:
    """Return whether a part of the unit was not understood."""
    return any(name == "?" for name, _ in unit.factors)


def _whole(power: Power) -> Power:
    """A whole power as an int: most are, and arithmetic of fractions is slow."""
    return power if isinstance(power, int) or power.denominator != 1 else power.numerator


def _power(power: Power) -> str:
    return str(power) if power.denominator == 1 else f"({power})"


@dataclass(frozen=True, slots=True)
class Declared:
    """A unit as declared: its dimension, its size in the dimension's base, its symbol."""

    name: str
    dimension: str
    size: Fraction
    title: str
    symbol: str
    counted: bool
    per: str = ""  # the unit it was defined with
    note: str = ""


@dataclass(frozen=True, slots=True)
class Conversion:
    """Multiply (`power` > 0) or divide by a named constant. Powers of more than 1 are repeated."""

    constant: str
    value: float
    power: Power


class Units:
    """The declared units. `parse` reads a unit text; `conversion` relates two units."""

    def __init__(self, declared: Iterable[Declared]) -> None:
        self.declared = {unit.name: unit for unit in declared}
        self._read: dict[str, Unit] = {}

    def parse(self, text: str) -> Unit:
        """Parse `USD / (GPU * hour)`. Raises UnitError with the nearest name."""
        if text not in self._read:
            self._read[text] = self._parse(text)
        return self._read[text]

    def _parse(self, text: str) -> Unit:
        try:
            unit = _Reader(text, self.declared).unit()
        except UnitError as error:
            spelled = self._spelled(text)
            if spelled == text:
                raise
            raise UnitError(str(error), str(self.parse(spelled))) from None
        sizes = (float(p) * math.log10(self.declared[name].size) for name, p in unit.factors)
        if abs(sum(sizes)) > MOST_DECADES:
            remedy = "write it in larger or smaller units"
            raise UnitError(
                f"the unit is farther than 1e{MOST_DECADES} from its base", None, remedy
            )
        return unit

    def shown(self, text: str) -> Unit:
        """Parse a unit by its names or its printed form: `GPU * hour`, `h`, `GPU·h`."""
        return self.parse(self._spelled(text))

    def _spelled(self, text: str) -> str:
        """Replace symbols and abbreviations by names: `GB/second` for `GB/s`."""
        symbols = [unit for unit in self.declared.values() if unit.symbol]
        names = {**_ABBREVIATED, **{unit.symbol: unit.name for unit in symbols}}
        names |= {_plural(unit): unit.name for unit in symbols}

        def named(word: re.Match[str]) -> str:
            return word[0] if word[0] in self.declared else names.get(word[0], word[0])

        return names.get(text) or re.sub(r"\w+", named, text.replace("·", "*"))

    def dimension(self, unit: Unit) -> Unit:
        """The unit with dimensions for names; equal for convertible units."""
        powers: dict[str, Power] = {}
        for name, power in unit.factors:
            key = self.declared[name].dimension
            powers[key] = powers.get(key, 0) + power
        return Unit.of(powers)

    def compatible(self, a: Unit, b: Unit) -> bool:
        return unknown(a) or unknown(b) or self.dimension(a) == self.dimension(b)

    def ratio(self, unit: Unit) -> bool:
        """Whether a number in this unit is a pure number, such as minutes per second."""
        return not unknown(unit) and self.dimension(unit).pure

    def countable(self, unit: Unit) -> Unit | None:
        """The unit of the same dimension that needs no choice: 1 for a ratio such as minutes per
        second, tokens for billions of them, days for dates; None if it measures something, such as
        time.
        """
        if unknown(unit) or unit == DATE:
            return unit
        bases = {each.dimension: each for each in self.declared.values() if not each.per}
        factors = self.dimension(unit).factors
        if not all(bases[dimension].counted for dimension, _ in factors):
            return None
        return Unit.of({bases[dimension].name: power for dimension, power in factors})

    def factor(self, source: Unit, target: Unit) -> Fraction:
        """The exact number of `target` in one `source`, which must have the same dimension and
        whole powers.
        """
        if unknown(source) or unknown(target):
            return Fraction(1)
        product = Fraction(1)
        for name, power in (source / target).factors:
            product *= self.declared[name].size ** int(power)
        return product

    def conversion(self, source: Unit, target: Unit) -> tuple[Conversion, ...]:
        """The named constants that convert a number from `source` to `target`.

        Both must have the same dimension. Each constant is at least 1: `minute_per_hour`, never
        `hour_per_minute`, so that it is exact.
        """
        if unknown(source) or unknown(target):
            return ()
        steps: list[Conversion] = []
        have = dict(source.factors)
        want = dict(target.factors)
        surplus = {n: have.get(n, 0) - want.get(n, 0) for n in {*have, *want}}
        for name in sorted(surplus):
            while surplus[name] > 0:
                other = next(
                    (
                        n
                        for n in sorted(surplus)
                        if surplus[n] < 0
                        and self.declared[n].dimension == self.declared[name].dimension
                    ),
                    None,
                )
                if other is None:
                    break
                part = min(surplus[name], -surplus[other], 1)
                if self.declared[name].size != self.declared[other].size:  # else a day is a date
                    steps.append(self._step(name, other, part))
                surplus[name] -= part
                surplus[other] += part
        return tuple(steps)

    def _step(self, have: str, want: str, power: Power) -> Conversion:
        ratio = self.factor(Unit(((have, 1),)), Unit(((want, 1),)))
        one, other = ("day" if name == "date" else name for name in (have, want))
        if ratio >= 1:
            return Conversion(f"{other}_per_{one}", float(ratio), power)
        return Conversion(f"{one}_per_{other}", float(1 / ratio), -power)

    def symbol(self, unit: Unit, *, plural: bool = True) -> str:
        """The printed form beside most numbers and in headings: `USD/(GPU·h)`, `tokens/step`.

        Empty for a pure number. `unit_of` returns the singular for 1.
        """

        def side(parts: list[tuple[str, Power]]) -> str:
            parts = sorted(parts, key=lambda part: self.declared[part[0]].dimension == "time")
            return "·".join(
                self.declared[n].symbol + ("" if p == 1 else _superscript(p)) for n, p in parts
            )

        over = [(n, p) for n, p in unit.factors if p > 0]
        one = plural and len(over) == 1 and over[0][1] == 1
        above = _plural(self.declared[over[0][0]]) if one else side(over)
        below = [(n, -p) for n, p in unit.factors if p < 0]
        if not below:
            return above
        under = side(below)
        return f"{above or '1'}/{under if len(below) == 1 else f'({under})'}"


def _plural(unit: Declared) -> str:
    """`tokens`; only a symbol that is the unit's full name has a plural."""
    word = unit.symbol == unit.name and (unit.counted or unit.name == "month")
    return f"{unit.symbol}s" if word else unit.symbol


#: A plural at the start of a symbol, but not `ms`.
_PLURAL = re.compile("^([A-Za-z]{3,})s(?=/|$)")


def unit_of(shown: str, symbol: str) -> str:
    """The unit for a printed number, in the singular after 1: `epoch`, `step/s`."""
    return _PLURAL.sub(r"\1", symbol) if shown == "1" else symbol


def beside(shown: str, symbol: str) -> str:
    """A number with its unit: `1 epoch`, `3 epochs`."""
    return f"{shown} {unit_of(shown, symbol)}".rstrip()


def _superscript(power: Power) -> str:
    return str(power).translate(str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))


_TOKEN = re.compile(r"\s*(?:(\*\*|[*/()])|(-?[0-9]+)|([A-Za-z_][A-Za-z0-9_]*)|(\S))")


class _Reader:
    """Parses a unit text: names, `*`, `/`, `**` integer, brackets, and `1`."""

    def __init__(self, text: str, known: Mapping[str, Declared]) -> None:
        self.text, self.known = text, known
        self.tokens: list[str] = []
        if len(text) > 200:
            raise UnitError("the unit text is longer than 200 characters")
        at = 0
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            assert match is not None  # the last group takes any character
            if match[4]:
                hint = {"$": "; write USD", "€": "; write EUR"}.get(match[4], "")
                raise UnitError(f"a unit has no place for {match[4]!r}{hint}")
            self.tokens.append(match[0].strip())
            at = match.end()
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def unit(self) -> Unit:
        if not self.tokens:
            raise UnitError("the unit is empty; a pure number has the unit 1")
        unit = self.product(0)
        if self.peek():
            instead = "; write '/' instead of 'per'" if self.peek() == "per" else ""
            raise UnitError(f"expected '*' or '/' before {self.peek()!r}{instead}")
        return unit

    def product(self, depth: int) -> Unit:
        if depth > 20:
            raise UnitError("brackets nested deeper than 20")
        unit = self.power(depth)
        while self.peek() in ("*", "/"):
            op = self.take()
            right = self.power(depth)
            unit = unit * right if op == "*" else unit / right
        return unit

    def power(self, depth: int) -> Unit:
        token = self.take()
        if token == "(":
            unit = self.product(depth + 1)
            if self.take() != ")":
                raise UnitError("a bracket is not closed")
        elif token == "1":
            unit = PURE
        elif token in self.known:
            unit = Unit(((token, 1),))
        elif token and (token[0].isalpha() or token[0] == "_"):
            raise unknown_unit(token, self.known)
        else:
            raise UnitError(f"expected a unit, found {token!r}" if token else "the unit ends early")
        if self.peek() == "**":
            self.take()
            exponent = self.take()
            if not re.fullmatch(r"-?[0-9]+", exponent) or abs(int(exponent)) > 9:
                raise UnitError("a power of a unit is a whole number from -9 to 9")
            unit = unit ** int(exponent)
        return unit


#: Rates with a common abbreviation.
_ABBREVIATED = {
    "Gbps": "(Gbit / second)",
    "GBps": "(GB / second)",
    "TFLOPS": "(TFLOP / second)",
    "TFLOPs": "(TFLOP / second)",
}
#: What people write for a unit with a different name.
_MEANT = {
    "dollar": "USD",
    "us dollar": "USD",
    "us$": "USD",
    "$": "USD",
    "hr": "hour",
    "usdollar": "USD",
}
#: Words for large numbers, and the letters for them.
_LETTERS = {"thousand": "k", "million": "M", "billion": "B", "trillion": "T"}


def unknown_unit(name: str, known: Iterable[str]) -> UnitError:
    """The error for an unknown unit, with the nearest name."""
    folded = {k.lower(): k for k in known}
    singular = name.lower().removesuffix("s")
    like = name.lower() if name.lower() in folded else singular
    like = _MEANT.get(singular, like).lower()
    nearest = (near(each, tuple(folded), 0.6) for each in (name.lower(), singular))
    like = like if like in folded else next(filter(None, nearest), "")
    remedy = "declare it in units.yaml"
    if (letter := _LETTERS.get(singular)) and not like:
        remedy = f"write the number with {letter}, as in 2{letter}"
    return UnitError(f"unknown unit '{name}'", folded.get(like), remedy, name)
