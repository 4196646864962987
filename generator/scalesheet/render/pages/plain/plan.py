"""A plan's page as plain Markdown: the answer, the plan's own text, inputs, results, tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scalesheet.model import Page, Plan, Table
from scalesheet.numbers import format_of
from scalesheet.prose import HISTORY, belonging, scalar_named, split
from scalesheet.render.pages.catalogue.earlier import of_plan
from scalesheet.render.pages.context import Context, plan_files
from scalesheet.render.pages.plain.alternatives import alternatives_text
from scalesheet.render.pages.plain.changes import earlier_text
from scalesheet.render.pages.plain.text import (
    bounded,
    cited,
    code,
    document,
    grid,
    link,
    plain,
    shown,
)
from scalesheet.render.pages.plan.prose_figures import Here, find
from scalesheet.render.pages.plan.subpages import here_of, page_title
from scalesheet.scenarios import SCENARIO, stated_by
from scalesheet.values import Results

_NAMES = re.compile(
    r"^(?P<fence>`{3,}|~{3,})[^\n]*\n.*?^(?P=fence)[ \t]*$"
    r"|(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)"
    r"|\{\{(?P<name>[^\n{}]*)\}\}",
    re.MULTILINE | re.DOTALL,
)


def plan_text(context: Context, plan: Plan) -> str:
    """Everything that the page says, for readers of text."""
    results = context.edition.results[plan.id]
    prose = _prose(context, plan, results, plan.page)
    advice = [f"- {_prose(context, plan, results, each)}" for each in plan.recommendations]
    return document(
        f"# {plain(plan.title)}",
        _version(plan),
        plain(plan.summary),
        _where(context, plan),
        _pages(context, plan),
        "## Headline",
        grid(["Figure", "Value"], _figures(context, plan, results)),
        prose,
        *(
            ["## Recommendations", "\n".join(advice)]
            if advice and "{{ recomm" not in plan.page
            else []
        ),
        *_scenarios(context, plan),
        *alternatives_text(context, plan),
        "## Inputs",
        grid(["Name", "Input", "Value", "Kind", "Source", "Note"], _inputs(context, plan, results)),
        *earlier_text(context, of_plan(plan)),
        "## Results",
        grid(["Name", "Figure", "Value", "Formula"], _results(context, plan, results)),
        "## Tables",
        *(block for each in plan.tables.values() for block in _tabled(context, plan, each)),
    )


def subpage_text(context: Context, plan: Plan, each: Page) -> str:
    """What a further page says."""
    results, here = context.edition.results[plan.id], here_of(each)
    figures = [find(context, plan, results, name, here) for name, _ in each.headline]
    rows = ([plain(f.title), shown(context, f.quantity, f.value)] for f in figures if f is not None)
    return document(
        f"# {plain(page_title(context, plan, each))}",
        link(f"{plan.id}.md", plan.title),
        _prose(context, plan, results, each.summary, here),
        grid(["Figure", "Value"], rows) if figures else None,
        _prose(context, plan, results, each.text, here),
    )


def _version(plan: Plan) -> str:
    """The version at hand, and what the plan is."""
    version = plan.version
    parts = [f"Version {version.version}", version.date] if version else []
    return plain(" · ".join([*parts, *([plan.status] if plan.status else [])]))


def _pages(context: Context, plan: Plan) -> str:
    """The further pages, with what each is about."""
    results = context.edition.results[plan.id]
    lines = []
    for each in plan.pages:
        about = _prose(context, plan, results, each.summary, here_of(each))
        text = f": {about}" if about else ""
        lines.append(f"- {link(f'{each.id}.md', page_title(context, plan, each))}{text}")
    return "\n".join(lines)


def _where(context: Context, plan: Plan) -> str:
    """The edition, and the other faces of the plan."""
    parts = [f"Edition {context.book.edition.isoformat()}, {context.edition.hash}"]
    parts += [link(to_file, title) for title, to_file in plan_files(plan).items()]
    return " · ".join(parts)


def _figures(context: Context, plan: Plan, results: Results) -> Iterator[list[str]]:
    for name in plan.headline:
        scalar = plan.scalars[name]
        yield [plain(scalar.title), shown(context, scalar, results.scalars[name])]


def _scenarios(context: Context, plan: Plan) -> Iterator[str]:
    """The headline under each scenario, side by side."""
    under = context.edition.scenarios.get(plan.id, {})
    if not under:
        return
    yield "## Scenarios"
    rows = (
        [plain(scalar.title), *(shown(context, scalar, r.scalars[name]) for r in under.values())]
        for name in plan.headline
        for scalar in (plan.scalars[name],)
    )
    yield grid(["Figure", *map(plain, under)], rows)


def _inputs(context: Context, plan: Plan, results: Results) -> Iterator[list[str]]:
    scenario = str(results.scalars[SCENARIO].value) if SCENARIO in results.scalars else ""
    for scalar in plan.scalars.values():
        if scalar.hidden or not scalar.is_input:
            continue
        stated = stated_by(plan, scalar, scenario)
        assert stated is not None
        value = shown(context, scalar, results.scalars[scalar.name])
        yield [
            code(scalar.name),
            plain(scalar.title),
            bounded(stated, context.symbol(scalar)) or value,
            stated.basis,
            cited(context, stated.citation),
            plain(stated.note or scalar.note),
        ]


def _results(context: Context, plan: Plan, results: Results) -> Iterator[list[str]]:
    for scalar in plan.scalars.values():
        if scalar.hidden or scalar.formula is None or scalar.is_input:
            continue
        value = shown(context, scalar, results.scalars[scalar.name])
        yield [code(scalar.name), plain(scalar.title), value, code(scalar.formula.text)]


def _tabled(context: Context, plan: Plan, table: Table) -> Iterator[str]:
    """A table with its cells, and below it the formulas of its columns."""
    results = context.edition.results[plan.id]
    yield f"### {plain(table.title)}"
    yield table_text(context, plan, table, results)
    formulas = [
        f"- {plain(c.title)}: {code(c.formula.text)}"
        for c in table.columns.values()
        if c.formula is not None and not c.hidden
    ]
    yield "\n".join(formulas)
    yield plain(table.note)


def table_text(
    context: Context,
    plan: Plan,
    table: Table,
    results: Results,
    only: tuple[str, str] | None = None,
) -> str:
    """The cells of a table and its totals; or `only` the rows whose reference of that column is
    that row, without the column."""
    left_out = only[0] if only else ""
    columns = [c for c in table.columns.values() if not c.hidden and c.name != left_out]
    series = results.tables[table.name]
    units = {c.name: context.symbol(c) for c in columns}
    formats = {c.name: format_of(c, series[c.name], context.book.units) for c in columns}
    head = [
        "Row",
        *(plain(f"{c.title} ({u})" if (u := units[c.name]) else c.title) for c in columns),
    ]
    rows = [
        [
            plain(table.row_titles[place]),
            *(shown(context, c, series[c.name][place], formats[c.name], plan) for c in columns),
        ]
        for place in range(len(table.rows))
        if only is None or series[left_out][place].value == only[1]
    ]
    if table.totals and only is None:
        totals = {c: results.scalars[f"{table.name}.total.{c}"] for c in table.totals}
        rows.append(
            [
                "**Total**",
                *(
                    shown(context, c, totals[c.name], formats[c.name]) if c.name in totals else ""
                    for c in columns
                ),
            ]
        )
    return grid(head, rows)


# ------------------------------------------------------------------ prose


def _prose(
    context: Context, plan: Plan, results: Results, text: str, here: Here | None = None
) -> str:
    """The plan's own text with every name replaced; code stays as it is."""
    here = here or Here(plan.id)

    def replaced(mark: re.Match[str]) -> str:
        if mark["name"] is None:
            return mark[0]
        kind, name = split(mark["name"])
        return _KINDS.get(kind, _elsewhere)(context, plan, results, name, here)

    return _NAMES.sub(replaced, text)


def _figure(context: Context, plan: Plan, results: Results, name: str, here: Here) -> str:
    if name == "recommendations":
        text = (f"- {_prose(context, plan, results, each)}" for each in plan.recommendations)
        return "\n" + "\n".join(text) + "\n"
    if name == HISTORY and plan.history:
        rows = ([v.version, v.date, v.status, plain(v.text)] for v in plan.history)
        return f"\n{grid(['Version', 'Date', 'Status', 'What changes'], rows)}\n"
    result = find(context, plan, results, name, here)
    if result is None:
        return _elsewhere(context, plan, results, name, here)
    if result.open is not None:
        return plain(bounded(result.open, context.symbol(result.quantity)))
    return shown(context, result.quantity, result.value, plan=plan)


def _table(context: Context, plan: Plan, results: Results, name: str, here: Here) -> str:
    name, _, word = name.partition(" where ")
    table = plan.tables.get(name)
    if table is None:
        return _elsewhere(context, plan, results, name, here)
    column = belonging(table, here.row) if word and here.row else None
    only = (column, here.row.row) if column and here.row else None
    return f"\n{table_text(context, plan, table, results, only)}\n"


def _chart(context: Context, plan: Plan, results: Results, name: str, here: Here) -> str:
    charts = {chart.id: chart for chart in plan.charts}
    if name not in charts:
        return _elsewhere(context, plan, results, name, here)
    return f"Chart: {plain(charts[name].title)}. {plain(charts[name].alt)}"


def _formula(context: Context, plan: Plan, results: Results, name: str, here: Here) -> str:
    scalar = scalar_named(plan, name)
    if scalar is None or scalar.formula is None:
        return _elsewhere(context, plan, results, name, here)
    value = shown(context, scalar, results.scalars[scalar.name])
    return f"{plain(scalar.title)} = {code(scalar.formula.text)} = {value}"


def _elsewhere(context: Context, plan: Plan, results: Results, name: str, here: Here) -> str:
    """What only the page can draw."""
    return link(f"{here.page}.html", f"{name} (on the page)")


_KINDS = {"": _figure, "table": _table, "chart": _chart, "formula": _formula}
