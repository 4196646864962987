"""A plan's calendar: phases in order, accelerators needed at once, net and gross hours."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.model import Plan
from scalesheet.pictures import CALENDAR, DATED
from scalesheet.render.pages.chart_blocks import chart_block
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.html import Html, heading, join, tag
from scalesheet.render.pages.plan.placeholders import plan_names
from scalesheet.resolve.drafts import GOODPUT
from scalesheet.resolve.lowering.phases import AT_HAND
from scalesheet.resolve.lowering.schedule import BEGIN, SHARED
from scalesheet.values import Results

#: Note beside a goodput of 1.
UNKNOWN = "At 1, interruptions are ignored: gross hours equal net hours."


def calendar_section(
    context: Context, plan: Plan, results: Results, placed: frozenset[str]
) -> Iterator[object]:
    """Show start, end, accelerators and goodput; nothing without phases."""
    if "phases" not in plan.tables:
        return
    yield heading(2, "Calendar", "calendar")
    yield tag("p", _summary(context, plan, results))
    if DATED in plan.charts and f"chart {DATED.id}" not in placed:
        yield chart_block(context, plan, DATED, results)
    if not any(chart.kind == "calendar" for chart in plan.charts):
        yield chart_block(context, plan, CALENDAR, results)


def _summary(context: Context, plan: Plan, results: Results) -> Html:
    """The calendar in two sentences; an unknown goodput is flagged."""
    figure = plan_names(context, plan, results, set())[""]

    def strong(name: str) -> Html:
        return tag("strong", figure(name))

    dated = DATED in plan.charts
    span: list[object] = ["From ", strong(BEGIN), " to ", strong("total.end_date"), ", "]
    parts: list[object] = [
        *(span if dated else ["From the first phase to the last "]),
        strong("total.end"),
        " in all; at most " if dated else " of wall-clock time; at most ",
        strong("total.gpus_at_once"),
        " at once",
    ]
    if AT_HAND in plan.scalars:
        parts += [", with ", strong(AT_HAND), " available (", strong("total.gpus_short"), " short)"]
    if SHARED in plan.scalars:
        parts += [", of ", strong(SHARED), " that phases share and wait for"]
    parts.append(".")
    if GOODPUT in plan.scalars:
        parts += [" Goodput is ", strong(GOODPUT), "."]
        unknown = results.scalars[GOODPUT].value == 1.0
        only = f"{GOODPUT}=1"
        parts += [" ", tag("span", UNKNOWN, class_="note", hidden=not unknown, data_only=only)]
    return join(parts)
