"""The page of changes to the data: every dated entry, newest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scalesheet.render.history import SORTS, Event, Sort, days, events
from scalesheet.render.pages.context import Context, cite, to
from scalesheet.render.pages.html import Html, heading, link, page, tag
from scalesheet.render.pages.tables import grid, heading_cell

TITLE = "Changes to the data"
FOLDER = "changes"
LEAD = (
    "How the data changed: prices from the day they took effect, corrected values with the reason, "
    "versions of plans, measurements, fits, and when each source was last read."
)
FEED, DATA = "../../api/v1/changes.atom", "../../api/v1/changes.json"
MOST_OPEN = 12  # entries of a sort and day that are shown unfolded
HEADS = ("What", "Before", "Since", "Why", "Source")


def changes_page(context: Context) -> Iterator[tuple[str, str]]:
    """Yield path and text of the page."""
    by_day = days(events(context.book))
    blocks: list[object] = []
    for day, sorts in by_day.items():
        blocks.append(heading(2, day, day_anchor(day)))
        blocks += [_sort(context, sort, dated) for sort, dated in sorts.items()]
    yield (
        f"{FOLDER}/index.md",
        page(
            TITLE,
            tag("p", LEAD, class_="lead"),
            _elsewhere(),
            *(blocks or [tag("p", "Nothing has a date yet.", class_="note")]),
        ),
    )


def _elsewhere() -> Html:
    return tag("p", "As a ", link(FEED, "feed"), ", as ", link(DATA, "JSON"), ".", class_="meta")


def day_anchor(day: str) -> str:
    return f"day-{day}"


def counted(sort: Sort, number: int) -> str:
    """`1 price`, `114 prices`."""
    return f"{number} {SORTS[sort][number != 1]}"


def _sort(context: Context, sort: Sort, events: Sequence[Event]) -> Html:
    """Show the entries of one sort and day; many are folded."""
    numbers = ("Before", "Since") if any(event.quantity for event in events) else ()
    heads = HEADS if numbers else ("What", "", "Is", "Note", "Source")
    head = [heading_cell(each, number=each in numbers) for each in heads]
    table = grid(head, [_row(context, event) for event in events], records=True)
    summary = counted(sort, len(events))
    if len(events) <= MOST_OPEN:
        return Html(f"{tag('p', tag('strong', summary))}\n\n{table}")
    return tag("details", tag("summary", summary), table)


def _row(context: Context, event: Event) -> list[Html]:
    number = "num" if event.quantity is not None else None
    return [
        tag("th", link(to(event.folder, event.page), event.title), scope="row"),
        tag("td", event.old, class_=number) if event.old else tag("td", class_=number),
        tag("td", event.new, class_=number),
        tag("td", event.why) if event.why else tag("td"),
        tag("td", cite(context, event.citation)),
    ]
