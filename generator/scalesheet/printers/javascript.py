"""JavaScript expressions: a bound tree as text that calls the functions of `runtime.js`.

The text is one expression. Its only free names are `rt` (the runtime), `s` (scalars), `t` (tables)
and, in a column's formula, `i` (the number of the current row). Conditions of aggregates are
functions of their own row number: `j`, and `j2`, `j3` if nested.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import field, replace

from scalesheet.frozen import dataclass
from scalesheet.language import syntax as nodes
from scalesheet.language.syntax import READ, End, Node
from scalesheet.printers.base import Printing, Table, number, run, spelled
from scalesheet.printers.code import ATOM, Piece, bracket, infix
from scalesheet.printers.references import Names

CONDITIONAL, OR, AND, SUM, PRODUCT, UNARY = range(6)


class PlanNames:
    """The names of `runtime.js`: cells in `s` and `t`."""

    def scalar(self, name: str, end: End) -> str:
        return f"s[{quoted(name)}].{end}"

    def column(self, table: str, column: str, end: End, row: str) -> str:
        return f"{self.table(table)}.columns[{quoted(column)}][{row}].{end}"

    def cell(self, table: str, row: str, column: str, end: End) -> str:
        return self.lookup(table, quoted(row), column, end)

    def lookup(self, table: str, key: str, column: str, end: End) -> str:
        return f'rt.lookup({self.table(table)}, {key}, {quoted(column)}, "{end}")'

    def table(self, table: str) -> str:
        return f"t[{quoted(table)}]"

    def constant(self, name: str, value: float) -> str:
        return number(value)


def quoted(text: str) -> str:
    """A string literal that is safe inside a <script> element and on one line."""
    escaped = json.dumps(text, ensure_ascii=False).replace("<", "\\u003c")
    return escaped.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


@dataclass(frozen=True, slots=True)
class _Context:
    """`rows`: the row variable of each enclosing aggregate's table. `test`: a truth value is
    needed."""

    names: Names
    test: bool = False
    rows: dict[str, str] = field(default_factory=dict)


_Printing = Printing[_Context, Piece]
_TABLE: Table[_Context, Piece] = Table()


def javascript(node: Node, names: Names | None = None) -> str:
    """Print a bound tree as an expression."""
    return run(_TABLE, node, _Context(names or PlanNames())).text


def _function(name: str, *arguments: str) -> Piece:
    return Piece(f"rt.{name}({', '.join(arguments)})")


def _read(text: str, context: _Context) -> Piece:
    """A cell; in a test it must be a flag."""
    return _function("yes", text) if context.test else Piece(text)


# ------------------------------------------------------------------ leaves


@_TABLE.of(nodes.Number)
def _number(node: nodes.Number, context: _Context) -> Piece:
    return Piece(number(node.value), UNARY if node.value < 0 else ATOM)


@_TABLE.of(nodes.Text)
def _text(node: nodes.Text, context: _Context) -> Piece:
    return Piece(quoted(node.value))


@_TABLE.of(nodes.Flag)
def _flag(node: nodes.Flag, context: _Context) -> Piece:
    return Piece("true" if node.value else "false")


@_TABLE.of(nodes.Reason)
def _reason(node: nodes.Reason, context: _Context) -> _Printing:
    piece = yield node.text, replace(context, test=False)
    return _function("reason", piece.text)


@_TABLE.of(nodes.Constant)
def _constant(node: nodes.Constant, context: _Context) -> Piece:
    return Piece(context.names.constant(node.name, node.value))


@_TABLE.of(nodes.Scalar)
def _scalar(node: nodes.Scalar, context: _Context) -> Piece:
    return _read(context.names.scalar(node.name, node.end), context)


@_TABLE.of(nodes.Column)
def _column(node: nodes.Column, context: _Context) -> Piece:
    row = "i" if node.own else context.rows.get(node.table, "i")
    return _read(context.names.column(node.table, node.column, node.end, row), context)


@_TABLE.of(nodes.Cell)
def _cell(node: nodes.Cell, context: _Context) -> Piece:
    return _read(context.names.cell(node.table, node.row, node.column, node.end), context)


@_TABLE.of(nodes.Lookup)
def _lookup(node: nodes.Lookup, context: _Context) -> _Printing:
    key = yield node.key, replace(context, test=False)
    return _read(context.names.lookup(node.table, key.text, node.column, node.end), context)


# ------------------------------------------------------------------ numbers

_LEVELS = {"+": SUM, "-": SUM, "*": PRODUCT}


@_TABLE.of(nodes.Negative)
def _negative(node: nodes.Negative, context: _Context) -> _Printing:
    operand = yield node.operand, context
    return Piece(f"-{bracket(operand, ATOM)}", UNARY)


@_TABLE.of(nodes.Binary)
def _binary(node: nodes.Binary, context: _Context) -> _Printing:
    left = yield node.left, context
    right = yield node.right, context
    if node.op in _LEVELS:
        return infix(node.op, _LEVELS[node.op], left, right)
    return _function("divide" if node.op == "/" else "power", left.text, right.text)


@_TABLE.of(nodes.Call)
def _call(node: nodes.Call, context: _Context) -> _Printing:
    parts = []
    for argument in node.arguments:
        parts.append((yield argument, context))
    return _function(node.function, *(part.text for part in parts))


# ------------------------------------------------------------------ conditions

_COMPARISONS = {
    "<": "less",
    "<=": "atMost",
    "==": "equal",
    "!=": "differ",
    ">=": "atLeast",
    ">": "greater",
}


@_TABLE.of(nodes.Compare)
def _compare(node: nodes.Compare, context: _Context) -> _Printing:
    left = yield node.left, replace(context, test=False)
    right = yield node.right, replace(context, test=False)
    if node.of == "number":
        return _function(_COMPARISONS[node.op], left.text, right.text)
    if node.op not in ("==", "!="):  # days are compared as text
        return Piece(f"({left.text} {node.op} {right.text})")
    piece = _function("same", left.text, right.text)
    return piece if node.op == "==" else Piece(f"!{piece.text}", UNARY)


@_TABLE.of(nodes.Logic)
def _logic(node: nodes.Logic, context: _Context) -> _Printing:
    left = yield node.left, replace(context, test=True)
    right = yield node.right, replace(context, test=True)
    level = AND if node.op == "and" else OR
    return infix("&&" if node.op == "and" else "||", level, left, right)


@_TABLE.of(nodes.Not)
def _not(node: nodes.Not, context: _Context) -> _Printing:
    operand = yield node.operand, replace(context, test=True)
    return Piece(f"!{bracket(operand, ATOM)}", UNARY)


@_TABLE.of(nodes.Known)
def _known(node: nodes.Known, context: _Context) -> _Printing:
    of = yield node.of, replace(context, test=False)
    return _function("known", of.text)


@_TABLE.of(nodes.Choice)
def _choice(node: nodes.Choice, context: _Context) -> _Printing:
    test = yield node.test, replace(context, test=True)
    then = yield node.then, context
    other = yield node.other, context
    text = f"{bracket(test, OR)} ? {bracket(then, OR)} : {other.text}"
    return Piece(text, CONDITIONAL)


@_TABLE.of(nodes.Guard)
def _guard(node: nodes.Guard, context: _Context) -> _Printing:
    subjects: list[str] = []
    for subject in node.subjects:
        piece = yield subject, replace(context, test=False)
        subjects.append(piece.text if isinstance(subject, READ) else f"() => {piece.text}")
    body = yield node.body, replace(context, test=False)
    return _read(f"rt.guard([{', '.join(subjects)}], () => {body.text})", context)


# ------------------------------------------------------------------ texts


@_TABLE.of(nodes.Join)
def _join(node: nodes.Join, context: _Context) -> _Printing:
    parts = []
    for part in spelled(node):
        piece = yield part, replace(context, test=False)
        parts.append(piece.text)
    return _function("join", *parts)


@_TABLE.of(nodes.Fixed)
def _fixed(node: nodes.Fixed, context: _Context) -> _Printing:
    operand = yield node.operand, context
    digits = _function("fixed", operand.text, str(node.decimals))
    return infix("+", SUM, digits, Piece(quoted(node.suffix))) if node.suffix else digits


@_TABLE.of(nodes.Title)
def _title(node: nodes.Title, context: _Context) -> _Printing:
    key = yield node.key, replace(context, test=False)
    return _function("title", context.names.table(node.table), key.text)


@_TABLE.of(nodes.OneOf)
def _one_of(node: nodes.OneOf, context: _Context) -> _Printing:
    return (yield node.of, context)


# ------------------------------------------------------------------ aggregates


@_TABLE.of(nodes.Aggregate)
def _aggregate(node: nodes.Aggregate, context: _Context) -> _Printing:
    arguments = [context.names.table(node.table)]
    name = "countRows"
    if node.column is not None:
        name = f"{node.function}Of"
        arguments += [quoted(node.column), f'"{node.end}"']
    if node.where is not None:
        row = _row(context.rows)
        inner = replace(context, test=True, rows={**context.rows, node.table: row})
        where = yield node.where, inner
        arguments.append(f"({row}) => {where.text}")
    return _read(_function(name, *arguments).text, context)


def _row(rows: dict[str, str]) -> str:
    """A row variable that no enclosing condition uses."""
    taken: Sequence[str] = tuple(rows.values())
    return next(name for n in range(1, 99) if (name := f"j{n if n > 1 else ''}") not in taken)
