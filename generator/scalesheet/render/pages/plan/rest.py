"""Everything behind a plan's answer: its text, tables and inputs.

These are sections of the plan's own page, or pages of their own for a divided plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from functools import cached_property

from scalesheet.evaluate.references import formulas
from scalesheet.frozen import dataclass
from scalesheet.model import Citation, Plan
from scalesheet.pictures import DATED
from scalesheet.prose import ADVICE, HISTORY, named
from scalesheet.render.pages.catalogue.earlier import earlier_section, of_plan
from scalesheet.render.pages.chart_blocks import chart_block
from scalesheet.render.pages.context import Context, cite, table_address, to
from scalesheet.render.pages.html import Html, heading, join, link, tag
from scalesheet.render.pages.places import part
from scalesheet.render.pages.plan.actuals import actuals_section
from scalesheet.render.pages.plan.alternatives import SCRIPT, alternatives_section
from scalesheet.render.pages.plan.calendar import calendar_section
from scalesheet.render.pages.plan.inputs import input_sections
from scalesheet.render.pages.plan.placeholders import plan_names, table_block
from scalesheet.render.pages.plan.prose_figures import Here
from scalesheet.render.pages.plan.template import Block, Names, line, prose
from scalesheet.render.pages.plan.versions import versions
from scalesheet.render.versions import cut_versions
from scalesheet.values import Results, Value


@dataclass(frozen=True)
class Rest:
    """The sections of a plan on one of its pages, `here`."""

    context: Context
    plan: Plan
    here: str
    placed: set[str] = field(default_factory=set)
    """What the text of this page has drawn, as `table runs`."""

    @property
    def results(self) -> Results:
        return self.context.results[self.plan.id]

    @cached_property
    def names(self) -> Names:
        here = Here(self.here)
        return plan_names(self.context, self.plan, self.results, self.placed, here)

    @cached_property
    def advice(self) -> Block | None:
        """The plan's recommendations, with figures filled in."""
        advice = self.plan.recommendations
        if not advice:
            return None
        return Block(tag("ul", *(tag("li", line(text, self.names)) for text in advice)))

    def prose(self, text: str) -> str:
        """Fill in text of the plan; `{{ recommendations }}` becomes its recommendations."""
        figure = self.names[""]

        def named(name: str) -> Html | None:
            return self.advice if name == ADVICE and self.advice else figure(name)

        return prose(text, {**self.names, "": named}).strip()

    def text(self) -> Iterator[object]:
        """Show what belongs with the plan's text but is not placed in it."""
        context, plan, results = self.context, self.plan, self.results
        placed = {each.strip() for each in named(plan.page)}
        if cut_versions(plan) and HISTORY not in placed:
            yield heading(2, "Versions", HISTORY)
            yield versions(context, plan, results)
        yield from actuals_section(context, plan)
        yield from calendar_section(context, plan, results, frozenset(self.placed))
        yield from alternatives_section(context, plan)
        if self.advice is not None and ADVICE not in placed:
            yield heading(2, "Recommendations", ADVICE)
            yield self.advice

    @cached_property
    def scripts(self) -> tuple[str, ...]:
        """The scripts that this page needs besides that of all plan pages."""
        there = any(alternatives_section(self.context, self.plan))
        return (SCRIPT,) if there and self.here == part(self.plan, "text") else ()

    def tables(self) -> Iterator[object]:
        """Show the charts and tables that no text of the plan draws."""
        context, plan, results = self.context, self.plan, self.results
        homes, own = context.homes[plan.id], part(plan, "tables")

        def left(name: str) -> bool:
            return homes[name] == own and name not in self.placed

        further = {page.id for page in plan.pages}
        elsewhere = [t for t in plan.tables.values() if homes[f"table {t.name}"] in further]
        charts = [c for c in plan.charts if c != DATED and left(f"chart {c.id}")]
        tables = [t for t in plan.tables.values() if left(f"table {t.name}")]
        if not charts and not tables and not elsewhere:
            return
        yield heading(2, "Tables", "tables")
        if elsewhere:
            places = [link(table_address(context, plan, t.name, own), t.title) for t in elsewhere]
            yield tag("p", "On further pages: ", join(places, ", "), ".")
        for chart in charts:
            yield chart_block(context, plan, chart, results)
        for table in tables:
            yield table_block(context, plan, table, results, Here(self.here))

    def inputs(self) -> Iterator[object]:
        """Show the plan's inputs, references and sources."""
        context, plan, results = self.context, self.plan, self.results
        yield from input_sections(context, plan, results)
        yield from earlier_section(context, of_plan(plan))
        yield from _used(context, plan, results)
        yield from _sources(context, plan)


def _used(context: Context, plan: Plan, results: Results) -> Iterator[object]:
    """List the rows of the catalogue that the plan refers to."""
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
        yield tag("dl", *entries, class_="facts", data_used=True)


def _row(table: str | None, value: Value) -> dict[tuple[str, str], None]:
    return {(table, value.value): None} if table and isinstance(value.value, str) else {}


def _sources(context: Context, plan: Plan) -> Iterator[object]:
    """List every source that the plan's own figures and formulas cite."""
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
    """The keys of the sources that a plan cites, itself or through a catalogue formula."""
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
