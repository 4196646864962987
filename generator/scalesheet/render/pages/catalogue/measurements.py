"""Pages of measurements: every record beside its prediction, and the error of predictions."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.model import Column, Table
from scalesheet.render.measurements import (
    FIGURES,
    MARKS,
    OFF_HEAD,
    OFF_SAYS,
    PREDICTED,
    RATIO,
    RATIOS,
    SCATTERED,
    TOLD,
    count,
    marks,
    number,
    off_by,
    off_cells,
    offs_by_accelerator,
    offs_by_component,
    parity_plot,
    ratio,
    scale,
)
from scalesheet.render.pages.catalogue.measurement import amount_cell, coded, kind_of
from scalesheet.render.pages.context import Context, cell_value, to
from scalesheet.render.pages.html import Html, heading, link, page, tag
from scalesheet.render.pages.tables import grid, heading_cell, reference
from scalesheet.steps.comparison import ErrorFactors, error_factors

TITLE = "Measurements"
#: Words that people search for when they mean measurements.
CALLED = ("Benchmark", "Benchmarks", "Micro-benchmark", "Measurement", "MFU measured")
WORDS = ("accelerator", "model", "method", "precision")
FACETS = ("how", "accelerator", "model", "method")
#: Titles of the scatter plots of all records.
POINTS = {"tokens_per_second": "Tokens per second per accelerator", "peak_memory": "Peak memory"}


def index(context: Context, table: Table) -> str:
    """Return the list of all records: measured or simulated, figures, and errors of predictions."""
    hows = [str(cell_value(context, table, table.columns["how"], row).value) for row in table.rows]
    return page(
        TITLE,
        tag("p", count(hows), class_="lead"),
        _offs(context),
        _list(context, table),
        tag("p", RATIO, " ", *coded(PREDICTED), class_="note"),
        *_offs_in_full(context),
        *_scatters(context),
        list_=True,
        called=CALLED,
    )


def _offs(context: Context) -> Html | None:
    """Show the errors of predictions of measured records, as cards."""
    offs = [
        (title, error_factors(context.edition.comparisons.values(), key))
        for key, title in TOLD.items()
    ]
    cards = [_off(title, each) for title, each in offs if each is not None]
    return tag("div", *cards, class_="hero") if cards else None


def _off(title: str, error: ErrorFactors) -> Html:
    return tag(
        "section",
        tag("p", f"{title}: prediction off by", class_="label"),
        tag("p", tag("span", ratio(error.median), class_="num"), class_="value"),
        tag("p", off_by(error), ". ", link(f"{error.worst_id}.md", "The worst"), class_="note"),
        class_="figure",
    )


def _list(context: Context, table: Table) -> Html:
    """List the records; numbers have significant digits, since they span powers of ten."""
    columns = table.columns
    words = [columns[name] for name in WORDS if name in columns]
    numbers = [columns[name] for name in FIGURES if name in columns]
    head = [heading_cell("Record"), heading_cell("Found", facet=True)]
    for column in numbers:
        head.append(heading_cell(column.title, context.symbol(column), number=True))
        if column.name in RATIOS:
            head.append(heading_cell("Record / prediction", number=True))
    head += [heading_cell("Marks")]
    head += [heading_cell(c.title, facet=c.name in FACETS) for c in words]
    head += [heading_cell("Date")]
    body = [
        [
            tag("th", link(f"{row}.md", title), scope="row"),
            tag("td", kind_of(str(cell_value(context, table, columns["how"], row).value))),
            *(cell for column in numbers for cell in _figure(context, table, column, row)),
            _words(", ".join(MARKS[name][0] for name in marks(context.book, row))),
            *(_word(context, table, column, row) for column in words),
            tag("td", cell_value(context, table, columns["date"], row).value, class_="short"),
        ]
        for row, title in zip(table.rows, table.row_titles, strict=True)
    ]
    return grid(head, body, sortable=True)


def _figure(context: Context, table: Table, column: Column, row: str) -> Iterator[Html]:
    """Yield a figure, and its ratio to the prediction if that is shown."""
    value = number(cell_value(context, table, column, row))
    assert column.unit is not None
    yield amount_cell(scale(context.book.units, column.unit).number(value), value)
    if column.name in RATIOS:
        over = (
            context.edition.comparisons[row].ratio(column.name)
            if row in context.edition.comparisons
            else None
        )
        yield amount_cell(ratio(over), over)


def _words(text: str) -> Html:
    return tag("td", text, class_="words") if text else tag("td")


def _word(context: Context, table: Table, column: Column, row: str) -> Html:
    """A word, or the title of a reference; empty if it is not stated."""
    value = cell_value(context, table, column, row)
    if value.value is None:
        return tag("td")
    if column.kind == "reference":
        return tag("td", reference(context, None, column, value))
    return tag("td", value.value, class_="short")


def _offs_in_full(context: Context) -> Iterator[object]:
    """Show the errors of predictions by component and by accelerator."""
    offs = offs_by_component(context.edition.comparisons)
    if not offs:
        return
    yield heading(2, "How far predictions are off", "off")
    yield tag("p", OFF_SAYS)
    head = [heading_cell("Component"), *(heading_cell(name, number=True) for name in OFF_HEAD)]
    yield grid(head, [_off_row(title, each) for title, each in offs])
    table = context.table("hardware")
    for key, title in TOLD.items():
        names = offs_by_accelerator(context.edition.comparisons, key)
        if table is not None and names:
            head[0] = heading_cell(f"{title}, by accelerator")
            lines = [
                _off_row(link(to("hardware", name), context.row_title(table, name)), each)
                for name, each in names.items()
            ]
            yield grid(head, lines)


def _off_row(name: object, error: ErrorFactors) -> list[Html]:
    numbers = [tag("td", text, class_="num") for text in off_cells(error)]
    return [tag("th", name, scope="row"), *numbers]


def _scatters(context: Context) -> Iterator[object]:
    """Plot every measured record, for speed and for memory."""
    drawn = [
        (key, parity_plot(context.book, context.edition.comparisons, key)) for key in SCATTERED
    ]
    shown = [(POINTS[key], each) for key, each in drawn if each is not None]
    if not shown:
        return
    yield heading(2, "Predicted vs. measured", "against")
    yield tag(
        "p",
        "Measured records only. Exact predictions lie on the diagonal, nine of ten between the "
        "outer lines.",
    )
    for title, each in shown:
        yield tag(
            "figure",
            tag("figcaption", tag("strong", title)),
            "\n",
            context.draw("parity", each),
            class_="chart",
        )
