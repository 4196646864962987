"""Shares: what a figure is made of, found by following its formulas down to the first sum.

Only steps that keep the shares are followed: references, products, numerators, and what a choice,
`max` or `min` takes. So a part's share of the sum is its share of the figure. A term that is itself
a sum of rows is given by its rows, because a row is what people change. Differences have no shares.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from scalesheet.book import Book
from scalesheet.evaluate.interpret import interpret
from scalesheet.evaluate.parts import Here, State, holding
from scalesheet.evaluate.references import formulas_at, needs, references
from scalesheet.language.syntax import Aggregate, Binary, Call, Choice, Column, Guard, Node
from scalesheet.model import Key, Plan
from scalesheet.values import Results

Part = tuple[tuple[Key, ...], float]


@dataclass(frozen=True, slots=True)
class Shares:
    """`path` leads from the figure to the sum. `parts` are what is added there, the largest first,
    each with its share of the figure: one key, or the several that a term names."""

    path: tuple[Key, ...]
    parts: tuple[Part, ...] = ()
    rows: bool = False  # whether a part is a row of a sum over a table


@dataclass(frozen=True)
class Sums:
    """The sums behind a plan's figures, with the numbers as they are computed."""

    book: Book
    plan: Plan
    results: Results
    state: State
    known: dict[Key, Shares] = field(default_factory=dict)

    def of(self, key: Key, path: tuple[Key, ...] = ()) -> Shares:
        """Of a scalar or a cell; without parts where no sum of two or more is behind it."""
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
                terms = list(self._terms(node, path))
                return self._split(path, [part for part, _ in terms], any(row for _, row in terms))
            case Aggregate(function="sum", column=str()):
                return self._split(path, self._rows(node, at), True)
        match [key for key in needs(node, at, self.results) if key.table is None or key.row]:
            case [one]:
                return self.of(one, path)
        return Shares(path)

    def _rows(self, node: Aggregate, at: Key) -> Iterator[Part]:
        for row, place in self.state.rows[node.table].items():
            around = Here(self.state, node.table, place, self._here(at))
            if node.where is None or holding(interpret(node.where, around)):
                key = Key(str(node.column), node.table, row)
                yield (key,), self._size(Column(node.table, key.name), key)

    def _terms(
        self, node: Node, path: tuple[Key, ...], sign: float = 1.0
    ) -> Iterator[tuple[Part, bool]]:
        """What is added, each with its sign, and whether it is a row."""
        if isinstance(node, Binary) and node.op in ("+", "-"):
            yield from self._terms(node.left, path, sign)
            yield from self._terms(node.right, path, -sign if node.op == "-" else sign)
            return
        at, size = path[-1], sign * self._size(node, path[-1])
        below = self._below(node, path)
        if below.rows:
            yield from (((keys, share * size), True) for keys, share in below.parts)
            return
        named = references(node)
        keys = (replace(k, row=k.row or at.row) if k.table == at.table else k for k in named)
        yield (tuple(keys), size), False

    def _split(self, path: tuple[Key, ...], terms: Iterable[Part], rows: bool) -> Shares:
        parts = [(keys, size) for keys, size in terms if size]
        if len(parts) == 1 and len(parts[0][0]) == 1:
            return self.of(parts[0][0][0], path)
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
