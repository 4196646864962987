"""What all printers share: walking a tree without recursion, and deciding where brackets are
needed.

A printer is a table from node type to a function. For a leaf, the function returns its piece. For
any other node it is a generator: it yields ``(child, context)`` for every child to print, is sent
the child's piece, and returns its own. `run` keeps the unfinished generators in a list, so a tree
may be thousands of nodes deep.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Generic, TypeVar

from scalesheet.language.pieces import join
from scalesheet.language.syntax import Fixed, Join, Node, Text

Context = TypeVar("Context")
Piece = TypeVar("Piece")
Function = TypeVar("Function", bound=Callable[..., Any])

#: The type of a printing function: it yields children and returns its own piece.
Printing = Generator[tuple[Node, Context], Piece, Piece]


class Table(
    dict[type[Node], Callable[[Any, Context], Printing[Context, Piece] | Piece]],
    Generic[Context, Piece],
):
    """A printer: node type -> printing function of the node and its context."""

    def of(self, *types: type[Node]) -> Callable[[Function], Function]:
        """Register a function for nodes of these types."""

        def enter(function: Function) -> Function:
            self.update(dict.fromkeys(types, function))
            return function

        return enter


class PrinterError(Exception):
    """Raised for a tree that the target cannot express. `code` is that of a diagnostic."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def run(table: Table[Context, Piece], node: Node, context: Context) -> Piece:
    """Print a whole tree. Raises TypeError for a node that the table lacks."""
    unfinished: list[Printing[Context, Piece]] = []
    wanted: tuple[Node, Context] | None = (node, context)
    piece: Piece | None = None
    while wanted is not None or unfinished:
        if wanted is not None:
            child, inner = wanted
            if type(child) not in table:
                raise TypeError(f"{type(child).__name__} has no place in a bound tree")
            begun = table[type(child)](child, inner)
            if isinstance(begun, Generator):
                unfinished.append(begun)
                piece = None
            else:
                piece = begun
            wanted = None
            if not unfinished:
                break
        try:
            wanted = unfinished[-1].send(piece)  # type: ignore[arg-type]  # a fresh one takes None
        except StopIteration as done:
            unfinished.pop()
            wanted, piece = None, done.value
    assert piece is not None
    return piece


def spelled(node: Join) -> tuple[Node, ...]:
    """The parts of a text, with the suffix of a number joined to the words after it."""
    parts: list[Node] = []
    for part in node.parts:
        parts.append(part)
        if isinstance(part, Fixed) and part.suffix:
            parts[-1:] = [Fixed(part.operand, part.decimals), Text(part.suffix)]
    return join(parts).parts


def number(value: float) -> str:
    """A literal that reads back as the same float: `2000`, `0.1`, `1e+300`, `-3`."""
    if value == int(value) and -1e15 < value < 1e15:
        return str(int(value))
    return repr(float(value))
