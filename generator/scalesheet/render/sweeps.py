"""A figure over values of an input as static SVG: a line with the band of its range.

The value that the plan has is among them and stands out; a line across is what the figure is held
against. A page's script draws the same (`live/sweeps.js`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scalesheet.model import Plan, Quantity
from scalesheet.numbers import Format, format_of
from scalesheet.pictures import Sweep
from scalesheet.render.charts import GLYPH, NARROW, Mark, mark_of, titled, with_unit
from scalesheet.render.lines import area, stretched, stroke
from scalesheet.render.scatters import (
    DOT,
    LEFT,
    LOGARITHMIC,
    PLOT,
    RIGHT,
    TOP,
    Axis,
    Side,
    around,
    axis,
    plot,
    rooms,
)
from scalesheet.render.svg import framed, label, line, px, share, text
from scalesheet.units import Units
from scalesheet.values import Results, Value

BELOW = 44  # height of what stands below the plot
NOW = 7  # radius of the point that the plan is at
SIDES: tuple[Side, ...] = ((0, -11, "middle"), (10, -4, "start"), (0, 20, "middle"))


@dataclass(frozen=True, slots=True)
class Spot:
    """A value of the input, and the figure there; `now` is the value that the plan has."""

    x: Mark
    y: Mark
    now: bool = False


@dataclass(frozen=True, slots=True)
class Swept:
    """What is drawn. `limit` is a line across, in the unit of the figure, and what it is."""

    id: str
    title: str
    alt: str
    x: Axis
    y: Axis
    spots: tuple[Spot, ...]
    limit: tuple[float, str] | None = None

    @property
    def placed(self) -> list[Spot]:
        return [spot for spot in self.spots if spot.y.value is not None]

    def place(self, spot: Spot) -> tuple[float, float]:
        """Share of the width, and pixels from the top."""
        x, y = self.x.at(spot.x.value or 0), self.y.at(spot.y.value or 0)
        return LEFT + x * (1 - LEFT - RIGHT), TOP + (1 - y) * PLOT


def of_plan(
    sweep: Sweep, plan: Plan, results: Results, values: Mapping[float, Value], units: Units
) -> Swept:
    """What is drawn of a plan's chart; `values` is the figure by value of the input, rising."""
    given, figure = plan.scalars[sweep.input], plan.scalars[sweep.figure]
    now = results.scalars[sweep.input].value
    inputs = [Value.number(value) for value in values]
    formats = (format_of(given, inputs, units), format_of(figure, values.values(), units))
    spots = tuple(
        Spot(
            mark_of(sweep.input, given.title, value, formats[0]),
            mark_of(sweep.figure, figure.title, found, formats[1]),
            value.value == now,
        )
        for value, found in zip(inputs, values.values(), strict=True)
    )
    limit = None
    if sweep.capacity:
        there = plan.scalars[sweep.capacity]
        limit = _limit(there, results.scalars[sweep.capacity], factor(sweep, plan, units), units)
    axes = (titled(given, units), titled(figure, units))
    return swept((sweep.id, sweep.title, sweep.alt), axes, formats[1], spots, limit)


def factor(sweep: Sweep, plan: Plan, units: Units) -> float:
    """What the limit is multiplied by to be in the unit of the figure."""
    own, unit = (plan.scalars[name].unit for name in (sweep.capacity, sweep.figure))
    return float(units.factor(own, unit)) if own and unit and own != unit else 1.0


def _limit(
    quantity: Quantity, value: Value, times: float, units: Units
) -> tuple[float, str] | None:
    mark = mark_of("", quantity.title, value, format_of(quantity, [value], units))
    if mark.value is None:
        return None
    return mark.value * times, f"{quantity.title}: {with_unit(mark, quantity, units).text}"


def swept(
    told: tuple[str, str, str],
    axes: tuple[str, str],
    fmt: Format,
    spots: Sequence[Spot],
    limit: tuple[float, str] | None,
) -> Swept:
    """What is drawn of spots, rising; `told` are id, title and words of the chart."""
    placed = [s for s in spots if s.y.value is not None]
    ends = [n for s in placed for n in (s.y.value, s.y.low, s.y.high) if n is not None]
    ends += [limit[0]] if limit else []
    across = spread(axes[0], [(s.x.value or 0.0, s.x.text) for s in spots])
    return Swept(*told, across, axis(axes[1], ends, fmt), tuple(spots), limit)


def spread(title: str, places: Sequence[tuple[float, str]]) -> Axis:
    """The axis from the first to the last place, with a tick at each."""
    least, greatest = places[0][0], places[-1][0]
    if len(places) == 1:
        return Axis(title, (places[0], (least + 1, "")))
    return Axis(title, tuple(places), least > 0 and greatest >= LOGARITHMIC * least)


# ------------------------------------------------------------------ SVG


def sweep_svg(drawing: Swept) -> str:
    """The picture as text: the same drawing gives the same bytes."""
    name = f"chart-{drawing.id}"
    height = TOP + PLOT + BELOW
    lines = [
        *plot(drawing.x, drawing.y),
        *stretched(_curve(drawing)),
        *_across_line(drawing),
        *_spots(drawing),
    ]
    return framed("sweep", name, height, drawing.title, description(drawing), lines)


def description(drawing: Swept) -> str:
    """The chart in words: what the author says of it, and every number."""
    spots = "; ".join(_told(spot) for spot in drawing.spots)
    limit = f" The line across is {drawing.limit[1]}." if drawing.limit else ""
    axes = f"{drawing.y.title} by {drawing.x.title}"
    return f"{drawing.alt.rstrip('.')}. {axes}: {spots}.{limit}"


def _told(spot: Spot) -> str:
    return f"{spot.x.text}: {figure_told(spot)}" + (" (the plan)" if spot.now else "")


def figure_told(spot: Spot) -> str:
    """`12.3 (9.8–15.1)`."""
    return spot.y.text + (f" ({spot.y.range})" if spot.y.range else "")


def _curve(drawing: Swept) -> Iterator[str]:
    """Band and line."""

    def through(ends: Sequence[float | None]) -> list[tuple[float, float]]:
        """The spots at these ends, and at the value where there is none."""
        return [
            (s.x.value or 0, s.y.value or 0 if end is None else end)
            for s, end in zip(drawing.placed, ends, strict=True)
        ]

    low, middle, high = (
        through([getattr(s.y, end) for s in drawing.placed]) for end in ("low", "value", "high")
    )
    if any(s.y.low is not None for s in drawing.placed):
        yield area("band", drawing.x, drawing.y, [*low, *reversed(high)])
    yield stroke("line series-1", drawing.x, drawing.y, middle)


def _across_line(drawing: Swept) -> Iterator[str]:
    if drawing.limit is None:
        return
    y = TOP + (1 - drawing.y.at(drawing.limit[0])) * PLOT
    yield line("limit", LEFT, y, 1, y)
    yield label(1, y - 6, drawing.limit[1], "end", "name")


def _spots(drawing: Swept) -> Iterator[str]:
    names = _named(drawing)
    for spot in drawing.placed:
        x, y = drawing.place(spot)
        kind, radius = ("series-1 part", NOW) if spot.now else ("point on", DOT)
        yield f'<g data-row="{text(spot.x.text)}"><title>{text(_told(spot))}</title>'
        yield f'<circle class="{kind}" cx="{share(x)}" cy="{px(y)}" r="{radius}"/>'
        if spot.x.text in names:
            dx, dy, anchor = names[spot.x.text]
            kind = "name now" if spot.now else "name"
            yield (
                f'<text class="{kind}" x="{share(x)}" y="{px(y + dy)}" dx="{dx}" '
                f'text-anchor="{anchor}">{text(spot.y.text)}</text>'
            )
        yield "</g>"


def _named(drawing: Swept) -> dict[str, Side]:
    """The spots that have room for their figures: first the plan's own."""
    placed = sorted(drawing.placed, key=lambda spot: not spot.now)
    taken = [around(*drawing.place(s), NOW if s.now else DOT) for s in placed]
    if drawing.limit is not None:
        y = TOP + (1 - drawing.y.at(drawing.limit[0])) * PLOT
        taken.append((NARROW - len(drawing.limit[1]) * GLYPH, y - 16, NARROW, y - 3))
    return rooms([(s.x.text, *drawing.place(s), s.y.text) for s in placed], taken, SIDES)
