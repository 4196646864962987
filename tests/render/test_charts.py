"""Charts: drawn from a column, readable without colour, and right under a strict policy."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from scalesheet.model import Column, Table
from scalesheet.pictures import Chart, ChartKind
from scalesheet.render.charts import Mark, chart_svg, drawing, scale
from scalesheet.units import Declared, Units
from scalesheet.values import Series

UNITS = Units([Declared("hour", "time", Fraction(1), "hour", "h", False)])


def table(titles: tuple[str, ...]) -> Table:
    ids = tuple(f"r{n}" for n in range(len(titles)))
    column = Column("hours", "Hours", unit=UNITS.parse("hour"))
    return Table("stages", "Stages", ids, titles, {"hours": column})


def drawn(series: Series, titles: tuple[str, ...], kind: ChartKind = "bar") -> ET.Element:
    shown = table(titles)
    told = Chart("c", "Hours <by> stage", kind, "stages", "hours", "The second is longest")
    return ET.fromstring(chart_svg(told, shown, {"hours": series}, shown.rows, UNITS))


TWO = Series(np.array([1.0, 4.0]), np.array([0.5, 4.0]), np.array([2.0, 4.0]))
TITLES = ("First & <one>", "Second")


def texts(svg: ET.Element) -> list[str]:
    return ["".join(each.itertext()) for each in svg.iter("text")]


@pytest.mark.parametrize("kind", ["bar", "column"])
def test_every_row_has_its_label_and_its_number(kind: str) -> None:
    found = texts(drawn(TWO, ("One", "Two"), kind))
    assert {"One", "Two", "Hours (h)"} <= set(found)
    assert any(re.match("1\\b", each) for each in found)


def test_a_bar_is_as_long_as_its_number() -> None:
    widths = [rect.get("width") for rect in drawn(TWO, TITLES).iter("rect")]
    assert widths == ["25%", "100%"]


def test_a_range_has_whiskers_and_its_ends_beside_the_number() -> None:
    svg = drawn(TWO, TITLES)
    whiskers = [line for line in svg.iter("line") if line.get("class") == "whisker"]
    assert (whiskers[0].get("x1"), whiskers[0].get("x2")) == ("12.5%", "50%")
    assert len(whiskers) == 3
    assert "1 (0.5–2)" in texts(svg)


def test_a_row_without_a_number_says_why_and_has_no_bar() -> None:
    svg = drawn(Series(np.array([np.nan, 4.0]), reasons={0: "not offered"}), TITLES)
    assert "not offered" in texts(svg)
    assert len(list(svg.iter("rect"))) == 1


def test_a_long_label_has_several_lines_and_all_its_words() -> None:
    name = "A label that is much longer than what a phone has room for"
    found = texts(drawn(TWO, (name, "Second")))
    assert name not in found
    assert name in " ".join(found)
    short, long = drawn(TWO, TITLES).get("height"), drawn(TWO, (name, "Second")).get("height")
    assert int(long or 0) > int(short or 0)


def test_the_chart_is_told_in_words() -> None:
    svg = drawn(TWO, TITLES)
    assert svg.get("role") == "img"
    title, description = svg.find("title"), svg.find("desc")
    assert title is not None
    assert title.text == "Hours <by> stage"
    assert description is not None
    assert description.text == (
        "The second is longest. Hours (h): First & <one>: 1 (0.5–2); Second: 4."
    )
    assert svg.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"


def test_nothing_is_styled_inline() -> None:
    for element in drawn(TWO, TITLES).iter():
        assert element.tag != "style"
        assert element.get("style") is None


def test_columns_that_have_no_room_on_a_phone_become_bars() -> None:
    many = tuple(f"A long title {n}" for n in range(8))
    svg = drawn(Series(np.arange(8.0)), many, "column")
    assert svg.get("class") == "bars"
    assert drawn(TWO, ("One", "Two"), "column").get("class") == "columns"


@pytest.mark.parametrize(
    ("ends", "ticks"),
    [
        ((0.0, 3.7), [0, 1, 2, 3, 4]),
        ((0.0, 236.8), [0, 100, 200, 300]),
        ((-3.0, 5.0), [-4, -2, 0, 2, 4, 6]),
        ((0.0, 0.0), [0, 0.5, 1]),
        ((0.0, 0.0003), [0, 0.0001, 0.0002, 0.0003]),
    ],
)
def test_the_axis_has_round_numbers_that_hold_all_ends(
    ends: tuple[float, float], ticks: list[float]
) -> None:
    marks = [Mark("a", "a", end, None, None, "") for end in ends]
    assert scale(marks) == ticks


def test_a_negative_number_goes_to_the_left_of_zero() -> None:
    svg = drawn(Series(np.array([-2.0, 2.0])), TITLES)
    assert [(r.get("x"), r.get("width")) for r in svg.iter("rect")] == [
        ("0%", "50%"),
        ("50%", "50%"),
    ]


def test_the_same_column_gives_the_same_bytes() -> None:
    shown = table(TITLES)
    told = Chart("c", "t", "bar", "stages", "hours", "")
    first, second = (chart_svg(told, shown, {"hours": TWO}, shown.rows, UNITS) for _ in range(2))
    assert first == second
    assert not re.search(r"0\.\d{5}", first)


def test_ticks_print_like_the_column() -> None:
    shown = table(TITLES)
    chart = Chart("c", "t", "bar", "stages", "hours", "")
    told = drawing(chart, shown, {"hours": TWO}, shown.rows, UNITS)
    assert [text for _, text in told.ticks] == ["0", "1", "2", "3", "4"]


def test_a_calendar_s_bars_begin_where_the_phases_do() -> None:
    shown = table(TITLES)
    starts = Series(np.array([0.0, 10.0]))
    told = Chart("c", "t", "calendar", "stages", "hours", "", "start")
    start = replace(shown.columns["hours"], name="start", title="Start")
    shown = replace(shown, columns={**shown.columns, "start": start})
    calendar = drawing(told, shown, {"hours": TWO, "start": starts}, shown.rows, UNITS)
    assert [mark.base for mark in calendar.marks] == [0, 10]
    assert calendar.marks[1].text.startswith("10 to ")
    assert calendar.axis == "Start to hours (h)"
