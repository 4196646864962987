"""Translates values, references and operators of a spreadsheet formula."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from scalesheet.language.syntax import (
    Binary,
    BinaryOp,
    CellName,
    Compare,
    CompareOp,
    Flag,
    Name,
    Negative,
    Node,
    Not,
    Number,
    Text,
)
from scalesheet.printers.base import number
from scalesheet.pull.around import Around, Opaque, ended
from scalesheet.pull.parse import Fn, Lit, Op, Ref, Tree


def literal(tree: Lit, around: Around) -> Node:
    match tree.value:
        case bool(value):
            return Flag(value)
        case str("yes" | "no" as word):
            return Flag(word == "yes")
        case str(text):
            return Text(text)
        case value if not isfinite(value):
            return Opaque(tree, "a number in it is too large for a spreadsheet")
        case value:
            return Number(value, number(value))


def reference(tree: Ref, around: Around) -> Node:
    meaning: Any = tree.meaning
    match tree.kind:
        case "scalar":
            return ended(Name(around.short(meaning[0])), meaning[1])
        case "own":
            table, column, end = meaning
            own = ("own", column) if around.over == table else (column,)
            return ended(Name(own), end)
        case "cell":
            table, row, column, end = meaning
            return ended(CellName(around.short(table), row, column), end)
        case "id":
            return Text(meaning[1])
        case "const" if meaning in around.defaults:
            return Number(around.defaults[meaning], number(around.defaults[meaning]))
        case "name":
            return Opaque(tree, f"the name '{meaning}' is not defined in this workbook")
        case "range" | "ids" | "titles" | "few":
            return Opaque(tree, "a whole column where one value is expected")
        case "area":
            return Opaque(tree, f"it reads {meaning}, neither an input nor a figure of the plan")
    return Opaque(tree, f"'{meaning}' has no name in the plan")


# ------------------------------------------------------------------ operators

_COMPARES: Mapping[str, CompareOp] = {
    "=": "==",
    "<>": "!=",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
}
_ARITHMETIC: Mapping[str, BinaryOp] = {"+": "+", "-": "-", "*": "*", "/": "/", "^": "**"}

#: The comparison of a and b for each operator between `ABS(a-b)` and the tolerance.
_ABSOLUTE: Mapping[str, CompareOp] = {"<=": "==", ">": "!="}
#: For each operator between `a-b` and the tolerance, whether the tolerance has a minus.
_NEGATED = {"<": True, ">=": True, "<=": False, ">": False}


def operator(tree: Op, around: Around) -> Node:
    op, sides = tree.op, tree.sides
    if op == "neg":
        return Negative(around.translated(sides[0]))
    if op == "%":
        inner = around.translated(sides[0])
        if isinstance(inner, Number):
            value = inner.value / 100
            return Number(value, number(value))
        return Binary("/", inner, Number(100.0, "100"))
    if op in _COMPARES:
        return _compared(tree, around)
    if op == "&":
        return Opaque(tree, "it joins text with '&'; write text('...') in the data")
    left, right = sides
    if op in "*/" and _conversion(right, around):
        return around.translated(left)
    if op == "*" and _conversion(left, around):
        return around.translated(right)
    return Binary(_ARITHMETIC[op], around.translated(left), around.translated(right))


def _conversion(tree: Tree, around: Around) -> bool:
    return isinstance(tree, Ref) and tree.kind == "const" and tree.meaning in around.conversions


def _compared(tree: Op, around: Around) -> Node:
    tolerant = _tolerant(tree)
    if tolerant is not None:
        op, left, right = tolerant
        return Compare(op, around.translated(left), around.translated(right))
    left, right = tree.sides
    one, other = around.translated(left), around.translated(right)
    if tree.op == "=" and isinstance(other, Flag) and isinstance(right, Lit):
        return one if other.value else Not(one)
    return Compare(_COMPARES[tree.op], one, other)


def _tolerant(tree: Op) -> tuple[CompareOp, Tree, Tree] | None:
    """`ABS(a-b)<=equal_within*(ABS(a)+ABS(b))` and the like: the comparison of a and b."""
    gap, within = tree.sides
    negated = False
    if isinstance(within, Op) and within.op == "neg":
        within, negated = within.sides[0], True
    if not (isinstance(within, Op) and within.op == "*"):
        return None
    factor, sides = within.sides
    if isinstance(factor, Op) and factor.op == "neg":
        factor, negated = factor.sides[0], True
    if factor != Ref("const", "equal_within"):
        return None
    whole = isinstance(gap, Fn) and gap.name == "ABS"
    inner = gap.arguments[0] if isinstance(gap, Fn) and whole else gap
    if not (isinstance(inner, Op) and inner.op == "-"):
        return None
    left, right = inner.sides
    if sides != Op("+", (Fn("ABS", (left,)), Fn("ABS", (right,)))):
        return None
    if whole:
        absolute = _ABSOLUTE.get(tree.op)
    else:
        absolute = _COMPARES[tree.op] if _NEGATED.get(tree.op) is negated else None
    return (absolute, left, right) if absolute else None
