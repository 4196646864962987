"""The part of a fit's page about own runs: the planned run, curves, residuals, and what to run
next."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.diagnostics import Refused
from scalesheet.predict.cases.catalogue import known
from scalesheet.predict.law.file import again
from scalesheet.render.own_laws import LEAD, figures, headline, planned, residuals, sections
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.html import tag
from scalesheet.render.pages.score.laws import section_blocks


def own_law(context: Context, row: str) -> Iterator[object]:
    """Show the law of own runs, or why they cannot be read; nothing for a fit of published
    results."""
    fit = context.book.fits.get(row)
    if fit is None or not fit.runs:
        return
    try:
        made = context.edition.keep(
            f"law of {row}", lambda: again(context.book, fit, known(context.book))
        )
    except Refused as error:
        yield tag("p", *(f"{each.message}. " for each in error.diagnostics), class_="note")
        return
    yield tag("p", planned(made), ".", class_="lead")
    cards = [
        tag(
            "div",
            tag("p", title, class_="label"),
            tag("p", value, f" {unit}" if unit else "", class_="value"),
            class_="figure",
        )
        for title, value, unit in figures(made)
    ]
    yield tag("div", *cards, class_="hero")
    yield tag("p", headline(made), " ", LEAD)
    for section in sections(made):
        yield from section_blocks(context, section)
    yield tag("figure", context.draw("parity", residuals(made)), class_="chart")
