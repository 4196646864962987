"""Further pages of a plan in the book: their ids, order, rows and errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from small import plan, said

TABLES = """
scalars: {hours: {value: 1, unit: hour, kind: decision}}
tables:
  scales:
    columns: {size: {unit: parameter, kind: decision}}
    rows: {s: {size: 1}, m: {size: 2}, l: {size: 3}}
"""


def page(front: str) -> str:
    return f"---\n{front}\n---\nText.\n"


def test_pages_are_sorted_by_number_then_name_then_row(tmp_path: Path) -> None:
    files = {
        "plans/small/pages/a.md": page("title: A"),
        "plans/small/pages/b.md": page("title: B\norder: 2"),
        "plans/small/pages/c.md": page("title: C\norder: 1\neach: {scale: scales}"),
        "plans/small/pages/d.md": page("title: D\neach: {gpu: hardware}"),
    }
    book = plan(tmp_path, TABLES, files).book
    assert book is not None
    pages = book.plans["small"].pages
    assert [each.id for each in pages] == [
        "small-s",
        "small-m",
        "small-l",
        "small-b",
        "small-a",
        "small-card",
    ]
    assert [each.row.row for each in pages if each.row and each.row.word == "scale"] == [*"sml"]


def test_a_page_can_be_for_some_of_the_rows(tmp_path: Path) -> None:
    front = "title: A\neach: {scale: {table: scales, rows: [l, s]}}"
    book = plan(tmp_path, TABLES, {"plans/small/pages/a.md": page(front)}).book
    assert book is not None
    assert [each.id for each in book.plans["small"].pages] == ["small-l", "small-s"]


@pytest.mark.parametrize(
    ("front", "told"),
    [
        ("title: A\neach: {scale: scale}", "N001 unknown table 'scale'; did you mean 'scales'?"),
        (
            "title: A\neach: {scale: {table: scales, rows: [xl]}}",
            "N002 'xl' is not in scales; did you mean 'l'?",
        ),
        ("title: A\neach: {total: scales}", "S004"),
        ("headline: [hours]", "S002 the file lacks the key 'title'"),
    ],
)
def test_an_error_in_a_page_is_reported(tmp_path: Path, front: str, told: str) -> None:
    (fault,) = said(plan(tmp_path, TABLES, {"plans/small/pages/a.md": page(front)}))
    assert fault.startswith(told)
