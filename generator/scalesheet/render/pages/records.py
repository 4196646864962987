"""Pages of the formula catalogue: what a formula says, where it holds, and examples of it."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.model import Example, Quantity, Record
from scalesheet.numbers import format_of
from scalesheet.render.pages.context import Context, cite, edit_link
from scalesheet.render.pages.figures import amount
from scalesheet.render.pages.html import Html, heading, join, link, page, tag
from scalesheet.render.pages.notation import record_drawn, record_in_words, record_notations
from scalesheet.render.pages.tables import grid, heading_cell
from scalesheet.render.pages.uses import listed, of_formula
from scalesheet.values import Value


def record_pages(context: Context) -> Iterator[tuple[str, str]]:
    """Path and text of every formula's page, and of their index."""
    yield "formulas/index.md", _index(context)
    for record in context.book.records.values():
        yield f"formulas/{record.id}.md", _page(context, record)


def _page(context: Context, record: Record) -> str:
    symbol = context.book.units.symbol(record.unit)
    uses = listed(of_formula(context, record.id))
    formula = tag(
        "div",
        record_drawn(record),
        tag("p", "in ", tag("span", symbol or "pure number", class_="unit")),
        class_="formula",
    )
    return page(
        heading(1, record.title),
        tag(
            "p",
            link("index.md", "Formulas"),
            " · ",
            edit_link(context, record.position),
            class_="meta",
        ),
        formula,
        _terms(context, record),
        heading(2, "Inputs", "inputs"),
        _inputs(context, record),
        *_examples(context, record),
        heading(2, "As text", "text"),
        *_texts(record),
        heading(2, "Where it is used", "uses"),
        uses or tag("p", "Nothing calls it yet.", class_="note"),
    )


def _terms(context: Context, record: Record) -> Html | None:
    """Where the formula holds, by which convention, and who says so."""
    asserted = "Empirical: its constants carry the units." if record.asserted else ""
    facts: list[tuple[str, object]] = [
        ("In words", record_in_words(record)),
        ("Valid for", record.valid),
        ("Convention", record.convention),
        ("Dimensions", asserted),
        ("Source", cite(context, record.citation)),
        ("Note", record.note),
    ]
    parts = [join([tag("dt", name), tag("dd", shown)]) for name, shown in facts if shown]
    return tag("dl", *parts, class_="facts") if parts else None


def _inputs(context: Context, record: Record) -> Html:
    head = [heading_cell(text) for text in ("Input", "Name", "Unit", "Domain", "Note")]
    body = [
        [
            tag("th", each.title, scope="row"),
            tag("td", tag("code", each.name)),
            tag("td", context.symbol(each) or "pure number"),
            tag("td", each.domain),
            tag("td", each.note),
        ]
        for each in record.inputs
    ]
    return grid(head, body)


def _examples(context: Context, record: Record) -> Iterator[object]:
    """Given inputs, what must come out, what does, and the difference."""
    if not record.examples:
        return
    computed = context.examples.get(record.id, ())
    result = Quantity("result", record.title, unit=record.unit)
    head = [heading_cell(each.title, context.symbol(each), number=True) for each in record.inputs]
    symbol = context.book.units.symbol(record.unit)
    head.append(heading_cell("Expected", symbol, number=True))
    if computed:
        head.append(heading_cell("Computed", symbol, number=True))
        head.append(heading_cell("Difference", number=True))
    head.append(heading_cell("Note"))
    body: list[list[Html]] = []
    for n, example in enumerate(record.examples):
        cells = [_given(context, record, example, each.name) for each in record.inputs]
        cells.append(_number(context, result, example.expect))
        if computed:
            cells.append(_number(context, result, computed[n]))
            cells.append(tag("td", _difference(computed[n], example.expect), class_="num"))
        cells.append(tag("td", example.note))
        body.append(cells)
    yield heading(2, "Examples", "examples")
    yield grid(head, body)


def _given(context: Context, record: Record, example: Example, name: str) -> Html:
    quantity = next(each for each in record.inputs if each.name == name)
    if name not in example.given:
        return tag("td", "default", class_="num note")
    return _number(context, quantity, example.given[name])


def _number(context: Context, quantity: Quantity, value: float) -> Html:
    shown = Value.number(value)
    fmt = format_of(quantity, [shown], context.book.units)
    return tag("td", amount(shown, fmt), class_="num")


def _difference(computed: float, expected: float) -> str:
    """Relative to what was expected, in percent; `none` where equal on 12 digits."""
    scale = max(abs(computed), abs(expected))
    if abs(computed - expected) <= 1e-12 * scale:
        return "none"
    return f"{(computed - expected) / (expected or computed):+.2g}".replace("e-0", "e-")


def _texts(record: Record) -> Iterator[object]:
    """The formula in every notation, to copy."""
    for name, text in record_notations(record):
        if text:
            yield tag("p", name, class_="label")
            yield tag("pre", tag("code", text))


def _index(context: Context) -> str:
    """The formulas with what they give and where they come from."""
    head = [heading_cell(text) for text in ("Formula", "Gives", "From", "Source")]
    body = [
        [
            tag("th", link(f"{record.id}.md", record.title), scope="row"),
            tag("td", context.book.units.symbol(record.unit) or "pure number", class_="unit"),
            tag("td", ", ".join(each.title for each in record.inputs)),
            tag("td", cite(context, record.citation)),
        ]
        for record in context.book.records.values()
    ]
    lead = "Each formula is written once, and printed from there for every face."
    return page(
        heading(1, "Formulas"), tag("p", lead, class_="lead"), grid(head, body, sortable=True)
    )
