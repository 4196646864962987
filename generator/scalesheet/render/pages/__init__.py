"""Renders the evaluated book as Markdown pages, which the site stage turns into a site.

`write_pages` is the whole renderer, top to bottom. Text comes from the data or is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path

from scalesheet.diagnostics import Diagnostic
from scalesheet.edition import HASH, Edition
from scalesheet.forks import spread
from scalesheet.frozen import dataclass
from scalesheet.render.live import ANSWERING, FRONT, ODDS, SURE, script
from scalesheet.render.pages.audit import audit_pages, audit_title, audits_index
from scalesheet.render.pages.catalogue.components import component_pages
from scalesheet.render.pages.catalogue.formulas import record_pages
from scalesheet.render.pages.catalogue.pages import catalogue_pages
from scalesheet.render.pages.catalogue.sources import source_pages
from scalesheet.render.pages.changes import changes_page
from scalesheet.render.pages.compare.pages import compare_pages
from scalesheet.render.pages.compare.workload import question_of, workload_pages
from scalesheet.render.pages.contents import contents_page
from scalesheet.render.pages.context import ASSETS, Context
from scalesheet.render.pages.front.page import front_page
from scalesheet.render.pages.html import page
from scalesheet.render.pages.markdown import as_markdown
from scalesheet.render.pages.plan.alternatives import SCRIPT as ALTERNATIVES
from scalesheet.render.pages.plan.draws import draws_script
from scalesheet.render.pages.plan.live import described, on_page
from scalesheet.render.pages.plan.page import plan_page, plans_index
from scalesheet.render.pages.plan.parts import part_pages
from scalesheet.render.pages.plan.subpages import live_title, page_title, subpages
from scalesheet.render.pages.quantiles import quantiles_page
from scalesheet.render.pages.score.pages import score_pages
from scalesheet.render.script import catalogue_script, runtime
from scalesheet.site.texts import UNTOLD

__all__ = ["PagesReport", "write_pages", "write_plan_pages"]


FRONT_PAGE = "index.md"


SEVERAL = 25  # catalogue pages between two progress messages


@dataclass(frozen=True)
class PagesReport:
    """The files written, by path below the output, and problems of the front page."""

    files: tuple[str, ...]
    problems: tuple[Diagnostic, ...]


def write_pages(
    edition: Edition,
    out: Path,
    plain: Path | None = None,
    progress: Callable[[str], None] = lambda message: None,
) -> PagesReport:
    """Write the pages of the book below `out`, which becomes docs/book of the site.

    `plain` is a folder for the same pages as plain Markdown. The site's handwritten front page is
    beside `out`; this fills its placeholders.
    """
    context = Context(edition, out.parent)
    book, front = edition.book, out.parent / FRONT_PAGE
    rows = sum(len(table.rows) for table in book.tables.values())
    progress(f"writing the pages of plans: {len(book.plans)}")
    with spread(partial(_kept_of_plan, context), tuple(book.plans)) as of_plans:
        pages = _of_all_plans(context)
        pages["audit/index.md"] = audits_index(context)
        for name, text in catalogue_pages(context):
            pages[name] = text
            if len(pages) % SEVERAL == 0:
                progress(f"writing the pages of the catalogue: {len(pages):,} of about {rows:,}")
        for each in of_plans():
            pages.update(each)
    problems: list[Diagnostic] = []
    pages.update(record_pages(context))
    pages.update(component_pages(context))
    pages.update(source_pages(context))
    pages.update(score_pages(context))
    pages.update(compare_pages(context))
    pages.update(changes_page(context))

    question = ""
    if front.is_file():
        written = front.read_text(encoding="utf-8")
        filled = front_page(context, written, f"docs/{front.name}")
        problems += filled.problems
        question = filled.script
        if question:
            pages[f"{ASSETS}/answering.js"] = script(ANSWERING)
            pages[f"{ASSETS}/front.js"] = script(FRONT)
        _write(front.parent, {front.name: filled.page})
        if plain is not None:
            _write(plain.parent, {front.name: as_markdown(filled.page)})

    pages.update(workload_pages(context, question or question_of(context)))
    pages["index.md"] = contents_page(pages)
    _write_both(pages, out, plain)
    return PagesReport(tuple(sorted(pages)), tuple(sorted(problems)))


def write_plan_pages(edition: Edition, ids: Collection[str], out: Path, plain: Path) -> list[str]:
    """Write the pages of some plans, and the index of all; return the paths of the complete pages.

    The pages of other plans and audits have only their titles.
    """
    context = Context(edition)
    pages = _of_all_plans(context)
    for id_ in ids:
        pages.update(_kept_of_plan(context, id_))
    _write(out, {**_titles(context), **pages})
    _write_both(pages, out, plain)
    return [name for name in pages if name.endswith(".md")]


def _kept_of_plan(context: Context, id_: str) -> dict[str, str]:
    """The pages of a plan, which do not depend on other plans, from the cache if they are there."""
    edition = context.edition
    pages = edition.keep("pages", lambda: _of_plan(context, id_), id_)
    return {name: text.replace(HASH, edition.hash) for name, text in pages.items()}


def _of_plan(context: Context, id_: str) -> dict[str, str]:
    """Return the pages of a plan, and the scripts that compute it in a browser."""
    plan = context.book.plans[id_]
    pages = {f"plans/{id_}.md": plan_page(context, plan)}
    pages.update(part_pages(context, plan))
    pages.update(subpages(context, plan))
    pages.update(audit_pages(context, plan))
    pages[f"{ASSETS}/{id_}.js"] = on_page(context.scripts[id_], plan, context.book)
    sure = context.edition.sures[id_]
    pages[f"{ASSETS}/{id_}.draws.js"] = draws_script(plan, context.book, sure)
    return pages


def _of_all_plans(context: Context) -> dict[str, str]:
    """Return the index of plans, and the scripts that all plan pages share."""
    pages = {"plans/index.md": plans_index(context)}
    pages.update([quantiles_page()])
    pages[f"{ASSETS}/runtime.js"] = runtime()
    pages[f"{ASSETS}/catalogue.js"] = catalogue_script(context.book) + described(context.book)
    pages[f"{ASSETS}/live.js"] = script()
    pages[f"{ASSETS}/sure.js"] = script(SURE)
    pages[f"{ASSETS}/{ALTERNATIVES}.js"] = script((*ODDS, f"compare/{ALTERNATIVES}"))
    return pages


def _titles(context: Context) -> dict[str, str]:
    """Return pages of all plans and audits with only their titles."""
    result = {
        f"audit/{id_}.md": page(audit_title(each)) for id_, each in context.edition.audits.items()
    }
    for plan in context.book.plans.values():
        result[f"plans/{plan.id}.md"] = page(plan.title)
        for each in plan.pages:
            title, shown = page_title(context, plan, each), live_title(context, plan, each)
            result[f"plans/{each.id}.md"] = page(title, shown=shown)
    return result


def _write_both(pages: Mapping[str, str], out: Path, plain: Path | None) -> None:
    def write(name: str) -> None:
        _write(out, {name: pages[name]})
        if plain is not None and _is_told(f"{out.name}/{name}"):
            _write(plain, {name: as_markdown(pages[name])})

    with spread(write, sorted(pages)) as written:
        written()


def _is_told(page: str) -> bool:
    """Whether a page, by its path in the site, is published as plain Markdown, too."""
    return page.endswith(".md") and not UNTOLD.fullmatch(page)


def _write(out: Path, files: Mapping[str, str]) -> None:
    for name in sorted(files):
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(files[name].encode())
