"""Hides errors that only follow from another one, and counts them where that one is reported."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace

from scalesheet.diagnostics import Diagnostic, followed
from scalesheet.frozen import dataclass
from scalesheet.language.syntax import (
    Aggregate,
    Cell,
    CellName,
    Column,
    Lookup,
    Name,
    Node,
    Scalar,
    walk,
)
from scalesheet.model import LIMIT
from scalesheet.resolve.binding.lookup import TableColumn, cell, find
from scalesheet.resolve.binding.scope import BindError, Scope, Typed
from scalesheet.resolve.drafts import Draft, Space, Written

Place = tuple[str | None, str]  # table or None, name

#: If a quantity has the wrong unit, each formula that reads it has one of these.
OF_UNITS = frozenset({"U002", "U004"})


@dataclass(frozen=True, slots=True)
class Failed:
    """A formula that could not be bound, and why."""

    draft: Draft
    written: Written
    scope: Scope
    problem: Diagnostic

    @property
    def place(self) -> Place:
        return self.draft.table, self.draft.name


@dataclass(slots=True)
class Echoes:
    """The original error behind each unsound quantity, the number of errors that follow from each,
    and the input that all of these read.
    """

    roots: dict[Place, Diagnostic]
    hidden: Counter[Diagnostic] = field(default_factory=Counter)
    shared: dict[Diagnostic, str] = field(default_factory=dict)

    def root(self, tree: Node) -> Diagnostic | None:
        """The error behind an unsound quantity that a bound tree reads, or None."""
        return next((self.roots[each] for each in read(tree) if each in self.roots), None)

    def count(self, problems: list[Diagnostic]) -> None:
        """Add to an error's message how many errors follow from it."""
        for index, each in enumerate(problems):
            if number := self.hidden[each]:
                name = self.shared.get(each)
                reader = f"; all of them read '{name}', so check its unit" if name else ""
                message = each.message + followed(number, reader)
                problems[index] = replace(each, message=message)


def read(tree: Node) -> Iterator[Place]:
    """The quantities that a bound tree reads."""
    for node in walk(tree):
        if isinstance(node, Scalar):
            yield None, node.name
        elif isinstance(node, Column | Cell | Lookup | Aggregate) and node.column is not None:
            yield node.table, node.column


def told_apart(
    failed: Iterable[Failed],
    faults: Mapping[Place, Diagnostic],
    sound: Iterable[Node],
    space: Space,
) -> Echoes:
    """Separate original errors from errors that follow. `faults` are from quantities without a
    value, `sound` are the trees of formulas without errors.
    """
    failed = list(failed)
    result = Echoes({**faults, **{each.place: each.problem for each in failed}})
    of_units = {each.place: each for each in failed if each.problem.code in OF_UNITS}
    reads = {place: set(_named(each)) - {place} for place, each in of_units.items()}
    for place in of_units:
        first = _first(place, reads)
        if first != place:  # it reads the quantity with the wrong unit
            _hide(result, of_units[place], of_units[first])
    used = {place for tree in sound for place in read(tree)}
    # formulas that all read one input, which no sound formula reads
    readers: dict[Place, list[Failed]] = defaultdict(list)
    for place, each in of_units.items():
        if result.roots[place] == each.problem:
            for other in sorted(reads[place] - used, key=str):
                if not _draft(other, space).formulas:
                    readers[other].append(each)
    for (_, name), several in sorted(readers.items(), key=lambda item: -len(item[1])):
        own = [each for each in several if result.roots[each.place] == each.problem]
        first_of = min(own, key=lambda each: each.problem, default=None)
        for each in own:
            if first_of is not None and each is not first_of:
                _hide(result, each, first_of)
                result.shared[first_of.problem] = name
    return result


def _hide(echoes: Echoes, echo: Failed, root: Failed) -> None:
    cause = echoes.roots[root.place]
    for place, each in echoes.roots.items():
        if each == echo.problem:
            echoes.roots[place] = cause
    echoes.hidden[cause] += 1 + echoes.hidden.pop(echo.problem, 0)


def _first(place: Place, reads: Mapping[Place, set[Place]]) -> Place:
    """The unsound quantity where the chain behind this one begins; this one itself in a cycle."""
    seen = [place]
    while above := sorted((each for each in reads[seen[-1]] if each in reads), key=str):
        if above[0] in seen:
            return place
        seen.append(above[0])
    return seen[-1]


def _named(failed: Failed) -> Iterator[Place]:
    """The quantities that a formula names; a limit takes its unit from its figure."""
    if failed.draft.kind == "number" and failed.draft.name.endswith(LIMIT):
        yield None, failed.draft.name.removesuffix(LIMIT)
    for node in walk(failed.written.tree):
        try:
            if isinstance(node, CellName):
                yield from read(cell(node, failed.scope).tree)
            elif isinstance(node, Name):
                found = find(node, failed.scope)
                if isinstance(found, Typed):
                    yield from read(found.tree)
                elif isinstance(found, TableColumn):
                    yield found.table, found.column
        except BindError:
            continue


def _draft(place: Place, space: Space) -> Draft:
    table, name = place
    return space.scalars[name] if table is None else space.column(table, name)
