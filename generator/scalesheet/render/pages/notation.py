"""Formulas as pages show them: with titles, with numbers, and as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from scalesheet.frozen import dataclass
from scalesheet.language.syntax import Cell, Column, Constant, End, Node, Scalar
from scalesheet.model import Plan, Record, Table
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
    plan: Plan | None  # none for formulas of the catalogue
    within: str | None = None
    in_words: bool = False

    def reference(self, node: Node) -> Shown | None:
        match node:
            case Scalar() if self.plan is not None:
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


# ------------------------------------------------------------------ MathML


def drawn(titles: Titles, title: str, node: Node) -> Html:
    """The formula as MathML; with a description in words if it has a title."""
    described = f"{title} is {phrase(node, replace(titles, in_words=True))}" if title else ""
    return Html(equation(mathml(node, titles), description=described))


def in_words(naming: Naming, node: Node) -> Html:
    """The formula as a phrase with emphasized titles."""
    parts = re.split(f"[{MARKS}]", words(node, Marked(naming)))
    return join(tag("em", part) if n % 2 else part for n, part in enumerate(parts))


def record_drawn(record: Record) -> Html:
    """A catalogue formula, with the symbol of its result if it has one; its page has the words."""
    symbol = Shown(symbol=record.symbol) if record.symbol else named(record.title)
    naming = InputTitles(record)
    node = record.formula.ends.value
    return Html(equation(shown(symbol), mathml(node, naming)))


# ------------------------------------------------------------------ as text


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
