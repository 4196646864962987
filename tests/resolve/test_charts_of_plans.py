"""Every name in a chart is known, and everything on one axis has the same dimension."""

from __future__ import annotations

from pathlib import Path

import pytest

import small

PLAN = """
scalars:
  cards: {value: 8, unit: GPU, domain: count, kind: decision}
  hours: {unit: hour, formula: work / cards}
  work: {value: 80, unit: GPU * hour, kind: assumption}
  limit: {value: 3, unit: hour, kind: decision}
tables:
  parts:
    columns:
      one: {unit: hour}
      two: {unit: hour}
      both: {unit: hour, formula: one + two}
      word: {words: [a, b], formula: "'a'"}
      wide: {unit: GPU, kind: decision}
    rows:
      first: {one: 1, two: 2, wide: 1}
    total: [one]
charts:
  drawn: {title: T, alt: A, %s}
"""
STACK = "kind: stack, table: parts,"


@pytest.mark.parametrize(
    "chart",
    [
        f"{STACK} parts: [one, two], total: both, capacity: limit",
        f"{STACK} parts: [one], capacity: both",
        f"{STACK} bars: [one], capacity: limit",
        f"{STACK} bars: [one], total: hours",
        "kind: scatter, table: parts, x: one, y: wide",
        "kind: sweep, input: cards, values: [1, 2], figure: hours, capacity: limit",
    ],
)
def test_a_valid_chart_has_no_findings(chart: str, tmp_path: Path) -> None:
    found = small.plan(tmp_path, PLAN % chart)
    assert [each for each in small.said(found) if "'drawn'" in each or each[0] in "NU"] == []
    assert found.book is not None
    assert len(found.book.plans["small"].charts) == 1


@pytest.mark.parametrize(
    ("chart", "says"),
    [
        ("kind: bar, table: part, column: one", "N001 unknown table 'part'"),
        ("kind: bar, table: parts, column: word", "N001 'parts' has no column of numbers 'word'"),
        (f"{STACK} parts: [one, tow], total: both", "N001 'parts' has no column of numbers 'tow'"),
        (f"{STACK} parts: [one, two]", "N001 'drawn' lacks 'total'"),
        (f"{STACK} parts: [one], capacity: lim", "N001 no number 'lim' is a scalar or a column"),
        (f"{STACK} bars: [two]", "N001 no number 'parts.total.two' is a scalar"),
        (f"{STACK} bars: [one, two], total: hours", "N001 'drawn' has several bars"),
        (f"{STACK} bars: [one], capacity: both", "N001 no number 'both' is a scalar"),
        (f"{STACK} parts: [one], capacity: cards", "U002 'cards' is in GPU, but the parts are in"),
        ("kind: scatter, table: parts, x: one, y: word", "N001 'parts' has no column of numbers"),
        ("kind: sweep, input: hours, values: [1, 2], figure: hours", "N001 no input 'hours' is"),
        (
            "kind: sweep, input: cards, values: [1, 2.5], figure: hours",
            "V002 'cards' cannot be 2.5",
        ),
        ("kind: sweep, input: cards, values: [1, 2], figure: hour", "N001 no scalar 'hour' is"),
        (
            "kind: sweep, input: cards, values: [1, 2], figure: hours, capacity: work",
            "U002 'work' is in GPU * hour, but the figure is in hour",
        ),
    ],
)
def test_a_chart_that_cannot_be_drawn_is_an_error(chart: str, says: str, tmp_path: Path) -> None:
    found = small.said(small.plan(tmp_path, PLAN % chart))
    assert [each for each in found if each.startswith(says)], found
