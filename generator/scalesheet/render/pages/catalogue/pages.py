"""Pages of the catalogue: one for each row of its tables, and an index of each table.

Providers have pages of their own (`providers.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.model import Column, Stated, Table
from scalesheet.numbers import Format, format_of
from scalesheet.render.measurements import OWN, at_most
from scalesheet.render.pages.catalogue import measurement, measurements
from scalesheet.render.pages.catalogue.accelerator import (
    in_order,
    measured_section,
    neighbor_line,
    price_symbol,
    price_text,
    runs_section,
)
from scalesheet.render.pages.catalogue.earlier import earlier_section
from scalesheet.render.pages.catalogue.earlier import of_row as earlier_of_row
from scalesheet.render.pages.catalogue.explained import column_formula, column_formulas
from scalesheet.render.pages.catalogue.memory import largest_section, memory_section, size_cards
from scalesheet.render.pages.catalogue.offered import offered_section, price_card, report_link
from scalesheet.render.pages.catalogue.own_law import own_law
from scalesheet.render.pages.catalogue.price_charts import accelerator_prices, price_chart
from scalesheet.render.pages.catalogue.providers import provider_link, provider_pages
from scalesheet.render.pages.catalogue.training import Training, training, with_sections
from scalesheet.render.pages.catalogue.uses import listed, of_row
from scalesheet.render.pages.compare.accelerators import compare_line, is_compared
from scalesheet.render.pages.context import (
    Context,
    cell_value,
    cite,
    column_format,
    edit_link,
    to,
)
from scalesheet.render.pages.figures import amount, bound, card, cell, kind, sort_key
from scalesheet.render.pages.html import Html, heading, link, meta_line, page, tag
from scalesheet.render.pages.tables import facts, grid, heading_cell, reference, sourced
from scalesheet.render.people import people
from scalesheet.values import Value, stated_value


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of entry: the title and first sentence of its index, and what its pages show first.

    `first` are the figures shown first, which are also columns of the index, after `facts`. A long
    index can be filtered by `facets`; search also finds it by the names in `called`.
    """

    title: str
    sentence: str
    first: tuple[str, ...]
    facts: tuple[str, ...] = ()
    facets: tuple[str, ...] = ()
    called: tuple[str, ...] = ()


KINDS: dict[str, Kind] = {
    "hardware": Kind(
        "Hardware",
        "Accelerators with the figures that the plans compute with. Peaks are dense, without "
        "sparsity.",
        ("memory", "bandwidth", "dense_bf16", "dense_fp16", "dense_fp8", "power"),
        ("vendor", "released"),
        ("vendor",),
    ),
    "nodes": Kind(
        "Nodes",
        "Nodes with their accelerators: host, network between nodes, total power.",
        ("gpus", "power", "power_per_gpu", "network", "network_per_gpu", "host_memory"),
        ("accelerator", "vendor"),
        ("accelerator", "vendor"),
    ),
    "providers": Kind(
        "Providers",
        "Who sells the offers: how time is billed, what else is charged, and what is misleading "
        "about the prices.",
        (),
    ),
    "offers": Kind(
        "Offers",
        "What can be rented: a provider's instance with its accelerators, and its price at the "
        "edition's date.",
        ("price", "node_price", "gpus"),
        ("provider", "accelerator", "term", "seen"),
        ("provider", "accelerator", "term"),
        called=("spot prices", "on-demand prices", "reserved prices", "GPU prices"),
    ),
    "models": Kind(
        "Models",
        "Model architectures, from which parameters, memory and work are computed.",
        ("parameters", "published_parameters", "layers", "hidden", "vocab", "max_sequence"),
        ("developer",),
        ("developer",),
    ),
    "measurements": Kind(
        "Measurements",
        "Time and memory of short training runs, measured on hardware or, if marked, simulated.",
        ("step_time", "tokens_per_second", "peak_memory", "flop_rate"),
        ("how", "date", "accelerator", "model"),
    ),
    "fits": Kind(
        "Fits",
        "Coefficients of the predictions, fitted to published results or, with 'scalesheet law', "
        "to your own runs. They are pure numbers; the formulas that use them say what they mean.",
        (),
    ),
}
_MOST_CARDS = 6
#: Reasons for which a figure has no line of its own.
NOT_STATED, NOT_MEASURED = "not stated", "not measured"
NOT_OF_THIS_FIT = "not of this fit"
SILENT = (None, NOT_STATED, NOT_MEASURED, NOT_OF_THIS_FIT)
_TITLES = ("title", "id")  # columns that repeat what the heading says
_MOST_FACTS = 3
#: The page that lists the small tables.
TABLES, TABLES_TITLE = "tables", "Tables"
TABLES_SENTENCE = "Small tables of facts that plans refer to."


def kinds_of(book: Book) -> Mapping[str, Kind]:
    """The kinds of entry of a book, including its own small tables."""
    return KINDS | {table.name: _kind_of(table) for table in small_tables(book)}


def small_tables(book: Book) -> list[Table]:
    """The small tables that a book declares itself, by name."""
    return [table for name, table in sorted(book.tables.items()) if name not in KINDS]


def _kind_of(table: Table) -> Kind:
    """A small table shows all its numbers and its first few words."""
    words = [c.name for c in _facts(table) if c.kind != "text"][:_MOST_FACTS]
    numbers = [c.name for c in _numbers(table)][:_MOST_CARDS]
    return Kind(table.title, table.note, tuple(numbers), tuple(words))


def catalogue_pages(context: Context) -> Iterator[tuple[str, str]]:
    """Yield path and text of every page of the catalogue."""
    yield f"{TABLES}/index.md", _tables_index(context)
    shared = training(context)
    if shared is not None and "models" in context.book.tables:
        shared = with_sections(context, shared)
    for name, of_kind in kinds_of(context.book).items():
        table = context.book.tables.get(name)
        if name == "providers":
            yield from provider_pages(context, table, of_kind.title, of_kind.sentence)
            continue
        if name == "measurements" and table is not None:
            yield f"{name}/index.md", measurements.index(context, table)
        else:
            yield f"{name}/index.md", _index(context, of_kind, table)
        for row in table.rows if table is not None else ():
            assert table is not None
            yield f"{name}/{row}.md", _page(context, of_kind, table, row, shared)


def _numbers(table: Table) -> list[Column]:
    return [c for c in table.columns.values() if c.kind == "number" and not c.hidden]


def _facts(table: Table) -> list[Column]:
    return [
        c
        for c in table.columns.values()
        if c.kind != "number" and not c.hidden and c.name not in _TITLES
    ]


# ------------------------------------------------------------------ one entity


def _page(context: Context, of_kind: Kind, table: Table, row: str, shared: Training | None) -> str:
    position = table.row_positions[table.rows.index(row)] if table.row_positions else None
    title = context.row_title(table, row)
    uses = listed(of_row(context, table.name, row))
    record = table.name == "measurements"
    return page(
        title,
        meta_line(
            link("index.md", of_kind.title),
            edit_link(context, position),
            report_link(context, row) if table.name == "offers" else None,
            _looked_at(context, table, row),
            _explained(context, table, row),
        ),
        *(own_law(context, row) if table.name == "fits" else ()),
        *(measurement.lead(context, table, row) if record else ()),
        _old(context, row) if table.name == "offers" else None,
        measurement.cards(context, table, row)
        if record
        else size_cards(context, row)
        if table.name == "models" and shared is not None
        else _cards(context, table, row, of_kind.first),
        compare_line(context, row) if table.name == "hardware" else None,
        neighbor_line(context, row) if table.name == "hardware" else None,
        _fact_list(context, table, row),
        tag("p", table.row_notes[row]) if row in table.row_notes else None,
        *(measurement.comparison_section(context, row) if record else ()),
        *_answers(context, table, row, shared),
        heading(2, "Figures", "figures"),
        _figures(context, table, row),
        _missing(context, table, row),
        *_prices(context, table, row),
        *(accelerator_prices(context, row) if table.name == "hardware" else ()),
        *earlier_section(context, earlier_of_row(table, row)),
        *(measurement.again(context, row) if record else ()),
        heading(2, "Where it is used", "uses"),
        uses or tag("p", "Nothing refers to it yet.", class_="note"),
        *(measurement.why(context, row) if record else ()),
        called=table.row_aliases.get(row, ()),
    )


def _answers(context: Context, table: Table, row: str, shared: Training | None) -> Iterator[object]:
    """Show what people come to a page for: what a model needs, what an accelerator costs and
    does."""
    if table.name == "models" and shared is not None:
        yield from memory_section(context, shared.held, row)
        yield from shared.sections[row]
    if table.name == "hardware":
        yield from offered_section(context, row)
        if shared is not None and is_compared(table, row):
            yield from largest_section(context, shared.catalogue, shared.assumed, row)
        yield from measured_section(context, row)
        yield from runs_section(context, row)


def _looked_at(context: Context, table: Table, row: str) -> str | None:
    """The last day on which a source of the page was read.

    None for an offer: its price has its own date, which a later reading of another source would
    contradict.
    """
    if table.name == "offers":
        return None
    stated = [c.stated[row] for c in table.columns.values() if row in c.stated]
    sources = context.book.sources
    days = [each.seen for each in stated]
    cited = [each.citation.key for each in stated if each.citation is not None]
    days += [sources[key].accessed for key in cited if key in sources]
    last = max(days, default="")
    return f"sources last read on {last}" if last else None


def _explained(context: Context, table: Table, row: str) -> Html | None:
    """Link the page that explains how a fit is made, if the site has it."""
    fit = context.book.fits.get(row) if table.name == "fits" else None
    page = f"reference/{'law' if fit and fit.runs else 'predictions'}.md"
    if fit is None or context.docs is None or not (context.docs / page).is_file():
        return None
    return link(f"../../{page}", "How it is fitted")


def _cards(context: Context, table: Table, row: str, first: tuple[str, ...]) -> Html | None:
    """The headline figures. A missing one is left to the table below, except for the first, which
    shows its reason."""
    priced = price_card(context, row) if table.name == "hardware" else None
    cards: list[Html] = [priced] if priced is not None else []
    for name in first:
        column = table.columns.get(name)
        if column is None or len(cards) == _MOST_CARDS:
            continue
        value = cell_value(context, table, column, row)
        if value.value is None and (name != first[0] or value.reason in SILENT):
            continue
        stated = column.stated.get(row)
        fmt = format_of(column, [value], context.book.units)
        note = kind(stated.basis if stated else "derived")
        cards.append(card(column.title, value, fmt, context.symbol(column), note=note))
    return tag("div", *cards, class_="hero") if cards else None


def _old(context: Context, row: str) -> Html | None:
    """A note if the price of an offer is older than its kind may be."""
    old = context.book.old_prices.get(row)
    if old is None:
        return None
    return tag(
        "p",
        tag("strong", "An old price."),
        f" It was last seen on {old.seen}, {old.days} days before {context.book.as_of}; after "
        f"{old.limit} days a price of the kind {old.kind} is old.",
        class_="lead",
    )


def _fact_list(context: Context, table: Table, row: str) -> Html | None:
    """The facts in words: vendor, form factor, date, aliases."""
    terms: list[tuple[str, object]] = []
    for column in _facts(table):
        value = cell_value(context, table, column, row)
        if value.value in (None, "") and value.reason in (None, NOT_STATED):
            continue
        if is_no_news(value, column.stated.get(row)):
            continue
        shown: object = value.value if value.reason is None else value.reason
        if column.kind == "reference":
            shown = reference(context, None, column, value)
        elif (table.name, column.name) == ("offers", "provider"):
            shown = provider_link(context, str(value.value))
        elif isinstance(value.value, bool):
            shown = "yes" if value.value else "no"
        terms.append((column.title, shown))
    if aliases := table.row_aliases.get(row):
        terms.append(("Also called", ", ".join(aliases)))
    return facts(terms)


def _figures(context: Context, table: Table, row: str) -> Html:
    """A table of every number with kind, source and note; the page links their file once."""
    told: dict[Html, tuple[str, Html]] = {}  # the first figure with this source, and its kind
    body: list[list[Html]] = []
    for column in _numbers(table):
        value = cell_value(context, table, column, row)
        stated = column.stated.get(row)
        if _empty(value, stated) or is_no_news(value, stated):
            continue
        fmt = format_of(column, [value], context.book.units)
        if table.name == "measurements" and isinstance(value.value, float):
            fmt = at_most(fmt, value.value)
        symbol = context.symbol(column)
        shown = cell(value, fmt, symbol, input_=stated is not None)
        if stated is not None and (text := bound(stated, fmt, symbol)) is not None:
            shown = tag("td", text, class_="num input")
        other = _contested(context, stated, fmt, symbol)
        basis = _basis(context, column, stated, other)
        first, of_kind = told.setdefault(basis[1], (column.title, basis[0]))
        if first != column.title and stated is not None and stated.citation is not None:
            # each figure of a record says whether it was measured
            same = of_kind == basis[0] and table.name != "measurements"
            words = tag("td", f"as for {first}", class_="words", colspan=2 if same else None)
            basis = [words] if same else [basis[0], words]
        body.append([tag("th", column.title, scope="row"), shown, *basis])
    head = [heading_cell("Figure"), heading_cell("Value", number=True)]
    head += map(heading_cell, ("Kind", "Source and note"))
    return grid(head, body, records=True)


def _missing(context: Context, table: Table, row: str) -> Html | None:
    """List what the record could have stated but does not."""
    titles = [
        column.title
        for column in _numbers(table)
        if cell_value(context, table, column, row).reason == NOT_MEASURED
    ]
    if not titles:
        return None
    return tag("p", f"Not measured: {'; '.join(titles)}.", class_="note")


def is_no_news(value: Value, stated: Stated | None) -> bool:
    """Return whether a value says nothing new: a default, or a computed 0."""
    if stated is None:
        return value.value == 0
    return stated.default


def _empty(value: Value, stated: Stated | None) -> bool:
    """Return whether nothing at all is known: no number, no bound, and no reason but "not
    stated"."""
    if value.value is not None or (stated is not None and stated.citation is not None):
        return False
    bounded = stated is not None and (stated.at_least, stated.at_most) != (None, None)
    return not bounded and value.reason in SILENT


def _contested(
    context: Context, stated: Stated | None, fmt: Format, symbol: str
) -> tuple[Html | None, ...]:
    """Say what other sources state for a figure."""
    return tuple(
        tag(
            "p",
            tag("strong", "Contested: "),
            amount(stated_value(other), fmt, symbol),
            " in ",
            *sourced(context, other),
            class_="note",
        )
        for other in (stated.contested if stated is not None else ())
    )


def _basis(
    context: Context, column: Column, stated: Stated | None, contested: tuple[Html | None, ...] = ()
) -> list[Html]:
    """The cells for the origin of a figure."""
    if stated is None:
        shown = link(f"index.md#{column_formula(column)}", "formula") if column.formula else None
        return [tag("td", kind("derived")), tag("td", shown, class_="words")]
    if stated.citation is not None and stated.citation.key in OWN:
        # its locator is the command, which the page shows once
        stated = replace(stated, citation=replace(stated.citation, locator=""))
    return [
        tag("td", kind(stated.basis)),
        tag(
            "td",
            *sourced(context, stated, column.note),
            *_confirmed(context, stated),
            *contested,
            class_="words",
        ),
    ]


def _confirmed(context: Context, stated: Stated) -> tuple[Html | str, ...]:
    """Cite the second source of a price."""
    second = cite(context, stated.confirmed)
    return ("; also ", second) if second else ()


def _prices(context: Context, table: Table, row: str) -> Iterator[object]:
    """Show an offer's dated prices, newest first, if it has had several; the figures above have the
    current one."""
    prices = context.book.prices.get(row, ()) if table.name == "offers" else ()
    if len(prices) < 2:
        return
    column = table.columns["node_price"]
    fmt = format_of(column, map(stated_value, prices), context.book.units)
    head = [heading_cell("From"), heading_cell("Price", context.symbol(column), number=True)]
    head += [heading_cell("Last seen", number=True)]
    head += [heading_cell(text) for text in ("Kind", "Source and note")]
    body = [
        [
            tag("th", stated.since, scope="row"),
            cell(stated_value(stated), fmt, input_=True),
            tag("td", stated.seen or stated.since, class_="num"),
            *_basis(context, column, stated),
        ]
        for stated in reversed(prices)
    ]
    yield heading(2, "Prices over time", "prices")
    yield price_chart(context, f"prices-{row}", "Node price", [row])
    yield grid(head, body, records=True)


# ------------------------------------------------------------------ index


def _tables_index(context: Context) -> str:
    """The index of small tables, each with its summary."""
    head = [heading_cell("Table"), heading_cell("Holds"), heading_cell("Rows", number=True)]
    body = [
        [
            tag("th", link(to(table.name, "index"), table.title), scope="row"),
            tag("td", table.note, class_="words"),
            tag("td", str(len(table.rows)), class_="num"),
        ]
        for table in small_tables(context.book)
    ]
    lead = tag("p", TABLES_SENTENCE, class_="lead")
    return page(TABLES_TITLE, lead, grid(head, body) if body else None, list_=True)


def _in_order(context: Context, table: Table) -> Sequence[str]:
    """Rows in a familiar order: accelerators by vendor, models by family; each by size."""
    if table.name == "hardware":
        return in_order(context, table)
    family, size = (table.columns.get(name) for name in ("family", "parameters"))
    if table.name != "models" or family is None or size is None:
        return table.rows

    def place(row: str) -> tuple[str, float, str]:
        named = cell_value(context, table, family, row).value or context.row_title(table, row)
        amount = cell_value(context, table, size, row).value
        return str(named).lower(), amount if isinstance(amount, float) else 0.0, row

    return sorted(table.rows, key=place)


def _figure(table: Table, column: Column, value: Value, fmt: Format) -> Html:
    """A cell of an index; parameters in the form 70.6B."""
    if table.name != "models" or "parameters" not in column.name or not value.value:
        return cell(value, fmt)
    assert isinstance(value.value, float)
    text = people(value.value)
    return tag("td", text, class_="num", data_value=sort_key(text, value.value))


def _index(context: Context, of_kind: Kind, table: Table | None) -> str:
    """List all rows of a kind. The most important figure is next to the name, so that it is visible
    on a phone."""
    if table is None:
        return page(of_kind.title, tag("p", of_kind.sentence, class_="lead"), list_=True)
    facts = [table.columns[c] for c in of_kind.facts if c in table.columns]
    numbers = [table.columns[c] for c in of_kind.first if c in table.columns]
    head = [heading_cell(c.title, facet=c.name in of_kind.facets) for c in facts]
    head += [heading_cell(c.title, context.symbol(c), number=True) for c in numbers]
    priced = table.name == "hardware" and price_symbol(context) != ""
    if priced:
        head.insert(0, heading_cell("On-demand from", price_symbol(context), number=True))
    formats = [(column, column_format(context, table, column)) for column in numbers]
    first = 0 if priced or not numbers else len(facts)
    head = [heading_cell(of_kind.title), *([head.pop(first)] if head else []), *head]
    body: list[list[Html]] = []
    for row in _in_order(context, table):
        name = tag("th", link(f"{row}.md", context.row_title(table, row)), scope="row")
        cells = []
        if priced:
            cells.append(tag("td", price_text(context, row), class_="num"))
        for column in facts:
            value = cell_value(context, table, column, row)
            shown: object = reference(context, None, column, value)
            if value.value is None and value.reason in SILENT:
                shown = None
            if (table.name, column.name) == ("offers", "provider"):
                shown = provider_link(context, str(value.value))
            cells.append(
                tag("td", shown, class_="short" if column.kind in ("date", "word") else None)
            )
        for column, fmt in formats:
            cells.append(_figure(table, column, cell_value(context, table, column, row), fmt))
        body.append([name, cells.pop(first), *cells] if cells else [name])
    return page(
        of_kind.title,
        tag("p", of_kind.sentence, class_="lead"),
        grid(head, body, sortable=True),
        *column_formulas(context, table, _numbers(table)),
        list_=True,
        called=of_kind.called,
    )
