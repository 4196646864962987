"""The real book, read once, and small tables of cases."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scalesheet.build import Examined
from scalesheet.model import Book
from scalesheet.predict.cases import Cases, cases_of
from scalesheet.predict.read import read_csv
from shipped import shipped

Table = Callable[..., Path]


@pytest.fixture(scope="session")
def examined() -> Examined:
    return shipped()


@pytest.fixture(scope="session")
def book(examined: Examined) -> Book:
    assert examined.book is not None
    return examined.book


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Writes a CSV file of rows, with every column that one of them has."""

    def write(*rows: dict[str, Any]) -> Path:
        text = io.StringIO()
        names = list(dict.fromkeys(name for row in rows for name in row))
        writer = csv.DictWriter(text, names)
        writer.writeheader()
        writer.writerows(rows)
        path = tmp_path / "cases.csv"
        path.write_text(text.getvalue(), "utf-8")
        return path

    return write


@pytest.fixture
def cases(book: Book, table: Table) -> Callable[..., Cases]:
    """The cases of a table of a task."""

    def of(task: str, *rows: dict[str, Any]) -> Cases:
        named = [{"id": f"r{n}", **row} for n, row in enumerate(rows)]
        return cases_of(read_csv(table(*named), task), book)

    return of
