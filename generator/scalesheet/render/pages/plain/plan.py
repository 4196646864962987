"""A plan's page as plain Markdown: the answer, the plan's own text, inputs, results, tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scalesheet.model import Plan, Table
from scalesheet.numbers import format_of
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.names import find, scalar_named
from scalesheet.render.pages.places import SCENARIO, is_input, stated_by
from scalesheet.render.pages.plain.text import (
    API,
    bounded,
    cited,
    code,
    document,
    grid,
    link,
    plain,
    shown,
)
from scalesheet.values import Results

_NAMES = re.compile(
    r"^(?P<fence>`{3,}|~{3,})[^\n]*\n.*?^(?P=fence)[ \t]*$"
    r"|(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)"
    r"|\{\{(?P<name>[^\n{}]*)\}\}",
    re.MULTILINE | re.DOTALL,
)


def plan_text(context: Context, plan: Plan) -> str:
    """Everything that the page says, for readers of text."""
    results = context.results[plan.id]
    prose = _prose(context, plan, results, plan.page)
    advice = [f"- {_prose(context, plan, results, each)}" for each in plan.recommendations]
    return document(
        f"# {plain(plan.title)}",
        plain(plan.summary),
        _where(context, plan),
        "## Headline",
        grid(["Figure", "Value"], _figures(context, plan, results)),
        prose,
        *(["## Recommendations", "\n".join(advice)] if advice and "{{ recomm" not in plan.page
          else []),
        *_scenarios(context, plan),
        "## Inputs",
        grid(["Name", "Input", "Value", "Kind", "Source", "Note"], _inputs(context, plan, results)),
        "## Results",
        grid(["Name", "Figure", "Value", "Formula"], _results(context, plan, results)),
        "## Tables",
        *(block for each in plan.tables.values() for block in _tabled(context, plan, each)),
    )  # fmt: skip


def _where(context: Context, plan: Plan) -> str:
    """The edition, and the other faces of the plan."""
    parts = [f"Edition {context.book.edition.isoformat()}, {context.edition_hash}"]
    if plan.id in context.workbooks:
        parts.append(link(context.workbooks[plan.id], "workbook"))
    parts += [link(f"{API}/plans/{plan.id}.{kind}", kind.upper()) for kind in ("json", "csv")]
    return " · ".join(parts)


def _figures(context: Context, plan: Plan, results: Results) -> Iterator[list[str]]:
    for name in plan.headline:
        scalar = plan.scalars[name]
        yield [plain(scalar.title), shown(context, scalar, results.scalars[name])]


def _scenarios(context: Context, plan: Plan) -> Iterator[str]:
    """The headline under each scenario, side by side."""
    under = context.scenarios.get(plan.id, {})
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
        if scalar.hidden or not is_input(plan, scalar):
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
        if scalar.hidden or scalar.formula is None or is_input(plan, scalar):
            continue
        value = shown(context, scalar, results.scalars[scalar.name])
        yield [code(scalar.name), plain(scalar.title), value, code(scalar.formula.text)]


def _tabled(context: Context, plan: Plan, table: Table) -> Iterator[str]:
    """A table with its cells, and below it the formulas of its columns."""
    results = context.results[plan.id]
    yield f"### {plain(table.title)}"
    yield table_text(context, table, results)
    formulas = [
        f"- {plain(c.title)}: {code(c.formula.text)}"
        for c in table.columns.values()
        if c.formula is not None and not c.hidden
    ]
    yield "\n".join(formulas)
    yield plain(table.note)


def table_text(context: Context, table: Table, results: Results) -> str:
    """The cells of a table and its totals."""
    columns = [c for c in table.columns.values() if not c.hidden]
    series = results.tables[table.name]
    units = {c.name: context.symbol(c) for c in columns}
    formats = {c.name: format_of(c, series[c.name], context.book.units) for c in columns}
    head = ["Row", *(plain(f"{c.title} ({u})" if (u := units[c.name]) else c.title)
                     for c in columns)]  # fmt: skip
    rows = [
        [plain(table.row_titles[place]),
         *(shown(context, c, series[c.name][place], formats[c.name]) for c in columns)]
        for place in range(len(table.rows))
    ]  # fmt: skip
    if table.totals:
        totals = {c: results.scalars[f"{table.name}.total.{c}"] for c in table.totals}
        rows.append(
            ["**Total**",
             *(shown(context, c, totals[c.name], formats[c.name]) if c.name in totals else ""
               for c in columns)]
        )  # fmt: skip
    return grid(head, rows)


# ------------------------------------------------------------------ prose


def _prose(context: Context, plan: Plan, results: Results, text: str) -> str:
    """The plan's own text with every name replaced; code stays as it is."""

    def replaced(mark: re.Match[str]) -> str:
        if mark["name"] is None:
            return mark[0]
        kind, _, name = mark["name"].strip().rpartition(" ")
        return _KINDS.get(kind.strip(), _elsewhere)(context, plan, results, name)

    return _NAMES.sub(replaced, text)


def _figure(context: Context, plan: Plan, results: Results, name: str) -> str:
    if name == "recommendations":
        told = (f"- {_prose(context, plan, results, each)}" for each in plan.recommendations)
        return "\n" + "\n".join(told) + "\n"
    found = find(context, plan, results, name)
    if found is None:
        return _elsewhere(context, plan, results, name)
    return shown(context, found.quantity, found.value)


def _table(context: Context, plan: Plan, results: Results, name: str) -> str:
    if name not in plan.tables:
        return _elsewhere(context, plan, results, name)
    return f"\n{table_text(context, plan.tables[name], results)}\n"


def _chart(context: Context, plan: Plan, results: Results, name: str) -> str:
    charts = {chart.id: chart for chart in plan.charts}
    if name not in charts:
        return _elsewhere(context, plan, results, name)
    return f"Chart: {plain(charts[name].title)}. {plain(charts[name].alt)}"


def _formula(context: Context, plan: Plan, results: Results, name: str) -> str:
    scalar = scalar_named(plan, name)
    if scalar is None or scalar.formula is None:
        return _elsewhere(context, plan, results, name)
    value = shown(context, scalar, results.scalars[scalar.name])
    return f"{plain(scalar.title)} = {code(scalar.formula.text)} = {value}"


def _elsewhere(context: Context, plan: Plan, results: Results, name: str) -> str:
    """What only the page can draw."""
    return link(f"{plan.id}.html", f"{name} (on the page)")


_KINDS = {"": _figure, "table": _table, "chart": _chart, "formula": _formula}
