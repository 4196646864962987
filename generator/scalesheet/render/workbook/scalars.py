"""Lists of scalars: stated ones on Inputs, derived ones on Calculation and the phases' sheets."""

from __future__ import annotations

from dataclasses import replace

from scalesheet.language.syntax import ENDS
from scalesheet.model import Quantity, Scalar, Stated
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
from scalesheet.render.workbook.layout import choice_words, notes_of
from scalesheet.render.workbook.places import (
    KEY,
    TITLE,
    TOP,
    UNIT,
    Group,
    SheetPlan,
    Spot,
    absolute,
    relative,
)
from scalesheet.render.workbook.validation import bounds, choices, rule

FIRST_HEADINGS = ("Quantity", "Name", "Low", "Value", "High", "Unit")
NUMBERS = (2, 3, 4)


# ------------------------------------------------------------------ inputs

CHANGED, VALID, KIND, SOURCE, NOTE = 6, 7, 8, 9, 10
DOMAIN, LEAST, MOST = 11, 12, 13
SHIPPED = (14, 15, 16)
#: Stands above each list of a drop-down, below the inputs.
WORDS_HEADING = "Words to choose from"
INPUT_HEADINGS = (
    *FIRST_HEADINGS,
    "Changed?",
    "Valid?",
    "Kind",
    "Source",
    "Note",
    "Domain",
    "Least",
    "Most",
    "Shipped low",
    "Shipped value",
    "Shipped high",
)
INPUT_WIDTHS = (36, 24, 11.5, 15, 11.5, 16, 10, 8, 12, 25, 60, 13, 7, 7, 11, 15, 11)


def write_inputs(canvas: Canvas, context: Context, plan: SheetPlan) -> None:
    """Every stated scalar: value, what it shipped as, what it may be, where it is from."""
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
    """Titles of what is chosen from a list."""
    quantities: list[Quantity] = [*context.plan.scalars.values()]
    for table in context.tables.values():
        quantities += table.columns.values()
    stated = (q for q in quantities if getattr(q, "stated", None) and choice_words(q) == words)
    return list(dict.fromkeys(q.title or q.name for q in stated))


def _input_row(canvas: Canvas, context: Context, scalar: Scalar, row: int) -> None:
    stated = scalar.stated or Stated()
    spot = context.layout.scalars[scalar.name]
    chosen = spot.sheet != canvas.name  # on the Summary, which has the cell to type into
    canvas.text(row, TITLE, scalar.title or scalar.name, "label")
    canvas.text(row, KEY, context.layout.names.scalars[scalar.name, "value"], "key")
    canvas.text(row, UNIT, context.symbol(scalar), "symbol")
    text = stated_text(stated, context.symbol(scalar))
    # a cell that is typed into shows what is typed: no mark of approximation
    fmt = excel_format(replace(context.scalar_formats[scalar.name], approximate=False))
    if text is not None:
        defined = context.layout.names.scalars[scalar.name, "value"]
        if chosen:
            shown = f'{defined}&""'  # an empty cell would be shown as 0
            canvas.formula(row, NUMBERS[1], shown, text, "word")
        else:
            canvas.text(row, NUMBERS[1], text, "input_text")
        canvas.text(row, SHIPPED[1], text, "shipped_text")
        same = f"EXACT({relative(row, NUMBERS[1])},{relative(row, SHIPPED[1])})"
    else:
        low, value, high = stated_ends(stated)
        for end, number in zip(ENDS, (low, value, high), strict=True):
            if end in ends_of(scalar):
                at = ENDS.index(end)
                canvas.number(row, NUMBERS[at], number, "input", fmt)
                canvas.number(row, SHIPPED[at], number, "shipped", fmt)
        pairs = [
            f"{relative(row, NUMBERS[ENDS.index(end)])}={relative(row, SHIPPED[ENDS.index(end)])}"
            for end in ends_of(scalar)
        ]
        same = pairs[0] if len(pairs) == 1 else f"AND({','.join(pairs)})"
    canvas.formula(row, CHANGED, f'IF({same},"","changed")', "", "flag")
    holds = valid(context, scalar, row)
    if holds:
        canvas.formula(row, VALID, f'IFERROR(IF({holds},"ok","check"),"check")', "ok", "verdict")
    least, _, most, _ = bounds(scalar)
    if scalar.kind == "number":
        canvas.text(row, DOMAIN, scalar.domain, "small")
        if least is not None:
            canvas.number(row, LEAST, least, "shipped")
        if most is not None:
            canvas.number(row, MOST, most, "shipped")
    canvas.text(row, KIND, stated.basis, "small")
    if stated.citation:
        canvas.link(row, SOURCE, context.source_link(stated.citation), cite(stated.citation))
    note = " ".join(dict.fromkeys(part for part in (scalar.note, *notes_of(stated)) if part))
    canvas.text(row, NOTE, note, "note")
    if not chosen:
        write_rule(canvas, context, scalar)


def write_rule(canvas: Canvas, context: Context, scalar: Scalar) -> None:
    """What may be typed into the cells of an input."""
    spot = context.layout.scalars[scalar.name]
    options = rule(context, scalar, scalar.stated or Stated())
    area = *spot.cell("low"), *spot.cell("high")
    canvas.tally.check(canvas.sheet.data_validation(*area, options), f"validation of {scalar.name}")


def valid(context: Context, scalar: Scalar, row: int) -> str:
    """The condition that the input is what it may be, over the cells beside it."""
    value = relative(row, NUMBERS[1])
    source = choices(context, scalar)
    if source:
        return f"ISNUMBER(MATCH({value},{source},0))"
    if scalar.kind != "number" or (scalar.stated and stated_text(scalar.stated, "") is not None):
        return ""
    low, high = relative(row, NUMBERS[0]), relative(row, NUMBERS[2])
    smallest, greatest = (low, high) if scalar.ranged else (value, value)
    least, closed, most, whole = bounds(scalar)
    tests = [f"ISNUMBER({cell})" for cell in ([low, value, high] if scalar.ranged else [value])]
    if least is not None:
        tests.append(f"{smallest}{'>=' if closed else '>'}{relative(row, LEAST)}")
    if most is not None:
        tests.append(f"{greatest}<={relative(row, MOST)}")
    if scalar.ranged:
        tests += [f"{low}<={value}", f"{value}<={high}"]
    if whole:
        tests.append(f"{value}=INT({value})")
    return tests[0] if len(tests) == 1 else f"AND({','.join(tests)})"


# ------------------------------------------------------------------ derived

FORMULA, DERIVED_NOTE = 6, 7
DERIVED_HEADINGS = (*FIRST_HEADINGS, "Formula", "Note")
DERIVED_WIDTHS = (38, 29, 12.5, 14, 12.5, 15, 58, 44)
SHOWN_COLUMNS = (6, 12)  # where a phase's sheet shows the formula, over narrow columns


def write_calculation(canvas: Canvas, context: Context, plan: SheetPlan) -> None:
    """Derived scalars outside the phases."""
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
    """A phase's own scalars above its tables: formula and note in one cell over the rest."""
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
    """Note, bound of ends and source of a derived scalar, in one text."""
    formula = scalar.formula
    parts = [scalar.note]
    if formula and formula.outer:
        parts.append("Low and high are outer bounds.")
    if formula and formula.citation:
        parts.append(f"Source: {cite(formula.citation)}.")
    return " ".join(part for part in parts if part)


def write_derived(canvas: Canvas, context: Context, scalar: Scalar) -> None:
    """Title, name, live ends and unit in the scalar's row."""
    row = context.layout.scalars[scalar.name].row
    canvas.text(row, TITLE, scalar.title or scalar.name, "label")
    canvas.text(row, KEY, context.layout.names.scalars[scalar.name, "value"], "key")
    canvas.text(row, UNIT, context.symbol(scalar), "symbol")
    write_ends(canvas, context, scalar)


def write_ends(canvas: Canvas, context: Context, scalar: Scalar, role: Role | None = None) -> None:
    """The live cells of a derived scalar, wherever it stands."""
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
        "Least",
        "Most",
        "Shipped low",
        "Shipped value",
        "Shipped high",
    }
    canvas.heads(row, texts, numbers, flush=KEY + 1)
