"""Measurements as plain Markdown: the list of records, and each beside its prediction."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.model import Table
from scalesheet.render.measured import (
    FIGURES,
    MARKS,
    OFF_HEAD,
    OFF_SAYS,
    PREDICTED,
    RATIO,
    RATIOS,
    SIDES,
    TOLD,
    assumed,
    chosen_by,
    command,
    count,
    ends,
    explained,
    groups,
    led,
    marks,
    number,
    off_by,
    off_cells,
    offs_by_accelerator,
    offs_by_component,
    ratio,
    room,
    scale,
    scales,
)
from scalesheet.render.pages.context import Context, cell_value
from scalesheet.render.pages.plain.text import API, code, document, grid, link, plain
from scalesheet.steps.beside import off

TITLE = "Measurements"


def index_text(context: Context, table: Table) -> str:
    """Every record with what it took, how it was found, and the ratio to its prediction."""
    hows = [str(cell_value(context, table, table.columns["how"], row).value) for row in table.rows]
    offs = ((title, off(context.edition.beside.values(), key)) for key, title in TOLD.items())
    parts = [f"- {title}: prediction off by {off_by(each)}." for title, each in offs if each]
    data = " · ".join(link(f"{API}/measurements.{kind}", kind.upper()) for kind in ("json", "csv"))
    columns = [table.columns[name] for name in FIGURES if name in table.columns]
    over = [table.columns[name] for name in RATIOS if name in table.columns]
    head = ["Record", "Found", "Date"]
    head += [f"{plain(c.title)} {_unit(context.symbol(c))}".rstrip() for c in columns]
    head += [f"{plain(c.title)}: over prediction" for c in over] + ["Marks"]
    body = []
    for row, title, how in zip(table.rows, table.row_titles, hows, strict=True):
        date = cell_value(context, table, table.columns["date"], row).value
        cells = [link(f"{row}.md", title), how, str(date)]
        for column in columns:
            assert column.unit is not None
            value = number(cell_value(context, table, column, row))
            cells.append(scale(context.book.units, column.unit).told(value))
        result = context.edition.beside.get(row)
        cells += [ratio(result.ratio(c.name) if result else None) for c in over]
        cells.append(", ".join(MARKS[name][0] for name in marks(context.book, row)))
        body.append(cells)
    return document(
        f"# {TITLE}",
        count(hows),
        "\n".join(parts),
        f"Data: {data}",
        grid(head, body),
        RATIO,
        PREDICTED,
        *_offs(context),
    )


def _offs(context: Context) -> Iterator[str]:
    """How far predictions are off, by component and by accelerator."""
    result = offs_by_component(context.edition.beside)
    if not result:
        return
    yield "## How far predictions are off"
    yield OFF_SAYS
    yield grid(["Component", *OFF_HEAD], [[plain(t), *off_cells(each)] for t, each in result])
    for key, title in TOLD.items():
        names = offs_by_accelerator(context.edition.beside, key)
        if names:
            lines = [[link(f"../hardware/{n}.md", n), *off_cells(o)] for n, o in names.items()]
            yield grid([f"{title}, by accelerator", *OFF_HEAD], lines)


def _unit(symbol: str) -> str:
    return f"({plain(symbol)})" if symbol else ""


def record_text(context: Context, row: str) -> Iterator[str]:
    """A record's marks, and its components beside their prediction."""
    result = context.edition.beside.get(row)
    how = str(context.book.tables["measurements"].columns["how"].stated[row].value)
    if text := led(result, how):
        yield text
    for word, meaning in (MARKS[name] for name in marks(context.book, row)):
        yield f"**{word.capitalize()}**: {meaning}."
    if result is None:
        return
    yield f"## {SIDES[result.how]} against predicted"
    if result.why:
        yield f"**Not predicted:** {plain(result.why)}."
        return
    yield f"{PREDICTED} {RATIO}"
    by = scales(context.book, result)
    yield grid(
        ["Component", "Unit", SIDES[result.how], "Predicted", "May be", "Ratio"],
        (
            [
                plain(pair.title),
                plain(by[pair.unit].symbol),
                by[pair.unit].told(number(pair.recorded)),
                by[pair.unit].told(number(pair.predicted)),
                ends(by[pair.unit], pair.predicted) + ", outside" * (pair.inside is False),
                ratio(pair.ratio),
            ]
            for _, listed in groups(result)
            for pair in listed
        ),
    )
    if text := room(context.book, row, result):
        yield text
    if result.assumed:
        yield plain(assumed(result))
    if result.note:
        yield plain(explained(result))
    if result.twins:
        table = context.book.tables["measurements"]
        yield "## Other records of the same job"
        yield "\n".join(
            f"- {link(f'{id}.md', context.row_title(table, id))}, {context.edition.beside[id].how}"
            for id in result.twins
        )


def why_text(context: Context, row: str) -> Iterator[str]:
    """By which rule each plan came to a record."""
    for plan, scalar, note in chosen_by(context.book, row, context.edition.results):
        if note:
            yield plain(f"{plan.title}, {scalar.title}: {note}")


def again_text(context: Context, row: str) -> Iterator[str]:
    """The command that takes a record again."""
    if text := command(context.book, row):
        yield "## Take it again"
        yield code(text)
