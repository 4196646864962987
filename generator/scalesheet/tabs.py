"""Names of sheets: what a spreadsheet takes for one, and those that every workbook has."""

from __future__ import annotations

import re

LONGEST = 31  # units of UTF-16, which is what spreadsheets count
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
    "History",  # which Excel keeps for itself
)


def tab(text: str) -> str | None:
    r"""The text without `[]:*?/\`, which no name holds; None where it is too long."""
    clean = re.sub(r"[\[\]:*?/\\]+", " ", text)
    clean = re.sub(r"(?<=[A-Z])\(", " (", clean)  # XlsxWriter takes SORT( for a call even here
    clean = re.sub(r"\s+", " ", clean).strip(" '")
    return clean if clean and cut(clean) == clean else None


def cut(text: str, units: int = LONGEST) -> str:
    """The characters that fit into so many units of UTF-16, of which an emoji takes two."""
    return text.encode("utf-16-le")[: 2 * units].decode("utf-16-le", "ignore")


def tab_of(title: str, name: str) -> str | None:
    """The name of a sheet by a title; where that is too long, by the name in formulas, in words."""
    return tab(title) or tab(re.sub(r"[_.]", " ", name).capitalize())
