"""Formulas as mathematics: one table from node to notation, for both MathML and LaTeX.

A target is a `Markup`: how it writes a fraction, a root, a name. A `Naming` says how to show a
reference: as a symbol or title, or as a number, which draws the formula with its numbers filled in.
Guards are left out: they are not part of the mathematics. Written trees can be drawn as well as
bound ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Protocol

from scalesheet.frozen import dataclass
from scalesheet.language import syntax as nodes
from scalesheet.language.functions import FUNCTIONS
from scalesheet.language.syntax import Node
from scalesheet.printers.base import Printing, Table, run

CASES, OR, AND, NOT, COMPARE, LARGE, SUM, PRODUCT, FRACTION, POWER, ATOM = range(11)
NARROW_SPACE = "\u202f"


@dataclass(frozen=True, slots=True)
class Shown:
    """What replaces a reference: a symbol (`M_opt`, `eta`), a number with its unit, or words.

    The first nonempty one is used, in this order.
    """

    symbol: str = ""
    number: str = ""
    unit: str = ""
    text: str = ""


class Naming(Protocol):
    """How references are shown."""

    def reference(self, node: Node) -> Shown | None:
        """Show a scalar, constant, cell, column, lookup or aggregate, or a written name of one.

        None lets the printer draw it from its parts.
        """

    def column(self, table: str, column: str) -> Shown:
        """Show a column wherever it occurs."""

    def table(self, table: str) -> str:
        """Name a table in words."""


@dataclass(frozen=True, slots=True)
class Markup:
    """How a target writes each kind of notation."""

    name: Callable[[Shown], str]
    number: Callable[[str], str]
    text: Callable[[str], str]
    operator: Callable[[str], str]
    row: Callable[[Sequence[str]], str]
    fence: Callable[[str, str, str], str]  # opening, content, closing
    fraction: Callable[[str, str], str]
    power: Callable[[str, str], str]
    root: Callable[[str], str]
    subscript: Callable[[str, str], str]
    under: Callable[[str, str], str]  # a large operator or function, and what goes below it
    function: Callable[[str], str]
    cases: Callable[[Sequence[tuple[str, str]]], str]  # value, condition


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    level: int = ATOM


@dataclass(frozen=True, slots=True)
class _Context:
    markup: Markup
    naming: Naming


_Printing = Printing[_Context, _Piece]
_TABLE: Table[_Context, _Piece] = Table()


def notation(node: Node, markup: Markup, naming: Naming) -> str:
    """The markup of a tree."""
    return run(_TABLE, node, _Context(markup, naming)).text


def grouped(digits: str) -> str:
    """`10000.25` with thousands separators."""
    whole, point, rest = digits.partition(".")
    return f"{int(whole):,}".replace(",", NARROW_SPACE) + point + rest


def scientific(value: float) -> tuple[str, int | None]:
    """A literal's digits, and the power of ten that is written separately, if any.

    7e9 is 7 and 9, 10000 is itself.
    """
    exact = Decimal(repr(abs(value))).normalize()
    digits, exponent = exact.as_tuple().digits, int(exact.as_tuple().exponent)
    power = exact.adjusted()
    if value == 0 or (exponent < 6 and -6 < power < 15):
        return grouped(f"{exact:f}"), None
    mantissa = "".join(map(str, digits))
    return mantissa[0] + (f".{mantissa[1:]}" if len(mantissa) > 1 else ""), power


def _bracket(piece: _Piece, least: int, markup: Markup) -> str:
    return piece.text if piece.level >= least else markup.fence("(", piece.text, ")")


def _infix(op: str, level: int, left: _Piece, right: _Piece, markup: Markup) -> _Piece:
    parts = [
        _bracket(left, level, markup),
        markup.operator(op),
        _bracket(right, level + 1, markup),
    ]
    return _Piece(markup.row(parts), level)


def _listed(parts: Sequence[str], markup: Markup) -> str:
    """Arguments separated by commas."""
    separated = [parts[0]] if parts else []
    for part in parts[1:]:
        separated += [markup.operator(","), part]
    return markup.row(separated)


def _applied(function: str, parts: Sequence[str], markup: Markup) -> _Piece:
    """function(a, b), where the function is already markup."""
    return _Piece(markup.row([function, markup.fence("(", _listed(parts, markup), ")")]))


# ------------------------------------------------------------------ leaves


@_TABLE.of(nodes.Number)
def _number(node: nodes.Number, context: _Context) -> _Piece:
    markup = context.markup
    digits, power = scientific(node.value)
    piece = _Piece(markup.number(digits))
    if power is not None:
        ten = _Piece(
            markup.power(markup.number("10"), markup.number(str(power).replace("-", "−"))), POWER
        )
        piece = ten if digits == "1" else _infix("×", PRODUCT, piece, ten, markup)
    return _minus(piece, markup) if node.value < 0 else piece


def _words(text: str, context: _Context) -> _Piece:
    return _Piece(context.markup.text(text))


@_TABLE.of(nodes.Text)
def _text(node: nodes.Text, context: _Context) -> _Piece:
    return _words(node.value or "“”", context)


@_TABLE.of(nodes.Flag)
def _flag(node: nodes.Flag, context: _Context) -> _Piece:
    return _words("yes" if node.value else "no", context)


@_TABLE.of(nodes.Reason)
def _reason(node: nodes.Reason, context: _Context) -> _Printing:
    return (yield node.text, context)


def _shown(shown: Shown, context: _Context) -> _Piece:
    """A number with a unit, or one of several parts, is bracketed below a power."""
    loose = not shown.symbol and bool(shown.number) and (bool(shown.unit) or "×" in shown.number)
    if not shown.symbol and shown.number.startswith(("-", "−")):
        return _Piece(context.markup.name(shown), SUM)
    return _Piece(context.markup.name(shown), PRODUCT + 1 if loose else ATOM)


def _named(node: Node, fallback: str, context: _Context) -> _Piece:
    return _shown(context.naming.reference(node) or Shown(text=fallback), context)


@_TABLE.of(nodes.Constant, nodes.Scalar)
def _scalar(node: nodes.Scalar | nodes.Constant, context: _Context) -> _Piece:
    return _named(node, node.name, context)


@_TABLE.of(nodes.Name)
def _name(node: nodes.Name, context: _Context) -> _Piece:
    return _named(node, ".".join(node.path), context)


@_TABLE.of(nodes.Column)
def _column(node: nodes.Column, context: _Context) -> _Piece:
    shown = context.naming.reference(node) or context.naming.column(node.table, node.column)
    return (
        _of_row(shown, context.markup.text("own"), context) if node.own else _shown(shown, context)
    )


def _of_row(column: Shown, row: str, context: _Context) -> _Piece:
    """A column with its row as subscript."""
    return _Piece(context.markup.subscript(_shown(column, context).text, row))


@_TABLE.of(nodes.Cell, nodes.CellName)
def _cell(node: nodes.Cell | nodes.CellName, context: _Context) -> _Piece:
    shown = context.naming.reference(node)
    if shown is not None:
        return _shown(shown, context)
    table = node.table if isinstance(node, nodes.Cell) else ".".join(node.table)
    column = context.naming.column(table, node.column)
    return _of_row(column, context.markup.text(node.row), context)


@_TABLE.of(nodes.Lookup)
def _lookup(node: nodes.Lookup, context: _Context) -> _Printing:
    shown = context.naming.reference(node)
    if shown is not None:
        return _shown(shown, context)
    key = yield node.key, context
    return _of_row(context.naming.column(node.table, node.column), key.text, context)


@_TABLE.of(nodes.Member)
def _member(node: nodes.Member, context: _Context) -> _Printing:
    shown = context.naming.reference(node)
    if shown is not None:
        return _shown(shown, context)
    row = yield node.row, context
    return _of_row(Shown(text=node.column), row.text, context)


# ------------------------------------------------------------------ numbers


def _minus(piece: _Piece, markup: Markup) -> _Piece:
    return _Piece(markup.row([markup.operator("−"), _bracket(piece, PRODUCT, markup)]), SUM)


@_TABLE.of(nodes.Negative)
def _negative(node: nodes.Negative, context: _Context) -> _Printing:
    return _minus((yield node.operand, context), context.markup)


_SIGNS = {"+": ("+", SUM), "-": ("−", SUM), "*": ("×", PRODUCT)}


@_TABLE.of(nodes.Binary)
def _binary(node: nodes.Binary, context: _Context) -> _Printing:
    left = yield node.left, context
    right = yield node.right, context
    markup = context.markup
    if node.op == "/":
        return _Piece(markup.fraction(left.text, right.text), FRACTION)
    if node.op == "**":
        return _Piece(markup.power(_bracket(left, ATOM, markup), right.text), POWER)
    return _infix(*_SIGNS[node.op], left, right, markup)


@_TABLE.of(nodes.Call)
def _call(node: nodes.Call, context: _Context) -> _Printing:
    parts = []
    for argument in (*node.arguments, *(value for _, value in node.named)):
        parts.append((yield argument, context))
    markup, texts = context.markup, [part.text for part in parts]
    opening, closing = FUNCTIONS[node.function].markup if node.function in FUNCTIONS else ("", "")
    if opening:
        return _Piece(markup.fence(opening, texts[0], closing))
    match node.function:
        case "sqrt":
            return _Piece(markup.root(texts[0]))
        case "exp":
            return _Piece(markup.power(markup.name(Shown(symbol="e")), texts[0]), POWER)
        case "log10":
            log = markup.subscript(markup.function("log"), markup.number("10"))
            return _applied(log, texts, markup)
        case "sum":
            piece = parts[0]
            for part in parts[1:]:
                piece = _infix("+", SUM, piece, part, markup)
            return piece
    names = [""] * len(node.arguments) + [name for name, _ in node.named]
    equations = [
        markup.row([markup.text(name), markup.operator("="), text]) if name else text
        for name, text in zip(names, texts, strict=True)
    ]
    return _applied(markup.function(node.function), equations, markup)


# ------------------------------------------------------------------ conditions

_ORDERS = {"<": "<", "<=": "≤", "==": "=", "!=": "≠", ">=": "≥", ">": ">"}


@_TABLE.of(nodes.Compare)
def _compare(node: nodes.Compare, context: _Context) -> _Printing:
    left = yield node.left, context
    right = yield node.right, context
    return _infix(_ORDERS[node.op], COMPARE, left, right, context.markup)


def _spaced(word: str, context: _Context) -> str:
    return context.markup.text(f"\u00a0{word}\u00a0")


@_TABLE.of(nodes.Logic)
def _logic(node: nodes.Logic, context: _Context) -> _Printing:
    left = yield node.left, context
    right = yield node.right, context
    level = AND if node.op == "and" else OR
    parts = [_bracket(left, level, context.markup), _spaced(node.op, context)]
    return _Piece(context.markup.row([*parts, _bracket(right, level + 1, context.markup)]), level)


@_TABLE.of(nodes.Not)
def _not(node: nodes.Not, context: _Context) -> _Printing:
    operand = yield node.operand, context
    inner = _bracket(operand, COMPARE + 1, context.markup)
    return _Piece(context.markup.row([context.markup.text("not\u00a0"), inner]), NOT)


@_TABLE.of(nodes.Known)
def _known(node: nodes.Known, context: _Context) -> _Printing:
    of = yield node.of, context
    inner = _bracket(of, COMPARE + 1, context.markup)
    return _Piece(context.markup.row([inner, context.markup.text("\u00a0is known")]), COMPARE)


@_TABLE.of(nodes.Choice)
def _choice(node: nodes.Choice, context: _Context) -> _Printing:
    cases = []
    last: Node = node
    while isinstance(last, nodes.Choice):
        then = yield last.then, context
        test = yield last.test, context
        condition = [context.markup.text("if\u00a0"), test.text]
        cases.append((then.text, context.markup.row(condition)))
        last = last.other
    other = yield last, context
    cases.append((other.text, context.markup.text("otherwise")))
    return _Piece(context.markup.cases(cases), CASES)


@_TABLE.of(nodes.Guard)
def _guard(node: nodes.Guard, context: _Context) -> _Printing:
    return (yield node.body, context)


@_TABLE.of(nodes.Cast)
def _cast(node: nodes.Cast, context: _Context) -> _Printing:
    return (yield node.operand, context)


# ------------------------------------------------------------------ texts


def unrounded(node: nodes.Fixed) -> Node:
    """The number that a text prints, before rounding."""
    match node.operand:
        case nodes.Call("round", arguments):
            return arguments[0]
    return node.operand


@_TABLE.of(nodes.Join)
def _join(node: nodes.Join, context: _Context) -> _Printing:
    """One quotation: words as text, printed values in brackets."""
    markup = context.markup
    parts = [markup.text("“")]
    for part in node.parts:
        piece = yield part, context
        if isinstance(part, nodes.Text):
            parts.append(markup.text(part.value.replace(" ", "\u00a0")))
        else:
            parts.append(
                piece.text if isinstance(part, nodes.Choice) else markup.fence("[", piece.text, "]")
            )
    return _Piece(markup.row([*parts, markup.text("”")]))


@_TABLE.of(nodes.Fixed)
def _fixed(node: nodes.Fixed, context: _Context) -> _Printing:
    operand = yield unrounded(node), context
    if node.suffix != "%":
        return operand
    return _Piece(context.markup.row([operand.text, context.markup.text("%")]))


@_TABLE.of(nodes.Placeholder)
def _placeholder(node: nodes.Placeholder, context: _Context) -> _Printing:
    return (yield node.value, context)


@_TABLE.of(nodes.Title)
def _title(node: nodes.Title, context: _Context) -> _Printing:
    return (yield node.key, context)


# ------------------------------------------------------------------ aggregates


@_TABLE.of(nodes.Aggregate, nodes.Over)
def _aggregate(node: nodes.Aggregate | nodes.Over, context: _Context) -> _Printing:
    shown = context.naming.reference(node)
    if shown is not None:
        return _shown(shown, context)
    markup = context.markup
    below = ""
    if node.where is not None:
        where = yield node.where, context
        below = where.text
    if isinstance(node, nodes.Over):
        column = (yield node.target, context).text
    elif node.column is None:
        column = markup.text(context.naming.table(node.table))
    else:
        column = _shown(context.naming.column(node.table, node.column), context).text
    if node.function == "list":
        return _Piece(column)
    if node.function == "sum":
        sign = markup.operator("∑")
        return _Piece(markup.row([markup.under(sign, below) if below else sign, column]), LARGE)
    name = markup.function(
        {"argmin": "arg min", "argmax": "arg max"}.get(node.function, node.function)
    )
    return _applied(markup.under(name, below) if below else name, [column], markup)
