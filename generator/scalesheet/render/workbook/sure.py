"""Quantiles in the Summary: as the build drew them, and P80 of the plan as it is now.

A workbook cannot draw. So P80 now is the expected value, which follows every edit, times a spread
that was found at build; how far that is from the drawn P80 stands beside it.
"""

from __future__ import annotations

from math import exp

from scalesheet.numbers import excel_format, format_of
from scalesheet.render.sureness import summary
from scalesheet.render.workbook.canvas import Canvas
from scalesheet.render.workbook.changes import CHANGED_CELLS
from scalesheet.render.workbook.context import Context
from scalesheet.render.workbook.places import TITLE, prefix, relative
from scalesheet.sure.approximation import p80_over_expected
from scalesheet.values import Value

P50_AT, P80_AT, P90_AT, SPREAD_AT, NOW_AT, SAID_AT = 1, 2, 3, 4, 5, 6
NUMBERS = ("P50", "P80", "P90", "Spread", "P80 now")
CHECKED = "As shipped: P80 now was compared with the draws."
UNCHECKED = "Inputs were changed, so P80 now was not compared with draws."


def write_quantiles(canvas: Canvas, context: Context, row: int) -> int:
    """The block from a row on; the row behind it."""
    if context.sensitivity is None:
        return row
    found = context.edition.sures[context.plan.id]
    rankings = {each.name: each for each in context.sensitivity.rankings}
    shown = [name for name, each in found.figures.items() if each.causes]
    if not shown:
        return row
    row += 1
    canvas.text(row, TITLE, "How sure", "section")
    canvas.heads(row + 1, ("Figure", *NUMBERS, "Compared with the draws"), NUMBERS)
    for at, name in enumerate(shown, row + 2):
        each, scalar = found.figures[name], context.plan.scalars[name]
        canvas.text(at, TITLE, scalar.title or name, "label")
        for column, level in ((P50_AT, "p50"), (P80_AT, "p80"), (P90_AT, "p90")):
            number = each.deserved(level)
            fmt = excel_format(format_of(scalar, [Value.number(number)], context.book.units))
            canvas.number(at, column, number, "number", fmt)
        spread = p80_over_expected(each, rankings[name]) if name in rankings else None
        expected = context.results.scalars[name].value
        if spread is None or not isinstance(expected, float):
            continue
        canvas.number(at, SPREAD_AT, spread, "number", "0.000")
        defined = context.layout.names.scalars[name, "value"]
        now, drawn = expected * exp(spread), each.values["p80"]
        formula = f"{defined}*EXP({relative(at, SPREAD_AT)})"
        canvas.formula(at, NOW_AT, formula, now, "number", context.number_format(scalar))
        canvas.text(at, SAID_AT, _off(now / drawn - 1), "small")
    row += 2 + len(shown)
    changed = f"{prefix(context.layout.sheet('changes'))}{CHANGED_CELLS}"
    light = f'IF({changed}>0,"{UNCHECKED}","{CHECKED}")'
    canvas.formula(row, TITLE, light, CHECKED, "count")
    for said in summary(context.book, context.plan, context.results, found):
        row += 1
        canvas.text(row, TITLE, said, "lead_line")
    return row + 1


def _off(by: float) -> str:
    """How far P80 now is from that of the draws."""
    share = f"{abs(by):.1%}"
    return "equal" if share == "0.0%" else f"{share} {'above' if by > 0 else 'below'} P80"
