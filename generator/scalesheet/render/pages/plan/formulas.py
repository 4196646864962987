"""How each figure of a plan is computed: the formula, its numbers, and its dependencies."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby

from scalesheet.evaluate.references import key_of
from scalesheet.frozen import dataclass
from scalesheet.language import syntax
from scalesheet.model import Column, Formula, Key, Plan, Quantity, Scalar, Table
from scalesheet.numbers import format_of
from scalesheet.render.pages.context import Context, address, cite, file_note, line_link, to
from scalesheet.render.pages.figures import OUTER, amount
from scalesheet.render.pages.html import Html, heading, join, link, tag
from scalesheet.render.pages.marks import As, mark, of_cell, of_chosen
from scalesheet.render.pages.notation import (
    Titles,
    drawn,
)
from scalesheet.render.pages.places import column_anchor, scalar_anchor
from scalesheet.render.pages.tables import reference
from scalesheet.scenarios import computed
from scalesheet.values import Results, Value
from scalesheet.vocabulary import counted


@dataclass(frozen=True, slots=True)
class PlanFormula:
    """One formula of a plan: of a scalar, or of some rows of a column.

    `row` is the first row with a value, shown as an example. `apart`: the column has another
    formula for other rows.
    """

    key: Key
    title: str
    quantity: Quantity
    formula: Formula
    anchor: str
    rows: tuple[str, ...] = ()
    row: str | None = None
    apart: bool = False


def plan_formulas(plan: Plan, results: Results) -> Mapping[str | None, list[PlanFormula]]:
    """Every formula of the plan, grouped into its own and each phase's."""
    groups: dict[str | None, list[PlanFormula]] = {
        None: [],
        **{phase.id: [] for phase in plan.phases},
    }
    for scalar in plan.scalars.values():
        if scalar.formula is not None and not scalar.hidden and not scalar.is_input:
            target = scalar_anchor(plan, scalar)
            formula = PlanFormula(Key(scalar.name), scalar.title, scalar, scalar.formula, target)
            groups[scalar.phase].append(formula)
    for table in plan.tables.values():
        for column in table.columns.values():
            if computed(column):
                groups[table.phase] += _of_column(table, column, results)
    return groups


def formula_blocks(
    context: Context, plan: Plan, results: Results, keys: Collection[Key], here: str
) -> Iterator[object]:
    """Show the formulas of these figures, each folded to one line, on the page `here`."""
    used = context.users[plan.id]
    groups = {
        phase: [each for each in group if each.key in keys]
        for phase, group in plan_formulas(plan, results).items()
    }
    if not any(groups.values()):
        return
    titles = {None: "The plan"} | {phase.id: phase.title for phase in plan.phases}
    yield heading(2, "How each figure is computed", "formulas")
    opened = "Open a figure to see its formula, numbers and sources."
    yield tag("p", opened, file_note(context, plan.position), class_="note")
    for phase, group in groups.items():
        if group:
            yield heading(3, titles[phase], f"formulas-{phase or 'plan'}")
            shown = _Shown(context, plan, results, here)
            for table, formulas in groupby(group, lambda formula: formula.key.table):
                if table is not None:
                    yield tag("h4", plan.tables[table].title)
                blocks = [shown.block(formula, used.get(formula.key, ())) for formula in formulas]
                yield tag("section", *blocks, class_="formulas")


def _of_column(table: Table, column: Column, results: Results) -> Iterator[PlanFormula]:
    """Yield the formulas of a column, each with the rows it computes."""
    series = dict(
        zip(results.rows[table.name], results.tables[table.name][column.name], strict=True)
    )
    rows: dict[str, list[str]] = {}
    by_text: dict[str, Formula] = {}
    for row in series:
        formula = column.own.get(row, None if row in column.stated else column.formula)
        if formula is not None:
            rows.setdefault(formula.text, []).append(row)
            by_text.setdefault(formula.text, formula)
    for n, (text, of) in enumerate(rows.items()):
        yield PlanFormula(
            Key(column.name, table.name),
            column.title,
            column,
            by_text[text],
            column_anchor(table.name, column.name, *of[:1] if n else ()),
            tuple(of),
            next((row for row in of if series[row].value is not None), None),
            n > 0,
        )


def scrolling(formula: Html | None) -> Html | None:
    """A formula in a box that scrolls if it is wider than the page."""
    return tag("div", formula, class_="wide") if formula else None


def short_formula(
    context: Context, plan: Plan, results: Results, scalar: Scalar, formula: Formula, here: str
) -> Html:
    """A formula within the text of one of the plan's pages, with a link to its details."""
    text = PlanFormula(Key(scalar.name), scalar.title, scalar, formula, "")
    return tag(
        "div",
        tag(
            "p",
            link(address(context, plan, Key(scalar.name), here), scalar.title),
            _Shown(context, plan, results, here).result(text),
        ),
        scrolling(drawn(Titles(context, plan), scalar.title, formula.ends.value)),
        class_="formula",
    )


@dataclass(frozen=True, slots=True)
class _Shown:
    """Shows formulas of a plan with the numbers of one of its scenarios."""

    context: Context
    plan: Plan
    results: Results
    here: str

    def block(self, formula: PlanFormula, users: tuple[Key, ...]) -> Html:
        """Show one formula with its result in a line; the details are folded.

        The anchor is within the fold, so that a link to it opens the fold.
        """
        titles = Titles(self.context, self.plan, formula.key.table)
        node = formula.formula.ends.value
        gives = self.result(formula, linked=False)
        elsewhere = self.of_component(formula)
        return tag(
            "details",
            tag("summary", tag("strong", formula.title), tag("span", gives) if gives else None),
            tag(
                "div",
                None if elsewhere else scrolling(drawn(titles, "", node)),
                self.needs(formula),
                self.used_by(formula, users),
                *(
                    (elsewhere,)
                    if elsewhere
                    else (
                        calls(self.context, formula.formula),
                        _foot(self.context, self.plan, formula),
                        as_written(formula.formula),
                    )
                ),
                id=formula.anchor,
                data_rows=" ".join(formula.rows) if formula.apart else None,
            ),
            class_="formula",
        )

    def of_component(self, formula: PlanFormula) -> Html | None:
        """A link to a component's page, which explains a formula that the plan has from it."""
        position = formula.formula.position
        place = (position.path if position else "", formula.formula.text)
        if place not in self.context.explained:
            return None
        id_, scalar = self.context.explained[place]
        component = self.context.book.components[id_].plan
        target = to("components", id_, scalar_anchor(component, scalar))
        return tag("p", link(target, "Formula, note and source"), f" ({component.title})")

    def result(self, formula: PlanFormula, *, linked: bool = True) -> Html | None:
        """` = 342 GPU·h 326–380`; for a column also the example row.

        `linked` is false where a click unfolds the formula, since a link there would catch it.
        """
        outer = OUTER if formula.formula.outer else None
        if formula.key.table is not None and formula.row is None:
            return None
        shown = self.figure(formula.quantity, formula.key, formula.row, linked=linked)
        return join([" = ", shown, self.where(formula), outer])

    def figure(
        self,
        quantity: Quantity,
        key: Key,
        row: str | None,
        *,
        own: bool = False,
        by: str = "",
        linked: bool = True,
    ) -> Html:
        """A value in the format of its column, a reference by its title; `own`: of the example
        row; `by` is the figure that selects the row, if it is looked up."""
        if key.table is None:
            value, of = self.results.scalars[key.name], key.name
            values: Iterable[Value] = [value]
        else:
            assert row is not None
            value, of = (
                self.results.cell(key.table, row, key.name),
                of_chosen(key.table, by, key.name) if by else of_cell(key.table, row, key.name),
            )
            values = self.results.tables[key.table][key.name]
        as_: As = "amount"
        if quantity.kind == "reference" and value.reason is None:
            shown, as_ = reference(self.context, self.plan, quantity, value, linked=linked), "row"
        else:
            fmt = format_of(quantity, values, self.context.book.units)
            shown = amount(value, fmt, self.context.symbol(quantity), bare=True)
        return tag("span", shown, **mark(of, as_, usual="amount"), data_own=own)

    def where(self, formula: PlanFormula) -> Html | None:
        """`in Stage one (same in 3 more rows)`."""
        if formula.key.table is None or formula.row is None:
            return None
        more = len(formula.rows) - 1
        title = self.context.row_title(self.plan.tables[formula.key.table], formula.row)
        others = f" (same in {counted(more, 'more row')})" if more else ""
        return tag("span", f" in {title}{others}", class_="note")

    def needs(self, formula: PlanFormula) -> Html | None:
        """The figures that the formula reads, with their values."""
        named: dict[tuple[Key, str], Html | None] = {}
        for node in syntax.walk(formula.formula.ends.value):
            if (key := key_of(node)) is not None:
                row, by = self._row(node, key, formula)
                if (key, by) not in named:
                    named[key, by] = self.named(key, formula, row, by)
        shown = list(filter(None, named.values()))
        return tag("p", "Needs ", join(shown, ", "), ".") if shown else None

    def _row(self, node: syntax.Node, key: Key, formula: PlanFormula) -> tuple[str | None, str]:
        """The row that a reference reads, seen from the example row, and what selects it if it is
        looked up."""
        own = formula.row if key.table == formula.key.table else None
        if not isinstance(node, syntax.Lookup):
            return key.row or own, ""
        match node.key:
            case syntax.Scalar():
                value, by = self.results.scalars[node.key.name].value, node.key.name
            case syntax.Cell() as at:
                value = self.results.cell(at.table, at.row, at.column).value
                by = of_cell(at.table, at.row, at.column)
            case syntax.Column() as at if formula.row is not None and at.table == formula.key.table:
                value = self.results.cell(at.table, formula.row, at.column).value
                by = of_cell(at.table, formula.row, at.column)
            case _:
                return None, ""
        found = isinstance(value, str) and value in self.results.rows[node.table]
        return (str(value), by) if found else (None, "")

    def named(self, key: Key, formula: PlanFormula, row: str | None, by: str) -> Html | None:
        """A figure by its title, linked, with its value. A formula's own table is not named."""
        title = self._linked(key, formula)
        if title is None:
            return None
        if key.table is None:
            shown = self.figure(self.plan.scalars[key.name], key, None)
            return join([title, " (", shown, ")"])
        table = self.context.table(key.table, self.plan)
        if table is None or row not in table.rows:
            return title
        own = key.row is None and (not by or by.startswith(f"{formula.key.table}/"))
        shown = self.figure(table.columns[key.name], key, row, own=own, by=by)
        return join([title, " (", shown, ")"])

    def used_by(self, formula: PlanFormula, keys: tuple[Key, ...]) -> Html | None:
        links = list(filter(None, (self._linked(key, formula) for key in keys)))
        return tag("p", "Used by ", join(links, ", "), ".", class_="users") if links else None

    def _linked(self, key: Key, formula: PlanFormula) -> Html | None:
        """The title of a figure, with that of its table unless it is the formula's own, as a link.
        None for what is not shown."""
        if key.table is not None and key.table in self.context.book.tables:
            target = to(key.table, "index")
        else:
            target = address(self.context, self.plan, key, self.here)
        if key.table is None:
            scalar = self.plan.scalars[key.name]
            return None if scalar.hidden else link(target, scalar.title)
        table = self.context.table(key.table, self.plan)
        column = table.columns.get(key.name) if table else None
        if table is None or column is None or column.hidden:
            return None
        own = key.table == formula.key.table
        return link(target, column.title if own else f"{table.title}: {column.title}")


def calls(context: Context, formula: Formula) -> Html | None:
    """Link the catalogue formulas that it calls."""
    parts = [
        link(to("formulas", record.id), record.title)
        for record in (context.book.records[id_] for id_ in formula.uses)
    ]
    return tag("p", "Calls ", join(parts, ", "), ".") if parts else None


def as_written(formula: Formula) -> Html:
    """The formula as written, to copy; the page's script folds it and adds the LaTeX
    (`live/latex.js`).

    Not in `pre`, because the theme processes each one, and a page has hundreds.
    """
    written = tag("dd", tag("code", formula.text))
    return tag("dl", tag("dt", "As written"), written, class_="notations")


def _foot(context: Context, plan: Plan, formula: PlanFormula) -> Html | None:
    """The note, the source, and a link to the line of the data."""
    source = cite(context, formula.formula.citation, plan.citation)
    position = formula.formula.position or formula.quantity.position
    edit = line_link(context, position, plan.position)
    note = formula.quantity.note or None
    content = join(
        [
            note,
            " " if note else None,
            "Source: " if source else None,
            source,
            " " if source else None,
            edit,
        ]
    )
    return tag("p", content) if content else None
