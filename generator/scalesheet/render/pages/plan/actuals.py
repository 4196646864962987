"""Actuals on a plan's page: progress, rows, the burn-down, and each run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from scalesheet.actuals.progress import Moment, Progress
from scalesheet.actuals.words import COLUMNS, amount, cells, figures, in_short, method, total
from scalesheet.model import Plan
from scalesheet.numbers import Format
from scalesheet.render.lines import Line, Lines
from scalesheet.render.pages.context import Context, edit_link
from scalesheet.render.pages.html import Html, heading, tag
from scalesheet.render.pages.tables import grid, heading_cell

#: The columns of the table of runs, after the phase.
RUN_COLUMNS = (
    "Run",
    "Seed",
    "State",
    "Start",
    "End",
    "Accelerator",
    "GPUs",
    "GPU hours",
    "USD",
    "Tokens",
    "Steps",
    "From",
    "Note",
)
NUMBERS = frozenset(("GPUs", "GPU hours", "USD", "Tokens", "Steps"))
OTHER = (
    "Actuals do not change with the inputs on this page: the forecast is for the plan as published."
)


def actuals_section(context: Context, plan: Plan) -> Iterator[object]:
    """Show the actuals; nothing for a plan without any."""
    stands = context.edition.progress.get(plan.id)
    if stands is None:
        return
    yield heading(2, "Actuals", "actuals")
    short = in_short(stands)
    over = float(stands.forecast.value or 0.0) > stands.budget
    sentence = tag("strong", f"{short[0].upper()}{short[1:]}.")
    yield tag("p", sentence, class_="breaches") if over else tag("p", sentence)
    body = [
        [tag("th", name, scope="row"), tag("td", figure, class_="num"), tag("td", said)]
        for name, figure, said in figures(stands)
    ]
    head = [heading_cell(title) for title in ("GPU hours and cost", "", "")]
    yield grid(head, body, foot=[])
    yield _burn_down(context, plan, stands)
    yield heading(3, "By phase" if stands.actuals.table == "phases" else "By row", "actuals-rows")
    yield _rows(stands)
    yield tag("p", method(stands), " ", OTHER, class_="note")
    count = len(stands.actuals.attempts)
    runs = _attempts(context, stands)
    yield tag("details", tag("summary", f"All {count:,} attempts"), runs, class_="quiet")


def _rows(stands: Progress) -> Html:
    head = [heading_cell("")] + [heading_cell(name, number=True) for name in COLUMNS]

    def line(title: str, texts: Sequence[str]) -> list[Html]:
        numbers = [tag("td", text, class_="num") for text in texts]
        return [tag("th", title, scope="row"), *numbers]

    body = [line(row.title, cells(row)) for row in stands.rows]
    return grid(head, body, foot=line("Total", total(stands)))


def _attempts(context: Context, stands: Progress) -> Html:
    """Every line of the files, with a link to it."""
    head = [heading_cell("Phase", facet=True)]
    head += [heading_cell(name, number=name in NUMBERS) for name in RUN_COLUMNS]
    head.append(heading_cell(""))
    body = []
    for each in stands.actuals.attempts:
        amounts = (each.gpus, each.gpu_hours, each.cost, each.tokens, each.steps)
        gpus, hours, cost, tokens, steps = ("" if n is None else amount(n, "") for n in amounts)
        start, end = (_moment(m) for m in (each.start, each.end))
        known = (each.run, each.seed, str(each.state), start, end, each.accelerator)
        texts = (*known, gpus, hours, cost, tokens, steps, each.origin, each.note)
        row = [tag("th", each.phase or "none", scope="row")]
        row += [
            tag("td", text, class_="num" if name in NUMBERS else None)
            for name, text in zip(RUN_COLUMNS, texts, strict=True)
        ]
        body.append([*row, tag("td", edit_link(context, each.position, "Edit"))])
    return grid(head, body, sortable=True)


def _moment(moment: datetime | None) -> str:
    return moment.strftime("%Y-%m-%d %H:%M").removesuffix(" 00:00") if moment else ""


# ------------------------------------------------------------------ the picture


def _burn_down(context: Context, plan: Plan, stands: Progress) -> Html | None:
    """The remaining budget: recorded, by the plan's calendar, and at the current rate."""
    days = stands.calendar
    if days is None:
        return None
    left = days.burned[-1][1]
    lines = [_line("Left", days.burned)]
    if days.to_burn:
        lines.append(_line("By the plan", days.to_burn))
    if days.exhausted is not None and days.exhausted > days.status:
        ahead = ((days.status, left), (days.exhausted, 0.0))
        lines.append(_line("At the current rate", ahead))
    moments = [m for points in (days.burned, days.to_burn) for m, _ in points]
    last = max(*moments, days.exhausted or days.status)
    title = "Burn-down of the budget"
    axis = "Remaining budget (GPU h)"
    alt = f"{axis} from {days.begun.date()} to {last.date()}"
    drawn = Lines(
        f"burn-down-{plan.id}",
        title,
        alt,
        ("", axis),
        tuple(_ticks(days.begun, last)),
        Format(0),
        tuple(lines),
    )
    caption = tag("figcaption", tag("strong", title))
    return tag("figure", caption, "\n", context.draw("lines", drawn), class_="chart")


def _line(label: str, points: Sequence[Moment]) -> Line:
    (first, full), (last, left) = points[0], points[-1]
    told = f"{amount(full)} on {first.date()}, {amount(left)} on {last.date()}"
    run = tuple((_day(moment), each) for moment, each in points)
    return Line(label, told, (run,), left)


def _day(moment: datetime) -> float:
    return moment.toordinal() + (moment.hour + moment.minute / 60) / 24


def _ticks(first: datetime, last: datetime) -> Iterator[tuple[float, str]]:
    """Yield ticks for both ends and the three quarter points."""
    step = (last - first) / 4
    for place in range(5):
        moment = first + step * place
        if place and step < timedelta(hours=12):
            continue
        yield _day(moment), moment.date().isoformat()
