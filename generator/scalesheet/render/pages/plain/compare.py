"""The pages that hold things side by side, as plain Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.numbers import format_by, number
from scalesheet.render.pages.compare import accelerators, plans
from scalesheet.render.pages.compare.accelerators import Cell, Figure
from scalesheet.render.pages.compare.pages import FOLDER, SENTENCE, TITLE
from scalesheet.render.pages.context import Context, to
from scalesheet.render.pages.plain.text import document, grid, link, plain, shown
from scalesheet.values import Value


def compare_texts(context: Context) -> Iterator[tuple[str, str]]:
    """Path and text of each page."""
    listed = [
        f"- {link(f'{name}.md', title)}"
        for name, title in (
            (accelerators.PAGE, "Accelerators side by side"),
            (plans.PAGE, "Plans side by side"),
        )
    ]
    yield f"{FOLDER}/index.md", document(f"# {TITLE}", plain(SENTENCE), "\n".join(listed))
    yield f"{FOLDER}/{accelerators.PAGE}.md", _accelerators(context)
    yield f"{FOLDER}/{plans.PAGE}.md", _plans(context)


def _accelerators(context: Context) -> str:
    """The usual ones; all others have their figures on their own pages."""
    compared = accelerators.comparison(context)
    rows = accelerators.usual(context) if compared.accelerators else ()
    chosen = [compared.accelerators[row] for row in rows]
    head = ["Figure", *(link(to("hardware", each.id), each.title) for each in chosen)]
    body = []
    for at, figure in enumerate(compared.figures):
        cells = [each.cells[at] for each in chosen]
        if any(cell.number is not None or (cell.text and not cell.reason) for cell in cells):
            name = f"{figure.title} {figure.symbol}".rstrip()
            body.append([plain(name), *(_cell(figure, cell, cells) for cell in cells)])
    table = grid(head, body) if body else None
    return document("# Accelerators side by side", table, link("../hardware/index.md", "All"))


def _cell(figure: Figure, cell: Cell, cells: list[Cell]) -> str:
    if cell.number is None:
        return plain(cell.text)
    fmt = format_by(figure.rule, [Value.number(c.number) for c in cells if c.number is not None])
    text = plain(number(cell.number, fmt))
    return f"{text}, {link(cell.page, cell.told)}" if cell.told else text


def _plans(context: Context) -> str:
    """What each plan answers, by question."""
    lines = []
    for plan in context.book.plans.values():
        for figure in plans.figures_of(context, plan):
            scalar = plan.scalars[figure.name]
            value = context.edition.results[plan.id].scalars[figure.name]
            text = shown(context, scalar, value, plan=plan)
            page = link(to("plans", plan.id), plan.title)
            lines.append([page, plain(figure.group), plain(scalar.title), text])
    table = grid(["Plan", "Question", "Figure", "Answer"], lines) if lines else None
    return document("# Plans side by side", table)
