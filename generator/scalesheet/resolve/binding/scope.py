"""Where a formula stands, what a bound part of it is, and the fault that stops its binding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from scalesheet.language.syntax import Node
from scalesheet.resolve.drafts import Space
from scalesheet.units import Unit


class BindError(Exception):
    """A fault within a formula, at an offset of its text."""

    def __init__(self, code: str, message: str, node: Node | None) -> None:
        super().__init__(message)
        self.code, self.message = code, message
        self.offset = node.span.start if node is not None and node.span else 0


@dataclass(frozen=True, slots=True)
class Typed:
    """A bound tree and what it is. `unit` None fits any (0, a reason); `rounded`: it holds a
    rounding in its present unit. `words` is a word's class where known, `table` a reference's.
    """

    tree: Node
    kind: Literal["number", "word", "flag", "reference", "text", "date", "reason"]
    unit: Unit | None = None
    rounded: bool = False
    words: tuple[str, ...] = ()
    table: str | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a formula stands. `column` is the column it fills: in its own formula that name means
    what it means outside of the table, if anything. `inputs` are those of a catalogue formula;
    `looked_at` is the table whose rows an aggregate's condition goes through."""

    space: Space
    phase: str | None = None
    table: str | None = None
    column: str | None = None
    inputs: Mapping[str, Typed] | None = None
    looked_at: str | None = None
    asserted: bool = False
    depth: int = 0


def a_kind(kind: str) -> str:
    """The kind with its article, for messages."""
    return {
        "number": "a number",
        "word": "a word",
        "flag": "yes or no",
        "reference": "a reference to a row",
        "text": "a text",
        "date": "a date",
        "reason": "a reason",
    }[kind]
