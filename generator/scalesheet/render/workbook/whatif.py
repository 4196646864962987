"""What is computed again when one input moves: which cells, where they stand, by which formulas.

A block of the Sensitivity sheet has one row for each cell between an input and the headline
figures, and three columns: the input at its low side, as it is, at its high side. Within a block
formulas read the block's own cells, and all others where they always stand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from scalesheet.evaluate.levers import Lever, Side, moved
from scalesheet.evaluate.routes import Place, cell_key, formula_of
from scalesheet.evaluate.sensitivity import Trial
from scalesheet.language.syntax import (
    Aggregate,
    Cell,
    Column,
    End,
    Guard,
    Lookup,
    Node,
    Scalar,
    walk,
)
from scalesheet.model import Formula, Key
from scalesheet.printers.excel import excel
from scalesheet.render.workbook.context import Context, end_node
from scalesheet.render.workbook.places import KEY, TITLE, View, absolute

Name = tuple[str | None, str, End]  # table, scalar's or column's name, end
ColumnName = tuple[str, str]  # table, column


@dataclass(frozen=True, slots=True)
class Part:
    """A scalar or a column of a block; `first` is its first row, `rows` the ids of a column."""

    table: str | None
    name: str
    end: End
    first: int
    rows: tuple[str, ...] = ()

    @property
    def last(self) -> int:
        """The row itself, or the empty row below a column."""
        return self.first + len(self.rows)


@dataclass(frozen=True)
class Block:
    """All that is computed again for one input, from `heading` down to before `end`.

    `seen_through` are columns that are read one cell at a time: the move is put in where they are
    read, so that a catalogue of many rows is not copied for the one that is looked up.
    """

    trial: Trial
    heading: int
    parts: Mapping[Name, Part]
    end: int
    changing: frozenset[Place]
    seen_through: frozenset[ColumnName]

    @property
    def lever(self) -> Lever:
        return self.trial.lever

    def figure(self, name: str) -> int:
        """The row of a scalar's expected value."""
        return self.parts[None, name, "value"].first


def block(context: Context, trial: Trial, heading: int) -> Block:
    """The block of a trial whose heading stands in a given row."""
    seen = _seen_through(context, trial)
    parts: dict[Name, Part] = {}
    row = heading + 2
    for table, name, end in _names(context, trial, seen):
        rows = () if table is None else context.tables[table].rows
        first = row if table is None else row + 1  # a column has a heading of its own
        parts[table, name, end] = Part(table, name, end, first, rows)
        row = first + len(rows) + 1
    return Block(trial, heading, parts, row, frozenset(trial.places), seen)


def _names(context: Context, trial: Trial, seen: frozenset[ColumnName]) -> list[Name]:
    """Scalars and columns of a block, in the order of computation.

    With a table of which a range is read come all the columns that are read with it, so that their
    ranges stay as long as each other where a row is inserted into the table itself.
    """
    names: dict[Name, None] = {}
    for key, end in (*trial.begins, *trial.places):
        if key.table is None or (key.table, key.name) not in seen:
            names[key.table, key.name, end] = None
    tables = {table for table, _, _ in names}
    beside: dict[Name, None] = {}
    for node in _nodes(context, trial):
        for table, name, end in _ranges(node):
            column = context.tables[table].columns[name]
            wanted: Name = (table, name, end if column.ranged else "value")
            if table in tables and wanted not in names:
                beside[wanted] = None
    return [*beside, *names]


def _nodes(context: Context, trial: Trial) -> Iterator[Node]:
    """All nodes of the formulas that are computed again."""
    for key, end in trial.places:
        formula = formula_of(context.tables, context.plan, key)
        assert formula is not None
        yield from walk(end_node(formula, end))


def _ranges(node: Node) -> Iterator[tuple[str, str, End]]:
    """The whole columns that a node reads."""
    if isinstance(node, Lookup):
        yield node.table, node.column, node.end
    elif isinstance(node, Aggregate):
        if node.column is not None:
            yield node.table, node.column, node.end
        for each in walk(node.where) if node.where is not None else ():
            if isinstance(each, Column) and each.table == node.table:
                yield each.table, each.column, each.end


# ------------------------------------------------------------------ columns seen through


def _seen_through(context: Context, trial: Trial) -> frozenset[ColumnName]:
    """Columns of the catalogue of which every cell is made alike and none is drawn together."""
    drawn = {
        (table, name)
        for node in _nodes(context, trial)
        if isinstance(node, Aggregate) or (isinstance(node, Lookup) and node.open)
        for table, name, _ in _ranges(node)
    }
    result = set()
    for key, _ in (*trial.begins, *trial.places):
        if key.table is not None and key.table in context.book.tables:
            column = context.tables[key.table].columns[key.name]
            alike = not column.own and not (column.formula and column.stated)
            if alike and (key.table, key.name) not in drawn:
                result.add((key.table, key.name))
    return frozenset(result)


def _through(context: Context, block: Block, side: Side, tree: Node) -> Node:
    """The tree with the moved values in place of the columns that are seen through."""
    begins = {(key.table, key.name) for key in block.lever.begins}

    def put(node: Node) -> Node:
        if isinstance(node, Guard):  # a move does not change whether a stated cell has a number
            return Guard(node.subjects, put(node.body))
        if not isinstance(node, Cell | Column | Lookup):
            return _mapped(node, put)
        if (node.table, node.column) not in block.seen_through:
            return _mapped(node, put)
        column = context.tables[node.table].columns[node.column]
        if (node.table, node.column) in begins:
            return moved(node, column, side)
        assert column.formula is not None
        return put(_from(end_node(column.formula, node.end), node))

    return put(tree)


def _from(tree: Node, where: Cell | Column | Lookup) -> Node:
    """A column's formula as seen from where a cell of the column is read."""

    def place(node: Node) -> Node:
        if isinstance(node, Column) and node.table == where.table:
            return replace(where, column=node.column, end=node.end)
        return _mapped(node, place)

    return place(tree)


def _mapped(node: Node, change: Callable[[Node], Node]) -> Node:
    """The node with its children changed."""
    changed: dict[str, Any] = {}
    for item in fields(node):
        value = getattr(node, item.name)
        if isinstance(value, Node):
            changed[item.name] = change(value)
        elif isinstance(value, tuple) and any(isinstance(part, Node) for part in value):
            changed[item.name] = tuple(change(part) for part in value)
    return replace(node, **changed)


# ------------------------------------------------------------------ cells


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a cell of a block is made. `formula` is None for a copy and for a moved input.

    A cell that stays is the plan's own: it stands there since its column does, and no figure rests
    on its being moved.
    """

    tree: Node
    formula: Formula | None = None
    stays: bool = False


def recipe(context: Context, block: Block, part: Part, row: str | None, at: End) -> Recipe | None:
    """What stands in a cell of a part; None where the plan itself has an empty cell.

    `at` is the column of the block: the input at its low side, as it is, at its high side.
    """
    lever = block.lever
    if part.table is None or row is None:
        key = Key(part.name)
        copy: Scalar | Cell = Scalar(part.name, part.end)
        begins = key in lever.begins
    else:
        table = context.tables[part.table]
        column = table.columns[part.name]
        if row not in column.stated and row not in column.own and column.formula is None:
            return None
        key = cell_key(table, column, row)
        copy = Cell(table.name, row, column.name, part.end)
        begins = key in lever.begins and row in lever.rows
    if begins and at != "value":
        return Recipe(moved(copy, lever.quantity, at))
    if (key, part.end) not in block.changing or key in lever.begins:
        return Recipe(copy, stays=True)
    formula = formula_of(context.tables, context.plan, key)
    assert formula is not None
    tree = end_node(formula, part.end)
    return Recipe(tree if at == "value" else _through(context, block, at, tree), formula)


@dataclass(frozen=True)
class Within:
    """The places of quantities as seen from one row and column of a block."""

    context: Context
    outside: View
    block: Block
    column_at: int
    row: str | None  # id, in a column's part

    def _part(self, table: str | None, name: str, end: End) -> Part | None:
        if table is None:
            ranged = self.context.plan.scalars[name].ranged
        else:
            ranged = self.context.tables[table].columns[name].ranged
        return self.block.parts.get((table, name, end if ranged else "value"))

    def scalar(self, name: str, end: End) -> str:
        part = self._part(None, name, end)
        if part is None:
            return self.outside.scalar(name, end)
        return absolute(part.first, self.column_at)

    def column(self, table: str, column: str, end: End) -> str:
        assert self.row is not None
        part = self._part(table, column, end)
        if part is None:
            return excel(Cell(table, self.row, column, end), self.outside).text
        return absolute(part.first + part.rows.index(self.row), self.column_at)

    def range(self, table: str, column: str, end: End) -> str:
        part = self._part(table, column, end)
        if part is None:
            return self.outside.range(table, column, end)
        return _beside(part, self.column_at)

    def keys(self, table: str, column: str, end: End) -> str:
        part = self._part(table, column, end)
        return self.outside.ids(table) if part is None else _beside(part, KEY)

    def ids(self, table: str) -> str:
        part = self._of(table)
        return self.outside.ids(table) if part is None else _beside(part, KEY)

    def titles(self, table: str) -> str:
        part = self._of(table)
        return self.outside.titles(table) if part is None else _beside(part, TITLE)

    def _of(self, table: str) -> Part | None:
        return next((p for p in self.block.parts.values() if p.table == table), None)

    def constant(self, name: str) -> str:
        return self.outside.constant(name)


def _beside(part: Part, column: int) -> str:
    """A column of the sheet over the rows of a part."""
    return f"{absolute(part.first, column)}:{absolute(part.last, column)}"
