"""Finds the catalogue tables that a plan uses, so that its workbook includes only those."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scalesheet.language.syntax import Aggregate, Cell, Column, Lookup, Node, Title, walk
from scalesheet.model import Formula, Scalar, Table
from scalesheet.resolve.compile import Compiled
from scalesheet.resolve.drafts import DraftTable


def tables_used(
    scalars: Mapping[str, Scalar],
    tables: Mapping[str, Table],
    catalogue: Compiled,
    known: Mapping[str, DraftTable],
) -> tuple[str, ...]:
    """Names of catalogue tables that formulas or references reach, in the catalogue's order."""
    result: set[str] = set()
    for scalar in scalars.values():
        result |= {scalar.refers_to} if scalar.refers_to else set()
        result |= set(_of_formulas([scalar.formula] if scalar.formula else []))
    for table in tables.values():
        for column in table.columns.values():
            result |= {column.refers_to} if column.refers_to else set()
            formulas = [*column.own.values(), *([column.formula] if column.formula else [])]
            result |= set(_of_formulas(formulas))
    reached: set[str] = set()
    while result - reached:
        name = sorted(result - reached)[0]
        reached.add(name)
        if name in known:
            for draft in known[name].columns.values():
                result |= {draft.refers_to} if draft.refers_to else set()
            for key, formula in catalogue.formulas.items():
                if key.table == name:
                    result |= set(_of_formulas([formula]))
    return tuple(name for name in known if name in reached)


def _of_formulas(formulas: list[Formula]) -> Iterator[str]:
    for formula in formulas:
        for tree in (formula.ends.value, formula.ends.low, formula.ends.high):
            yield from _of_tree(tree) if tree is not None else ()


def _of_tree(tree: Node) -> Iterator[str]:
    for node in walk(tree):
        if isinstance(node, Column | Cell | Lookup | Aggregate | Title):
            yield node.table
