"""Static SVG charts of one column of a table: bars across, or columns.

Lengths along the page are percentages and all others are pixels, so that text keeps its size on
a phone and on a wide screen. There is no style in the SVG: the site's style sheet paints its
classes for light and dark.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from scalesheet.model import Quantity, Table
from scalesheet.numbers import Format, format_of, number, plain, span
from scalesheet.pictures import Chart
from scalesheet.render.svg import along, framed
from scalesheet.render.svg import label as _label
from scalesheet.render.svg import line as _line
from scalesheet.render.svg import px as _px
from scalesheet.render.svg import round_step as _step
from scalesheet.render.svg import share as _share
from scalesheet.render.svg import text as _text
from scalesheet.render.svg import wrapped as _wrapped
from scalesheet.units import Units
from scalesheet.values import Series, Value

NARROW = 300  # pixels that a chart has on a small phone
GLYPH = 6.6  # mean width in pixels of a character at 12 px
TICKS = 4
BAR, ROW = 12, 42  # height of a bar, of a row with a label of one line
PLOT, LABEL_LINE = 180, 15  # height of the columns' plot, of a line of a label
MOST_LINES = 3  # of a column's label
BELOW = 38  # height of the numbers below a horizontal axis


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


@dataclass(frozen=True, slots=True)
class Drawing:
    """What is drawn. `ticks` start at the least and end at the greatest number of the axis."""

    id: str
    title: str
    alt: str
    axis: str
    kind: Literal["bar", "column"]
    marks: tuple[Mark, ...]
    ticks: tuple[tuple[float, str], ...]

    def at(self, value: float) -> float:
        """Where a number lies on the axis, from 0 to 1."""
        return along(self.ticks, value)


def chart_svg(
    chart: Chart, table: Table, columns: Mapping[str, Series], rows: Sequence[str], units: Units
) -> str:
    """The SVG of a chart. `rows` are the ids of the rows of each series of `columns`."""
    return svg(drawing(chart, table, columns, rows, units))


def drawing(
    chart: Chart, table: Table, columns: Mapping[str, Series], rows: Sequence[str], units: Units
) -> Drawing:
    """The numbers of a chart with their texts, as everywhere else on the page."""
    column, series = table.columns[chart.column], columns[chart.column]
    fmt = format_of(column, series, units)
    titles = dict(zip(table.rows, table.row_titles, strict=True))
    marks = [mark_of(row, titles[row], value, fmt) for row, value in zip(rows, series, strict=True)]
    if chart.start:
        marks = [_from(m, v, fmt) for m, v in zip(marks, columns[chart.start], strict=True)]
    ticks = told(scale(marks), fmt)
    kind: Literal["bar", "column"] = (
        "column" if chart.kind == "column" and _columns_fit(marks) else "bar"
    )
    axis_ = axis(chart, table, units)
    return Drawing(chart.id, chart.title, chart.alt, axis_, kind, tuple(marks), ticks)


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


def axis(chart: Chart, table: Table, units: Units) -> str:
    """What the axis says: `Hours (GPU·h)`; of a calendar `Start to end (d)`."""
    said = titled(table.columns[chart.column], units)
    if not chart.start:
        return said
    return f"{table.columns[chart.start].title} to {said[:1].lower()}{said[1:]}"


def _from(mark: Mark, start: Value, fmt: Format) -> Mark:
    """The mark of a calendar: a bar from its start to its end."""
    if mark.value is None or not isinstance(start.value, float):
        return mark
    return replace(mark, base=start.value, text=f"{number(start.value, fmt)} to {mark.text}")


def scale(marks: Sequence[Mark]) -> list[float]:
    """The axis of marks: from at most 0 to at least the greatest end."""
    return steps(n for m in marks for n in (m.value, m.low, m.high) if n is not None)


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


def _columns_fit(marks: Sequence[Mark]) -> bool:
    """Whether labels and values have room side by side on a phone."""
    room = int(NARROW / max(1, len(marks)) / GLYPH)
    return all(
        len(mark.text) <= room
        and all(len(word) <= room for word in mark.label.split())
        and len(_wrapped(mark.label, room)) <= MOST_LINES
        for mark in marks
    )


# ------------------------------------------------------------------ SVG


def svg(drawing: Drawing) -> str:
    """The picture as text: the same drawing gives the same bytes."""
    body, height = (_bars if drawing.kind == "bar" else _columns)(drawing)
    name = f"chart-{drawing.id}"
    return framed(f"{drawing.kind}s", name, height, drawing.title, description(drawing), body)


def description(drawing: Drawing) -> str:
    """The chart in words: what the author says of it, and every number."""
    rows = "; ".join(
        f"{mark.label}: {mark.text}" + (f" ({mark.range})" if mark.range else "")
        for mark in drawing.marks
    )
    return f"{drawing.alt.rstrip('.')}. {drawing.axis}: {rows}." if drawing.alt else rows


def _bars(drawing: Drawing) -> tuple[list[str], int]:
    """Bars across, each below its label and its number."""
    labels = [_lines(mark) for mark in drawing.marks]
    bottom = sum(ROW + (len(label) - 1) * LABEL_LINE for label in labels)
    zero = drawing.at(0)
    lines = [
        _line("grid", drawing.at(tick), 0, drawing.at(tick), bottom)
        for tick, _ in drawing.ticks
        if tick != 0
    ]
    top = 0
    for mark, label in zip(drawing.marks, labels, strict=True):
        told = f" ({mark.range})" if mark.range else ""
        lines.append(
            f'<g data-row="{_text(mark.id)}"><title>{_text(mark.label)}: '
            f"{_text(mark.text + told)}</title>"
        )
        lines += [
            _label(0, top + 14 + n * LABEL_LINE, part, "start") for n, part in enumerate(label)
        ]
        shown = _text(mark.text) + (f'<tspan class="muted">{_text(told)}</tspan>' if told else "")
        lines.append(_label(1, top + 14, shown, "end", "value", raw=True))
        top += (len(label) - 1) * LABEL_LINE
        lines.append(_line("axis", zero, top + 18, zero, top + 22 + BAR))
        if mark.value is not None:
            at, base = drawing.at(mark.value), drawing.at(mark.base)
            lines.append(
                f'<rect class="series-1" x="{_share(min(base, at))}" y="{top + 20}" '
                f'width="{_share(abs(at - base))}" height="{BAR}"/>'
            )
        if mark.low is not None and mark.high is not None:
            low, high, middle = drawing.at(mark.low), drawing.at(mark.high), top + 20 + BAR / 2
            lines.append(_line("whisker", low, middle, high, middle))
            lines += [_line("whisker", x, middle - 4, x, middle + 4) for x in (low, high)]
        lines.append("</g>")
        top += ROW
    lines += below(drawing.ticks, drawing.axis, bottom)
    return lines, bottom + BELOW


def below(ticks: Sequence[tuple[float, str]], axis_: str, bottom: float) -> list[str]:
    """The numbers of a horizontal axis and what it says, below `bottom`."""
    least, greatest = ticks[0][0], ticks[-1][0]
    lines = []
    for n, (tick, text) in enumerate(ticks):
        anchor = "start" if n == 0 else "end" if n == len(ticks) - 1 else "middle"
        at = (tick - least) / (greatest - least)
        lines.append(_label(at, bottom + 14, text, anchor, "muted"))
    return [*lines, _label(1, bottom + 32, axis_, "end", "muted")]


def beside(label: str, told: int) -> list[str]:
    """A label in lines that leave room for so many characters, as far as a phone has it."""
    return _wrapped(label, max(12, int(NARROW / GLYPH) - told - 1))


def _lines(mark: Mark) -> list[str]:
    return beside(mark.label, len(mark.text) + (len(mark.range) + 3 if mark.range else 0))


def _columns(drawing: Drawing) -> tuple[list[str], int]:
    """Columns side by side, each above its label."""
    top = 40
    floor = top + PLOT
    slot = 1 / len(drawing.marks)
    zero = floor - drawing.at(0) * PLOT
    lines = [_label(0, 14, drawing.axis, "start", "muted")]
    for tick, _ in drawing.ticks:
        y = floor - drawing.at(tick) * PLOT
        lines.append(_line("axis" if tick == 0 else "grid", 0, y, 1, y))
    tallest = 1
    for n, mark in enumerate(drawing.marks):
        middle = (n + 0.5) * slot
        told = f" ({mark.range})" if mark.range else ""
        lines.append(
            f'<g data-row="{_text(mark.id)}"><title>{_text(mark.label)}: '
            f"{_text(mark.text + told)}</title>"
        )
        tip = zero
        if mark.value is not None:
            at = floor - drawing.at(mark.value) * PLOT
            tip = min(zero, at)
            lines.append(
                f'<rect class="series-1" x="{_share(middle - slot * 0.3)}" y="{_px(tip)}" '
                f'width="{_share(slot * 0.6)}" height="{_px(abs(at - zero))}"/>'
            )
        if mark.low is not None and mark.high is not None:
            low, high = (floor - drawing.at(end) * PLOT for end in (mark.low, mark.high))
            tip = min(tip, high)
            lines.append(_line("whisker", middle, low, middle, high))
            ends = (middle - slot * 0.06, middle + slot * 0.06)
            lines += [_line("whisker", ends[0], y, ends[1], y) for y in (low, high)]
        lines.append(_label(middle, tip - 6, mark.text, "middle", "value"))
        words = _wrapped(mark.label, max(1, int(NARROW * slot / GLYPH)))
        tallest = max(tallest, len(words))
        for row, word in enumerate(words):
            lines.append(_label(middle, floor + 16 + row * LABEL_LINE, word, "middle"))
        lines.append("</g>")
    return lines, floor + 8 + tallest * LABEL_LINE
