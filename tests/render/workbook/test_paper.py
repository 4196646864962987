"""A sheet prints readably: the smallest paper that will do, and captions with their tables."""

from __future__ import annotations

import pytest

from scalesheet.render.workbook.paper import A3, A4, READABLE, Paper, breaks, printed


@pytest.mark.parametrize(
    ("characters", "paper", "across"),
    [(100, A4, 1), (230, A4, 1), (330, A3, 1), (360, A3, 1), (420, A3, 2)],
)
def test_a_wider_sheet_takes_larger_paper_then_two_pages(
    characters: int, paper: Paper, across: int
) -> None:
    found = printed([10.0] * (characters // 10))
    assert (found.paper, found.across) == (paper, across)
    assert READABLE <= found.scale <= 1.0


def test_a_page_ends_before_a_table_that_it_cannot_hold() -> None:
    rows = [10.0] * 30
    assert breaks([(0, 10), (10, 20), (20, 30)], rows, 200.0) == [20]
    assert breaks([(0, 10), (10, 20), (20, 30)], rows, 190.0) == [10, 20]
    assert breaks([(0, 10), (10, 20), (20, 30)], rows, 300.0) == []


def test_a_table_longer_than_a_page_begins_a_page_and_runs_on() -> None:
    rows = [10.0] * 60
    assert breaks([(0, 12), (12, 50), (50, 60)], rows, 200.0) == [12, 50]
    assert breaks([(0, 12), (12, 45), (45, 50)], rows, 200.0) == [12]


def test_below_a_mere_title_a_long_table_begins_where_it_stands() -> None:
    rows = [10.0] * 60
    assert breaks([(0, 3), (3, 50)], rows, 200.0) == []
    assert breaks([(0, 3), (3, 22)], rows, 200.0) == [3]  # one page holds it


def test_a_row_higher_than_a_page_does_no_harm() -> None:
    assert breaks([(0, 1), (1, 3)], [110.0, 900.0, 10.0], 200.0) == [1]
