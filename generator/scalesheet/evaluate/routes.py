"""The quantities between an input and a figure, through which a change passes.

A place is a key at one end of its range. The stated cells of a column are one place, with an empty
text as their row. In the table of phases each cell is its own place, since each phase varies
independently.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.language.syntax import (
    ENDS,
    Aggregate,
    Cell,
    End,
    Lookup,
    Node,
    Scalar,
    children,
)
from scalesheet.language.syntax import Column as ColumnNode
from scalesheet.model import Column, Formula, Key, Plan, Quantity, Table

STATED = ""  # the row of a key that stands for the stated cells of a column
PHASES = "phases"
Place = tuple[Key, End]


@dataclass(frozen=True)
class Graph:
    """For each place that figures depend on, the places that read it; and the position of each key
    in the order.
    """

    order: Mapping[Key, int]
    readers: Mapping[Place, tuple[Place, ...]]

    def route(self, starts: Iterable[Place]) -> tuple[Place, ...]:
        """The computed places that change with the starts, in the order of computation."""
        places: set[Place] = set()
        waiting = [start for start in starts if start in self.readers]
        begun = set(waiting)
        while waiting:
            for reader in self.readers[waiting.pop()]:
                if reader not in places and reader not in begun:
                    places.add(reader)
                    waiting.append(reader)
        return tuple(sorted(places, key=lambda place: (self.order[place[0]], ENDS.index(place[1]))))


def graph(
    book: Book, plan: Plan, figures: Iterable[str], ends: Iterable[End] = ("value",)
) -> Graph:
    """Build the graph of all places that the named scalars depend on, at the given ends."""
    tables = {**book.tables, **plan.tables}
    readers: dict[Place, list[Place]] = {}
    waiting: list[Place] = [
        place
        for name in figures
        for place in dict.fromkeys((Key(name), _end(plan.scalars[name], end)) for end in ends)
    ]
    seen = set(waiting)
    for place in waiting:
        readers.setdefault(place, [])
    while waiting:
        place = waiting.pop()
        formula = formula_of(tables, plan, place[0])
        if formula is None:
            continue
        tree = getattr(formula.ends, place[1]) or formula.ends.value
        for read in dict.fromkeys(_reads(tree, place[0], tables, plan, frozenset())):
            readers.setdefault(read, []).append(place)
            if read not in seen:
                seen.add(read)
                waiting.append(read)
    order = {key: at for at, key in enumerate((*book.order, *plan.order))}
    return Graph(order, {place: tuple(by) for place, by in readers.items()})


def read_by(key: Key, tables: Mapping[str, Table], plan: Plan) -> tuple[Key, ...]:
    """What the formula of a key reads for its expected value, without repeats."""
    formula = formula_of(tables, plan, key)
    if formula is None:
        return ()
    places = _reads(formula.ends.value, key, tables, plan, frozenset())
    return tuple(dict.fromkeys(read for read, _ in places))


def rests_on(key: Key, tables: Mapping[str, Table], plan: Plan) -> tuple[Key, ...]:
    """What any end of a key's formula reads, without repeats."""
    formula = formula_of(tables, plan, key)
    trees = () if formula is None else formula.ends.trees
    reads = (read for tree in trees for read, _ in _reads(tree, key, tables, plan, frozenset()))
    return tuple(dict.fromkeys(reads))


def formula_of(tables: Mapping[str, Table], plan: Plan, key: Key) -> Formula | None:
    """The formula of a computed key; None for stated values."""
    if key.table is None:
        return plan.scalars[key.name].formula
    column = tables[key.table].columns[key.name]
    return column.formula if key.row is None else column.own.get(key.row)


def stated_key(table: str, column: str, row: str) -> Key:
    """The key of a stated cell."""
    return Key(column, table, row if table == PHASES else STATED)


def cell_key(table: Table, column: Column, row: str) -> Key:
    """The key that a cell belongs to: its own formula, stated value, or the column's formula."""
    if row in column.own:
        return Key(column.name, table.name, row)
    if row in column.stated:
        return stated_key(table.name, column.name, row)
    return Key(column.name, table.name)


def _column_keys(table: Table, column: Column) -> Iterator[Key]:
    if column.formula is not None:
        yield Key(column.name, table.name)
    for row in column.own:
        yield Key(column.name, table.name, row)
    rows = column.stated if table.name == PHASES else (STATED,) if column.stated else ()
    yield from (Key(column.name, table.name, row) for row in rows)


def _reads(
    node: Node, key: Key, tables: Mapping[str, Table], plan: Plan, within: frozenset[str]
) -> Iterator[Place]:
    """What a tree reads. `within`: tables whose rows an enclosing aggregate iterates over."""
    if isinstance(node, Scalar):
        yield Key(node.name), _end(plan.scalars[node.name], node.end)
    elif isinstance(node, Cell | ColumnNode | Lookup | Aggregate) and node.column is not None:
        table = tables[node.table]
        column = table.columns[node.column]
        row = node.row if isinstance(node, Cell) else None
        if (
            isinstance(node, ColumnNode)
            and node.table == key.table
            and (node.own or node.table not in within)
        ):
            row = key.row  # None for the formula of the whole column
        keys = _column_keys(table, column) if row is None else (cell_key(table, column, row),)
        for read in keys:
            yield read, _end(column, node.end)
    inside = within | {node.table} if isinstance(node, Aggregate) else within
    for child in children(node):
        yield from _reads(child, key, tables, plan, inside)


def _end(quantity: Quantity, end: End) -> End:
    return end if quantity.ranged else "value"
