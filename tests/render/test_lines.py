"""Curves and points of the score, prices over time, and bars in pairs, as the build draws them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from render.drawings import across, built, length, said, texts
from scalesheet.numbers import Format
from scalesheet.predict.score import TaskScore
from scalesheet.render.laws import sections
from scalesheet.render.lines import Line, Lines
from scalesheet.render.measurements import PairedBar, PairedBars
from scalesheet.render.pages.catalogue.price_charts import price_lines
from scalesheet.render.parity import parity_plot
from scalesheet.render.scores import family_titles
from scalesheet.render.strip_plot import strip_plot
from scalesheet.values import Value
from shipped import shipped, shipped_book

UNTIL = date(2026, 1, 1)
Points = list[tuple[float, float]]


def lines(svg: ET.Element) -> list[Points]:
    """The points of each part of a line, in thousandths of the plot, measured from the top."""
    return [
        [(float(x), float(y)) for x, y in (at.split(",") for at in each.get("points", "").split())]
        for each in svg.iter("polyline")
    ]


def dots(svg: ET.Element, kind: str = "dot") -> list[tuple[float, float]]:
    found = (each for each in svg.iter("circle") if kind in (each.get("class") or ""))
    return [(length(each, "cx"), length(each, "cy")) for each in found if each.get("cx") != "9"]


# ------------------------------------------------------------------ lines that end in numbers


@given(st.lists(st.floats(1, 100), min_size=2, max_size=12))
def test_labels_keep_their_distance_and_stay_on_the_plot(values: list[float]) -> None:
    found = tuple(Line(f"L{n}", "", (((0, 0), (1, y)),), y) for n, y in enumerate(values))
    drawn = Lines("c", "A", "B", ("X", "Y"), ((0, "0"), (1, "1")), Format(), found)
    svg = built("lines", drawn)
    rising = sorted(y for _, y in dots(svg, "part"))
    near = min(19, 240 / len(values))
    assert len(rising) == len(values)
    assert all(b - a >= near - 0.11 for a, b in pairwise(rising))
    assert rising[0] >= 26 - 0.1
    assert rising[-1] <= 266 + 0.1
    ends = sorted(26 + part[-1][1] * 0.24 for part in lines(svg))
    if all(b - a >= near + 0.1 for a, b in pairwise(ends)) and ends[-1] <= 266:
        assert rising == pytest.approx(ends, abs=0.1)


def test_the_optimal_sizes_are_curves_with_the_numbers_of_their_table() -> None:
    section = next(s for s in sections(shipped_book(), shipped().scores) if s.curves)
    assert section.curves is not None
    svg = built("lines", section.curves)
    assert len(lines(svg)) == len(section.head) - 1
    told = {curve.label: curve.told for curve in section.curves.lines}
    columns = zip(section.head[1:], section.rows[0][1:], section.rows[-1][1:], strict=True)
    for name, *ends in columns:
        small, large = (cell.split(" on ")[0] for cell in ends)
        assert told[name] == f"{small} for 1e20, {large} for 1e25"
        assert f"{name}: {told[name]}" in said(svg)
    assert "100B" in texts(svg)


# ------------------------------------------------------------------ prices over time


def prices(*steps: tuple[str, float | None]) -> list[tuple[date, Value]]:
    return [
        (date.fromisoformat(day), Value(reason="gone") if v is None else Value.number(float(v)))
        for day, v in steps
    ]


CUT = ("Cut", prices(("2024-01-01", 4), ("2025-01-01", 2)))
GONE = ("Gone", prices(("2024-01-01", 3), ("2024-07-01", 1), ("2025-01-01", None)))


def priced(*offers: tuple[str, list[tuple[date, Value]]]) -> ET.Element:
    found = price_lines("p", "Prices", "Price (USD)", Format(), offers, UNTIL)
    assert found is not None
    return built("lines", found)


def test_each_step_starts_where_the_previous_one_ends() -> None:
    svg = priced(CUT)
    ((begin, drop, down, end),) = lines(svg)
    assert begin == (0, 0)
    assert drop == (down[0], 0)
    assert down[1] == end[1] == 500  # half the price, at half the height
    assert end[0] == 1000
    assert texts(svg, "name") == ["4", "2"]


def test_a_withdrawn_price_ends_its_line_without_a_number() -> None:
    svg = priced(CUT, GONE)
    assert lines(svg)[1][-1][0] < 1000
    assert texts(svg, "inside") == ["1", "1", "2"]  # at its end, and in the legend
    assert texts(svg, "name") == ["4", "2", "3", "1"]  # beside the steps of both lines
    assert "Gone: 3 (2024-01-01), 1 (2024-07-01), gone (2025-01-01)" in said(svg)


def test_prices_that_print_the_same_count_as_unchanged() -> None:
    same = ("Same", prices(("2024-01-01", 2), ("2025-01-01", 2)))
    assert price_lines("p", "P", "A", Format(), [same], UNTIL) is None
    assert price_lines("p", "P", "A", Format(), [], UNTIL) is None


# ------------------------------------------------------------------ predictions


@pytest.mark.parametrize("task", ["runs", "throughput", "memory", "loss"])
def test_every_scored_row_is_a_point(task: str) -> None:
    score: TaskScore = shipped().scores[task]
    points = dots(built("parity", parity_plot(score)))
    assert len(points) == int(score.counted.sum())
    assert all(14 <= x <= 96 and 26 <= y <= 266 for x, y in points)


def test_a_correct_prediction_is_on_the_diagonal() -> None:
    found = parity_plot(shipped().scores["runs"])
    (right, _), *_ = found.points
    svg = built("parity", replace(found, points=((right, right),), names=("Right",)))
    ((x, y),) = dots(svg)
    assert (x - 14) / 82 == pytest.approx((266 - y) / 240, abs=1e-3)
    assert texts(svg, "name") == ["Right"]


def test_each_bar_of_a_pair_is_as_long_as_its_number_with_its_range_below() -> None:
    rows = (
        PairedBar("Whole", 4, 2, ("4", "2"), "×2.00", 1, 3),
        PairedBar("Part", 1, 0, ("1", "none"), "", None, None),
    )
    drawn = PairedBars("p", "Time", "Time (s)", ("Measured", "Predicted"), rows)
    svg = built("paired_bars", drawn)
    bars = [length(r, "width") for g in svg.findall("g") for r in g.iter("rect") if r.get("class")]
    assert bars == [100, 50, 25]
    whisker = next(each for each in svg.iter("line") if each.get("class") == "whisker")
    assert (whisker.get("x1"), whisker.get("x2")) == ("25%", "75%")
    assert "Time (s). Whole: measured 4, predicted 2, ×2.00; Part: " in said(svg)


@pytest.mark.parametrize("task", ["runs", "loss"])
def test_a_dot_right_of_center_means_predicted_too_high(task: str) -> None:
    found = strip_plot(shipped().scores[task], family_titles(shipped().book))
    svg = built("strip_plot", found)
    assert all(0 <= place <= 100 for place in across(svg))
    offs = [off for family in found.families for off, _ in family.dots]
    places = [x for x, _ in dots(svg, "series-1")]
    assert len(places) == len(offs)
    assert all(
        (off > 0) == (x > 50) for off, x in zip(offs, places, strict=True) if abs(off) > 1e-3
    )
