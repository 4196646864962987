"""Nodes and names shared by the printers' tables of cases."""

from __future__ import annotations

from typing import Any

from scalesheet.language.syntax import (
    Aggregate,
    Binary,
    Call,
    Choice,
    Column,
    Compare,
    Fixed,
    Guard,
    Join,
    Logic,
    Lookup,
    Negative,
    Node,
    Not,
    Number,
    OneOf,
    Reason,
    Scalar,
    Text,
    Title,
)
from scalesheet.printers.notation import Shown

a, b, c = Scalar("a"), Scalar("b"), Scalar("c")
zero, one, two = Number(0.0), Number(1.0), Number(2.0)
hours, kind, stage = Column("t", "hours"), Column("t", "kind"), Scalar("stage")


def binary(left: Node, op: Any, right: Node) -> Binary:
    return Binary(op, left, right)


def call(function: str, *arguments: Node) -> Call:
    return Call(function, arguments)


once = Compare("==", kind, Text("once"), of="text")
ranked = Choice(
    a,
    Compare("<=", a, b),
    Choice(b, Logic("and", Scalar("on"), Not(Scalar("off"))), Reason(Text("no room"))),
)
sum_once = Aggregate("sum", "t", "hours", where=once)
memory = Lookup("hardware", Scalar("gpu"), "memory")
need = Fixed(Call("round", (a, one)), 1, " GB")
needs = Join((Text("needs "), need, Text(", of "), Title("hardware", Scalar("gpu"))))
pieces = Join((stage, Choice(Join((Text(" -n "), Fixed(b, 0))), Scalar("on"), Text(""))))
doubted = Guard((OneOf(stage, ("fits", "tight")),), pieces)
minus_square = Negative(binary(a, "**", two))


class Symbols:
    """Single letters and `x_y` are symbols, everything else is words."""

    def reference(self, node: Node) -> Shown | None:
        if isinstance(node, Scalar):
            symbol = len(node.name) == 1 or "_" in node.name
            return Shown(symbol=node.name) if symbol else Shown(text=node.name)
        return None

    def column(self, table: str, column: str) -> Shown:
        return Shown(text=column)

    def table(self, table: str) -> str:
        return "the table"


class Numbers(Symbols):
    """The numbers to insert: a is 24 GiB, b is -3, c is 1.5×10⁹."""

    def reference(self, node: Node) -> Shown | None:
        values = {
            a: Shown(number="24", unit="GiB"),
            b: Shown(number="−3"),
            c: Shown(number="1.5×10⁹"),
            memory: Shown(number="80", unit="GiB"),
        }
        return values.get(node)
