"""The formulas of a plan in every notation, as plain Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.render.pages.context import Context, to
from scalesheet.render.pages.notation import Titles, notations
from scalesheet.render.pages.plain.text import code, document, link, plain
from scalesheet.render.pages.plan.formulas import told_formulas
from scalesheet.render.pages.plan.notations import FOLDER


def notation_texts(context: Context) -> Iterator[tuple[str, str]]:
    """Path and text for each plan that computes something."""
    for plan in context.book.plans.values():
        parts: list[str] = []
        for group in told_formulas(plan, context.edition.results[plan.id]).values():
            for message in group:
                titles, formula = Titles(context, plan, message.key.table), message.formula
                texts = notations(titles, formula.text, formula.ends.value)
                lines = (f"- {plain(title)}: {code(text)}" for title, text in texts if text)
                parts += [f"## {plain(message.title)}", "\n".join(lines)]
        if parts:
            head = f"# {plain(f'Formulas of “{plan.title}” as text')}"
            plans = link(to("plans", plan.id), plan.title)
            yield f"{FOLDER}/{plan.id}.md", document(head, plans, *parts)
