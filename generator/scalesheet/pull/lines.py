"""Finds the line of the data that a cell of a workbook is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from scalesheet.defined_names import Names
from scalesheet.frozen import dataclass
from scalesheet.language.syntax import Cell, Column, Node, Scalar, walk
from scalesheet.model import Formula, Plan, Position, Quantity, Table, formulas_of
from scalesheet.pull.sites import Site, Sites
from scalesheet.pull.tokens import Meanings
from scalesheet.pull.where import Place, Where

Step = str | tuple[str, str]  # a scalar, or table and column


@dataclass(frozen=True)
class Lines:
    """Finds the data behind cells, for messages."""

    plan: Plan
    tables: Mapping[str, Table]
    names: Names
    where: Where
    meanings: Meanings
    sites: Sites

    def of(self, place: Place) -> Position | None:
        """The position of a cell's value, formula, row or table; None if no file has it."""
        name = self._scalars.get(place) or self._listed.get((place.sheet, place.row))
        if name is not None:
            return self.of_scalar(name)
        near = ((abs(self._above(place, table)), table) for table in self._on(place))
        table = min(near, default=(0, ""))[1]
        return self.of_table(table, place) if table else None

    def of_scalar(self, name: str) -> Position | None:
        scalar = self.plan.scalars.get(name)
        if scalar is None:  # a new name
            return self.sites.new_scalar(name).position
        site = self.sites.scalar(name)
        own = site.position if site is not None else None
        stated = scalar.stated.position if scalar.stated else None
        return stated or own or self._of(scalar.formula, scalar, name)

    def of_name(self, text: str) -> Position | None:
        """The position of a scalar, given its defined name."""
        return self.of_scalar(self._named.get(text, text))

    def of_table(self, name: str, place: Place | None = None) -> Position | None:
        table, rows = self.tables[name], self.where.tables.get(name)
        site = self.sites.table(name)
        whole = _found(site) or next(iter(table.row_positions), None)
        if place is None or rows is None:
            return whole
        at = place.row if rows.turned else place.column
        column = table.columns.get(self.meanings.columns[name].get(at, ("", "value"))[0])
        row = self.meanings.ids[name].get(rows.row_of(place), "")
        if column is None:
            return self._row(table, row) or whole
        stated = column.stated.get(row)
        if stated is not None and stated.position is not None:
            return stated.position
        formula = column.own.get(row) or column.formula
        of_cell = self._of(formula, column, (name, column.name)) if formula is not None else None
        return of_cell or self._row(table, row) or column.position or whole

    def _row(self, table: Table, row: str) -> Position | None:
        if row not in table.rows or not table.row_positions:
            return None
        return table.row_positions[table.rows.index(row)]

    def _of(self, formula: Formula | None, quantity: Quantity, step: Step) -> Position | None:
        """The position of a formula; for a step, that of the formula it is part of."""
        if formula is None or formula.position is not None:
            return formula.position if formula is not None else quantity.position
        seen: set[Step] = set()
        waiting = [step]
        while waiting:
            for user, at in self._users.get(waiting.pop(0), ()):
                if at is not None:
                    return at
                if user not in seen:
                    seen.add(user)
                    waiting.append(user)
        return quantity.position

    @cached_property
    def _users(self) -> Mapping[Step, list[tuple[Step, Position | None]]]:
        """For everything that formulas read, the formulas that read it."""
        result: dict[Step, list[tuple[Step, Position | None]]] = {}
        for user, quantity in self._quantities():
            for formula in formulas_of(quantity):
                for node in (node for tree in formula.ends.trees for node in walk(tree)):
                    if (read := _read(node)) is not None:
                        result.setdefault(read, []).append((user, formula.position))
        return result

    def _quantities(self) -> Iterator[tuple[Step, Quantity]]:
        yield from self.plan.scalars.items()
        for table in self.plan.tables.values():
            yield from (((table.name, name), column) for name, column in table.columns.items())

    @cached_property
    def _scalars(self) -> Mapping[Place, str]:
        return {place: name for place, (name, _) in self.where.meaning.items()}

    @cached_property
    def _listed(self) -> Mapping[tuple[str, int], str]:
        """The rows of lists, where all cells are about the same scalar."""
        return {
            (row.sheet, row.row): self._named[text]
            for text, row in self.where.listed.items()
            if text in self._named
        }

    @cached_property
    def _named(self) -> Mapping[str, str]:
        """Scalars by their defined names in lower case."""
        return {text.casefold(): name for (name, _), text in self.names.scalars.items()}

    def _on(self, place: Place) -> Iterator[str]:
        for name in self.meanings.tables_on.get(place.sheet, ()):
            if self._above(place, name) <= 0 or self.where.tables[name].holds(place):
                yield name

    def _above(self, place: Place, table: str) -> int:
        """How many rows a cell is below the heading of a table; 0 within its rows."""
        rows = self.where.tables[table]
        return 0 if rows.holds(place) else rows.row_of(place) - rows.heading


def _found(site: Site | None) -> Position | None:
    return site.position if site is not None else None


def _read(node: Node) -> Step | None:
    match node:
        case Scalar(name):
            return name
        case Column(table, column) | Cell(table, _, column):
            return table, column
    return None
