"""Charts: correct, readable without color, and valid under a strict Content Security Policy."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from render.drawings import PLAIN, Cell, across, engine, length, picture, said, texts

LABELS = ("Stage one", "Évaluation", "A label of many words that wants several lines", "x")


def number(value: float, low: float | None = None, high: float | None = None) -> Cell:
    return {
        "value": value,
        "low": value if low is None else low,
        "high": value if high is None else high,
    }


REASON = {"reason": "not offered"}
TWO = [number(1, 0.5, 2), number(4)]
TITLES = ("First & <one>", "Second")


def chart(
    cells: Sequence[Cell],
    titles: Sequence[str] = TITLES,
    kind: str = "bar",
    starts: Sequence[Cell] | None = None,
    deadlines: Sequence[Cell] | None = None,
    rule: Mapping[str, object] | None = None,
) -> ET.Element:
    told = {
        "id": "c",
        "title": "Hours <by> stage",
        "alt": "The second is longest",
        "kind": kind,
        "column": "hours",
        "axis": "Hours (h)",
        "rows": [f"r{n}" for n in range(len(titles))],
        "labels": titles,
        "start": "" if starts is None else "start",
        "deadline": "" if deadlines is None else "deadline",
    }
    columns = {"hours": cells, "start": starts, "deadline": deadlines}
    return picture("charts", told, rule or {"stated": True}, columns)


# ------------------------------------------------------------------ bars and columns


@pytest.mark.parametrize("kind", ["bar", "column"])
def test_every_row_has_its_label_and_its_number(kind: str) -> None:
    found = texts(chart(TWO, ("One", "Two"), kind))
    assert {"One", "Two", "Hours (h)"} <= set(found)
    assert any(re.match("1\\b", each) for each in found)


def test_a_bar_is_as_long_as_its_number() -> None:
    widths = [rect.get("width") for rect in chart(TWO, TITLES).iter("rect")]
    assert widths == ["25%", "100%"]


def test_a_range_has_whiskers_and_is_printed_beside_the_number() -> None:
    svg = chart(TWO, TITLES)
    whiskers = [line for line in svg.iter("line") if line.get("class") == "whisker"]
    assert (whiskers[0].get("x1"), whiskers[0].get("x2")) == ("12.5%", "50%")
    assert len(whiskers) == 3
    assert "1 (0.5–2)" in texts(svg)


def test_a_row_without_a_number_says_why_and_has_no_bar() -> None:
    svg = chart([REASON, number(4)], TITLES)
    assert "not offered" in texts(svg)
    assert len(list(svg.iter("rect"))) == 1


def test_a_long_label_wraps_and_keeps_all_its_words() -> None:
    name = "A label that is much longer than what a phone has room for"
    found = texts(chart(TWO, (name, "Second")))
    assert name not in found
    assert name in " ".join(found)
    assert length(chart(TWO, (name, "Second")), "height") > length(chart(TWO, TITLES), "height")


def test_the_chart_has_a_description_in_words() -> None:
    svg = chart(TWO, TITLES)
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
    for element in chart(TWO, TITLES).iter():
        assert element.tag != "style"
        assert element.get("style") is None


def test_columns_too_narrow_for_a_phone_become_bars() -> None:
    many = tuple(f"A long title {n}" for n in range(8))
    svg = chart([number(n) for n in range(8)], many, "column")
    assert svg.get("class") == "bars"
    assert chart(TWO, ("One", "Two"), "column").get("class") == "columns"


@pytest.mark.parametrize(
    ("ends", "ticks"),
    [
        ((0.0, 3.7), [0, 1, 2, 3, 4]),
        ((0.0, 236.8), [0, 100, 200, 300]),
        ((-3.0, 5.0), [-4, -2, 0, 2, 4, 6]),
        ((0.0, 0.0), [0, 0.5, 1]),
        ((0.0, 5e-324), [0, 0.5, 1]),
        ((0.0, 1e-200), [0, 0.5, 1]),
        ((0.0, 0.0003), [0, 0.0001, 0.0002, 0.0003]),
    ],
)
def test_the_axis_has_round_numbers_and_covers_all_ranges(
    ends: tuple[float, float], ticks: list[float]
) -> None:
    assert engine().call("scalesheet.charts.parts.steps", ends) == ticks


def test_the_bar_of_a_negative_number_is_left_of_zero() -> None:
    svg = chart([number(-2), number(2)], TITLES)
    assert [(r.get("x"), r.get("width")) for r in svg.iter("rect")] == [
        ("0%", "50%"),
        ("50%", "50%"),
    ]


def test_ticks_are_formatted_like_the_column() -> None:
    assert texts(chart(TWO, TITLES), "muted")[:-1] == ["0", "1", "2", "3", "4"]


def test_the_bars_of_a_calendar_start_when_the_phases_do() -> None:
    svg = chart([number(4), number(16)], kind="calendar", starts=[number(0), number(4)])
    assert [(r.get("x"), r.get("width")) for r in svg.iter("rect")] == [
        ("0%", "20%"),
        ("20%", "60%"),
    ]
    assert "4 to 16" in texts(svg)


def test_a_deadline_is_marked_at_the_end_of_its_day_and_a_missed_one_says_so() -> None:
    """46027 is Monday, 2026-01-05; the axis shows the two weeks from that day."""
    first = 46027.0
    svg = chart(
        [number(first + 6.9), number(first + 8), number(first + 8)],
        ("Met", "Missed", "None"),
        "calendar",
        [number(first)] * 3,
        [number(first + 6), number(first + 6), REASON],
        {"sort": "date"},
    )
    due = [(x.get("class"), x.get("x1")) for x in svg.iter("line") if "due" in x.get("class", "")]
    assert due == [("due", "50%"), ("due late", "50%")]
    assert [each.endswith("(late)") for each in texts(svg, "value")] == [False, True, False]
    assert "Met: 2026-01-05 to 2026-01-11; deadline 2026-01-11; " in said(svg)
    assert "Missed: 2026-01-05 to 2026-01-13; deadline 2026-01-11, missed; " in said(svg)
    assert said(svg).endswith("None: 2026-01-05 to 2026-01-13.")


def test_a_deadline_beyond_every_bar_is_on_the_page() -> None:
    first = 46027.0
    starts, ends, due = [number(first)], [number(first + 1)], [number(first + 400)]
    svg = chart(ends, ("One",), "calendar", starts, due, {"sort": "date"})
    assert all(-0.001 <= place <= 100.002 for place in across(svg))
    assert [x.get("class") for x in svg.iter("line") if "due" in x.get("class", "")] == ["due"]


SIZES = st.floats(-3, 7).map(lambda power: 10**power)


@st.composite
def series(draw: st.DrawFn, rows: int) -> list[Cell]:
    """Numbers of similar size with ranges, some of them replaced by reasons."""
    size, found = draw(SIZES), []
    for _ in range(rows):
        middle = draw(st.floats(-0.2, 1) | st.sampled_from([5e-324, -1e-200, 1e-95])) * size
        low, high = draw(st.sampled_from([0, 0.1])), draw(st.sampled_from([0, 0.25]))
        one = number(middle, middle - abs(middle) * low, middle + abs(middle) * high)
        found.append(draw(st.sampled_from([one, one, one, REASON])))
    return found


@given(st.data(), st.lists(st.sampled_from(LABELS), min_size=1, max_size=7))
def test_every_chart_stays_on_the_page_and_states_every_number(
    data: st.DataObject, titles: list[str]
) -> None:
    kind = data.draw(st.sampled_from(["bar", "column", "calendar"]))
    ends = data.draw(series(len(titles)))
    starts = [number(cell.get("value", 0) / 2) for cell in ends]
    svg = chart(ends, titles, kind, starts if kind == "calendar" else None)
    assert all(-0.001 <= place <= 100.002 for place in across(svg))
    assert len(list(svg.iter("rect"))) == sum("value" in cell for cell in ends)
    shown = [text.partition(" (")[0] for text in texts(svg, "value")]
    assert len(shown) == len(titles)
    assert all(f"{title}: {text}" in said(svg) for title, text in zip(titles, shown, strict=True))


# ------------------------------------------------------------------ stacks


@st.composite
def marks(draw: st.DrawFn, id_: str, size: float) -> dict[str, Any]:
    """A number with its text, or neither, as charts with several parts take it."""
    mark = {"id": id_, "label": draw(st.sampled_from(LABELS)), "low": None, "high": None}
    if draw(st.integers(0, 9)) == 0:
        return mark | {"value": None, "text": "not stated", "range": ""}
    value = draw(st.sampled_from([0.0, draw(st.floats(0.01, 1))])) * size
    mark |= {"value": value, "text": f"{value:.1f} GB", "range": ""}
    if draw(st.booleans()):
        low, high = value * 0.8, value * 1.5
        mark |= {"low": low, "high": high, "range": f"{low:.1f}–{high:.1f}"}
    return mark


@given(st.data(), SIZES, st.integers(1, 9), st.integers(1, 4))
def test_the_parts_of_a_bar_follow_one_another(
    data: st.DataObject, size: float, parts: int, count: int
) -> None:
    """Each is as long as its number, on one scale for all bars; parts over the limit are marked."""
    bars = []
    for n in range(count):
        there = data.draw(st.sampled_from([None, data.draw(st.floats(0.1, parts)) * size]))
        bars.append(
            {
                "whole": data.draw(marks(f"bar-{n}", size)),
                "parts": [data.draw(marks(f"part-{m}", size)) for m in range(parts)],
                "capacity": there,
                "of": "" if there is None else f"{there:.0f} GB",
            }
        )
    told = {"id": "c", "title": "A", "alt": "What it shows", "axis": "Memory (GB)"}
    svg = picture("stacks", told | {"bars": bars, "capacity": "What there is & more"}, PLAIN)
    assert all(-0.001 <= place <= 100.002 for place in across(svg))
    groups = [each for each in svg.findall("g") if each.get("data-row")]
    assert [each.get("data-row") for each in groups] == [f"bar-{n}" for n in range(count)]
    scales = []
    for bar, group in zip(bars, groups, strict=True):
        end = 0.0
        found = {each.get("data-part"): each.find("rect") for each in group.findall("g")}
        there = [each for each in bar["parts"] if each["value"]]
        assert [*found] == [each["id"] for each in there]
        for each in there:
            drawn = found[each["id"]]
            assert drawn is not None
            assert length(drawn, "x") == pytest.approx(end, abs=0.01)
            end = length(drawn, "x") + length(drawn, "width")
            assert f"{each['label']} {each['text']}" in said(svg) or parts == 1
            scales.append((each["value"], length(drawn, "width")))
        total = sum(each["value"] for each in there)
        over = [each for each in group.iter("rect") if each.get("class") == "over"]
        assert bool(over) == (bar["capacity"] is not None and total > bar["capacity"])
    for value, width in scales:
        least, most = scales[0]
        assert width == pytest.approx(value / least * most, abs=0.01 * (1 + value / least))


# ------------------------------------------------------------------ points on two axes


def scatter(points: list[dict[str, Any]]) -> ET.Element:
    told = {"id": "c", "title": "A", "alt": "Points.", "points": points}
    return picture("scatters", told, ("Hours (h)", "Cost <USD>"), (PLAIN, PLAIN))


@given(st.data(), st.sampled_from([0.5, 1.5, 3.0]), st.integers(1, 14))
def test_the_frontier_holds_the_points_that_no_other_beats(
    data: st.DataObject, spread: float, count: int
) -> None:
    """All other points are off it; rows without a position are listed."""

    def at(name: str) -> dict[str, Any]:
        value = 10 ** data.draw(st.floats(0, spread))
        return data.draw(marks(name, 1)) | {"value": value, "text": f"{value:.3f}"}

    points = [
        {"id": f"p{n}", "label": data.draw(st.sampled_from(LABELS)), "x": at("x"), "y": at("y")}
        for n in range(count)
    ]
    if data.draw(st.booleans()):
        points[0]["x"] |= {"value": None, "text": "not offered"}
    svg = scatter(points)
    placed = {p["id"]: (p["x"]["value"], p["y"]["value"]) for p in points if p["x"]["value"]}
    best = {
        id_
        for id_, (x, y) in placed.items()
        if not any(a <= x and b <= y and (a, b) != (x, y) for a, b in placed.values())
    }
    kinds: dict[str | None, list[str | None]] = {"series-1 part": [], "point": []}
    for group in svg.findall("g"):
        circle = group.find("circle")
        assert circle is not None
        kinds[circle.get("class")].append(group.get("data-row"))
        assert 14 - 0.001 <= length(circle, "cx") <= 96.001
        assert 26 - 0.1 <= length(circle, "cy") <= 266.1
    assert {*kinds["series-1 part"]} | {*kinds["point"]} == placed.keys()
    assert {placed[str(id_)] for id_ in kinds["series-1 part"]} == {placed[id_] for id_ in best}
    assert all(each["y"]["text"] in said(svg) for each in points if each["id"] in placed)
    assert ("Not shown: " in said(svg)) == (len(placed) < count)


# ------------------------------------------------------------------ a figure by an input


@given(st.data(), st.sets(st.integers(1, 200), min_size=1, max_size=8))
def test_a_curve_passes_through_every_point(data: st.DataObject, values: set[int]) -> None:
    rising = sorted(values)
    now = data.draw(st.sampled_from(rising))
    spots = [
        {
            "x": {"value": value, "text": f"{value}"},
            "y": data.draw(marks("y", value * 3)),
            "now": value == now,
        }
        for value in rising
    ]
    limit = data.draw(st.sampled_from([None, [data.draw(st.floats(0.1, 500)), "Deadline: 3 d"]]))
    told = {"id": "c", "title": "A", "alt": "Falls.", "spots": spots, "limit": limit}
    svg = picture("sweeps", told, ("GPUs", "Hours (h)"), PLAIN)
    circles = list(svg.iter("circle"))
    assert len(circles) == sum(spot["y"]["value"] is not None for spot in spots)
    line = svg.find("svg/polyline")
    assert line is not None
    points = [tuple(map(float, each.split(","))) for each in (line.get("points") or "").split()]
    for circle, (x, y) in zip(circles, points, strict=True):
        assert length(circle, "cx") == pytest.approx(14 + x * 0.082, abs=0.01)
        assert length(circle, "cy") == pytest.approx(26 + y * 0.24, abs=0.1)
    for spot in spots:
        assert f"{spot['x']['text']}: {spot['y']['text']}" in said(svg)
    assert ("Deadline: 3 d" in said(svg)) == (limit is not None)
    assert said(svg).count("(the plan)") == 1
    assert not any(math.isnan(place) for place in across(svg))
