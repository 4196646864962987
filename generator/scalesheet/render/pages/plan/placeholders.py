"""The names that a plan's prose may use, and what each becomes on the plan's page."""

from __future__ import annotations

from collections.abc import Callable

from scalesheet.frozen import dataclass
from scalesheet.model import Plan, Table
from scalesheet.numbers import format_of
from scalesheet.prose import HISTORY, belonging, scalar_named
from scalesheet.render.pages.chart_blocks import chart_block
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.figures import amount, bound, ends
from scalesheet.render.pages.html import Html, inline, join, link, tag
from scalesheet.render.pages.marks import mark
from scalesheet.render.pages.places import block_anchor, chart_anchor, table_anchor
from scalesheet.render.pages.plan.formulas import short_formula
from scalesheet.render.pages.plan.prose_figures import Here, find, is_here
from scalesheet.render.pages.plan.tables import plan_table
from scalesheet.render.pages.plan.template import Block, Names
from scalesheet.render.pages.plan.versions import versions
from scalesheet.render.pages.tables import reference
from scalesheet.values import Results


def plan_names(
    context: Context, plan: Plan, results: Results, placed: set[str], here: Here | None = None
) -> Names:
    """The names of a plan on one of its pages.

    Drawn tables and charts are added to `placed`, as `table phases`: a second mention becomes a
    link to the first.
    """
    names = _Names(context, plan, results, placed, here or Here(plan.id))
    return {"": names.figure, "table": names.table, "chart": names.chart, "formula": names.formula}


@dataclass(frozen=True, slots=True)
class _Names:
    """Resolves each kind of name on one page of a plan."""

    context: Context
    plan: Plan
    results: Results
    placed: set[str]
    here: Here

    def once(self, name: str, target: str, title: str, draw: Callable[[], Html]) -> Block:
        if name in self.placed:
            return Block(tag("p", link(f"#{target}", title)))
        self.placed.add(name)
        return Block(draw())

    def table(self, name: str) -> Html | None:
        name, _, word = name.partition(" where ")
        table = self.plan.tables.get(name)
        if table is None:
            return None
        if word:
            return self.part(table, word)

        def draw() -> Html:
            return table_block(self.context, self.plan, table, self.results, self.here)

        return self.once(f"table {name}", table_anchor(name), table.title, draw)

    def part(self, table: Table, word: str) -> Html | None:
        """The rows of a table that belong to the row of the page."""
        row = self.here.row
        column = belonging(table, row) if row is not None and row.word == word else None
        if column is None or row is None:
            return None
        target = block_anchor(table.name, row.row)

        def draw() -> Html:
            only = (column, row.row)
            rows = plan_table(self.context, self.plan, table, self.results, self.here, only)
            return tag("div", rows, id=target)

        return self.once(f"table {table.name} where {word}", target, table.title, draw)

    def chart(self, name: str) -> Html | None:
        chart = next((each for each in self.plan.charts if each.id == name), None)
        if chart is None:
            return None

        def draw() -> Html:
            return chart_block(self.context, self.plan, chart, self.results)

        return self.once(f"chart {name}", chart_anchor(name), chart.title, draw)

    def formula(self, name: str) -> Html | None:
        scalar = scalar_named(self.plan, name)
        if scalar is None or scalar.formula is None or scalar.is_input:
            return None
        page = self.here.page
        shown = short_formula(self.context, self.plan, self.results, scalar, scalar.formula, page)
        return Block(shown)

    def figure(self, name: str) -> Html | None:
        if name == HISTORY and self.plan.history:

            def draw() -> Html:
                return versions(self.context, self.plan, self.results)

            return self.once(HISTORY, HISTORY, "Versions", draw)
        return _figure(self.context, self.plan, self.results, name, self.here)


def _figure(context: Context, plan: Plan, results: Results, name: str, here: Here) -> Html | None:
    """A figure in running text, linked to where it is shown in full."""
    found = find(context, plan, results, name, here)
    if found is None:
        return None
    quantity, value = found.quantity, found.value
    if quantity.kind == "reference" and value.reason is None:
        if is_here(found, here):
            return inline(found.title)
        shown = reference(context, plan, quantity, value)
        return tag("span", shown, **mark(found.of, "row")) if found.of else shown
    if quantity.kind == "text" and isinstance(value.value, str):
        if quantity.show.code:
            return code_block(value.value, found.of)
        return tag("span", inline(value.value), **mark(found.of, "text"))
    fmt = format_of(quantity, found.values, context.book.units)
    if quantity.kind == "reference" and found.of:
        # with other inputs there may be a row, and a link to it
        return tag("span", amount(value, fmt), **mark(found.of, "row"))
    if found.open is not None:
        least = bound(found.open, fmt, context.symbol(quantity))
        return link(found.target, least, class_="figure-link")
    shown = amount(value, fmt, context.symbol(quantity), range_=False)
    shown_range = ends(value, fmt)
    figure = link(found.target, shown, **mark(found.of, "figure"))
    if not shown_range and not (quantity.ranged and found.of):
        return figure
    # inside the element, since a range may appear or disappear with other inputs
    ranged = inline(f" ({shown_range})") if shown_range else None
    bracket = Html(f" {ranged}") if ranged else None
    return join([figure, tag("span", bracket, class_="range", **mark(found.of, "bracket"))])


def code_block(text: str, of: str | None = None) -> Html:
    """A text as code: a block if it has several lines, else inline."""
    if "\n" in text.strip("\n"):
        return Block(tag("pre", tag("code", text, **mark(of, "text"))))
    return tag("code", inline(text), **mark(of, "text"))


# ------------------------------------------------------------------ blocks


def table_block(
    context: Context, plan: Plan, table: Table, results: Results, here: Here | None = None
) -> Html:
    """A table at its place on the page."""
    drawn = plan_table(context, plan, table, results, here)
    return tag("div", drawn, id=table_anchor(table.name))
