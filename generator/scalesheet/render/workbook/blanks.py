"""Leaves a number of a case blank if the case's status gives the reason.

`cost if broken == 0 else reason('{status}')` returns the status as the reason, which would fill
every numeric cell of a case that cannot run. In turned tables such cells are blank, and only the
status cell gives the reason. A formula that reads such a cell repeats its test, so that it still
returns the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from scalesheet.language.syntax import (
    Aggregate,
    Cell,
    Choice,
    Column,
    Guard,
    Join,
    Known,
    Lookup,
    Node,
    Reason,
    Text,
    mapped,
    walk,
)
from scalesheet.model import Column as ModelColumn
from scalesheet.model import Ends, Formula, Plan
from scalesheet.render.workbook.turned import is_turned

BLANK = Reason(Text(""))
Said = tuple[Node, Reason]  # the test for a number, and the reason if it fails
Reference = Column | Cell | Lookup


def blanked(plan: Plan) -> Plan:
    """Return the plan with blanks in its cases, and with the reasons in formulas that read them."""
    tables = {name: table for name, table in plan.tables.items() if is_turned(table)}
    if not tables:
        return plan
    said: dict[tuple[str, str], Said] = {}
    scalars: dict[str, Any] = dict(plan.scalars)
    columns: dict[str, dict[str, Any]] = {n: dict(t.columns) for n, t in plan.tables.items()}
    for key in plan.order:
        quantity = scalars[key.name] if key.table is None else columns[key.table][key.name]
        change = partial(_changed, said=said)
        if key.row is not None:
            own = {**quantity.own, key.row: change(quantity.own[key.row])}
            columns[str(key.table)][key.name] = replace(quantity, own=own)
            continue
        changed = replace(quantity, formula=change(quantity.formula))
        if key.table is None:
            scalars[key.name] = changed
            continue
        if key.table in tables and changed.kind == "number":
            why = _why(changed)
            if why is not None:
                said[key.table, key.name] = why
                changed = replace(changed, formula=_over(changed.formula, _blank))
        columns[key.table][key.name] = changed
    changed_tables = {n: replace(t, columns=columns[n]) for n, t in plan.tables.items()}
    return replace(plan, scalars=scalars, tables=changed_tables)


def _over(formula: Formula, change: Callable[[Node], Node]) -> Formula:
    low, high = (tree and change(tree) for tree in (formula.ends.low, formula.ends.high))
    return replace(formula, ends=Ends(change(formula.ends.value), low, high))


# ------------------------------------------------------------------ reasons


def _why(column: ModelColumn) -> Said | None:
    """The test that all ends share, if the reason is a text of the same case."""
    if column.formula is None or column.own or column.stated:
        return None
    found = {_said(tree) for tree in column.formula.ends.trees}
    return found.pop() if len(found) == 1 else None


def _said(tree: Node) -> Said | None:
    match tree:
        case Choice(test=test, other=Reason(text=Join(parts=(Column(),))) as reason):
            return (test, reason) if _of_case(test) and _of_case(reason) else None
    return None


def _of_case(tree: Node) -> bool:
    """Return whether it reads only columns of the case, which have no reasons."""
    return not any(isinstance(node, Cell | Lookup | Aggregate | Guard) for node in walk(tree))


def _blank(tree: Node) -> Node:
    assert isinstance(tree, Choice)
    return replace(tree, other=BLANK)


# ------------------------------------------------------------------ formulas that read blanks


def _changed(formula: Formula, said: dict[tuple[str, str], Said]) -> Formula:
    if not any(
        isinstance(node, Reference) and (node.table, node.column) in said
        for tree in formula.ends.trees
        for node in walk(tree)
    ):
        return formula
    return _over(formula, lambda tree: _with_reasons(tree, said, ()))


def _with_reasons(tree: Node, said: dict[tuple[str, str], Said], known: tuple[Node, ...]) -> Node:
    """Return the tree with the reason of each blank that it may read.

    `known`: tests that hold here, and references known to be numbers.
    """
    match tree:
        case Known() | Aggregate():
            return tree
        case Guard(subjects=subjects, body=body):
            return _guard(subjects, body, said, known)
        case Choice(then=then, test=test):
            then = _with_reasons(then, said, (*known, test))
            test, other = (_with_reasons(side, said, known) for side in (test, tree.other))
            return Choice(then, test, other)
        case Column() | Cell() | Lookup():
            why = _of(tree, said)
            if why is None or why[0] in known or replace(tree, end="value") in known:
                return tree
            return Choice(tree, *why)
    return mapped(tree, lambda node: _with_reasons(node, said, known))


def _guard(
    subjects: tuple[Node, ...],
    body: Node,
    said: dict[tuple[str, str], Said],
    known: tuple[Node, ...],
) -> Node:
    """Check subjects in turn, each blank after the test of its case."""
    for at, subject in enumerate(subjects):
        why = _of(subject, said)
        if why is not None and why[0] not in known:
            rest = _guard(subjects[at:], body, said, (*known, why[0]))
            inner = Choice(rest, *why)
            return Guard(subjects[:at], inner) if at else inner
        known = (*known, subject)
    return Guard(subjects, _with_reasons(body, said, known))


def _of(node: Node, said: dict[tuple[str, str], Said]) -> Said | None:
    """The test and reason of a blank, as seen from where it is read."""
    if not isinstance(node, Reference) or (node.table, node.column) not in said:
        return None

    def seen(part: Node) -> Node:
        if not isinstance(part, Column):
            return mapped(part, seen)
        if isinstance(node, Column):
            return replace(part, own=node.own)
        return replace(node, column=part.column, end=part.end)

    test, reason = said[node.table, node.column]
    why = seen(reason)
    assert isinstance(why, Reason)
    return seen(test), why
