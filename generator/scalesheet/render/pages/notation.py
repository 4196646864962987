"""Formulas as pages show them: with titles, with numbers, and as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scalesheet.language.syntax import Cell, Column, Constant, End, Lookup, Node, Scalar
from scalesheet.model import Plan, Quantity, Record, Table
from scalesheet.numbers import format_of, plain
from scalesheet.printers.base import number
from scalesheet.printers.latex import latex
from scalesheet.printers.mathml import equation, mathml, shown
from scalesheet.printers.notation import Naming, Shown
from scalesheet.printers.words import words
from scalesheet.render.notations import (
    MARKS,
    InputTitles,
    Marked,
    named,
    phrase,
    record_texts,
)
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.html import Html, join, tag
from scalesheet.render.pages.marks import of_cell, of_chosen
from scalesheet.units import unit_of
from scalesheet.values import Results, Value

_ENDS: Mapping[End, str] = {"low": " (low)", "value": "", "high": " (high)"}


# ------------------------------------------------------------------ titles


def constant_title(records: Mapping[str, Record], name: str) -> str:
    """The title of a named constant: that of the formula input whose default it is."""
    for record in records.values():
        prefix = f"{record.id.replace('-', '_')}_"
        for each in record.inputs if name.startswith(prefix) else ():
            if name == prefix + each.name:
                return each.title
    return name.replace("_", " ")


@dataclass(frozen=True)
class Titles:
    """Names everything by its title.

    A column of a table other than `within` also names the table, unless it is in an aggregate's
    phrase, which names the table itself.
    """

    context: Context
    plan: Plan
    within: str | None = None
    in_words: bool = False

    def reference(self, node: Node) -> Shown | None:
        match node:
            case Scalar():
                return named(self.plan.scalars[node.name].title + _ENDS[node.end])
            case Constant():
                return named(constant_title(self.context.book.records, node.name))
            case Cell():
                title = self.context.row_title(self.found(node.table), node.row)
                return named(f"{self._of_table(node.table, node.column)}, {title}")
            case Column():
                return named(self._of_table(node.table, node.column) + _ENDS[node.end])
        return None

    def column(self, table: str, column: str) -> Shown:
        if self.in_words:
            return named(self.found(table).columns[column].title)
        return named(self._of_table(table, column))

    def _of_table(self, table: str, column: str) -> str:
        held = self.found(table)
        title = held.columns[column].title
        apart = table != self.within and table not in self.context.book.tables
        return f"{title} ({held.title})" if apart else title

    def table(self, table: str) -> str:
        return self.found(table).title

    def found(self, name: str) -> Table:
        table = self.context.table(name, self.plan)
        assert table is not None, name
        return table


@dataclass(frozen=True)
class Numbers:
    """Names everything by its value, in a row of the table `titles.within`; aggregates by their
    title."""

    titles: Titles
    results: Results
    row: str | None = None

    def reference(self, node: Node) -> Shown | None:
        match node:
            case Scalar():
                value = self.results.scalars[node.name]
                scalar = self.titles.plan.scalars[node.name]
                return self.value(scalar, value, node.name, node.end, [value])
            case Constant():
                whole = node.value == int(node.value)
                return Shown(number=f"{int(node.value):,}" if whole else number(node.value))
            case Cell():
                return self.cell(node.table, node.row, node.column, node.end)
            case Column() if self.row is not None and node.table == self.titles.within:
                shown = self.cell(node.table, self.row, node.column, node.end)
                return replace(shown, own=True)
            case Lookup():
                row = self._row(node.key)
                if row is not None and row[0] in self.results.rows[node.table]:
                    of = of_chosen(node.table, row[1], node.column)
                    shown = self.cell(node.table, row[0], node.column, node.end, of)
                    return replace(shown, own=isinstance(node.key, Column))
        return None

    def column(self, table: str, column: str) -> Shown:
        return self.titles.column(table, column)

    def table(self, table: str) -> str:
        return self.titles.table(table)

    def _row(self, key: Node) -> tuple[str, str] | None:
        """The row that a lookup finds, and the name of the quantity that holds its id."""
        match key:
            case Scalar():
                value, of = self.results.scalars[key.name].value, key.name
            case Cell():
                value = self.results.cell(key.table, key.row, key.column).value
                of = of_cell(key.table, key.row, key.column)
            case Column() if self.row is not None and key.table == self.titles.within:
                value = self.results.cell(key.table, self.row, key.column).value
                of = of_cell(key.table, self.row, key.column)
            case _:
                return None
        return (value, of) if isinstance(value, str) else None

    def cell(self, table: str, row: str, column: str, end: End = "value", of: str = "") -> Shown:
        """A cell of any table; `of` names it if a lookup found it."""
        quantity = self.titles.found(table).columns[column]
        values = list(self.results.tables[table][column])
        value, of = self.results.cell(table, row, column), of or of_cell(table, row, column)
        return self.value(quantity, value, of, end, values)

    def value(
        self,
        quantity: Quantity,
        value: Value,
        of: str,
        end: End = "value",
        values: Sequence[Value] = (),
    ) -> Shown:
        """A value in the format that it shares with `values`, marked for the page's script."""
        fmt = format_of(quantity, values or [value], self.titles.context.book.units)
        if not isinstance(value.value, float):
            table = quantity.refers_to and self.titles.context.table(
                quantity.refers_to, self.titles.plan
            )
            if table and isinstance(value.value, str):
                title = named(self.titles.context.row_title(table, value.value))
                return replace(title, of=of)
            return Shown(text=plain(value, fmt) or "nothing", of=of)
        chosen = value.end(end)
        assert isinstance(chosen, float)
        digits = plain(Value.number(chosen), fmt)
        unit = unit_of(digits, self.titles.context.symbol(quantity))
        return Shown(number=digits, unit=unit, of=of, end=end)


# ------------------------------------------------------------------ MathML


def drawn(titles: Titles, title: str, node: Node) -> Html:
    """The formula as MathML, with a description if it has a title; otherwise the words follow below
    it."""
    described = f"{title} is {phrase(node, replace(titles, in_words=True))}" if title else ""
    return Html(equation(mathml(node, titles), description=described))


def with_numbers(numbers: Numbers, gives: Shown, node: Node) -> Html:
    """`formula = result`, with the numbers filled in."""
    return Html(equation(mathml(node, numbers), shown(gives)))


def in_words(naming: Naming, node: Node) -> Html:
    """The formula as a phrase with emphasized titles."""
    if isinstance(naming, Titles):
        naming = replace(naming, in_words=True)
    parts = re.split(f"[{MARKS}]", words(node, Marked(naming)))
    return join(tag("em", part) if n % 2 else part for n, part in enumerate(parts))


def record_drawn(record: Record) -> Html:
    """A catalogue formula, with the symbol of its result if it has one."""
    symbol = Shown(symbol=record.symbol) if record.symbol else named(record.title)
    naming = InputTitles(record)
    node = record.formula.ends.value
    described = f"{record.title} is {phrase(node, naming)}"
    return Html(equation(shown(symbol), mathml(node, naming), description=described))


# ------------------------------------------------------------------ as text


def notations(titles: Titles, text: str, node: Node) -> Iterator[tuple[str, str]]:
    """Yield a plan's formula as written and in other notations; for Excel see the workbook."""
    yield "As written", text
    yield "LaTeX", latex(node, titles)


#: The headings of a catalogue formula's texts, in display order.
RECORD_TEXTS = {
    "written": "As written",
    "latex": "LaTeX",
    "excel": "Excel",
    "python": "Python",
    "javascript": "JavaScript",
}


def record_notations(record: Record) -> Iterator[tuple[str, str]]:
    """Yield a catalogue formula in every notation."""
    texts = record_texts(record)
    for key, title in RECORD_TEXTS.items():
        yield title, texts[key]
