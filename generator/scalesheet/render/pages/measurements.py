"""Pages of measurements: every record beside its prediction, and how far off predictions are."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.bench.beside import Beside, Off, Pair, off
from scalesheet.model import Column, Table
from scalesheet.render.against import against_svg
from scalesheet.render.measured import (
    DRAWN,
    FIGURES,
    MARKS,
    PREDICTED,
    RATIO,
    RATIOS,
    SCATTERED,
    SIDES,
    TOLD,
    Scale,
    against,
    assumed,
    chosen_by,
    command,
    count,
    ends,
    groups,
    marks,
    number,
    off_by,
    pairs,
    ratio,
    scale,
    scales,
)
from scalesheet.render.pages.context import Context, cell_value
from scalesheet.render.pages.figures import in_words, kind
from scalesheet.render.pages.html import UNSEARCHED, Html, heading, link, page, tag
from scalesheet.render.pages.places import scalar_address
from scalesheet.render.pages.tables import grid, heading_cell, reference
from scalesheet.render.pairs import pairs_svg

TITLE = "Measurements"
#: What people look for where measurements are meant.
CALLED = ("Benchmark", "Benchmarks", "Micro-benchmark", "Measurement", "MFU measured")
LED = {"step_time": "time of a step", "peak_memory": "peak memory"}
WORDS = ("accelerator", "model", "method", "precision")
FACETS = ("how", *WORDS)
#: What the pictures of all records are of.
POINTS = {"tokens_per_second": "Tokens per second and accelerator", "peak_memory": "Peak memory"}


def index(context: Context, table: Table) -> str:
    """All records in one list: measured or simulated, what they took, how far off the prediction
    is."""
    hows = [str(cell_value(context, table, table.columns["how"], row).value) for row in table.rows]
    return page(
        TITLE,
        tag("p", count(hows), class_="lead"),
        _offs(context),
        _list(context, table),
        tag("p", RATIO, " ", *_coded(PREDICTED), class_="note"),
        *_scatters(context),
        list_=True,
        called=CALLED,
        weight=2,
    )


def _offs(context: Context) -> Html | None:
    """How far the predictions of measured records are off, as cards."""
    told = [(title, off(context.beside.values(), key)) for key, title in TOLD.items()]
    cards = [_off(title, each) for title, each in told if each is not None]
    return tag("div", *cards, class_="hero") if cards else None


def _off(title: str, found: Off) -> Html:
    return tag(
        "section",
        tag("p", f"{title}: prediction off by", class_="label"),
        tag("p", tag("span", ratio(found.median), class_="num"), class_="value"),
        tag("p", off_by(found), class_="note"),
        class_="figure",
        **UNSEARCHED,
    )


def _list(context: Context, table: Table) -> Html:
    """The records; numbers with digits that count, since they differ by powers of ten."""
    columns = table.columns
    words = [columns[name] for name in WORDS if name in columns]
    numbers = [columns[name] for name in FIGURES if name in columns]
    held = [columns[name] for name in RATIOS if name in columns]
    head = [heading_cell("Record"), heading_cell("Found", facet=True), heading_cell("Date")]
    head += [heading_cell(c.title, facet=c.name in FACETS) for c in words]
    head += [heading_cell(c.title, context.symbol(c), number=True) for c in numbers]
    head += [heading_cell(f"{c.title}: over prediction", number=True) for c in held]
    head += [heading_cell("Marks")]
    body = [
        [
            tag("th", link(f"{row}.md", title), scope="row"),
            tag("td", kind_of(str(cell_value(context, table, columns["how"], row).value))),
            tag("td", cell_value(context, table, columns["date"], row).value, class_="short"),
            *(_word(context, table, column, row) for column in words),
            *(_figure(context, table, column, row) for column in numbers),
            *(_over(context, column.name, row) for column in held),
            _words(", ".join(MARKS[name][0] for name in marks(context.book, row))),
        ]
        for row, title in zip(table.rows, table.row_titles, strict=True)
    ]
    return grid(head, body, sortable=True)


def _figure(context: Context, table: Table, column: Column, row: str) -> Html:
    value = number(cell_value(context, table, column, row))
    assert column.unit is not None
    return _amount(scale(context.book.units, column.unit).told(value), value)


def _over(context: Context, key: str, row: str) -> Html:
    """Record over prediction."""
    over = context.beside[row].ratio(key) if row in context.beside else None
    return _amount(ratio(over), over)


def _words(said: str) -> Html:
    return tag("td", said, class_="words") if said else tag("td")


def _word(context: Context, table: Table, column: Column, row: str) -> Html:
    """A word of a record, or what it runs on and with by title; nothing where it is not stated."""
    value = cell_value(context, table, column, row)
    if value.value is None:
        return tag("td")
    if column.kind == "reference":
        return tag("td", reference(context, None, column, value))
    return tag("td", value.value, class_="short")


def _amount(text: str, value: float | None) -> Html:
    if value is None:
        return tag("td")
    return tag("td", text, class_="num", data_value=repr(value))


def _scatters(context: Context) -> Iterator[object]:
    """Every measured record as a point, for speed and for memory."""
    drawn = [(key, against(context.book, context.beside, key)) for key in SCATTERED]
    titles = {
        "tokens_per_second": "Tokens per second and accelerator",
        "peak_memory": "Peak memory",
    }
    shown = [(titles[key], each) for key, each in drawn if each is not None]
    if not shown:
        return
    yield heading(2, "Predicted against measured", "against")
    yield tag(
        "p",
        "Measured records alone. Right is on the diagonal; the lines beside it hold nine of ten.",
    )
    for title, each in shown:
        yield tag(
            "figure",
            tag("figcaption", tag("strong", title)),
            "\n",
            Html(against_svg(each)),
            class_="chart",
            **UNSEARCHED,
        )


def kind_of(how: str) -> Html:
    """The chip that says whether a record was measured or simulated, in its word."""
    return kind("measured" if how == "measured" else "simulated")


# ------------------------------------------------------------------ one record


def beside_section(context: Context, row: str) -> Iterator[object]:
    """A record's components beside their prediction: as a table, and drawn."""
    found = context.beside.get(row)
    if found is None:
        return
    yield heading(2, f"{SIDES[found.how]} against predicted", "against", searched=False)
    if found.why:
        yield tag("p", tag("strong", "Not predicted:"), f" {found.why}.", class_="note")
        return
    yield tag("p", *_coded(PREDICTED), " ", RATIO)
    yield _table(context, found)
    for name in DRAWN:
        drawn = pairs(context.book, found, name)
        if drawn is not None:
            yield tag(
                "figure",
                tag("figcaption", tag("strong", drawn.title)),
                "\n",
                Html(pairs_svg(drawn)),
                class_="chart",
                **UNSEARCHED,
            )
    if found.assumed:
        yield tag("p", assumed(found), class_="note")
    if found.note:
        yield tag("p", found.note, class_="note")
    yield from _twins(context, found)


def _table(context: Context, found: Beside) -> Html:
    """Each component with both figures, what the prediction may be, and the ratio."""
    by = scales(context.book, found)
    head = [heading_cell("Component"), heading_cell("Unit")]
    head += [heading_cell(SIDES[found.how], number=True), heading_cell("Predicted", number=True)]
    head += [heading_cell("May be"), heading_cell("Ratio", number=True)]
    body = [_line(by[pair.unit], pair) for _, listed in groups(found) for pair in listed]
    return grid(head, body)


def _line(by: Scale, pair: Pair) -> list[Html]:
    here, made = number(pair.recorded), number(pair.predicted)
    span = ends(by, pair.predicted)
    if span and pair.inside is False:
        span += ", outside"
    return [
        tag("th", pair.title, scope="row"),
        tag("td", by.symbol, class_="short"),
        _amount(by.told(here), here)
        if here is not None
        else tag("td", "not taken", class_="reason"),
        _amount(by.told(made), made) if made is not None else tag("td", "none", class_="reason"),
        tag("td", span, class_="range") if span else tag("td"),
        _amount(ratio(pair.ratio), pair.ratio),
    ]


def _twins(context: Context, found: Beside) -> Iterator[object]:
    """Other records of the same job: what they took, and the ratio of this one to each."""
    if not found.twins:
        return
    table = context.book.tables["measurements"]
    yield heading(2, "Other records of the same job", "twins", searched=False)
    head = [heading_cell("Record"), heading_cell("Found"), heading_cell("Date")]
    shown = [key for key in ("step_time", "tokens_per_second", "peak_memory") if key in found.pairs]
    for key in shown:
        pair = found.pairs[key]
        head.append(heading_cell(pair.title, context.book.units.symbol(pair.unit), number=True))
        head.append(heading_cell("This over that", number=True))
    body = []
    for id in found.twins:
        other = context.beside[id]
        date = cell_value(context, table, table.columns["date"], id).value
        cells = [
            tag("th", link(f"{id}.md", context.row_title(table, id)), scope="row"),
            tag("td", kind_of(other.how)),
            tag("td", date, class_="short"),
        ]
        for key in shown:
            own = number(found.pairs[key].recorded)
            that = number(other.pairs[key].recorded) if key in other.pairs else None
            over = own / that if own and that else None
            by = scale(context.book.units, found.pairs[key].unit)
            cells += [_amount(by.told(that), that), _amount(ratio(over), over)]
        body.append(cells)
    yield grid(head, body)


def lead(context: Context, table: Table, row: str) -> Iterator[Html]:
    """What a reader must know before a record's figures: how it was found, and its marks."""
    said: list[object] = [tag("strong", "Simulated, not measured."), " No step was timed."]
    if cell_value(context, table, table.columns["how"], row).value == "measured":
        said = [tag("strong", "Measured"), " on the hardware."]
    if row in context.beside:
        over = {name: context.beside[row].ratio(key) for key, name in LED.items()}
        told = [f"{name} is {ratio(each)}" for name, each in over.items() if each is not None]
        if told:
            said.append(f" Its {in_words(told)} of what is predicted.")
    yield tag("p", *said, class_="lead")
    for word, meaning in (MARKS[name] for name in marks(context.book, row)):
        yield tag("p", tag("strong", word.capitalize()), f": {meaning}.")


def why(context: Context, row: str) -> Iterator[Html]:
    """By which rule each plan came to a record, where one says."""
    for plan, scalar, note in chosen_by(context.book, row, context.results):
        if note:
            address = f"../plans/{scalar_address(plan, scalar, '')}"
            yield tag(
                "p", plan.title, ", ", link(address, scalar.title), f": {note}", class_="note"
            )


def again(context: Context, row: str) -> Iterator[object]:
    """The command that takes a record again, where the record is one of `bench`."""
    if said := command(context.book, row):
        yield heading(2, "Take it again", "again", searched=False)
        yield tag("pre", tag("code", said))


def _coded(words: str) -> Iterator[object]:
    """Text in which what stands between backquotes is code."""
    for n, part in enumerate(words.split("`")):
        yield tag("code", part) if n % 2 else part
