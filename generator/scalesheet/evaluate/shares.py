"""Shares: the parts of a figure, found by following its formulas down to the first sum.

Only steps that preserve shares are followed: references, products, numerators, and the branch that
a choice, `max` or `min` takes. So a part's share of the sum is its share of the figure. A term that
is itself a sum of rows is split into its rows, because people change rows. Differences have no
shares.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace

from scalesheet.book import Book
from scalesheet.evaluate.interpret import interpret
from scalesheet.evaluate.parts import Here, State, holding
from scalesheet.evaluate.references import formulas_at, needs, references
from scalesheet.frozen import dataclass
from scalesheet.language.syntax import (
    Aggregate,
    Binary,
    Call,
    Cell,
    Choice,
    Column,
    Guard,
    Lookup,
    Node,
    Scalar,
)
from scalesheet.model import Key, Plan
from scalesheet.values import Results

Part = tuple[tuple[Key, ...], float]


@dataclass(frozen=True, slots=True)
class Shares:
    """`path` leads from the figure to the sum. `parts` are its terms, largest first, each with its
    share of the figure and its key, or several keys if the term names several.
    """

    path: tuple[Key, ...]
    parts: tuple[Part, ...] = ()
    rows: bool = False  # whether a part is a row of a sum over a table


@dataclass(frozen=True)
class Sums:
    """Finds the sums behind a plan's figures, with their computed numbers."""

    book: Book
    plan: Plan
    results: Results
    state: State
    known: dict[Key, Shares] = field(default_factory=dict)

    def of(self, key: Key, path: tuple[Key, ...] = ()) -> Shares:
        """The shares of a scalar or a cell; without parts if no sum of two or more is behind it. A
        column stands for its only row.
        """
        if key.table is not None and key.row is None:
            rows = tuple(self.state.rows[key.table])
            if len(rows) != 1:
                return Shares((*path, key))
            key = replace(key, row=rows[0])
        if key not in self.known:
            formula = next(formulas_at(self.book, self.plan, key), None)
            self.known[key] = Shares((key,))
            if formula is not None:
                self.known[key] = self._below(formula.ends.value, (key,))
        return replace(self.known[key], path=(*path, *self.known[key].path))

    def _below(self, node: Node, path: tuple[Key, ...]) -> Shares:
        at = path[-1]
        match node:
            case Guard():
                return self._below(node.body, path)
            case Choice():
                holds = holding(interpret(node.test, self._here(at)))
                return self._below(node.then if holds else node.other, path)
            case Call(function="max" | "min" as function):
                pick = max if function == "max" else min
                return self._below(pick(node.arguments, key=lambda n: self._size(n, at)), path)
            case Binary(op="*" | "/"):
                ways = [self._below(node.left, path)]
                if node.op == "*":
                    ways.append(self._below(node.right, path))
                return max(ways, key=lambda way: (way.rows, bool(way.parts), len(way.path)))
            case Binary(op="+" | "-"):
                sizes = [(sign * self._size(each, at), each) for sign, each in _terms(node)]
                terms = [(size, self._below(each, path), each) for size, each in sizes if size]
                opened = [_opened(below, at) for _, below, _ in terms]
                if len(terms) == 1:
                    return terms[0][1]
                parts = [
                    (keys, share * size)
                    for (size, below, each), all_of in zip(terms, opened, strict=True)
                    for keys, share in (below.parts if all_of else [(_keys(each, at, below), 1.0)])
                ]
                return self._split(path, parts, any(opened))
            case Aggregate(function="sum", column=str()):
                rows = [(keys, size) for keys, size in self._rows(node, at) if size]
                return (
                    self.of(rows[0][0][0], path)
                    if len(rows) == 1
                    else self._split(path, rows, True)
                )
            case Scalar() | Column() | Cell() | Lookup():
                match [
                    key for key in needs(node, at, self.results) if key.table is None or key.row
                ]:
                    case [one]:
                        return self.of(one, path)
        return Shares(path)

    def _rows(self, node: Aggregate, at: Key) -> Iterator[Part]:
        for row, place in self.state.rows[node.table].items():
            around = Here(self.state, node.table, place, self._here(at))
            if node.where is None or holding(interpret(node.where, around)):
                key = Key(str(node.column), node.table, row)
                yield (key,), self._size(Column(node.table, key.name), key)

    def _split(self, path: tuple[Key, ...], parts: Sequence[Part], rows: bool) -> Shares:
        if len(parts) < 2 or not all(keys and size > 0 for keys, size in parts):
            return Shares(path)
        whole = sum(size for _, size in parts)
        ordered = sorted(parts, key=lambda part: -part[1])
        return Shares(path, tuple((keys, size / whole) for keys, size in ordered), rows)

    def _size(self, node: Node, at: Key) -> float:
        part = interpret(node, self._here(at))
        return 0.0 if part.why is not None else float(part.data)

    def _here(self, key: Key) -> Here:
        if key.table is None or key.row is None:
            return Here(self.state)
        return Here(self.state, key.table, self.state.rows[key.table][key.row])


def _opened(below: Shares, at: Key) -> bool:
    """Whether to replace a term by its parts: if they are rows, or belong to another row, such as
    the phases before this one.
    """
    end = below.path[-1]
    return below.rows or (bool(below.parts) and end.table == at.table and end.row != at.row)


def _terms(node: Node, sign: float = 1.0) -> Iterator[tuple[float, Node]]:
    """The terms of a sum, each with its sign."""
    if isinstance(node, Binary) and node.op in ("+", "-"):
        yield from _terms(node.left, sign)
        yield from _terms(node.right, -sign if node.op == "-" else sign)
    else:
        yield sign, node


def _keys(node: Node, at: Key, below: Shares) -> tuple[Key, ...]:
    """The keys that a term names, as seen from a row; or the other row that it leads to."""
    for key in below.path[1:]:
        if key.table == at.table and key.row != at.row:
            return (key,)
    named = references(node)
    return tuple(replace(k, row=k.row or at.row) if k.table == at.table else k for k in named)
