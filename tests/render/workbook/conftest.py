"""The sample's workbook, written once, with the expected values of its cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from editions import given
from render.sample import sample_book
from scalesheet.book import Book
from scalesheet.defined_names import tables_of
from scalesheet.evaluate import Overrides, evaluate
from scalesheet.language.syntax import ENDS, End
from scalesheet.model import Formula, Plan, Quantity, Table
from scalesheet.render.workbook.layout import lay_out
from scalesheet.render.workbook.places import Layout
from scalesheet.render.workbook.steps import stepped
from scalesheet.render.workbook.write import WorkbookReport, write_workbook
from scalesheet.values import Results, Value

Address = tuple[str, str]  # sheet, cell


@dataclass(frozen=True)
class Made:
    """A workbook on disk and everything it was made from."""

    book: Book
    plan: Plan
    results: Results
    layout: Layout
    path: Path
    report: WorkbookReport

    @property
    def tables(self) -> Mapping[str, Table]:
        return tables_of(self.book, self.plan)

    def formulas(self) -> dict[Address, tuple[Formula, End]]:
        """Every cell that must be a formula."""
        found: dict[Address, tuple[Formula, End]] = {}
        for scalar in self.plan.scalars.values():
            if scalar.formula:
                for end in ends(scalar):
                    found[self.layout.scalar_cell(scalar.name, end)] = scalar.formula, end
        for table in self.tables.values():
            for column in table.columns.values():
                for row in table.rows:
                    formula = column.own.get(row, column.formula)
                    if formula and row not in column.stated:
                        for end in ends(column):
                            cell = self.layout.table_cell(table.name, row, column.name, end)
                            found[cell] = formula, end
        return found

    def values(self, overrides: Overrides | None = None) -> dict[Address, float | str]:
        """The value that the evaluator gives for every derived cell."""
        results = evaluate(self.book, self.plan, overrides)
        found: dict[Address, float | str] = {}
        for scalar in self.plan.scalars.values():
            if scalar.formula:
                for end in ends(scalar):
                    cell = self.layout.scalar_cell(scalar.name, end)
                    found[cell] = shown(results.scalars[scalar.name], end)
        for table in self.tables.values():
            for column in table.columns.values():
                for row in table.rows:
                    for end in ends(column):
                        cell = self.layout.table_cell(table.name, row, column.name, end)
                        value = results.cell(table.name, row, column.name)
                        found[cell] = shown(value, end)
        must = self.formulas()
        return {cell: value for cell, value in found.items() if cell in must}


def ends(quantity: Quantity) -> tuple[End, ...]:
    return ENDS if quantity.ranged else ("value",)


def shown(value: Value, end: End) -> float | str:
    """A value as a cell shows it."""
    if value.reason is not None:
        return value.reason
    at_end = value.end(end)
    if isinstance(at_end, bool):
        return "yes" if at_end else "no"
    return "" if at_end is None else at_end


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("sample")
    book = sample_book(folder / "data")
    plan = book.plans["small"]
    results = evaluate(book, plan)
    path = folder / "small.xlsx"
    report = write_workbook(
        given(book, hash="0123abcd", results={plan.id: results}), plan, path, sensitivity=False
    )
    return Made(book, plan, results, lay_out(book, stepped(book, plan)), path, report)
