"""The Summary sheet: checks, headline figures, choices and scenarios.

One page. The cell of a choice is only here, so that its effects are visible at once; Inputs shows
it too. Charts are to the right.
"""

from __future__ import annotations

from scalesheet.evaluate.routes import rests_on
from scalesheet.model import Key
from scalesheet.numbers import text
from scalesheet.render.workbook.built import Used
from scalesheet.render.workbook.canvas import Canvas
from scalesheet.render.workbook.checks import CHECK, OK, SHOULD, VERDICT, first_failing
from scalesheet.render.workbook.context import Context, ends_of, stated_text, stored
from scalesheet.render.workbook.formats import Role
from scalesheet.render.workbook.front import write_headline
from scalesheet.render.workbook.overview import WIDE, write_overview
from scalesheet.render.workbook.places import (
    CHECK_VALUE,
    CHECK_WRONG,
    SUMMARY_HIGH,
    SUMMARY_LOW,
    SUMMARY_RESULTS,
    SUMMARY_VALUE,
    TITLE,
    TOP,
    SheetPlan,
    absolute,
    first_choice,
    prefix,
)
from scalesheet.render.workbook.scalars import write_rule
from scalesheet.render.workbook.sensitivity import outdated
from scalesheet.render.workbook.sure import write_quantiles
from scalesheet.render.workbook.validation import clipped
from scalesheet.vocabulary import VERDICTS

WIDTHS = (36.0, 26.0, 12.0, 12.0, 10.0, 10.0, 26.0, 2.0)
UNIT_AT, VERDICT_AT, WHY_AT = 4, 5, 6
CHARTS_AT = 8
ALL_WELL = "All checks hold"
#: Good and bad verdicts, with the roles that emphasize them.
LIGHTS: tuple[tuple[str, Role], ...] = (
    (ALL_WELL, "good"),
    (VERDICTS[0], "good"),
    (VERDICTS[1], "good"),
    (VERDICTS[2], "alarm"),
    (VERDICTS[3], "alarm"),
    ("cannot run", "alarm"),
    (OK, "good"),
    (CHECK, "alarm"),
)
LONGEST_LIST = 90
INVITES = "Change any yellow cell."


def write_summary(canvas: Canvas, context: Context, plan: SheetPlan) -> None:
    canvas.widths(*WIDTHS)
    if context.plan.summary:
        canvas.merged(1, TITLE, WHY_AT, context.plan.summary, "lead")
    _light(canvas, context)
    if context.sensitivity is not None:
        canvas.formula(TOP + 1, TITLE, outdated(context), "", "count")
    row = _results(canvas, context)
    row = _choices(canvas, context, row)
    row = _scenarios(canvas, context, row)
    row = write_quantiles(canvas, context, row)
    for word, role in LIGHTS:
        for column in (SUMMARY_VALUE, VERDICT_AT):
            canvas.stress(TOP, row, column, word, role)
    canvas.print_to(max(row, write_overview(canvas, context, TOP, CHARTS_AT)), CHARTS_AT + WIDE - 1)


def _light(canvas: Canvas, context: Context) -> None:
    """Write whether all checks hold or how many fail, with a link to them."""
    sheet = prefix(context.layout.sheet("checks"))
    holding, number = (f"{sheet}{absolute(TOP - 1, at)}" for at in (CHECK_VALUE, SHOULD))
    count = f"({number}-{holding})"
    failing = sum(context.results.scalars[name].value is not True for name in context.plan.checks)
    canvas.link(TOP, TITLE, f"internal:{sheet}A1", "Checks", "headline_label")
    said = f'IF({count}=0,"{ALL_WELL}",{count}&IF({count}=1," check fails"," checks fail"))'
    canvas.formula(TOP, SUMMARY_VALUE, said, _failing(failing), "light")
    first = f"{sheet}{absolute(TOP - 1, CHECK_WRONG)}"
    said = f'IF({count}=0,"{INVITES}",{first})'
    canvas.formula(TOP, SUMMARY_LOW, said, first_failing(context) or INVITES, "formula_line")
    code = canvas.sheet.conditional_format(
        TOP,
        SUMMARY_VALUE,
        TOP,
        SUMMARY_VALUE,
        {
            "type": "cell",
            "criteria": "!=",
            "value": f'"{ALL_WELL}"',
            "format": canvas.formats("alarm"),
        },
    )
    canvas.tally.check(code, f"{canvas.name}: conditional format")


def _failing(number: int) -> str:
    if not number:
        return ALL_WELL
    return f"{number} check{' fails' if number == 1 else 's fail'}"


# ------------------------------------------------------------------ results


def _results(canvas: Canvas, context: Context) -> int:
    checks = [_check_of(context, name) for name in context.plan.headline]
    more = ("Holds?", "Check") if any(checks) else ("", "")
    end = write_headline(canvas, context, SUMMARY_RESULTS, ("value", "low", "high"), more)
    for row, check in enumerate(checks, end - len(checks)):
        for column in (VERDICT_AT, WHY_AT):
            canvas.text(row, column, "", "headline_text")
        if check is not None:
            spot = context.layout.scalars[check]
            where = f"{prefix(spot.sheet)}{absolute(spot.row, VERDICT)}"
            holds = context.results.scalars[check].value is True
            canvas.formula(row, VERDICT_AT, where, OK if holds else CHECK, "verdict")
            canvas.text(row, WHY_AT, context.plan.scalars[check].title or check, "headline_text")
    return end


def headline(context: Context) -> Used:
    """The cells of the headline figures, in which Checks detects edits.

    The rest of the sheet depends on Checks.
    """
    names = context.layout.names.scalars
    formulas = [
        names[name, end]
        for name in context.plan.headline
        for end in ends_of(context.plan.scalars[name])
    ]
    first = SUMMARY_RESULTS + 2
    last = first + len(context.plan.headline) - 1
    return Used(last, SUMMARY_HIGH, tuple(formulas), (first, SUMMARY_VALUE))


def _check_of(context: Context, name: str) -> str | None:
    """The first check of the plan that reads the figure."""
    return next(
        (
            check
            for check in context.plan.checks
            if Key(name) in rests_on(Key(check), context.tables, context.plan)
        ),
        None,
    )


# ------------------------------------------------------------------ choices


def _choices(canvas: Canvas, context: Context, row: int) -> int:
    choices = context.layout.choices
    if not choices:
        return row
    first = first_choice(len(context.plan.headline))
    canvas.text(first - 2, TITLE, "Choices", "section")
    leaves = "Does not change" if any(choice.leaves for choice in choices) else ""
    canvas.heads(first - 1, ("Input", "Choose", "Can change", "", "", leaves, ""))
    for at, choice in enumerate(choices, first):
        scalar = context.plan.scalars[choice.name]
        assert scalar.stated is not None
        canvas.text(at, TITLE, scalar.title or choice.name, "label")
        canvas.text(at, SUMMARY_VALUE, stated_text(scalar.stated, "") or "", "input_text")
        write_rule(canvas, context, scalar)
        canvas.merged(at, SUMMARY_LOW, UNIT_AT, _listed(context, choice.drives), "choice_text")
        canvas.merged(at, VERDICT_AT, WHY_AT, _listed(context, choice.leaves), "choice_text")
    return first + len(choices)


def _listed(context: Context, names: tuple[str, ...]) -> str:
    """Titles of figures, or "every result"."""
    figures = [n for n in context.plan.headline if context.plan.scalars[n].formula is not None]
    if len(names) == len(figures):
        return "every result"
    titles = "; ".join(context.plan.scalars[name].title or name for name in names)
    return clipped(titles, LONGEST_LIST)


# ------------------------------------------------------------------ scenarios


def _scenarios(canvas: Canvas, context: Context, row: int) -> int:
    """Write the shipped headline in each scenario beside the current one."""
    under = context.edition.scenarios.get(context.plan.id, {})
    if len(under) < 2:
        return row
    row += 1
    canvas.text(row, TITLE, "Scenarios", "section")
    shipped = [f"As shipped: {word}" for word in list(under)[:2]]
    canvas.heads(row + 1, ("Figure", "Now", shipped[0], "", shipped[1], "", ""), ("Now",))
    first = row + 2
    for at, name in enumerate(context.plan.headline, first):
        scalar = context.plan.scalars[name]
        canvas.text(at, TITLE, scalar.title or name, "label")
        where = context.layout.names.scalars[name, "value"]
        value = stored(context.results.scalars[name], "value")
        canvas.formula(at, SUMMARY_VALUE, where, value, "either", context.number_format(scalar))
        columns = (SUMMARY_LOW, SUMMARY_HIGH), (UNIT_AT, WHY_AT)
        for (left, right), results in zip(columns, list(under.values())[:2], strict=True):
            fmt, symbol = context.scalar_formats[name], context.symbol(scalar)
            shown = text(results.scalars[name], fmt, symbol)
            canvas.merged(at, left, right, shown, "choice_text")
    return first + len(context.plan.headline)
