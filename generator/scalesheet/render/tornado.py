"""Tornado charts: what each input does to a figure when it moves alone, as static SVG.

A row for each input, the one that moves the figure most on top. Its bar reaches from the figure's
value with the input at its low side (marked -) to that at its high side (marked +); a line through
all rows is the figure as it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scalesheet.evaluate.levers import Side
from scalesheet.evaluate.sensitivity import Effect, Ranking
from scalesheet.model import Plan
from scalesheet.numbers import Format, format_of, number, plain
from scalesheet.render.charts import BAR, GLYPH, LABEL_LINE, NARROW, ROW, TICKS
from scalesheet.render.svg import along, framed, label, line, px, round_step, share, text, wrapped
from scalesheet.units import Units
from scalesheet.values import Value

EDGE = 0.03  # of the width, left free beside the bars for the signs at their ends


@dataclass(frozen=True, slots=True)
class Bar:
    """One input: what it is, how far it moves, and the figure's value at either side."""

    label: str
    moves: str
    low: float | None
    high: float | None
    said: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Tornado:
    """What is drawn. `ticks` hold all values between the first and the last."""

    id: str
    title: str
    base: float
    base_said: str
    symbol: str
    bars: tuple[Bar, ...]
    ticks: tuple[tuple[float, str], ...]

    def at(self, value: float) -> float:
        """Where a number lies on the axis, from 0 to 1."""
        return along(self.ticks, value, EDGE)


def how_far(effect: Effect, step: float, units: Units) -> tuple[str, str]:
    """How an input moves to either side: its values there, or how its rows are moved."""
    lever = effect.lever
    if effect.inputs is None:
        return _rows(effect, "low", step), _rows(effect, "high", step)
    values = [Value.number(number_) for number_ in effect.inputs]
    fmt = format_of(lever.quantity, values, units)
    return number(effect.inputs[0], fmt), number(effect.inputs[2], fmt)


def _rows(effect: Effect, side: Side, step: float) -> str:
    parts = [f"{side} ends"] if effect.lever.own else []
    if effect.lever.stepped:
        parts.append(f"{'-' if side == 'low' else '+'}{step * 100:g}%")
    return ", ".join(parts)


def tornado(plan: Plan, ranking: Ranking, step: float, units: Units) -> Tornado:
    """The numbers of a figure's chart with their texts. The figure has a number."""
    scalar = plan.scalars[ranking.name]
    base = ranking.value.value
    assert isinstance(base, float)
    fmt = format_of(scalar, ranking.values, units)
    bars, ends = [], [base]
    for effect in ranking.shown:
        low, high = how_far(effect, step, units)
        unit = effect.lever.quantity.unit
        symbol = units.symbol(unit) if unit is not None and effect.inputs is not None else ""
        numbers = [
            v.value if isinstance(v.value, float) else None for v in (effect.low, effect.high)
        ]
        ends += [x for x in numbers if x is not None]
        said = (plain(effect.low, fmt), plain(effect.high, fmt))
        moves = f"{low} to {high} {symbol}".rstrip()
        bars.append(Bar(effect.lever.title, moves, numbers[0], numbers[1], said))
    symbol = units.symbol(scalar.unit) if scalar.unit is not None else ""
    ticks = _ticks(min(ends), max(ends), fmt)
    title = f"What moves {scalar.title or scalar.name}"
    return Tornado(ranking.name, title, base, plain(ranking.value, fmt), symbol, tuple(bars), ticks)


def _ticks(least: float, greatest: float, fmt: Format) -> tuple[tuple[float, str], ...]:
    """Round numbers around all values; unlike that of bars, the axis need not hold 0."""
    if least == greatest:
        greatest = least + (abs(least) or 1.0)
    step = round_step((greatest - least) / TICKS)
    first, last = math.floor(least / step), math.ceil(greatest / step)
    marks = [float(f"{n * step:.12g}") for n in range(first, last + 1)]
    decimals = max(0, -math.floor(math.log10(step * (100 if fmt.percent else 1)) + 1e-9))
    shown = Format(fmt.decimals if fmt.scientific else decimals, fmt.percent, False, fmt.scientific)
    return tuple((mark, number(mark, shown)) for mark in marks)


def description(drawing: Tornado) -> str:
    """The chart in words: every number in it."""
    rows = "; ".join(f"{b.label}, {b.moves}: {b.said[0]} to {b.said[1]}" for b in drawing.bars)
    return f"As it is: {drawing.base_said} {drawing.symbol}".rstrip() + f". {rows}."


def tornado_svg(drawing: Tornado) -> str:
    """The picture as text: the same drawing gives the same bytes."""
    body, height = _rows_of(drawing)
    name = f"tornado-{drawing.id.replace('.', '-')}"
    return framed("bars tornado", name, height, drawing.title, description(drawing), body)


def _rows_of(drawing: Tornado) -> tuple[list[str], int]:
    labels = [_label_lines(bar) for bar in drawing.bars]
    bottom = sum(ROW + (len(each) - 1) * LABEL_LINE for each in labels)
    base = drawing.at(drawing.base)
    lines: list[str] = []
    top = 0
    for bar, each in zip(drawing.bars, labels, strict=True):
        told = f"{bar.said[0]} to {bar.said[1]}"
        lines.append(f"<g><title>{text(f'{bar.label}, {bar.moves}: {told}')}</title>")
        lines += [label(0, top + 14 + n * LABEL_LINE, said, "start") for n, said in enumerate(each)]
        lines.append(label(1, top + 14, told, "end", "value"))
        top += (len(each) - 1) * LABEL_LINE
        ticks = (drawing.at(tick) for tick, _ in drawing.ticks)
        lines += [line("grid", at, top + 18, at, top + 22 + BAR) for at in ticks]
        for end, kind, sign in ((bar.low, "series-2", "−"), (bar.high, "series-1", "+")):
            if end is not None and end != drawing.base:
                lines += _half(drawing.at(end), base, top + 20, kind, sign)
        lines.append(line("axis", base, top + 16, base, top + 24 + BAR))
        lines.append("</g>")
        top += ROW
    for n, (tick, said) in enumerate(drawing.ticks):
        anchor = "start" if n == 0 else "end" if n == len(drawing.ticks) - 1 else "middle"
        lines.append(label(drawing.at(tick), bottom + 14, said, anchor, "muted"))
    axis = f"as it is: {drawing.base_said} {drawing.symbol}".rstrip()
    lines.append(label(1, bottom + 32, axis, "end", "muted"))
    return lines, bottom + 38


def _half(at: float, base: float, top: float, kind: str, sign: str) -> list[str]:
    """The bar from the figure as it is to one side, with the side's sign at its end."""
    beyond = (at + 0.006, "start") if at > base else (at - 0.006, "end")
    return [
        f'<rect class="{kind}" x="{share(min(at, base))}" y="{px(top)}" '
        f'width="{share(abs(at - base))}" height="{BAR}"/>',
        label(beyond[0], top + BAR - 1, sign, beyond[1], "muted"),
    ]


def _label_lines(bar: Bar) -> list[str]:
    """Input and move in lines that leave room for the numbers, as far as a phone has it."""
    room = int(NARROW / GLYPH) - len(f"{bar.said[0]} to {bar.said[1]}") - 1
    return wrapped(f"{bar.label} ({bar.moves})", max(12, room))
