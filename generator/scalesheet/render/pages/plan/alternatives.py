"""What a plan would take with each of the offers, or set-ups, that it could choose.

The evaluator computes the plan with each of them. The page holds a picture of all and the rows of
the accelerator at hand, and its script the others. What no other is both cheaper and faster than
is marked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scalesheet.book import Book
from scalesheet.evaluate.choices import each_chosen
from scalesheet.evaluate.routes import graph
from scalesheet.model import Column, Key, Plan, Quantity, Scalar, Table
from scalesheet.numbers import format_of
from scalesheet.render.charts import mark_of, titled, with_unit
from scalesheet.render.pages.context import Context, cell_value, column_format
from scalesheet.render.pages.figures import cell
from scalesheet.render.pages.html import UNSEARCHED, Html, heading, join, tag
from scalesheet.render.pages.tables import drawn, heading_cell, reference
from scalesheet.render.scatters import Point, Scattered, frontier, scatter_svg, scattered
from scalesheet.units import UnitError
from scalesheet.values import Results, Value

HARDWARE, OFFERS = "hardware", "offers"
SCRIPT = "alternatives"
#: Of an offer what a reader must see beside its figures.
_OF_OFFERS = ("accelerator", "term", "price")
_LEAST = 2
PICTURE = "alternatives-picture"
FRONTIER = "Marked “frontier”: of all that fit no other is both cheaper and faster."
#: The word of a verdict by which a row is out of the question, whatever it costs.
UNFIT = "does not fit"


@dataclass(frozen=True, slots=True)
class Alternatives:
    """A plan's choice: the scalar that chooses, the table of what can be chosen, the figures that
    follow it, and which of them are the cost and the time.

    `facts` are columns of the table that stand beside. `by` is that of the accelerator, by which
    the catalogue's many offers are sorted out; empty where the table is the plan's own.
    """

    choice: str
    title: str
    table: str
    facts: tuple[str, ...]
    figures: tuple[str, ...]
    cost: str
    time: str
    by: str = ""


def alternatives_of(context: Context, plan: Plan) -> Alternatives | None:
    """The first choice of an offer, else of a row of the plan that says what it runs on; nothing
    where no cost of the headline follows it."""
    for scalar in sorted(_choices(plan), key=lambda each: each.refers_to != OFFERS):
        table = context.table(scalar.refers_to or "", plan)
        facts = _facts(table) if table is not None else ()
        if table is None or not facts:
            continue
        cost, time, figures = _figures(context.book, plan, scalar)
        if not cost or not time:
            continue
        by = "accelerator" if table.name == OFFERS else ""
        return Alternatives(scalar.name, scalar.title, table.name, facts, figures, cost, time, by)
    return None


def anchor_of() -> str:
    """Where the plan's page has them."""
    return SCRIPT


def _choices(plan: Plan) -> Iterator[Scalar]:
    for scalar in plan.scalars.values():
        stated = scalar.stated is not None and not scalar.hidden and scalar.phase is None
        if stated and scalar.kind == "reference":
            yield scalar


def _facts(table: Table) -> tuple[str, ...]:
    """The columns that say what an alternative is: of an offer those known, of a row of the plan
    its accelerator; none where there is none."""
    if table.name == OFFERS:
        return tuple(name for name in _OF_OFFERS if name in table.columns)
    return tuple(c.name for c in table.columns.values() if c.refers_to in (HARDWARE, OFFERS))


def _figures(book: Book, plan: Plan, choice: Scalar) -> tuple[str, str, tuple[str, ...]]:
    """Cost, time, and these with the rest of the headline, as far as they follow the choice.

    The time is that of the headline; else, on the way from the choice to the cost, the last time or
    the last GPU hours.
    """
    start = [(Key(choice.name), "value")]
    headline = [name for name in plan.headline if not plan.scalars[name].hidden]
    reached = _reached(book, plan, choice, headline)
    following = [name for name in headline if name in reached]
    cost = next((n for n in following if _is_a(book, plan, n, "USD", "EUR")), "")
    if not cost or not start:
        return "", "", ()
    time = next((n for n in following if _is_a(book, plan, n, "hour")), "")
    if not time:
        way = [n for n in reversed(_reached(book, plan, choice, [cost])) if _told(plan, n)]
        times = (n for unit in ("hour", "GPU * hour") for n in way if _is_a(book, plan, n, unit))
        time = next(times, "")
    return cost, time, tuple(dict.fromkeys([cost, time, *following]))


def _reached(book: Book, plan: Plan, choice: Scalar, figures: Sequence[str]) -> list[str]:
    """The scalars on the way from a choice to some figures, in the order of computation."""
    places = graph(book, plan, figures).route([(Key(choice.name), "value")])
    return [key.name for key, end in places if end == "value" and key.table is None]


def _told(plan: Plan, name: str) -> bool:
    scalar = plan.scalars[name]
    return scalar.kind == "number" and not scalar.hidden


def _is_a(book: Book, plan: Plan, name: str, *units: str) -> bool:
    """Whether a figure is of the dimension of one of these units."""
    unit = plan.scalars[name].unit
    if unit is None or plan.scalars[name].kind != "number":
        return False
    for text in units:
        try:
            if book.units.compatible(unit, book.units.parse(text)):
                return True
        except UnitError:
            continue
    return False


# ------------------------------------------------------------------ what each gives


@dataclass(frozen=True, slots=True)
class Given:
    """All that can be chosen with what the plan gives, in the order of the table; those that no
    other is both cheaper and faster than; and the points of the picture."""

    figures: Mapping[str, Sequence[Value]]
    best: frozenset[str]
    picture: str


def given(context: Context, plan: Plan, found: Alternatives, results: Results) -> Given:
    """The plan with each row chosen."""
    table = _table(context, plan, found)
    scenario = results.scalars.get("scenario")
    overrides = {Key("scenario"): str(scenario.value)} if plan.scenarios and scenario else {}
    each = each_chosen(context.book, plan, found.choice, table.rows, found.figures, overrides)
    figures = {row: [values[name] for name in found.figures] for row, values in each}
    chosen = str(results.scalars[found.choice].value)
    drawn = _scattered(context, plan, table, found, figures, chosen)
    return Given(figures, frozenset(p.id for p in drawn.frontier), scatter_svg(drawn))


def _table(context: Context, plan: Plan, found: Alternatives) -> Table:
    table = context.table(found.table, plan)
    assert table is not None
    return table


def _scattered(
    context: Context,
    plan: Plan,
    table: Table,
    found: Alternatives,
    figures: Mapping[str, Sequence[Value]],
    chosen: str,
) -> Scattered:
    """Cost against time: what is on the frontier, what is chosen, and of each accelerator the
    cheapest row."""
    at = [found.figures.index(name) for name in (found.time, found.cost)]
    quantities = [plan.scalars[name] for name in (found.time, found.cost)]
    able = {row: of for row, of in figures.items() if _possible(of, at)}
    formats = [
        format_of(q, [of[n] for of in able.values()], context.book.units)
        for q, n in zip(quantities, at, strict=True)
    ]

    def point(row: str, label: str) -> Point:
        x, y = (
            with_unit(mark_of(row, label, able[row][n], fmt), quantity, context.book.units)
            for quantity, n, fmt in zip(quantities, at, formats, strict=True)
        )
        return Point(row, label, x, y)

    best = frontier([point(row, context.row_title(table, row)) for row in able])
    known = {each.id: each for each in best}
    if chosen in able:
        known.setdefault(chosen, point(chosen, "chosen"))
    for row in _cheapest(context, table, found, able):
        known.setdefault(row, point(row, _kind(context, table, found, row)))
    points = [known[row] for row in able if row in known]
    x, y = (titled(quantity, context.book.units) for quantity in quantities)
    alt = "What the plan costs and how long it takes with each that could be chosen."
    name = (PICTURE, "Cost against time", alt)
    return scattered(*name, (x, y), (formats[0], formats[1]), points)


def _possible(values: Sequence[Value], at: Sequence[int]) -> bool:
    """Whether there are both numbers, and nothing says that it does not fit."""
    numbers = all(isinstance(values[n].value, float) for n in at)
    return numbers and all(value.value != UNFIT for value in values)


def _cheapest(
    context: Context, table: Table, found: Alternatives, able: Mapping[str, Sequence[Value]]
) -> list[str]:
    """Of each accelerator the row that costs least; every row of a plan's own table."""
    if not found.by:
        return list(able)
    cost = found.figures.index(found.cost)
    ranked = sorted(able, key=lambda row: _rank(able[row][cost]))
    first: dict[str, str] = {}
    for row in ranked:
        first.setdefault(_kind(context, table, found, row), row)
    return list(first.values())


def _kind(context: Context, table: Table, found: Alternatives, row: str) -> str:
    """What a point is called: the accelerator of an offer, else the row."""
    if not found.by:
        return context.row_title(table, row)
    column = table.columns[found.by]
    of = str(cell_value(context, table, column, row).value)
    referred = context.book.tables.get(column.refers_to or "")
    return context.row_title(referred, of) if referred is not None else of


# ------------------------------------------------------------------ the section


def alternatives_section(context: Context, plan: Plan, results: Results) -> Iterator[object]:
    """The picture of all, and the table of those of the accelerator at hand, cheapest first."""
    found = alternatives_of(context, plan)
    if found is None:
        return
    table = _table(context, plan, found)
    rows = rows_of(context, plan, found, results)
    if not rows:
        return
    of = given(context, plan, found, results)
    chosen = str(results.scalars[found.choice].value)
    yield heading(2, f"{found.title}: the alternatives", anchor_of())
    yield tag(
        "div",
        tag("p", _note(context, found, table, chosen), class_="note"),
        tag(
            "figure",
            tag("figcaption", tag("strong", "Cost against time")),
            "\n",
            Html(of.picture),
            class_="chart",
            **UNSEARCHED,
        ),
        _grid(context, plan, table, found, of, rows, chosen, results),
        class_="alternatives",
        data_choice=found.choice,
        data_table=found.table,
        data_facts=" ".join(found.facts),
        data_figures=" ".join(found.figures),
        data_cost=found.cost,
        data_time=found.time,
        data_by=found.by or None,
        data_unfit=UNFIT,
        data_picture=PICTURE,
    )


def rows_of(context: Context, plan: Plan, found: Alternatives, results: Results) -> list[str]:
    """What the table holds by itself: the plan's own rows, or offers of the accelerator at hand,
    if there are several."""
    table, chosen = _table(context, plan, found), results.scalars[found.choice].value
    rows = list(table.rows)
    if found.by:
        column = table.columns[found.by]
        of = {row: cell_value(context, table, column, row).value for row in rows}
        rows = [row for row in rows if chosen in of and of[row] == of[str(chosen)]]
    return rows if len(rows) >= _LEAST else []


def _note(context: Context, found: Alternatives, table: Table, chosen: str) -> Html:
    """What the rows are."""
    if not found.by:
        return join([f"The plan with each row of “{table.title}”. {FRONTIER}"])
    column = table.columns[found.by]
    of = reference(context, None, column, cell_value(context, table, column, chosen))
    return join(["The plan with each offer of ", of, f". {FRONTIER}"])


def _grid(
    context: Context,
    plan: Plan,
    table: Table,
    found: Alternatives,
    of: Given,
    rows: Sequence[str],
    chosen: str,
    results: Results,
) -> Html:
    scalars = [plan.scalars[name] for name in found.figures]
    cost = found.figures.index(found.cost)
    order = sorted(rows, key=lambda row: _rank(of.figures[row][cost]))
    formats = [
        format_of(scalar, [of.figures[row][at] for row in order], context.book.units)
        for at, scalar in enumerate(scalars)
    ]
    facts = [table.columns[name] for name in found.facts]
    head = [heading_cell(_thing(table, found))]
    head += [_column(context, quantity) for quantity in (*scalars, *facts)]
    body = []
    for row in order:
        title = reference(context, plan, plan.scalars[found.choice], Value(row))
        signs = [
            tag("span", "chosen", class_="sign chosen") if row == chosen else None,
            tag("span", "frontier", class_="sign frontier") if row in of.best else None,
        ]
        cells = [tag("th", title, *signs, scope="row")]
        for scalar, value, fmt in zip(scalars, of.figures[row], formats, strict=True):
            if scalar.kind == "reference" and value.reason is None:
                cells.append(tag("td", reference(context, plan, scalar, value)))
            else:
                cells.append(cell(value, fmt))
        cells += [_fact(context, plan, table, c, row, results) for c in facts]
        body.append(cells)
    return drawn(head, body)


def _thing(table: Table, found: Alternatives) -> str:
    return "Offer" if table.name == OFFERS else found.title


def _column(context: Context, quantity: Quantity) -> Html:
    number = quantity.kind == "number"
    return heading_cell(quantity.title, context.symbol(quantity) if number else "", number=number)


def _fact(
    context: Context, plan: Plan, table: Table, column: Column, row: str, results: Results
) -> Html:
    """What an alternative is, beside its figures."""
    if table.name in plan.tables:
        value = results.cell(table.name, row, column.name)
        return tag("td", reference(context, plan, column, value))
    value = cell_value(context, table, column, row)
    if column.kind == "number":
        return cell(value, column_format(context, table, column))
    return tag("td", reference(context, None, column, value))


def _rank(value: Value) -> tuple[bool, float]:
    """What has no number comes last."""
    number = value.value
    return (False, number) if isinstance(number, float) else (True, 0.0)
