"""Accelerators side by side: the figures compared, the page, and the data of its script.

Every figure comes from the catalogue: a column, the price of an offer, or the result of a catalogue
formula. The page only adds which number is best, and ratios to the first accelerator.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import log
from typing import Any, Literal

from scalesheet.book import Book
from scalesheet.evaluate.examples import call
from scalesheet.frozen import dataclass
from scalesheet.model import Column, Record, Scalar, Table
from scalesheet.numbers import Format, Rule, plain, rule_of
from scalesheet.render.live import script
from scalesheet.render.live.engine import Engine
from scalesheet.render.pages.context import ASSETS, Context, cell_value, to
from scalesheet.render.pages.html import Html, drawn, link, page, tag
from scalesheet.render.pages.plan.live import as_script
from scalesheet.values import Value

HARDWARE, OFFERS = "hardware", "offers"
PAGE = "accelerators"
LEAST, MOST = 2, 5  # accelerators in a comparison
PEERS = 3
Best = Literal["most", "least", ""]

_USUAL = Rule()
_FACTS = ("vendor", "form_factor", "released")
_LEFT_OUT = ("sparse_bf16",)  # columns that are not compared
_LESS_IS_BETTER = ("power",)
_OFFER = "offer"
#: Formulas of the catalogue over an accelerator's columns and its cheapest offer, by their inputs.
_DERIVED: Mapping[str, Mapping[str, str]] = {
    "ridge-point": {"peak": "dense_bf16", "bandwidth": "bandwidth"},
    "work-per-dollar": {"peak": "dense_bf16", "price": _OFFER},
    "work-per-energy": {"peak": "dense_bf16", "power": "power"},
}
_NOT_BETTER = ("ridge-point",)  # a property: neither more nor less is better
_LIKENESS = ("memory", "bandwidth", "dense_bf16")
_NOT_STATED = "not stated"
_WEIGHT = 0.3  # weight of the vendor and of the number of offers, relative to likeness


@dataclass(frozen=True, slots=True)
class Figure:
    """A row of the comparison.

    `best` says which end is good, `note` and `page` explain the figure, `rule` formats its numbers.
    """

    title: str
    symbol: str = ""
    best: Best = ""
    note: str = ""
    page: str = ""
    rule: Rule = _USUAL


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: a number, a text, or the reason for a missing value; and the page about it."""

    text: str = ""
    number: float | None = None
    reason: bool = False
    page: str = ""
    offer: str = ""


@dataclass(frozen=True, slots=True)
class Accelerator:
    id: str
    title: str
    names: tuple[str, ...]
    cells: tuple[Cell, ...]  # one per figure


@dataclass(frozen=True, slots=True)
class Comparison:
    """All accelerators of the book with their compared figures."""

    figures: tuple[Figure, ...]
    accelerators: Mapping[str, Accelerator]


# ------------------------------------------------------------------ figures compared


def comparison(context: Context) -> Comparison:
    """Collect every accelerator with its facts, figures, cheapest offer and derived figures."""
    table = context.book.tables.get(HARDWARE)
    if table is None:
        return Comparison((), {})
    columns = [
        *(_fact(context, table, table.columns[name]) for name in _FACTS if name in table.columns),
        *(_column(context, table, c) for c in table.columns.values() if _is_figure(c)),
        *_offer_columns(context, table),
        *(_derived(context, table, record, uses) for record, uses in _records(context.book)),
    ]
    accelerators = {
        row: Accelerator(
            row,
            context.row_title(table, row),
            table.row_aliases.get(row, ()),
            tuple(cells[at] for _, cells in columns),
        )
        for at, row in enumerate(table.rows)
        if is_compared(table, row)
    }
    return Comparison(tuple(figure for figure, _ in columns), accelerators)


def is_compared(table: Table, row: str) -> bool:
    """Return whether a row of the hardware is an accelerator rather than a processor."""
    stated = table.columns["kind"].stated.get(row) if "kind" in table.columns else None
    return stated is None or stated.value != "processor"


_Row = tuple[Figure, Sequence[Cell]]


def _is_figure(column: Column) -> bool:
    return column.kind == "number" and not column.hidden and column.name not in _LEFT_OUT


def _fact(context: Context, table: Table, column: Column) -> _Row:
    values = [cell_value(context, table, column, row) for row in table.rows]
    return Figure(column.title), [Cell(plain(value, Format())) for value in values]


def _column(context: Context, table: Table, column: Column) -> _Row:
    best: Best = "least" if column.name in _LESS_IS_BETTER else "most"
    rule = rule_of(column, context.book.units)
    figure = Figure(column.title, context.symbol(column), best, column.note, rule=rule)
    return figure, [_cell(cell_value(context, table, column, row)) for row in table.rows]


def _cell(value: Value, page: str = "", text: str = "") -> Cell:
    if value.reason is not None or not isinstance(value.value, float):
        return Cell(value.reason or _NOT_STATED, reason=True)
    return Cell(number=value.value, page=page, offer=text)


def _offer_columns(context: Context, table: Table) -> list[_Row]:
    """The price of the cheapest on-demand offer, with that offer."""
    offers = _offers(context.book)
    if offers is None:
        return []
    price = offers.columns["price"]
    least = cheapest(context)
    cells = [
        _cell(least[row][1], to(OFFERS, least[row][0]), _named(context, offers, least[row][0]))
        if row in least
        else Cell("no recently seen offer", reason=True)
        for row in table.rows
    ]
    title = f"Cheapest offer on demand at {context.book.as_of.isoformat()}"
    rule = rule_of(price, context.book.units)
    return [(Figure(title, context.symbol(price), "least", rule=rule), cells)]


def _named(context: Context, offers: Table, offer: str) -> str:
    """The title of an offer, with the date if its price was last seen long ago."""
    unseen = context.book.unseen.get(offer)
    title = context.row_title(offers, offer)
    return f"{title}, {unseen.said}" if unseen is not None else title


def _offers(book: Book) -> Table | None:
    """The table of offers, if it has the columns needed here."""
    table = book.tables.get(OFFERS)
    needed = ("price", "term", "accelerator")
    return table if table is not None and all(name in table.columns for name in needed) else None


@lru_cache(maxsize=1)
def cheapest(context: Context) -> Mapping[str, tuple[str, Value]]:
    """For each accelerator, the on-demand offer with the lowest recently seen price per hour.

    Ties go to the first id.
    """
    offers = _offers(context.book)
    if offers is None:
        return {}
    price, term, of = (offers.columns[name] for name in ("price", "term", "accelerator"))
    result: dict[str, tuple[str, Value]] = {}
    for offer in offers.rows:
        value = cell_value(context, offers, price, offer)
        row = cell_value(context, offers, of, offer).value
        firm = cell_value(context, offers, term, offer).value == "on-demand"
        if not firm or not isinstance(value.value, float) or not isinstance(row, str):
            continue
        unseen = context.book.unseen.get(offer)
        if unseen is not None and unseen.stale:
            continue
        if row not in result or value.value < _amount(result[row][1]):
            result[row] = offer, value
    return result


def _amount(value: Value) -> float:
    assert isinstance(value.value, float)
    return value.value


def _records(book: Book) -> list[tuple[Record, Mapping[str, str]]]:
    """The formulas that this book has, with the meaning of their inputs."""
    return [(book.records[id_], uses) for id_, uses in _DERIVED.items() if id_ in book.records]


def _derived(context: Context, table: Table, record: Record, uses: Mapping[str, str]) -> _Row:
    offers = cheapest(context) if _OFFER in uses.values() else {}

    def given(row: str, name: str) -> Value:
        if name == _OFFER:
            return offers[row][1] if row in offers else Value(reason="no offer in the catalogue")
        column = table.columns.get(name)
        return cell_value(context, table, column, row) if column is not None else Value()

    def computed(row: str) -> Value:
        values = {name: given(row, uses[name]) for name in uses}
        for name, value in values.items():
            if not isinstance(value.value, float):
                what = next(each.title for each in record.inputs if each.name == name)
                return Value(reason=f"{what.lower()}: {value.reason or _NOT_STATED}")
        return call(record, {name: _amount(value) for name, value in values.items()})

    values = [computed(row) for row in table.rows]
    scalar = Scalar(record.id, record.title, unit=record.unit, formula=record.formula)
    best: Best = "" if record.id in _NOT_BETTER else "most"
    figure = Figure(
        f"{record.title} at the dense BF16 peak",
        context.symbol(scalar),
        best,
        record.convention,
        to("formulas", record.id),
        rule_of(scalar, context.book.units),
    )
    return figure, [_cell(value) for value in values]


# ------------------------------------------------------------------ selection


def usual(context: Context) -> tuple[str, ...]:
    """The accelerators that the page shows by default: those with the most offers."""
    counted = _offered(context)
    table = context.book.tables[HARDWARE]
    rows = (row for row in table.rows if is_compared(table, row))
    ranked = sorted(rows, key=lambda row: (-counted[row], row))
    return tuple(ranked[: MOST - 1])


def peers(context: Context, row: str) -> tuple[str, ...]:
    """The accelerators that one is usually compared with, best match first.

    They are similar in memory, bandwidth and peak, preferably of the same vendor and widely
    offered.
    """
    table, counted = context.book.tables[HARDWARE], _offered(context)
    if not is_compared(table, row):
        return ()
    mine, vendor = _likeness(context, table, row), _vendor(context, table, row)
    ranked: list[tuple[float, str]] = []
    for other in table.rows:
        theirs = _likeness(context, table, other)
        apart = [abs(log(a / b)) for a, b in zip(mine, theirs, strict=True) if a and b]
        if other == row or not apart or not is_compared(table, other):
            continue
        far = sum(apart) / len(apart) + len(_LIKENESS) - len(apart)
        far += _WEIGHT * (_vendor(context, table, other) != vendor)
        ranked.append((far - _WEIGHT * log(1 + counted[other]), other))
    return tuple(other for _, other in sorted(ranked)[:PEERS])


def _offered(context: Context) -> Counter[object]:
    """The number of offers of each accelerator."""
    offers = _offers(context.book)
    if offers is None:
        return Counter()
    of = offers.columns["accelerator"]
    return Counter(cell_value(context, offers, of, row).value for row in offers.rows)


def _vendor(context: Context, table: Table, row: str) -> object:
    column = table.columns.get("vendor")
    return cell_value(context, table, column, row).value if column is not None else None


def _likeness(context: Context, table: Table, row: str) -> tuple[float | None, ...]:
    values = (
        cell_value(context, table, table.columns[name], row).value
        for name in _LIKENESS
        if name in table.columns
    )
    return tuple(value if isinstance(value, float) and value > 0 else None for value in values)


def address(rows: Sequence[str]) -> str:
    """The address of the page that compares these, from any other page."""
    return f"../compare/{PAGE}.html?of={','.join(rows)}"


def compare_line(context: Context, row: str) -> Html | None:
    """The link from an accelerator's page to its comparison with the most similar ones."""
    others = peers(context, row)
    table = context.book.tables[HARDWARE]
    if not others:
        return None
    names = ", ".join(context.row_title(table, other) for other in others)
    compared = tag("a", f"Compare with {names}", href=address((row, *others)), class_="compare")
    return tag("p", compared, class_="actions")


# ------------------------------------------------------------------ the page


def accelerators_page(context: Context, compared: Comparison, own: str) -> str:
    """The page with the usual accelerators as its script draws them, and links to others."""
    shown = usual(context) if compared.accelerators else ()
    table = Engine(own).call("scalesheet.accelerators.table", shown)
    lead = tag(
        "p",
        f"Choose {_WORDS[LEAST]} to {_WORDS[MOST]} of {len(compared.accelerators)} accelerators; "
        "the address keeps them, so a link shows what you see. Below each figure is its ratio to "
        "the first accelerator.",
        class_="lead",
    )
    return page(
        "Accelerators side by side",
        lead,
        tag("div", id="accelerators", class_="chooser", data_chosen=",".join(shown)),
        tag("div", drawn(table), class_="scroll") if shown else None,
        tag(
            "p",
            "“Best” marks the highest number of a row, or the lowest for power and price; a row "
            "where neither is better has no mark. Prices are those of the catalogue at its date: "
            "they change, and offers differ in what they include.",
            class_="note",
        ),
        *_ready(context, compared),
        *(tag("script", src=f"../{ASSETS}/{name}.js") for name in ("runtime", "live", PAGE)),
        wide=True,
        list_=True,
    )


_WORDS = {2: "two", 5: "five"}


def _ready(context: Context, compared: Comparison) -> list[object]:
    """Links that compare each accelerator with the most similar ones."""
    if not compared.accelerators:
        return []
    lines = []
    for row in usual(context):
        names = [compared.accelerators[each].title for each in (row, *peers(context, row))]
        chosen = address((row, *peers(context, row))).rpartition("/")[2]
        lines.append(tag("li", tag("a", " · ".join(names), href=chosen)))
    every = link("../hardware/index.md", "All accelerators")
    more = tag("p", every, ", each with a link to the most similar ones.", class_="note")
    return ["## Ready-made comparisons { #ready }", tag("ul", *lines), more]


# ------------------------------------------------------------------ for the script


def accelerators_script(compared: Comparison) -> str:
    """The page's script with all its data; defaults are left out."""
    figures = [
        _unless_empty(
            title=figure.title,
            symbol=figure.symbol,
            best=figure.best,
            note=figure.note,
            page=_html(figure.page),
            rule=as_script(figure.rule),
        )
        for figure in compared.figures
    ]
    rows = {
        each.id: _unless_empty(
            title=each.title, names=each.names, cells=[_short(c) for c in each.cells]
        )
        for each in compared.accelerators.values()
    }
    data = {"least": LEAST, "most": MOST, "figures": figures, "rows": rows}
    return (
        f"scalesheet.accelerators = {json.dumps(data, sort_keys=True, separators=(',', ':'))};\n"
        + script(("compare/accelerators",))
    )


def _short(cell: Cell) -> Any:
    if cell.number is None:
        return {"reason": cell.text} if cell.reason else cell.text
    if cell.offer:
        return {"value": cell.number, "page": _html(cell.page), "told": cell.offer}
    return cell.number


def _unless_empty(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value not in ("", (), [], {})}


def _html(page: str) -> str:
    return page.replace(".md", ".html")
