"""Plans side by side: which figures of different plans are comparable, the page, and its script."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from scalesheet.book import Book
from scalesheet.evaluate.references import references, rests_on
from scalesheet.frozen import dataclass
from scalesheet.model import Key, Plan, Quantity, Scalar, Stated, Table
from scalesheet.numbers import format_of
from scalesheet.render.live import script
from scalesheet.render.pages.context import ASSETS, Context, to
from scalesheet.render.pages.figures import amount
from scalesheet.render.pages.html import Html, link, page, tag
from scalesheet.render.pages.tables import drawn, heading_cell, reference
from scalesheet.units import Unit, UnitError

PAGE = "plans"
OFFERS = "offers"
#: Questions that plans have in common, and a unit of the answer.
GROUPS: Mapping[str, str] = {
    "Cost": "USD",
    "Time": "hour",
    "GPU hours": "GPU * hour",
    "Energy": "kW * hour",
    "Memory": "GB",
    "CO₂": "kg_CO2e",
}
_NEAR = 100.0

WRITTEN = "written"  # the scenario with the figures of a plan's document


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a plan that answers a group's question.

    `scale` converts it to the group's unit; it is 1 for a group that is matched by title.
    """

    name: str
    group: str
    scale: float = 1.0


def figures_of(context: Context, plan: Plan) -> tuple[Figure, ...]:
    """The headline figures, and further figures for questions that they leave open.

    The latter are figures that a headline figure is computed from, or else the plan's result with
    the most dependencies.
    """
    groups = _units(context.book)
    chosen = [name for name in plan.headline if not plan.scalars[name].hidden]
    answered = {_group(context.book, plan.scalars[name], groups) for name in chosen}
    read = {key.name for name in chosen for key in _read(plan.scalars[name])}
    results = context.edition.results[plan.id]
    for title in groups:
        if title in answered:
            continue
        able = [
            scalar.name
            for scalar in plan.scalars.values()
            if _answers(plan, scalar, context.book, title, groups)
        ]
        able = [name for name in able if name in read] or able
        weights = {name: len(rests_on(context.book, plan, results, Key(name))) for name in able}
        if able:
            chosen.append(max(able, key=weights.__getitem__))
    return tuple(_figure(context.book, plan.scalars[name], groups) for name in chosen)


def _answers(
    plan: Plan, scalar: Scalar, book: Book, title: str, groups: Mapping[str, Unit]
) -> bool:
    """Return whether this is a result of the whole plan that answers a question in a plausible
    unit.

    Terabytes, for example, measure disks rather than accelerator memory.
    """
    computed = scalar.formula is not None and not scalar.is_input
    whole = computed and scalar.phase is None and not scalar.hidden
    figure = _figure(book, scalar, groups) if whole else None
    return figure is not None and figure.group == title and 1 / _NEAR <= figure.scale <= _NEAR


def _read(scalar: Scalar) -> tuple[Key, ...]:
    """The keys that its formula reads."""
    return references(scalar.formula.ends.value) if scalar.formula is not None else ()


def _units(book: Book) -> Mapping[str, Unit]:
    """The groups whose units this book has."""
    result: dict[str, Unit] = {}
    for title, text in GROUPS.items():
        try:
            result[title] = book.units.parse(text)
        except UnitError:
            continue
    return result


def _group(book: Book, quantity: Quantity, groups: Mapping[str, Unit]) -> str:
    if quantity.kind != "number" or quantity.unit is None:
        return quantity.title
    fitting = (
        title for title, unit in groups.items() if book.units.compatible(unit, quantity.unit)
    )
    return next(fitting, quantity.title)


def _figure(book: Book, scalar: Scalar, groups: Mapping[str, Unit]) -> Figure:
    group = _group(book, scalar, groups)
    unit = groups.get(group)
    if unit is None or scalar.unit is None:
        return Figure(scalar.name, group)
    return Figure(scalar.name, group, float(book.units.factor(scalar.unit, unit)))


# ------------------------------------------------------------------ the page


def plans_page(context: Context) -> str:
    """The page of all plans with their answers; with scripts, it compares two of them in any
    state."""
    return page(
        "Plans side by side",
        tag(
            "p",
            "Compare two plans, one plan with and without your changes, or one plan with the data "
            "of two days. Each side has its own inputs; the address keeps both, so a link shows "
            "what you see.",
            class_="lead",
        ),
        tag(
            "div",
            id="sides",
            class_="sides",
            data_start=_with_scenarios(context),
            data_scenario=WRITTEN,
        ),
        "## All plans as published { #all }",
        all_plans(context),
        tag(
            "p",
            "For each question, the first figure of the plan that answers it, in the plan's own "
            "words. Plans count different things; each link explains what.",
            class_="note",
        ),
        *(
            tag("script", src=f"../{ASSETS}/{name}.js")
            for name in ("runtime", "catalogue", "live", "compare")
        ),
        wide=True,
        list_=True,
    )


def _with_scenarios(context: Context) -> str | None:
    """The first plan with a scenario for its document, which the page opens with."""
    plans = context.book.plans.values()
    return next((plan.id for plan in plans if WRITTEN in plan.scenarios), None)


def all_plans(context: Context) -> Html:
    """A table of plans by the questions that at least two plans answer."""
    answers = {plan.id: _first(figures_of(context, plan)) for plan in context.book.plans.values()}
    head, body = [heading_cell("Plan")], []
    asked = asked_by(answers)
    head += [heading_cell(title) for title in asked]
    for plan in context.book.plans.values():
        cells = [tag("th", link(to("plans", plan.id), plan.title), scope="row")]
        for title in asked:
            figure = answers[plan.id].get(title)
            cells.append(tag("td") if figure is None else _answer(context, plan, figure, title))
        body.append(cells)
    return drawn(head, body, "compared answers")


def _first(figures: tuple[Figure, ...]) -> dict[str, Figure]:
    result: dict[str, Figure] = {}
    for figure in figures:
        result.setdefault(figure.group, figure)
    return result


def asked_by(answers: Mapping[str, Mapping[str, Figure]]) -> list[str]:
    """The questions of the groups first, then those that several plans word alike."""
    every = [title for of in answers.values() for title in of]
    shared = [title for title in dict.fromkeys(every) if every.count(title) > 1]
    known = [title for title in GROUPS if title in every]
    return [*known, *(title for title in shared if title not in GROUPS)]


def _answer(context: Context, plan: Plan, figure: Figure, question: str) -> Html:
    scalar = plan.scalars[figure.name]
    value = context.edition.results[plan.id].scalars[figure.name]
    if scalar.kind == "reference" and value.reason is None:
        shown = reference(context, plan, scalar, value)
    else:
        shown = amount(
            value, format_of(scalar, [value], context.book.units), context.symbol(scalar)
        )
    name = tag("span", scalar.title, class_="note") if scalar.title != figure.group else None
    return tag("td", shown, name, class_="words", data_label=question)


# ------------------------------------------------------------------ for the script


def plans_script(context: Context) -> str:
    """The page's script with what it needs before it has loaded a plan."""
    plans = {
        plan.id: {
            "title": plan.title,
            "figures": [[f.name, f.group, f.scale] for f in figures_of(context, plan)],
            "choices": _choices(plan),
        }
        for plan in context.book.plans.values()
    }
    data = {
        "plans": plans,
        "groups": list(GROUPS),
        "edition": context.book.as_of.isoformat(),
        "prices": _prices(context.book),
        "earlier": _earlier(context.book),
        "days": _days(context.book),
    }
    return (
        f"scalesheet.compared = {json.dumps(data, sort_keys=True, separators=(',', ':'))};\n"
        + script(("compare/plans",))
    )


def _choices(plan: Plan) -> list[str]:
    """The choices of a plan: the scenario, and its own stated references."""
    named = [name for name in ("scenario",) if name in plan.scalars and plan.scenarios]
    return named + [
        scalar.name
        for scalar in plan.scalars.values()
        if scalar.kind == "reference"
        and scalar.phase is None
        and scalar.stated is not None
        and not scalar.hidden
    ]


def _prices(book: Book) -> dict[str, Any]:
    """The dated prices of each offer, oldest first, as `[from, seen, value, low, high]`.

    A missing price is `{reason}`. `reason`: whether formulas handle offers without a price.
    """
    if OFFERS not in book.tables:
        return {}
    column = book.tables[OFFERS].columns["node_price"]
    return {
        "reason": column.may_reason,
        "of": {offer: [_dated(each) for each in prices] for offer, prices in book.prices.items()},
    }


def _dated(stated: Stated) -> list[Any]:
    if stated.reason is not None:
        return [stated.since, stated.seen or stated.since, {"reason": stated.reason}]
    ends = [stated.low, stated.high] if stated.ranged else []
    return [stated.since, stated.seen or stated.since, stated.value, *ends]


def _earlier(book: Book) -> dict[str, Any]:
    """Earlier stated values as `[until, cell]`, oldest first.

    Keyed by table, column and row for the catalogue and each plan, and by name for its scalars.
    """
    plans = {}
    for plan in book.plans.values():
        scalars = {name: _past(s, s.stated) for name, s in plan.scalars.items() if s.stated}
        plans[plan.id] = _some(scalars=_some(**scalars), tables=_tabled(plan.tables))
    return _some(tables=_tabled(book.tables), plans=_some(**plans))


def _tabled(tables: Mapping[str, Table]) -> dict[str, Any]:
    return _some(
        **{
            table.name: _some(
                **{
                    column.name: _some(
                        **{row: _past(column, stated) for row, stated in column.stated.items()}
                    )
                    for column in table.columns.values()
                }
            )
            for table in tables.values()
        }
    )


def _some(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value}


def _past(quantity: Quantity, stated: Stated) -> list[Any]:
    return [[each.until, _cell(quantity, each.stated)] for each in stated.was]


def _cell(quantity: Quantity, stated: Stated) -> Any:
    """A cell in a form that the plan's current formulas can take.

    It has a range only if they use ranges; a reason that they do not handle becomes null.
    """
    if stated.reason is not None:
        return {"reason": stated.reason} if quantity.may_reason else None
    if stated.ranged and quantity.ranged:
        return {"value": stated.value, "low": stated.low, "high": stated.high}
    return stated.value


def _days(book: Book) -> list[str]:
    """Days on which the book would have other values, oldest first.

    They are the days of new prices and the last days of earlier values.
    """
    own = [table for plan in book.plans.values() for table in plan.tables.values()]
    columns = [c for table in (*book.tables.values(), *own) for c in table.columns.values()]
    stated = [cell for column in columns for cell in column.stated.values()]
    scalars = [s.stated for plan in book.plans.values() for s in plan.scalars.values() if s.stated]
    days = {each.since for prices in book.prices.values() for each in prices}
    for cell in (*stated, *scalars):
        days |= {_before(each.until) for each in cell.was}
    return sorted(day for day in days if day < book.as_of.isoformat())


def _before(day: str) -> str:
    return (date.fromisoformat(day) - timedelta(days=1)).isoformat()


def day_before_a_change(context: Context, plan: Plan) -> str:
    """The last day on which an offer of the plan had a different price, and all had one; else
    empty."""
    now = context.book.as_of.isoformat()
    offers = [context.book.prices.get(id_, ()) for id_ in _offers_of(context, plan)]
    known = [[each.since for each in prices if each.since <= now] for prices in offers]
    if not known or not all(known):
        return ""
    first = max(days[0] for days in known)
    change = max((days[-1] for days in known if len(days) > 1), default="")
    day = _before(change) if change else ""
    return day if day >= first else ""


def _offers_of(context: Context, plan: Plan) -> set[str]:
    """The offers that the plan's scalars refer to, as published."""
    results = context.edition.results[plan.id]
    referring = (s for s in plan.scalars.values() if s.refers_to == OFFERS and not s.hidden)
    return {str(results.scalars[scalar.name].value) for scalar in referring}


def editions(plan: Plan, day: str) -> str:
    """The address that compares a plan at the prices of a day with itself as published."""
    return f"{PAGE}.html?a={plan.id}&a.prices={day}&b={plan.id}"
