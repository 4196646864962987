"""Rules for what may be typed into an input cell, with a message that states unit and source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scalesheet.model import DOMAINS, Quantity, Stated
from scalesheet.render.workbook.context import Context, cite
from scalesheet.render.workbook.layout import choice_words
from scalesheet.render.workbook.places import KEY, absolute, prefix

LONGEST_TITLE, LONGEST_MESSAGE = 32, 255

DOMAIN_IN_WORDS: Mapping[str, str] = {
    "positive": "a number above 0",
    "non-negative": "0 or more",
    "fraction": "from 0 to 1",
    "positive-fraction": "above 0, up to 1",
    "signed": "any number",
    "whole": "a whole number from 0",
    "count": "a whole number from 1",
}

_NUMBER_RULES: Mapping[str, dict[str, Any]] = {
    "positive": {"validate": "decimal", "criteria": ">", "value": 0},
    "non-negative": {"validate": "decimal", "criteria": ">=", "value": 0},
    "fraction": {"validate": "decimal", "criteria": "between", "minimum": 0, "maximum": 1},
    # rules have no half-open range, so the lower bound is a very small share
    "positive-fraction": {
        "validate": "decimal",
        "criteria": "between",
        "minimum": 1e-9,
        "maximum": 1,
    },
    "signed": {"validate": "any"},
    "whole": {"validate": "integer", "criteria": ">=", "value": 0},
    "count": {"validate": "integer", "criteria": ">=", "value": 1},
}


def clipped(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def rule(context: Context, quantity: Quantity, stated: Stated | None) -> dict[str, Any]:
    """XlsxWriter's options for the input cells of a quantity."""
    source = choices(context, quantity)
    if source:
        options: dict[str, Any] = {"validate": "list", "source": f"={source}"}
        allowed = "one of the list"
    elif quantity.kind == "number":
        options = dict(_NUMBER_RULES[quantity.domain])
        allowed = DOMAIN_IN_WORDS[quantity.domain]
    else:
        options, allowed = {"validate": "any"}, "text"
    parts = [f"Allowed: {allowed}."]
    if unit := context.symbol(quantity):
        parts.insert(0, f"Unit: {unit}.")
    if stated is not None:
        parts.append(f"Kind: {stated.basis}.")
        if stated.citation is not None:
            parts.append(f"Source: {cite(stated.citation)}.")
    options |= {
        "input_title": clipped(quantity.title or quantity.name, LONGEST_TITLE),
        "input_message": clipped(" ".join(parts), LONGEST_MESSAGE),
    }
    if options["validate"] != "any":
        options |= {
            "ignore_blank": False,  # otherwise a list with an empty row would accept anything
            "error_message": f"Allowed: {allowed}.",
            "error_type": "warning" if quantity.may_reason else "stop",
        }
    return options


def choices(context: Context, quantity: Quantity) -> str:
    """The range of a drop-down's options, or empty."""
    layout = context.layout
    if quantity.refers_to is not None and quantity.refers_to in layout.names.tables:
        return layout.names.tables[quantity.refers_to]
    words = choice_words(quantity)
    if words not in layout.lists:
        return ""
    first, last = layout.lists[words]
    sheet = prefix(layout.sheet("inputs"))
    return f"{sheet}{absolute(first, KEY)}:{absolute(last, KEY)}"


def fits(context: Context, quantity: Quantity, cell: str, least: str = "", most: str = "") -> str:
    """The condition that a cell has an allowed value; `least` and `most` are the bounds."""
    source = choices(context, quantity)
    if source and quantity.refers_to:
        return f"ISNUMBER(MATCH({cell},{source},0))"  # a criterion may take an id for a date
    if source:
        return f"COUNTIF({source},{cell})=1"
    lower, closed, upper, whole = bounds(quantity)
    zero = lower is None or (closed and lower <= 0)  # which N makes of a text
    tests = [f"COUNT({cell})"] if zero else []
    if lower is not None:
        number = cell if zero else f"N({cell})"
        tests.append(f"{number}{'>=' if closed else '>'}{least or f'{lower:g}'}")
    if upper is not None:
        tests.append(f"{cell}<={most or f'{upper:g}'}")
    if whole:
        tests.append(f"{cell}=INT(N({cell}))")
    return tests[0] if len(tests) == 1 else f"AND({','.join(tests)})"


def bounds(quantity: Quantity) -> tuple[float | None, bool, float | None, bool]:
    """Lower bound, whether it is included, upper bound, whether integer."""
    return DOMAINS[quantity.domain]
