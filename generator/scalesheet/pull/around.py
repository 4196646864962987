"""What the parts of a translation share: where a formula is, and what has no equivalent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from scalesheet.language.syntax import Call, Node
from scalesheet.pull.parse import Tree


@dataclass(frozen=True, slots=True)
class Opaque(Node):
    """A part that has no form in the language; `why` says what of it."""

    tree: Tree
    why: str


@dataclass(frozen=True, slots=True)
class Around:
    """Where a formula stands: its phase, and the constants that are conversions.

    `forms` says how each type of tree is read, so that every form can ask for its parts.
    """

    forms: Mapping[type, Callable[[Any, Around], Node]]
    phase: str | None
    conversions: frozenset[str]
    defaults: Mapping[str, float]
    over: str | None = None  # the table whose rows a condition looks at

    def translated(self, tree: Tree) -> Node:
        """The written tree of the language."""
        return self.forms[type(tree)](tree, self)

    def short(self, name: str) -> tuple[str, ...]:
        """The path of a name as it is written here: that of the own phase goes without it."""
        return tuple((name.removeprefix(f"{self.phase}.") if self.phase else name).split("."))


def ended(node: Node, end: object) -> Node:
    """The low or high end of a range; the expected value stands as it is."""
    return node if end == "value" else Call(str(end), (node,))
