"""The part of a plan's page that says which inputs move its headline figures most."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.evaluate.levers import Lever
from scalesheet.evaluate.sensitivity import Effect, Ranking, Sensitivity
from scalesheet.model import Key, Plan
from scalesheet.numbers import Format, format_of, number
from scalesheet.render.pages.context import Context, address, to
from scalesheet.render.pages.figures import cell, in_words
from scalesheet.render.pages.html import UNSEARCHED, Html, heading, link, tag
from scalesheet.render.pages.tables import grid, heading_cell
from scalesheet.render.tornado import how_far, tornado, tornado_svg
from scalesheet.values import Value


def sensitivity_section(context: Context, plan: Plan) -> Iterator[object]:
    """A tornado chart for each headline figure; those after the first are folded away."""
    found = context.edition.sensitivities.get(plan.id)
    rankings = [ranking for ranking in found.rankings if ranking.effects] if found else []
    if found is None or not rankings:
        return
    yield heading(2, "What moves the result", "sensitivity")
    yield tag(
        "p",
        "One input at a time moves over its own range, or where it is exact by "
        f"{found.step * 100:g}% of it; all others stay as they are expected. The cells of a column "
        "move together. A whole number moves by whole numbers, and a small one not at all; "
        "choices do not move.",
        class_="note",
    )
    for at, ranking in enumerate(rankings):
        drawn = _figure(context, plan, found, ranking)
        title = plan.scalars[ranking.name].title
        yield tag("details", tag("summary", title), drawn, class_="quiet") if at else drawn


def _figure(context: Context, plan: Plan, found: Sensitivity, ranking: Ranking) -> Html:
    """The chart of a figure with its caption and its numbers."""
    scalar = plan.scalars[ranking.name]
    symbol = context.symbol(scalar)
    drawing = tornado(plan, ranking, found.step, context.book.units)
    fmt = format_of(scalar, ranking.values, context.book.units)
    head = [
        heading_cell("Input"),
        heading_cell("Moves from", number=True),
        heading_cell("to", number=True),
        heading_cell("Result, low side", symbol, number=True),
        heading_cell("Result, high side", symbol, number=True),
        heading_cell("Change, low side", symbol, number=True),
        heading_cell("Change, high side", symbol, number=True),
    ]
    body = [_row(context, plan, found, ranking, fmt, effect) for effect in ranking.shown]
    return tag(
        "figure",
        tag("figcaption", tag("strong", scalar.title), " ", _rest(ranking)),
        "\n",
        Html(tornado_svg(drawing)),
        "\n",
        tag("details", tag("summary", "The chart's numbers"), grid(head, body), class_="quiet"),
        class_="chart",
        id=f"sensitivity.{ranking.name}",
        data_tornado=ranking.name,
        **UNSEARCHED,
    )


def _row(
    context: Context, plan: Plan, found: Sensitivity, ranking: Ranking, fmt: Format, effect: Effect
) -> list[Html]:
    lever = effect.lever
    symbol = context.symbol(lever.quantity) if effect.inputs is not None else ""
    first, last = how_far(effect, found.step, context.book.units)
    unit = tag("span", f" {symbol}", class_="unit") if symbol else None
    return [
        tag("th", link(_target(context, plan, lever), lever.title), scope="row"),
        tag("td", first, class_="num"),
        tag("td", last, unit, class_="num"),
        cell(effect.low, fmt),
        cell(effect.high, fmt),
        tag("td", _change(effect.low, ranking.value, fmt), class_="num"),
        tag("td", _change(effect.high, ranking.value, fmt), class_="num"),
    ]


def _change(value: Value, base: Value, fmt: Format) -> str:
    """`+19.88`: with one digit more than the figure has."""
    if not isinstance(value.value, float) or not isinstance(base.value, float):
        return ""
    finer = Format(fmt.decimals + 1, fmt.percent, False, fmt.scientific)
    shown = number(value.value - base.value, finer)
    return f"+{shown}" if value.value > base.value and shown.strip("0.%") else shown


def _target(context: Context, plan: Plan, lever: Lever) -> str:
    """Where the page, or that of the catalogue, says all about an input."""
    key = lever.key
    if key.table is not None and key.table in context.book.tables:
        return to(key.table, "index")
    return address(context, plan, Key(key.name, key.table), plan.id)


def _rest(ranking: Ranking) -> Html:
    """What the chart leaves out: `1 more input moves it less, 2 that it rests on do not`."""
    less, still = len(ranking.effects) - len(ranking.shown), ranking.still
    said = []
    if less:
        said.append(f"{less} more {'input moves' if less == 1 else 'inputs move'} it less")
    if still:
        said.append(f"{still} that it rests on {'does' if still == 1 else 'do'} not move it")
    return tag("span", in_words(said), class_="muted")
