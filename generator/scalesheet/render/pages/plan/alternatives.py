"""The results of a plan with each offer or setup that it could choose: a chart and a table.

The script of the page computes and draws them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scalesheet.model import Plan
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.html import drawn, heading, tag
from scalesheet.render.pages.plan.choice import choice_of

SCRIPT = ANCHOR = "alternatives"


def alternatives_of(context: Context, plan: Plan) -> tuple[str, Any] | None:
    """The title of the choice and the alternatives; None if the plan has no choice between
    several."""
    choice, of = choice_of(context.book, plan), context.drawn[plan.id]["alternatives"]
    return (plan.scalars[choice.choice].title, of) if choice and of else None


def alternatives_section(context: Context, plan: Plan) -> Iterator[object]:
    """Show all alternatives in a chart, and those with the current accelerator in a table, cheapest
    first."""
    alternatives = alternatives_of(context, plan)
    if alternatives is None:
        return
    title, of = alternatives
    yield heading(2, f"{title}: the alternatives", ANCHOR)
    yield tag(
        "div",
        drawn(of["note"]),
        tag(
            "figure",
            tag("figcaption", tag("strong", "Cost against time")),
            "\n",
            drawn(of["svg"]),
            class_="chart",
        ),
        tag("div", drawn(of["table"]), class_="scroll"),
        class_=SCRIPT,
    )
