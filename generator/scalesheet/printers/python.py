"""Python expressions: a bound tree as readable source text that calls `printers/runtime.py`.

    from scalesheet.printers.runtime import *
    hours = steps / steps_per_hour * gpus
    phases_total = total(numbers(r.gpu_hours for r in phases if r.kind == 'one_time'))

A scalar is its own name, the ends of a range are `name_low` and `name_high`; a column of the
current row is `row.name`, a lookup `hardware[gpu].memory`.
"""

from __future__ import annotations

import keyword
import re
from dataclasses import field, replace

from scalesheet.frozen import dataclass
from scalesheet.language import syntax as nodes
from scalesheet.language.syntax import READ, End, Node
from scalesheet.printers.base import Printing, Table, number, run, spelled
from scalesheet.printers.code import ATOM, Piece, bracket, infix
from scalesheet.printers.references import Names

CONDITIONAL, OR, AND, NOT, COMPARE, SUM, PRODUCT, UNARY, POWER = range(9)


class PlainNames:
    """Names as a person would write them; dots stay, other invalid characters are replaced."""

    def scalar(self, name: str, end: End) -> str:
        return identifier(name) + _suffix(end)

    def column(self, table: str, column: str, end: End, row: str) -> str:
        return f"{row}.{identifier(column)}{_suffix(end)}"

    def cell(self, table: str, row: str, column: str, end: End) -> str:
        return self.lookup(table, repr(row), column, end)

    def lookup(self, table: str, key: str, column: str, end: End) -> str:
        return f"{self.table(table)}[{key}].{identifier(column)}{_suffix(end)}"

    def table(self, table: str) -> str:
        return identifier(table)

    def constant(self, name: str, value: float) -> str:
        return number(value)


def _suffix(end: End) -> str:
    return "" if end == "value" else f"_{end}"


def identifier(name: str) -> str:
    """Make each part of a dotted name a Python identifier."""
    parts = (re.sub(r"\W", "_", part) for part in name.split("."))
    return ".".join(f"{p}_" if keyword.iskeyword(p) or p[:1].isdigit() else p for p in parts)


@dataclass(frozen=True, slots=True)
class _Context:
    """`rows`: the row variable of each enclosing aggregate's table."""

    names: Names
    rows: dict[str, str] = field(default_factory=dict)


_Printing = Printing[_Context, Piece]
_TABLE: Table[_Context, Piece] = Table()


def python(node: Node, names: Names | None = None) -> str:
    """Print a bound tree as an expression."""
    return run(_TABLE, node, _Context(names or PlainNames())).text


# ------------------------------------------------------------------ leaves


@_TABLE.of(nodes.Number)
def _number(node: nodes.Number, context: _Context) -> Piece:
    return Piece(number(node.value), UNARY if node.value < 0 else ATOM)


@_TABLE.of(nodes.Text)
def _text(node: nodes.Text, context: _Context) -> Piece:
    return Piece(repr(node.value))


@_TABLE.of(nodes.Flag)
def _flag(node: nodes.Flag, context: _Context) -> Piece:
    return Piece(repr(node.value))


@_TABLE.of(nodes.Reason)
def _reason(node: nodes.Reason, context: _Context) -> _Printing:
    piece = yield node.text, context
    return Piece(f"Reason({piece.text})")


@_TABLE.of(nodes.Constant)
def _constant(node: nodes.Constant, context: _Context) -> Piece:
    return Piece(context.names.constant(node.name, node.value))


@_TABLE.of(nodes.Scalar)
def _scalar(node: nodes.Scalar, context: _Context) -> Piece:
    return Piece(context.names.scalar(node.name, node.end))


@_TABLE.of(nodes.Column)
def _column(node: nodes.Column, context: _Context) -> Piece:
    row = "row" if node.own else context.rows.get(node.table, "row")
    return Piece(context.names.column(node.table, node.column, node.end, row))


@_TABLE.of(nodes.Cell)
def _cell(node: nodes.Cell, context: _Context) -> Piece:
    return Piece(context.names.cell(node.table, node.row, node.column, node.end))


@_TABLE.of(nodes.Lookup)
def _lookup(node: nodes.Lookup, context: _Context) -> _Printing:
    key = yield node.key, context
    return Piece(context.names.lookup(node.table, key.text, node.column, node.end))


# ------------------------------------------------------------------ numbers

_LEVELS = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT}


@_TABLE.of(nodes.Negative)
def _negative(node: nodes.Negative, context: _Context) -> _Printing:
    operand = yield node.operand, context
    return Piece(f"-{bracket(operand, POWER)}", UNARY)


@_TABLE.of(nodes.Binary)
def _binary(node: nodes.Binary, context: _Context) -> _Printing:
    left = yield node.left, context
    right = yield node.right, context
    if node.op != "**":
        return infix(node.op, _LEVELS[node.op], left, right)
    # an integer literal is a float here: powers of Python's own integers have no limit
    base = bracket(left, ATOM)
    if isinstance(node.left, nodes.Number) and base.isdigit():
        base += ".0"
    return Piece(f"{base} ** {bracket(right, UNARY)}", POWER)


@_TABLE.of(nodes.Call)
def _call(node: nodes.Call, context: _Context) -> _Printing:
    parts = []
    for argument in node.arguments:
        parts.append((yield argument, context))
    arguments = ", ".join(part.text for part in parts)
    if node.function in ("sum", "mean"):
        return Piece(f"{'total' if node.function == 'sum' else 'mean'}([{arguments}])")
    return Piece(f"{node.function}({arguments})")


# ------------------------------------------------------------------ conditions

_COMPARISONS = {
    "<": "less",
    "<=": "at_most",
    "==": "equal",
    "!=": "differ",
    ">=": "at_least",
    ">": "greater",
}


@_TABLE.of(nodes.Compare)
def _compare(node: nodes.Compare, context: _Context) -> _Printing:
    left = yield node.left, context
    right = yield node.right, context
    if node.of == "number":
        return Piece(f"{_COMPARISONS[node.op]}({left.text}, {right.text})")
    # Python chains comparisons, so a side that is a comparison is bracketed
    text = f"{bracket(left, COMPARE + 1)} {node.op} {bracket(right, COMPARE + 1)}"
    return Piece(text, COMPARE)


@_TABLE.of(nodes.Logic)
def _logic(node: nodes.Logic, context: _Context) -> _Printing:
    left = yield node.left, context
    right = yield node.right, context
    return infix(node.op, AND if node.op == "and" else OR, left, right)


@_TABLE.of(nodes.Not)
def _not(node: nodes.Not, context: _Context) -> _Printing:
    operand = yield node.operand, context
    return Piece(f"not {bracket(operand, NOT)}", NOT)


@_TABLE.of(nodes.Choice)
def _choice(node: nodes.Choice, context: _Context) -> _Printing:
    then = yield node.then, context
    test = yield node.test, context
    other = yield node.other, context
    text = f"{bracket(then, OR)} if {bracket(test, OR)} else {other.text}"
    return Piece(text, CONDITIONAL)


@_TABLE.of(nodes.Known)
def _known(node: nodes.Known, context: _Context) -> _Printing:
    of = yield node.of, context
    return Piece(f"known({of.text})")


@_TABLE.of(nodes.Guard)
def _guard(node: nodes.Guard, context: _Context) -> _Printing:
    subjects = []
    for subject in node.subjects:
        piece = yield subject, context
        subjects.append(piece.text if isinstance(subject, READ) else f"lambda: {piece.text}")
    body = yield node.body, context
    return Piece(f"guard([{', '.join(subjects)}], lambda: {body.text})")


# ------------------------------------------------------------------ texts


@_TABLE.of(nodes.Join)
def _join(node: nodes.Join, context: _Context) -> _Printing:
    parts = []
    for part in spelled(node):
        parts.append((yield part, context).text)
    return Piece(f"join({', '.join(parts)})")


@_TABLE.of(nodes.Fixed)
def _fixed(node: nodes.Fixed, context: _Context) -> _Printing:
    operand = yield node.operand, context
    digits = Piece(f"fixed({operand.text}, {node.decimals})")
    return infix("+", SUM, digits, Piece(repr(node.suffix))) if node.suffix else digits


@_TABLE.of(nodes.Title)
def _title(node: nodes.Title, context: _Context) -> _Printing:
    key = yield node.key, context
    return Piece(f"{context.names.table(node.table)}[{key.text}].title")


@_TABLE.of(nodes.OneOf)
def _one_of(node: nodes.OneOf, context: _Context) -> _Printing:
    return (yield node.of, context)


# ------------------------------------------------------------------ aggregates

_DRAWN = {"sum": "total", "mean": "mean", "min": "least", "max": "greatest", "count": "count"}


@_TABLE.of(nodes.Aggregate)
def _aggregate(node: nodes.Aggregate, context: _Context) -> _Printing:
    row = f"r{len(context.rows) + 1}" if context.rows else "r"
    rows = f"for {row} in {context.names.table(node.table)}"
    if node.where is not None:
        where = yield node.where, replace(context, rows={**context.rows, node.table: row})
        rows += f" if {bracket(where, OR)}"
    if node.column is None:
        return Piece(f"count({row} {rows})")
    value = context.names.column(node.table, node.column, node.end, row)
    if node.function in ("argmin", "argmax"):
        return Piece(f"{node.function}(({row}.id, {value}) {rows})")
    if node.function == "list":
        return Piece(f"[*numbers({value} {rows})]")
    return Piece(f"{_DRAWN[node.function]}(numbers({value} {rows}))")
