"""Plain words: a tree as an English phrase, in the order of computation.

    steps divided by steps per hour, times GPUs

A comma ends one step and begins the next; separate computations are in brackets. The phrase leaves
out arithmetic guards, and factors to which the naming gives no name (unit conversions).
"""

from __future__ import annotations

from scalesheet.frozen import dataclass
from scalesheet.language import syntax as nodes
from scalesheet.language.arithmetic import ARITHMETIC
from scalesheet.language.functions import FUNCTIONS
from scalesheet.language.syntax import Node
from scalesheet.printers.base import Printing, Table, run
from scalesheet.printers.notation import Naming, Shown, scientific, unrounded

CHOICE, OR, AND, COMPARE, STEPS, CHAIN, ATOM = range(7)


@dataclass(frozen=True, slots=True)
class _Piece:
    """`chain`: the operators that may follow without a comma."""

    text: str
    level: int = ATOM
    chain: str = ""


_Printing = Printing[Naming, _Piece]
_TABLE: Table[Naming, _Piece] = Table()


def words(node: Node, naming: Naming) -> str:
    """The phrase of a tree, without a capital letter or full stop."""
    return run(_TABLE, node, naming).text


def _apart(piece: _Piece, least: int = ATOM) -> str:
    return piece.text if piece.level >= least else f"({piece.text})"


def _phrase(shown: Shown) -> str:
    if shown.number:
        return f"{shown.number} {shown.unit}".rstrip()
    return shown.text or shown.symbol


# ------------------------------------------------------------------ leaves


@_TABLE.of(nodes.Number)
def _number(node: nodes.Number, naming: Naming) -> _Piece:
    digits, power = scientific(node.value)
    text = digits if power is None else f"{digits} × 10^{power}".replace("-", "−")
    return _Piece(f"minus {text}" if node.value < 0 else text)


@_TABLE.of(nodes.Text)
def _text(node: nodes.Text, naming: Naming) -> _Piece:
    return _Piece(f"‘{node.value}’")


@_TABLE.of(nodes.Flag)
def _flag(node: nodes.Flag, naming: Naming) -> _Piece:
    return _Piece("yes" if node.value else "no")


@_TABLE.of(nodes.Reason)
def _reason(node: nodes.Reason, naming: Naming) -> _Printing:
    return _Piece(f"no value (reason: {(yield node.text, naming).text})")


@_TABLE.of(nodes.Constant, nodes.Scalar)
def _scalar(node: nodes.Scalar | nodes.Constant, naming: Naming) -> _Piece:
    return _Piece(_phrase(naming.reference(node) or Shown(text=node.name)))


@_TABLE.of(nodes.Name)
def _name(node: nodes.Name, naming: Naming) -> _Piece:
    return _Piece(_phrase(naming.reference(node) or Shown(text=".".join(node.path))))


@_TABLE.of(nodes.Column)
def _column(node: nodes.Column, naming: Naming) -> _Piece:
    phrase = _phrase(naming.reference(node) or naming.column(node.table, node.column))
    return _Piece(f"the row’s own {phrase}" if node.own else phrase)


@_TABLE.of(nodes.Cell, nodes.CellName)
def _cell(node: nodes.Cell | nodes.CellName, naming: Naming) -> _Piece:
    shown = naming.reference(node)
    if shown is not None:
        return _Piece(_phrase(shown))
    table = node.table if isinstance(node, nodes.Cell) else ".".join(node.table)
    return _Piece(f"{_phrase(naming.column(table, node.column))} of ‘{node.row}’")


@_TABLE.of(nodes.Lookup)
def _lookup(node: nodes.Lookup, naming: Naming) -> _Printing:
    shown = naming.reference(node)
    if shown is not None:
        return _Piece(_phrase(shown))
    key = yield node.key, naming
    return _Piece(f"{_phrase(naming.column(node.table, node.column))} of {_apart(key)}")


@_TABLE.of(nodes.Member)
def _member(node: nodes.Member, naming: Naming) -> _Printing:
    shown = naming.reference(node)
    if shown is not None:
        return _Piece(_phrase(shown))
    row = yield node.row, naming
    return _Piece(f"{node.column} of {_apart(row)}")


# ------------------------------------------------------------------ numbers

_VERBS = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}
_FAMILIES = {"+": "+-", "-": "+-", "*": "*", "/": ""}
_POWERS = {2.0: "squared", 3.0: "cubed"}


def _step(left: _Piece, phrase: str, family: str = "") -> _Piece:
    """Append the next operation to a phrase."""
    if left.level == ATOM:
        return _Piece(f"{left.text} {phrase}", CHAIN, family)
    if left.level == CHAIN and family and left.chain == family:
        return _Piece(f"{left.text} {phrase}", CHAIN, family)
    return _Piece(f"{_apart(left, STEPS)}, {phrase}", STEPS)


@_TABLE.of(nodes.Negative)
def _negative(node: nodes.Negative, naming: Naming) -> _Printing:
    operand = yield node.operand, naming
    return _Piece(f"minus {_apart(operand)}", CHAIN)


@_TABLE.of(nodes.Binary)
def _binary(node: nodes.Binary, naming: Naming) -> _Printing:
    left = yield node.left, naming
    if node.op == "**":
        if isinstance(node.right, nodes.Number) and node.right.value in _POWERS:
            return _Piece(f"{_apart(left)} {_POWERS[node.right.value]}", CHAIN)
        right = yield node.right, naming
        return _Piece(f"{_apart(left)} to the power of {_apart(right)}", CHAIN)
    right = yield node.right, naming
    if not right.text:
        return left
    return _step(left, f"{_VERBS[node.op]} {_apart(right)}", _FAMILIES[node.op])


@_TABLE.of(nodes.Call)
def _call(node: nodes.Call, naming: Naming) -> _Printing:
    parts = []
    for argument in (*node.arguments, *(value for _, value in node.named)):
        parts.append((yield argument, naming))
    match node.function:
        case "ceil" | "floor":
            return _step(parts[0], f"rounded {'up' if node.function == 'ceil' else 'down'}")
        case "round":
            places = f" to {parts[1].text} decimals" if len(parts) > 1 else ""
            return _step(parts[0], f"rounded{places}")
    texts = [_apart(part) for part in parts]
    if node.function in FUNCTIONS:
        phrase = FUNCTIONS[node.function].words
        if len(texts) > 2:
            phrase = phrase.replace("smaller", "smallest").replace("larger", "largest")
        return _Piece(f"{phrase} {_listed(texts)}", STEPS)
    names = [""] * len(node.arguments) + [f"{name} = " for name, _ in node.named]
    given = (name + text for name, text in zip(names, texts, strict=True))
    return _Piece(f"{node.function} of ({', '.join(given)})")


def _listed(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


# ------------------------------------------------------------------ conditions

_ORDERS = {
    "<": "is less than",
    "<=": "is at most",
    "==": "is",
    "!=": "is not",
    ">=": "is at least",
    ">": "is more than",
}
_WHOLE = {"==": "is", "<=": "is", "!=": "is not", ">": "is not"}
_EMPTY = nodes.Text("")


@_TABLE.of(nodes.Compare)
def _compare(node: nodes.Compare, naming: Naming) -> _Printing:
    left = yield node.left, naming
    if node.op in _WHOLE and node.right == nodes.Call("floor", (node.left,)):
        return _Piece(f"{_apart(left, CHAIN)} {_WHOLE[node.op]} a whole number", COMPARE)
    right = yield node.right, naming
    return _Piece(f"{_apart(left, CHAIN)} {_ORDERS[node.op]} {_apart(right, CHAIN)}", COMPARE)


@_TABLE.of(nodes.Logic)
def _logic(node: nodes.Logic, naming: Naming) -> _Printing:
    left = yield node.left, naming
    right = yield node.right, naming
    level = AND if node.op == "and" else OR
    return _Piece(f"{_apart(left, level)} {node.op} {_apart(right, level + 1)}", level)


@_TABLE.of(nodes.Not)
def _not(node: nodes.Not, naming: Naming) -> _Printing:
    operand = yield node.operand, naming
    return _Piece(f"not {_apart(operand)}", COMPARE)


@_TABLE.of(nodes.Known)
def _known(node: nodes.Known, naming: Naming) -> _Printing:
    of = yield node.of, naming
    return _Piece(f"{_apart(of)} is known", COMPARE)


@_TABLE.of(nodes.Choice)
def _choice(node: nodes.Choice, naming: Naming) -> _Printing:
    parts, last = [], _bare(node)
    while isinstance(last, nodes.Choice):
        then, other = _bare(last.then), _bare(last.other)
        if then == _EMPTY and not isinstance(other, nodes.Choice):
            test, word, then, other = last.test, "unless", other, _EMPTY
        else:
            test, word = last.test, "if"
        shown = _apart((yield then, naming), CHAIN)
        parts.append(f"{shown} {word} {(yield test, naming).text}")
        last = other
    if not parts:
        return (yield last, naming)
    if last != _EMPTY:
        parts.append(f"otherwise {_apart((yield last, naming), CHAIN)}")
    return _Piece(", ".join(parts), CHOICE)


def _bare(node: Node) -> Node:
    """A node without its guards."""
    while True:
        match node:
            case nodes.Guard():
                node = node.body
            case nodes.Choice(then=nodes.Reason(nodes.Text(reason))) if reason in ARITHMETIC:
                node = node.other
            case _:
                return node


@_TABLE.of(nodes.Guard)
def _guard(node: nodes.Guard, naming: Naming) -> _Printing:
    return (yield node.body, naming)


@_TABLE.of(nodes.Cast)
def _cast(node: nodes.Cast, naming: Naming) -> _Printing:
    return (yield node.operand, naming)


# ------------------------------------------------------------------ texts


@_TABLE.of(nodes.Join)
def _join(node: nodes.Join, naming: Naming) -> _Printing:
    """One quotation, with printed values in brackets."""
    text = ""
    for part in node.parts:
        piece = yield part, naming
        if len(node.parts) == 1:
            return piece
        text += part.value if isinstance(part, nodes.Text) else f"[{piece.text}]"
    return _Piece(f"‘{text}’")


@_TABLE.of(nodes.Fixed)
def _fixed(node: nodes.Fixed, naming: Naming) -> _Printing:
    operand = yield unrounded(node), naming
    return _Piece(operand.text + node.suffix if node.suffix == "%" else operand.text)


@_TABLE.of(nodes.Placeholder)
def _placeholder(node: nodes.Placeholder, naming: Naming) -> _Printing:
    return (yield node.value, naming)


@_TABLE.of(nodes.Title)
def _title(node: nodes.Title, naming: Naming) -> _Printing:
    return (yield node.key, naming)


# ------------------------------------------------------------------ aggregates

_DRAWN = {
    "sum": "the sum of",
    "mean": "the mean of",
    "min": "the smallest",
    "max": "the largest",
    "count": "the number of",
    "list": "every",
    "argmin": "the row with the smallest",
    "argmax": "the row with the largest",
}


@_TABLE.of(nodes.Aggregate, nodes.Over)
def _aggregate(node: nodes.Aggregate | nodes.Over, naming: Naming) -> _Printing:
    shown = naming.reference(node)
    if shown is not None:
        return _Piece(_phrase(shown))
    if isinstance(node, nodes.Over):
        what = (yield node.target, naming).text
    elif node.column is None:
        what = f"rows of {naming.table(node.table)}"
    else:
        column, table = _phrase(naming.column(node.table, node.column)), naming.table(node.table)
        what = f"{column} in {table}"
        if node.function == "count":
            what = f"rows of {table} that have a value of {column}"
    text = f"{_DRAWN[node.function]} {what}"
    if node.where is None:
        return _Piece(text, STEPS)
    where = yield node.where, naming
    return _Piece(f"{text} where {where.text}", STEPS)
