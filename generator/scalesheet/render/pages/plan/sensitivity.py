"""The section of a plan's page on the inputs that its headline figures depend on most."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scalesheet.evaluate.levers import STEP
from scalesheet.model import Plan
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.html import Html, drawn, heading, join, link, tag
from scalesheet.render.pages.places import part
from scalesheet.render.pages.tables import grid, heading_cell


def sensitivity_section(context: Context, plan: Plan, most: int | None = None) -> Iterator[object]:
    """Show a tornado chart for each headline figure, with all but the first folded.

    Charts beyond `most` are on a page of their own.
    """
    tornados = context.drawn[plan.id]["tornados"]
    if not tornados:
        return
    figures = context.edition.sures[plan.id].figures.values()
    predicted = any(cause.unknown.made for each in figures for cause in each.causes)
    others = list(tornados)[most:] if most else []
    tornados = {name: each for name, each in tornados.items() if name not in others}
    yield heading(2, "What moves the result", "sensitivity")
    yield tag(
        "p",
        "One input at a time moves over its range, or by "
        f"{STEP * 100:g}% if it is exact; all others keep their expected values. The cells of a "
        "column move together. Counts move in whole steps, small ones not at all; choices "
        "do not move."
        + (" The error of predictions is not an input; it is in How sure." if predicted else ""),
        class_="note",
    )
    for at, (name, tornado) in enumerate(tornados.items()):
        figure = _figure(context, plan, name, tornado)
        title = plan.scalars[name].title
        yield tag("details", tag("summary", title), figure, class_="quiet") if at else figure
    if others:
        page = part(plan, "sensitivity")
        links = (link(f"{page}.md#sensitivity.{n}", plan.scalars[n].title) for n in others)
        yield tag("p", "What moves ", join(links, ", "), ".", class_="note")


def _figure(context: Context, plan: Plan, name: str, tornado: Any) -> Html:
    """The chart of a figure with its caption and its numbers."""
    scalar = plan.scalars[name]
    symbol = context.symbol(scalar)
    head = [
        heading_cell("Input"),
        heading_cell("Moves from", number=True),
        heading_cell("to", number=True),
        heading_cell("Result, low side", symbol, number=True),
        heading_cell("Result, high side", symbol, number=True),
        heading_cell("Change, low side", symbol, number=True),
        heading_cell("Change, high side", symbol, number=True),
    ]
    body = [[drawn(each) for each in cells] for _, _, *cells in tornado["rows"]]
    rest = tag("span", tornado["rest"], class_="muted")
    return tag(
        "figure",
        tag("figcaption", tag("strong", scalar.title), " ", rest),
        "\n",
        drawn(tornado["svg"]),
        "\n",
        tag("details", tag("summary", "The chart's numbers"), grid(head, body), class_="quiet"),
        class_="chart",
        id=f"sensitivity.{name}",
        data_tornado=name,
    )
