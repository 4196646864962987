"""A sheet prints readably, on the smallest paper and the fewest pages possible."""

from __future__ import annotations

import pytest

from scalesheet.render.workbook.paper import A3, A4, READABLE, TALL_A3, Paper, printed

LOW, HIGH = [15.0] * 20, [15.0] * 250


@pytest.mark.parametrize(
    ("characters", "heights", "paper", "pages"),
    [
        (100, LOW, A4, 1),
        (300, LOW, A4, 1),
        (420, LOW, A3, 1),
        (100, HIGH, TALL_A3, 2),
        (420, HIGH, A3, 3),
    ],
)
def test_a_wider_or_longer_sheet_takes_larger_paper_then_more_pages(
    characters: int, heights: list[float], paper: Paper, pages: int
) -> None:
    assert printed([10.0] * (characters // 10), heights) == (paper, pages)


def test_a_sheet_too_wide_to_read_is_not_printed() -> None:
    assert printed([10.0] * 60, LOW) is None


@pytest.mark.parametrize("rows", [1, 40, 90, 300, 1000])
def test_pages_hold_all_rows_at_a_readable_scale(rows: int) -> None:
    found = printed([10.0] * 20, [15.0] * rows)
    assert found is not None
    paper, pages = found
    assert rows * 15 / 72 * READABLE <= pages * paper.room[1]
