"""Parses the tokens of a spreadsheet formula into a tree, with the precedence of spreadsheets.

There, unary minus binds tighter than a power, and powers group from the left: `-2^2` is 4 and
`2^3^2` is 64. `%` follows its number.
"""

from __future__ import annotations

from collections.abc import Sequence

from scalesheet.frozen import dataclass
from scalesheet.pull.tokens import FormulaProblem, Token

DEEPEST = 100
#: Nested operations. The language allows fewer, so our own formulas always fit.
MOST_OPERATIONS = 200


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference, by what it means."""

    kind: str
    meaning: object


@dataclass(frozen=True, slots=True)
class Lit:
    """A number, text or flag."""

    value: float | str | bool


@dataclass(frozen=True, slots=True)
class Op:
    """An operator between two sides; `neg` and `%` have one."""

    op: str
    sides: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Fn:
    """A function with its arguments."""

    name: str
    arguments: tuple[Tree, ...]


Tree = Ref | Lit | Op | Fn

#: Operators from loosest to tightest.
_LEVELS = (("=", "<>", "<", ">", "<=", ">="), ("&",), ("+", "-"), ("*", "/"), ("^",))
_VALUES = {"num", "str", "flag"}


def tree_of(tokens: Sequence[Token]) -> Tree:
    """The tree of a whole formula. Raises FormulaProblem."""
    parser = _Parser(tokens)
    tree = parser.level(0)
    if parser.at < len(tokens):
        raise FormulaProblem(f"expected the end of the formula, found {parser.here()}")
    unseen: list[tuple[Tree, int]] = [(tree, 1)]
    while unseen:
        part, depth = unseen.pop()
        if depth > MOST_OPERATIONS:
            most = f"{MOST_OPERATIONS} nested operations"
            raise FormulaProblem(f"more than {most}; split it over several cells")
        below = part.sides if isinstance(part, Op) else ()
        below = part.arguments if isinstance(part, Fn) else below
        unseen += ((each, depth + 1) for each in below)
    return tree


@dataclass
class _Parser:
    tokens: Sequence[Token]
    at: int = 0
    depth: int = 0

    def here(self) -> str:
        if self.at >= len(self.tokens):
            return "nothing"
        return f"'{self.tokens[self.at][1]}'"

    def peek(self, *ops: str) -> bool:
        return self.at < len(self.tokens) and (
            self.tokens[self.at][0] == "op" and self.tokens[self.at][1] in ops
        )

    def take(self, op: str) -> None:
        if not self.peek(op):
            raise FormulaProblem(f"{self.here()} stands where '{op}' is expected")
        self.at += 1

    def level(self, level: int) -> Tree:
        if level == len(_LEVELS):
            return self.unary()
        if level == 0:
            self.depth += 1
            if self.depth > DEEPEST:
                raise FormulaProblem(f"it is nested deeper than {DEEPEST} levels")
        left = self.level(level + 1)
        while self.peek(*_LEVELS[level]):
            op = str(self.tokens[self.at][1])
            self.at += 1
            left = Op(op, (left, self.level(level + 1)))
        if level == 0:
            self.depth -= 1
        return left

    def unary(self) -> Tree:
        signs = 0
        while self.peek("-", "+"):
            signs += self.tokens[self.at][1] == "-"
            self.at += 1
        tree = self.atom()
        while self.peek("%"):
            self.at += 1
            tree = Op("%", (tree,))
        for _ in range(signs):
            tree = Op("neg", (tree,))
        return tree

    def atom(self) -> Tree:
        if self.at >= len(self.tokens):
            raise FormulaProblem("it ends too early")
        kind, text = self.tokens[self.at]
        if self.peek("("):
            self.at += 1
            tree = self.level(0)
            self.take(")")
            return tree
        self.at += 1
        if kind in _VALUES:
            assert isinstance(text, float | str | bool)
            return Lit(text)
        if kind == "func":
            return Fn(str(text), self.arguments())
        if kind == "op":
            self.at -= 1
            raise FormulaProblem(f"'{text}' stands where a value is expected")
        if kind == "error":
            raise FormulaProblem(f"it holds {text}, which refers to nothing")
        if kind == "foreign":
            raise FormulaProblem(f"it reads another file, {text}")
        return Ref(kind, text)

    def arguments(self) -> tuple[Tree, ...]:
        trees: list[Tree] = []
        if self.peek(")"):
            self.at += 1
            return ()
        while True:
            trees.append(self.level(0))
            if self.peek(")"):
                self.at += 1
                return tuple(trees)
            self.take(",")
