"""Which offers, or set-ups, a plan could choose: what the page's script computes the plan with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scalesheet.book import Book
from scalesheet.evaluate.routes import Graph, graph
from scalesheet.model import Key, Plan, Scalar, Table
from scalesheet.units import UnitError

HARDWARE, OFFERS = "hardware", "offers"
#: Of an offer what a reader must see beside its figures.
_OF_OFFERS = ("accelerator", "term", "price")


@dataclass(frozen=True, slots=True)
class Choice:
    """The scalar that chooses, the table of what can be chosen, the figures that follow it, and
    which of them are the cost and the time.

    `facts` are columns of the table that stand beside. `by` is that of the accelerator, by which
    the catalogue's many offers are sorted out; empty where the table is the plan's own.
    """

    choice: str
    table: str
    facts: tuple[str, ...]
    figures: tuple[str, ...]
    cost: str
    time: str
    by: str = ""


def choice_of(book: Book, plan: Plan) -> Choice | None:
    """The first choice of an offer, else of a row of the plan that says what it runs on; nothing
    where no cost of the headline follows it."""
    headline = [name for name in plan.headline if not plan.scalars[name].hidden]
    routes = graph(book, plan, headline)
    for scalar in sorted(_choices(plan), key=lambda each: each.refers_to != OFFERS):
        name = scalar.refers_to or ""
        table = plan.tables.get(name) or book.tables.get(name)
        facts = _facts(table) if table is not None else ()
        if table is None or not facts:
            continue
        cost, time, figures = _figures(book, plan, scalar, headline, routes)
        if not cost or not time:
            continue
        by = "accelerator" if table.name == OFFERS else ""
        return Choice(scalar.name, table.name, facts, figures, cost, time, by)
    return None


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


def _figures(
    book: Book, plan: Plan, choice: Scalar, headline: Sequence[str], routes: Graph
) -> tuple[str, str, tuple[str, ...]]:
    """Cost, time, and these with the rest of the headline, as far as they follow the choice.

    The time is that of the headline; else, on the way from the choice to the cost, the last time or
    the last GPU hours.
    """
    reached = _reached(routes, choice)
    following = [name for name in headline if name in reached]
    cost = next((n for n in following if _is_a(book, plan, n, "USD", "EUR")), "")
    if not cost:
        return "", "", ()
    time = next((n for n in following if _is_a(book, plan, n, "hour")), "")
    if not time:
        way = _reached(graph(book, plan, [cost]), choice)
        way = [n for n in reversed(way) if _is_shown(plan, n)]
        times = (n for unit in ("hour", "GPU * hour") for n in way if _is_a(book, plan, n, unit))
        time = next(times, "")
    return cost, time, tuple(dict.fromkeys([cost, time, *following]))


def _reached(routes: Graph, choice: Scalar) -> list[str]:
    """The scalars on the way from a choice, in the order of computation."""
    places = routes.route([(Key(choice.name), "value")])
    return [key.name for key, end in places if end == "value" and key.table is None]


def _is_shown(plan: Plan, name: str) -> bool:
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
