"""Proves which numbers are whole whatever the inputs; those can be printed in text as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scalesheet.language.functions import EVERY
from scalesheet.language.syntax import (
    Aggregate,
    Binary,
    Call,
    Choice,
    Constant,
    Guard,
    Negative,
    Node,
    Number,
    Reason,
)
from scalesheet.model import DOMAINS
from scalesheet.resolve.proving.facts import REFERENCES, FactsOf

#: Domains of whole numbers.
WHOLE = frozenset(name for name, (_, _, _, whole) in DOMAINS.items() if whole)


def is_whole(node: Node, facts: FactsOf) -> bool:
    """Whether a bound number is proven whole, by domains and never by the shipped values."""
    if isinstance(node, REFERENCES) and not isinstance(node, Aggregate):
        return facts(node).whole
    rule = _WHOLE.get(type(node))
    return rule is not None and rule(node, facts)


def _call(node: Call, facts: FactsOf) -> bool:
    if node.function == "round":
        places = node.arguments[1:]
        return not places or isinstance(places[0], Negative) or places[0] == Number(0.0)
    kept = EVERY[node.function].whole
    return kept == "always" or (kept == "kept" and all(is_whole(a, facts) for a in node.arguments))


def _binary(node: Binary, facts: FactsOf) -> bool:
    return node.op in "+-*" and is_whole(node.left, facts) and is_whole(node.right, facts)


def _choice(node: Choice, facts: FactsOf) -> bool:
    return all(isinstance(n, Reason) or is_whole(n, facts) for n in (node.then, node.other))


def _aggregate(node: Aggregate, facts: FactsOf) -> bool:
    return node.function == "count" or (node.function != "mean" and facts(node).whole)


_WHOLE: dict[type[Node], Callable[[Any, FactsOf], bool]] = {
    Number: lambda n, f: n.value.is_integer(),
    Constant: lambda n, f: n.value.is_integer(),
    Negative: lambda n, f: is_whole(n.operand, f),
    Binary: _binary,
    Call: _call,
    Choice: _choice,
    Guard: lambda n, f: is_whole(n.body, f),
    Aggregate: _aggregate,
}
