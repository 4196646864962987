"""Pages of the formula catalogue: a formula, its conditions, and examples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from scalesheet.model import Example, Quantity, Record, Scalar
from scalesheet.numbers import format_of, plain
from scalesheet.render.notations import InputTitles
from scalesheet.render.pages.catalogue.uses import Use, listed, of_formulas
from scalesheet.render.pages.context import Context, cite, edit_link
from scalesheet.render.pages.figures import amount
from scalesheet.render.pages.html import Html, heading, link, meta_line, page, tag
from scalesheet.render.pages.notation import in_words, record_drawn, record_notations
from scalesheet.render.pages.plan.formulas import scrolling
from scalesheet.render.pages.tables import facts, grid, heading_cell
from scalesheet.values import Value, stated_value


def record_pages(context: Context) -> Iterator[tuple[str, str]]:
    """Yield path and text of every formula's page, and of their index."""
    yield "formulas/index.md", _index(context)
    uses = of_formulas(context)
    for record in context.book.records.values():
        yield f"formulas/{record.id}.md", _page(context, record, uses[record.id])


def _page(context: Context, record: Record, users: Sequence[Use]) -> str:
    symbol = context.book.units.symbol(record.unit)
    uses = listed(users)
    formula = tag(
        "div",
        scrolling(record_drawn(record)),
        tag("p", "in ", tag("span", symbol or "pure number", class_="unit")),
        class_="formula",
    )
    return page(
        record.title,
        meta_line(link("index.md", "Formulas"), edit_link(context, record.position)),
        formula,
        _terms(context, record),
        heading(2, "Inputs", "inputs"),
        _inputs(context, record),
        *_examples(context, record),
        heading(2, "As text", "text"),
        *_texts(record),
        heading(2, "Where it is used", "uses"),
        uses or tag("p", "Nothing calls it yet.", class_="note"),
        called=[record.symbol] if record.symbol else (),
    )


def _terms(context: Context, record: Record) -> Html | None:
    """Where the formula holds, its convention, and its source."""
    asserted = "Empirical: its constants carry the units." if record.asserted else ""
    terms: list[tuple[str, object]] = [
        ("Symbol", tag("code", record.symbol) if record.symbol else ""),
        ("In words", in_words(InputTitles(record), record.formula.ends.value)),
        ("Valid for", record.valid),
        ("Convention", record.convention),
        ("Dimensions", asserted),
        ("Source", cite(context, record.citation)),
        ("Note", record.note),
    ]
    found = ((name, shown) for name, shown in terms if shown)
    return facts(found)


def _inputs(context: Context, record: Record) -> Html:
    head = [heading_cell(text) for text in ("Input", "Name", "Unit", "Domain")]
    head += [heading_cell("Default", number=True), heading_cell("Note")]
    body = [
        [
            tag("th", each.title, scope="row"),
            tag("td", tag("code", each.name)),
            tag("td", context.symbol(each) or "pure number"),
            tag("td", each.domain),
            _number(context, each, stated_value(each.stated) if each.stated else Value()),
            tag("td", each.note),
        ]
        for each in record.inputs
    ]
    return grid(head, body)


def _number(context: Context, quantity: Quantity, value: Value) -> Html:
    fmt = format_of(quantity, [value], context.book.units)
    shown = plain(value, fmt) if value.low == value.high else amount(value, fmt)
    return tag("td", shown, class_="num")


def _examples(context: Context, record: Record) -> Iterator[object]:
    """Show examples in columns: inputs, expected and computed results, and the difference."""
    if not record.examples:
        return
    gives = Quantity("result", record.title, unit=record.unit)
    computed = context.edition.examples.get(record.id, ())
    rows: list[tuple[Quantity, list[Value]]] = [
        (each, [_given(each, example) for example in record.examples]) for each in record.inputs
    ]
    rows.append((replace(gives, title="Expected"), _values(e.expect for e in record.examples)))
    if computed:
        rows.append((replace(gives, title="Computed"), _values(computed)))
    body = [_row(context, quantity, values) for quantity, values in rows]
    if computed:
        pairs = zip(computed, record.examples, strict=True)
        cells = [tag("td", _difference(got, each.expect), class_="num") for got, each in pairs]
        body.append([tag("th", "Difference", scope="row"), tag("td"), *cells])
    head = [heading_cell("Quantity"), heading_cell("Unit")]
    for n, example in enumerate(record.examples, 1):
        head.append(heading_cell(example.note or f"Example {n}", number=True))
    yield heading(2, "Examples", "examples")
    yield grid(head, body)


def _row(context: Context, quantity: Quantity, values: Sequence[Value]) -> list[Html]:
    cells = [_number(context, quantity, value) for value in values]
    unit = tag("td", context.symbol(quantity), class_="unit")
    return [tag("th", quantity.title, scope="row"), unit, *cells]


def _values(numbers: Iterable[float]) -> list[Value]:
    return [Value.number(number) for number in numbers]


def _given(quantity: Scalar, example: Example) -> Value:
    """The example's value for an input, or the input's default."""
    if quantity.name in example.given:
        return Value.number(example.given[quantity.name])
    return stated_value(quantity.stated) if quantity.stated else Value()


def _difference(computed: float, expected: float) -> str:
    """The relative difference; `none` if equal to 12 digits."""
    if abs(computed - expected) <= 1e-12 * max(abs(computed), abs(expected)):
        return "none"
    return f"{(computed - expected) / (expected or computed):+.1e}"


def _texts(record: Record) -> Iterator[object]:
    """Show the formula in every notation, to copy."""
    for name, text in record_notations(record):
        if text:
            yield tag("p", name, class_="label")
            yield tag("pre", tag("code", text), class_="wrap")


def _index(context: Context) -> str:
    """List the formulas with their results and sources."""
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
    lead = "Each formula is written once and translated for every output."
    listed_all = grid(head, body, sortable=True)
    return page("Formulas", tag("p", lead, class_="lead"), listed_all, list_=True)
