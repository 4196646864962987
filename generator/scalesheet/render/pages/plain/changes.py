"""What changed in the data, and what values were before, as plain Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scalesheet.render.history import Event, days, events
from scalesheet.render.pages.catalogue.earlier import HEADS, Said, rows
from scalesheet.render.pages.catalogue.earlier import TITLE as EARLIER
from scalesheet.render.pages.changes import DATA, FEED, FOLDER, LEAD, TITLE, counted
from scalesheet.render.pages.context import Context, to
from scalesheet.render.pages.plain.text import cited, document, grid, link, plain


def changes_text(context: Context) -> Iterator[tuple[str, str]]:
    """Path and text of the page."""
    blocks = [f"# {TITLE}", LEAD, f"Data: {link(DATA, 'JSON')} · {link(FEED, 'feed')}"]
    for day, sorts in days(events(context.book)).items():
        blocks.append(f"## {day}")
        for sort, result in sorts.items():
            blocks.append(f"### {counted(sort, len(result))}")
            blocks.append("\n".join(_line(context, event) for event in result))
    yield f"{FOLDER}/index.md", document(*blocks)


def _line(context: Context, event: Event) -> str:
    source = cited(context, event.citation)
    rest = [part for part in (plain(event.why), source) if part]
    text = f"- {link(to(event.folder, event.page), event.title)}: {plain(event.told)}"
    return text + (f" ({'; '.join(rest)})" if rest else "")


def earlier_text(context: Context, parts: Iterable[Said]) -> Iterator[str]:
    """The section of earlier values, where there are any."""
    result = [
        [plain(title), plain(shown), since, until, plain(why), cited(context, stated.citation)]
        for title, shown, since, until, why, stated in rows(context, parts)
    ]
    if result:
        yield f"## {EARLIER}"
        yield grid(HEADS, result)
