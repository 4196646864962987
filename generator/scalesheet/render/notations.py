"""Formulas as text to copy, with names for places: what pages and the data API both show."""

from __future__ import annotations

import re
from collections.abc import Mapping

from scalesheet.frozen import dataclass
from scalesheet.language.arithmetic import CONSTANTS
from scalesheet.language.syntax import Constant, End, Node, Scalar, walk
from scalesheet.model import Record
from scalesheet.printers.base import PrinterError
from scalesheet.printers.excel import excel
from scalesheet.printers.javascript import javascript
from scalesheet.printers.latex import latex
from scalesheet.printers.notation import Naming, Shown
from scalesheet.printers.python import PlainNames, python
from scalesheet.printers.words import words

MARKS = "\ue000\ue001"  # around each title in a phrase


def named(title: str) -> Shown:
    """Show a thing by its title, as a name rather than as text between operators.

    MathML takes a row of text with one operator for a stretchy operator, and sets no space inside.
    """
    return Shown(text=title) if set("_{}\\") & set(title) else Shown(symbol=title, text=title)


@dataclass(frozen=True)
class InputTitles:
    """Names the inputs of a catalogue formula by their titles."""

    record: Record

    def reference(self, node: Node) -> Shown | None:
        if isinstance(node, Scalar):
            return named(next(i.title for i in self.record.inputs if i.name == node.name))
        return named(node.name.replace("_", " ")) if isinstance(node, Constant) else None

    def column(self, table: str, column: str) -> Shown:
        return Shown(text=column)

    def table(self, table: str) -> str:
        return table


@dataclass(frozen=True)
class Marked:
    """Names things for phrases: titles between marks, without factors that only convert units."""

    titles: Naming

    def reference(self, node: Node) -> Shown | None:
        shown = self.titles.reference(node)
        if shown is None or (
            isinstance(node, Constant) and shown.text == node.name.replace("_", " ")
        ):
            return shown and Shown()
        return Shown(text=self.marked(shown.text))

    def column(self, table: str, column: str) -> Shown:
        return Shown(text=self.marked(self.titles.column(table, column).text))

    def table(self, table: str) -> str:
        return self.marked(self.titles.table(table))

    def marked(self, title: str) -> str:
        return f"{MARKS[0]}{title}{MARKS[1]}"


def phrase(node: Node, naming: Naming) -> str:
    """The formula in words, as plain text."""
    return re.sub(f"[{MARKS}]", "", words(node, Marked(naming)))


def record_texts(record: Record) -> Mapping[str, str]:
    """A catalogue formula in every notation; the Excel text is empty if no cell can hold it."""
    node = record.formula.ends.value
    return {
        "written": record.formula.text,
        "words": phrase(node, InputTitles(record)),
        "latex": latex(node, InputTitles(record)),
        "excel": excel_text(node),
        "python": python(node),
        "javascript": javascript(node, PlainNames()),
    }


def record_constants(record: Record) -> Mapping[str, float]:
    """The named constants in the texts of a catalogue formula, with their values."""
    tree = record.formula.ends.value
    own = {node.name: node.value for node in walk(tree) if isinstance(node, Constant)}
    used = set(re.findall(r"\w+", excel_text(tree)))
    known = {**CONSTANTS, **own}
    return {name: known[name] for name in sorted(known) if name in own or name in used}


def excel_text(node: Node) -> str:
    """A formula for Excel with names instead of cells; empty if no cell can hold it."""
    try:
        return f"={excel(node, _Names()).text}"
    except PrinterError:
        return ""


class _Names:
    """Excel names: scalars by their defined names, tables as structured references."""

    def scalar(self, name: str, end: End) -> str:
        return _word(name) + ("" if end == "value" else f"_{end}")

    def column(self, table: str, column: str, end: End) -> str:
        return f"[@{self._column(column, end)}]"

    def range(self, table: str, column: str, end: End) -> str:
        return f"{_word(table)}[{self._column(column, end)}]"

    looked_up = range

    def keys(self, table: str, column: str, end: End) -> str:
        return self.ids(table)

    def ids(self, table: str) -> str:
        return f"{_word(table)}[id]"

    def titles(self, table: str) -> str:
        return f"{_word(table)}[title]"

    def constant(self, name: str) -> str:
        return _word(name)

    def _column(self, column: str, end: End) -> str:
        return column + ("" if end == "value" else f"_{end}")


def _word(name: str) -> str:
    return re.sub(r"\W", "_", name)
