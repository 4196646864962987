"""What a plan would take with each of the offers, or set-ups, that it could choose, as plain
Markdown: the rows of the accelerator at hand, and what no other beats."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.model import Plan
from scalesheet.numbers import format_of
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.plain.text import grid, plain, shown
from scalesheet.render.pages.plan.alternatives import alternatives_of
from scalesheet.render.pages.plan.choice import choice_of
from scalesheet.render.script import as_value
from scalesheet.values import Value


def alternatives_text(context: Context, plan: Plan) -> Iterator[str]:
    """A heading, a sentence and a table; nothing for a plan that is no such choice."""
    result, choice = alternatives_of(context, plan), choice_of(context.book, plan)
    if result is None or choice is None:
        return
    title, of = result
    chosen = context.edition.results[plan.id].scalars[choice.choice].value
    scalars = [plan.scalars[name] for name in choice.figures]
    figures = {row: [*map(as_value, cells)] for row, cells in of["figures"]}
    formats = [
        format_of(scalar, [values[at] for values in figures.values()], context.book.units)
        for at, scalar in enumerate(scalars)
    ]
    body = []
    for row, values in figures.items():
        signs = (("chosen", row == chosen), ("frontier", row in of["best"]))
        body.append(
            [
                shown(context, plan.scalars[choice.choice], Value(row), plan=plan),
                ", ".join(word for word, on in signs if on),
                *(
                    shown(context, scalar, value, fmt, plan)
                    for scalar, value, fmt in zip(scalars, values, formats, strict=True)
                ),
            ]
        )
    titles = [plain(f"{s.title} {context.symbol(s)}".rstrip()) for s in scalars]
    yield f"## {plain(title)}: the alternatives"
    yield plain("Marked “frontier”: of all that fit no other is both cheaper and faster.")
    yield grid([plain(title), "", *titles], body)
