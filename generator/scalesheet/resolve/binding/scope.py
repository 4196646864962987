"""The place of a formula, the type of a bound part of it, and the error that stops its binding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from scalesheet.frozen import dataclass
from scalesheet.language.syntax import Node
from scalesheet.resolve.drafts import Space
from scalesheet.units import Unit


class BindError(Exception):
    """An error at an offset in the text of a formula. `cause` is the part of the bound formula
    whose range leads to it, if not the one at the offset.
    """

    def __init__(
        self, code: str, message: str, node: Node | None, cause: Node | None = None
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.cause = code, message, cause or node
        self.offset = node.span.start if node is not None and node.span else 0


@dataclass(frozen=True, slots=True)
class Typed:
    """A bound tree and its type. `unit` None fits any unit (0, a reason); `words` are a word's
    possible values if known, `table` is a reference's table.
    """

    tree: Node
    kind: Literal["number", "word", "flag", "reference", "text", "date", "reason"]
    unit: Unit | None = None
    words: tuple[str, ...] = ()
    table: str | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """The place of a formula. `column` is the column that it fills: in its own formula that name
    has its meaning outside the table, if any. `inputs` are those of a catalogue formula;
    `looked_at` is the table whose rows an aggregate's condition iterates over.
    """

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
