"""The section of a plan's page on the uncertainty of its headline figures."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.model import Plan
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.html import Html, heading, link, tag
from scalesheet.render.pages.tables import grid, heading_cell
from scalesheet.render.sureness import (
    cause_rows,
    drawn_from,
    quantile_bars,
    quantile_rows,
    summary,
)
from scalesheet.sure.words import chance

EXPLAINED = "../reference/quantiles.md"


def sure_section(context: Context, plan: Plan) -> Iterator[object]:
    """Show what to budget, a chart of the figures' quantiles, and the causes of the reserve."""
    found = context.edition.sures[plan.id]
    if not (found.first or found.narrowed):
        return
    yield heading(2, "How sure", "sure")
    yield tag("div", *_parts(context, plan), data_sure="section")


def sure_scripts(context: Context, plan: Plan) -> tuple[str, ...]:
    """The scripts that update the section when inputs change."""
    return (f"{plan.id}.draws", "sure") if context.edition.sures[plan.id].first else ()


def _parts(context: Context, plan: Plan) -> Iterator[object]:
    """Yield the parts that `live/sure/section.js` redraws when inputs change."""
    found, results = context.edition.sures[plan.id], context.results[plan.id]
    yield tag(
        "p",
        " ".join(summary(context.book, plan, results, found)),
        " ",
        link(EXPLAINED, "What this means"),
        data_sure="summary",
    )
    if not found.first:
        return
    bars = quantile_bars(context.book, plan, results, found)
    if bars is not None:
        caption = (
            "Bar: 80 of 100 cases. Dark part: the reserve, from P50 to P80. "
            "Line: everything at its lowest or highest at once."
        )
        yield tag(
            "figure",
            context.draw("quantile_bars", bars),
            "\n",
            tag("figcaption", caption, class_="note"),
            class_="chart",
            data_sure="bars",
        )
    yield tag(
        "details",
        tag("summary", "Quantiles, and what the reserve is for"),
        tag("div", _quantiles(context, plan), data_sure="quantiles"),
        tag("div", _causes(context, plan), data_sure="causes"),
        *_notes(context, plan),
        class_="quiet",
    )


def _quantiles(context: Context, plan: Plan) -> Html:
    found, results = context.edition.sures[plan.id], context.results[plan.id]
    names = ("P10", "P50", "P80", "P90", "Mean", "Reserve", "Error of P80")
    head = [heading_cell("Figure"), *(heading_cell(name, number=True) for name in names)]
    body = []
    for row in quantile_rows(context.book, plan, results, found):
        title = f"{row.title} ({row.symbol})" if row.symbol else row.title
        numbers = (*row.quantiles, row.reserve, row.error)
        cells = (tag("td", number, class_="num") for number in numbers)
        body.append([tag("th", title, scope="row"), *cells])
    return grid(head, body)


def _causes(context: Context, plan: Plan) -> Html:
    found = context.edition.sures[plan.id]
    figure = plan.scalars[found.first].title
    head = [
        heading_cell(f"What the reserve of {figure} is for"),
        *(
            heading_cell(name, number=True)
            for name in ("Alone", "With others", "Saved if known", "Worth")
        ),
        heading_cell("Found by"),
    ]
    body = [
        [
            tag("th", row.title, scope="row"),
            tag("td", row.share, class_="num"),
            tag("td", row.total, class_="num"),
            tag("td", f"−{row.saves}", class_="num"),
            tag("td", row.worth, class_="num"),
            tag("td", row.found_by or "–"),
        ]
        for row in cause_rows(context.book, plan, found, found.first)
    ]
    return grid(head, body)


def _notes(context: Context, plan: Plan) -> Iterator[Html]:
    found = context.edition.sures[plan.id]
    notes = ["Alone and with others: share of the variance (first-order and total Sobol index)."]
    for name, each in found.figures.items():
        title = plan.scalars[name].title
        if each.falls:
            notes.append(f"{title}: P80 is what is left in at least 80 of 100 cases.")
        if each.without:
            notes.append(f"{title} has no number in {chance(each.without)} of the draws.")
        if name in found.partial:
            notes.append(f"{title} spreads more than this: a range behind it is not drawn.")
    notes += [f"{plan.scalars[name].title} has no number in any draw." for name in found.left_out]
    yield tag("p", " ".join([f"{drawn_from(found)}.", *notes]), class_="note", data_sure="notes")
