"""What a plan would take with each of the offers, or set-ups, that it could choose: a picture of
all, and the rows of the accelerator at hand. The script of the page computes and draws them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scalesheet.model import Plan
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.html import drawn, heading, tag
from scalesheet.render.pages.plan.choice import choice_of

SCRIPT = ANCHOR = "alternatives"


def alternatives_of(context: Context, plan: Plan) -> tuple[str, Any] | None:
    """What the choice is called, and what the script says of it; nothing for a plan that is no
    choice between several."""
    choice, of = choice_of(context.book, plan), context.drawn[plan.id]["alternatives"]
    return (plan.scalars[choice.choice].title, of) if choice and of else None


def alternatives_section(context: Context, plan: Plan) -> Iterator[object]:
    """The picture of all, and the table of those of the accelerator at hand, cheapest first."""
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
