"""The scenarios of a plan side by side on its page, and the control to switch between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from scalesheet.evaluate.missing import explained
from scalesheet.evaluate.references import rests_on, told_once
from scalesheet.model import Basis, Key, Plan, Scalar
from scalesheet.numbers import format_of
from scalesheet.render.pages.context import Context, address
from scalesheet.render.pages.figures import KINDS, amount, in_words
from scalesheet.render.pages.html import Html, heading, link, tag
from scalesheet.render.pages.marks import by_scenario, mark
from scalesheet.render.pages.places import part, within
from scalesheet.render.pages.tables import grid, heading_cell, reference
from scalesheet.render.people import counted
from scalesheet.scenarios import SCENARIO, inputs_of, is_default, titles_of
from scalesheet.values import Results

MOST_CHOICES = 5  # choices in the control; the others are among the inputs


def control(context: Context, plan: Plan, results: Results, here: str) -> Html:
    """The control for the scenario and the plan's other choices; visible only with scripts."""
    choices = [s for s in plan.scalars.values() if _is_choice(plan, s)][:MOST_CHOICES]
    parts = [_radios(plan, results)] if SCENARIO in results.scalars else []
    titles = titles_of(plan, choices)
    parts += [_choice(context, plan, results, each, titles[each.name]) for each in choices]
    all_ = link(within(here, part(plan, "inputs"), "inputs"), "the inputs")
    inputs = (all_, ", and ") if inputs_of(plan) else ()
    lead = tag(
        "p",
        "Figures, tables and charts on this page update. ",
        "Every number on a yellow background can be changed in place: ",
        *inputs,
        "those in the tables. ",
        "Click a figure, or press Enter on it (Alt+Enter in a field), to see where it comes from.",
        class_="note",
    )
    choices_of = tag("div", *parts, class_="choices") if parts else None
    return tag(
        "section",
        choices_of,
        lead,
        class_="what-if",
        id="what-if",
        data_plan=plan.id,
        aria_label="Scenario and inputs",
    )


def _is_choice(plan: Plan, scalar: Scalar) -> bool:
    return (
        scalar.kind == "reference"
        and scalar.phase is None
        and not scalar.hidden
        and scalar.is_input
        and not is_default(plan, scalar)
    )


def _radios(plan: Plan, results: Results) -> Html:
    chosen = results.scalars[SCENARIO].value
    return tag(
        "fieldset",
        tag("legend", "Scenario"),
        *(
            tag(
                "label",
                tag("input", type="radio", name=SCENARIO, value=word, checked=word == chosen),
                tag("span", word),
            )
            for word in plan.scenarios
        ),
    )


def _choice(context: Context, plan: Plan, results: Results, scalar: Scalar, title: str) -> Html:
    shown = reference(context, plan, scalar, results.scalars[scalar.name])
    value = tag("span", shown, data_input="", **mark(scalar.name, "row"))
    return tag("div", tag("span", title, class_="label"), value, class_="choice")


def rests_note(context: Context, plan: Plan, results: Results, name: str) -> Html | None:
    """`9 inputs, 3 assumed`: the number of inputs of each kind behind a figure, per scenario;
    folded."""
    under = context.edition.scenarios.get(plan.id, {})

    def told(scenario: str) -> Html | None:
        stated = rests_on(context.book, plan, under.get(scenario, results), Key(name))
        bases = Counter(each.basis for each in told_once(stated).values())
        if not bases:
            return None
        short = counted(sum(bases.values()), "input")
        short += f", {bases['assumption']} assumed" if bases["assumption"] else ""
        return tag("details", tag("summary", short), in_words(_counts(bases)), class_="rests")

    return by_scenario(plan.scenarios, chosen_in(plan, results), told)


def chosen_in(plan: Plan, results: Results) -> str:
    """The scenario of these results; empty if the plan has none."""
    if SCENARIO in results.scalars:
        return str(results.scalars[SCENARIO].value)
    return plan.scenarios[0] if plan.scenarios else ""


def scenario_section(context: Context, plan: Plan) -> Iterator[object]:
    """Show the headline under each scenario, side by side, and the inputs that differ."""
    tables = {**context.book.tables, **plan.tables}
    under = {
        word: explained(results, tables)
        for word, results in context.edition.scenarios.get(plan.id, {}).items()
    }
    shown = [scenario for scenario in plan.scenarios if scenario in under]
    if not shown or not plan.headline:
        return
    head = [heading_cell("Figure"), *(heading_cell(word, number=True) for word in shown)]
    body = [
        _side_by_side(context, plan, plan.scalars[name], shown, under) for name in plan.headline
    ]
    yield heading(2, "Scenarios", "scenarios")
    word = tag("span", chosen_in(plan, context.results[plan.id]), **mark(SCENARIO, usual="amount"))
    yield tag("p", "The page shows the scenario “", word, "” everywhere else.", class_="note")
    yield grid(head, body)
    differing = [
        _side_by_side(context, plan, scalar, shown, under)
        for scalar in plan.scalars.values()
        if scalar.sides
    ]
    if differing:
        yield tag("p", "What makes the difference:")
        yield grid([heading_cell("Input"), *head[1:]], differing)


def _side_by_side(
    context: Context,
    plan: Plan,
    scalar: Scalar,
    scenarios: Sequence[str],
    under: Mapping[str, Results],
) -> list[Html]:
    """A figure with its value in each scenario."""
    values = [under[word].scalars[scalar.name] for word in scenarios]
    fmt = format_of(scalar, values, context.book.units)
    cells = [
        tag(
            "th", link(address(context, plan, Key(scalar.name), plan.id), scalar.title), scope="row"
        )
    ]
    for word, value in zip(scenarios, values, strict=True):
        if scalar.kind == "reference" and value.reason is None:
            shown = reference(context, plan, scalar, value)
            cells.append(tag("td", shown, **mark(scalar.name, "row", within=word)))
        else:
            shown = amount(value, fmt, context.symbol(scalar))
            cells.append(tag("td", shown, class_="num", **mark(scalar.name, "amount", within=word)))
    return cells


def _counts(counted: Mapping[Basis, int]) -> list[str]:
    """`2 measurements`, for each kind that occurs."""
    return [
        f"{counted[basis]} {words[0] if counted[basis] == 1 else words[1]}"
        for basis, words in KINDS.items()
        if counted[basis]
    ]
