"""Finds where a missing value begins: the first row or figure that has a reason of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from scalesheet.language.syntax import Aggregate, Cell, Column, Lookup, Scalar, walk
from scalesheet.model import Formula, Plan, Position, Table
from scalesheet.resolve.reasons import INCOMPLETE, of_compiler
from scalesheet.values import Results, Series, Value
from scalesheet.vocabulary import counted

#: A figure: its table, its name, and its row if it is a fixed one.
Figure = tuple[str | None, str, str | None]


def root_of(
    plan: Plan, tables: Mapping[str, Table], figure: str, results: Results, place: Position
) -> tuple[str, Position]:
    """Why a check or headline at a place has no value: the first reason behind it that a row or
    figure states itself, with the place of that row if it is the plan's.
    """
    waiting: list[Figure] = [(None, figure, None)]
    said = str(results.scalars[figure].reason)
    for table, name, row in waiting:  # grows below
        reason = _reason(results, (table, name, row))
        if reason is None:
            continue
        formulas = [plan.scalars[name].formula] if table is None else []
        if table is not None:
            column = tables[table].columns[name]
            formulas = [column.own.get(row or "", column.formula)]
            formulas += list(column.own.values()) if row is None else []
        read = {each for formula in formulas for each in figures_read(formula, table, row)}
        if not of_compiler(reason):
            read = {each for each in read if _reason(results, each) == reason}  # passed on
        if of_compiler(reason) or read:
            waiting += sorted(read - set(waiting), key=str)
        elif table is None:
            return reason, place
        else:
            if table in plan.tables and plan.tables[table].row_positions:
                without = min(results.tables[table][name].reasons)
                without = results.rows[table].index(row) if row else without
                place = plan.tables[table].row_positions[without]
            return _first(rows_without(f"{INCOMPLETE}: {table}.{name}", results)), place
    return said, place


def _reason(results: Results, figure: Figure) -> str | None:
    """Why a figure has no value, or the first row of its column without one."""
    table, name, row = figure
    if table is None:
        return results.scalars.get(name, Value()).reason
    reasons = results.tables[table][name].reasons
    if row is not None:
        return reasons.get(results.rows[table].index(row))
    return reasons[min(reasons)] if reasons else None


def figures_read(formula: Formula | None, table: str | None, row: str | None) -> Iterator[Figure]:
    """The figures that a formula in a row names."""
    for node in walk(formula.ends.value) if formula is not None else ():
        if isinstance(node, Scalar):
            yield None, node.name, None
        elif isinstance(node, Cell):
            yield node.table, node.column, node.row
        elif isinstance(node, Column):
            yield node.table, node.column, row if node.table == table else None
        elif isinstance(node, Aggregate | Lookup) and node.column is not None:
            yield node.table, node.column, None


def rows_without(reason: str, results: Results) -> list[str]:
    """The rows without a value, each with its reason, if the reason only says that one has none."""
    table, reasons = _behind(reason, results)
    return [f"{table}['{results.rows[table][place]}']: {why}" for place, why in reasons.items()]


def _behind(reason: str, results: Results) -> tuple[str, Mapping[int, str]]:
    """The table and, by row, the reasons in the column of which a reason only says that a row has
    no value; no reasons for other ones.
    """
    table, _, column = reason.removeprefix(f"{INCOMPLETE}: ").rpartition(".")
    if not reason.startswith(INCOMPLETE) or table not in results.tables:
        return table, {}
    return table, dict(sorted(results.tables[table][column].reasons.items()))


def _first(rows: Sequence[str]) -> str:
    """The first of some rows, and how many more there are."""
    first, *others = rows
    return f"{first}, and {counted(len(others), 'more row')}" if others else first


def explained(results: Results, tables: Mapping[str, Table]) -> Results:
    """The results, where a reason that only says that a row has no value is replaced by the title
    of the first such row and its own reason.
    """

    def why(reason: str) -> str:
        table, reasons = _behind(reason, results)
        if not reasons:
            return reason
        first = next(iter(reasons.values()))
        if (behind := why(first)) != first:
            return behind
        of = tables[table]
        return _first([f"{of.title_of(of.rows[at])}: {each}" for at, each in reasons.items()])

    def columns(table: Mapping[str, Series]) -> Mapping[str, Series]:
        found = {
            name: {row: why(reason) for row, reason in each.reasons.items()}
            for name, each in table.items()
            if each.reasons
        }
        return {**table, **{name: replace(table[name], reasons=r) for name, r in found.items()}}

    scalars = {
        name: replace(value, reason=why(value.reason))
        for name, value in results.scalars.items()
        if value.reason is not None
    }
    below = {name: columns(table) for name, table in results.tables.items()}
    return replace(results, scalars={**results.scalars, **scalars}, tables=below)
