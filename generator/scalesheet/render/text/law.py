"""A law fitted to the user's own runs, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from scalesheet.predict.law.answer import Answer
from scalesheet.render.own_laws import figures, headline, planned, sections
from scalesheet.render.text.plan import aligned

WIDTH = 98


def as_text(made: Answer) -> str:
    """Print the planned run, then each table."""
    return "\n".join(_lines(made)) + "\n"


def _lines(made: Answer) -> Iterator[str]:
    yield planned(made)
    yield from aligned(figures(made), numbers=frozenset())
    yield ""
    yield from wrap(headline(made), WIDTH)
    for part in sections(made):
        yield ""
        yield part.title
        yield from (f"  {line}" for line in wrap(part.text, WIDTH))
        numbers = frozenset(range(1, len(part.head)))
        yield from aligned([part.head, *part.rows], numbers=numbers)
