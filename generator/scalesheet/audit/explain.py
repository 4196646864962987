"""Explains a verdict: the expression with its numbers, and how the figure and the result differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from decimal import Decimal
from typing import Any

from scalesheet.audit.verdicts import Decided, Match
from scalesheet.claims import Basis, Claim, Figure
from scalesheet.language.format import formula_text
from scalesheet.language.syntax import (
    Aggregate,
    Call,
    Cell,
    Constant,
    End,
    Lookup,
    Node,
    Number,
    Scalar,
    Text,
)
from scalesheet.model import Formula, Quantity
from scalesheet.units import Unit, Units, beside
from scalesheet.values import Results, Value

LONGEST = 160  # characters of an expression with numbers; if it is longer, only the result is shown


def amount(number: float, *, percent: bool = False) -> str:
    """A number with at most six significant digits: `341.7`, `1,045.6`, `0.125`, `3e-05`, `40%`."""
    if percent:
        return f"{amount(number * 100)}%"
    rounded = Decimal(f"{number:.6g}")
    if rounded and not Decimal("1e-4") <= abs(rounded) < Decimal("1e15"):
        return f"{number:.6g}"
    return f"{rounded.normalize():,f}"


def shown(value: Value, unit: Unit | None, units: Units, *, percent: bool = False) -> str:
    """A value with its range and unit."""
    if value.reason is not None:
        return value.reason
    if isinstance(value.value, bool):
        return "yes" if value.value else "no"
    if not isinstance(value.value, float):
        return str(value.value)
    text = amount(value.value, percent=percent)
    if value.ranged and value.low is not None and value.high is not None:
        low, high = amount(value.low, percent=percent), amount(value.high, percent=percent)
        text = f"{text} [{low.removesuffix('%')}–{high}]"
    symbol = units.symbol(unit) if unit is not None else ""
    return beside(text, symbol)


def claim_text(figure: Figure, units: Units) -> str:
    """What a claim says, with its unit."""
    if isinstance(figure.value, bool):
        return "yes" if figure.value else "no"
    if isinstance(figure.value, str):
        return figure.value
    assert figure.low is not None
    assert figure.high is not None
    upward = figure.bound in ("at least", "more than")
    ends = [figure.low, figure.high] if figure.ranged else [figure.low]
    if figure.bound is not None:
        ends = [figure.low if upward else figure.high]
    text = "–".join(amount(end, percent=figure.percent) for end in ends)
    symbol = units.symbol(figure.unit) if figure.unit is not None else ""
    return f"{figure.bound or ''} {beside(text, symbol)}".strip()


# ------------------------------------------------------------------ arithmetic


def arithmetic(
    basis: Basis,
    quantity: Quantity,
    formula: Formula,
    results: Results,
    units: Units,
    *,
    percent: bool = False,
) -> str:
    """`@003-L116-01 + @003-L117-01 = 10 + 27 = 37 run`."""
    value = results.scalars[basis.scalar]
    outcome = shown(value, quantity.unit, units, percent=percent)
    filled = _filled(formula.tree, results)
    text = formula_text(filled)
    steps = [basis.text]
    if not isinstance(filled, Number | Text) and text != basis.text and len(text) <= LONGEST:
        steps.append(text)
    return " = ".join((*steps, outcome))


def _filled(node: Node, results: Results) -> Node:
    """The tree with values in place of names; aggregates are kept as they are."""
    rule = _FILL.get(type(node))
    if rule is not None:
        return rule(node, results)
    if isinstance(node, Call) and node.function in _END:
        value = _value(node.arguments[0], results)
        if value is not None and isinstance(end := value.end(_END[node.function]), float):
            return Number(end, amount(end))
    changed: dict[str, Any] = {}
    for item in fields(node):
        part = getattr(node, item.name)
        if isinstance(part, Node):
            changed[item.name] = _filled(part, results)
        elif item.name == "arguments":
            changed[item.name] = tuple(_filled(argument, results) for argument in part)
    return replace(node, **changed) if changed else node


def _literal(value: Value) -> Node:
    if isinstance(value.value, float):
        text = amount(value.value)
        if value.ranged and value.low is not None and value.high is not None:
            text = f"[{amount(value.low)}–{amount(value.high)}]"
        return Number(value.value, text)
    return Text(value.reason if value.reason is not None else str(value.value))


def _value(node: Node, results: Results) -> Value | None:
    """The value of a reference; None for other nodes."""
    match node:
        case Scalar():
            return results.scalars[node.name]
        case Cell():
            return results.cell(node.table, node.row, node.column)
        case Lookup():
            key = _value(node.key, results)
            if key is not None and key.value in results.rows[node.table]:
                return results.cell(node.table, str(key.value), node.column)
    return None


def _reference(node: Node, results: Results) -> Node:
    value = _value(node, results)
    return node if value is None else _literal(value)


_END: dict[str, End] = {"low": "low", "expected": "value", "high": "high"}
_FILL: dict[type[Node], Callable[[Any, Results], Node]] = {
    Scalar: _reference,
    Cell: _reference,
    Lookup: _reference,
    Constant: lambda n, r: Number(n.value, amount(n.value)),
    Number: lambda n, r: Number(n.value, n.text or amount(n.value)),
    Aggregate: lambda n, r: n,
}

# ------------------------------------------------------------------ because

_STANDS: dict[Match, str] = {
    "equal": "as written",
    "rounded": "rounded to {says}",
    "cut": "truncated to {says} instead of rounded",
    "contained": "a range that includes {says}",
    "differs": "not {says}",
}
_BOUND: dict[Match, str] = {"equal": "which meets '{says}'", "differs": "which violates '{says}'"}


def because(
    claim: Claim,
    decided: Decided,
    formulas: Callable[[str], tuple[Quantity, Formula]],
    results: Results,
    units: Units,
    missing: str,
) -> str:
    """Why a claim has its verdict. `missing` says why it is not an input, if that is the reason."""
    parts: list[str] = []
    words = _BOUND if claim.says.bound else _STANDS
    for basis, match in zip(claim.bases, decided.matches, strict=True):
        sums = arithmetic(
            basis, *formulas(basis.scalar), results, units, percent=claim.says.percent
        )
        parts.append(f"{sums}, {words[match].format(says=claim_text(claim.says, units))}")
    if claim.limit is not None and decided.crossed:
        limit = results.scalars[claim.limit.scalar]
        far = shown(limit, claim.says.unit, units, percent=claim.says.percent)
        parts.append(f"not rounding: the limit {claim.limit.text} = {far} lies between them")
    parts += [f"disagrees with {id_}" for id_ in decided.accused_by]
    if decided.verdict == "input" and claim.target is not None:
        parts.append(f"stated; an input of the plan, {claim.target.text}")
    elif decided.verdict == "underdetermined":
        parts.append(f"the document does not state {listed(claim.lacks)}")
    elif decided.verdict is None:
        parts.append(missing)
    if decided.fixed is not None:
        fixed = shown(decided.fixed, claim.says.unit, units, percent=claim.says.percent)
        errors = listed(decided.inherits) or "a figure that the plan corrects"
        parts.append(f"follows from {errors}; should be {fixed}")
    elif decided.inherits:
        parts.append(f"carries over the error of {listed(decided.inherits)}")
    text = "; ".join(parts) + "." if parts else ""
    return " ".join(filter(None, (text, claim.note)))


def listed(parts: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
