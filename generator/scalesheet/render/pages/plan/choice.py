"""The offers or setups that a plan could choose, for which the page's script recomputes the
plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scalesheet.book import Book
from scalesheet.evaluate.routes import Graph, graph
from scalesheet.frozen import dataclass
from scalesheet.model import Key, Plan, Scalar, Table
from scalesheet.units import UnitError

HARDWARE, OFFERS = "hardware", "offers"
#: Columns of an offer that a reader must see beside its figures.
_OF_OFFERS = ("accelerator", "term", "price")


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice: its scalar, the table of options, the figures that depend on it, cost and time.

    `facts` are columns of the table shown beside the figures. `by` is the accelerator column, used
    to filter the catalogue's many offers; empty for a plan's own table.
    """

    choice: str
    table: str
    facts: tuple[str, ...]
    figures: tuple[str, ...]
    cost: str
    time: str
    by: str = ""


def choice_of(book: Book, plan: Plan) -> Choice | None:
    """Find the plan's choice of an offer, or else of one of its own rows that states its hardware.

    None if no cost of the headline depends on it, or no time on the way to that.
    """
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
    """The columns that describe an alternative: known ones of an offer, the accelerator of a plan's
    row."""
    if table.name == OFFERS:
        return tuple(name for name in _OF_OFFERS if name in table.columns)
    return tuple(c.name for c in table.columns.values() if c.refers_to in (HARDWARE, OFFERS))


def _figures(
    book: Book, plan: Plan, choice: Scalar, headline: Sequence[str], routes: Graph
) -> tuple[str, str, tuple[str, ...]]:
    """The cost, the time, and these with the rest of the headline, as far as they depend on the
    choice.

    The time is that of the headline; else the last figure in hours, or in GPU hours, that is
    computed on the way from the choice to the cost.
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
    """The scalars that depend on a choice, in the order of computation."""
    places = routes.route([(Key(choice.name), "value")])
    return [key.name for key, end in places if end == "value" and key.table is None]


def _is_shown(plan: Plan, name: str) -> bool:
    scalar = plan.scalars[name]
    return scalar.kind == "number" and not scalar.hidden


def _is_a(book: Book, plan: Plan, name: str, *units: str) -> bool:
    """Return whether a figure has the dimension of one of these units."""
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
