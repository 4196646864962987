"""The tree of the formula language: the parser's output and every printer's input.

The same nodes are used before and after `resolve`. The parser creates *written* nodes, in which
names are still text (`Name`, `CellName`, `Member`, `Call` of a catalogue formula, `Cast`).
`resolve` creates *bound* trees, which contain only the nodes of `BOUND`: every name is a reference
with the end of its range, every unit conversion is a named `Constant`, every place that may have no
number is a `Choice` with a `Reason`, and a `Guard` names every operand that may be a reason.
Printers and the evaluator see only bound trees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field, fields, replace
from operator import attrgetter
from typing import Any, Literal

from scalesheet.frozen import dataclass

End = Literal["low", "value", "high"]
ENDS: tuple[End, ...] = ("low", "value", "high")

BinaryOp = Literal["+", "-", "*", "/", "**"]
CompareOp = Literal["<", "<=", "==", "!=", ">=", ">"]
LogicOp = Literal["and", "or"]
Aggregation = Literal["sum", "mean", "min", "max", "count", "argmin", "argmax", "list"]


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of characters in the formula's text, from 0."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Node:
    """Base of all nodes. The span is kept for messages and ignored in comparisons."""

    span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)


# ------------------------------------------------------------------ written and bound


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A number literal. `text` is how it was written."""

    value: float
    text: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Text(Node):
    """A word from a closed set: `'fits'`."""

    value: str


@dataclass(frozen=True, slots=True)
class Flag(Node):
    """`yes` or `no`."""

    value: bool


@dataclass(frozen=True, slots=True)
class Reason(Node):
    """Why there is no value here: `reason('needs more memory')`. The text may be computed."""

    text: Node


@dataclass(frozen=True, slots=True)
class Join(Node):
    """Concatenated text: `text('needs ', ...)`.

    In written trees, the parts are `Text`, `Placeholder`, and choices of these. In bound trees,
    they are anything that yields text: `Fixed`, `Title`, references to words and text, choices.
    """

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Negative(Node):
    """`-x`."""

    operand: Node


@dataclass(frozen=True, slots=True)
class Binary(Node):
    op: BinaryOp
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Compare(Node):
    """A comparison of two numbers, words or flags; dates that are text can also be ordered.

    In bound trees, `of` says what is compared. Numbers are equal when |a-b| <= 2**-49 * (|a|+|b|);
    if both operands are *plain* (literals, inputs, counts: no arithmetic), printers may print the
    bare comparison, since nothing was rounded.
    """

    op: CompareOp
    left: Node
    right: Node
    of: Literal["number", "text", "flag"] = "number"
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Logic(Node):
    op: LogicOp
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Not(Node):
    operand: Node


@dataclass(frozen=True, slots=True)
class Choice(Node):
    """`then if test else other`; only the chosen branch counts."""

    then: Node
    test: Node
    other: Node


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A function of numbers (`functions.py`), or a catalogue formula with named inputs."""

    function: str
    arguments: tuple[Node, ...]
    named: tuple[tuple[str, Node], ...] = ()


# ------------------------------------------------------------------ written only


@dataclass(frozen=True, slots=True)
class Name(Node):
    """`steps` or `gpu.memory`."""

    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CellName(Node):
    """`t['row-id'].c`; the table is a path."""

    table: tuple[str, ...]
    row: str
    column: str


@dataclass(frozen=True, slots=True)
class Over(Node):
    """`sum(t.c where cond)`, `count(t)`, `argmin(t.c)`: an aggregate as written."""

    function: Aggregation
    target: Name
    where: Node | None


@dataclass(frozen=True, slots=True)
class Member(Node):
    """`argmin(t.c).price`: a column of the row that an expression selects."""

    row: Node
    column: str


@dataclass(frozen=True, slots=True)
class Placeholder(Node):
    """`{need:.1 GB}` in a text: a value, and how to print it.

    `decimals` is None and `unit` empty if not stated. The unit may be `%`.
    """

    value: Node
    decimals: int | None = None
    unit: str = ""
    unit_at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Cast(Node):
    """`count(t) as run`: turns a pure number into a count with a unit."""

    operand: Node
    unit: str


# ------------------------------------------------------------------ bound only


@dataclass(frozen=True, slots=True)
class Constant(Node):
    """A named constant from the Units sheet such as `byte_per_GB`, or of the arithmetic itself."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class Scalar(Node):
    """A scalar of the plan by its full name."""

    name: str
    end: End = "value"


@dataclass(frozen=True, slots=True)
class Column(Node):
    """A column in the current row; in an aggregate's condition, in the row that is tested.

    `own`: in the current row even there, as in `own.steps` in a condition over its own table.
    """

    table: str
    column: str
    end: End = "value"
    own: bool = False


@dataclass(frozen=True, slots=True)
class Cell(Node):
    """The cell of a fixed row."""

    table: str
    row: str
    column: str
    end: End = "value"


@dataclass(frozen=True, slots=True)
class Lookup(Node):
    """The cell in the row whose id is the value of `key` (text).

    `open`: the key may be a reason, which is then also the value.
    """

    table: str
    key: Node
    column: str
    end: End = "value"
    open: bool = False


@dataclass(frozen=True, slots=True)
class Aggregate(Node):
    """An aggregate of a column. `column` is None for a count of rows.

    `where` is true for the rows that count; in it, `Column` nodes of `table` refer to the row that
    is tested, and everything else is the same for all rows. Reasons in the column are skipped.
    `argmin` and `argmax` return the id of the first such row. An aggregate that may be empty and
    then has no value (all but sum, count and list) is bound inside a `Choice` that tests for it. A
    `list` is all of the numbers, as the argument of a function that takes a column.
    """

    function: Aggregation
    table: str
    column: str | None
    end: End = "value"
    where: Node | None = None


@dataclass(frozen=True, slots=True)
class Known(Node):
    """`known(x)`: whether x has a number rather than a reason."""

    of: Node


@dataclass(frozen=True, slots=True)
class Guard(Node):
    """The first subject that is a reason, else the body."""

    subjects: tuple[Node, ...]
    body: Node


@dataclass(frozen=True, slots=True)
class Fixed(Node):
    """A number as text with `decimals` decimals and a suffix: `35.0 GB`.

    The operand is already rounded. `decimals` may be None until `reasons.py` has proven that the
    operand is a whole number.
    """

    operand: Node
    decimals: int | None
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Title(Node):
    """The title of the row whose id is the value of `key`."""

    table: str
    key: Node


@dataclass(frozen=True, slots=True)
class OneOf(Node):
    """A word or id as the subject of a guard; its value is the word itself.

    Where reasons are text like any other, `words` (or the ids of `table`) distinguish the two.
    """

    of: Node
    words: tuple[str, ...] = ()
    table: str | None = None


BOUND = (
    Number,
    Text,
    Flag,
    Reason,
    Negative,
    Binary,
    Compare,
    Logic,
    Not,
    Choice,
    Call,
    Constant,
    Scalar,
    Column,
    Cell,
    Lookup,
    Aggregate,
    Known,
    Guard,
    Join,
    Fixed,
    Title,
    OneOf,
)

#: Nodes that read a cell as it is and can neither fail nor divide.
READ = (Scalar, Column, Cell, OneOf)

#: Types of fields that may hold nodes.
_NODES = {"Node", "Name", "Node | None", "tuple[Node, ...]", "tuple[tuple[str, Node], ...]"}

#: For each kind of node, the fields that may hold other nodes.
_INNER = {
    kind: tuple(each.name for each in fields(kind) if each.type in _NODES)
    for kind in Node.__subclasses__()
}


#: A function that reads the nodes in a field, or in several.
Read = Callable[[Node], tuple[Node, ...]]


def _of_field(name: str, kind: object) -> Read:
    get = attrgetter(name)
    readers: dict[object, Read] = {
        "tuple[Node, ...]": get,
        "tuple[tuple[str, Node], ...]": lambda node: tuple(inner for _, inner in get(node)),
        "Node | None": lambda node: () if get(node) is None else (get(node),),
    }
    return readers.get(kind, lambda node: (get(node),))


def _of_kind(kind: type[Node]) -> Read | None:
    """Reads the nodes directly below a kind of node; None if it has none."""
    every = [each for each in fields(kind) if each.type in _NODES]
    if len(every) > 1 and all(each.type == "Node" for each in every):
        return attrgetter(*_INNER[kind])
    readers = [_of_field(each.name, each.type) for each in every]
    if len(readers) > 1:
        return lambda node: tuple(inner for read in readers for inner in read(node))
    return readers[0] if readers else None


_BELOW = {kind: _of_kind(kind) for kind in Node.__subclasses__()}


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below, in the order of the text."""
    read = _BELOW[type(node)]
    return read(node) if read else ()


def mapped(node: Node, change: Callable[[Node], Node]) -> Node:
    """The node with its children changed; the node itself where none did."""
    changed = {}
    for name in _INNER[type(node)]:
        value = getattr(node, name)
        new = _changed(value, change)
        if new is not value:
            changed[name] = new
    return replace(node, **changed) if changed else node


def _changed(value: Any, change: Callable[[Node], Node]) -> Any:
    if isinstance(value, Node):
        return change(value)
    if not isinstance(value, tuple):
        return value
    parts = tuple(_changed(part, change) for part in value)
    return parts if any(new is not old for new, old in zip(parts, value, strict=True)) else value


def walk(node: Node) -> Iterator[Node]:
    """The node and all nodes below it, without recursion, parents first."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        if read := _BELOW[type(top)]:
            stack += read(top)[::-1]
