"""What moves the results, in the Summary: the inputs of each figure, by their rank as it is now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from scalesheet.evaluate.sensitivity import Effect
from scalesheet.language.syntax import ENDS, End
from scalesheet.numbers import Format, excel_format, format_of
from scalesheet.render.workbook.canvas import Canvas
from scalesheet.render.workbook.context import Context, stored
from scalesheet.render.workbook.formats import Role
from scalesheet.render.workbook.places import TITLE, UNIT, relative
from scalesheet.render.workbook.sensitivity import (
    RANK,
    RESULT_AT,
    SHOWN_AT,
    Listing,
    arrange,
    figure_title,
    how_moved,
    outdated,
    sheet_prefix,
)

IN_SUMMARY = 5  # inputs of a figure in the Summary, those that move it most
HEADINGS = (
    "Input",
    "Low side",
    "High side",
    "Unit",
    "Result, low side",
    "Result, high side",
    "Change, low side",
    "Change, high side",
    "Rank",
)
RANK_AT = len(HEADINGS) - 1


def write_moves(canvas: Canvas, context: Context, row: int) -> int:
    """The lists in the order of their ranks as they are now; gives the first free row."""
    arranged = arrange(context)
    if not arranged.listings:
        return row
    sheet = sheet_prefix(context)
    canvas.text(row, TITLE, "What moves the result", "section")
    message = "Each input alone, over its range or by the step that the sheet Sensitivity states."
    canvas.text(row + 1, TITLE, message, "lead_line")
    canvas.formula(row + 2, TITLE, outdated(context, arranged, canvas.name), "", "count")
    row += 3
    for listing in arranged.listings:
        for at, text in enumerate(HEADINGS):
            shown = figure_title(context, listing.ranking.name) if at == TITLE else text
            role: Role = "heading_number" if at else "heading"
            canvas.text(row, at, shown, "heading_text" if text == "Unit" else role)
        for rank, effect in enumerate(listing.effects[:IN_SUMMARY], 1):
            row += 1
            _summary_row(canvas, context, listing, effect, row, rank, sheet)
        row += 2
    return row


def _summary_row(
    canvas: Canvas,
    context: Context,
    listing: Listing,
    effect: Effect,
    row: int,
    rank: int,
    sheet: str,
) -> None:
    canvas.number(row, RANK_AT, float(rank), "key_number", "0")
    results = f"MATCH({relative(row, RANK_AT)},{sheet}{listing.area(RANK)},0)"
    scalar = context.plan.scalars[listing.ranking.name]
    own_format = format_of(scalar, listing.ranking.values, context.book.units)
    fmt, signed = excel_format(own_format), _signed(own_format)
    own = context.layout.names.scalars[listing.ranking.name, "value"]
    for at, (column, value, role, form) in enumerate(_found(context, effect, fmt)):
        text = f"INDEX({sheet}{listing.area(column)},{results})"
        text += '&""' if column == UNIT else ""  # an empty cell would be shown as 0
        canvas.formula(row, at, text, value, role, form)
    for at, result in ((4, effect.low), (5, effect.high)):
        cell = relative(row, at)
        change = f'IF(AND(ISNUMBER({cell}),ISNUMBER({own})),{cell}-{own},"")'
        numbers = [v.value for v in (result, listing.ranking.value) if isinstance(v.value, float)]
        message = numbers[0] - numbers[1] if len(numbers) == 2 else ""
        canvas.formula(row, at + 2, change, message, "either", signed)


def _found(
    context: Context, effect: Effect, fmt: str
) -> Iterator[tuple[int, float | str, Role, str]]:
    """Column on Sensitivity, stored value, role and format of a row in the Summary."""
    yield TITLE, effect.lever.title, "label", ""
    sides: tuple[End, ...] = ("low", "high")
    for end in sides:
        at = ENDS.index(end)
        value = (
            how_moved(context, effect.lever, end)[1]
            if effect.inputs is None
            else (effect.inputs[at])
        )
        yield SHOWN_AT[end], value, "either", ""
    yield UNIT, context.symbol(effect.lever.quantity), "symbol", ""
    yield RESULT_AT["low"], stored(effect.low, "value"), "either", fmt
    yield RESULT_AT["high"], stored(effect.high, "value"), "either", fmt


def _signed(fmt: Format) -> str:
    """A figure's format for its changes: one digit more, and a sign."""
    plain = excel_format(replace(fmt, decimals=fmt.decimals + 1, approximate=False))
    return f"+{plain};-{plain};{plain}"
