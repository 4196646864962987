"""Reads what a claim says: `135 GPU * hour`, `18 .. 22 USD`, `at least 32 GPU`, `35 %`, `adamw`.

The digits count: a written figure stands for everything that rounds to it, so each number is kept
with half a unit of its last digit, or a whole one where the document calls it approximate.
"""

from __future__ import annotations

import re
from decimal import Decimal

from scalesheet.claims import Bound, Figure
from scalesheet.quantities import NUMBER, amount
from scalesheet.units import PURE, Unit, Units

_AMOUNT = rf"(?P<{{0}}>{NUMBER})(?P<{{0}}_letter>[kKMBT](?![A-Za-z]))?"
_SAYS = re.compile(
    r"(?:(?P<bound>at least|at most|more than|less than|>=|<=|>|<)\s*)?"
    + _AMOUNT.format("low")
    + r"(?:\s*\.\.\s*"
    + _AMOUNT.format("high")
    + r")?\s*(?P<unit>.*)"
)
_QUOTED = re.compile(
    r"(?P<bound>>=|<=|>|<)?\s*[~≈$€]*\s*"
    + _AMOUNT.format("low")
    + r"(?:\s*%?\s*(?:-|–|to)\s*[~≈$€]*\s*"
    + _AMOUNT.format("high")
    + r")?\s*(?P<percent>%)?(?P<plus>\+)?"
)
_APPROXIMATE = re.compile(r"[~≈]|\b(about|approximately|approx|around|roughly|circa)\b", re.I)
_BOUNDS: dict[str, Bound] = {
    ">=": "at least",
    "<=": "at most",
    ">": "more than",
    "<": "less than",
    "at least": "at least",
    "at most": "at most",
    "more than": "more than",
    "less than": "less than",
}


def read(text: str, units: Units, quote: str = "") -> Figure:
    """The figure that a `says:` holds; its quote says whether it is approximate.

    Raises UnitError for a text that is not a unit, ValueError for ends out of order.
    """
    text = text.strip()
    if text in ("yes", "no"):
        return Figure(text == "yes")
    match = _SAYS.fullmatch(text)
    if match is None or _is_text(match):
        return Figure(text)
    unit_text = match["unit"].strip()
    percent = unit_text == "%"
    unit = PURE if percent or not unit_text else units.parse(unit_text)
    bound = _BOUNDS.get(match["bound"] or "")
    return _figure(match, unit, percent, bound, _is_approximate(quote))


def read_quote(quote: str, unit: Unit | None) -> Figure:
    """The figure that a quote holds, in the unit of its column; without one or without a number,
    its text. Raises ValueError for ends out of order."""
    match = _QUOTED.search(quote) if unit is not None else None
    if match is None:
        return Figure(quote)
    bound = "at least" if match["plus"] else _BOUNDS.get(match["bound"] or "")
    return _figure(match, unit, match["percent"] is not None, bound, _is_approximate(quote))


def _is_approximate(quote: str) -> bool:
    """Whether a document marks a figure as approximate."""
    return bool(_APPROXIMATE.search(quote))


def _is_text(match: re.Match[str]) -> bool:
    """`1.0.0` and `2025-08-13` begin like numbers, and a unit never begins like this."""
    return bool(re.match(r"[-.:,0-9_]", match["unit"]))


def _figure(
    match: re.Match[str], unit: Unit | None, percent: bool, bound: Bound | None, approximate: bool
) -> Figure:
    scale = Decimal("0.01") if percent else Decimal(1)
    last = match["high"] is not None and match["high_letter"]
    low = high = amount(match["low"], match["low_letter"] or (last or None)) * scale
    if match["high"] is not None:
        high = amount(match["high"], match["high_letter"]) * scale
    if low > high:
        raise ValueError(f"{match['low']} is above {match['high']}; swap them")
    value = float((low + high) / 2)
    units = Decimal(1) if approximate else Decimal("0.5")
    ends = ((match["low"], low), (match["high"] or match["low"], high))
    steps = tuple(float(units * last_digit(*end)) for end in ends)
    ends_ = float(low), float(high)
    return Figure(value, *ends_, unit, (steps[0], steps[1]), bound, percent, approximate)


def last_digit(text: str, number: Decimal) -> Decimal:
    """The unit of the last digit of a number that is written so. Zeros at the end are digits behind
    a decimal point alone: of 225.0 it is a tenth, of 1,500 a hundred. 0 has none: nothing rounds
    to it."""
    written = number if "." in text else number.normalize()
    exponent = written.as_tuple().exponent
    return Decimal(1).scaleb(exponent) if number and isinstance(exponent, int) else Decimal(0)
