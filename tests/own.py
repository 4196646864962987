"""A user's own book, as `init` creates it on top of the catalogue."""

from __future__ import annotations

from pathlib import Path

from scalesheet.book import Book
from scalesheet.carried import carried
from scalesheet.cli import main
from scalesheet.examine import compile_book

PLAN = "first"


def begun(folder: Path, catalogue: str = "") -> Path:
    """The data folder of a new book; `catalogue` is its plan's entry for the rows to include."""
    assert main(["init", str(folder)]) == 0
    plan = folder / "data" / "plans" / PLAN / "plan.yaml"
    plan.write_text(catalogue + plan.read_text("utf-8"), "utf-8")
    return folder / "data"


def own_book(folder: Path) -> Book:
    """The new book with the rows that the workbook of its plan includes."""
    book = compile_book(begun(folder), plans=[PLAN])
    return carried(book, book.plans[PLAN])
