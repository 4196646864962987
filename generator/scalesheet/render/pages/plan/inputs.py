"""The inputs of a plan: stated values, their ranges and their sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from scalesheet.model import Plan, Scalar, Stated
from scalesheet.numbers import format_of, plain
from scalesheet.render.pages.context import Context, cite, edit_link
from scalesheet.render.pages.figures import amount, bound, cell, kind
from scalesheet.render.pages.html import Html, heading, join, tag
from scalesheet.render.pages.marks import by_scenario, mark
from scalesheet.render.pages.places import scalar_anchor
from scalesheet.render.pages.tables import grid, heading_cell, reference, sourced
from scalesheet.scenarios import SCENARIO, inputs_of, is_default, stated_by, titles_of
from scalesheet.values import Results, Value, stated_value


def input_sections(context: Context, plan: Plan, results: Results) -> Iterator[object]:
    """Show one table of inputs for the plan and one for each phase, then the defaults of
    components."""
    inputs = inputs_of(plan)
    if not inputs:
        return
    own = [scalar for scalar in inputs if not is_default(plan, scalar)]
    groups = [("", "", [scalar for scalar in own if scalar.phase is None])]
    groups += [(p.id, p.title, [each for each in own if each.phase == p.id]) for p in plan.phases]
    defaults = [scalar for scalar in inputs if is_default(plan, scalar)]
    groups.append(("defaults", "Defaults of components", defaults))
    yield heading(2, "Inputs", "inputs")
    for id_, title, group in groups:
        if not group:
            continue
        if title:
            yield heading(3, title, f"inputs-{id_}")
        titles = titles_of(plan, group)
        yield grid(
            [
                heading_cell("Input"),
                heading_cell("Value", number=True),
                heading_cell("Kind"),
                heading_cell("Source and note"),
                heading_cell(""),
            ],
            [_row(context, plan, results, each, titles[each.name]) for each in group],
            records=True,
            row_ids=[scalar_anchor(plan, scalar) for scalar in group],
        )


def _row(context: Context, plan: Plan, results: Results, scalar: Scalar, title: str) -> list[Html]:
    """An input in the current scenario; its notes have the values of other scenarios."""
    scenario = str(results.scalars[SCENARIO].value) if SCENARIO in results.scalars else ""
    shown = stated_by(plan, scalar, scenario)
    assert shown is not None

    def each(cell_of: Callable[[Stated, str], Html | None]) -> Html | None:
        def of(scenario: str) -> Html | None:
            return cell_of(stated_by(plan, scalar, scenario) or shown, scenario)

        return by_scenario(plan.scenarios, scenario, of)

    def notes(stated: Stated, scenario: str) -> Html:
        content = sourced(context, stated, scalar.note, plan.citation)
        return join([*content, *_other_sides(context, plan, results, scalar, scenario)])

    return [
        tag("th", title, scope="row"),
        _value(context, plan, results, scalar, shown),
        tag("td", each(lambda stated, _: kind(stated.basis))),
        tag("td", each(notes), class_="words"),
        tag("td", each(lambda s, _: edit_link(context, s.position, "edit")), class_="num"),
    ]


def _value(context: Context, plan: Plan, results: Results, scalar: Scalar, stated: Stated) -> Html:
    value = results.scalars.get(scalar.name, stated_value(stated))
    fmt = format_of(scalar, [value], context.book.units)
    symbol, of = context.symbol(scalar), scalar.name
    if scalar.kind == "reference" and value.reason is None:
        chosen = reference(context, plan, scalar, value)
        return tag("td", chosen, class_="input", data_input="", **mark(of, "row"))
    limit = bound(stated, fmt, symbol)
    if limit is not None:
        return tag("td", limit, class_="num input")
    if scalar.kind == "number":
        return cell(value, fmt, symbol, input_=True, of=of)
    return tag("td", plain(value, fmt), class_="num input", data_input="", **mark(of))


def _other_sides(
    context: Context, plan: Plan, results: Results, scalar: Scalar, scenario: str
) -> Iterator[Html]:
    """`Scenario written: 2,000 step/h, source, line 19.`"""
    for word, name in scalar.sides:
        side = plan.scalars[name]
        if word == scenario or side.stated is None:
            continue
        source = cite(context, side.stated.citation, plan.citation)
        own = side.stated.note if side.stated.note != scalar.note else ""
        yield tag(
            "span",
            f" Scenario “{word}”: ",
            _side(context, plan, side, results.scalars.get(side.name, stated_value(side.stated))),
            ", " if source else None,
            source,
            f": {own.removesuffix('.')}" if own else None,
            ".",
            class_="note",
        )


def _side(context: Context, plan: Plan, side: Scalar, value: Value) -> Html:
    if side.kind == "reference" and value.reason is None:
        return tag("span", reference(context, plan, side, value), **mark(side.name, "row"))
    fmt = format_of(side, [value], context.book.units)
    return amount(value, fmt, context.symbol(side), of=side.name)
