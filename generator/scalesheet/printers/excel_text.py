"""Pieces of Excel formula text: binding levels, brackets, functions, and their limits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce

from scalesheet.frozen import dataclass
from scalesheet.language.arithmetic import working_days
from scalesheet.printers.base import PrinterError

MOST_CHARACTERS = 8192
MOST_LEVELS = 64
MOST_ARGUMENTS = 255
MOST_LITERAL = 255

# Tighter binding has the higher level. Unary minus binds tightest in a spreadsheet and loosest in
# the language, so it counts as loose and is bracketed next to any operator.
COMPARE, JOIN, MINUS, SUM, PRODUCT, POWER, ATOM = range(7)


@dataclass(frozen=True, slots=True)
class Piece:
    """Printed text. `depth`: levels of nesting. `varies`: it is a whole range, not one value."""

    text: str
    level: int = ATOM
    depth: int = 0
    array: bool = False
    varies: bool = False


def make(text: str, level: int, parts: Iterable[Piece], nested: int = 0) -> Piece:
    """Combine pieces. Too long or too deep a result is refused here, before it can grow."""
    inner = list(parts)
    depth = max((part.depth for part in inner), default=0) + nested
    if len(text) >= MOST_CHARACTERS:
        raise limit(f"a formula of more than {MOST_CHARACTERS} characters")
    if depth > MOST_LEVELS:
        raise limit(f"a formula nested deeper than {MOST_LEVELS} levels")
    return Piece(
        text, level, depth, any(part.array for part in inner), any(part.varies for part in inner)
    )


def limit(what: str) -> PrinterError:
    return PrinterError("X001", f"spreadsheets do not allow {what}; give a part of it a name")


def bracket(piece: Piece, least: int) -> Piece:
    """The piece, in brackets if it binds less tightly than `least`."""
    if piece.level >= least:
        return piece
    return make(f"({piece.text})", ATOM, [piece], 1)


def infix(op: str, level: int, left: Piece, right: Piece) -> Piece:
    """Join two sides. Operators associate to the left: a right side of the same level keeps its
    brackets."""
    left, right = bracket(left, level), bracket(right, level + 1)
    return make(f"{left.text}{op}{right.text}", level, [left, right])


def function(name: str, *arguments: Piece) -> Piece:
    if len(arguments) > MOST_ARGUMENTS:
        raise limit(f"more than {MOST_ARGUMENTS} arguments")
    return make(f"{name}({','.join(part.text for part in arguments)})", ATOM, arguments, 1)


def negative(piece: Piece) -> Piece:
    inner = bracket(piece, ATOM)
    return make(f"-{inner.text}", MINUS, [inner])


def choose(test: Piece, then: Piece, other: Piece) -> Piece:
    """Return an IF. Over a range it works only in an array formula."""
    piece = function("IF", test, then, other)
    return replace(piece, array=True) if piece.varies else piece


def literal(text: str) -> Piece:
    """A string literal, joined from parts if it is long. Some characters count twice in a
    spreadsheet."""
    most = MOST_LITERAL if all(c != '"' and c <= "\uffff" for c in text) else MOST_LITERAL // 2
    parts = [text[at : at + most] for at in range(0, len(text), most)] or [""]
    quoted = ['"' + part.replace('"', '""') + '"' for part in parts]
    return make("&".join(quoted), ATOM if len(quoted) == 1 else JOIN, [])


ZERO = Piece("0")
EMPTY = Piece('""')


def times(left: Piece, right: Piece) -> Piece:
    return infix("*", PRODUCT, left, right)


def magnitude(piece: Piece) -> Piece:
    return function("ABS", piece)


def extreme(name: str, parts: Sequence[Piece]) -> Piece:
    """MIN or MAX of several; over ranges, element by element."""
    if not any(part.varies for part in parts):
        return many(name, parts)
    op = "<" if name == "MIN" else ">"
    return reduce(lambda a, b: choose(infix(op, COMPARE, a, b), a, b), parts)


def many(name: str, parts: Sequence[Piece]) -> Piece:
    """Nest calls of a function that has more arguments than one call accepts."""
    while len(parts) > MOST_ARGUMENTS:
        parts = [
            function(name, *parts[at : at + MOST_ARGUMENTS])
            for at in range(0, len(parts), MOST_ARGUMENTS)
        ]
    return function(name, *parts)


def total(parts: Sequence[Piece]) -> Piece:
    if any(part.varies for part in parts):
        return reduce(lambda a, b: infix("+", SUM, a, b), parts)
    return many("SUM", parts)


def mean(parts: Sequence[Piece]) -> Piece:
    if len(parts) <= MOST_ARGUMENTS and not any(part.varies for part in parts):
        return function("AVERAGE", *parts)
    return infix("/", PRODUCT, total(parts), Piece(str(len(parts))))


def flags(test: Piece) -> Piece:
    """Truth values as 1 and 0."""
    inner = bracket(test, ATOM)
    return make(f"--{inner.text}", ATOM, [inner])


def first(ids: Piece, best: Piece, values: Piece) -> Piece:
    return function("INDEX", ids, function("MATCH", best, values, ZERO))


def tolerant(op: str, gap: Piece, within: Piece) -> Piece:
    if op in ("==", "!="):
        return infix("<=" if op == "==" else ">", COMPARE, magnitude(gap), within)
    if op in ("<", ">="):
        within = negative(within)
    return infix(op, COMPARE, gap, within)


def days_off(week: str) -> str:
    """A week such as `sun-thu` as spreadsheets write it: a 1 for each day off, from Monday on."""
    return "".join("0" if day in working_days(week) else "1" for day in range(7))
