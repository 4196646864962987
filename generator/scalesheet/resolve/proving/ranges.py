"""Splits a bound formula into its low, expected and high ends, by direction.

A ranged input enters a formula rising or falling. If each one enters in a single direction
throughout, combining ends gives exact ends. If one enters in both, the ends are safe outer bounds
and the formula is marked. Directions are traced to the ranged inputs through all quantities
between.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any, Literal

from scalesheet.frozen import dataclass
from scalesheet.language import syntax as nodes
from scalesheet.language.format import formula_text
from scalesheet.language.syntax import End, Node
from scalesheet.model import Ends
from scalesheet.resolve.binding.scope import BindError
from scalesheet.resolve.proving.facts import FALLING, MIXED, REFERENCES, RISING, FactsOf, interval

#: Functions that take one end of a range, so their result has no range.
AT: Mapping[str, End] = {"low": "low", "expected": "value", "high": "high"}
_WITH_ENDS = frozenset((*AT, "between", "paired", "workday"))
OTHER: Mapping[End, End] = {"low": "high", "high": "low", "value": "value"}
Truth = Literal["least", "value", "most"]


@dataclass(frozen=True, slots=True)
class Split:
    """A formula's ends, and how ranged inputs enter it. `mixed`: here, not upstream."""

    ends: Ends
    directions: Mapping[str, int] = field(default_factory=dict)
    mixed: bool = False

    @property
    def ranged(self) -> bool:
        return self.ends.low is not None


@dataclass(slots=True)
class _Trace:
    """While one end is built, collects how references enter and the sources created on the way."""

    name: str
    facts: FactsOf
    entered: list[tuple[Node, int]] = field(default_factory=list)
    sources: dict[str, int] = field(default_factory=dict)


def split(tree: Node, kind: str, name: str, facts: FactsOf, differs: str | None) -> Split:
    """Split the formula of a quantity called `name` into ends. Raises BindError R001 to R006."""
    trace = _Trace(name, facts)
    if kind == "word":
        return Split(Ends(_word(tree, trace, differs)))
    if kind != "number":
        _refuse_ranged_tests(tree, trace)
        return Split(Ends(_expected(tree, trace)))
    if not ranged(tree, facts):
        return Split(Ends(_expected(tree, trace)))
    low = _end(tree, "low", trace)
    directions = _composed(trace)
    mixed = any(d == MIXED for d in directions.values()) and not any(
        facts(ref).outer for ref, _ in trace.entered
    )
    quiet = _Trace(name, facts)
    ends = Ends(_expected(tree, quiet), low, _end(tree, "high", quiet))
    return Split(ends, directions, mixed)


def _composed(trace: _Trace) -> dict[str, int]:
    result = dict(trace.sources)
    for ref, bits in trace.entered:
        for source, own in trace.facts(ref).directions.items():
            flipped = {RISING: FALLING, FALLING: RISING}.get(own, own)
            result[source] = result.get(source, 0) | (own if bits == RISING else flipped)
    return result


def ranged(node: Node, facts: FactsOf) -> bool:
    """Whether a value has a range; `low(x)`, `expected(x)`, `high(x)` never do, `between` does."""
    if isinstance(node, nodes.Call) and node.function in AT:
        return False
    if isinstance(node, nodes.Call) and node.function == "between":
        return True
    if isinstance(node, nodes.Aggregate) and node.function in ("count", "argmin", "argmax"):
        return False
    if isinstance(node, REFERENCES):
        return node.end == "value" and facts(node).ranged
    if isinstance(node, nodes.Guard):
        return ranged(node.body, facts)
    if isinstance(node, nodes.Reason | nodes.Join | nodes.Known):
        return False  # text prints expected values or named ends; known() has no range
    return any(ranged(child, facts) for child in nodes.children(node))


def _expected(tree: Node, trace: _Trace) -> Node:
    """The tree of the expected value: itself, if nothing in it depends on the end."""
    differs = any(
        isinstance(each, nodes.Choice)
        or (isinstance(each, nodes.Call) and each.function in _WITH_ENDS)
        or (isinstance(each, nodes.Aggregate) and each.where is not None)
        for each in nodes.walk(tree)
    )
    return _end(tree, "value", trace) if differs else tree


def _end(node: Node, end: End, trace: _Trace) -> Node:
    """The tree of one end. For `value`, only the compiler's own calls are replaced."""
    rule = _END.get(type(node))
    if rule is not None:
        return rule(node, end, trace)
    return node


def _reference(node: Any, end: End, trace: _Trace) -> Node:
    if isinstance(node, nodes.Lookup):
        node = replace(node, key=_end(node.key, "value", trace))
    if isinstance(node, nodes.Aggregate) and node.where is not None:
        if ranged(node.where, trace.facts):
            raise BindError(
                "R003",
                "rows are chosen by a range; condition on low(x) or high(x)",
                node,
            )
        node = replace(node, where=_end(node.where, "value", trace))
    if end == "value" or not ranged(node, trace.facts):
        return node  # type: ignore[no-any-return]  # of the node's own class
    trace.entered.append((node, RISING if end == "low" else FALLING))
    return replace(node, end=end)  # type: ignore[no-any-return]  # the same


def _negative(node: nodes.Negative, end: End, trace: _Trace) -> Node:
    return replace(node, operand=_end(node.operand, OTHER[end], trace))


def _binary(node: nodes.Binary, end: End, trace: _Trace) -> Node:
    left, right = _DIRECTION[node.op](node, end, trace) if end != "value" else ("value", "value")
    return replace(node, left=_end(node.left, left, trace), right=_end(node.right, right, trace))


def _plus(node: nodes.Binary, end: End, trace: _Trace) -> tuple[End, End]:
    return end, end


def _minus(node: nodes.Binary, end: End, trace: _Trace) -> tuple[End, End]:
    return end, OTHER[end]


def _times(node: nodes.Binary, end: End, trace: _Trace) -> tuple[End, End]:
    """Each factor enters in the direction given by the other's sign."""
    return (
        _by_sign(node.left, node.right, end, trace),
        _by_sign(node.right, node.left, end, trace),
    )


def _by_sign(factor: Node, other: Node, end: End, trace: _Trace) -> End:
    if not ranged(factor, trace.facts):
        return end
    sign = interval(other, trace.facts)
    if sign.never_negative:
        return end
    if sign.never_positive:
        return OTHER[end]
    raise BindError(
        "R002",
        "a range is multiplied or divided by something whose sign is not known; "
        "declare its domain, or use max(0, ...)",
        other,
        factor,
    )


def _over(node: nodes.Binary, end: End, trace: _Trace) -> tuple[End, End]:
    below = interval(node.right, trace.facts)
    if not ranged(node.right, trace.facts):
        return _by_sign(node.left, node.right, end, trace), end
    if not below.known:
        raise BindError(
            "R001",
            "division by a range that may cross zero; "
            f"declare a domain for '{formula_text(node.right)}'",
            node.right,
        )
    above = interval(node.left, trace.facts)
    if not above.known:
        raise BindError(
            "R002",
            "the sign of the dividend is not known, so the quotient has no known bounds; "
            "declare its domain, or use max(0, ...)",
            node.left,
            node.right,
        )
    left = _by_sign(node.left, node.right, end, trace)
    return left, OTHER[end] if above.never_negative else end


def _power(node: nodes.Binary, end: End, trace: _Trace) -> tuple[End, End]:
    base, exponent = interval(node.left, trace.facts), interval(node.right, trace.facts)
    odd = isinstance(node.right, nodes.Number) and node.right.value % 2 == 1
    left: End = end
    right: End = end
    if ranged(node.left, trace.facts):
        if not (base.never_negative and exponent.known) and not odd:
            raise BindError(
                "R002",
                "whether the power rises or falls with its base is not known; "
                "declare a domain, or use max(0, ...)",
                node.left,
            )
        left = end if odd or exponent.never_negative else OTHER[end]
    if ranged(node.right, trace.facts):
        if base.low >= 1:
            right = end
        elif base.low >= 0 and base.high <= 1:
            right = OTHER[end]
        else:
            raise BindError(
                "R002",
                "whether the power rises or falls with its exponent is not known: "
                "the base may lie on either side of 1",
                node.right,
            )
    return left, right


_DIRECTION: dict[str, Callable[[nodes.Binary, End, _Trace], tuple[End, End]]] = {
    "+": _plus,
    "-": _minus,
    "*": _times,
    "/": _over,
    "**": _power,
}


def _call(node: nodes.Call, end: End, trace: _Trace) -> Node:
    name, first = node.function, node.arguments[0]
    if name in AT:
        return _end(first, AT[name], _Trace(trace.name, trace.facts))
    if name == "paired":
        return _paired(first, end, trace)
    if name == "between":
        if end != "value":
            trace.sources[f"between in {trace.name}"] = RISING
        parts = tuple(_end(a, end, trace) for a in node.arguments)
        if end == "value" and len(parts) == 3:
            return parts[1]
        return nodes.Call(
            {"low": "min", "value": "mean", "high": "max"}[end], parts, span=node.span
        )
    if name == "workday" and any(ranged(each, trace.facts) for each in node.arguments[2:]):
        raise BindError("R003", "a day off is one day; state it without a range", node)
    if name == "abs" and ranged(first, trace.facts):
        sign = interval(first, trace.facts)
        if not sign.known:
            raise BindError("R002", "abs of a range whose sign is not known", first)
        if sign.never_positive:
            end = OTHER[end]
    return replace(node, arguments=tuple(_end(a, end, trace) for a in node.arguments))


def _paired(inner: Node, end: End, trace: _Trace) -> Node:
    """All ranges move together: the smallest and largest of the three corners."""

    def corner(which: End) -> Node:
        return _together(inner, which, trace.facts)

    if end == "value":
        return corner("value")
    trace.sources[f"paired in {trace.name}"] = RISING
    return nodes.Call(
        "min" if end == "low" else "max", (corner("low"), corner("value"), corner("high"))
    )


def _together(node: Node, end: End, facts: FactsOf) -> Node:
    """The tree with every ranged reference at the same end."""
    if isinstance(node, REFERENCES):
        moved: Any = _end(node, "value", _Trace("", facts))
        return replace(moved, end=end) if ranged(node, facts) else moved  # type: ignore[no-any-return]  # a reference again
    alone = isinstance(node, nodes.Call) and node.function in (*AT, "between", "paired")
    if alone or isinstance(node, _DECIDED):
        return _end(node, end, _Trace("", facts))
    if isinstance(node, nodes.Choice):
        _refuse_ranged_choice(node, facts)
    if isinstance(node, nodes.Guard):
        subjects = tuple(_end(each, "value", _Trace("", facts)) for each in node.subjects)
        return replace(node, subjects=subjects, body=_together(node.body, end, facts))
    return nodes.mapped(node, lambda child: _together(child, end, facts))


#: Conditions have no ends of their own.
_DECIDED = (nodes.Compare, nodes.Logic, nodes.Not, nodes.Known, nodes.Reason)


def _refuse_ranged_choice(node: nodes.Choice, facts: FactsOf) -> None:
    if ranged(node.test, facts):
        raise BindError(
            "R003",
            "a number is chosen by a condition on a range; use min or max, "
            "or decide on low(x) or high(x)",
            node.test,
        )


def _choice(node: nodes.Choice, end: End, trace: _Trace) -> Node:
    _refuse_ranged_choice(node, trace.facts)
    return replace(
        node,
        then=_end(node.then, end, trace),
        test=_end(node.test, "value", trace),
        other=_end(node.other, end, trace),
    )


def _guard(node: nodes.Guard, end: End, trace: _Trace) -> Node:
    subjects = tuple(_end(s, "value", trace) for s in node.subjects)
    return nodes.Guard(subjects, _end(node.body, end, trace), span=node.span)


def _pair(node: Any, end: End, trace: _Trace) -> Node:
    left, right = (_end(side, "value", trace) for side in (node.left, node.right))
    return replace(node, left=left, right=right)  # type: ignore[no-any-return]  # of the node's own class


_END: dict[type[Node], Callable[[Any, End, _Trace], Node]] = {
    **dict.fromkeys(REFERENCES, _reference),
    nodes.Negative: _negative,
    nodes.Binary: _binary,
    nodes.Call: _call,
    nodes.Choice: _choice,
    nodes.Guard: _guard,
    nodes.Compare: _pair,
    nodes.Logic: _pair,
    nodes.Known: lambda n, e, t: replace(n, of=_end(n.of, "value", t)),
    nodes.Not: lambda n, e, t: replace(n, operand=_end(n.operand, "value", t)),
    nodes.Reason: lambda n, e, t: replace(n, text=_end(n.text, "value", t)),
    nodes.Join: lambda n, e, t: replace(n, parts=tuple(_end(p, "value", t) for p in n.parts)),
    nodes.Fixed: lambda n, e, t: replace(n, operand=_end(n.operand, "value", t)),
    nodes.Title: lambda n, e, t: replace(n, key=_end(n.key, "value", t)),
    nodes.OneOf: lambda n, e, t: replace(n, of=_end(n.of, "value", t)),
}


# ------------------------------------------------------------------ words and conditions


def _refuse_ranged_tests(tree: Node, trace: _Trace) -> None:
    for node in nodes.walk(tree):
        if isinstance(node, nodes.Compare) and ranged(node, trace.facts):
            raise BindError(
                "R003",
                "the condition may hold at one end of the range and fail at the other; "
                "test low(x) or high(x)",
                node,
            )


def _word(tree: Node, trace: _Trace, differs: str | None) -> Node:
    """Decide a word at all three ends of the condition; if they differ, the word is `differs`."""
    if isinstance(tree, nodes.Guard):
        subjects = tuple(_end(s, "value", trace) for s in tree.subjects)
        return nodes.Guard(subjects, _word(tree.body, trace, differs))
    tests = [n.test for n in nodes.walk(tree) if isinstance(n, nodes.Choice)]
    if not any(ranged(t, trace.facts) for t in tests):
        return _decided(tree, "value", trace)
    if differs is None:
        raise BindError(
            "R004",
            "the condition may hold at one end of the range and fail at the other; "
            "add the word for that case, as in differs: WORD",
            next(t for t in tests if ranged(t, trace.facts)),
        )
    least, expected, most = (_decided(tree, t, trace) for t in ("least", "value", "most"))
    same = nodes.Logic(
        "and",
        nodes.Compare("==", expected, least, "text", True),
        nodes.Compare("==", expected, most, "text", True),
    )
    return nodes.Choice(expected, same, nodes.Text(differs))


def _decided(node: Node, truth: Literal["least", "value", "most"], trace: _Trace) -> Node:
    if isinstance(node, nodes.Choice):
        return nodes.Choice(
            _decided(node.then, truth, trace),
            _test(node.test, truth, trace),
            _decided(node.other, truth, trace),
        )
    return _end(node, "value", trace)


def _test(node: Node, truth: Truth, trace: _Trace) -> Node:
    """A condition at the corner where it is least or most likely to be true."""
    if not ranged(node, trace.facts) or truth == "value":
        return _end(node, "value", trace)
    if isinstance(node, nodes.Not):
        return nodes.Not(_test(node.operand, "most" if truth == "least" else "least", trace))
    if isinstance(node, nodes.Logic):
        return nodes.Logic(node.op, _test(node.left, truth, trace), _test(node.right, truth, trace))
    assert isinstance(node, nodes.Compare)
    if node.op in ("==", "!="):
        raise BindError("R006", "ranges are compared for equality; compare low(x) or high(x)", node)
    rising = node.op in (">", ">=")
    left: End = "low" if (truth == "least") == rising else "high"
    return replace(
        node, left=_end(node.left, left, trace), right=_end(node.right, OTHER[left], trace)
    )
