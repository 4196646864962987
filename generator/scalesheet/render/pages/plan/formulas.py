"""How each figure of a plan is computed: the formula, its numbers, and its dependencies."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from scalesheet.evaluate.references import references
from scalesheet.model import Column, Formula, Key, Plan, Quantity, Scalar, Table
from scalesheet.numbers import format_of
from scalesheet.render.pages.context import Context, address, cite, edit_link, to
from scalesheet.render.pages.figures import OUTER, amount
from scalesheet.render.pages.html import Html, heading, join, link, tag
from scalesheet.render.pages.marks import As, mark, of_cell
from scalesheet.render.pages.notation import (
    Numbers,
    Titles,
    drawn,
    in_words,
    notations,
    with_numbers,
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
    yield tag("p", "Open a line to see the formula, its numbers and its sources.", class_="note")
    for phase, group in groups.items():
        if group:
            yield heading(3, titles[phase], f"formulas-{phase or 'plan'}")
            shown = _Shown(context, plan, results, here)
            blocks = [shown.block(formula, used.get(formula.key, ())) for formula in group]
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
            f"{table.title}: {column.title}",
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
        return tag(
            "details",
            tag("summary", tag("strong", formula.title), tag("span", gives) if gives else None),
            tag(
                "div",
                scrolling(drawn(titles, "", node)),
                scrolling(_numbers(titles, self.results, formula)),
                tag("p", "In words: ", in_words(titles, node), ".", class_="in-words"),
                self.needs(formula),
                self.used_by(users),
                _catalogue(self.context, formula.formula),
                _foot(self.context, self.plan, formula),
                tag(
                    "details",
                    tag("summary", "As text"),
                    _texts(titles, formula.formula),
                    class_="quiet",
                ),
                id=formula.anchor,
                data_rows=" ".join(formula.rows) if formula.apart else None,
            ),
            class_="formula",
        )

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
        linked: bool = True,
    ) -> Html:
        """A value in the format of its column, a reference by its title; `own`: of the example
        row."""
        if key.table is None:
            value, of = self.results.scalars[key.name], key.name
            values: Iterable[Value] = [value]
        else:
            assert row is not None
            value, of = (
                self.results.cell(key.table, row, key.name),
                of_cell(key.table, row, key.name),
            )
            values = self.results.tables[key.table][key.name]
        as_: As = "amount"
        if quantity.kind == "reference" and value.reason is None:
            shown, as_ = reference(self.context, self.plan, quantity, value, linked=linked), "row"
        else:
            fmt = format_of(quantity, values, self.context.book.units)
            shown = amount(value, fmt, self.context.symbol(quantity))
        return tag("span", shown, **mark(of, as_), data_own=own)

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
        every = (
            self.named(needed, formula.row if needed.table == formula.key.table else None)
            for needed in references(formula.formula.ends.value)
        )
        named = [each for each in every if each is not None]
        return tag("p", "Needs ", join(named, ", "), ".") if named else None

    def named(self, key: Key, row: str | None) -> Html | None:
        """A figure by its title, linked, with its value."""
        if key.table is None:
            scalar = self.plan.scalars[key.name]
            if scalar.hidden:
                return None
            title = link(address(self.context, self.plan, key, self.here), scalar.title)
            return join([title, " (", self.figure(scalar, key, None), ")"])
        table = self.context.table(key.table, self.plan)
        if table is None or key.name not in table.columns:
            return None
        column = table.columns[key.name]
        target = (
            to(key.table, "index")
            if key.table in self.context.book.tables
            else address(self.context, self.plan, key, self.here)
        )
        title = link(target, f"{table.title}: {column.title}")
        at = key.row or row
        if at is None or at not in table.rows:
            return title
        return join([title, " (", self.figure(column, key, at, own=key.row is None), ")"])

    def used_by(self, keys: tuple[Key, ...]) -> Html | None:
        links = []
        for key in keys:
            table = self.plan.tables[key.table] if key.table is not None else None
            quantity = table.columns[key.name] if table else self.plan.scalars[key.name]
            title = f"{table.title}: {quantity.title}" if table else quantity.title
            if not quantity.hidden:
                links.append(link(address(self.context, self.plan, key, self.here), title))
        return tag("p", "Used by ", join(links, ", "), ".", class_="users") if links else None


def _numbers(titles: Titles, results: Results, formula: PlanFormula) -> Html | None:
    """The formula with its numbers filled in; None for a text formula."""
    if formula.quantity.kind == "text":
        return None
    key, numbers = formula.key, Numbers(titles, results, formula.row)
    if key.table is None:
        quantity = numbers.value(formula.quantity, results.scalars[key.name], key.name)
    elif formula.row is not None:
        quantity = replace(numbers.cell(key.table, formula.row, key.name), own=True)
    else:
        return None
    return with_numbers(numbers, quantity, formula.formula.ends.value)


def _catalogue(context: Context, formula: Formula) -> Html | None:
    """Link the catalogue formulas that it calls."""
    parts = [
        link(to("formulas", record.id), record.title)
        for record in (context.book.records[id_] for id_ in formula.uses)
    ]
    return tag("p", "Calls ", join(parts, ", "), ".") if parts else None


def _texts(titles: Titles, formula: Formula) -> Html:
    """The formula as written and in other notations, to copy.

    Not in `pre`, because the theme processes each one, and a page has hundreds.
    """
    written = formula.text
    texts = notations(titles, written, formula.ends.value)
    parts = (
        join([tag("dt", title), tag("dd", tag("code", text))])
        for title, text in texts
        if text and (title == "As written" or text != written)
    )
    return tag("dl", *parts, class_="notations")


def _foot(context: Context, plan: Plan, formula: PlanFormula) -> Html | None:
    """The note, the source, and a link to the line of the data."""
    source = cite(context, formula.formula.citation, plan.citation)
    position = formula.formula.position or formula.quantity.position
    edit = edit_link(context, position, "Edit this formula")
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
