"""Pieces of program text: what the printers of Python and of JavaScript write alike."""

from __future__ import annotations

from dataclasses import dataclass

#: How tightly what needs no bracket anywhere binds; the levels of each language lie below.
ATOM = 99


@dataclass(frozen=True, slots=True)
class Piece:
    """Text, and how tightly its outermost operator binds."""

    text: str
    level: int = ATOM


def bracket(piece: Piece, least: int) -> str:
    """The text, in brackets if it binds less tightly than that."""
    return piece.text if piece.level >= least else f"({piece.text})"


def infix(op: str, level: int, left: Piece, right: Piece) -> Piece:
    """Two sides of an operator that is read from the left."""
    return Piece(f"{bracket(left, level)} {op} {bracket(right, level + 1)}", level)
