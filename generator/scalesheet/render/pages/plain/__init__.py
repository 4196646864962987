"""The generated pages once more as plain Markdown, for programs and people that read text.

The pages themselves are Markdown full of HTML. These say the same in headings, lists and tables,
and stand in the site beside the page that they are of.
"""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.render.pages.context import Context
from scalesheet.render.pages.plain.audit import audit_texts
from scalesheet.render.pages.plain.catalogue import catalogue_texts
from scalesheet.render.pages.plain.changes import changes_text
from scalesheet.render.pages.plain.compare import compare_texts
from scalesheet.render.pages.plain.notations import notation_texts
from scalesheet.render.pages.plain.plan import plan_text, subpage_text
from scalesheet.render.pages.plain.score import score_texts
from scalesheet.render.pages.plain.text import document, link, plain

__all__ = ["plain_pages"]


def plain_pages(context: Context) -> Iterator[tuple[str, str]]:
    """Path and text for every generated page, by the paths of the pages."""
    plans = context.book.plans.values()
    listed = "\n".join(f"- {link(f'{p.id}.md', p.title)}: {plain(p.summary)}" for p in plans)
    yield "plans/index.md", document("# Plans", listed)
    for plan in plans:
        yield f"plans/{plan.id}.md", plan_text(context, plan)
        for page in plan.pages:
            yield f"plans/{page.id}.md", subpage_text(context, plan, page)
    yield from notation_texts(context)
    yield from audit_texts(context)
    yield from catalogue_texts(context)
    yield from score_texts(context)
    yield from compare_texts(context)
    yield from changes_text(context)
