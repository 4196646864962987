"""Pages of the catalogue as plain Markdown: the rows of its tables, formulas, sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scalesheet.model import Column, Quantity, Record, Source, Stated, Table
from scalesheet.render.notations import record_texts
from scalesheet.render.pages.catalogue.earlier import of_row as earlier_of_row
from scalesheet.render.pages.catalogue.pages import (
    TABLES,
    TABLES_SENTENCE,
    TABLES_TITLE,
    kinds_of,
    said_nowhere,
    small_tables,
)
from scalesheet.render.pages.catalogue.uses import Use, of_formula, of_row, of_sources
from scalesheet.render.pages.context import Context, cell_value
from scalesheet.render.pages.plain import measurements
from scalesheet.render.pages.plain.changes import earlier_text
from scalesheet.render.pages.plain.text import (
    API,
    bounded,
    cited,
    code,
    document,
    grid,
    link,
    page_data,
    plain,
    shown,
)
from scalesheet.values import Value, stated_value


def catalogue_texts(context: Context) -> Iterator[tuple[str, str]]:
    """Path and text of every page of the catalogue, and of each index."""
    book = context.book
    yield f"{TABLES}/index.md", _tables_index(context)
    for name, kind in kinds_of(book).items():
        table = book.tables.get(name)
        rows = [] if table is None else list(zip(table.rows, table.row_titles, strict=True))
        if name == "measurements" and table is not None:
            yield f"{name}/index.md", measurements.index_text(context, table)
        else:
            yield f"{name}/index.md", _index(name, kind.title, kind.sentence, rows)
        for row, _title in rows:
            assert table is not None
            yield f"{name}/{row}.md", _row(context, table, row)
    records = [(record.id, record.title) for record in book.records.values()]
    lead = "Each formula is written once, and printed from there for every face."
    yield "formulas/index.md", _index("formulas", "Formulas", lead, records)
    for record in book.records.values():
        yield f"formulas/{record.id}.md", _record(context, record)
    sources = [(source.key, source.title) for source in book.sources.values()]
    lead = "Every text that a figure rests on."
    yield "sources/index.md", _index("sources", "Sources", lead, sources)
    uses = of_sources(context)
    for source in book.sources.values():
        yield f"sources/{source.key}.md", _source(source, uses[source.key])


def _tables_index(context: Context) -> str:
    tables = small_tables(context.book)
    listed = "\n".join(
        f"- {link(f'../{t.name}/index.md', t.title)}: {plain(t.note)}" for t in tables
    )
    return document(f"# {TABLES_TITLE}", TABLES_SENTENCE, listed)


def _index(name: str, title: str, lead: str, entries: Iterable[tuple[str, str]]) -> str:
    listed = "\n".join(f"- {link(f'{id_}.md', each)}" for id_, each in entries)
    data = " · ".join(link(f"{API}/{name}.{kind}", kind.upper()) for kind in ("json", "csv"))
    return document(f"# {plain(title)}", lead, f"Data: {data}", listed)


# ------------------------------------------------------------------ tables


def _row(context: Context, table: Table, row: str) -> str:
    """An accelerator, an offer, a model or a measurement."""
    figures = (
        [plain(c.title), *_told(context, c, value, c.stated.get(row))]
        for c in table.columns.values()
        if not c.hidden
        for value in (cell_value(context, table, c, row),)
        if not said_nowhere(value, c.stated.get(row))
    )
    record = table.name == "measurements"
    return document(
        f"# {plain(context.row_title(table, row))}",
        plain(table.row_notes.get(row, "")),
        page_data(table.name, row),
        *(measurements.record_text(context, row) if record else ()),
        "## Figures" if record else "",
        grid(["Figure", "Value", "Kind", "Source", "Note"], figures),
        *_prices(context, table, row),
        *earlier_text(context, earlier_of_row(table, row)),
        *(measurements.again_text(context, row) if record else ()),
        *_uses(of_row(context, table.name, row)),
        *(measurements.why_text(context, row) if record else ()),
    )


def _told(context: Context, column: Column, value: Value, stated: Stated | None) -> list[str]:
    """A value, what it rests on, and what is remarked of it."""
    text = shown(context, column, value)
    if stated is None:
        formula = column.formula
        return [text, "derived" if formula else "", "", code(formula.text) if formula else ""]
    text = bounded(stated, context.symbol(column)) or text
    kind = stated.basis if value.value is not None else ""
    return [text, kind, cited(context, stated.citation), plain(stated.note or column.note)]


def _prices(context: Context, table: Table, row: str) -> Iterator[str]:
    prices = context.book.prices.get(row, ()) if table.name == "offers" else ()
    if prices:
        column = table.columns["node_price"]
        yield "## Prices over time"
        yield grid(
            ["From", "Last seen", "Price", "Kind", "Source", "Note"],
            (
                [
                    price.since,
                    price.seen or price.since,
                    *_told(context, column, stated_value(price), price),
                ]
                for price in prices
            ),
        )


# ------------------------------------------------------------------ formulas and sources


def _record(context: Context, record: Record) -> str:
    texts = record_texts(record)
    unit = context.book.units.symbol(record.unit) or "pure number"
    facts = {
        "Gives": unit,
        "Valid for": plain(record.valid),
        "Convention": plain(record.convention),
        "Dimensions": "asserted: its constants carry the units" if record.asserted else "",
        "Source": cited(context, record.citation),
        "Note": plain(record.note),
        "LaTeX": code(texts["latex"]),
        "Excel": code(texts["excel"]),
        "Python": code(texts["python"]),
        "JavaScript": code(texts["javascript"]),
    }
    return document(
        f"# {plain(record.title)}",
        code(record.formula.text),
        page_data("formulas", record.id),
        "\n".join(f"- {name}: {text}" for name, text in facts.items() if text),
        "## Inputs",
        grid(["Name", "Input", "Unit", "Domain", "Default", "Note"], _inputs(context, record)),
        *_examples(context, record),
        *_uses(of_formula(context, record.id)),
    )


def _inputs(context: Context, record: Record) -> Iterator[list[str]]:
    for each in record.inputs:
        default = stated_value(each.stated) if each.stated else Value()
        yield [
            code(each.name),
            plain(each.title),
            plain(context.symbol(each) or "pure number"),
            each.domain,
            shown(context, each, default),
            plain(each.note),
        ]


def _examples(context: Context, record: Record) -> Iterator[str]:
    if not record.examples:
        return
    result = Quantity("result", record.title, unit=record.unit)
    inputs = {each.name: each for each in record.inputs}
    yield "## Examples"
    yield grid(
        ["Given", "Expected", "Computed", "Note"],
        (
            [
                ", ".join(
                    f"{code(name)} {shown(context, inputs[name], Value.number(number))}"
                    for name, number in example.given.items()
                ),
                shown(context, result, Value.number(example.expect)),
                shown(context, result, Value.number(computed)),
                plain(example.note),
            ]
            for example, computed in zip(
                record.examples, context.edition.examples.get(record.id, ()), strict=True
            )
        ),
    )


def _source(source: Source, uses: Iterable[Use]) -> str:
    facts = {
        "Publisher": plain(source.publisher),
        "Date": source.date,
        "Address": f"<{source.url}>" if source.url else "",
        "Looked at": source.accessed,
        "Key": code(source.key),
    }
    return document(
        f"# {plain(source.title)}",
        plain(source.note),
        page_data("sources", source.key),
        "\n".join(f"- {name}: {text}" for name, text in facts.items() if text),
        *_uses(uses, "What rests on it"),
    )


def _uses(uses: Iterable[Use], title: str = "Where it is used") -> Iterator[str]:
    """The pages that use it, each once, with the parts that do."""
    pages: dict[tuple[str, str], dict[str, None]] = {}
    for use in uses:
        parts = pages.setdefault((use.page, use.address), {})
        if use.part:
            parts.setdefault(use.part)
    if pages:
        yield f"## {title}"
        yield "\n".join(
            f"- {link(address, page)}{': ' if parts else ''}{', '.join(map(plain, parts))}"
            for (page, address), parts in pages.items()
        )
