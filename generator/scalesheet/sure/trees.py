"""Prepares formulas for draws: each range created with `between` becomes an unknown.

A prediction creates its own range: `between(low, expected, high)`. The tree of the expected value
keeps only the middle, so the tree for draws is built from the formula as written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from scalesheet.evaluate.many import WITHOUT, quiet
from scalesheet.frozen import dataclass
from scalesheet.language.syntax import (
    Aggregate,
    Call,
    Cell,
    Column,
    End,
    Lookup,
    Node,
    Reason,
    Scalar,
    mapped,
    walk,
)
from scalesheet.model import Formula

REFERENCES = (Scalar, Column, Cell, Lookup, Aggregate)
ENDS_OF: dict[str, End] = {"low": "low", "high": "high"}


@dataclass(frozen=True, slots=True)
class Made:
    """A range created within a formula: the scalar that holds its draws, and its ends in order.

    `unknown` keys the draws. A formula written once in a component errs in the same way wherever it
    is used: all its uses are one unknown, and so are the rows of a column.
    """

    name: str
    unknown: str
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Tree:
    """The tree of the expected value at draws. `within` are the ranges that `spread` reads,
    innermost first; `value` supplies the reasons. `whole` is False if a range of the formula is not
    drawn.
    """

    value: Node
    spread: Node | None = None
    within: tuple[Made, ...] = ()
    whole: bool = True


class _NotDrawnError(Exception):
    """The formula has a range where it cannot be drawn."""


def tree_of(formula: Formula, moves_with: str = "") -> Tree:
    """The tree of a formula at each draw. `moves_with`: the group that its ranges move with."""
    value = quiet(formula.ends.value)
    if formula.ends.low is None or not any(map(_is_between, walk(formula.tree))):
        return Tree(value)
    within: list[Made] = []
    try:
        spread = _spread(formula.tree, moves_with or formula.text, within)
    except _NotDrawnError:
        return Tree(value, whole=False)
    return Tree(value, spread, tuple(within))


def _is_between(node: Node) -> bool:
    return isinstance(node, Call) and node.function == "between"


def _spread(node: Node, text: str, within: list[Made]) -> Node:
    def inner(each: Node) -> Node:
        return _spread(each, text, within)

    if isinstance(node, Reason):
        return WITHOUT
    if isinstance(node, Aggregate) and any(map(_is_between, _conditions(node))):
        raise _NotDrawnError  # it has a value for each row of another table
    if not isinstance(node, Call) or node.function not in (
        "between",
        "paired",
        "expected",
        *ENDS_OF,
    ):
        return mapped(node, inner)
    if node.function == "between":
        parts = tuple(map(inner, node.arguments))
        unknown = f"{text} #{len(within)}" if within else text
        within.append(Made(f"between {len(within)}", unknown, parts))
        return Scalar(within[-1].name)
    argument: Any = node.arguments[0]
    if node.function in ENDS_OF:
        if not isinstance(argument, REFERENCES):
            raise _NotDrawnError
        return replace(mapped(argument, inner), end=ENDS_OF[node.function])  # type: ignore[call-arg]  # a reference
    return inner(argument)


def _conditions(node: Aggregate) -> Iterator[Node]:
    if node.where is not None:
        yield from walk(node.where)
