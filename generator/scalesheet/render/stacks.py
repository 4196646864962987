"""Stacked bars as static SVG: the parts of each bar, their sum with its range, and a capacity.

A line across a bar is what there is; what lies beyond it is hatched. Colours differ by part and so
do textures, and below stands what each is, in the order in which they lie. A page's script draws
the same (`live/stacks.js`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate

from scalesheet.model import Plan, Quantity
from scalesheet.numbers import format_of
from scalesheet.pictures import Stack
from scalesheet.render.charts import (
    BELOW,
    GLYPH,
    LABEL_LINE,
    NARROW,
    Mark,
    below,
    beside,
    mark_of,
    steps,
    titled,
    told,
    with_unit,
)
from scalesheet.render.svg import along, framed, label, line, share, text, texture, textures
from scalesheet.units import Units
from scalesheet.values import Results

BAR, ROW = 16, 50  # height of a bar, of a row with a label of one line
KEY = 18  # height of a line of the key
SWATCH = 12
BEYOND = "Beyond it"  # what a bar has more than there is
HALF = int(NARROW / 2 / GLYPH) - 3  # characters that a name may have in a key of two columns


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its parts, what they add up to, and what there is, in the unit of the axis."""

    whole: Mark
    parts: tuple[Mark, ...]
    capacity: float | None
    of: str  # `186 GB`, or nothing

    @property
    def end(self) -> float:
        values = (part.value for part in self.parts if part.value is not None)
        return [*accumulate(values, initial=0.0)][-1]  # as bars are laid end to end

    @property
    def range(self) -> str:
        """What is told beside the number: ` (80.1–110) of 186 GB`."""
        ends = f" ({self.whole.range})" if self.whole.range else ""
        return ends + (f" of {self.of}" if self.of else "")


@dataclass(frozen=True, slots=True)
class Stacked:
    """What is drawn. `capacity` is what the line is called."""

    id: str
    title: str
    alt: str
    axis: str
    bars: tuple[Bar, ...]
    capacity: str
    ticks: tuple[tuple[float, str], ...]

    def at(self, value: float) -> float:
        """Where a number lies on the axis, from 0 to 1."""
        return along(self.ticks, value)


def stacked(stack: Stack, plan: Plan, results: Results, units: Units) -> Stacked:
    """The numbers of a chart with their texts, as everywhere else on the page."""
    table, columns = plan.tables[stack.table], results.tables[stack.table]
    known = factors(stack, plan, units)

    def read(name: str, row: int | None, label: str) -> Mark:
        if row is not None and name in table.columns:
            quantity: Quantity = table.columns[name]
            series = columns[name]
            value, fmt = series[row], format_of(quantity, series, units)
        else:
            quantity, value = plan.scalars[name], results.scalars[name]
            fmt = format_of(quantity, [value], units)
        return _scaled(mark_of(name, label, value, fmt), known.get(name, 1.0), quantity, units)

    def bar(name: str, label: str, parts: list[Mark], total: str, row: int | None) -> Bar:
        whole = replace(read(total, row, label), id=name)
        there = read(stack.capacity, row, "") if stack.capacity else None
        if there is None or there.value is None:
            return Bar(whole, tuple(parts), None, "")
        return Bar(whole, tuple(parts), there.value, there.text)

    titles = [*zip(range(len(table.rows)), table.rows, table.row_titles, strict=True)]
    if stack.parts:
        bars = [
            bar(
                row,
                title,
                [read(p, n, table.columns[p].title) for p in stack.parts],
                stack.totals[0],
                n,
            )
            for n, row, title in titles
        ]
    else:
        bars = [
            bar(
                name,
                table.columns[name].title,
                [replace(read(name, n, title), id=row) for n, row, title in titles],
                total,
                None,
            )
            for name, total in zip(stack.bars, stack.totals, strict=True)
        ]
    ends = [n for b in bars for n in (b.end, *_ends(b.whole), b.capacity) if n is not None]
    first = table.columns[(stack.parts or stack.bars)[0]]
    fmt = format_of(first, columns[first.name], units)
    return Stacked(
        stack.id,
        stack.title,
        stack.alt,
        axis(stack, plan, units),
        tuple(bars),
        capacity_title(stack, plan),
        told(steps(ends), fmt),
    )


def factors(stack: Stack, plan: Plan, units: Units) -> dict[str, float]:
    """What numbers of other units are multiplied by to lie on the axis of the first part's."""
    columns = plan.tables[stack.table].columns
    unit = columns[(stack.parts or stack.bars)[0]].unit
    found = {}
    for name in (*stack.parts, *stack.bars, *stack.totals, *filter(None, [stack.capacity])):
        own = _quantity(stack, plan, name).unit
        if unit is not None and own is not None and own != unit:
            found[name] = float(units.factor(own, unit))
    return found


def axis(stack: Stack, plan: Plan, units: Units) -> str:
    """What the axis says: `Memory (GB)`."""
    table = plan.tables[stack.table]
    first = table.columns[(stack.parts or stack.bars)[0]]
    if stack.parts:
        title = _quantity(stack, plan, stack.totals[0]).title
    else:
        title = first.title if len(stack.bars) == 1 else table.title
    return titled(replace(first, title=title), units)


def capacity_title(stack: Stack, plan: Plan) -> str:
    return _quantity(stack, plan, stack.capacity).title if stack.capacity else ""


def _quantity(stack: Stack, plan: Plan, name: str) -> Quantity:
    """A column of the table where rows are bars, or it is a bar; else a scalar."""
    columns = plan.tables[stack.table].columns
    if name in stack.bars or (stack.parts and name in columns):
        return columns[name]
    return plan.scalars[name]


def _scaled(mark: Mark, factor: float, quantity: Quantity, units: Units) -> Mark:
    """The mark on the axis, its text with the quantity's own unit."""
    if mark.value is None:
        return mark
    low, high = (None if end is None else end * factor for end in (mark.low, mark.high))
    told_ = with_unit(mark, quantity, units)
    return replace(told_, value=mark.value * factor, low=low, high=high)


def _ends(mark: Mark) -> tuple[float | None, ...]:
    return mark.value, mark.low, mark.high


# ------------------------------------------------------------------ SVG


def stack_svg(drawing: Stacked) -> str:
    """The picture as text: the same drawing gives the same bytes."""
    name = f"chart-{drawing.id}"
    body, bottom = _bars(drawing, name)
    key, height = _key(drawing, name, bottom + BELOW)
    most = max((len(bar.parts) for bar in drawing.bars), default=0)
    lines = [*textures(name, most), *body, *key]
    return framed("bars stack", name, height, drawing.title, description(drawing), lines)


def description(drawing: Stacked) -> str:
    """The chart in words: what the author says of it, and every number."""
    bars = "; ".join(_in_words(bar) for bar in drawing.bars)
    line_ = f" The line is: {drawing.capacity}." if drawing.capacity else ""
    return f"{drawing.alt.rstrip('.')}. {drawing.axis}: {bars}.{line_}"


def _in_words(bar: Bar) -> str:
    parts = ", ".join(f"{part.label} {part.text}" for part in bar.parts)
    made = f", of which {parts}" if len(bar.parts) > 1 else ""
    return f"{bar.whole.label}: {bar.whole.text}{bar.range}{made}"


def _bars(drawing: Stacked, name: str) -> tuple[list[str], int]:
    labels = [beside(b.whole.label, len(b.whole.text) + len(b.range)) for b in drawing.bars]
    bottom = sum(ROW + (len(each) - 1) * LABEL_LINE for each in labels)
    lines = [
        line("grid", drawing.at(tick), 0, drawing.at(tick), bottom)
        for tick, _ in drawing.ticks
        if tick != 0
    ]
    top = 0
    for bar, said in zip(drawing.bars, labels, strict=True):
        whole = bar.whole
        lines.append(
            f'<g data-row="{text(whole.id)}"><title>{text(whole.label)}: '
            f"{text(whole.text + bar.range)}</title>"
        )
        lines += [label(0, top + 14 + n * LABEL_LINE, part, "start") for n, part in enumerate(said)]
        muted = f'<tspan class="muted">{text(bar.range)}</tspan>' if bar.range else ""
        lines.append(label(1, top + 14, text(whole.text) + muted, "end", "value", raw=True))
        top += (len(said) - 1) * LABEL_LINE
        lines += _bar(drawing, bar, top + 20, name)
        lines.append("</g>")
        top += ROW
    return [*lines, *below(drawing.ticks, drawing.axis, bottom)], bottom


def _bar(drawing: Stacked, bar: Bar, top: int, name: str) -> Iterator[str]:
    """The parts one after the other, what is beyond the capacity, the range, and the line."""
    zero = drawing.at(0)
    yield line("axis", zero, top - 2, zero, top + BAR + 2)
    begin = 0.0
    for n, part in enumerate(bar.parts):
        if part.value is None or part.value == 0:
            continue
        end = begin + part.value
        x, width = drawing.at(begin), drawing.at(end) - drawing.at(begin)
        yield (
            f'<g data-part="{text(part.id)}"><title>{text(part.label)}: {text(part.text)}</title>'
        )
        yield from _swatch(n, share(x), top, share(width), BAR, name)
        yield "</g>"
        begin = end
    if bar.capacity is not None and begin > bar.capacity:
        x, width = drawing.at(bar.capacity), drawing.at(begin) - drawing.at(bar.capacity)
        yield _over(share(x), top, share(width), BAR, name)
    if bar.whole.low is not None and bar.whole.high is not None:
        low, high, y = drawing.at(bar.whole.low), drawing.at(bar.whole.high), top + BAR + 5
        yield line("whisker", low, y, high, y)
        yield from (line("whisker", x, y - 3, x, y + 3) for x in (low, high))
    if bar.capacity is not None:
        yield line(
            "limit", drawing.at(bar.capacity), top - 4, drawing.at(bar.capacity), top + BAR + 10
        )


def _swatch(part: int, x: str, y: int, width: str, height: int, name: str) -> Iterator[str]:
    """The colour of a part, and over it its texture if it has one."""
    at = f'x="{x}" y="{y}" width="{width}" height="{height}"'
    yield f'<rect class="series-{part % 6 + 1} part" {at}/>'
    if part % 4:
        yield f'<rect fill="{texture(name, part)}" {at}/>'


def _over(x: str, y: int, width: str, height: int, name: str) -> str:
    return (
        f'<rect class="over" fill="url(#{name}-over)" x="{x}" y="{y}" '
        f'width="{width}" height="{height}"/>'
    )


def _key(drawing: Stacked, name: str, top: int) -> tuple[list[str], int]:
    """What each part is, in their order; of a single bar with its number. Then the line."""
    parts = drawing.bars[0].parts
    alone = len(drawing.bars) == 1
    entries = [part.label for part in parts] if len(parts) > 1 else []
    if drawing.capacity:
        entries.append(drawing.capacity)
    if any(bar.capacity is not None and bar.end > bar.capacity for bar in drawing.bars):
        entries.append(BEYOND)
    two = not alone and all(len(entry) <= HALF for entry in entries)
    lines: list[str] = []
    for n, entry in enumerate(entries):
        column, row = (n % 2, n // 2) if two else (0, n)
        x, y = share(column / 2), top + row * KEY
        if entry is BEYOND:
            lines.append(_over(x, y + 2, str(SWATCH), SWATCH, name))
        elif n >= len(parts) or len(parts) == 1:
            lines.append(f'<rect class="limit" x="{x}" y="{y}" width="2" height="{SWATCH + 4}"/>')
        else:
            lines += _swatch(n, x, y + 2, str(SWATCH), SWATCH, name)
        lines.append(f'<text class="label" x="{x}" y="{y + 12}" dx="18">{text(entry)}</text>')
        if alone and len(parts) > 1 and n < len(parts):
            lines.append(label(1, y + 12, parts[n].text, "end", "value"))
    rows = -(-len(entries) // 2) if two else len(entries)
    return lines, top + rows * KEY + (4 if rows else 0)
