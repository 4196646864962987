"""The inputs of a plan: what was stated, how sure it is, and who says so."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.model import Plan, Scalar, Stated
from scalesheet.numbers import format_of, plain
from scalesheet.render.pages.context import Context, edit_link, value_of
from scalesheet.render.pages.figures import amount, bound, cell, kind
from scalesheet.render.pages.html import Html, heading, tag
from scalesheet.render.pages.places import SCENARIO, is_input, scalar_anchor, sides, stated_by
from scalesheet.render.pages.tables import grid, heading_cell, reference, sourced
from scalesheet.values import Results


def input_sections(context: Context, plan: Plan, results: Results) -> Iterator[object]:
    """One table of inputs for the plan itself and one for each phase that has some."""
    phases = {None: ""} | {phase.id: phase.title for phase in plan.phases}
    inputs = [s for s in plan.scalars.values() if is_input(plan, s) and not s.hidden]
    if not inputs:
        return
    yield heading(2, "Inputs", "inputs")
    for phase, title in phases.items():
        of_phase = [scalar for scalar in inputs if scalar.phase == phase]
        if not of_phase:
            continue
        if title:
            yield heading(3, title, f"inputs-{phase}")
        yield grid(
            [
                heading_cell("Input"),
                heading_cell("Value", number=True),
                heading_cell("Kind"),
                heading_cell("Source and note"),
                heading_cell(""),
            ],
            [_row(context, plan, results, scalar) for scalar in of_phase],
            records=True,
            row_ids=[scalar_anchor(plan, scalar) for scalar in of_phase],
        )


def _row(context: Context, plan: Plan, results: Results, scalar: Scalar) -> list[Html]:
    """An input as it stands in the scenario at hand, with the other scenarios' in its notes."""
    scenario = str(results.scalars[SCENARIO].value) if SCENARIO in results.scalars else ""
    stated = stated_by(plan, scalar, scenario)
    assert stated is not None
    return [
        tag("th", scalar.title, scope="row"),
        _value(context, plan, results, scalar, stated),
        tag("td", kind(stated.basis)),
        tag(
            "td",
            *sourced(context, stated, scalar.note, plan.citation),
            *_other_sides(context, plan, scalar, scenario),
            class_="words",
        ),
        tag("td", edit_link(context, stated.position, "edit"), class_="num"),
    ]


def _value(context: Context, plan: Plan, results: Results, scalar: Scalar, stated: Stated) -> Html:
    value = results.scalars.get(scalar.name, value_of(stated))
    fmt = format_of(scalar, [value], context.book.units)
    symbol = context.symbol(scalar)
    if scalar.kind == "reference" and value.reason is None:
        return tag("td", reference(context, plan, scalar, value), class_="input")
    told = bound(stated, fmt, symbol)
    if told is not None:
        return tag("td", told, class_="num input")
    shown = cell(value, fmt, symbol, input_=True)
    return shown if scalar.kind == "number" else tag("td", plain(value, fmt), class_="num input")


def _other_sides(context: Context, plan: Plan, scalar: Scalar, scenario: str) -> Iterator[Html]:
    """`Scenario written: 2,000 step/h, source, line 19.`"""
    for word, side in sides(plan, scalar).items():
        if word == scenario or side.stated is None:
            continue
        value = value_of(side.stated)
        fmt = format_of(side, [value], context.book.units)
        yield tag(
            "span",
            f" Scenario “{word}”: ",
            amount(value, fmt, context.symbol(side)),
            ", " if side.stated.citation or side.stated.note else None,
            *sourced(context, side.stated, "", plan.citation),
            ".",
            class_="note",
        )
