"""Formulas that many pages share: explained once, on the page that the others link to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scalesheet.model import Column, Formula, Quantity, Scalar, Table
from scalesheet.render.pages.context import ASSETS, Context, cite, edit_link
from scalesheet.render.pages.html import Html, anchor, heading, join, tag
from scalesheet.render.pages.notation import Titles, drawn
from scalesheet.render.pages.plan.formulas import as_written, calls, scrolling


def column_formula(column: Column) -> str:
    """The anchor of a column's formula on the index page of its table."""
    return f"f.{anchor(column.name)}"


def column_formulas(context: Context, table: Table, columns: Iterable[Column]) -> Iterator[object]:
    """Show how the figures of a table's rows are computed, if any are."""
    computed = [(column, column.formula) for column in columns if column.formula is not None]
    if not computed:
        return
    titles = Titles(context, None, table.name)
    yield heading(2, "How figures are computed", "formulas")
    yield from listed(
        explained(context, titles, column, formula, column_formula(column), context.symbol(column))
        for column, formula in computed
    )


def explained(
    context: Context, titles: Titles, of: Quantity, formula: Formula, place: str, *gives: object
) -> Html:
    """A formula, folded to its title and what it `gives`, with the anchor `place`."""
    source = cite(context, formula.citation)
    foot = [of.note or None, *(("Source:", source) if source else ())]
    if isinstance(of, Scalar):  # a computed column of the catalogue has no line of the data
        foot.append(edit_link(context, formula.position, "Edit this formula"))
    said = join(filter(None, foot), " ")
    return tag(
        "details",
        tag("summary", tag("strong", of.title), tag("span", *gives)),
        tag(
            "div",
            scrolling(drawn(titles, "", formula.ends.value)),
            calls(context, formula),
            tag("p", said) if said else None,
            as_written(formula),
            id=place,
        ),
        class_="formula",
    )


def listed(formulas: Iterable[Html]) -> Iterator[Html]:
    """A list of formulas, and the scripts that add their LaTeX."""
    yield tag("section", *formulas, class_="formulas")
    for name in ("runtime", "live"):
        yield tag("script", src=f"../{ASSETS}/{name}.js")
