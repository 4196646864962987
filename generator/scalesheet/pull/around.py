"""What the parts of a translation share: a formula's place, and forms without an equivalent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scalesheet.frozen import dataclass
from scalesheet.language.syntax import Call, Node
from scalesheet.pull.parse import Tree


@dataclass(frozen=True, slots=True)
class Opaque(Node):
    """A part that the language cannot express; `why` says what is missing."""

    tree: Tree
    why: str


@dataclass(frozen=True, slots=True)
class Around:
    """The place of a formula: its phase, and the constants that are conversions.

    `forms` translates each type of tree, so that each form can translate its parts.
    """

    forms: Mapping[type, Callable[[Any, Around], Node]]
    phase: str | None
    conversions: frozenset[str]
    defaults: Mapping[str, float]
    over: str | None = None  # the table that a condition iterates over

    def translated(self, tree: Tree) -> Node:
        """The tree in the formula language."""
        return self.forms[type(tree)](tree, self)

    def short(self, name: str) -> tuple[str, ...]:
        """The path of a name as written here; names of the own phase omit it."""
        return tuple((name.removeprefix(f"{self.phase}.") if self.phase else name).split("."))


def ended(node: Node, end: object) -> Node:
    """The low or high end of a range; the expected value needs no call."""
    return node if end == "value" else Call(str(end), (node,))
