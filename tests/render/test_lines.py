"""Curves and points of the score: numbers apart, every row a point, right on the diagonal."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalesheet.predict.score import TaskScore
from scalesheet.render.against import against, against_svg
from scalesheet.render.curves import curves_svg
from scalesheet.render.laws import sections
from scalesheet.render.lines import apart
from shipped import shipped, shipped_book


@given(st.lists(st.floats(0, 240), min_size=1, max_size=12))
def test_numbers_keep_their_distance_and_stay_on_the_plot(heights: list[float]) -> None:
    rising = sorted(heights)
    moved = apart(rising, 20, 0, 240)
    assert all(b - a >= 20 - 1e-9 for a, b in pairwise(moved))
    assert moved[0] >= -1e-9
    assert moved[-1] <= 240 + 1e-9
    if all(b - a >= 20 for a, b in pairwise(rising)):
        assert moved == pytest.approx(rising)


@pytest.mark.parametrize("task", ["runs", "throughput", "memory", "loss"])
def test_every_scored_row_is_a_point(task: str) -> None:
    score: TaskScore = shipped().scores[task]
    svg = ET.fromstring(against_svg(against(score)))
    points = [each for each in svg.iter("circle") if each.get("class") == "dot"]
    assert len(points) == int(score.counted.sum())
    for point in points:
        assert 14 <= float(point.get("cx", "").rstrip("%")) <= 96
        assert 26 <= float(point.get("cy", "")) <= 266


def test_a_right_prediction_is_on_the_diagonal() -> None:
    drawing = against(shipped().scores["runs"])
    row = replace(drawing.rows[0], made=drawing.rows[0].truth)
    svg = ET.fromstring(against_svg(replace(drawing, rows=(row,))))
    point = next(each for each in svg.iter("circle") if each.get("class") == "dot")
    across = (float(point.get("cx", "").rstrip("%")) - 14) / 82
    up = (266 - float(point.get("cy", ""))) / 240
    assert across == pytest.approx(up, abs=1e-3)


def test_the_best_sizes_are_curves_with_the_numbers_of_their_table() -> None:
    section = next(s for s in sections(shipped_book(), shipped().scores) if s.curves)
    assert section.curves is not None
    svg = curves_svg(section.curves)
    assert svg.count("<polyline") == len(section.head) - 1
    told = {curve.label: curve.told for curve in section.curves.curves}
    columns = zip(section.head[1:], section.rows[0][1:], section.rows[-1][1:], strict=True)
    for name, *ends in columns:
        small, large = (cell.split(" on ")[0] for cell in ends)
        assert told[name] == f"{small} for 1e20, {large} for 1e25"
