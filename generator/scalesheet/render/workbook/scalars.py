"""Lists of scalars: stated ones on Inputs, derived ones on Calculation and the phases' sheets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from scalesheet.language.syntax import ENDS, End
from scalesheet.model import DOMAINS, Quantity, Scalar, Stated
from scalesheet.numbers import excel_format
from scalesheet.printers.base import PrinterError
from scalesheet.render.workbook.canvas import Canvas
from scalesheet.render.workbook.context import (
    Context,
    cite,
    end_node,
    ends_of,
    stated_ends,
    stated_text,
    stored,
)
from scalesheet.render.workbook.formats import Role
from scalesheet.render.workbook.layout import SHOWN_COLUMNS, choice_words, notes_of
from scalesheet.render.workbook.places import (
    KEY,
    TITLE,
    TOP,
    UNIT,
    Group,
    SheetPlan,
    Spot,
    absolute,
    prefix,
    relative,
)
from scalesheet.render.workbook.validation import DOMAIN_IN_WORDS, bounds, choices, fits, rule

FIRST_HEADINGS = ("Quantity", "Name", "Low", "Value", "High", "Unit")
NUMBERS = (2, 3, 4)


# ------------------------------------------------------------------ inputs

SPREAD = (6, 7)
CHANGED, VALID, REMARK, KIND, SOURCE, NOTE = range(8, 14)
DOMAIN, LEAST, MOST = range(14, 17)
SHIPPED = (17, 18, 19)
FACTOR = 20
SIGNED = "+0%;-0%;0%"
IN_USE = (21, 22, 23)
#: Heads each list of a drop-down, below the inputs.
WORDS_HEADING = "Words to choose from"
IN_USE_HEADINGS: Mapping[End, str] = {
    "low": "Low in use",
    "value": "Value in use",
    "high": "High in use",
}
INPUT_HEADINGS = (
    *FIRST_HEADINGS,
    "Low, %",
    "High, %",
    "Changed?",
    "Valid?",
    "Remark",
    "Kind",
    "Source",
    "Note",
    "Domain",
    "Min",
    "Max",
    "Shipped low",
    "Shipped value",
    "Shipped high",
    "Range factor",
    *IN_USE_HEADINGS.values(),
)
INPUT_WIDTHS = (
    *(36, 24, 11.5, 15, 11.5, 16, 7.5, 7.5, 10, 8, 24, 12, 25, 60),
    *(13, 7, 7, 11, 15, 11, 9, 11, 15, 11),
)


def write_inputs(canvas: Canvas, context: Context, plan: SheetPlan) -> None:
    """Write every stated scalar: value, shipped value, allowed values, source.

    Formulas read the effective cells at the end of the row: the typed value, or the shipped value
    if that is not valid. So a typing error turns the indicator red, but no figure becomes an error.
    Low and high follow a value that moves past either of them, as in `pull`.
    """
    canvas.widths(*_with_words(INPUT_WIDTHS, context, plan))
    last = max((row for group in plan.groups for row, _ in group.rows()), default=TOP + 2)
    area = f"{absolute(TOP + 1, CHANGED)}:{absolute(last + 1, CHANGED)}"
    canvas.text(TOP - 1, TITLE, "Inputs changed on this sheet", "label")
    canvas.formula(TOP - 1, KEY, f'COUNTIF({area},"changed")', 0.0, "flag")
    _headings(canvas, INPUT_HEADINGS, TOP)
    for group in plan.groups:
        canvas.text(group.heading, TITLE, group.title, "section")
        for row, name in group.rows():
            _input_row(canvas, context, context.plan.scalars[name], row)
    for words, (first, end) in context.layout.lists.items():
        canvas.text(first - 1, TITLE, WORDS_HEADING, "section")
        canvas.text(first, TITLE, ", ".join(_chosen_from(context, words)), "label")
        for row, word in zip(range(first, end + 1), words, strict=True):
            canvas.text(row, KEY, word, "key")
    canvas.stress(TOP + 1, last, CHANGED, "changed")
    canvas.stress(TOP + 1, last, VALID, "check")
    canvas.sheet.freeze_panes(TOP + 1, KEY)
    canvas.print_to(last, SOURCE)  # notes and lists are for the screen


def _chosen_from(context: Context, words: tuple[str, ...]) -> list[str]:
    """Titles of the quantities with this list of words."""
    quantities: list[Quantity] = [*context.plan.scalars.values()]
    for table in context.tables.values():
        quantities += table.columns.values()
    stated = (q for q in quantities if getattr(q, "stated", None) and choice_words(q) == words)
    return list(dict.fromkeys(q.title or q.name for q in stated))


def _input_row(canvas: Canvas, context: Context, scalar: Scalar, row: int) -> None:
    stated = scalar.stated or Stated()
    spot = context.layout.scalars[scalar.name]
    chosen = spot.sheet != canvas.name  # on the Summary, which has the cell to edit
    canvas.text(row, TITLE, scalar.title or scalar.name, "label")
    canvas.text(row, KEY, context.layout.names.scalars[scalar.name, "value"], "key")
    canvas.text(row, UNIT, context.symbol(scalar), "symbol")
    text = stated_text(stated, context.symbol(scalar))
    # an editable cell shows exactly what is typed: no approximation mark
    fmt = excel_format(replace(context.scalar_formats[scalar.name], approximate=False))
    if text is not None:
        if chosen:
            shown = f'{prefix(spot.sheet)}{spot.at("value")}&""'  # an empty cell would show 0
            canvas.formula(row, NUMBERS[1], shown, text, "word")
        else:
            canvas.text(row, NUMBERS[1], text, "input_text")
        canvas.text(row, SHIPPED[1], text, "shipped_text")
        same = f"EXACT({relative(row, NUMBERS[1])},{relative(row, SHIPPED[1])})"
    else:
        for end in ends_of(scalar):
            at, number = ENDS.index(end), stated_ends(stated)[ENDS.index(end)]
            canvas.number(row, NUMBERS[at], number, "input", fmt)
            canvas.number(row, SHIPPED[at], number, "shipped", fmt)
        pairs = [
            f"{relative(row, NUMBERS[ENDS.index(end)])}={relative(row, SHIPPED[ENDS.index(end)])}"
            for end in ends_of(scalar)
        ]
        same = pairs[0] if len(pairs) == 1 else f"AND({','.join(pairs)})"
    canvas.formula(row, CHANGED, f'IF({same},"","changed")', "", "flag")
    least, _, most, _ = bounds(scalar)
    if scalar.kind == "number":
        canvas.text(row, DOMAIN, scalar.domain, "small")
        if least is not None:
            canvas.number(row, LEAST, least, "shipped")
        if most is not None:
            canvas.number(row, MOST, most, "shipped")
    if judged(context, scalar):
        _judgment(canvas, context, scalar, row, fmt)
    canvas.text(row, KIND, stated.basis, "small")
    if stated.citation:
        canvas.link(row, SOURCE, context.source_link(stated.citation), cite(stated.citation))
    note = " ".join(dict.fromkeys(part for part in (scalar.note, *notes_of(stated)) if part))
    canvas.text(row, NOTE, note, "note")
    if not chosen:
        write_rule(canvas, context, scalar)


def judged(context: Context, scalar: Scalar) -> bool:
    """Return whether an input can be validated: a number, or a word from a list."""
    if choices(context, scalar):
        return True
    stated = scalar.stated
    return scalar.kind == "number" and not (stated and stated_text(stated, "") is not None)


def _is_used(context: Context, scalar: Scalar) -> bool:
    """Return whether formulas read the effective cell of an input.

    An input that may be a reason instead of a number is read where it is typed, since text is valid
    there.
    """
    return judged(context, scalar) and not scalar.may_reason


def in_use(context: Context) -> dict[str, Spot]:
    """Where formulas read the inputs: at the end of their rows on Inputs."""
    sheet = next(plan for plan in context.layout.sheets if plan.kind == "inputs")
    result = {}
    for group in sheet.groups:
        for row, name in group.rows():
            scalar = context.plan.scalars[name]
            if _is_used(context, scalar):
                low, value, high = IN_USE if scalar.ranged else (IN_USE[1],) * 3
                result[name] = Spot(sheet.name, ((row, low), (row, value), (row, high)))
    return result


def _judgment(canvas: Canvas, context: Context, scalar: Scalar, row: int, fmt: str) -> None:
    """Write the effective value, whether it is the typed one, and if not, why."""
    stated, ends = scalar.stated or Stated(), ends_of(scalar)
    text, used = stated_text(stated, ""), _is_used(context, scalar)
    typed, shipped, use = (
        dict(zip(ENDS, (relative(row, at) for at in columns), strict=True))
        for columns in (NUMBERS, SHIPPED, IN_USE if used else NUMBERS)
    )
    bounded = relative(row, LEAST), relative(row, MOST)
    fit = {end: fits(context, scalar, typed[end], *bounded) for end in ends}
    if used:
        follow = {end: f"*{relative(row, FACTOR)}" if end != "value" else "" for end in ends}
        for end, condition in fit.items():
            at = ENDS.index(end)
            own = f"{typed[end]}{follow[end]}"
            if end == "high" and DOMAINS[scalar.domain][2] is not None:
                own = f"MIN({own},{bounded[1]})"  # it follows no further than its domain
            formula = f"IF(IFERROR({condition},FALSE),{own},{shipped[end]})"
            if text is not None:
                canvas.formula(row, IN_USE[at], formula, text, "shipped_text")
            else:
                canvas.formula(row, IN_USE[at], formula, stated_ends(stated)[at], "shipped", fmt)
    ordered = ""
    if scalar.ranged:
        low, value, high = (use[end] for end in ENDS)
        ordered = f"AND({low}<={value},{value}<={high})"
        _spread(canvas, stated, use, row)
        if used:
            _follow(canvas, typed, shipped, row)
    holds = ",".join(filter(None, (*fit.values(), ordered)))
    holds = f"AND({holds})" if scalar.ranged else holds
    canvas.formula(row, VALID, f'IFERROR(IF({holds},"ok","check"),"check")', "ok", "verdict")
    remark = _remark(scalar, typed, row, ordered, used)
    canvas.formula(row, REMARK, remark, "", "small")


def _spread(canvas: Canvas, stated: Stated, use: Mapping[End, str], row: int) -> None:
    """Write the distance of the ends from the value, as a share of it."""
    low, value, high = stated_ends(stated)
    for at, end, number in zip(SPREAD, (use["low"], use["high"]), (low, high), strict=True):
        shown = number / value - 1 if value else ""
        canvas.formula(row, at, f'IFERROR({end}/{use["value"]}-1,"")', shown, "either", SIGNED)


def _follow(canvas: Canvas, typed: Mapping[End, str], shipped: Mapping[End, str], row: int) -> None:
    """Write the factor for low and high after an edit of only the value has passed one of them."""
    low, value, high = (typed[end] for end in ENDS)
    as_shipped = f"{low}={shipped['low']},{high}={shipped['high']}"
    passed = f"OR({value}<{low},{value}>{high}),{value}/{shipped['value']}>0"
    factor = f"IFERROR(IF(AND({as_shipped},{passed}),{value}/{shipped['value']},1),1)"
    canvas.formula(row, FACTOR, factor, 1.0, "shipped", "0.##")


def _remark(scalar: Scalar, typed: Mapping[End, str], row: int, ordered: str, used: bool) -> str:
    """The message for an invalid entry, with the value used instead."""
    cells = [typed[end] for end in (ENDS if scalar.ranged else ENDS[1:2])]
    empty = ",".join(f'{cell}=""' for cell in cells)
    wrong = '"not in the list"'
    if scalar.kind == "number":
        words = DOMAIN_IN_WORDS[scalar.domain]
        wrong = f'IF(ISNUMBER({"+".join(cells)}),"must be {words}","not a number")'
    wrong = f'IF(OR({empty}),"empty",{wrong})'
    wrong += '&"; shipped value used"' if used else ""
    fine = '""'
    if ordered:
        wrong = f'IF({ordered},{wrong},"low ≤ value ≤ high does not hold")'
    if ordered and used:
        fine = f'IF({relative(row, FACTOR)}=1,"","low and high follow; see Low in use")'
    return f'IF({relative(row, VALID)}="ok",{fine},{wrong})'


def write_rule(canvas: Canvas, context: Context, scalar: Scalar) -> None:
    """Restrict what may be typed into the cells of an input."""
    spot = context.layout.scalars[scalar.name]
    options = rule(context, scalar, scalar.stated or Stated())
    area = *spot.cell("low"), *spot.cell("high")
    canvas.tally.check(canvas.sheet.data_validation(*area, options), f"validation of {scalar.name}")


# ------------------------------------------------------------------ derived

FORMULA, DERIVED_NOTE = 6, 7
DERIVED_HEADINGS = (*FIRST_HEADINGS, "Formula", "Note")
DERIVED_WIDTHS = (38, 29, 12.5, 14, 12.5, 15, 58, 44)


def write_calculation(canvas: Canvas, context: Context, plan: SheetPlan) -> None:
    """Write the derived scalars outside the phases."""
    canvas.widths(*_with_words(DERIVED_WIDTHS, context, plan))
    _headings(canvas, DERIVED_HEADINGS, TOP)
    for group in plan.groups:
        if group.title:
            canvas.text(group.heading, TITLE, group.title, "section")
        for row, name in group.rows():
            scalar = context.plan.scalars[name]
            write_derived(canvas, context, scalar)
            canvas.text(row, FORMULA, scalar.formula.text if scalar.formula else "", "formula")
            canvas.text(row, DERIVED_NOTE, derived_note(scalar), "small")
    canvas.print_to(plan.groups[0].end, FORMULA)  # steps and notes are for the screen
    canvas.sheet.freeze_panes(TOP + 1, KEY)


def write_group(canvas: Canvas, context: Context, group: Group, last_column: int) -> None:
    """Write a phase's own scalars above its tables, with formula and note in one wide cell."""
    head = group.heading
    _headings(canvas, FIRST_HEADINGS, head)
    last = max(last_column, SHOWN_COLUMNS[1])
    canvas.merged(head, FORMULA, last, "Formula, and what it means", "heading")
    for row, name in group.rows():
        scalar = context.plan.scalars[name]
        write_derived(canvas, context, scalar)
        text = scalar.formula.text if scalar.formula else ""
        note = derived_note(scalar)
        message = f"{text}   — {note}" if note else text
        canvas.merged(row, FORMULA, last, message)


def derived_note(scalar: Scalar) -> str:
    """Note, type of range and source of a derived scalar, in one text."""
    formula = scalar.formula
    parts = [scalar.note]
    if formula and formula.outer:
        parts.append("Low and high are outer bounds.")
    if formula and formula.citation:
        parts.append(f"Source: {cite(formula.citation)}.")
    return " ".join(part for part in parts if part)


def write_derived(canvas: Canvas, context: Context, scalar: Scalar) -> None:
    """Write title, name, live ends and unit in the scalar's row."""
    row = context.layout.scalars[scalar.name].row
    canvas.text(row, TITLE, scalar.title or scalar.name, "label")
    canvas.text(row, KEY, context.layout.names.scalars[scalar.name, "value"], "key")
    canvas.text(row, UNIT, context.symbol(scalar), "symbol")
    write_ends(canvas, context, scalar)


def write_ends(canvas: Canvas, context: Context, scalar: Scalar, role: Role | None = None) -> None:
    """Write the live cells of a derived scalar, wherever it is."""
    formula = scalar.formula
    if formula is None:
        return
    spot: Spot = context.layout.scalars[scalar.name]
    result = context.results.scalars[scalar.name]
    for end in ends_of(scalar):
        try:
            printed = context.printed(end_node(formula, end), spot.sheet)
        except PrinterError as error:
            canvas.tally.report(f"'{scalar.name}': {error.message}", formula.position)
            continue
        look: Role = role or role_of(scalar, formula.outer and end != "value")
        canvas.formula(
            *spot.cell(end),
            printed.text,
            stored(result, end),
            look,
            context.number_format(scalar),
            printed.array,
        )


def role_of(scalar: Scalar, outer: bool) -> Role:
    if scalar.kind == "text":
        return "word"
    if scalar.kind != "number":
        return "either"
    if outer:
        return "outer"
    return "either" if scalar.may_reason else "number"


def _with_words(widths: tuple[float, ...], context: Context, plan: SheetPlan) -> tuple[float, ...]:
    """The widths, with room for the longest word among the values."""
    values = (
        context.results.scalars[name].value for group in plan.groups for name in group.scalars
    )
    longest = max((len(value) for value in values if isinstance(value, str)), default=0)
    at = NUMBERS[1]
    return (*widths[:at], max(widths[at], min(longest + 2.0, 30.0)), *widths[at + 1 :])


def _headings(canvas: Canvas, texts: tuple[str, ...], row: int) -> None:
    numbers = {
        "Low",
        "Value",
        "High",
        "Min",
        "Max",
        "Shipped low",
        "Shipped value",
        "Shipped high",
        "Low, %",
        "High, %",
        "Range factor",
        *IN_USE_HEADINGS.values(),
    }
    canvas.heads(row, texts, numbers, flush=KEY + 1)
