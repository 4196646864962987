"""Prices over time as static SVG: a step at each date on which a price changed.

A line alone has its numbers beside its steps; of several each ends in a number, which the key below
explains. Colours repeat after six, and dashes tell lines of one colour apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from scalesheet.numbers import Format
from scalesheet.render.charts import Mark
from scalesheet.render.lines import numbered, numbers_key, paint
from scalesheet.render.scatters import (
    LEFT,
    LOGARITHMIC,
    PLOT,
    RIGHT,
    TOP,
    Axis,
    Side,
    axis,
    plot,
    rooms,
)
from scalesheet.render.svg import framed, line, px, share, text

KEY = 44  # where the key begins below the plot
SIDES: tuple[Side, ...] = ((4, -7, "start"), (4, 16, "start"), (-4, -7, "end"), (-4, 16, "end"))


@dataclass(frozen=True, slots=True)
class Track:
    """The prices of an offer by date, the oldest first; one without a number ends the line."""

    label: str
    steps: tuple[tuple[date, Mark], ...]

    @property
    def moved(self) -> bool:
        """Whether it has two prices that print differently."""
        return len({mark.text for _, mark in self.steps if mark.value is not None}) > 1

    @property
    def told(self) -> str:
        """`98.32 (2023-07-26), 55.04 (2025-06-01)`."""
        return ", ".join(f"{mark.text} ({day})" for day, mark in self.steps)


@dataclass(frozen=True, slots=True)
class Priced:
    """What is drawn. `until` is the day on which the last prices still hold."""

    id: str
    title: str
    x: Axis
    y: Axis
    tracks: tuple[Track, ...]
    until: date

    def place(self, day: date, value: float) -> tuple[float, float]:
        """Share of the width, and pixels from the top."""
        x = LEFT + self.x.at(day.toordinal()) * (1 - LEFT - RIGHT)
        return x, TOP + (1 - self.y.at(value)) * PLOT


def priced(
    id_: str, title: str, axis_title: str, fmt: Format, tracks: Sequence[Track], until: date
) -> Priced | None:
    """What is drawn of tracks; nothing if no price in them changed before that day."""
    days = [day for track in tracks for day, _ in track.steps]
    values = [m.value for track in tracks for _, m in track.steps if m.value is not None]
    if not values or min(days) >= until:
        return None
    across = _spread("", list(_ticks(min(days), until)))
    return Priced(id_, title, across, axis(axis_title, values, fmt), tuple(tracks), until)


def _spread(title: str, places: Sequence[tuple[float, str]]) -> Axis:
    """The axis from the first to the last place, with a tick at each."""
    least, greatest = places[0][0], places[-1][0]
    if len(places) == 1:
        return Axis(title, (places[0], (least + 1, "")))
    return Axis(title, tuple(places), least > 0 and greatest >= LOGARITHMIC * least)


def _ticks(first: date, last: date) -> Iterator[tuple[float, str]]:
    """Both ends by day, and the years between."""
    yield first.toordinal(), first.isoformat()
    for year in range(first.year + 1, last.year + 1):
        if first < date(year, 1, 1) < last:
            yield date(year, 1, 1).toordinal(), str(year)
    yield last.toordinal(), last.isoformat()


def price_svg(drawing: Priced) -> str:
    """The picture as text: the same drawing gives the same bytes."""
    name = f"chart-{drawing.id}"
    alone = len(drawing.tracks) == 1
    lines = [*plot(drawing.x, drawing.y)]
    for n, track in enumerate(drawing.tracks):
        lines.append(f"<g><title>{text(f'{track.label}: {track.told}')}</title>")
        lines += _stairs(drawing, track, paint(n))
        lines.append("</g>")
    if alone:
        lines += _named(drawing, drawing.tracks[0])
        height = TOP + PLOT + KEY
    else:
        lines += _numbered(drawing)
        key, height = numbers_key([(t.label, t.told) for t in drawing.tracks], TOP + PLOT + KEY)
        lines += key
    return framed("scatter prices", name, height, drawing.title, description(drawing), lines)


def description(drawing: Priced) -> str:
    """The picture in words: every price with the date from which it holds."""
    tracks = "; ".join(f"{track.label}: {track.told}" for track in drawing.tracks)
    return f"{drawing.y.title} from each date on, until {drawing.until}. {tracks}."


def _stairs(drawing: Priced, track: Track, kind: str) -> Iterator[str]:
    days = [day for day, _ in track.steps]
    before: float | None = None
    for (day, mark), end in zip(track.steps, [*days[1:], drawing.until], strict=True):
        if mark.value is not None:
            x, y = drawing.place(day, mark.value)
            if before is not None:
                yield line(kind, x, before, x, y)
            yield line(kind, x, y, drawing.place(end, mark.value)[0], y)
            before = y
        else:
            before = None


def _named(drawing: Priced, track: Track) -> Iterator[str]:
    """The number of each step beside its beginning."""
    wanted = [
        (str(day), *drawing.place(day, mark.value), mark.text)
        for day, mark in track.steps
        if mark.value is not None
    ]
    found = rooms(wanted, [], SIDES)
    for day, x, y, said in wanted:
        if day in found:
            dx, dy, anchor = found[day]
            yield (
                f'<text class="name" x="{share(x)}" y="{px(y + dy)}" dx="{dx}" '
                f'text-anchor="{anchor}">{text(said)}</text>'
            )


def _numbered(drawing: Priced) -> Iterator[str]:
    """A number where each line ends that still goes on."""
    last = [(n, track.steps[-1][1].value) for n, track in enumerate(drawing.tracks)]
    ends = [(drawing.place(drawing.until, v)[1], n) for n, v in last if v is not None]
    return numbered(ends)
