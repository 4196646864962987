"""Pieces of program text that the printers of Python and JavaScript share."""

from __future__ import annotations

from scalesheet.frozen import dataclass

#: The binding of a piece that never needs brackets; operators have lower levels.
ATOM = 99


@dataclass(frozen=True, slots=True)
class Piece:
    """Text, and the binding level of its outermost operator."""

    text: str
    level: int = ATOM


def bracket(piece: Piece, least: int) -> str:
    """The text, in brackets if it binds less tightly than `least`."""
    return piece.text if piece.level >= least else f"({piece.text})"


def infix(op: str, level: int, left: Piece, right: Piece) -> Piece:
    """Join two sides of a left-associative operator."""
    return Piece(f"{bracket(left, level)} {op} {bracket(right, level + 1)}", level)
