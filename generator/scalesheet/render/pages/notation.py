"""Formulas as a page shows them: in the titles of things, with their numbers, and as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scalesheet.language.syntax import Cell, Column, Constant, End, Lookup, Node, Scalar
from scalesheet.model import Plan, Quantity, Record, Table
from scalesheet.numbers import format_of, plain
from scalesheet.printers.base import PrinterError, number
from scalesheet.printers.excel import excel
from scalesheet.printers.javascript import javascript
from scalesheet.printers.latex import latex
from scalesheet.printers.mathml import equation, mathml, shown
from scalesheet.printers.notation import Shown
from scalesheet.printers.python import PlainNames, python
from scalesheet.printers.words import words
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.html import Html
from scalesheet.values import Results, Value

_ENDS: Mapping[End, str] = {"low": " (low)", "value": "", "high": " (high)"}


# ------------------------------------------------------------------ what things are called


@dataclass(frozen=True)
class Titles:
    """Everything by its title. A column of a table other than `within` says which table."""

    context: Context
    plan: Plan
    within: str | None = None

    def reference(self, node: Node) -> Shown | None:
        match node:
            case Scalar():
                return Shown(text=self.plan.scalars[node.name].title + _ENDS[node.end])
            case Constant():
                return Shown(text=node.name.replace("_", " "))
            case Cell():
                title = self.context.row_title(self.found(node.table), node.row)
                return Shown(text=f"{self.column(node.table, node.column).text}, {title}")
            case Column():
                title = self.column(node.table, node.column).text
                return Shown(text=title + _ENDS[node.end])
        return None

    def column(self, table: str, column: str) -> Shown:
        found = self.found(table)
        title = found.columns[column].title
        apart = table != self.within and table not in self.context.book.tables
        return Shown(text=f"{title} ({found.title})" if apart else title)

    def table(self, table: str) -> str:
        return self.found(table).title

    def found(self, name: str) -> Table:
        table = self.context.table(name, self.plan)
        assert table is not None, name
        return table


@dataclass(frozen=True)
class Numbers:
    """Everything by its value, in a row of the table `titles.within`; aggregates by their title."""

    titles: Titles
    results: Results
    row: str | None = None

    def reference(self, node: Node) -> Shown | None:
        match node:
            case Scalar():
                value = self.results.scalars[node.name]
                return self.value(self.titles.plan.scalars[node.name], value, node.end, [value])
            case Constant():
                whole = node.value == int(node.value)
                return Shown(number=f"{int(node.value):,}" if whole else number(node.value))
            case Cell():
                return self._cell(node.table, node.row, node.column, node.end)
            case Column() if self.row is not None and node.table == self.titles.within:
                return self._cell(node.table, self.row, node.column, node.end)
            case Lookup():
                row = self._row(node.key)
                if row is not None and row in self.results.rows[node.table]:
                    return self._cell(node.table, row, node.column, node.end)
        return None

    def column(self, table: str, column: str) -> Shown:
        return self.titles.column(table, column)

    def table(self, table: str) -> str:
        return self.titles.table(table)

    def _row(self, key: Node) -> str | None:
        """The row that a look-up finds."""
        match key:
            case Scalar():
                value = self.results.scalars[key.name].value
            case Cell():
                value = self.results.cell(key.table, key.row, key.column).value
            case Column() if self.row is not None and key.table == self.titles.within:
                value = self.results.cell(key.table, self.row, key.column).value
            case _:
                return None
        return value if isinstance(value, str) else None

    def _cell(self, table: str, row: str, column: str, end: End) -> Shown:
        quantity = self.titles.found(table).columns[column]
        values = list(self.results.tables[table][column])
        return self.value(quantity, self.results.cell(table, row, column), end, values)

    def value(
        self,
        quantity: Quantity,
        value: Value,
        end: End = "value",
        values: Sequence[Value] = (),
    ) -> Shown:
        """A value in the format that it shares with `values`."""
        fmt = format_of(quantity, values or [value], self.titles.context.book.units)
        if not isinstance(value.value, float):
            table = quantity.refers_to and self.titles.context.table(
                quantity.refers_to, self.titles.plan
            )
            if table and isinstance(value.value, str):
                return Shown(text=self.titles.context.row_title(table, value.value))
            return Shown(text=plain(value, fmt) or "nothing")
        chosen = value.end(end)
        assert isinstance(chosen, float)
        text = plain(Value.number(chosen), fmt)
        return Shown(number=text, unit=self.titles.context.symbol(quantity))


@dataclass(frozen=True)
class _Inputs:
    """The inputs of a catalogue formula by their titles."""

    record: Record

    def reference(self, node: Node) -> Shown | None:
        if isinstance(node, Scalar):
            return Shown(text=next(i.title for i in self.record.inputs if i.name == node.name))
        return Shown(text=node.name.replace("_", " ")) if isinstance(node, Constant) else None

    def column(self, table: str, column: str) -> Shown:
        return Shown(text=column)

    def table(self, table: str) -> str:
        return table


class _Names:
    """Names for Excel: scalars as they are defined, tables as structured references."""

    def scalar(self, name: str, end: End) -> str:
        return _word(name) + ("" if end == "value" else f"_{end}")

    def column(self, table: str, column: str, end: End) -> str:
        return f"[@{self._column(column, end)}]"

    def cell(self, table: str, row: str, column: str, end: End) -> str:
        place = f'MATCH("{row}",{self.ids(table)},0)'
        return f"INDEX({self.range(table, column, end)},{place})"

    def range(self, table: str, column: str, end: End) -> str:
        return f"{_word(table)}[{self._column(column, end)}]"

    def ids(self, table: str) -> str:
        return f"{_word(table)}[id]"

    def constant(self, name: str) -> str:
        return _word(name)

    def _column(self, column: str, end: End) -> str:
        return column + ("" if end == "value" else f"_{end}")


def _word(name: str) -> str:
    return re.sub(r"\W", "_", name)


# ------------------------------------------------------------------ drawn


def drawn(titles: Titles, title: str, node: Node) -> Html:
    """`title = formula` as MathML."""
    described = f"{title} is {words(node, titles)}"
    sides = (shown(Shown(text=title)), mathml(node, titles))
    return Html(equation(*sides, description=described))


def with_numbers(numbers: Numbers, quantity: Quantity, result: Value, node: Node) -> Html:
    """`formula = result` with the numbers put in."""
    return Html(equation(mathml(node, numbers), shown(numbers.value(quantity, result))))


def record_drawn(record: Record) -> Html:
    """A catalogue formula, its result by its symbol where it has one."""
    named = Shown(symbol=record.symbol, text=record.title)
    naming = _Inputs(record)
    node = record.formula.ends.value
    described = f"{record.title} is {words(node, naming)}"
    return Html(equation(shown(named), mathml(node, naming), description=described))


# ------------------------------------------------------------------ as text


def notations(titles: Titles, text: str, node: Node) -> Iterator[tuple[str, str]]:
    """A plan's formula as it was written, in words, and as text to copy."""
    yield "As written", text
    yield "In words", words(node, titles)
    yield "LaTeX", latex(node, titles)
    yield "Excel, with names for places", _excel(node)
    yield "Python", python(node)
    yield "JavaScript", javascript(node)


def record_notations(record: Record) -> Iterator[tuple[str, str]]:
    """A catalogue formula in every notation."""
    node = record.formula.ends.value
    yield "As written", record.formula.text
    yield "In words", words(node, _Inputs(record))
    yield "LaTeX", latex(node, _Inputs(record))
    yield "Excel", _excel(node)
    yield "Python", python(node)
    yield "JavaScript", javascript(node, PlainNames())


def _excel(node: Node) -> str:
    """Empty where no cell can hold it."""
    try:
        return f"={excel(node, _Names()).text}"
    except PrinterError:
        return ""
