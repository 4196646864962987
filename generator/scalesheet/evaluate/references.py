"""What a figure is computed from: its references, and all stated values behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scalesheet.book import Book
from scalesheet.language.syntax import (
    Aggregate,
    Cell,
    Column,
    Lookup,
    Node,
    Scalar,
    walk,
)
from scalesheet.model import Formula, Key, Plan, Stated
from scalesheet.scenarios import SCENARIO
from scalesheet.values import Results


def references(node: Node) -> tuple[Key, ...]:
    """What a tree refers to, in order, without repeats. A look-up refers to a table's column."""
    result: dict[Key, None] = {}
    for part in walk(node):
        key = key_of(part)
        if key is not None:
            result.setdefault(key)
    return tuple(result)


def key_of(node: Node) -> Key | None:
    """What one node refers to by itself."""
    match node:
        case Scalar():
            return Key(node.name)
        case Column() | Lookup():
            return Key(node.column, node.table)
        case Cell():
            return Key(node.column, node.table, node.row)
        case Aggregate() if node.column is not None:
            return Key(node.column, node.table)
    return None


def formulas(plan: Plan) -> Iterator[tuple[Key, Formula]]:
    """Every formula of a plan with the key of its result."""
    for scalar in plan.scalars.values():
        if scalar.formula is not None:
            yield Key(scalar.name), scalar.formula
    for table in plan.tables.values():
        for column in table.columns.values():
            if column.formula is not None:
                yield Key(column.name, table.name), column.formula
            for row, formula in column.own.items():
                yield Key(column.name, table.name, row), formula


def users(plan: Plan) -> Mapping[Key, tuple[Key, ...]]:
    """For each scalar and column, the figures of the plan whose formulas refer to it."""
    result: dict[Key, dict[Key, None]] = {}
    for user, formula in formulas(plan):
        for key in references(formula.ends.value):
            result.setdefault(Key(key.name, key.table), {}).setdefault(Key(user.name, user.table))
    return {key: tuple(of) for key, of in result.items()}


def rests_on(
    book: Book, plan: Plan, results: Results, of: Key, *, choices: bool = False
) -> Mapping[Key, Stated]:
    """All stated numbers that a scalar or cell of the plan depends on, and the scalars among its
    choices; with `choices` also those in the plan's own tables.
    """
    result: dict[Key, Stated] = {}
    seen: set[Key] = set()
    stack = [of]
    while stack:
        key = stack.pop()
        if key in seen:
            continue
        seen.add(key)
        side = _side(plan, results, key)
        if side is not None:
            stack.append(side)
            continue
        for stated_key, stated in _stated(book, plan, key, choices):
            result[stated_key] = stated
        stack.extend(named_by(book, plan, results, key))
    return result


def told_once(stated: Mapping[Key, Stated]) -> Mapping[Key, Stated]:
    """The stated numbers as people count them: cells of a column with the same basis count once."""
    first: dict[tuple[str, str | None, str], Key] = {}
    for key, each in stated.items():
        if each.reason is None:
            first.setdefault((key.name, key.table, each.basis), key)
    return {key: stated[key] for key in first.values()}


def named_by(book: Book, plan: Plan, results: Results, key: Key) -> tuple[Key, ...]:
    """What the formula of a key refers to, without repeats; for a cell, as seen from its row."""
    named: dict[Key, None] = {}
    for formula in formulas_at(book, plan, key):
        for node in walk(formula.ends.value):
            named.update(dict.fromkeys(needs(node, key, results)))
    return tuple(named)


def _side(plan: Plan, results: Results, key: Key) -> Key | None:
    """The hidden input behind a value in the current scenario."""
    if SCENARIO not in results.scalars:
        return None
    scenario = str(results.scalars[SCENARIO].value)
    if key.table is None:
        name = dict(plan.scalars[key.name].sides).get(scenario)
        return Key(name) if name is not None else None
    table = plan.tables.get(key.table)
    if table is None:
        return None
    name = dict(table.columns[key.name].sides).get(scenario)
    return Key(name, key.table, key.row) if name is not None else None


def _stated(book: Book, plan: Plan, key: Key, choices: bool) -> Iterator[tuple[Key, Stated]]:
    if key.table is None:
        scalar = plan.scalars.get(key.name)
        if scalar is not None and scalar.stated is not None:
            yield key, scalar.stated
        return
    table = plan.tables.get(key.table) or book.tables[key.table]
    column = table.columns[key.name]
    chosen = choices and key.table in plan.tables and column.kind != "text"
    if column.kind != "number" and not chosen:
        return
    for row in table.rows if key.row is None else (key.row,):
        if row in column.stated:
            yield Key(key.name, key.table, row), column.stated[row]


def formulas_at(book: Book, plan: Plan, key: Key) -> Iterator[Formula]:
    """The formula of a scalar or a cell; every formula of a column."""
    if key.table is None:
        scalar = plan.scalars.get(key.name)
        if scalar is not None and scalar.formula is not None:
            yield scalar.formula
        return
    table = plan.tables.get(key.table) or book.tables[key.table]
    column = table.columns[key.name]
    if key.row is not None:
        formula = column.own.get(key.row)
        if formula is None and key.row not in column.stated:
            formula = column.formula
        if formula is not None:
            yield formula
        return
    if column.formula is not None:
        yield column.formula
    yield from column.own.values()


def needs(node: Node, at: Key, results: Results) -> Iterator[Key]:
    """The keys that a node refers to, seen from the row of `at`; a look-up's are the rows found."""
    match node:
        case Lookup():
            rows = _rows_chosen(node.key, at, results)
            yield from (Key(node.column, node.table, row) for row in rows)
        case Column() if node.table == at.table:
            yield Key(node.column, node.table, at.row)
        case _:
            key = key_of(node)
            if key is not None:
                yield key


def _rows_chosen(key: Node, at: Key, results: Results) -> list[str | None]:
    """The row ids that a look-up's key selects."""
    match key:
        case Scalar():
            values = [results.scalars[key.name]]
        case Cell():
            values = [results.cell(key.table, key.row, key.column)]
        case Column() if key.table == at.table and at.row is not None:
            values = [results.cell(key.table, at.row, key.column)]
        case Column():
            values = list(results.tables[key.table][key.column])
        case Lookup():
            rows = _rows_chosen(key.key, at, results)
            if None in rows:
                return [None]
            values = [results.cell(key.table, str(row), key.column) for row in rows]
        case _:
            return [None]
    return [*sorted({value.value for value in values if isinstance(value.value, str)})]
