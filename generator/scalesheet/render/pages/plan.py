"""A plan's page: the answer first, then its own text, then everything that it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scalesheet.diagnostics import Diagnostic
from scalesheet.model import Citation, Plan, Position, Scalar, Stated
from scalesheet.numbers import format_of
from scalesheet.render.pages.context import ASSETS, Context, cite, edit_link, to, value_of
from scalesheet.render.pages.figures import KINDS, amount, card, in_words
from scalesheet.render.pages.formulas import formula_blocks
from scalesheet.render.pages.graph import bases, formulas, rests_on
from scalesheet.render.pages.html import Html, heading, inline, join, link, page, tag
from scalesheet.render.pages.inputs import input_sections
from scalesheet.render.pages.names import chart_block, plan_names, table_block
from scalesheet.render.pages.places import scalar_anchor, sides, stated_by
from scalesheet.render.pages.sensitivity import sensitivity_section
from scalesheet.render.pages.tables import grid, heading_cell
from scalesheet.render.pages.template import Block, Names, line, prose
from scalesheet.values import Results, Value


def plan_page(context: Context, plan: Plan) -> tuple[str, tuple[Diagnostic, ...]]:
    """The text of a plan's page, and what is wrong in its prose."""
    results = context.results[plan.id]
    placed: set[str] = set()
    names = plan_names(context, plan, results, placed)
    advice, faults = _recommendations(plan, names)
    start = Position(plan.page_path or f"{plan.id}/page.md", 1, 1)
    told, found = prose(plan.page, _with_advice(names, advice, placed), start)
    text = page(
        plan.title,
        tag("p", plan.summary, class_="lead") if plan.summary else None,
        _cards(context, plan, results),
        _actions(context, plan),
        told.strip(),
        *_scenarios(context, plan),
        *sensitivity_section(context, plan),
        *_unplaced(advice, placed),
        *_others(context, plan, results, frozenset(placed)),
        *_checks(context, plan, results),
        *input_sections(context, plan, results),
        *_used(context, plan, results),
        *_sources(context, plan),
        *formula_blocks(context, plan, results),
        *(tag("script", src=f"../{ASSETS}/{name}.js") for name in ("runtime", plan.id)),
        wide=True,
    )
    return text, (*found, *faults)


def _cards(context: Context, plan: Plan, results: Results, page: str = "") -> Html | None:
    """The headline: each figure with its unit, its range and what it rests on."""
    cards: list[Html] = []
    for name in plan.headline:
        scalar, value = plan.scalars[name], results.scalars[name]
        fmt = format_of(scalar, [value], context.book.units)
        title = link(f"{page}#{scalar_anchor(plan, scalar)}", scalar.title)
        outer = scalar.formula is not None and scalar.formula.outer
        note = rests_in_words(context, plan, results, name)
        cards.append(card(title, value, fmt, context.symbol(scalar), outer=outer, note=note))
    return tag("div", *cards, class_="hero") if cards else None


def rests_in_words(context: Context, plan: Plan, results: Results, name: str) -> str | None:
    """`rests on 2 measurements and 3 assumptions`."""
    counted = bases(rests_on(context.book, plan, results, name))
    parts = [
        f"{counted[basis]} {words[0] if counted[basis] == 1 else words[1]}"
        for basis, words in KINDS.items()
        if counted[basis]
    ]
    return f"rests on {in_words(parts)}" if parts else None


def _actions(context: Context, plan: Plan) -> Html:
    """The workbook and the data, which edition this is, and where the plan can be edited."""
    workbook = context.workbooks.get(plan.id)
    data = context.data.get(plan.id, {})
    edition = f"Edition {context.book.edition.isoformat()} · {context.edition_hash}"
    return tag(
        "p",
        link(workbook, "Workbook with live formulas", class_="download") if workbook else None,
        " ",
        *(part for title, to_data in data.items() for part in (link(to_data, title), " ")),
        tag("span", edition, class_="unit"),
        " ",
        link(to("audit", plan.id), "Audit of the document") if plan.id in context.audits else None,
        " ",
        edit_link(context, plan.position, "Edit the plan"),
        class_="actions",
    )


def _scenarios(context: Context, plan: Plan) -> Iterator[object]:
    """The headline under each scenario, side by side, and the inputs that make the difference."""
    under = context.scenarios.get(plan.id, {})
    shown = [scenario for scenario in plan.scenarios if scenario in under]
    if not shown or not plan.headline:
        return
    head = [heading_cell("Figure"), *(heading_cell(s, number=True) for s in shown)]
    body: list[list[Html]] = []
    for name in plan.headline:
        scalar = plan.scalars[name]
        values = [under[scenario].scalars[name] for scenario in shown]
        fmt = format_of(scalar, values, context.book.units)
        symbol = context.symbol(scalar)
        title = link(f"#{scalar_anchor(plan, scalar)}", scalar.title)
        cells = [tag("td", amount(value, fmt, symbol), class_="num") for value in values]
        body.append([tag("th", title, scope="row"), *cells])
    yield heading(2, "Scenarios", "scenarios")
    default = f"The page shows the scenario “{plan.scenarios[0]}” everywhere else."
    yield tag("p", default, class_="note")
    yield grid(head, body)
    differing = [
        _differing(context, plan, s, shown) for s in plan.scalars.values() if sides(plan, s)
    ]
    if differing:
        yield tag("p", "What makes the difference:")
        yield grid([heading_cell("Input"), *head[1:]], differing)


def _differing(
    context: Context, plan: Plan, scalar: Scalar, scenarios: Sequence[str]
) -> list[Html]:
    """An input with what it is in each scenario."""
    values = [value_of(stated_by(plan, scalar, each) or Stated()) for each in scenarios]
    fmt = format_of(scalar, values, context.book.units)
    title = link(f"#{scalar_anchor(plan, scalar)}", scalar.title)
    cells = [tag("td", amount(v, fmt, context.symbol(scalar)), class_="num") for v in values]
    return [tag("th", title, scope="row"), *cells]


ADVICE = "recommendations"


def _recommendations(plan: Plan, names: Names) -> tuple[Block | None, list[Diagnostic]]:
    """The plan's advice, in which figures are named and not retyped."""
    if not plan.recommendations:
        return None, []
    found: list[Diagnostic] = []
    lines: list[Html] = []
    for text in plan.recommendations:
        told, faults = line(text, names, plan.position or Position(plan.id, 1, 1))
        lines.append(tag("li", told))
        found += faults
    return Block(tag("ul", *lines)), found


def _with_advice(names: Names, advice: Block | None, placed: set[str]) -> Names:
    """The names, and `{{ recommendations }}` for the plan's advice."""
    figure = names.lookups[""]

    def named(name: str) -> Html | None:
        if name != ADVICE or advice is None:
            return figure(name)
        placed.add(ADVICE)
        return advice

    return Names({**names.lookups, "": named}, names.known)


def _unplaced(advice: Block | None, placed: set[str]) -> Iterator[object]:
    if advice is not None and ADVICE not in placed:
        yield heading(2, "Recommendations", ADVICE)
        yield advice


def _others(
    context: Context, plan: Plan, results: Results, placed: frozenset[str]
) -> Iterator[object]:
    """The charts and tables that the plan's own text leaves out."""
    charts = [c for c in plan.charts if f"chart {c.id}" not in placed]
    tables = [t for t in plan.tables.values() if f"table {t.name}" not in placed]
    if not charts and not tables:
        return
    yield heading(2, "Tables", "tables")
    for chart in charts:
        yield chart_block(context, plan, chart, results)
    for table in tables:
        yield table_block(context, plan, table, results)


def _checks(context: Context, plan: Plan, results: Results) -> Iterator[object]:
    """What the plan checks of itself, with yes or no."""
    if not plan.checks:
        return
    body = []
    for name in plan.checks:
        scalar, value = plan.scalars[name], results.scalars[name]
        title = link(f"#{scalar_anchor(plan, scalar)}", scalar.title)
        holds = value.value is True
        answer = "yes" if holds else value.reason or "no"
        mark = tag("span", answer, class_="verdict reproduced" if holds else "verdict contradicted")
        body.append([tag("th", title, scope="row"), tag("td", mark)])
    yield heading(2, "Checks", "checks")
    yield grid([heading_cell("What must hold"), heading_cell("Holds")], body)


def _used(context: Context, plan: Plan, results: Results) -> Iterator[object]:
    """The rows of the catalogue that the plan refers to."""
    rows: dict[tuple[str, str], None] = {}
    for scalar in plan.scalars.values():
        if scalar.refers_to in context.book.tables:
            rows.update(_row(scalar.refers_to, results.scalars[scalar.name]))
    for tabled in plan.tables.values():
        for column in tabled.columns.values():
            if column.refers_to in context.book.tables:
                for value in results.tables[tabled.name][column.name]:
                    rows.update(_row(column.refers_to, value))
    groups: dict[str, list[Html]] = {}
    for name, row in rows:
        table = context.book.tables[name]
        groups.setdefault(table.title, []).append(
            link(to(name, row), context.row_title(table, row))
        )
    if groups:
        yield heading(2, "Hardware, offers and models used", "used")
        parts = [
            join([tag("dt", title), tag("dd", join(links, "; "))])
            for title, links in sorted(groups.items())
        ]
        yield tag("dl", *parts, class_="facts")


def _row(table: str | None, value: Value) -> dict[tuple[str, str], None]:
    return {(table, value.value): None} if table and isinstance(value.value, str) else {}


def _sources(context: Context, plan: Plan) -> Iterator[object]:
    """Every source that the plan's own figures and formulas cite."""
    keys = sorted(citations(context, plan))
    if not keys:
        return
    yield heading(2, "Sources", "sources")
    lines = [tag("li", cite(context, Citation(key)), _published(context, key)) for key in keys]
    yield tag("ul", *lines)


def _published(context: Context, key: str) -> str | None:
    source = context.book.sources.get(key)
    said = ", ".join(filter(None, (source.publisher, source.date))) if source else ""
    return f" — {said}" if said else None


def citations(context: Context, plan: Plan) -> set[str]:
    """The keys of the sources that a plan cites, itself or by a catalogue formula."""
    cited: list[Citation | None] = [plan.citation]
    for scalar in plan.scalars.values():
        cited.append(scalar.stated.citation if scalar.stated else None)
    for table in plan.tables.values():
        for column in table.columns.values():
            cited += [stated.citation for stated in column.stated.values()]
    for _, formula in formulas(plan):
        cited.append(formula.citation)
        cited += [context.book.records[id_].citation for id_ in formula.uses]
    return {each.key for each in cited if each is not None}


def plans_index(context: Context) -> str:
    """All plans with their headline figures."""
    blocks: list[object] = []
    for plan in context.book.plans.values():
        results = context.results[plan.id]
        blocks.append(heading(2, Html(f"[{inline(plan.title)}]({plan.id}.md)"), plan.id))
        blocks.append(tag("p", plan.summary, class_="lead") if plan.summary else None)
        blocks.append(_cards(context, plan, results, page=f"{plan.id}.md"))
    return page("Plans", *blocks)
