"""The prose of a plan: which names it may use, what they refer to, and which are unknown.

`{{ total.gpu_hours }}`, `{{ table summary }}`, `{{ chart hours }}`, `{{ formula cost }}`. A name is
only looked up, never computed with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from scalesheet.book import Book
from scalesheet.diagnostics import Diagnostic, at
from scalesheet.frozen import dataclass
from scalesheet.model import PageRow, Plan, Position, Scalar, Table
from scalesheet.nearest import nearest
from scalesheet.short_names import as_written, in_full

ADVICE = "recommendations"  # places the plan's recommendations in its text
HISTORY = "history"  # places the plan's versions in its text

#: What is not plain Markdown: code, which stays as written, names, and `<`.
MARKS = re.compile(
    r"^(?P<fence>`{3,}|~{3,})[^\n]*\n(?P<block>.*?)^(?P=fence)[ \t]*$"
    r"|(?<!`)(?P<ticks>`+)(?!`)(?P<code>(?:(?!\n[ \t]*\n).)+?)(?<!`)(?P=ticks)(?!`)"
    r"|\{\{(?P<name>[^\n{}]*)\}\}"
    r"|(?P<less><)",
    re.MULTILINE | re.DOTALL,
)
NAME = re.compile(r"\{\{([^\n{}]*)\}\}")

_ITEM = r"(?:'[^']+'|[a-z][a-z0-9_]*)"
_CELL = re.compile(
    rf"(?P<table>[\w.]+)\[(?P<row>{_ITEM}(?:\s*,\s*{_ITEM})*)\]\.(?P<column>\w+)(?P<rest>(?:\.\w+)*)"
)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table of the plan, or of the catalogue."""

    table: str
    row: str
    column: str


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a name refers to: a start, and the columns followed from there.

    Each column is a figure of the row that the previous one refers to.
    """

    start: Scalar | Cell | PageRow
    columns: tuple[str, ...] = ()


def named(text: str) -> list[str]:
    """The contents of every `{{ }}` in a text, except in code."""
    return [mark["name"] for mark in MARKS.finditer(text) if mark["name"] is not None]


def split(words: str) -> tuple[str, str]:
    """Split into kind and name: `table runs`, `table runs where scale`.

    The kind of a figure is empty, and its name may have spaces, as in `runs[scale, 'a100'].hours`.
    """
    kind, _, name = words.strip().partition(" ")
    return (kind, " ".join(name.split())) if name and "[" not in kind else ("", words.strip())


def scalar_named(plan: Plan, name: str) -> Scalar | None:
    """A scalar by its name; `total.hours` is short for `phases.total.hours`."""
    return plan.scalars.get(in_full(name, plan.scalars))


def meaning(book: Book, plan: Plan, name: str, row: PageRow | None = None) -> Meaning | None:
    """What the name of a figure refers to; None if it is unknown whatever the inputs are.

    It is the row of its page (`scale`, `scale.params`), a scalar, a cell (`phases.sft.hours`,
    `t['row'].c`, `t[scale, 'a100'].c`), or a figure of a row that one of these refers to
    (`gpu.memory`). A table may lack the cell of the page's row.
    """
    first, _, rest = name.partition(".")
    if row is not None and first == row.word:
        return _followed(book, plan, row, row.table, rest)
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        scalar = scalar_named(plan, ".".join(parts[:length]))
        if scalar is not None:
            return _followed(book, plan, scalar, scalar.refers_to, ".".join(parts[length:]))
    match = _CELL.fullmatch(name)
    if match is not None:
        cell = Cell(match["table"], _row_id(match["row"], row), match["column"])
        rest = match["rest"].removeprefix(".")
    elif first == "phases" and len(parts) > 2:
        cell, rest = Cell(first, parts[1], parts[2]), ".".join(parts[3:])
    else:
        return None
    table = table_of(book, plan, cell.table)
    if table is None or cell.column not in table.columns:
        return None
    if cell.row not in table.rows and not _of_its_page(plan, match, row):
        return None
    return _followed(book, plan, cell, table.columns[cell.column].refers_to, rest)


def _of_its_page(plan: Plan, match: re.Match[str] | None, row: PageRow | None) -> bool:
    """Return whether a cell is in the row that its page is about.

    A row that was added has a page before each table of the plan covers it; there the cell is a
    reason.
    """
    if match is None or row is None:
        return False
    return match["table"] in plan.tables and row.word in re.findall(_ITEM, match["row"])


def table_of(book: Book, plan: Plan, name: str | None) -> Table | None:
    """A table of the plan, or else of the catalogue."""
    return (plan.tables.get(name) or book.tables.get(name)) if name else None


def _row_id(items: str, page: PageRow | None) -> str:
    """`scale, 'a100'` as the id of a row; a cross table's rows combine both ids."""
    ids = []
    for item in re.findall(_ITEM, items):
        if page is not None and item == page.word:
            ids.append(page.row)
        else:
            ids.append(item.strip("'") if item[0] == "'" else "")
    return "--".join(ids)


def _followed(
    book: Book, plan: Plan, start: Scalar | Cell | PageRow, refers_to: str | None, rest: str
) -> Meaning | None:
    columns = tuple(rest.split(".")) if rest else ()
    for column in columns:
        table = table_of(book, plan, refers_to)
        if table is None or column not in table.columns:
            return None
        refers_to = table.columns[column].refers_to
    return Meaning(start, columns)


def belonging(table: Table, row: PageRow) -> str | None:
    """The column of a table that says which row of another table a row belongs to.

    It is the one with the same name, or else the only one that refers to that table.
    """
    columns = [c.name for c in table.columns.values() if c.refers_to == row.table]
    if row.word in columns:
        return row.word
    return columns[0] if len(columns) == 1 else None


# ------------------------------------------------------------------ unknown names


def problems(book: Book, plan: Plan) -> Iterator[Diagnostic]:
    """Report every unknown name in the plan's texts, at its place."""
    names = _Names(book, plan)
    start = plan.position or Position(plan.id, 1, 1)
    for text in plan.recommendations:
        yield from names.of_line(text, start)
    page = _Names(book, plan, own=(ADVICE,) if plan.recommendations else ())
    yield from page.of_text(plan.page, _start(plan))
    for each in plan.pages:
        names = _Names(book, plan, each.row)
        start = each.position or each.start
        yield from names.of_line(each.title, start)
        yield from names.of_line(each.summary, start)
        for name, position in each.headline:
            if meaning(book, plan, name, each.row) is None:
                yield names.unknown("", name, position)
        yield from names.of_text(each.text, each.start)


def link_in(plan: Plan, page: str, target: str) -> Position | None:
    """The place of a link to that target in the text of a plan's page."""
    texts = {plan.id: (plan.page, _start(plan)), **{p.id: (p.text, p.start) for p in plan.pages}}
    text, start = texts.get(page, ("", _start(plan)))
    offset = text.find(f"]({target}") if target else -1
    return _position(text, offset + 2, start) if offset >= 0 else None


def _start(plan: Plan) -> Position:
    """The start of the text of the plan's own page."""
    return Position(plan.page_path or f"{plan.id}/page.md", 1, 1)


class _Names:
    """The names that a text of a plan may use: the plan's, and its `own`."""

    def __init__(
        self, book: Book, plan: Plan, row: PageRow | None = None, own: tuple[str, ...] = ()
    ) -> None:
        self.book, self.plan, self.row = book, plan, row
        self.own = own + ((HISTORY,) if plan.history else ())
        phases = plan.tables.get("phases")
        self.known: Mapping[str, tuple[str, ...]] = {
            "": (
                *((row.word,) if row else ()),
                *as_written(plan.scalars),
                *(
                    f"phases.{r}.{c}"
                    for r in (phases.rows if phases else ())
                    for c in (phases.columns if phases else ())
                ),
            ),
            "chart": tuple(chart.id for chart in plan.charts),
            "formula": tuple(n for n, s in plan.scalars.items() if not s.is_input),
            "table": tuple(plan.tables),
        }

    def of_text(self, text: str, start: Position) -> Iterator[Diagnostic]:
        for mark in MARKS.finditer(text):
            if mark["name"] is not None:
                indent = len(mark["name"]) - len(mark["name"].lstrip())
                yield from self._of(
                    mark["name"], _position(text, mark.start("name") + indent, start)
                )
        opens = MARKS.sub(lambda mark: " " * len(mark[0]), text).find("{{")
        if opens >= 0:
            message = "'{{' has no '}}' on its line; write {{ name }}, or put it in backticks"
            yield at(_position(text, opens, start), "N001", message)

    def of_line(self, text: str, start: Position) -> Iterator[Diagnostic]:
        for words in NAME.findall(text):
            yield from self._of(words, start)

    def _of(self, words: str, position: Position) -> Iterator[Diagnostic]:
        kind, name = split(words)
        if kind not in self.known:
            kinds = sorted(filter(None, self.known))
            message = f"unknown kind '{kind}' before '{name}': expected {', '.join(kinds)}"
            yield at(position, "N001", message + nearest(kind, kinds))
        elif not self._means(kind, name):
            yield self.unknown(kind, name, position)

    def _means(self, kind: str, name: str) -> bool:
        if not kind:
            known = meaning(self.book, self.plan, name, self.row) is not None
            return known or name in self.own
        if kind == "table":
            name, _, word = name.partition(" where ")
            table = self.plan.tables.get(name)
            row = self.row if self.row and self.row.word == word else None
            return table is not None and (
                not word or (row is not None and belonging(table, row) is not None)
            )
        if kind == "formula":
            scalar = scalar_named(self.plan, name)
            return scalar is not None and not scalar.is_input
        return name in self.known[kind]

    def unknown(self, kind: str, name: str, position: Position) -> Diagnostic:
        message = f"there is no {kind or 'figure'} '{name}' in this plan"
        return at(position, "N001", message + nearest(name, self.known[kind]))


def _position(text: str, offset: int, start: Position) -> Position:
    """The position in the file of a character of the text."""
    before = text[:offset]
    row = before.count("\n")
    column = offset - (before.rfind("\n") + 1)
    return Position(start.path, start.line + row, column + (start.column if row == 0 else 1))
