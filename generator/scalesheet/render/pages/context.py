"""What every page is made from: the book, its results, and the page of each thing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from scalesheet.audit.model import Audited
from scalesheet.book import Book
from scalesheet.edition import Edition
from scalesheet.evaluate.missing import explained
from scalesheet.evaluate.references import users
from scalesheet.frozen import dataclass
from scalesheet.kept import OnDemand
from scalesheet.model import Citation, Column, Key, Plan, Position, Quantity, Scalar, Table
from scalesheet.numbers import Format, format_of
from scalesheet.render.live.engine import Engine
from scalesheet.render.pages.html import Html, drawn, join, link, tag
from scalesheet.render.pages.places import Homes, address_of, homes, table_anchor, within
from scalesheet.render.pages.plan.live import shown
from scalesheet.render.pages.plan.moves import rankings
from scalesheet.render.script import program
from scalesheet.values import Results, Series, Value, stated_value

T = TypeVar("T")
ASSETS = "assets"  # the folder of scripts, beside those of pages


@dataclass(frozen=True, eq=False)
class Context:
    """An edition, and the page of each thing in it.

    All pages are one folder deep, so that a link from any page to any other is
    `../<folder>/<id>.md`.
    """

    edition: Edition
    docs: Path | None = None  # the handwritten pages, which a user's own book may lack

    @property
    def book(self) -> Book:
        return self.edition.book

    @cached_property
    def results(self) -> Mapping[str, Results]:
        """The results of each plan, with the reasons that pages show."""
        edition, plans, tables = self.edition, self.book.plans, self.book.tables
        return OnDemand(
            plans, lambda id_: explained(edition.results[id_], {**tables, **plans[id_].tables})
        )

    @cached_property
    def catalogue(self) -> Mapping[str, Mapping[str, Series]]:
        """The catalogue's tables, as any of the plans computed them."""
        result: dict[str, Mapping[str, Series]] = {}
        for plan in sorted(self.edition.results):
            for name, columns in self.edition.results[plan].tables.items():
                if name in self.book.tables:
                    result.setdefault(name, columns)
            if len(result) == len(self.book.tables):
                break
        return result

    @cached_property
    def homes(self) -> Mapping[str, Homes]:
        """For each plan, the page of each of its tables, charts, inputs and formulas."""
        plans = self.book.plans
        return OnDemand(plans, lambda id_: homes(plans[id_]))

    @cached_property
    def users(self) -> Mapping[str, Mapping[Key, tuple[Key, ...]]]:
        """For each plan, the figures whose formulas use each of its figures."""
        plans = self.book.plans
        return OnDemand(plans, lambda id_: users(plans[id_]))

    @cached_property
    def explained(self) -> Mapping[tuple[str, str], tuple[str, Scalar]]:
        """The quantity of a component, with the component's id, that a formula of a plan copies, by
        the file and the text of the formula."""
        return {
            (scalar.formula.position.path, scalar.formula.text): (id_, scalar)
            for id_, component in self.book.components.items()
            for scalar in component.plan.scalars.values()
            if scalar.formula is not None and scalar.formula.position
            if not scalar.hidden and scalar.name not in component.inputs
        }

    @cached_property
    def scripts(self) -> Mapping[str, str]:
        """For each plan, the script of its pages."""
        plans, book = self.book.plans, self.book
        return OnDemand(plans, lambda id_: program(plans[id_], book) + shown(plans[id_], book))

    @cached_property
    def drawn(self) -> Mapping[str, Any]:
        """For each plan, its charts and tornados as its page's script draws them."""
        sensitivities, plans, book = self.edition.sensitivities, self.book.plans, self.book

        def draw(id_: str) -> Any:
            moving = rankings(sensitivities[id_], plans[id_], book) if id_ in sensitivities else []
            return Engine(self.scripts[id_]).call("scalesheet.published", id_, moving)

        return OnDemand(plans, lambda id_: self.edition.keep("drawn", lambda: draw(id_), id_))

    @cached_property
    def _engine(self) -> Engine:
        return Engine()

    def draw(self, kind: str, data: Any) -> Html:
        """Draw a picture that belongs to no plan with the `live/` script of that name."""
        return drawn(self._engine.call(f"scalesheet.{kind}.svg", asdict(data)))

    def table(self, name: str, plan: Plan | None = None) -> Table | None:
        """A table of the plan, or else of the catalogue."""
        if plan is not None and name in plan.tables:
            return plan.tables[name]
        return self.book.tables.get(name)

    def symbol(self, quantity: Quantity) -> str:
        return self.book.units.symbol(quantity.unit) if quantity.unit is not None else ""

    def row_title(self, table: Table, row: str) -> str:
        return table.title_of(row)


def cell_value(context: Context, table: Table, column: Column, row: str) -> Value:
    """The value of a catalogue cell: computed if a plan computed it, else as stated."""
    computed = context.catalogue.get(table.name, {}).get(column.name)
    if computed is not None:
        return computed[table.rows.index(row)]
    return stated_value(column.stated[row]) if row in column.stated else Value()


def column_format(context: Context, table: Table, column: Column) -> Format:
    """The common format of a catalogue column."""
    values = [cell_value(context, table, column, row) for row in table.rows]
    return format_of(column, values, context.book.units)


def audits_of(context: Context, plan: Plan) -> Mapping[str, Audited]:
    """The audits of a plan's documents by id, which is the name of their page."""
    return {id_: each for id_, each in context.edition.audits.items() if each.audit.plan == plan.id}


def plan_files(plan: Plan) -> dict[str, str]:
    """Links from a plan's page to its workbook and data API files, by label."""
    data = {kind.upper(): f"../../api/v1/plans/{plan.id}.{kind}" for kind in ("json", "csv")}
    return {"workbook": f"../../workbooks/{plan.id}.xlsx", **data}


def to(folder: str, id_: str, part: str = "") -> str:
    """The address of a page from any other."""
    return f"../{folder}/{id_}.md" + (f"#{part}" if part else "")


def address(context: Context, plan: Plan, key: Key, here: str) -> str:
    """The address where a figure is shown in full, from the page `here` of the plan."""
    return address_of(context.homes[plan.id], plan, key, here)


def table_address(context: Context, plan: Plan, table: str, here: str) -> str:
    """The address where a table is drawn, from a page of a plan."""
    return within(here, context.homes[plan.id][f"table {table}"], table_anchor(table))


def cite(
    context: Context, citation: Citation | None, within: Citation | None = None
) -> Html | None:
    """Cite a source: its title with a link, the place within it, and the quoted text.

    If it is the source of most other figures, passed as `within`, only the place is shown.
    """
    if citation is None:
        return None
    source = context.book.sources.get(citation.key)
    quote = [": ", tag("q", citation.quote)] if citation.quote else []
    if source is not None and within is not None and within.key == citation.key:
        if not citation.locator:
            return join([Html("this plan"), *quote])
        return join([link(to("sources", citation.key), citation.locator), *quote])
    shown = link(to("sources", citation.key), source.title) if source else citation.key
    if not citation.locator:
        return join([shown, *quote])
    return join([shown, ", ", tag("span", citation.locator, class_="locator"), *quote])


def edit_url(context: Context, position: Position | None) -> str | None:
    """The address of this line in the repository, wherever the book was built."""
    if position is None or not context.book.url:
        return None
    folder = context.book.folder
    if not position.path.startswith(folder):
        return None  # it is in the book that this one extends
    place = f"{PurePosixPath(folder).name or 'data'}/{position.path.removeprefix(folder)}"
    return f"{context.book.url.rstrip('/')}/blob/main/{place}#L{position.line}"


def edit_link(context: Context, position: Position | None, text: str = "edit the data") -> Html:
    """A link to the line that states this; empty without a repository."""
    url = edit_url(context, position)
    return link(url, text, class_="edit") if url else Html()


def file_note(context: Context, position: Position | None) -> Html | None:
    """A sentence that links the file of `line_link`s once; None without a repository."""
    url = edit_url(context, position)
    if url is None:
        return None
    file, _, _ = url.partition("#")
    name = PurePosixPath(file).name
    return join([" Lines refer to ", link(file, name, class_="edit", data_lines=True), "."])


def line_link(context: Context, position: Position | None, within: Position | None) -> Html:
    """The line that states this; `site.js` links it to the file of `file_note`, at `within`."""
    if position is None or within is None or position.path != within.path:
        return edit_link(context, position)
    line = tag("a", f"line {position.line}", class_="edit")
    return line if edit_url(context, position) else Html()
