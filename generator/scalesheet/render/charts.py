"""Static SVG charts of one column of a table: bars across, or columns.

Lengths along the page are percentages and all others are pixels, so that text keeps its size on
a phone and on a wide screen. There is no style in the SVG: the site's style sheet paints its
classes for light and dark.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from scalesheet.model import Quantity
from scalesheet.numbers import Format, number, plain, span
from scalesheet.render.svg import round_step as _step
from scalesheet.units import Units
from scalesheet.values import Value

NARROW = 300  # pixels that a chart has on a small phone
GLYPH = 6.6  # mean width in pixels of a character at 12 px
TICKS = 4
LABEL_LINE = 15  # height of a line of a label


@dataclass(frozen=True, slots=True)
class Mark:
    """One row of the chart: a value with its ends, or the reason why there is none."""

    id: str
    label: str
    value: float | None
    low: float | None
    high: float | None
    text: str
    range: str = ""
    base: float = 0.0  # where the bar begins: of a calendar the phase's start


def mark_of(id_: str, label: str, value: Value, fmt: Format) -> Mark:
    """A value as it is drawn and told; its ends only where it is a number with a range."""
    shown = value.value if isinstance(value.value, float) else None
    ends = ""
    if shown is not None and value.ranged and value.low is not None and value.high is not None:
        ends = span(value.low, value.high, fmt)
    text = plain(value, fmt)
    return Mark(
        id_,
        label,
        shown,
        value.low if ends else None,
        value.high if ends else None,
        text,
        ends if ends != text else "",
    )


def with_unit(mark: Mark, quantity: Quantity, units: Units) -> Mark:
    """The mark with the unit beside its number."""
    symbol = units.symbol(quantity.unit) if quantity.unit is not None else ""
    return (
        replace(mark, text=f"{mark.text} {symbol}") if symbol and mark.value is not None else mark
    )


def titled(quantity: Quantity, units: Units) -> str:
    """What an axis of a quantity says: `Hours (GPU·h)`."""
    symbol = units.symbol(quantity.unit) if quantity.unit is not None else ""
    return f"{quantity.title} ({symbol})" if symbol else quantity.title


def steps(numbers: Iterable[float]) -> list[float]:
    """Round numbers from at most 0 to at least the greatest, evenly apart."""
    ends = [0.0, *numbers]
    least, greatest = min(ends), max(ends)
    if least == greatest:
        greatest = 1.0
    step = _step((greatest - least) / TICKS)
    first, last = math.floor(least / step), math.ceil(greatest / step)
    return [float(f"{n * step:.12g}") for n in range(first, last + 1)]


def told(ticks: Sequence[float], fmt: Format) -> tuple[tuple[float, str], ...]:
    """Ticks with their texts, in a format with no more decimals than their steps need."""
    step = (ticks[1] - ticks[0]) * (100 if fmt.percent else 1)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    short = Format(fmt.decimals if fmt.scientific else decimals, fmt.percent, False, fmt.scientific)
    return tuple((tick, number(tick, short)) for tick in ticks)
