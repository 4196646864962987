"""What the results depend on most, on the Results sheet: the top inputs of each figure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from scalesheet.evaluate.sensitivity import Effect, ranks
from scalesheet.language.syntax import End
from scalesheet.numbers import Format, excel_format, format_of
from scalesheet.render.workbook.canvas import Canvas
from scalesheet.render.workbook.context import Context, stored
from scalesheet.render.workbook.formats import Role
from scalesheet.render.workbook.places import TITLE, UNIT, absolute
from scalesheet.render.workbook.sensitivity import (
    RANK,
    RESULT_AT,
    SHOWN_AT,
    Listing,
    arrange,
    figure_title,
    inputs,
    outdated,
    sheet_prefix,
)
from scalesheet.values import Value

IN_SUMMARY = 5  # inputs listed for a figure, largest effect first
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
    """Write the top of each list; return the next free row."""
    listings = arrange(context)
    if not listings:
        return row
    canvas.text(row, TITLE, "What moves the result", "section")
    step = f"{context.sensitivity.step * 100:g}%" if context.sensitivity else ""
    message = f"Each input alone, over its range or by {step} of it, as the plan was shipped."
    canvas.text(row + 1, TITLE, message, "lead_line")
    canvas.formula(row + 2, TITLE, outdated(context), "", "count")
    row += 3
    for listing in listings:
        titles = (figure_title(context, listing.ranking.name), *HEADINGS[1:])
        canvas.heads(row, titles, {*HEADINGS[1:]} - {"Unit"})
        for below, effect in enumerate(listing.effects[:IN_SUMMARY]):
            row += 1
            _summary_row(canvas, context, listing, effect, row, listing.first + below)
        row += 2
    return row


def _summary_row(
    canvas: Canvas, context: Context, listing: Listing, effect: Effect, row: int, source: int
) -> None:
    scalar = context.plan.scalars[listing.ranking.name]
    own_format = format_of(scalar, listing.ranking.values, context.book.units)
    fmt, signed = excel_format(own_format), _signed(own_format)
    sheet = sheet_prefix(context)
    for at, (column, value, role, form) in enumerate(_found(context, effect, fmt)):
        text = f"{sheet}{absolute(source, column)}"
        text += '&""' if column == UNIT else ""  # an empty cell would be shown as 0
        canvas.formula(row, at, text, value, role, form)
    was = f"{sheet}{absolute(source, RESULT_AT['value'])}"
    ends: tuple[tuple[End, Value], ...] = (("low", effect.low), ("high", effect.high))
    for at, (end, result) in enumerate(ends, 6):
        moved = f"{sheet}{absolute(source, RESULT_AT[end])}"
        change = f'IF(COUNT({moved},{was})<2,"",{moved}-{was})'
        numbers = [v.value for v in (result, listing.ranking.value) if isinstance(v.value, float)]
        message = numbers[0] - numbers[1] if len(numbers) == 2 else ""
        canvas.formula(row, at, change, message, "either", signed)
    canvas.formula(
        row, RANK_AT, f"{sheet}{absolute(source, RANK)}", _rank(listing, effect), "key_number", "0"
    )


def _rank(listing: Listing, effect: Effect) -> float:
    places = ranks([each.swing for each in listing.effects])
    return float(places[listing.effects.index(effect)])


def _found(
    context: Context, effect: Effect, fmt: str
) -> Iterator[tuple[int, float | str, Role, str]]:
    """Column on Sensitivity, stored value, role and format of a row in the Summary."""
    yield TITLE, effect.lever.title, "label", ""
    low, _, high = inputs(context, effect)
    yield SHOWN_AT["low"], low, "either", ""
    yield SHOWN_AT["high"], high, "either", ""
    yield UNIT, context.symbol(effect.lever.quantity), "symbol", ""
    yield RESULT_AT["low"], stored(effect.low, "value"), "either", fmt
    yield RESULT_AT["high"], stored(effect.high, "value"), "either", fmt


def _signed(fmt: Format) -> str:
    """The format of a figure's changes: one more digit, and a sign."""
    finer = replace(fmt, decimals=fmt.decimals + 1, approximate=False, date=False)  # dates in days
    plain = excel_format(finer)
    return f"+{plain};-{plain};{plain}"
