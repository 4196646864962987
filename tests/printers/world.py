"""A small world for expressions: some scalars, a table with reasons in it, and true values.

`reference` computes a bound tree as the language defines it, and tracks how far apart two correct
targets may be. A tree whose result depends on the last bits is unstable: it says nothing about a
printer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scalesheet.language import arithmetic
from scalesheet.language.syntax import (
    Aggregate,
    Binary,
    Call,
    Cell,
    Choice,
    Column,
    Compare,
    Constant,
    Fixed,
    Flag,
    Guard,
    Join,
    Logic,
    Lookup,
    Negative,
    Node,
    Not,
    Number,
    OneOf,
    Reason,
    Scalar,
    Text,
    Title,
)
from scalesheet.language.syntax import (
    Known as KnownNode,
)
from scalesheet.printers.runtime import Reason as Why

ULP = 2.0**-52
SNAP = 2.0**-47  # spreadsheets treat smaller relative differences as zero
TRUSTED = 2e-13  # a fifth of the required agreement

SCALARS: Mapping[str, Any] = {
    "steps": 1000.0,
    "rate": 0.3,
    "rate_low": 0.1,
    "rate_high": 0.7,
    "hours": 23.1,
    "params": 7e9,
    "tiny": 1.6e-19,
    "debt": -2.5,
    "nothing": 0.0,
    "gpu": "b-2",
    "stage": "once",
    "on": True,
    "off": False,
    "unknown": Why("not measured"),
    "doubt": Why("neither"),
    "nobody": Why("no rows"),
    "note": 'it\'s "so" {x} & 5 % ü',
    "empty": "",
}
#: The words of `stage` and `doubt`.
STAGES = ("once", "seed", "cycle")
ROWS = ("a-1", "b-2", "c-3", "d-4", "e-5", "f-6")
TABLE: Mapping[str, Sequence[Any]] = {
    "price": [3.06, Why("not offered"), 0.1, 1.24, Why("n/a"), 0.1],
    "steps": [1000.0, 2500.0, 0.3, 1e9, 2.675, -4.0],
    "kind": ["once", "seed", "seed", "once", "cycle", "seed"],
    "done": [True, False, True, True, False, True],
    "next": ["b-2", "c-3", "a-1", "f-6", "d-4", "e-5"],
    "day": [46027.0, 46028.0, 46030.0, 46034.0, 46028.0, 46060.0],  # from 2026-01-05
}
TITLES = ("Row one", '2nd "row"', "it's 3", "{4}", "5 & 5", "ü")
HERE = 2  # the current row, counted from 0


class UnstableError(Exception):
    """The result depends on the last bits, or there is none."""


@dataclass(frozen=True)
class Known:
    """A number, the allowed difference between targets, and the largest intermediate magnitude."""

    value: float
    error: float = 0.0
    largest: float = 0.0


def known(value: float, error: float, *operands: Known) -> Known:
    largest = max(abs(value), *(x.largest for x in operands), 0.0)
    if (
        not math.isfinite(error)
        or not math.isfinite(value)
        or not (value == 0 or 1e-250 < abs(value) < 1e250)
    ):
        raise UnstableError
    if error > TRUSTED * largest:
        raise UnstableError
    return Known(value, error, largest)


def reference(node: Node, row: int = HERE, rows: Mapping[str, int] | None = None) -> Any:
    """The true value of a tree: Known, text, bool, or a reason."""
    return _RULES[type(node)](node, _Where(row, rows or {}))


@dataclass(frozen=True)
class _Where:
    row: int
    looked_at: Mapping[str, int] = field(default_factory=dict)

    def of(self, node: Node) -> Any:
        return reference(node, self.row, self.looked_at)


def _stated(value: Any) -> Any:
    return Known(value, 0.0, abs(value)) if isinstance(value, float) else value


def _binary(node: Binary, at: _Where) -> Known:
    a, b = at.of(node.left), at.of(node.right)
    x, y, e, f = a.value, b.value, a.error, b.error
    try:
        if node.op in "+-":
            value = x + y if node.op == "+" else x - y
            error = e + f + ULP * abs(value)
            if abs(value) <= SNAP * max(abs(x), abs(y)) + error:
                error += abs(value)
        elif node.op == "*":
            value = x * y
            error = abs(x) * f + abs(y) * e + ULP * abs(value)
        elif node.op == "/":
            if abs(y) <= 2 * f:
                raise UnstableError
            value = x / y
            error = (e + abs(value) * f) / (abs(y) - f) + ULP * abs(value)
        else:
            value = arithmetic.power(x, y)
            if x == 0 and y > 0 and e == 0:
                return known(0.0, 0.0, a, b)
            if abs(x) <= 2 * e or (x < 0 and f) or value == 0:
                raise UnstableError
            grows = abs(y / x) * e + abs(math.log(abs(x))) * f
            error = abs(value) * (grows + 8 * ULP)
    except (OverflowError, ZeroDivisionError):
        raise UnstableError from None
    return known(value, error, a, b)


def _steady(function: Callable[[float], Any], x: float, error: float) -> Any:
    """The function's result, if it is the same for all numbers within the error of x."""
    results = {function(x), function(x - error), function(x + error)}
    if len(results) > 1:
        raise UnstableError
    return results.pop()


_SLOPES: dict[str, Callable[[float], float]] = {
    "sqrt": lambda x: 0.5 / math.sqrt(x),
    "exp": math.exp,
    "ln": lambda x: 1 / x,
    "log10": lambda x: 1 / x,
    "abs": lambda x: 1.0,
}


def _call(node: Call, at: _Where) -> Known:
    parts = [at.of(argument) for argument in node.arguments]
    values = [part.value for part in parts]
    error = sum(part.error for part in parts)
    x = values[0]
    match node.function:
        case "sum" | "mean":
            added = arithmetic.total(values)
            error += ULP * len(values) * max(map(abs, values))
            if abs(added) <= SNAP * max(map(abs, values)) + error:
                error += abs(added)
            return known(added / (len(values) if node.function == "mean" else 1), error, *parts)
        case "min" | "max":
            return known(getattr(arithmetic, node.function)(*values), error, *parts)
        case "ceil" | "floor":
            rounded = getattr(arithmetic, node.function)
            return known(_steady(rounded, x, parts[0].error), 0.0, *parts)
        case "round":
            places = int(values[1]) if len(values) > 1 else 0
            value = _steady(lambda v: arithmetic.round(v, places), x, parts[0].error)
            return known(value, ULP * abs(x), *parts)
    value = getattr(arithmetic, node.function)(x)
    if (
        not math.isfinite(value)
        or (node.function == "exp" and value == 0)
        or (x <= 2 * error and node.function in ("ln", "log10", "sqrt"))
    ):
        if x == 0 == error and node.function == "sqrt":
            return known(0.0, 0.0, *parts)
        raise UnstableError
    return known(value, _SLOPES[node.function](x) * error + 8 * ULP * abs(value), *parts)


_TESTS: dict[str, Callable[[float, float], bool]] = {
    "<": arithmetic.less,
    "<=": arithmetic.at_most,
    "==": arithmetic.equal,
    "!=": arithmetic.differ,
    ">=": arithmetic.at_least,
    ">": arithmetic.greater,
}


def _compare(node: Compare, at: _Where) -> bool:
    a, b = at.of(node.left), at.of(node.right)
    if node.of != "number":
        return bool((a == b) == (node.op == "=="))
    error = a.error + b.error
    return bool(_steady(lambda x: _TESTS[node.op](x, b.value), a.value, error))


def _logic(node: Logic, at: _Where) -> bool:
    """Both sides must have a value, because a spreadsheet's AND and OR evaluate all arguments."""
    sides = [at.of(node.left), at.of(node.right)]
    return all(sides) if node.op == "and" else any(sides)


def _choice(node: Choice, at: _Where) -> Any:
    return at.of(node.then if at.of(node.test) else node.other)


def _column(node: Column, at: _Where) -> Any:
    return _stated(TABLE[node.column][at.looked_at.get(node.table, at.row)])


def _lookup(node: Lookup, at: _Where) -> Any:
    return _stated(TABLE[node.column][ROWS.index(at.of(node.key))])


MOST_DIGITS = 12  # on which all targets agree


def _fixed(node: Fixed, at: _Where) -> str:
    """The printed number, if it is stable within its error and not too long."""
    x, decimals = at.of(node.operand), node.decimals or 0

    def spelled(value: float) -> str:
        return arithmetic.fixed(value, decimals)

    text = spelled(x.value)
    same = {text, spelled(x.value - x.error), spelled(x.value + x.error)}
    if len(same) > 1 or len(text.replace(".", "").strip("-0")) > MOST_DIGITS:
        raise UnstableError
    return text + node.suffix


def _join(node: Join, at: _Where) -> str:
    return "".join(at.of(part) for part in node.parts)


def _guard(node: Guard, at: _Where) -> Any:
    for subject in node.subjects:
        found = at.of(subject)
        if isinstance(found, Why):
            return found
    return at.of(node.body)


def _aggregate(node: Aggregate, at: _Where) -> Any:
    rows = [
        row
        for row in range(len(ROWS))
        if node.where is None
        or reference(node.where, at.row, {**at.looked_at, node.table: row}) is True
    ]
    if node.column is None:
        return Known(float(len(rows)), 0.0, float(len(rows)))
    pairs = [(row, TABLE[node.column][row]) for row in rows]
    numbers = [(row, value) for row, value in pairs if isinstance(value, float)]
    values = [value for _, value in numbers]
    if node.function == "count":
        return Known(float(len(values)), 0.0, float(len(values)))
    if not values and node.function != "sum":
        raise UnstableError
    if node.function in ("argmin", "argmax"):
        best = min(values) if node.function == "argmin" else max(values)
        return ROWS[numbers[arithmetic.first_at(values, best)][0]]
    largest = max(map(abs, values), default=0.0)
    error = len(values) * ULP * largest
    value = {
        "sum": arithmetic.total,
        "mean": arithmetic.mean,
        "min": lambda found: min(found),
        "max": lambda found: max(found),
    }[node.function](values)
    return known(value, error, Known(value, 0.0, largest))


_RULES: dict[type[Node], Callable[[Any, _Where], Any]] = {
    Number: lambda node, at: _stated(node.value),
    Constant: lambda node, at: _stated(node.value),
    Text: lambda node, at: node.value,
    Flag: lambda node, at: node.value,
    Reason: lambda node, at: Why(at.of(node.text)),
    Join: _join,
    Fixed: _fixed,
    Title: lambda node, at: TITLES[ROWS.index(at.of(node.key))],
    OneOf: lambda node, at: at.of(node.of),
    Scalar: lambda node, at: _stated(
        SCALARS[node.name if node.end == "value" else f"{node.name}_{node.end}"]
    ),
    Column: _column,
    Cell: lambda node, at: _stated(TABLE[node.column][ROWS.index(node.row)]),
    Lookup: _lookup,
    Negative: lambda node, at: (
        Known(-x.value, x.error, x.largest) if (x := at.of(node.operand)) else None
    ),
    Binary: _binary,
    Call: _call,
    Compare: _compare,
    Logic: _logic,
    KnownNode: lambda node, at: not isinstance(at.of(node.of), Why),
    Not: lambda node, at: not at.of(node.operand),
    Choice: _choice,
    Guard: _guard,
    Aggregate: _aggregate,
}
