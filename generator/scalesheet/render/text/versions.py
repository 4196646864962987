"""The versions of a plan, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from scalesheet.book import Book
from scalesheet.model import Plan, Version
from scalesheet.numbers import format_of, text
from scalesheet.render.text.plan import aligned
from scalesheet.render.versions import (
    GONE,
    NOW,
    by_version,
    changes,
    cut_versions,
    quantity_of,
    texts,
)
from scalesheet.values import Results, stated_value


def versions_lines(book: Book, plan: Plan, results: Results, *, every: bool = False) -> list[str]:
    """The first headline figure by version; with `every`, all figures, and what changed."""
    versions = cut_versions(plan)
    if not versions:
        return []
    figures = by_version(book, plan, results)
    rows = []
    for figure in figures if every else figures[:1]:
        shown = texts(book, figure)
        title = f"{figure.quantity.title} ({GONE})" if figure.gone else figure.quantity.title
        rows += [
            (title, each.version, each.date, shown[each.version], each.text)
            for each in versions
            if each.version in shown
        ]
        rows += [(title, NOW, book.edition.isoformat(), shown[NOW], "")] if NOW in shown else []
    lines = ["", "Versions", *aligned([row[every ^ True :] for row in rows], numbers=frozenset())]
    for version in versions if every else ():
        lines += _changes(book, plan, version)
    return lines


def cut_text(book: Book, plan: Plan, version: Version) -> str:
    """A new version: its headline, and what changed."""
    rows = []
    for name, each in version.headline.items():
        scalar = plan.scalars.get(name)
        quantity = scalar if scalar is not None else quantity_of(each.title, each.unit)
        value = stated_value(each.stated)
        symbol = book.units.symbol(each.unit) if each.unit is not None else ""
        rows.append(
            (name, text(value, format_of(quantity, [value], book.units), symbol), each.title)
        )
    lines = [f"{plan.title} {version.version}", *aligned(rows, numbers=frozenset())]
    return "\n".join([*lines, *_changes(book, plan, version)]) + "\n"


def _changes(book: Book, plan: Plan, version: Version) -> Iterator[str]:
    changed = changes(book, plan, version)
    if not (changed or version.added or version.removed):
        return
    yield from ("", f"What changed in {version.version}")
    for each in changed:
        yield f"  {each.name}: {each.was} → {each.now} ({each.because})"
        yield from (f"    {title}: {moved}" for title, moved in each.effects)
    for what, names in (("added", version.added), ("no longer used", version.removed)):
        if names:
            yield f"  {what}: {', '.join(names)}"
