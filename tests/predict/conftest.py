"""The real book, read once, and small tables of cases."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from scalesheet.book import Book
from scalesheet.examine import Examined
from scalesheet.predict.cases import Cases, cases_of
from scalesheet.predict.cases import cases as filled
from scalesheet.predict.cases.catalogue import Known, known
from scalesheet.predict.cases.reader import read_csv
from shipped import shipped, shipped_book

Table = Callable[..., Path]
Several = Callable[..., Cases]


@pytest.fixture(scope="session")
def examined() -> Examined:
    return shipped()


@pytest.fixture(scope="session")
def book() -> Book:
    return shipped_book()


@pytest.fixture(scope="session")
def catalogue(book: Book) -> Known:
    return known(book)


def written(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture(scope="session")
def several(catalogue: Known, tmp_path_factory: pytest.TempPathFactory) -> Several:
    """Cases of a task that are a row with each of these values in a column."""

    def rows(
        task: str,
        row: dict[str, str],
        column: str = "id",
        values: tuple[str, ...] = ("x",),
        **more: str,
    ) -> Cases:
        each = [{"id": f"r{n}", **row, **more, column: value} for n, value in enumerate(values)]
        path = written(tmp_path_factory.mktemp("cases") / "cases.csv", each)
        return filled(read_csv(path, task), catalogue)

    return rows


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Write rows to a CSV file, with every column that any of them has."""

    def write(*rows: dict[str, Any]) -> Path:
        return written(tmp_path / "cases.csv", rows)

    return write


@pytest.fixture
def cases(book: Book, table: Table) -> Callable[..., Cases]:
    """The cases of a task from rows of its table."""

    def of(task: str, *rows: dict[str, Any]) -> Cases:
        named = [{"id": f"r{n}", **row} for n, row in enumerate(rows)]
        return cases_of(read_csv(table(*named), task), book)

    return of
