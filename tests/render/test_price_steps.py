"""Prices over time: a step at each date, an end where a price was withdrawn, numbers apart."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET
from datetime import date

from scalesheet.numbers import Format
from scalesheet.render.charts import Mark
from scalesheet.render.price_steps import Priced, Track, price_svg, priced

UNTIL = date(2026, 1, 1)


def track(name: str, *steps: tuple[str, float | None]) -> Track:
    marks = (
        (date.fromisoformat(day), Mark(name, "", v, None, None, "gone" if v is None else f"{v:g}"))
        for day, v in steps
    )
    return Track(name, tuple(marks))


CUT = track("Cut", ("2024-01-01", 4), ("2025-01-01", 2))
GONE = track("Gone", ("2024-01-01", 3), ("2024-07-01", 1), ("2025-01-01", None))


def drawn(*tracks: Track) -> ET.Element:
    found = priced("p", "Prices", "Price (USD)", Format(), tracks, UNTIL)
    assert isinstance(found, Priced)
    return ET.fromstring(price_svg(found))


def lines(svg: ET.Element) -> list[tuple[str, ...]]:
    """Of each part of a line where it begins and ends."""
    return [
        tuple(part.get(end, "") for end in ("x1", "y1", "x2", "y2"))
        for part in svg.iter("line")
        if "line" in part.get("class", "").split()
    ]


def test_each_step_begins_where_the_one_before_ends() -> None:
    before, down, after = lines(drawn(CUT))
    assert before[:2] == ("14%", "26")
    assert before[2:] == down[:2]
    assert down[2:] == after[:2]
    assert after[2:] == ("96%", "146")  # half of the price, at half of the height


def test_a_price_that_is_gone_ends_its_line_and_has_no_number_there() -> None:
    svg = drawn(CUT, GONE)
    assert max(float(part[2].rstrip("%")) for part in lines(svg)[3:]) < 96
    assert next(each.text for each in svg.iter("text") if each.get("class") == "inside") == "1"
    assert "Gone: 3 (2024-01-01), 1 (2024-07-01), gone (2025-01-01)" in (svg.findtext("desc") or "")


def test_numbers_of_lines_that_end_together_stand_apart() -> None:
    tracks = [track(f"T{n}", ("2024-01-01", 9), ("2025-01-01", 1 + n / 100)) for n in range(6)]
    svg = drawn(*tracks)
    ends = sorted(float(c.get("cy", "")) for c in svg.iter("circle") if c.get("cx") != "9")
    assert len(ends) == 6
    assert min(b - a for a, b in itertools.pairwise(ends)) >= 18.9
    assert ends[-1] <= 266


def test_what_prints_the_same_has_not_moved() -> None:
    assert CUT.moved
    assert not track("Same", ("2024-01-01", 2), ("2025-01-01", 2)).moved
    assert priced("p", "P", "A", Format(), [], UNTIL) is None
