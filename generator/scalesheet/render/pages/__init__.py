"""Renders the evaluated book as Markdown pages, which the site stage turns into a site.

`write_pages` is the whole renderer, top to bottom. Text comes from the data or is computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scalesheet.diagnostics import Diagnostic
from scalesheet.edition import Edition
from scalesheet.render.live import FRONT, script
from scalesheet.render.pages.audit import audit_pages
from scalesheet.render.pages.catalogue.components import component_pages
from scalesheet.render.pages.catalogue.formulas import record_pages
from scalesheet.render.pages.catalogue.pages import catalogue_pages
from scalesheet.render.pages.catalogue.sources import source_pages
from scalesheet.render.pages.changes import changes_page
from scalesheet.render.pages.compare.pages import compare_pages
from scalesheet.render.pages.context import ASSETS, Context
from scalesheet.render.pages.front.page import front_page
from scalesheet.render.pages.markdown import as_markdown
from scalesheet.render.pages.plan.notations import notation_pages
from scalesheet.render.pages.plan.page import plan_page, plans_index
from scalesheet.render.pages.plan.subpages import subpages
from scalesheet.render.pages.score.pages import score_pages
from scalesheet.render.script import runtime

__all__ = ["PagesReport", "write_pages"]


FRONT_PAGE = "index.md"


@dataclass(frozen=True)
class PagesReport:
    """The files written, by path below the output, and what is wrong in the front page."""

    files: tuple[str, ...]
    problems: tuple[Diagnostic, ...]


def write_pages(edition: Edition, out: Path, plain: Path | None = None) -> PagesReport:
    """Write the pages of the book below `out`, which becomes docs/book of the site.

    `plain` is a folder for the same pages as plain Markdown. The site's front page, written by
    hand, stands beside `out`; its lines are filled there.
    """
    context = Context(edition)
    book, front = edition.book, out.parent / FRONT_PAGE
    pages: dict[str, str] = {"plans/index.md": plans_index(context)}
    problems: list[Diagnostic] = []
    for plan in book.plans.values():
        pages[f"plans/{plan.id}.md"] = plan_page(context, plan)
        pages.update(subpages(context, plan))
    pages.update(notation_pages(context))
    pages.update(audit_pages(context))
    pages.update(catalogue_pages(context))
    pages.update(record_pages(context))
    pages.update(component_pages(context))
    pages.update(source_pages(context))
    pages.update(score_pages(context))
    pages.update(compare_pages(context))
    pages.update(changes_page(context))

    # What a browser needs to compute the plans itself.
    pages[f"{ASSETS}/runtime.js"] = runtime()
    pages[f"{ASSETS}/live.js"] = script()
    for plan in book.plans.values():
        pages[f"{ASSETS}/{plan.id}.js"] = context.scripts[plan.id]

    if front.is_file():
        written = front.read_text(encoding="utf-8")
        filled = front_page(context, written, f"docs/{front.name}")
        problems += filled.problems
        if filled.script:
            pages[f"{ASSETS}/question.js"] = filled.script
            pages[f"{ASSETS}/front.js"] = script(FRONT)
        _write(front.parent, {front.name: filled.page})
        if plain is not None:
            _write(plain.parent, {front.name: as_markdown(filled.page)})

    _write(out, pages)
    if plain is not None:
        texts = {name: text for name, text in pages.items() if name.endswith(".md")}
        _write(plain, {name: as_markdown(text) for name, text in texts.items()})
    return PagesReport(tuple(sorted(pages)), tuple(sorted(problems)))


def _write(out: Path, files: Mapping[str, str]) -> None:
    for name in sorted(files):
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(files[name].encode())
