"""Pages of components: their inputs, their formulas, and when a case is possible."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.model import CaseExample, Citation, Component, Scalar
from scalesheet.numbers import format_of
from scalesheet.render.pages.catalogue.explained import explained, listed
from scalesheet.render.pages.context import Context, cite, edit_link, to
from scalesheet.render.pages.figures import amount
from scalesheet.render.pages.html import Html, heading, join, link, meta_line, page, tag
from scalesheet.render.pages.notation import Titles
from scalesheet.render.pages.places import scalar_anchor
from scalesheet.render.pages.tables import facts, grid, heading_cell, reference
from scalesheet.values import Value, stated_value


def component_pages(context: Context) -> Iterator[tuple[str, str]]:
    """Yield path and text of every component's page, and of their index."""
    components = context.book.components
    if not components:
        return
    head = [heading_cell(text) for text in ("Component", "What it computes", "Used by")]
    body = [
        [
            tag("th", link(f"{id_}.md", component.plan.title), scope="row"),
            tag("td", component.plan.summary),
            tag("td", _users(context, id_)),
        ]
        for id_, component in components.items()
    ]
    lead = "Groups of formulas that are written once and that any plan can use."
    yield "components/index.md", page("Components", tag("p", lead, class_="lead"), grid(head, body))
    for id_, component in components.items():
        yield f"components/{id_}.md", _page(context, id_, component)


def _page(context: Context, id_: str, component: Component) -> str:
    plan = component.plan
    scores = context.edition.scores
    evidence = join(
        [link(f"../score/{task}.md", task) for task in component.evidence if task in scores], ", "
    )
    named = [plan.scalars[name] for name in component.inputs]
    rest = [s for s in plan.scalars.values() if s.name not in component.inputs and not s.hidden]
    stated = [s for s in rest if s.formula is None]
    return page(
        plan.title,
        meta_line(link("index.md", "Components"), edit_link(context, plan.position)),
        tag("p", plan.summary, class_="lead"),
        facts(
            (name, shown)
            for name, shown in (
                ("Assumes", component.note),
                ("Checked against published", evidence),
                ("Used by", _users(context, id_)),
                ("Source", cite(context, plan.citation)),
            )
            if shown
        ),
        heading(2, "In a plan", "use"),
        tag("pre", tag("code", _use(id_, component))),
        heading(2, "Inputs", "inputs"),
        _inputs(context, component, named),
        *_conditions(component),
        heading(2, "Quantities", "quantities") if stated else None,
        _quantities(context, component, stated) if stated else None,
        heading(2, "Formulas", "formulas"),
        *_formulas(context, component, rest),
        heading(2, "Examples", "examples"),
        *(_example(context, component, example) for example in component.examples),
    )


def _users(context: Context, id_: str) -> Html | str:
    plans = [plan for plan in context.book.plans.values() if id_ in plan.components]
    return join([link(to("plans", plan.id), plan.title) for plan in plans], ", ") if plans else ""


def _use(id_: str, component: Component) -> str:
    """Show how a plan would use it, by its first example."""
    given = ", ".join(f"{name}: {_typed(v)}" for name, v in component.examples[0].given.items())
    return f"tables:\n  runs:\n    of: {id_}\n    rows:\n      first: {{{given}}}\n"


def _typed(value: float | str | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:_.12g}" if isinstance(value, float) else value


def _inputs(context: Context, component: Component, inputs: list[Scalar]) -> Html:
    head = [heading_cell(text) for text in ("Input", "Name", "Unit or class")]
    head += [heading_cell("Default", number=True), heading_cell("Note")]
    body = [
        [
            tag("th", each.title, scope="row"),
            tag("td", tag("code", each.name)),
            tag("td", _class(context, each)),
            tag("td", _default(context, component, each), class_="num"),
            tag("td", each.note),
        ]
        for each in inputs
    ]
    return grid(head, body)


def _class(context: Context, scalar: Scalar) -> str:
    if scalar.kind == "reference":
        return f"a row of {scalar.refers_to}"
    if scalar.kind == "word":
        return " or ".join(scalar.words)
    if scalar.kind == "flag":
        return "yes or no"
    return context.symbol(scalar) or "pure number"


def _default(context: Context, component: Component, scalar: Scalar) -> Html | str:
    if scalar.name in component.required:
        return "none; must be stated"
    if scalar.name in component.searched:
        return "searched for, unless stated"
    if scalar.formula is not None:
        return tag("code", scalar.formula.text)
    assert scalar.stated is not None
    return _shown(context, scalar, stated_value(scalar.stated))


def _shown(context: Context, scalar: Scalar, value: Value) -> Html | str:
    if scalar.kind != "number":
        return str(value.reason or _typed(value.value or ""))
    return amount(value, format_of(scalar, [value], context.book.units))


def _conditions(component: Component) -> Iterator[object]:
    """Show when a case is possible."""
    table = component.plan.tables.get("conditions")
    if table is None:
        return
    yield heading(2, "When a case can run", "conditions")
    text = "If one of these fails, the outputs of the case are blank, and its status says why."
    yield tag("p", text)
    rows = zip(table.rows, table.row_titles, strict=True)
    formulas = {name: component.plan.scalars[f"{name}_holds"].formula for name in table.rows}
    body = [
        [
            tag("th", title, scope="row"),
            tag("td", tag("code", formula.text if (formula := formulas[name]) else "")),
        ]
        for name, title in rows
    ]
    yield grid([heading_cell("Condition"), heading_cell("Holds where")], body)


def _quantities(context: Context, component: Component, stated: list[Scalar]) -> Html:
    """The quantities that the component states itself."""
    head = [heading_cell("Quantity"), heading_cell("Name"), heading_cell("Unit or class")]
    head += [heading_cell("Value", number=True), heading_cell("Note")]
    body = [
        [
            tag("th", each.title, scope="row", id=scalar_anchor(component.plan, each)),
            tag("td", tag("code", each.name)),
            tag("td", _class(context, each)),
            tag("td", _default(context, component, each), class_="num"),
            tag("td", each.note, cite(context, _citation(each))),
        ]
        for each in stated
    ]
    return grid(head, body)


def _formulas(context: Context, component: Component, scalars: list[Scalar]) -> Iterator[Html]:
    """Each formula with its name, its unit or class, and whether it is an output."""
    titles = Titles(context, component.plan)
    return listed(
        explained(
            context,
            titles,
            each,
            each.formula,
            scalar_anchor(component.plan, each),
            tag("code", each.name),
            " text" if each.kind == "text" else f" {_class(context, each)}",
            ", an output" if each.name in component.outputs else None,
        )
        for each in scalars
        if each.formula is not None
    )


def _citation(scalar: Scalar) -> Citation | None:
    if scalar.formula is not None:
        return scalar.formula.citation
    return scalar.stated.citation if scalar.stated is not None else None


def _example(context: Context, component: Component, example: CaseExample) -> Html:
    head = [heading_cell(text) for text in (example.note or "Example", "Value")]
    body = [
        [
            tag("th", sign, component.plan.scalars[name].title, scope="row"),
            tag("td", _printed(context, component.plan.scalars[name], value)),
        ]
        for sign, values in (("", example.given), ("→ ", example.expect))
        for name, value in values.items()
    ]
    return grid(head, body)


def _printed(context: Context, scalar: Scalar, value: float | str | bool) -> Html | str:
    """A value of an example: a number with its unit, a row by its title, a word, or a reason."""
    if not isinstance(value, float):
        return reference(context, None, scalar, Value(_typed(value)), linked=False)
    shown = Value.number(value)
    fmt = format_of(scalar, [shown], context.book.units)
    return amount(shown, fmt, context.symbol(scalar))
