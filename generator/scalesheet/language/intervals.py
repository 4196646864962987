"""Interval arithmetic: the possible values of a number, computed from those of its parts."""

from __future__ import annotations

from math import inf

from scalesheet.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """The possible values of a number: `low` to `high`, and whether 0 is one of them."""

    low: float = -inf
    high: float = inf
    zero: bool = True

    @property
    def never_negative(self) -> bool:
        return self.low >= 0

    @property
    def never_positive(self) -> bool:
        return self.high <= 0

    @property
    def known(self) -> bool:
        """Whether the sign is known (0 counts as either)."""
        return self.low >= 0 or self.high <= 0


ANY = Interval()
NOTHING = Interval(inf, -inf, False)
NON_NEGATIVE = Interval(0, inf, True)


def union(*parts: Interval) -> Interval:
    """All possible values of any of the parts."""
    return Interval(
        min(p.low for p in parts), max(p.high for p in parts), any(p.zero for p in parts)
    )


def negated(a: Interval) -> Interval:
    return Interval(-a.high, -a.low, a.zero)


def plus(*parts: Interval) -> Interval:
    a, *rest = parts
    for b in rest:
        low, high = a.low + b.low, a.high + b.high
        one_positive = (a.low >= 0 and b.low >= 0) or (a.high <= 0 and b.high <= 0)
        low, high = -inf if low != low else low, inf if high != high else high
        a = Interval(low, high, (a.zero and b.zero) if one_positive else low <= 0 <= high)
    return a


def times(a: Interval, b: Interval) -> Interval:
    def product(x: float, y: float) -> float:
        return 0.0 if x == 0 or y == 0 else x * y

    ends = [product(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return Interval(min(ends), max(ends), a.zero or b.zero)


def inverse(b: Interval) -> Interval:
    """The possible values of 1 / b, where b is not 0."""
    if b.low >= 0 and b.high > 0:
        return Interval(1 / b.high, 1 / b.low if b.low else inf, False)
    if b.high <= 0 and b.low < 0:
        return Interval(1 / b.high if b.high else -inf, 1 / b.low, False)
    return Interval(-inf, inf, False)


def least(*parts: Interval) -> Interval:
    high = min(p.high for p in parts)
    zero = any(p.zero for p in parts) and not any(p.high <= 0 and not p.zero for p in parts)
    return Interval(min(p.low for p in parts), high, zero and high >= 0)


def greatest(*parts: Interval) -> Interval:
    low = max(p.low for p in parts)
    zero = any(p.zero for p in parts) and not any(p.low >= 0 and not p.zero for p in parts)
    return Interval(low, max(p.high for p in parts), zero and low <= 0)


def rounded_up(a: Interval) -> Interval:
    positive = a.low >= 0 and not a.zero
    return Interval(1 if positive else a.low, inf, not positive)


def rounded_down(a: Interval) -> Interval:
    return Interval(a.low if a.low in (-inf, inf) else float(int(a.low // 1)), a.high)


def rounded(a: Interval, *_: Interval) -> Interval:
    return Interval(min(a.low, 0), max(a.high, 0), True)


def magnitude(a: Interval) -> Interval:
    """The possible values of an absolute value, and of a square root."""
    return Interval(0, inf, a.zero)


def exponential(a: Interval) -> Interval:
    return Interval(1 if a.low >= 0 else 0, inf, False)


def logarithm(a: Interval) -> Interval:
    return NON_NEGATIVE if a.low >= 1 else ANY


def itself(a: Interval) -> Interval:
    return a


def at_or_above(a: Interval, *rest: Interval) -> Interval:
    """A day no earlier than the first one, and positive."""
    return Interval(max(a.low, 1.0), inf, False)
