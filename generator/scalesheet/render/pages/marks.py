"""How a page's script finds the figures that follow the inputs: `data-of` names their quantity.

A scalar is named as it is, a cell `table/row/column`, and a cell of the row that another quantity
selects `hardware/@gpu/memory`. `data-as` says what to print of the value. `render/live/page.js`
reads both; elements without a mark stay as published.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from scalesheet.render.pages.html import Html, join, tag

#: What to print: a number with its range (a table's cell), with its unit, or with both; only the
#: number; only the range, with the unit, or in brackets; a row's title; an id with spaces for
#: underscores; a text; a check's result, whether to show its failure line, and the rows that fail;
#: how many rows of a column have a number.
As = Literal[
    "cell",
    "figure",
    "amount",
    "value",
    "range",
    "ends",
    "bracket",
    "row",
    "word",
    "text",
    "check",
    "breach",
    "broken",
    "count",
]


def of_cell(table: str, row: str, column: str) -> str:
    return f"{table}/{row}/{column}"


def of_chosen(table: str, key: str, column: str) -> str:
    """Name a cell of the row whose id is the value of `key`."""
    return f"{table}/@{key}/{column}"


def mark(
    of: str | None, as_: As = "cell", *, within: str | None = None, usual: As = "cell"
) -> dict[str, str | None]:
    """The attributes of an element that contains exactly one figure; none without a name.

    `within` fixes the scenario, whichever one is selected. `usual` is what an element of its kind
    prints: a cell of a table is a `cell`, anything else an `amount`.
    """
    if of is None:
        return {}
    return {"data_of": of, "data_as": as_ if as_ != usual else None, "data_within": within}


def by_scenario(
    scenarios: Iterable[str], chosen: str, content: Callable[[str], Html | None]
) -> Html | None:
    """Content for each scenario, with only the selected one visible; once if all are the same."""
    parts = {word: content(word) for word in scenarios} or {chosen: content(chosen)}
    if len(set(parts.values())) == 1:
        return next(iter(parts.values()))
    return join(
        tag("span", part, data_when=word, hidden=word != chosen) for word, part in parts.items()
    )
