"""Binds an expression of claims.yaml: a formula in which `@id` is the figure of a claim.

`@id` becomes the scalar of that claim, `sum(@table.column)` covers the claims made from a column of
rows, and in a row's claims the names of the table's columns become that row's cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields, replace
from typing import Any

from scalesheet.claims import Basis
from scalesheet.diagnostics import at
from scalesheet.frozen import dataclass
from scalesheet.language.format import formula_text
from scalesheet.language.syntax import (
    Call,
    CellName,
    Member,
    Name,
    Node,
    Number,
    Over,
    Text,
    walk,
)
from scalesheet.model import Position
from scalesheet.nearest import nearest
from scalesheet.resolve.binding.bind import infer
from scalesheet.resolve.binding.scope import BindError, Scope, Typed
from scalesheet.resolve.drafts import Draft, DraftTable, Space, Written
from scalesheet.resolve.lowering.values import Lowering, written
from scalesheet.units import PURE, Unit

DRAWN = ("sum", "min", "max", "mean")


@dataclass(frozen=True, slots=True)
class Row:
    """The row that claims are made from: its table in the plan, if any, and its own claims."""

    table: DraftTable | None = None
    row: str = ""
    claims: Mapping[str, str] = field(default_factory=dict)  # column -> id


@dataclass(slots=True)
class Binder:
    """Binds all expressions of one file: the names it knows, and the drafts it creates.

    `columns` are the claims made from rows, by table and column. `prefix` separates the quantities
    of several documents of one plan.
    """

    low: Lowering
    space: Space
    claims: Mapping[str, Draft]  # by id
    columns: Mapping[tuple[str, str], tuple[str, ...]]
    drafts: list[Draft] = field(default_factory=list)
    prefix: str = ""

    def read(self, text: Any, row: Row, *path: str | int) -> Written | None:
        """Parse the expression at a path and resolve its names of claims and rows."""
        result = written(self.low, text, *path, claims=True)
        if result is None:
            return None
        try:
            return replace(result, tree=self._rewritten(result.tree, row))
        except BindError as error:
            self.say(error, result)
            return None

    def say(self, error: BindError, where: Written) -> None:
        self.low.problems.append(at(where.at(error.offset), error.code, error.message))

    def typed(self, result: Written, row: Row, want: Unit | None) -> Typed | None:
        """Bind an expression and find its type; None with a diagnostic if it cannot be bound."""
        try:
            return infer(result.tree, self.scope(row), want)
        except BindError as error:
            self.say(error, result)
            return None

    def scope(self, row: Row) -> Scope:
        return Scope(self.space, phase=row.table.phase if row.table else None)

    def basis(
        self, name: str, text: Any, row: Row, kind: str, unit: Unit | None, *path: str | int
    ) -> Basis | None:
        """The expression at a path as a quantity `name` of a kind and unit; any kind and unit if
        `kind` is empty.
        """
        result = self.read(text, row, *path)
        name = f"{self.prefix}{name}"
        if result is None:
            return None
        typed = self.typed(result, row, unit)
        if typed is None:
            return None
        own = self._draft(name, result, typed, kind, unit)
        self.drafts.append(own)
        refers = [id_ for n in walk(result.tree) if (id_ := _claimed(n)) is not None]
        mirror = _claimed(result.tree)
        text = formula_text(result.tree) if row.row else result.text
        return Basis(" ".join(text.split()), name, tuple(dict.fromkeys(refers)), mirror)

    def _draft(
        self, name: str, result: Written, typed: Typed, kind: str, unit: Unit | None
    ) -> Draft:
        own = Draft(name, name, result.position, formulas={None: result})
        kind = kind or typed.kind
        if kind == "number" or typed.kind == "reason":
            own.unit = unit if unit is not None else typed.unit or PURE
        elif kind == "text" and typed.kind in ("word", "reference", "date"):
            own.kind, own.refers_to = typed.kind, typed.table
        elif kind != "reason":
            own.kind, own.refers_to = kind, typed.table  # type: ignore[assignment]  # a Kind
        if own.kind == "word":
            parts = [n.value for n in walk(result.tree) if isinstance(n, Text)]
            own.words = tuple(dict.fromkeys((*typed.words, *parts)))
        return own

    # -- names of claims and rows

    def _rewritten(self, node: Node, row: Row) -> Node:
        drawn = _drawn(node)
        if drawn is not None:
            return self._column(node, *drawn)
        if isinstance(node, Name):
            return self._name(node, row)
        if isinstance(node, Over):
            where = node.where
            return node if where is None else replace(node, where=self._rewritten(where, row))
        return _mapped(node, lambda below: self._rewritten(below, row))

    def _name(self, node: Name, row: Row) -> Node:
        first, rest = node.path[0], node.path[1:]
        if first.startswith("@"):
            id_ = row.claims.get(first[1:], first[1:])
            if rest:
                raise BindError(
                    "C001",
                    f"'{'.'.join(node.path)}' stands for several claims; reduce them to one "
                    "value, as in "
                    f"sum({'.'.join(node.path)})",
                    node,
                )
            if id_ not in self.claims:
                raise BindError("C001", f"there is no claim '{id_}'{self._near(id_, row)}", node)
            return Name((f"@{id_}",), span=node.span)
        if row.table is not None and first in row.table.columns:
            cell: Node = CellName(tuple(row.table.name.split(".")), row.row, first, span=node.span)
            for part in rest:
                cell = Member(cell, part, span=node.span)
            return cell
        return node

    def _near(self, id_: str, row: Row) -> str:
        return nearest(id_, [*row.claims, *sorted(self.claims)])

    def _column(self, node: Node, function: str, target: Name) -> Node:
        table, column = target.path[0][1:], ".".join(target.path[1:])
        ids = self.columns.get((table, column))
        if ids is None:
            known = [f"{t}.{c}" for t, c in self.columns]
            near = nearest(f"{table}.{column}", known)
            raise BindError("C001", f"there are no claims '{table}.{column}'{near}", target)
        if function == "count":
            return Number(float(len(ids)), span=node.span)
        if function not in DRAWN:
            raise BindError("F003", f"{function} gives a row, and claims are not rows", node)
        names = tuple(Name((f"@{id_}",), span=target.span) for id_ in ids)
        return Call(function, names, span=node.span)


def _claimed(node: Node) -> str | None:
    """The claim that a node names."""
    if isinstance(node, Name) and node.path[0].startswith("@"):
        return node.path[0][1:]
    return None


def _drawn(node: Node) -> tuple[str, Name] | None:
    """The function that aggregates claims, and the column it aggregates."""
    if isinstance(node, Call) and node.function in DRAWN and len(node.arguments) == 1:
        target = node.arguments[0]
    elif isinstance(node, Over):
        target = node.target
    else:
        return None
    if isinstance(target, Name) and target.path[0].startswith("@") and len(target.path) > 1:
        return node.function, target
    return None


def _mapped(node: Node, change: Any) -> Node:
    """The node with `change` applied to each child."""
    changed: dict[str, Any] = {}
    for item in fields(node):
        value = getattr(node, item.name)
        if isinstance(value, Node):
            changed[item.name] = change(value)
        elif isinstance(value, tuple) and item.name == "arguments":
            changed[item.name] = tuple(change(part) for part in value)
        elif isinstance(value, tuple) and item.name == "named":
            changed[item.name] = tuple((name, change(part)) for name, part in value)
    return replace(node, **changed) if changed else node


def figure_draft(id_: str, position: Position) -> Draft:
    """The scalar of a claim's figure, without kind and value yet."""
    return Draft(f"@{id_}", f"@{id_}", position)
