"""Parts of a measurement's page: how it was made, and each component beside its prediction."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.model import Key, Table
from scalesheet.render.measurements import (
    CARDS,
    DRAWN,
    MARKS,
    PREDICTED,
    RATIO,
    SIDES,
    Scale,
    assumed,
    chosen_by,
    command,
    ends,
    explained,
    groups,
    led,
    marks,
    number,
    paired_bars,
    ratio,
    room,
    scale,
    scales,
)
from scalesheet.render.pages.context import Context, address, cell_value
from scalesheet.render.pages.figures import card, kind, sort_key
from scalesheet.render.pages.html import Html, heading, join, link, tag
from scalesheet.render.pages.tables import grid, heading_cell
from scalesheet.steps.comparison import Comparison, Pair
from scalesheet.values import Value

#: The figures shown of other records of the same job.
MOST_CARDS = 4
SHOWN = ("step_time", "tokens_per_second", "peak_memory")


def lead(context: Context, table: Table, row: str) -> Iterator[Html]:
    """Say what a reader must know before the figures: measured or simulated, and any marks."""
    how = str(cell_value(context, table, table.columns["how"], row).value)
    parts: list[object] = [tag("strong", "Simulated, not measured."), " No step was timed."]
    if how == "measured":
        parts = [tag("strong", "Measured"), " on the hardware."]
    parts.append(f" {led(context.edition.comparisons.get(row), how)}".rstrip())
    yield tag("p", *parts, class_="lead")
    for word, meaning in (MARKS[name] for name in marks(context.book, row)):
        yield tag("p", tag("strong", word.capitalize()), f": {meaning}.")


def cards(context: Context, table: Table, row: str) -> Html | None:
    """The headline figures, each with its prediction."""
    shown: list[Html] = []
    comparison = context.edition.comparisons.get(row)
    how = str(cell_value(context, table, table.columns["how"], row).value)
    for name in CARDS:
        column = table.columns.get(name)
        value = cell_value(context, table, column, row) if column is not None else Value()
        here = number(value)
        if column is None or column.unit is None or here is None or len(shown) == MOST_CARDS:
            continue
        by = scale(context.book.units, column.unit, here)
        ends_ = (None if end is None else end * by.times for end in (value.low, value.high))
        pair = comparison.pairs.get(name) if comparison is not None else None
        beside = None
        if pair is not None and pair.ratio is not None:
            beside = f" predicted {by.with_unit(number(pair.predicted))}, {ratio(pair.ratio)}"
        note = join([kind_of(how), beside])
        scaled = Value.number(here * by.times, *ends_)
        shown.append(card(column.title, scaled, by.format(here), by.symbol, note=note))
    return tag("div", *shown, class_="hero") if shown else None


def comparison_section(context: Context, row: str) -> Iterator[object]:
    """Show a record's components beside their prediction, as a table and as charts."""
    comparison = context.edition.comparisons.get(row)
    if comparison is None:
        return
    yield heading(2, f"{SIDES[comparison.how]} vs. predicted", "against")
    if comparison.why:
        yield tag("p", tag("strong", "Not predicted:"), f" {comparison.why}.", class_="note")
        return
    yield tag("p", *coded(PREDICTED), " ", RATIO)
    yield from _tables(context, comparison)
    for name in DRAWN:
        drawn = paired_bars(context.book, comparison, name)
        if drawn is not None:
            yield tag(
                "figure",
                tag("figcaption", tag("strong", drawn.title)),
                "\n",
                context.draw("paired_bars", drawn),
                class_="chart",
            )
    if text := room(context.book, row, comparison):
        yield tag("p", text)
    if comparison.assumed:
        yield tag("p", assumed(comparison), class_="note")
    if comparison.note:
        yield tag("p", explained(comparison), class_="note")
    yield from _twins(context, comparison)


def _tables(context: Context, comparison: Comparison) -> Iterator[Html]:
    """Show each component with both figures, the predicted range and the ratio, by groups."""
    by = scales(context.book, comparison)
    for title, listed in groups(comparison):
        head = [heading_cell(title), heading_cell("Unit")]
        head += [heading_cell(name, number=True) for name in (SIDES[comparison.how], "Predicted")]
        head += [heading_cell("Range"), heading_cell("Ratio", number=True)]
        yield grid(head, [_line(by[pair.unit], pair) for pair in listed])


def _line(by: Scale, pair: Pair) -> list[Html]:
    here, made = number(pair.recorded), number(pair.predicted)
    span = ends(by, pair.predicted)
    if span and pair.inside is False:
        span += ", outside"
    return [
        tag("th", pair.title, scope="row"),
        tag("td", by.symbol, class_="short"),
        amount_cell(by.number(here), here) if here is not None else tag("td", "not taken"),
        amount_cell(by.number(made), made) if made is not None else tag("td", "none"),
        tag("td", span, class_="range") if span else tag("td"),
        amount_cell(ratio(pair.ratio), pair.ratio),
    ]


def _twins(context: Context, comparison: Comparison) -> Iterator[object]:
    """List other records of the same job: their figures, and the ratio of this one to each."""
    if not comparison.twins:
        return
    table = context.book.tables["measurements"]
    yield heading(2, "Other records of the same job", "twins")
    head = [heading_cell("Record"), heading_cell("Found"), heading_cell("Date")]
    shown = [key for key in SHOWN if key in comparison.pairs]
    for key in shown:
        pair = comparison.pairs[key]
        head.append(heading_cell(pair.title, context.book.units.symbol(pair.unit), number=True))
        head.append(heading_cell("Ratio", number=True))
    body = []
    for id in comparison.twins:
        other = context.edition.comparisons[id]
        date = cell_value(context, table, table.columns["date"], id).value
        cells = [
            tag("th", link(f"{id}.md", context.row_title(table, id)), scope="row"),
            tag("td", kind_of(other.how)),
            tag("td", date, class_="short"),
        ]
        for key in shown:
            own = number(comparison.pairs[key].recorded)
            that = number(other.pairs[key].recorded) if key in other.pairs else None
            over = own / that if own and that else None
            by = scale(context.book.units, comparison.pairs[key].unit)
            cells += [amount_cell(by.number(that), that), amount_cell(ratio(over), over)]
        body.append(cells)
    yield grid(head, body)


def why(context: Context, row: str) -> Iterator[Html]:
    """Say why each plan uses this record, where the plan has a note."""
    for plan, scalar, note in chosen_by(context.book, row, context.edition.results):
        if note:
            target = f"../plans/{address(context, plan, Key(scalar.name), '')}"
            yield tag("p", plan.title, ", ", link(target, scalar.title), f": {note}", class_="note")


def again(context: Context, row: str) -> Iterator[object]:
    """Show the command that repeats a record of `bench`."""
    if text := command(context.book, row):
        yield heading(2, "Repeat it", "again")
        yield tag("pre", tag("code", text))


def kind_of(how: str) -> Html:
    """The label "measured" or "simulated"."""
    return kind("measured" if how == "measured" else "simulated")


def amount_cell(text: str, value: float | None) -> Html:
    if value is None:
        return tag("td")
    return tag("td", text, class_="num", data_value=sort_key(text, value))


def coded(words: str) -> Iterator[object]:
    """Format text between backquotes as code."""
    for n, part in enumerate(words.split("`")):
        yield tag("code", part) if n % 2 else part
