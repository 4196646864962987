"""What is known about a quantity before its value: its bounds, its range, whether it may be absent.

Bounds come from declared domains and never from the shipped values, so that whatever is proven here
stays true when somebody edits an input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from math import inf
from typing import Any

from scalesheet.frozen import dataclass
from scalesheet.language.functions import EVERY
from scalesheet.language.intervals import (
    ANY,
    Interval,
    inverse,
    negated,
    plus,
    times,
    union,
)
from scalesheet.language.syntax import (
    Aggregate,
    Binary,
    Call,
    Cell,
    Choice,
    Column,
    Constant,
    Guard,
    Lookup,
    Negative,
    Node,
    Number,
    Scalar,
)
from scalesheet.model import DOMAINS

#: How a ranged input enters a formula, as bits.
RISING, FALLING, MIXED = 1, 2, 3


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known about one quantity. `directions`: how each ranged input enters. `whole`: always
    a whole number. `words` are a word's possible values, `table` is a reference's table.
    """

    interval: Interval = ANY
    ranged: bool = False
    may_reason: bool = False
    needed: bool = False  # a sum has no value if a row lacks it
    stated: bool = False  # an input in every cell
    outer: bool = False
    number: bool = True  # not a word, flag, text or reference
    flag: bool = False  # its absence is the reason in whatever tests it
    directions: Mapping[str, int] = field(default_factory=dict)
    whole: bool = False
    words: tuple[str, ...] = ()
    table: str | None = None


FactsOf = Callable[[Node], Facts]
REFERENCES = (Scalar, Column, Cell, Lookup, Aggregate)


def merged(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    """Directions of both together."""
    return {source: one.get(source, 0) | other.get(source, 0) for source in {**one, **other}}


def of_domain(domain: str) -> Interval:
    """The interval of a declared domain."""
    low, closed, high, _ = DOMAINS[domain]
    least = -inf if low is None else low
    return Interval(least, inf if high is None else high, least < 0 or (least == 0 and closed))


def declared(domain: str, derived: Interval) -> Interval:
    """Narrow a derived interval by a declared domain. The sign is trusted (and checked with the
    shipped numbers); that the value is not 0 is not trusted, because an edit may make it 0.
    """
    text = of_domain(domain)
    return Interval(max(text.low, derived.low), min(text.high, derived.high), derived.zero)


def interval(node: Node, facts: FactsOf) -> Interval:
    """The interval of a bound number, computed from the intervals of its parts."""
    rule = _INTERVAL.get(type(node))
    return rule(node, facts) if rule else ANY


def _binary(node: Binary, facts: FactsOf) -> Interval:
    a, b = interval(node.left, facts), interval(node.right, facts)
    if node.op == "+":
        return plus(a, b)
    if node.op == "-":
        return plus(a, negated(b))
    if node.op == "*":
        return times(a, b)
    if node.op == "/":
        return times(a, inverse(b))
    if a.low >= 0:
        if b.low >= 0 and a.low >= 1:
            return Interval(1, inf, False)
        return Interval(0, inf, a.zero)
    even = isinstance(node.right, Number) and node.right.value % 2 == 0
    return Interval(0, inf, a.zero) if even else ANY


def _call(node: Call, facts: FactsOf) -> Interval:
    return EVERY[node.function].bounds(*(interval(a, facts) for a in node.arguments))


def _choice(node: Choice, facts: FactsOf) -> Interval:
    from scalesheet.language.syntax import Reason

    parts = [interval(n, facts) for n in (node.then, node.other) if not isinstance(n, Reason)]
    return union(*parts) if parts else ANY


def _aggregate(node: Aggregate, facts: FactsOf) -> Interval:
    if node.function == "count":
        return Interval(0, inf, node.where is not None or node.column is not None)
    inner = facts(node).interval
    if node.function == "sum":
        low = inner.low if inner.low in (0, -inf) else min(inner.low, 0.0) if inner.low < 0 else 0.0
        return Interval(
            -inf if low < 0 else low,
            inf if inner.high > 0 else 0,
            inner.zero or node.where is not None or facts(node).may_reason,
        )
    return inner


_INTERVAL: dict[type[Node], Callable[[Any, FactsOf], Interval]] = {
    Number: lambda n, f: Interval(n.value, n.value, n.value == 0),
    Constant: lambda n, f: Interval(n.value, n.value, n.value == 0),
    Negative: lambda n, f: negated(interval(n.operand, f)),
    Binary: _binary,
    Call: _call,
    Choice: _choice,
    Guard: lambda n, f: interval(n.body, f),
    Scalar: lambda n, f: f(n).interval,
    Column: lambda n, f: f(n).interval,
    Cell: lambda n, f: f(n).interval,
    Lookup: lambda n, f: f(n).interval,
    Aggregate: _aggregate,
}
