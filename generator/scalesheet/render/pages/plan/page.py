"""A plan's page: the answer first, then its own text, then everything that it rests on."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.breaches import breaches
from scalesheet.evaluate.findings import broken_rows, wrongs
from scalesheet.evaluate.references import formulas
from scalesheet.model import Citation, Plan
from scalesheet.numbers import format_of
from scalesheet.pictures import DATED
from scalesheet.prose import ADVICE, HISTORY
from scalesheet.render.pages.catalogue.earlier import earlier_section, of_plan
from scalesheet.render.pages.chart_blocks import chart_block
from scalesheet.render.pages.context import (
    Context,
    audits_of,
    cite,
    edit_link,
    plan_files,
    table_address,
    to,
)
from scalesheet.render.pages.figures import card
from scalesheet.render.pages.html import UNSEARCHED, Html, heading, inline, join, link, page, tag
from scalesheet.render.pages.marks import mark
from scalesheet.render.pages.places import scalar_anchor
from scalesheet.render.pages.plan.actuals import actuals_section
from scalesheet.render.pages.plan.alternatives import SCRIPT, alternatives_section
from scalesheet.render.pages.plan.calendar import calendar_section
from scalesheet.render.pages.plan.formulas import formula_blocks
from scalesheet.render.pages.plan.inputs import input_sections
from scalesheet.render.pages.plan.placeholders import plan_names, table_block
from scalesheet.render.pages.plan.scenarios import control, rests_note, scenario_section
from scalesheet.render.pages.plan.sensitivity import sensitivity_section
from scalesheet.render.pages.plan.subpages import page_list, scripts, version_line
from scalesheet.render.pages.plan.sure import sure_section
from scalesheet.render.pages.plan.template import Block, Names, line, prose
from scalesheet.render.pages.plan.versions import versions
from scalesheet.render.pages.tables import grid, heading_cell
from scalesheet.render.versions import cut_versions
from scalesheet.values import Results, Value


def plan_page(context: Context, plan: Plan) -> str:
    """The text of a plan's page."""
    results = context.edition.results[plan.id]
    placed: set[str] = set()
    names = plan_names(context, plan, results, placed)
    advice = _recommendations(plan, names)
    content = prose(plan.page, _with_advice(names, advice, placed))
    alternatives = list(alternatives_section(context, plan))
    return page(
        plan.title,
        version_line(plan),
        tag("p", plan.summary, class_="lead") if plan.summary else None,
        _cards(context, plan, results),
        _breaches(context, plan, results),
        control(context, plan, results),
        _actions(context, plan),
        page_list(context, plan),
        *sure_section(context, plan),
        content.strip(),
        *_versions(context, plan, results, placed),
        *actuals_section(context, plan),
        *calendar_section(context, plan, results, frozenset(placed)),
        *scenario_section(context, plan),
        *alternatives,
        *sensitivity_section(context, plan),
        *_unplaced(advice, placed),
        *_others(context, plan, results, frozenset(placed)),
        *_checks(context, plan, results),
        *input_sections(context, plan, results),
        *earlier_section(context, of_plan(plan)),
        *_used(context, plan, results),
        *_sources(context, plan),
        *formula_blocks(context, plan, results),
        *scripts(plan, *([SCRIPT] if alternatives else [])),
        wide=True,
        called=(),
        weight=4,
    )


def _cards(context: Context, plan: Plan, results: Results, page: str = "") -> Html | None:
    """The headline: each figure with its unit, its range and what it rests on; as published where
    it leads to another page."""
    cards: list[Html] = []
    for name in plan.headline:
        scalar, value = plan.scalars[name], results.scalars[name]
        fmt = format_of(scalar, [value], context.book.units)
        title = link(f"{page}#{scalar_anchor(plan, scalar)}", scalar.title)
        outer = scalar.formula is not None and scalar.formula.outer
        note = rests_note(context, plan, results, name)
        of = None if page else name
        symbol = context.symbol(scalar)
        cards.append(card(title, value, fmt, symbol, outer=outer, note=note, of=of))
    return tag("div", *cards, class_="hero") if cards else None


def _breaches(context: Context, plan: Plan, results: Results) -> Html | None:
    """What the plan breaks of what it asks for, above everything else; each check has a line, which
    is hidden while it holds."""
    if not plan.checks:
        return None
    broken = {each.check.name for each in breaches(plan, results)}
    lines = []
    for name in plan.checks:
        scalar = plan.scalars[name]
        title = link(f"#{scalar_anchor(plan, scalar)}", scalar.title)
        content: list[object] = [tag("strong", "Does not hold: "), title]
        if wrong := _wrong(context, plan, results, name):
            content += [tag("br"), wrong] if plan.otherwise(name) else [wrong]
        lines.append(tag("li", *content, hidden=name not in broken, **mark(name, "breach")))
    return tag("ul", *lines, class_="breaches", **UNSEARCHED)


def _actions(context: Context, plan: Plan) -> Html:
    """The workbook and the data, which edition this is, and where the plan can be edited."""
    workbook, *data = plan_files(plan).items()
    edition = f"Edition {context.book.edition.isoformat()} · {context.edition.hash}"
    return tag(
        "p",
        link(workbook[1], "Workbook with live formulas", class_="download"),
        " ",
        *(part for title, to_data in data for part in (link(to_data, title), " ")),
        tag("span", edition, class_="unit"),
        " ",
        *(part for audit in _audits(context, plan) for part in (audit, " ")),
        edit_link(context, plan.position, "Edit the plan"),
        class_="actions",
        **UNSEARCHED,
    )


def _audits(context: Context, plan: Plan) -> Iterator[Html]:
    """Links to the audits of the plan's documents, by their titles where there are several."""
    audits = audits_of(context, plan)
    for id_, audited in audits.items():
        several = f"Audit: {audited.audit.document.title}"
        yield link(to("audit", id_), several if len(audits) > 1 else "Audit of the document")


def _versions(context: Context, plan: Plan, results: Results, placed: set[str]) -> Iterator[object]:
    """The versions that were cut, where the plan's own text does not place them."""
    if cut_versions(plan) and HISTORY not in placed:
        yield heading(2, "Versions", HISTORY)
        yield versions(context, plan, results)


def _recommendations(plan: Plan, names: Names) -> Block | None:
    """The plan's advice, in which figures are named and not retyped."""
    if not plan.recommendations:
        return None
    return Block(tag("ul", *(tag("li", line(text, names)) for text in plan.recommendations)))


def _with_advice(names: Names, advice: Block | None, placed: set[str]) -> Names:
    """The names, and `{{ recommendations }}` for the plan's advice."""
    figure = names[""]

    def named(name: str) -> Html | None:
        if name != ADVICE or advice is None:
            return figure(name)
        placed.add(ADVICE)
        return advice

    return {**names, "": named}


def _unplaced(advice: Block | None, placed: set[str]) -> Iterator[object]:
    if advice is not None and ADVICE not in placed:
        yield heading(2, "Recommendations", ADVICE)
        yield advice


def _others(
    context: Context, plan: Plan, results: Results, placed: frozenset[str]
) -> Iterator[object]:
    """The charts and tables that the plan's own text leaves out."""
    homes = context.homes[plan.id]
    elsewhere = [t for t in plan.tables.values() if f"table {t.name}" in homes]
    charts = [c for c in plan.charts if c != DATED and f"chart {c.id}" not in {*placed, *homes}]
    tables = [t for t in plan.tables.values() if f"table {t.name}" not in {*placed, *homes}]
    if not charts and not tables and not elsewhere:
        return
    yield heading(2, "Tables", "tables")
    if elsewhere:
        places = [link(table_address(context, plan, t.name, plan.id), t.title) for t in elsewhere]
        yield tag("p", "On further pages: ", join(places, ", "), ".")
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
        verdict = "verdict reproduced" if holds else "verdict contradicted"
        cells: list[object] = [tag("span", answer, class_=verdict, **mark(name, "check"))]
        if wrong := _wrong(context, plan, results, name):
            cells += [" ", wrong]
        body.append([tag("th", title, scope="row"), tag("td", *cells)])
    yield heading(2, "Checks", "checks")
    yield grid([heading_cell("What must hold"), heading_cell("Holds")], body)


def _wrong(context: Context, plan: Plan, results: Results, check: str) -> Html | None:
    """What is wrong, or the rows that break a check of every row; follows the inputs."""
    key = plan.otherwise(check)
    if check in plan.row_checks:
        return tag("span", _broken(context, plan, results, check), **mark(check, "broken"))
    if key is None:
        return None
    text = "; ".join(wrongs(plan, check, results))
    return tag("span", text, **mark(key.name, "text"))


def _broken(context: Context, plan: Plan, results: Results, check: str) -> str:
    """` Stage one, Stage two`: the rows that break a check of every row, or what each of them
    breaks it by."""
    if plan.otherwise(check):
        return "; ".join(wrongs(plan, check, results))
    table = plan.tables[plan.row_checks[check]]
    rows = [context.row_title(table, row) for row in broken_rows(plan, check, results)]
    return f" {', '.join(rows)}" if rows else ""


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
        entries = [
            join([tag("dt", title), tag("dd", join(links, "; "))])
            for title, links in sorted(groups.items())
        ]
        yield tag("dl", *entries, class_="facts", data_used=True, **UNSEARCHED)


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
    text = ", ".join(filter(None, (source.publisher, source.date))) if source else ""
    return f" — {text}" if text else None


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
        results = context.edition.results[plan.id]
        blocks.append(heading(2, Html(f"[{inline(plan.title)}]({plan.id}.md)"), plan.id))
        blocks.append(tag("p", plan.summary, class_="lead") if plan.summary else None)
        blocks.append(_cards(context, plan, results, page=f"{plan.id}.md"))
    return page("Plans", *blocks)
