"""How a sheet prints: on which paper, and on how many pages.

A sheet goes on the fewest pages of A4 or A3, portrait or landscape, at a readable scale. Ties go to
the smaller paper, then to the larger print. A sheet that is too wide for any of them is for the
screen and does not print.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from xlsxwriter.worksheet import Worksheet

from scalesheet.frozen import dataclass

READABLE = 0.396  # the smallest scale: 10 points become 4
SLACK = 0.97  # column widths differ a little from program to program
WIDE_MARGIN, TOP_MARGIN, BOTTOM_MARGIN = 0.5, 0.8, 0.7  # inches
INCHES_PER_WIDTH = 7.3 / 96  # column width counts characters of 7 pixels, plus a little padding


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper size: Excel's number for it, and its sides in inches."""

    number: int
    width: float
    height: float

    @property
    def room(self) -> tuple[float, float]:
        """Width and height between the margins, in inches."""
        return self.width - 2 * WIDE_MARGIN, self.height - TOP_MARGIN - BOTTOM_MARGIN


A4, A3 = Paper(9, 11.69, 8.27), Paper(8, 16.54, 11.69)
TALL_A4, TALL_A3 = Paper(9, 8.27, 11.69), Paper(8, 11.69, 16.54)
PAPERS = (A4, TALL_A4, A3, TALL_A3)


def printed(widths: Sequence[float], heights: Sequence[float]) -> tuple[Paper, int] | None:
    """The paper for columns of these widths (characters) and rows of these heights (points).

    Returns it with the number of pages; None if no paper is wide enough.
    """
    wide, high = sum(widths) * INCHES_PER_WIDTH / SLACK, sum(heights) / 72 / SLACK
    fits = []
    for paper in PAPERS:
        across, room = paper.room
        if across / wide >= READABLE:
            down = max(1, ceil(high * READABLE / room))
            scale = min(across / wide, down * room / high)
            fits.append((down, paper.width * paper.height, -scale, paper))
    return next(((paper, down) for down, _, _, paper in sorted(fits, key=lambda f: f[:3])), None)


def set_paper(sheet: Worksheet, widths: Sequence[float], heights: Sequence[float]) -> bool:
    """Set paper and pages of a sheet; return whether it prints."""
    plan = printed(widths, heights)
    if plan is None:
        return False
    paper, down = plan
    (sheet.set_landscape if paper.width > paper.height else sheet.set_portrait)()
    sheet.set_paper(paper.number)
    sheet.set_margins(WIDE_MARGIN, WIDE_MARGIN, TOP_MARGIN, BOTTOM_MARGIN)
    sheet.fit_to_pages(1, down)
    return True
