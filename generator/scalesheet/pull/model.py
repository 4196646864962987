"""The data types of pull: findings, edits, and everything about one pull."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property

from scalesheet.book import Book
from scalesheet.defined_names import Names, tables_of
from scalesheet.edition import Edition
from scalesheet.frozen import dataclass
from scalesheet.language.syntax import End
from scalesheet.load import Document
from scalesheet.model import Plan, Position, Table
from scalesheet.pull.lines import Lines
from scalesheet.pull.sheets import Cell, Workbook
from scalesheet.pull.sites import Site, Sites
from scalesheet.pull.tokens import Meanings, Printer, Token, meanings
from scalesheet.pull.where import Place, Stamp, Where
from scalesheet.render.workbook.places import ConstantPlace, Layout
from scalesheet.source.patch import Change


@dataclass(frozen=True, slots=True)
class Finding:
    """What cannot be applied, its place in the workbook, and the line of the data that it is about;
    None if there is no such line.
    """

    code: str
    place: str
    message: str
    at: Position | None = None


@dataclass(frozen=True, slots=True)
class Proof:
    """A translated formula: the cells whose values it must reproduce, by end of its range."""

    table: str | None
    row: str | None
    name: str
    cells: Mapping[End, tuple[Place, Cell, tuple[Token, ...]]]


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit of the workbook, as changes in one file of the data."""

    name: str
    place: str
    site: Site
    old: str
    new: str
    changes: tuple[Change, ...]
    proof: Proof | None = None

    @property
    def document(self) -> Document:
        return self.site.document


@dataclass(frozen=True)
class Pulling:
    """A workbook and the data it is compared with."""

    workbook: Workbook
    stamp: Stamp
    before: Edition
    book: Book  # with the rows that the workbook includes
    plan: Plan
    layout: Layout
    where: Where
    sites: Sites
    same: bool  # the workbook was made from exactly these data
    edits: list[Edit] = field(default_factory=list)
    errors: list[Finding] = field(default_factory=list)
    left: list[Finding] = field(default_factory=list)
    notes: list[Finding] = field(default_factory=list)  # information without any action
    renamed: Mapping[tuple[str, str], str] = field(default_factory=dict)  # table and id -> new id

    @cached_property
    def tables(self) -> Mapping[str, Table]:
        return tables_of(self.book, self.plan)

    @property
    def names(self) -> Names:
        return self.layout.names

    @property
    def constants(self) -> Mapping[str, ConstantPlace]:
        """Conversions and defaults by name."""
        return self.layout.constants

    @cached_property
    def meanings(self) -> Meanings:
        return meanings(self.workbook, self.where, self.plan.scalars, self.names)

    @cached_property
    def deleted(self) -> frozenset[str | None]:
        """The phases missing from the workbook. Their tables and scalars go with them."""
        there = self.where.tables.get("phases")
        ours = self.plan.tables.get("phases")
        return frozenset(set(ours.rows) - set(there.rows) if ours and there else ())

    @cached_property
    def reordered(self) -> frozenset[str]:
        """Tables whose rows are in another order than in the data."""
        result = set()
        for name, rows in self.where.tables.items():
            known = [row for row in self.tables[name].rows if row in rows.rows]
            if known != sorted(known, key=lambda row: rows.rows[row]):
                result.add(name)
        return frozenset(result)

    @cached_property
    def printer(self) -> Printer:
        columns = {(t.name, c.name): c for t in self.tables.values() for c in t.columns.values()}
        return Printer(self.plan.scalars, columns)

    @cached_property
    def lines(self) -> Lines:
        return Lines(self.plan, self.tables, self.names, self.where, self.meanings, self.sites)

    def cell(self, place: Place) -> Cell:
        return self.workbook.sheets[place.sheet].at(place.row, place.column)

    def refuse(self, code: str, place: Place, message: str, at: Position | None = None) -> None:
        self.errors.append(Finding(code, str(place), message, at or self.lines.of(place)))

    def leave(self, place: Place | str, message: str, at: Position | None = None) -> None:
        at = at or (self.lines.of(place) if isinstance(place, Place) else None)
        self.left.append(Finding("W009", str(place), message, at))

    def shipped_scalar(self, name: str, end: End) -> Place:
        """The place of a scalar in a workbook made from these data."""
        spot = self.layout.scalars[name]
        return Place(spot.sheet, *spot.cell(end))

    def shipped_table(self, name: str) -> Place:
        """The place of a table's heading in a workbook made from these data."""
        table = self.layout.tables[name]
        return Place(table.sheet, *table.at(table.heading, table.ids))
