"""What a plan would take with each of the offers, or set-ups, that it could choose.

The page holds those of the accelerator at hand, computed by the evaluator with the choice edited;
its script computes all others. Those that no other is both cheaper and faster than are marked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scalesheet.evaluate import evaluate
from scalesheet.evaluate.routes import graph
from scalesheet.model import Book, Column, Key, Plan, Scalar, Table
from scalesheet.numbers import format_of
from scalesheet.render.pages.context import Context, cell_value, column_format
from scalesheet.render.pages.figures import cell
from scalesheet.render.pages.html import Html, heading, join, tag
from scalesheet.render.pages.tables import drawn, heading_cell, reference
from scalesheet.units import UnitError
from scalesheet.values import Results, Value

HARDWARE, OFFERS = "hardware", "offers"
SCRIPT = "alternatives"
#: Of an offer what a reader must see beside its figures.
_OF_OFFERS = ("accelerator", "term", "price")
_MOST_STATIC = 40
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


# ------------------------------------------------------------------ the section


def alternatives_section(context: Context, plan: Plan, results: Results) -> Iterator[object]:
    """The table of what the plan would take with each, the cheapest first."""
    found = alternatives_of(context, plan)
    if found is None:
        return
    table = context.table(found.table, plan)
    assert table is not None
    rows = _rows(context, plan, table, found, results)
    if len(rows) < 2:
        return
    under = _computed(context.book, plan, found, rows, results)
    yield heading(2, f"{found.title}: the alternatives", anchor_of())
    yield tag(
        "div",
        tag("p", _note(context, found, table, results), class_="note"),
        _grid(context, plan, table, found, under, str(results.scalars[found.choice].value)),
        class_="alternatives",
        data_choice=found.choice,
        data_table=found.table,
        data_facts=" ".join(found.facts),
        data_figures=" ".join(found.figures),
        data_cost=found.cost,
        data_time=found.time,
        data_by=found.by or None,
        data_unfit=UNFIT,
    )


def _rows(
    context: Context, plan: Plan, table: Table, found: Alternatives, results: Results
) -> list[str]:
    """What the page holds by itself: the plan's own rows, or offers of the accelerator at hand."""
    if not found.by:
        return list(table.rows[:_MOST_STATIC])
    column = table.columns[found.by]
    chosen = results.scalars[found.choice].value
    if chosen not in table.rows:
        return []
    of = cell_value(context, table, column, str(chosen)).value
    return [row for row in table.rows if cell_value(context, table, column, row).value == of]


def _computed(
    book: Book, plan: Plan, found: Alternatives, rows: Sequence[str], results: Results
) -> Mapping[str, Results]:
    """The plan with each of the rows chosen; as published for the one that is."""
    scenario = {}
    chosen = results.scalars[found.choice].value
    if "scenario" in results.scalars and plan.scenarios:
        scenario = {Key("scenario"): str(results.scalars["scenario"].value)}
    return {
        row: results
        if row == chosen
        else evaluate(book, plan, {**scenario, Key(found.choice): row})
        for row in rows
    }


def _note(context: Context, found: Alternatives, table: Table, results: Results) -> Html:
    """What the rows are."""
    frontier = "Marked “frontier”: of those that fit no other is both cheaper and faster."
    if not found.by:
        return join([f"The plan with each row of “{table.title}”. {frontier}"])
    column = table.columns[found.by]
    chosen = str(results.scalars[found.choice].value)
    of = reference(context, None, column, cell_value(context, table, column, chosen))
    return join(["The plan with each offer of ", of, f". {frontier}"])


def _grid(
    context: Context,
    plan: Plan,
    table: Table,
    found: Alternatives,
    under: Mapping[str, Results],
    chosen: str,
) -> Html:
    scalars = [plan.scalars[name] for name in found.figures]
    values = {row: [each.scalars[scalar.name] for scalar in scalars] for row, each in under.items()}
    cost, time = (found.figures.index(name) for name in (found.cost, found.time))
    fitting = {row: of for row, of in values.items() if all(each.value != UNFIT for each in of)}
    best = frontier({row: (of[cost], of[time]) for row, of in fitting.items()})
    order = sorted(values, key=lambda row: (*_rank(values[row][cost]), table.rows.index(row)))
    formats = [
        format_of(scalar, [of[at] for of in values.values()], context.book.units)
        for at, scalar in enumerate(scalars)
    ]
    facts = [table.columns[name] for name in found.facts]
    head = [heading_cell(_thing(table, found))]
    head += [
        heading_cell(c.title, context.symbol(c) if c.kind == "number" else "", number=_number(c))
        for c in facts
    ]
    head += [heading_cell(s.title, context.symbol(s), number=_number(s)) for s in scalars]
    body = []
    for row in order:
        title = reference(context, plan, plan.scalars[found.choice], Value(row))
        signs = [
            tag("span", "chosen", class_="sign chosen") if row == chosen else None,
            tag("span", "frontier", class_="sign frontier") if row in best else None,
        ]
        cells = [tag("th", title, *signs, scope="row")]
        cells += [_fact(context, plan, table, c, row, under[row]) for c in facts]
        for scalar, value, fmt in zip(scalars, values[row], formats, strict=True):
            if scalar.kind == "reference" and value.reason is None:
                cells.append(tag("td", reference(context, plan, scalar, value)))
            else:
                cells.append(cell(value, fmt))
        body.append(cells)
    return drawn(head, body)


def _thing(table: Table, found: Alternatives) -> str:
    return "Offer" if table.name == OFFERS else found.title


def _number(quantity: Column | Scalar) -> bool:
    return quantity.kind == "number"


def _fact(
    context: Context, plan: Plan, table: Table, column: Column, row: str, results: Results
) -> Html:
    """What an alternative is, beside its figures."""
    if table.name in plan.tables:
        return tag(
            "td", reference(context, plan, column, results.cell(table.name, row, column.name))
        )
    value = cell_value(context, table, column, row)
    if column.kind == "number":
        return cell(value, column_format(context, table, column))
    return tag("td", reference(context, None, column, value))


def _rank(value: Value) -> tuple[bool, float]:
    """What has no number comes last."""
    number = value.value
    return (False, number) if isinstance(number, float) else (True, 0.0)


def frontier(pairs: Mapping[str, tuple[Value, Value]]) -> frozenset[str]:
    """The rows of which no other costs and takes less, or one less and the other as much."""
    known = {
        row: (cost.value, time.value)
        for row, (cost, time) in pairs.items()
        if isinstance(cost.value, float) and isinstance(time.value, float)
    }
    return frozenset(
        row
        for row, mine in known.items()
        if not any(
            other[0] <= mine[0] and other[1] <= mine[1] and other != mine
            for other in known.values()
        )
    )
