"""Quantiles in the Summary: as drawn by the build, and an estimate of the current P80.

A workbook cannot draw samples. So the current P80 is the expected value, which follows every edit,
times a spread found at build time; its error against the drawn P80 is beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp

from scalesheet.defined_names import CHECK_WITHIN
from scalesheet.numbers import excel_format, format_of
from scalesheet.render.sureness import difference, summary
from scalesheet.render.workbook.canvas import Canvas
from scalesheet.render.workbook.context import Context
from scalesheet.render.workbook.places import TITLE, relative
from scalesheet.sure.approximation import p80_over_expected
from scalesheet.sure.quantiles import Quantiles, deserved
from scalesheet.values import Value

LEVELS = ("p10", "p50", "p80", "p90", "mean")
NUMBERS = ("P10", "P50", "P80", "P90", "Mean", "Reserve")
NOW_AT, SHIPPED_AT, SPREAD_AT, SAID_AT = 1, 2, 3, 4
NOW = ("P80 now", "As shipped", "Spread")
UNCHECKED = "Changed since it was compared with the draws"


def write_quantiles(canvas: Canvas, context: Context, row: int) -> int:
    """Write the block from a row on; return the next row."""
    if context.sensitivity is None:
        return row
    found = context.edition.sures[context.plan.id]
    shown = [name for name, each in found.figures.items() if each.causes]
    if not shown:
        return row
    row += 1
    canvas.text(row, TITLE, "How sure, as shipped", "section")
    canvas.heads(row + 1, ("Figure", *NUMBERS), NUMBERS)
    row += 1
    for name in shown:
        row += 1
        each, scalar = found.figures[name], context.plan.scalars[name]
        canvas.text(row, TITLE, scalar.title or name, "label")
        numbers = [*map(each.deserved, LEVELS), deserved(each.reserve, each.errors["p80"])]
        for column, number in enumerate(numbers, 1):
            of = scalar if column <= len(LEVELS) else difference(context.book, scalar)
            fmt = excel_format(format_of(of, [Value.number(number)], context.book.units))
            canvas.number(row, column, number, "number", fmt)
    for said in summary(context.book, context.plan, context.results, found):
        row += 1
        canvas.text(row, TITLE, said, "lead_line")
    return _now(canvas, context, {name: found.figures[name] for name in shown}, row + 2)


def _now(canvas: Canvas, context: Context, figures: Mapping[str, Quantiles], row: int) -> int:
    """Write the current P80, and whether it was checked against draws."""
    assert context.sensitivity is not None
    rankings = {each.name: each for each in context.sensitivity.rankings}
    canvas.text(row, TITLE, "P80 as inputs are now", "section")
    row += 1
    canvas.heads(row, ("Figure", *NOW, "Compared with the draws", "", ""), NOW)
    within = context.layout.names.constants[CHECK_WITHIN]
    for name, each in figures.items():
        scalar, expected = context.plan.scalars[name], context.results.scalars[name].value
        spread = p80_over_expected(each, rankings[name]) if name in rankings else None
        if spread is None or not isinstance(expected, float):
            continue
        row += 1
        defined = context.layout.names.scalars[name, "value"]
        now, fmt = expected * exp(spread), context.number_format(scalar)
        canvas.text(row, TITLE, scalar.title or name, "label")
        canvas.number(row, SPREAD_AT, spread, "number", "0.000")
        canvas.number(row, SHIPPED_AT, now, "shipped", fmt)
        formula = f"IFERROR({defined}*EXP({relative(row, SPREAD_AT)}),{defined})"  # or a reason
        canvas.formula(row, NOW_AT, formula, now, "either", fmt)
        off, shipped = _off(now / each.values["p80"] - 1), relative(row, SHIPPED_AT)
        same = f"ABS({relative(row, NOW_AT)}-{shipped})<={within}*ABS({shipped})"
        said = f'IF(IFERROR({same},FALSE),"{off}","{UNCHECKED}")'
        canvas.formula(row, SAID_AT, said, off, "formula_line")
    return row + 1


def _off(by: float) -> str:
    """The difference between this P80 and the drawn one."""
    share = f"{abs(by):.1%}"
    return "equal" if share == "0.0%" else f"{share} {'above' if by > 0 else 'below'} P80"
