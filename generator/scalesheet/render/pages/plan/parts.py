"""The further pages of a divided plan: each opens quickly and follows the inputs."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.model import Plan
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.html import Html, join, link, page, tag
from scalesheet.render.pages.places import divided, formula_pages, lead, part
from scalesheet.render.pages.plan.formulas import formula_blocks
from scalesheet.render.pages.plan.rest import Rest
from scalesheet.render.pages.plan.scenarios import control
from scalesheet.render.pages.plan.sensitivity import sensitivity_section
from scalesheet.render.pages.plan.subpages import scripts

#: The titles of the pages, by their names in `places.part`.
TITLES = {
    "text": "the plan in full",
    "tables": "tables",
    "sensitivity": "what moves the result",
    "inputs": "inputs and sources",
}


def part_pages(context: Context, plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield path and text of the further pages of a divided plan."""
    if not divided(plan):
        return
    results = context.results[plan.id]
    for name, title in TITLES.items():
        here = part(plan, name)
        rest = Rest(context, plan, here)
        content = list(_content(rest, name))
        yield f"plans/{here}.md", _page(context, plan, here, title, *content, more=rest.scripts)
    for n, (here, keys) in enumerate(formula_pages(plan).items(), 1):
        several = f"formulas, {n} of {len(formula_pages(plan))}"
        blocks = formula_blocks(context, plan, results, keys, here)
        yield f"plans/{here}.md", _page(context, plan, here, several, *blocks)


def _content(rest: Rest, name: str) -> Iterator[object]:
    if name == "text":
        yield rest.prose(lead(rest.plan)[1])
        yield from rest.text()
    elif name == "tables":
        yield from rest.tables()
    elif name == "inputs":
        yield from rest.inputs()
    else:
        yield from sensitivity_section(rest.context, rest.plan)


def _page(
    context: Context,
    plan: Plan,
    here: str,
    title: str,
    *content: object,
    more: tuple[str, ...] = (),
) -> str:
    results = context.results[plan.id]
    return page(
        f"{plan.title}: {title}",
        part_links(plan, here),
        control(context, plan, results, here),
        *content,
        *scripts(plan, *more),
        wide=True,
    )


def part_links(plan: Plan, here: str) -> Html | None:
    """Links from each page of a divided plan to the others."""
    if not divided(plan):
        return None
    links = [_link(plan.id, "The answer", here)]
    links += [
        _link(part(plan, name), title[0].upper() + title[1:], here)
        for name, title in TITLES.items()
    ]
    first, *others = formula_pages(plan)
    numbered = [_link(page, str(n), here) for n, page in enumerate(others, 2)]
    links.append(join([_link(first, "Formulas 1", here), *numbered], " "))
    items = (tag("li", each) for each in links)
    return tag("nav", tag("ul", *items), class_="parts", aria_label="Parts of this plan")


def _link(page: str, title: str, here: str) -> Html:
    return link(f"{page}.md", title, aria_current="page" if page == here else None)
