"""The order of computation: every computed key after what it needs; cycles are spelled out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING

from scalesheet.language.syntax import Aggregate, Cell, Column, Lookup, Node, Scalar, walk
from scalesheet.model import Key

if TYPE_CHECKING:
    from scalesheet.resolve.drafts import Draft, Space


class Cycle(Exception):
    """Keys that depend on each other in a cycle; the first is repeated at the end."""

    def __init__(self, keys: list[Key]) -> None:
        super().__init__(" -> ".join(map(name_of, keys)))
        self.keys = keys


#: The calendar's columns of phases, which follow from what each phase comes after.
CALENDAR = ("start", "end")


def in_words(cycle: Cycle) -> str:
    """What depends on each other, and what to do: phases if they come after each other."""
    if any(key.table != "phases" or key.name not in CALENDAR for key in cycle.keys):
        return f"these depend on each other: {cycle}; state one of them"
    phases = [row for row, _ in groupby(str(key.row) for key in cycle.keys)]
    if len(phases) == 1:
        return f"the phase '{phases[0]}' comes after itself; take it out of its 'after'"
    circle = " -> ".join(phases)
    return f"these phases come after each other: {circle}; take one of them out of an 'after'"


def name_of(key: Key) -> str:
    """How a key is written in a formula."""
    if key.table is None:
        return key.name
    if key.row is None:
        return f"{key.table}.{key.name}"
    return f"{key.table}['{key.row}'].{key.name}"


def keys_of(draft: Draft) -> Iterator[Key]:
    """The computed keys of a quantity: its own, or those of its rows."""
    for row in draft.formulas:
        yield Key(draft.name, draft.table, row)


def needs(tree: Node, key: Key, space: Space) -> Iterator[Key]:
    """The computed keys that a bound formula of `key` depends on."""
    for node in walk(tree):
        if isinstance(node, Scalar):
            if space.scalars[node.name].formulas:
                yield Key(node.name)
        elif isinstance(node, Column):
            inside = key.table == node.table and key.row is not None
            yield from _cells(space, node.table, node.column, key.row if inside else None)
        elif isinstance(node, Cell):
            yield from _cells(space, node.table, node.column, node.row)
        elif isinstance(node, Lookup) or (isinstance(node, Aggregate) and node.column is not None):
            assert node.column is not None
            yield from _cells(space, node.table, node.column, None)


def _cells(space: Space, table: str, column: str, row: str | None) -> Iterator[Key]:
    """Keys behind one cell or a whole column. A plan's catalogue is already computed."""
    if table not in space.tables:
        return
    draft = space.tables[table].columns[column]
    if row is None:
        yield from keys_of(draft)
    elif row in draft.formulas:
        yield Key(column, table, row)
    elif None in draft.formulas and row not in draft.stated:
        yield Key(column, table)


def ordered(graph: Mapping[Key, tuple[Key, ...]]) -> tuple[Key, ...]:
    """Sort topologically, keeping the order of the graph where possible. Raises Cycle."""
    done: dict[Key, bool] = {}
    order: list[Key] = []
    for root in graph:
        stack: list[tuple[Key, Iterator[Key]]] = []
        if root not in done:
            done[root] = False
            stack.append((root, iter(graph[root])))
        while stack:
            key, rest = stack[-1]
            for below in rest:
                if below not in graph:
                    continue
                if below not in done:
                    done[below] = False
                    stack.append((below, iter(graph[below])))
                    break
                if not done[below]:
                    path = [k for k, _ in stack]
                    raise Cycle([*path[path.index(below) :], below])
            else:
                stack.pop()
                done[key] = True
                order.append(key)
    return tuple(order)
