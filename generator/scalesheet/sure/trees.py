"""Formulas as they are computed at each draw: ranges made by `between` are unknowns of their own.

A prediction gives its own range: `between(low, expected, high)`. In the tree of the expected value
only the middle is left, so what is drawn is made from the formula as it was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from scalesheet.evaluate.many import WITHOUT, quiet
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
    """A range made within a formula: the scalar that stands for its draws, and its ends in order.

    `unknown` keys the draws. The same formula, written once in a component, errs alike wherever it
    is used: its uses are one unknown, and so are the rows of a column.
    """

    name: str
    unknown: str
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Tree:
    """The expected value as it is drawn. `within` are the ranges that `spread` reads, innermost
    first; `value` gives the reasons. `whole` is False where a range of the formula is not drawn."""

    value: Node
    spread: Node | None = None
    within: tuple[Made, ...] = ()
    whole: bool = True


class _NotDrawnError(Exception):
    """The formula has a range at a place that draws do not reach."""


def tree_of(formula: Formula, moves_with: str = "") -> Tree:
    """How a formula is computed at each draw. `moves_with`: what the ranges in it move with."""
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
