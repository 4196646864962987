"""Names of sheets: what spreadsheets allow, and the names that every workbook has."""

from __future__ import annotations

import re

from scalesheet.vocabulary import title_of

LONGEST = 31  # UTF-16 code units, which spreadsheets count
FIXED = (
    "About",
    "Inputs",
    "Units",
    "Calculation",
    "Sensitivity",
    "Summary",
    "Results",
    "Checks",
    "Sources",
    "Changes",
    "History",  # which Excel reserves
)


def tab(text: str) -> str | None:
    r"""The text without `[]:*?/\`, which no name may have; None if it is too long."""
    clean = re.sub(r"[\[\]:*?/\\]+", " ", text)
    clean = re.sub(r"(?<=[A-Z])\(", " (", clean)  # XlsxWriter takes SORT( for a call even here
    clean = re.sub(r"\s+", " ", clean).strip(" '")
    return clean if clean and cut(clean) == clean else None


def cut(text: str, units: int = LONGEST) -> str:
    """The characters that fit into this many UTF-16 code units; an emoji takes two."""
    return text.encode("utf-16-le")[: 2 * units].decode("utf-16-le", "ignore")


def tab_of(title: str, name: str) -> str | None:
    """The name of a sheet from its title, or, if that is too long, from its name in formulas."""
    return tab(title) or tab(title_of(name))
