"""A plan's page: the answer first, then its text, then everything behind it.

The page of a divided plan has only a short answer, and links to the rest.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import partial

from scalesheet.audit.worst import grouped
from scalesheet.breaches import breaches
from scalesheet.edition import HASH
from scalesheet.evaluate.findings import broken_rows, wrongs
from scalesheet.model import Key, Plan
from scalesheet.numbers import format_of
from scalesheet.pictures import DATED
from scalesheet.render.pages.chart_blocks import chart_block
from scalesheet.render.pages.context import (
    Context,
    address,
    audits_of,
    edit_link,
    plan_files,
    to,
)
from scalesheet.render.pages.figures import card
from scalesheet.render.pages.html import Html, heading, inline, link, page, tag
from scalesheet.render.pages.marks import mark
from scalesheet.render.pages.places import divided, formula_keys, lead
from scalesheet.render.pages.plan.findings import worst_findings
from scalesheet.render.pages.plan.formulas import formula_blocks
from scalesheet.render.pages.plan.parts import part_links
from scalesheet.render.pages.plan.rest import Rest
from scalesheet.render.pages.plan.scenarios import control, rests_note, scenario_section
from scalesheet.render.pages.plan.sensitivity import sensitivity_section
from scalesheet.render.pages.plan.subpages import page_list, scripts, version_line
from scalesheet.render.pages.plan.sure import sure_scripts, sure_section
from scalesheet.render.pages.tables import grid, heading_cell, titled
from scalesheet.values import Results
from scalesheet.vocabulary import counted

#: Charts on the answer page of a divided plan.
MOST_CHARTS = 3


def plan_page(context: Context, plan: Plan) -> str:
    """Return a plan's page: its answer, and for an undivided plan everything else."""
    whole, head, rest = not divided(plan), _head(context, plan), Rest(context, plan, plan.id)
    results = context.results[plan.id]
    first, _ = lead(plan)
    text = rest.prose(plan.page if whole else first)
    return page(
        plan.title,
        *head,
        part_links(plan, plan.id),
        page_list(context, plan) if whole else None,
        *sure_section(context, plan),
        text,
        *(rest.text() if whole else _charts(context, plan, results, rest.placed)),
        *worst_findings(context, plan),
        *sensitivity_section(context, plan, most=None if whole else 1),
        *_folded("The headline figures in each scenario", scenario_section(context, plan), whole),
        *(rest.tables() if whole else ()),
        *_folded("Checks and their results", _checks(context, plan, results), whole),
        *(rest.inputs() if whole else _pages(context, plan)),
        *formula_blocks(context, plan, results, _computed_here(plan), plan.id),
        *scripts(plan, *rest.scripts, *sure_scripts(context, plan)),
        wide=True,
    )


def _folded(summary: str, blocks: Iterable[object], whole: bool) -> Iterator[object]:
    """Show a section; on a short page only its heading, with the rest folded."""
    first, *rest = *blocks, None
    yield first
    if whole or first is None:
        yield from rest
    else:
        yield tag("details", tag("summary", summary), *rest, class_="quiet")


def _computed_here(plan: Plan) -> list[Key]:
    """The formulas shown on this page: only the headline for a divided plan."""
    keys = formula_keys(plan)
    return [k for k in keys if (k.table is None and k.name in plan.headline) or not divided(plan)]


def _head(context: Context, plan: Plan) -> Iterator[object]:
    """Show the answer, failed checks, and links to change it."""
    results = context.results[plan.id]
    yield version_line(plan)
    yield tag("p", plan.summary, class_="lead") if plan.summary else None
    yield _cards(context, plan, results, plan.id)
    yield _breaches(context, plan, results)
    yield control(context, plan, results, plan.id)
    yield _actions(context, plan)


def _charts(
    context: Context, plan: Plan, results: Results, placed: Collection[str]
) -> Iterator[object]:
    """Show the first charts of a plan if its lead has too few."""
    charts = [c for c in plan.charts if c != DATED and f"chart {c.id}" not in placed]
    left = MOST_CHARTS - sum(each.startswith("chart ") for each in placed)
    for chart in charts[: max(left, 0)]:
        yield chart_block(context, plan, chart, results)


def _pages(context: Context, plan: Plan) -> Iterator[object]:
    """List all pages of a divided plan."""
    listed = page_list(context, plan)
    if listed:
        yield heading(2, "More of this plan", "pages")
        yield listed


def _cards(context: Context, plan: Plan, results: Results, here: str) -> Html | None:
    """The headline: each figure with its unit, range and origin.

    It stays as published if `here` is not a page of the plan.
    """
    cards: list[Html] = []
    for name in plan.headline:
        scalar = plan.scalars[name]
        value = titled(context, plan, scalar, results.scalars[name])
        fmt = format_of(scalar, [value], context.book.units)
        title = link(address(context, plan, Key(name), here), scalar.title)
        outer = scalar.formula is not None and scalar.formula.outer
        note = rests_note(context, plan, results, name)
        of = name if here else None
        symbol = context.symbol(scalar)
        cards.append(card(title, value, fmt, symbol, outer=outer, note=note, of=of))
    return tag("div", *cards, class_="hero") if cards else None


def _cards_there(context: Context, plan: Plan) -> Html | None:
    """The headline on a page that is not the plan's."""
    return _cards(context, plan, context.results[plan.id], "")


def _breaches(context: Context, plan: Plan, results: Results) -> Html | None:
    """The failed checks, above everything else; each check has a line, hidden while it passes."""
    if not plan.checks:
        return None
    broken = {each.check.name for each in breaches(plan, results)}
    lines = []
    for name in plan.checks:
        scalar = plan.scalars[name]
        title = link(address(context, plan, Key(name), plan.id), scalar.title)
        content: list[object] = [tag("strong", "Does not hold: "), title]
        if wrong := _wrong(context, plan, results, name):
            content += [tag("br"), wrong] if plan.otherwise(name) else [wrong]
        lines.append(tag("li", *content, hidden=name not in broken, **mark(name, "breach")))
    return tag("ul", *lines, class_="breaches")


def _actions(context: Context, plan: Plan) -> Html:
    """The workbook, the data, the edition, and links to edit the plan."""
    workbook, *data = plan_files(plan).items()
    edition = f"Edition {context.book.edition.isoformat()} · {HASH}"
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
    )


def _audits(context: Context, plan: Plan) -> Iterator[Html]:
    """Link the audits of the plan's documents, with the number of errors in each."""
    audits = audits_of(context, plan)
    for id_, audited in audits.items():
        several = f"Audit: {audited.audit.document.title}"
        title = several if len(audits) > 1 else "Audit of the document"
        errors = sum(len(group.bundles) for group in grouped(audited))
        yield link(to("audit", id_), f"{title}: {counted(errors, 'error')}" if errors else title)


def _checks(context: Context, plan: Plan, results: Results) -> Iterator[object]:
    """The plan's checks with yes or no."""
    if not plan.checks:
        return
    body = []
    for name in plan.checks:
        scalar, value = plan.scalars[name], results.scalars[name]
        title = link(address(context, plan, Key(name), plan.id), scalar.title)
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
    """What is wrong, or which rows fail; follows the inputs."""
    key = plan.otherwise(check)
    if check in plan.row_checks:
        return tag("span", _broken(context, plan, results, check), **mark(check, "broken"))
    if key is None:
        return None
    text = "; ".join(wrongs(plan, check, results))
    return tag("span", text, **mark(key.name, "text"))


def _broken(context: Context, plan: Plan, results: Results, check: str) -> str:
    """` Stage one, Stage two`: the rows that fail a row check, or what is wrong in each."""
    if plan.otherwise(check):
        return "; ".join(wrongs(plan, check, results))
    table = plan.tables[plan.row_checks[check]]
    rows = [context.row_title(table, row) for row in broken_rows(plan, check, results)]
    return f" {', '.join(rows)}" if rows else ""


def plans_index(context: Context) -> str:
    """Return the index of plans with their headline figures."""
    blocks: list[object] = [tag("p", "The plans with their headline figures.", class_="lead")]
    for plan in context.book.plans.values():
        blocks.append(heading(2, Html(f"[{inline(plan.title)}]({plan.id}.md)"), plan.id))
        blocks.append(tag("p", plan.summary) if plan.summary else None)
        blocks.append(context.edition.keep("cards", partial(_cards_there, context, plan), plan.id))
    return page("Plans", *blocks)
