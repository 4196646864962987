"""The versions of a plan on its page: the list, the headline by version, and what changed."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.model import Plan, Version
from scalesheet.numbers import Format, format_of, number
from scalesheet.render.lines import Line, Lines
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.figures import cell
from scalesheet.render.pages.html import Html, heading, join, tag
from scalesheet.render.pages.tables import grid, heading_cell
from scalesheet.render.versions import (
    GONE,
    NOW,
    FigureByVersion,
    by_version,
    changes,
    cut_versions,
)
from scalesheet.values import Results, Value

DRAWN = 3  # figures that get a chart


def versions(context: Context, plan: Plan, results: Results) -> Html:
    """Show all of it; only the list for a plan without frozen versions."""
    parts: list[object] = [_listed(plan)]
    if cut_versions(plan):
        figures = by_version(context.book, plan, results)
        parts += [_headlines(context, plan, figures), *_charts(context, plan, figures)]
        for version in reversed(cut_versions(plan)):
            parts += _changed(context, plan, version)
    return join([part for part in parts if part], "\n\n")


def _listed(plan: Plan) -> Html:
    """The versions of a plan, as its file lists them."""
    head = [heading_cell(title) for title in ("Version", "Date", "Status", "What changes")]
    body = [
        [
            tag("th", each.version, scope="row"),
            tag("td", each.date),
            tag("td", each.status),
            tag("td", each.text, class_="words"),
        ]
        for each in plan.history
    ]
    return grid(head, body)


def _headlines(context: Context, plan: Plan, figures: list[FigureByVersion]) -> Html:
    """A row for each frozen version and one for now, a column for each headline figure."""
    head = [heading_cell("Version")]
    for figure in figures:
        title = f"{figure.quantity.title} ({GONE})" if figure.gone else figure.quantity.title
        number = figure.quantity.kind == "number"
        head.append(heading_cell(title, context.symbol(figure.quantity), number=number))
    body = []
    for version in cut_versions(plan):
        row = [tag("th", version.version, scope="row")]
        body.append([*row, *(_figure(context, version, figure) for figure in figures)])
    now = [
        cell(figure.now, _format(context, figure), of=figure.name)
        if figure.now is not None
        else tag("td")
        for figure in figures
    ]
    body.append([tag("th", NOW, scope="row"), *now])
    return grid(head, body, caption="Headline by version")


def _figure(context: Context, version: Version, figure: FigureByVersion) -> Html:
    value = figure.values.get(version.version)
    if value is None:
        return tag("td")
    shown = cell(value, _format(context, figure))
    source = version.headline[figure.name].stated.citation
    if source is None:
        return shown
    said = join([tag("br"), tag("span", source.locator or source.key, class_="note")])
    return Html(shown.removesuffix("</td>") + said + "</td>")


def _format(context: Context, figure: FigureByVersion) -> Format:
    values = [*figure.values.values(), *([figure.now] if figure.now is not None else [])]
    return format_of(figure.quantity, values, context.book.units)


# ------------------------------------------------------------------ the pictures


def _charts(context: Context, plan: Plan, figures: list[FigureByVersion]) -> Iterator[Html]:
    """Chart the first numeric figures that changed from version to version."""
    places = [*(each.version for each in cut_versions(plan)), NOW]
    drawn = (_chart(context, plan, figure, places) for figure in figures)
    yield from [each for each in drawn if each is not None][:DRAWN]


def _chart(context: Context, plan: Plan, figure: FigureByVersion, places: list[str]) -> Html | None:
    values = dict(figure.values) | ({NOW: figure.now} if figure.now is not None else {})
    points = [
        (float(at), values[place])
        for at, place in enumerate(places)
        if place in values and isinstance(values[place].value, float)
    ]
    if len({value for _, value in points}) < 2:
        return None
    fmt = _format(context, figure)
    symbol = context.symbol(figure.quantity)
    title = f"{figure.quantity.title} by version"
    ends = ("expected", "low", "high") if any(v.ranged for _, v in points) else ("expected",)
    axis = f"{figure.quantity.title} ({symbol})" if symbol else figure.quantity.title
    lines = tuple(_line(end, points, places, fmt) for end in ends)
    ticks = tuple((float(at), place) for at, place in enumerate(places))
    alt = f"{axis} in {places[0]}, and in each version since"
    drawn = Lines(f"versions-{plan.id}-{figure.name}", title, alt, ("", axis), ticks, fmt, lines)
    caption = tag("figcaption", tag("strong", title))
    return tag("figure", caption, "\n", context.draw("lines", drawn), class_="chart")


def _line(end: str, points: list[tuple[float, Value]], places: list[str], fmt: Format) -> Line:
    numbers = [(at, float(getattr(v, "value" if end == "expected" else end))) for at, v in points]
    told = ", ".join(f"{number(each, fmt)} ({places[int(at)]})" for at, each in numbers)
    return Line(end, told, (tuple(numbers),), numbers[-1][1])


# ------------------------------------------------------------------ what changed


def _changed(context: Context, plan: Plan, version: Version) -> Iterator[object]:
    """Show the inputs that changed since the version before, each with its own effect."""
    changed = changes(context.book, plan, version)
    if not (changed or version.added or version.removed):
        return
    anchor = f"version-{version.version.replace('.', '-')}"
    yield Html(heading(3, f"What changed in {version.version}", anchor))
    names = ("Input", "Was", "Is", "Reason", "Effect")
    body = [
        [
            tag("th", each.title, scope="row"),
            tag("td", each.was, class_="num"),
            tag("td", each.now, class_="num"),
            tag("td", each.because),
            tag("td", *_lines(each.effects)),
        ]
        for each in changed
    ]
    if body:
        yield grid([heading_cell(each) for each in names], body, records=True)
        yield tag(
            "p",
            "Each line shows a figure without this change and with it.",
            class_="note",
        )
    for what, inputs in (("New inputs", version.added), ("Inputs no longer used", version.removed)):
        if inputs:
            codes = join([tag("code", name) for name in inputs], ", ")
            yield tag("p", f"{what}: ", codes, class_="note")


def _lines(effects: tuple[tuple[str, str], ...]) -> list[object]:
    if not effects:
        return ["no headline figure"]
    parts: list[object] = []
    for title, moved in effects:
        parts += [tag("br")] if parts else []
        parts.append(f"{title}: {moved}")
    return parts
