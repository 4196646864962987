"""How a page's script finds a figure that follows the inputs: `data-of` names its quantity.

A scalar is named as it is, a cell `table/row/column`, and a cell of the row that another quantity
chooses `hardware/@gpu/memory`. `data-as` says what of the value stands there. `render/live/page.js`
reads both; what has no mark stays as it was published.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from scalesheet.render.pages.html import Html, join, tag

#: What is printed: a number with its range (a table's cell), with its unit, with both; the number
#: alone; the range alone, with the unit, or in brackets; the title of a row; a word without its
#: underlines; a text; a check's answer, whether the line of its breach stands, and the rows that
#: break it; how many rows of a column have a number; a number within a formula.
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
    "math",
]


def of_cell(table: str, row: str, column: str) -> str:
    return f"{table}/{row}/{column}"


def of_chosen(table: str, key: str, column: str) -> str:
    """A cell of the row whose id the quantity `key` holds."""
    return f"{table}/@{key}/{column}"


def mark(of: str | None, as_: As = "cell", *, within: str | None = None) -> dict[str, str | None]:
    """The attributes of an element whose whole content is one figure; none without a name.

    `within` is the scenario whose value stands there whichever is chosen.
    """
    if of is None:
        return {}
    return {"data_of": of, "data_as": as_ if as_ != "cell" else None, "data_within": within}


def by_scenario(
    scenarios: Iterable[str], chosen: str, content: Callable[[str], Html | None]
) -> Html | None:
    """What is said of each scenario, only the chosen one in sight; once where all are the same."""
    parts = {word: content(word) for word in scenarios} or {chosen: content(chosen)}
    if len(set(parts.values())) == 1:
        return next(iter(parts.values()))
    return join(
        tag("span", part, data_when=word, hidden=word != chosen) for word, part in parts.items()
    )
