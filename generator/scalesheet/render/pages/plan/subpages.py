"""The further pages of a plan: their own answer first, then their text; and the list of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scalesheet.model import Page, Plan
from scalesheet.numbers import format_of, plain
from scalesheet.render.pages.context import ASSETS, Context, edit_link
from scalesheet.render.pages.figures import amount, card
from scalesheet.render.pages.html import Html, inline, join, link, meta_line, page, tag
from scalesheet.render.pages.plan.placeholders import plan_names
from scalesheet.render.pages.plan.prose_figures import Here, ProseFigure, find
from scalesheet.render.pages.plan.scenarios import control, rests_note
from scalesheet.render.pages.plan.template import fill, line, prose
from scalesheet.render.pages.tables import titled
from scalesheet.units import beside
from scalesheet.values import Results


def subpages(context: Context, plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield path and text of each further page of a plan."""
    for each in plan.pages:
        yield f"plans/{each.id}.md", _subpage(context, plan, each)


def _subpage(context: Context, plan: Plan, each: Page) -> str:
    results, here = context.results[plan.id], here_of(each)
    names = plan_names(context, plan, results, set(), here)
    return page(
        page_title(context, plan, each),
        _meta(context, plan, each),
        tag("p", line(each.summary, names), class_="lead") if each.summary else None,
        _cards(context, plan, results, each),
        control(context, plan, results, each.id),
        prose(each.text, names).strip(),
        *scripts(plan),
        wide=True,
        shown=live_title(context, plan, each),
    )


def here_of(each: Page) -> Here:
    return Here(each.id, each.row)


def page_title(context: Context, plan: Plan, each: Page) -> str:
    """A page's title in plain words, with every known name filled in."""
    results, here = context.results[plan.id], here_of(each)

    def word(name: str) -> str | None:
        figure = find(context, plan, results, name, here)
        return figure_text(context, plan, figure) if figure is not None else None

    return fill(each.title, word)


def _titled(context: Context, plan: Plan, each: Page) -> Html | str:
    return live_title(context, plan, each) or page_title(context, plan, each)


def live_title(context: Context, plan: Plan, each: Page) -> Html | None:
    """The title with figures that follow the inputs; None if it names no figure."""
    results, marks = context.results[plan.id], list[Html]()

    def word(name: str) -> str | None:
        figure = find(context, plan, results, name, here_of(each))
        if figure is None or figure.of is None or figure.quantity.kind == "reference":
            return figure_text(context, plan, figure) if figure is not None else None
        fmt = format_of(figure.quantity, figure.values, context.book.units)
        symbol = context.symbol(figure.quantity)
        marks.append(amount(figure.value, fmt, symbol, range_=False, of=figure.of))
        return f"\0{len(marks) - 1}\0"

    text = inline(fill(each.title, word))
    if not marks:
        return None
    return Html(re.sub("\0(\\d+)\0", lambda at: marks[int(at[1])], text))


def figure_text(context: Context, plan: Plan, figure: ProseFigure) -> str:
    """A figure in plain words: the expected number with its unit, or the title of a row."""
    quantity = figure.quantity
    value = titled(context, plan, quantity, figure.value)
    if value.reason is not None:
        return value.reason
    shown = plain(value, format_of(quantity, figure.values, context.book.units))
    symbol = context.symbol(quantity) if isinstance(value.value, float) else ""
    return beside(shown, symbol)


def _meta(context: Context, plan: Plan, each: Page) -> Html:
    """Links to the plan, and to the previous and next page."""
    n = plan.pages.index(each)
    beside = [("Previous: ", plan.pages[n - 1])] if n else []
    beside += [("Next: ", plan.pages[n + 1])] if n + 1 < len(plan.pages) else []
    return meta_line(
        link(f"{plan.id}.md", plan.title),
        *(
            join((word, link(f"{other.id}.md", _titled(context, plan, other))))
            for word, other in beside
        ),
        edit_link(context, each.position, "edit the page"),
    )


def _cards(context: Context, plan: Plan, results: Results, each: Page) -> Html | None:
    """The page's headline: each figure with its unit, range and origin."""
    figures = (find(context, plan, results, name, here_of(each)) for name, _ in each.headline)
    cards = [_card(context, plan, results, figure) for figure in figures if figure is not None]
    return tag("div", *cards, class_="hero") if cards else None


def _card(context: Context, plan: Plan, results: Results, figure: ProseFigure) -> Html:
    quantity = figure.quantity
    value = titled(context, plan, quantity, figure.value)
    fmt = format_of(quantity, figure.values, context.book.units)
    title = link(figure.target, figure.title) if figure.target else figure.title
    scalar = plan.scalars.get(quantity.name)
    if scalar is not quantity:
        return card(title, value, fmt, context.symbol(quantity), of=figure.of)
    outer = scalar.formula is not None and scalar.formula.outer
    note = rests_note(context, plan, results, scalar.name)
    return card(title, value, fmt, context.symbol(quantity), outer=outer, note=note, of=figure.of)


# ------------------------------------------------------------------ on the plan's own page


def page_list(context: Context, plan: Plan) -> Html | None:
    """The further pages of a plan, each with its subject."""
    if not plan.pages:
        return None
    results = context.results[plan.id]
    lines: list[Html] = []
    for each in plan.pages:
        names = plan_names(context, plan, results, set(), here_of(each))
        summary = line(each.summary, names)
        note = join([": ", tag("span", summary, class_="note")]) if summary else None
        lines.append(tag("li", link(f"{each.id}.md", _titled(context, plan, each)), note))
    label = tag("p", "Pages of this plan", class_="label")
    return tag("nav", label, tag("ul", *lines), class_="pages", aria_label="Pages of this plan")


def version_line(plan: Plan) -> Html | None:
    """`Version 1.0.0 · 2025-08-13 · Living document`."""
    version = plan.version
    parts = [f"Version {version.version}", version.date] if version else []
    parts += [plan.status] if plan.status else []
    return meta_line(*parts) if parts else None


def scripts(plan: Plan, *more: str) -> Iterator[Html]:
    """Yield the scripts that compute the plan on any of its pages, and those that one page
    needs."""
    for name in ("runtime", "catalogue", plan.id, "live", *more):
        yield tag("script", src=f"../{ASSETS}/{name}.js")
