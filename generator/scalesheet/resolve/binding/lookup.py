"""Looks up names: finds what a dotted path refers to at its place."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace

from scalesheet.frozen import dataclass
from scalesheet.hints import in_words
from scalesheet.language.syntax import (
    Cell,
    CellName,
    Column,
    Lookup,
    Member,
    Name,
    Node,
    Scalar,
    walk,
)
from scalesheet.nearest import near, nearest
from scalesheet.resolve.binding.scope import BindError, Scope, Typed, a_kind
from scalesheet.resolve.drafts import ADD_GOODPUT, GOODPUT, Draft, DraftTable, Space
from scalesheet.units import PURE

#: Prefix in conditions for a column of the current row.
OWN = "own"


@dataclass(frozen=True, slots=True)
class TableColumn:
    table: str
    column: str


Found = Typed | TableColumn | DraftTable


def find(node: Name, scope: Scope) -> Found:
    """Find what a name refers to: a value, a whole column, or a whole table."""
    first, rest = node.path[0], node.path[1:]
    space = scope.space
    if scope.inputs is not None:
        if first in scope.inputs:
            if rest:
                raise BindError("N001", f"'{first}' is a number and has no parts", node)
            return scope.inputs[first]
        raise BindError(
            "N001",
            f"unknown input '{'.'.join(node.path)}'{nearest(first, scope.inputs)}",
            node,
        )
    if scope.looked_at is not None:
        looked_at = space.table(scope.looked_at)
        if first == OWN and scope.table is not None and OWN not in looked_at.columns:
            return _of_row_at_hand(node, rest, scope)
        if first in looked_at.columns:
            return value(
                Column(looked_at.name, first, span=node.span),
                looked_at.columns[first],
                rest,
                node,
                scope,
            )
        path = _table_path(node.path, scope)
        if path is not None and path[0] == looked_at.name and len(path[1]) >= 1:
            column = path[1][0]
            if column in looked_at.columns:
                draft = looked_at.columns[column]
                return value(
                    Column(looked_at.name, column, span=node.span), draft, path[1][1:], node, scope
                )
    if scope.table is not None:
        own = space.table(scope.table)
        outer = scope.column in own.inputs and first in own.computed
        if first in own.columns and first != scope.column and not outer:
            return value(
                Column(own.name, first, span=node.span), own.columns[first], rest, node, scope
            )
    for prefix in ([scope.phase] if scope.phase else []) + [None]:
        result = _within(prefix, node, scope)
        if result is not None:
            return result
    path = _table_path(node.path, scope)
    if path is not None:
        return _of_table(space.table(path[0]), path[1], node, scope)
    if first == scope.column and scope.table is not None:
        own = space.table(scope.table)
        return value(Column(own.name, first, span=node.span), own.columns[first], rest, node, scope)
    raise _unknown(node, scope)


_HYPHENATED = re.compile(r"[A-Za-z_][\w.]*(?:-[A-Za-z][\w.]*)+")


def hyphenated(text: str, offset: int, scope: Scope) -> str:
    """What to write for a name with a hyphen, which a formula reads as a difference: a row in
    quotes, or the name with an underscore. Empty if there is neither.
    """
    match = _HYPHENATED.match(text, offset)
    if match is None:
        return ""
    before, row, after = "", "", ""
    for part in match[0].split("."):
        if row:
            after += f".{part}"
        elif "-" in part:
            row = part
        else:
            before += f"{part}."
    space, says = scope.space, f"a formula reads '{row}' as a difference"
    tables = {**space.tables, **space.catalogue}
    of = [each for each in tables.values() if row in each.rows and before in (f"{each.name}.", "")]
    if of:
        column = after or f".{next(iter(of[0].columns))}"
        return f"{says}; write the row in quotes: {of[0].name}['{row}']{column}"
    plain = f"{before}{row.replace('-', '_')}{after}"
    phase = f"{scope.phase}.{plain}" if scope.phase else plain
    own = space.tables[scope.table].columns if scope.table and scope.table in space.tables else {}
    known = plain in own or not {plain, phase}.isdisjoint(space.scalars)
    return f"{says}; write {plain}" if known else ""


def _of_row_at_hand(node: Name, rest: tuple[str, ...], scope: Scope) -> Found:
    """`own.steps` within a condition: the column in the row that the formula belongs to."""
    assert scope.table is not None
    table = scope.space.table(scope.table)
    if not rest or rest[0] not in table.columns:
        near = nearest(rest[0], table.columns) if rest else ""
        message = (
            f"'own' is followed by a column of the current row, as own.{next(iter(table.columns))}"
        )
        raise BindError("N001", message + near, node)
    column = Column(table.name, rest[0], own=table.name == scope.looked_at)
    return value(column, table.columns[rest[0]], rest[1:], node, scope)


def _within(phase: str | None, node: Name, scope: Scope) -> Found | None:
    """A scalar of the phase or plan: the longest dotted name that matches one."""
    space = scope.space
    for length in range(len(node.path), 0, -1):
        name = ".".join(([phase] if phase else []) + list(node.path[:length]))
        if name.startswith("total."):
            name = f"phases.{name}"
        if name in space.scalars:
            return value(
                Scalar(name, span=node.span), space.scalars[name], node.path[length:], node, scope
            )
    first, rest = node.path[0], node.path[1:]
    if phase is None and "phases" in space.tables and rest:
        phases = space.tables["phases"]
        if first == "phases" and len(rest) >= 2 and rest[0] in space.phases:
            inner = _in_phase(phases, rest[0], rest[1:], node, scope)
            if inner is not None:
                return inner
        if first in space.phases:
            return _in_phase(phases, first, rest, node, scope)
    return None


def _in_phase(
    phases: DraftTable, phase: str, rest: tuple[str, ...], node: Name, scope: Scope
) -> Found | None:
    if rest[0] in phases.columns:
        draft = phases.columns[rest[0]]
        return value(Cell("phases", phase, rest[0], span=node.span), draft, rest[1:], node, scope)
    return _within(phase, Name(rest, span=node.span), scope) or (
        _of_table(scope.space.table(f"{phase}.{rest[0]}"), rest[1:], node, scope)
        if f"{phase}.{rest[0]}" in scope.space.tables
        else None
    )


def _table_path(path: tuple[str, ...], scope: Scope) -> tuple[str, tuple[str, ...]] | None:
    """The table that a dotted path begins with, and the rest of the path."""
    space = scope.space
    candidates = [
        (f"{scope.phase}.{path[0]}", path[1:]) if scope.phase else None,
        (path[0], path[1:]),
        (".".join(path[:2]), path[2:]) if len(path) > 1 else None,
    ]
    for candidate in candidates:
        if candidate and (candidate[0] in space.tables or candidate[0] in space.catalogue):
            return candidate
    return None


def _of_table(table: DraftTable, rest: tuple[str, ...], node: Name, scope: Scope) -> Found:
    if not rest:
        return table
    if rest[0] == "total":
        column = rest[1] if len(rest) > 1 else ""
        raise BindError(
            "N001",
            f"the table '{table.name}' has no total of '{column}'; it totals "
            f"{', '.join(table.totals) or 'nothing'}",
            node,
        )
    if rest[0] not in table.columns:
        raise _no_column(table, rest[0], node, rest[1:])
    return TableColumn(table.name, rest[0])


def _no_column(table: DraftTable, name: str, node: Node, rest: tuple[str, ...] = ()) -> BindError:
    """The error that a table lacks a column, with hints: a row's name needs brackets, a verdict its
    column's name.
    """
    if name in table.rows:
        column = rest[0] if rest and rest[0] in table.columns else next(iter(table.columns))
        cell = f"{table.name}['{name}'].{column}"
        return BindError("N001", f"'{name}' is a row of {table.name}; write {cell}", node)
    saying = [each.name for each in table.columns.values() if name in each.words]
    hint = f"; did you mean '{saying[0]}'?" if saying else nearest(name, table.columns)
    return BindError("N001", f"'{table.name}' has no column '{name}'{hint}", node)


def _unknown(node: Name, scope: Scope) -> BindError:
    space, known = scope.space, _known(scope)
    name = ".".join(node.path)
    if name == GOODPUT and space.phases:
        return BindError("N001", f"unknown name '{name}'; add it: {ADD_GOODPUT}", node)
    if node.path[0] == "phases" and not space.phases:
        return BindError("N001", f"unknown name '{name}'; the plan has no phases", node)
    hint = nearest(name, known) or _of_a_table(name, space)
    if number := in_words(name):
        hint = f"; write {number}"
    if not node.path[1:]:
        return BindError("N001", f"unknown name '{name}'{hint}", node)
    head = near(node.path[0], tuple(sorted({each.partition(".")[0] for each in known})), 0.7)
    if head is not None and head != node.path[0]:
        meant = Name((head, *node.path[1:]))
        with suppress(BindError):
            find(meant, scope)
            hint = f"; did you mean '{'.'.join(meant.path)}'?"
    return BindError("N001", f"unknown name '{name}'{hint}", node)


def _known(scope: Scope) -> tuple[str, ...]:
    """The names that a formula can use at its place, sorted."""
    space = scope.space
    counts = len(space.scalars), len(space.tables), len(space.phases)
    place = (scope.phase, scope.table, scope.looked_at, *counts)
    if place not in space.suggested:
        known = {*space.scalars, *space.tables, *space.catalogue, *space.phases}
        if scope.phase:
            known |= {n.removeprefix(f"{scope.phase}.") for n in known}
        for table in (scope.table, scope.looked_at):
            known |= set(space.table(table).columns) if table is not None else set()
        space.suggested[place] = tuple(sorted(known))
    return space.suggested[place]


def _of_a_table(name: str, space: Space) -> str:
    """The column of the plan's tables with this name, or with the word in its title."""
    columns = [
        (column.name != name, len(column.title), f"{table}.{column.name}")
        for table, each in space.tables.items()
        for column in each.columns.values()
        if column.name == name or name in re.findall(r"\w{4,}", column.title.casefold())
    ]
    return f"; did you mean '{min(columns)[2]}'?" if columns else ""


def value(tree: Node, draft: Draft, rest: tuple[str, ...], node: Node, scope: Scope) -> Typed:
    """A reference to a quantity, followed through references along the rest of the path."""
    while rest:
        if draft.kind != "reference" or draft.refers_to is None:
            raise BindError(
                "N001",
                f"'{draft.name}' is {a_kind(draft.kind)} and has no part '{rest[0]}'",
                node,
            )
        table = scope.space.table(draft.refers_to)
        if rest[0] not in table.columns:
            raise _no_column(table, rest[0], node)
        if scope.looked_at is not None and any(
            isinstance(n, Column) and n.table == scope.looked_at and not n.own for n in walk(tree)
        ):
            raise BindError(
                "F004",
                f"a condition cannot look up '{rest[0]}' row by row; "
                "give the table a column for it",
                node,
            )
        tree = Lookup(table.name, tree, rest[0], span=node.span)
        draft, rest = table.columns[rest[0]], rest[1:]
    of_catalogue = draft.table in scope.space.catalogue
    open_ = (draft.table, draft.name) in scope.space.bounds if of_catalogue else draft.only_bound
    if open_:
        raise BindError("N008", f"'{draft.name}' is an open bound; formulas cannot use it", node)
    return Typed(
        tree if tree.span is node.span else replace(tree, span=node.span),
        draft.kind,
        draft.unit if not scope.asserted or draft.kind != "number" else PURE,
        words=draft.words,
        table=draft.refers_to,
    )


def cell(node: CellName, scope: Scope) -> Typed:
    """`t['row-id'].c`: the cell of a fixed row."""
    path = _table_path(node.table, scope)
    if path is None or path[1]:
        name = ".".join(node.table)
        known = [*scope.space.tables, *scope.space.catalogue]
        raise BindError("N001", f"unknown table '{name}'{nearest(name, known)}", node)
    table = scope.space.table(path[0])
    if node.row not in table.rows:
        raise BindError(
            "N002",
            f"'{node.row}' is not a row of {table.name}{nearest(node.row, table.rows)}",
            node,
        )
    if node.column not in table.columns:
        raise _no_column(table, node.column, node)
    tree = Cell(table.name, node.row, node.column, span=node.span)
    return value(tree, table.columns[node.column], (), node, scope)


def member(node: Member, row: Typed, scope: Scope) -> Typed:
    """A column of the row that an expression selects."""
    if row.kind != "reference" or row.table is None:
        raise BindError("F004", f"only a row has columns; found {a_kind(row.kind)}", node.row)
    table = scope.space.table(row.table)
    if node.column not in table.columns:
        raise _no_column(table, node.column, node)
    tree = Lookup(table.name, row.tree, node.column, span=node.span)
    return value(tree, table.columns[node.column], (), node, scope)
