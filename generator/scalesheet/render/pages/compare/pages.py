"""The comparison pages: their index, and each page with its script."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.render.pages.compare import accelerators, plans, workload
from scalesheet.render.pages.context import ASSETS, Context, to
from scalesheet.render.pages.html import Html, heading, link, page, tag
from scalesheet.render.pages.places import part
from scalesheet.render.pages.plan.alternatives import ANCHOR, alternatives_of

FOLDER = "compare"
TITLE = "Compare"
SENTENCE = (
    "Compare accelerators, plans, two versions of a plan, and the options of a plan's choices."
)


def compare_pages(context: Context) -> Iterator[tuple[str, str]]:
    """Yield path and text of every page, and of their scripts."""
    compared = accelerators.comparison(context)
    own = accelerators.accelerators_script(compared)
    drawn = accelerators.accelerators_page(context, compared, own)
    yield f"{FOLDER}/index.md", _index(context)
    yield f"{FOLDER}/{accelerators.PAGE}.md", drawn
    yield f"{FOLDER}/{plans.PAGE}.md", plans.plans_page(context)
    yield f"{ASSETS}/{accelerators.PAGE}.js", own
    yield f"{ASSETS}/compare.js", plans.plans_script(context)


def _index(context: Context) -> str:
    return page(
        TITLE,
        tag("p", SENTENCE, class_="lead"),
        *_workloads(context),
        *_accelerators(context),
        *_plans(context),
        *_offers(context),
    )


def _workloads(context: Context) -> Iterator[object]:
    """Link the pages that answer for one job."""
    if not workload.question_of(context):
        return
    for each in workload.PAGES:
        yield heading(2, Html(f"[{each.title}]({each.id}.md)"), each.id)
        yield tag("p", each.sentence)


def _accelerators(context: Context) -> Iterator[object]:
    table = context.book.tables.get(accelerators.HARDWARE)
    yield heading(2, Html(f"[Accelerators side by side]({accelerators.PAGE}.md)"), "accelerators")
    yield tag(
        "p",
        "Specifications, the cheapest offer and figures derived from both, with the best marked.",
    )
    if table is None:
        return
    lines = []
    for row in accelerators.usual(context):
        rows = (row, *accelerators.peers(context, row))
        names = " · ".join(context.row_title(table, each) for each in rows)
        lines.append(tag("li", tag("a", names, href=_here(accelerators.address(rows)))))
    yield tag("ul", *lines)


def _here(address: str) -> str:
    return address.rpartition("/")[2]


def _plans(context: Context) -> Iterator[object]:
    yield heading(2, Html(f"[Plans side by side]({plans.PAGE}.md)"), "plans")
    yield tag(
        "p",
        "Two plans by the questions that both answer, or one plan twice: as published and with "
        "your changes, or with the data of two days.",
    )
    lines = [
        tag(
            "li", tag("a", f"{plan.title}: prices of {day} and now", href=plans.editions(plan, day))
        )
        for plan in context.book.plans.values()
        if (day := plans.day_before_a_change(context, plan))
    ]
    yield tag("ul", *lines) if lines else None


def _offers(context: Context) -> Iterator[object]:
    """Link the plans that choose an offer or a setup."""
    offers = [(plan, alternatives_of(context, plan)) for plan in context.book.plans.values()]
    if not any(of for _, of in offers):
        return
    yield heading(2, "Offers for a plan", "offers")
    yield tag(
        "p",
        "What a plan would cost, and how long it would take, with each offer or setup it could "
        "choose.",
    )
    lines = [
        tag("li", link(to("plans", part(plan, "text"), ANCHOR), f"{plan.title}: {of[0].lower()}"))
        for plan, of in offers
        if of
    ]
    yield tag("ul", *lines)
