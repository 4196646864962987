"""How a sheet prints: on which paper, how small, and where its pages part.

A sheet goes on one A4 page across if its type stays readable, else on A3, else on two pages of A3
with its first columns repeated. Where several tables follow each other, a page ends before a table
that it cannot hold, so that a caption never parts from its rows. A table longer than any page
begins where it stands, unless little of the page is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xlsxwriter.worksheet import Worksheet

READABLE = 0.55  # the least scale: 10 points become 5.5
ENOUGH = 0.5  # of a page, left for the beginning of a table that is longer than a page
SLACK = 0.97  # column widths differ a little from program to program
WIDE_MARGIN, TOP_MARGIN, BOTTOM_MARGIN = 0.5, 0.8, 0.7  # inches
INCHES_PER_WIDTH = 7.3 / 96  # a column's width counts characters of 7 pixels, and a little padding


@dataclass(frozen=True, slots=True)
class Paper:
    """A size of paper, lying: Excel's number for it, its sides in inches."""

    number: int
    width: float
    height: float

    @property
    def room(self) -> tuple[float, float]:
        """Width and height between the margins, in inches."""
        return self.width - 2 * WIDE_MARGIN, self.height - TOP_MARGIN - BOTTOM_MARGIN


A4, A3 = Paper(9, 11.69, 8.27), Paper(8, 16.54, 11.69)


@dataclass(frozen=True, slots=True)
class Printed:
    """Paper, pages side by side, and the scale at which the sheet is as wide as they are."""

    paper: Paper
    across: int
    scale: float


def printed(widths: Sequence[float]) -> Printed:
    """The paper for columns of these widths, in characters."""
    needed = sum(widths) * INCHES_PER_WIDTH
    for paper in (A4, A3):
        scale = paper.room[0] / needed * SLACK
        if scale >= READABLE:
            return Printed(paper, 1, min(scale, 1.0))
    return Printed(A3, 2, min(2 * A3.room[0] / needed * SLACK, 1.0))


def breaks(blocks: Sequence[tuple[int, int]], heights: Sequence[float], page: float) -> list[int]:
    """The rows before which a page ends. Blocks are first row and row after the last; heights are
    of all rows, in points, as is the page's.
    """
    result: list[int] = []
    start = 0  # the first row of the page at hand
    for first, end in blocks:
        left = page - sum(heights[start:first])
        fits = sum(heights[first:end]) <= left
        longer = sum(heights[first:end]) > page
        if first > start and not fits and not (longer and left >= ENOUGH * page):
            result.append(first)
            start = first
        while sum(heights[start:end]) > page:  # longer than a page by itself
            used = 0.0
            while used + heights[start] <= page or used == 0:
                used += heights[start]
                start += 1
    return result


def set_paper(
    sheet: Worksheet,
    widths: Sequence[float],
    heights: Sequence[float],
    blocks: Sequence[tuple[int, int]],
    *,
    one_page: bool = False,
) -> None:
    """Paper, scale and page breaks of a sheet; with `one_page` all of it on one."""
    plan = printed(widths)
    sheet.set_landscape()
    sheet.set_paper(plan.paper.number)
    sheet.set_margins(WIDE_MARGIN, WIDE_MARGIN, TOP_MARGIN, BOTTOM_MARGIN)
    if one_page:
        sheet.fit_to_pages(1, 1)
        return
    if plan.across > 1:
        sheet.repeat_columns(0, 1)
    # Fitted in width alone, a sheet keeps the page breaks that are set.
    sheet.fit_to_pages(plan.across, 0)
    parted = breaks(blocks, heights, plan.paper.room[1] * 72 / plan.scale)
    if parted:
        sheet.set_h_pagebreaks(parted)
