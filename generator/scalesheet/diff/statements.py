"""Finds changes in the source, kind or note of a stated value whose value is unchanged."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from scalesheet.book import Book
from scalesheet.diff.changes import InputChanged, Place, StatementChanged
from scalesheet.diff.inputs import FOLLOWS, label_of, statements
from scalesheet.diff.matching import Names
from scalesheet.model import Citation, Stated


def statement_changes(
    base: Book, head: Book, names: Names, inputs: tuple[InputChanged, ...]
) -> tuple[StatementChanged, ...]:
    """Compare every stated value that is on both sides and not among the changed inputs."""
    changes: list[StatementChanged] = []
    moved = {change.was for change in inputs}
    for plan, new_plan in names.changed(base, head):
        now = statements(head, new_plan)
        for key, (_, old) in statements(base, plan).items():
            was = Place(plan, key)
            place = names.place(was)
            if place is None or place.key not in now or was in moved:
                continue
            if (key.table or "", key.name) in FOLLOWS:  # they describe another column
                continue
            new = now[place.key][1]
            for what, of in SAID.items():
                before, after = of(old), of(new)
                if before != after:
                    label = label_of(head, place)
                    changes.append(
                        StatementChanged(place, label, what, before, after, new.position)
                    )
    return tuple(changes)


def _cited(citation: Citation | None) -> str:
    """`a-paper: table 3, "24 GB"`."""
    if citation is None:
        return ""
    quote = f'"{citation.quote}"' if citation.quote else ""
    place = ", ".join(part for part in (citation.locator, quote) if part)
    return f"{citation.key}: {place}" if place else citation.key


#: What is compared separately, and how it is reported.
SAID: Mapping[str, Callable[[Stated], str]] = {
    "source": lambda stated: _cited(stated.citation),
    "second source": lambda stated: _cited(stated.confirmed),
    "kind": lambda stated: stated.basis,
    "note": lambda stated: stated.note,
}
