"""What every sheet's writer needs: the plan, its results, its layout, titles and formats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import cached_property

from scalesheet.book import Book
from scalesheet.defined_names import tables_of
from scalesheet.edition import Edition
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.sensitivity import Sensitivity
from scalesheet.frozen import dataclass
from scalesheet.language.syntax import ENDS, End, Node
from scalesheet.model import Citation, Column, Formula, Plan, Quantity, Scalar, Stated, Table
from scalesheet.numbers import Format, excel_format, format_of
from scalesheet.printers.excel import ExcelFormula, excel
from scalesheet.render.workbook.places import TOP, Kept, Layout, View, prefix
from scalesheet.units import Declared
from scalesheet.values import Results, Value

FIRST_SOURCE_ROW = TOP + 1


@dataclass(frozen=True)
class Context:
    """One plan with its results and layout."""

    edition: Edition
    plan: Plan
    layout: Layout
    #: By table, column and end.
    kept: Mapping[tuple[str, str, End], Kept] = field(default_factory=dict)
    _formats: dict[tuple[str, str], Format] = field(default_factory=dict, repr=False, compare=False)

    @property
    def book(self) -> Book:
        return self.edition.book

    @cached_property
    def results(self) -> Results:
        """Every cell of the plan, including its steps."""
        return evaluate(self.book, self.plan)

    @property
    def sensitivity(self) -> Sensitivity | None:
        """The sensitivity, if the layout has a sheet for it."""
        if not self.layout.has("sensitivity"):
            return None
        return self.edition.sensitivities[self.plan.id]

    @cached_property
    def tables(self) -> Mapping[str, Table]:
        """Every table in the workbook: catalogue tables in use, then the plan's."""
        return tables_of(self.book, self.plan)

    # -------------------------------------------------------------- values and formats

    @cached_property
    def scalar_formats(self) -> Mapping[str, Format]:
        units = self.book.units
        return {
            name: format_of(scalar, [self.results.scalars[name]], units)
            for name, scalar in self.plan.scalars.items()
        }

    def number_format(self, scalar: Scalar) -> str:
        return excel_format(self.scalar_formats[scalar.name]) if scalar.kind == "number" else ""

    def column_format(self, table: Table, column: Column) -> Format:
        """The format of a whole column, cached because it depends on every value."""
        key = (table.name, column.name)
        if key not in self._formats:
            series = self.results.tables[table.name][column.name]
            self._formats[key] = format_of(column, series, self.book.units)
        return self._formats[key]

    def symbol(self, quantity: Quantity) -> str:
        if quantity.unit is None or quantity.show.percent:
            return ""
        return self.book.units.symbol(quantity.unit)

    def printed(self, node: Node, sheet: str) -> ExcelFormula:
        return excel(node, View(self.layout, sheet))

    # -------------------------------------------------------------- titles and sources

    def title_of(self, table: str, row: str) -> str:
        """A row's title, or its id."""
        result = self.tables.get(table)
        if result is None or row not in result.rows:
            return row
        return result.row_titles[result.rows.index(row)] or row

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """Keys of all sources cited in the workbook, sorted."""
        keys = {c.key for c in self._citations() if c is not None and c.key in self.book.sources}
        return tuple(sorted(keys))

    def _citations(self) -> Iterable[Citation | None]:
        yield self.plan.citation
        for scalar in self.plan.scalars.values():
            yield scalar.stated.citation if scalar.stated else None
            yield scalar.formula.citation if scalar.formula else None
        for table in self.tables.values():
            for column in table.columns.values():
                yield column.formula.citation if column.formula else None
                for stated in column.stated.values():
                    yield stated.citation
        for used in self._formulas():
            for record in used.uses:
                yield self.book.records[record].citation if record in self.book.records else None

    def _formulas(self) -> Iterable[Formula]:
        for scalar in self.plan.scalars.values():
            if scalar.formula:
                yield scalar.formula
        for table in self.tables.values():
            for column in table.columns.values():
                yield from (*([column.formula] if column.formula else []), *column.own.values())

    @cached_property
    def units_used(self) -> tuple[Declared, ...]:
        """The declared units that occur in the workbook, in order of declaration."""
        quantities: list[Quantity] = list(self.plan.scalars.values())
        for table in self.tables.values():
            quantities += table.columns.values()
        used = {name for q in quantities if q.unit is not None for name, _ in q.unit.factors}
        return tuple(u for name, u in self.book.units.declared.items() if name in used)

    def source_link(self, citation: Citation) -> str:
        """The link to its row on the Sources sheet."""
        if citation.key not in self.sources:
            return ""
        row = FIRST_SOURCE_ROW + self.sources.index(citation.key) + 1
        return f"internal:{prefix(self.layout.sheet('sources'))}A{row}"


def cite(citation: Citation | None) -> str:
    """`key, locator`."""
    if citation is None:
        return ""
    return f"{citation.key}, {citation.locator}" if citation.locator else citation.key


def stored(value: Value, end: End) -> float | str:
    """The value that a spreadsheet stores beside a formula: a number, or text for anything else."""
    if value.reason is not None:
        return value.reason
    shown = value.end(end)
    if shown is None:
        return ""
    if isinstance(shown, bool):
        return "yes" if shown else "no"
    return shown


def stated_text(stated: Stated, symbol: str) -> str | None:
    """The cell text of a stated value that is not a number; None for a number."""
    if stated.reason is not None:
        return stated.reason
    match stated.value:
        case bool(flag):
            return "yes" if flag else "no"
        case str(word):
            return word
        case float() | int():
            return None
    if stated.at_least is not None:
        return f"≥ {stated.at_least:,.15g} {symbol}".rstrip()
    if stated.at_most is not None:
        return f"≤ {stated.at_most:,.15g} {symbol}".rstrip()
    return ""


def stated_ends(stated: Stated) -> tuple[float, float, float]:
    """Low, value and high of a stated number."""
    assert isinstance(stated.value, float | int)
    value = float(stated.value)
    low = value if stated.low is None else stated.low
    high = value if stated.high is None else stated.high
    return low, value, high


def ends_of(quantity: Quantity) -> tuple[End, ...]:
    return ENDS if quantity.ranged else ("value",)


def end_node(formula: Formula, end: End) -> Node:
    """The tree of one end; an exact formula has only one."""
    return getattr(formula.ends, end) or formula.ends.value
