"""What a plan would take with each of the offers, or set-ups, that it could choose, as plain
Markdown: the rows of the accelerator at hand, and what no other beats."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.model import Plan
from scalesheet.numbers import format_of
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.plain.text import grid, plain, shown
from scalesheet.render.pages.plan.alternatives import FRONTIER, alternatives_of, given, rows_of
from scalesheet.values import Value


def alternatives_text(context: Context, plan: Plan) -> Iterator[str]:
    """A heading, a sentence and a table; nothing for a plan that is no such choice."""
    results = context.edition.results[plan.id]
    found = alternatives_of(context, plan)
    rows = rows_of(context, plan, found, results) if found is not None else []
    if found is None or not rows:
        return
    of = given(context, plan, found, results)
    choice, chosen = plan.scalars[found.choice], results.scalars[found.choice].value
    scalars = [plan.scalars[name] for name in found.figures]
    listed = [*rows, *(row for row in of.figures if row in of.best and row not in rows)]
    formats = [
        format_of(scalar, [of.figures[row][at] for row in listed], context.book.units)
        for at, scalar in enumerate(scalars)
    ]
    body = []
    for row in listed:
        signs = [
            word for word, on in (("chosen", row == chosen), ("frontier", row in of.best)) if on
        ]
        figures = zip(scalars, of.figures[row], formats, strict=True)
        body.append(
            [
                shown(context, choice, Value(row), plan=plan),
                ", ".join(signs),
                *(shown(context, scalar, value, fmt, plan) for scalar, value, fmt in figures),
            ]
        )
    titles = [plain(f"{s.title} {context.symbol(s)}".rstrip()) for s in scalars]
    yield f"## {plain(found.title)}: the alternatives"
    yield plain(FRONTIER)
    yield grid([plain(found.title), "", *titles], body)
