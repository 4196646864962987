"""The Actuals sheet: recorded runs beside the current plan, with live formulas.

Edits to the hours below, and to the plan's inputs, change the spent and remaining hours and the
forecast. What recorded runs imply is fixed at build time: the share of each row that is finished or
running, the remaining hours of running runs, and the expected ratio for future ones.
"""

from __future__ import annotations

from collections.abc import Callable

from scalesheet.actuals.progress import Progress, Row
from scalesheet.language.syntax import Cell, Node, Scalar
from scalesheet.render.workbook.canvas import Canvas
from scalesheet.render.workbook.context import Context
from scalesheet.render.workbook.places import KEY, TITLE, TOP, SheetPlan, absolute, relative

HOURS = "#,##0.0"
WIDTHS = (44, 26, 14, 14, 14, 14, 14, 14, 18, 18, 18, 30, 40)
PLANNED, SPENT, FAILED, COMMITTED, LEFT, BEGUN, EXPECTED, FORECAST = range(2, 10)
ROW_HEADINGS = (
    *("Row", "Id", "Planned", "Spent", "Failed", "Committed", "Left", "Begun", "Expected ratio"),
    "Forecast",
)
#: The columns of attempts that formulas read: the row's id, state and hours.
ID, STATE, TOOK = KEY, 4, 6
RUN_HEADINGS = (
    *("Run", "Row", "Seed", "Accelerator", "State", "GPUs", "GPU hours", "USD", "Start", "End"),
    *("Tokens", "From", "Note"),
)
NUMBERS = frozenset(("GPUs", "GPU hours", "USD", "Tokens", *ROW_HEADINGS[2:]))
FIRST = TOP + 9  # the heading of the rows, below the figures of the whole plan
SPARE = 20  # blank lines for further attempts


def write_actuals(canvas: Canvas, context: Context, plan: SheetPlan) -> None:
    stands = context.edition.progress[context.plan.id]
    canvas.widths(*WIDTHS)
    first = FIRST + 1
    total = first + len(stands.rows)
    heading = total + 3
    last = heading + len(stands.actuals.attempts) + SPARE

    def area(column: int) -> str:
        return f"{absolute(heading + 1, column)}:{absolute(last, column)}"

    canvas.heads(FIRST, ROW_HEADINGS, NUMBERS, flush=KEY + 1)
    for place, row in enumerate(stands.rows):
        _row(canvas, context, stands, row, first + place, area)
    _total(canvas, stands, first, total, area)
    _figures(canvas, context, stands, total)
    canvas.heads(heading, RUN_HEADINGS, NUMBERS, flush=KEY + 1)
    _attempts(canvas, stands, heading + 1)
    canvas.sheet.freeze_panes(TOP, KEY)


def _row(
    canvas: Canvas,
    context: Context,
    stands: Progress,
    row: Row,
    at: int,
    area: Callable[[int], str],
) -> None:
    """Write a row of the plan; formulas find its hours by id."""

    def of(*states: str) -> str:
        own = f"{area(ID)},{relative(at, KEY)}"
        every = [f'SUMIFS({area(TOOK)},{own},{area(STATE)},"{state}")' for state in states]
        return "+".join(every) or f"SUMIFS({area(TOOK)},{own})"

    planned, spent, committed, begun, expected = (
        relative(at, column) for column in (PLANNED, SPENT, COMMITTED, BEGUN, EXPECTED)
    )
    ahead = max(0.0, 1 - row.begun) * row.planned * row.expected
    canvas.text(at, TITLE, row.title, "label")
    canvas.text(at, KEY, row.id, "key")
    cell = Cell(stands.actuals.table, row.id, stands.actuals.gpu_hours)
    _formula(canvas, at, PLANNED, _printed(context, canvas, cell), row.planned)
    _formula(canvas, at, SPENT, of(), row.spent)
    _formula(canvas, at, FAILED, of("failed", "cancelled"), row.failed)
    canvas.number(at, COMMITTED, row.committed, "shipped", HOURS)
    _formula(canvas, at, LEFT, f"{planned}-{spent}-{committed}", row.left)
    canvas.number(at, BEGUN, row.begun, "shipped", "0%")
    canvas.number(at, EXPECTED, row.expected, "shipped", "0.00")
    text = f"{spent}+{committed}+MAX(0,1-{begun})*{planned}*{expected}"
    _formula(canvas, at, FORECAST, text, row.spent + row.committed + ahead)


def _total(
    canvas: Canvas, stands: Progress, first: int, total: int, area: Callable[[int], str]
) -> None:
    """Write what was spent outside the rows, and the totals."""
    outside, rows = total, stands.rows
    canvas.text(outside, TITLE, "Outside the plan", "label")
    column = f"{relative(first, SPENT)}:{relative(outside - 1, SPENT)}"
    _formula(canvas, outside, SPENT, f"SUM({area(TOOK)})-SUM({column})", stands.outside)
    _formula(canvas, outside, FORECAST, relative(outside, SPENT), stands.outside)
    canvas.text(total + 1, TITLE, "Total", "total_label")
    values = {
        PLANNED: stands.planned,
        SPENT: stands.spent,
        FAILED: sum(row.failed for row in rows),
        COMMITTED: stands.committed,
        LEFT: stands.planned - stands.spent - stands.committed,
        FORECAST: float(stands.forecast.value or 0.0),
    }
    for at, value in values.items():
        if at == LEFT:
            parts = (relative(total + 1, each) for each in (PLANNED, SPENT, COMMITTED))
            text = "-".join(parts)
        else:
            text = f"SUM({relative(first, at)}:{relative(outside, at)})"
        canvas.formula(total + 1, at, text, value, "total", HOURS)


def _figures(canvas: Canvas, context: Context, stands: Progress, total: int) -> None:
    """Write the figures of the whole plan, above its rows."""
    sums = {at: relative(total + 1, at) for at in (PLANNED, SPENT, FAILED, COMMITTED, FORECAST)}
    name = stands.actuals.budget
    budget = _printed(context, canvas, Scalar(name)) if name else sums[PLANNED]
    cells = [relative(TOP + at, PLANNED) for at in range(7)]
    lines = (
        ("Budget", budget, stands.budget),
        ("Spent", sums[SPENT], stands.spent),
        ("of which failed", sums[FAILED], sum(row.failed for row in stands.rows)),
        ("Committed", sums[COMMITTED], stands.committed),
        ("Left", f"{cells[0]}-{cells[1]}-{cells[3]}", stands.left),
        ("Forecast", sums[FORECAST], float(stands.forecast.value or 0.0)),
    )
    for at, (title, text, value) in enumerate(lines):
        canvas.text(TOP + at, TITLE, title, "label")
        canvas.text(TOP + at, KEY, "GPU hours", "text")
        _formula(canvas, TOP + at, PLANNED, text, value)
    canvas.text(TOP + 6, TITLE, "Forecast above the budget", "label")
    text = f"IF({cells[0]}=0,0,{cells[5]}/{cells[0]}-1)"
    canvas.formula(TOP + 6, PLANNED, text, stands.over, "number", "0.0%")


def _attempts(canvas: Canvas, stands: Progress, first: int) -> None:
    for at, (each, took) in enumerate(
        zip(stands.actuals.attempts, stands.hours, strict=True), first
    ):
        start, end = (m.strftime("%Y-%m-%d %H:%M") if m else "" for m in (each.start, each.end))
        texts = {0: each.run, ID: each.phase, 2: each.seed, 3: each.accelerator, STATE: each.state}
        texts |= {8: start, 9: end, 11: each.origin, 12: each.note}
        numbers = {5: each.gpus, TOOK: took, 7: each.cost, 10: each.tokens}
        for column, text in texts.items():
            canvas.text(at, column, text, "input_text")
        for column, number in numbers.items():
            if number is None:
                canvas.text(at, column, "", "input_text")
            else:
                canvas.number(at, column, number, "input", "#,##0.######")


def _printed(context: Context, canvas: Canvas, node: Node) -> str:
    return context.printed(node, canvas.name).text


def _formula(canvas: Canvas, row: int, column: int, text: str, value: float) -> None:
    canvas.formula(row, column, text, value, "number", HOURS)
