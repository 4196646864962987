"""Reads what a claim says: `135 GPU * hour`, `18 .. 22 USD`, `at least 32 GPU`, `35 %`, `adamw`.

The digits matter: a written figure stands for everything that rounds to it. So each number is
stored with half a unit of its last digit, or a whole unit if the document calls it approximate.
"""

from __future__ import annotations

import re
from decimal import Decimal

from scalesheet.claims import Bound, Figure
from scalesheet.hints import number_hint
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
    """Read the figure in `says:`; the quote tells whether it is approximate.

    Raises UnitError for an unknown unit, ValueError for ends in the wrong order.
    """
    text = text.strip()
    if text in ("yes", "no"):
        return Figure(text == "yes")
    match = _SAYS.fullmatch(text)
    if match is None and text[:1] in "$€" and (hint := number_hint(text)):
        raise ValueError(f"the claim says '{text}', which is text{hint}")
    if match is None or _is_text(match):
        return Figure(text)
    unit_text = match["unit"].strip()
    percent = unit_text == "%"
    unit = PURE if percent or not unit_text else units.parse(unit_text)
    bound = _BOUNDS.get(match["bound"] or "")
    return _figure(match, unit, percent, bound, _is_approximate(quote))


def read_quote(quote: str, unit: Unit | None) -> Figure:
    """Read the figure in a quote, in the unit of its column; the text itself if there is no unit or
    no number. Raises ValueError for ends in the wrong order.
    """
    match = _QUOTED.search(quote) if unit is not None else None
    if match is None:
        return Figure(quote)
    bound = "at least" if match["plus"] else _BOUNDS.get(match["bound"] or "")
    return _figure(match, unit, match["percent"] is not None, bound, _is_approximate(quote))


def _is_approximate(quote: str) -> bool:
    """Whether a document marks a figure as approximate."""
    return bool(_APPROXIMATE.search(quote))


def _is_text(match: re.Match[str]) -> bool:
    """Whether this is text: `1.0.0` and `2025-08-13` begin like numbers, but have no unit."""
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
    """The unit of a written number's last digit. Trailing zeros count as digits only after a
    decimal point: 225.0 gives a tenth, 1,500 a hundred. 0 gives 0, since nothing rounds to it.
    """
    written = number if "." in text else number.normalize()
    exponent = written.as_tuple().exponent
    return Decimal(1).scaleb(exponent) if number and isinstance(exponent, int) else Decimal(0)
