"""The formulas of a plan as text to copy, in every notation: a page beside the plan's own, which
has each as it was written and leads here for the others."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scalesheet.model import Plan
from scalesheet.render.pages.context import Context, to
from scalesheet.render.pages.html import Html, heading, join, link, page, tag
from scalesheet.render.pages.notation import Titles, notations
from scalesheet.render.pages.plan.formulas import PlanFormula, plan_formulas

FOLDER = "notations"
LEAD = "Each formula of the plan as it was written, and as text to copy into other programs."


def notation_page(context: Context, plan: Plan) -> Iterator[tuple[str, str]]:
    """Path and text of the page of a plan, if that computes something."""
    groups = plan_formulas(plan, context.edition.results[plan.id])
    titles = {None: "The plan"} | {phase.id: phase.title for phase in plan.phases}
    blocks: list[object] = []
    for phase, group in groups.items():
        if group:
            blocks.append(heading(2, titles[phase], f"formulas-{phase or 'plan'}"))
            formulas = (_block(context, plan, each) for each in group)
            # the search goes by names of elements: no other section stands within
            blocks.append(tag("section", *formulas, data_search_exclude="true"))
    if blocks:
        yield (
            f"{FOLDER}/{plan.id}.md",
            page(
                f"Formulas of “{plan.title}” as text",
                tag("p", LEAD, class_="lead"),
                tag("p", link(to("plans", plan.id), plan.title), class_="meta"),
                *blocks,
            ),
        )


def _block(context: Context, plan: Plan, each: PlanFormula) -> Html:
    """The theme's button finds what it copies by an id that a selector can hold."""
    written, name = each.formula, re.sub(r"\W", lambda c: f"_{ord(c[0]):x}_", each.anchor)
    titles = Titles(context, plan, each.key.table)
    return tag(
        "div",
        tag("h3", link(to("plans", plan.id, each.anchor), each.title)),
        join(
            join(
                [
                    tag("p", title, class_="label"),
                    tag("pre", tag("code", text), class_="wrap", id=f"text_{name}_{n}"),
                ]
            )
            for n, (title, text) in enumerate(notations(titles, written.text, written.ends.value))
            if text and (title == "As written" or text != written.text)
        ),
        id=each.anchor,
    )
