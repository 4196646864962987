"""Stacks and points are native, described charts; a sweep has no cells to chart."""

from __future__ import annotations

import zipfile

import pytest

import small
from editions import given
from scalesheet.render.workbook.write import write_workbook

PLAN = """
scalars:
  cards: {value: 8, unit: GPU, domain: count, kind: decision}
  hours: {unit: hour, formula: work / cards}
  work: {value: 80, unit: GPU * hour, kind: assumption}
tables:
  parts:
    columns:
      one: {title: One, unit: hour}
      two: {title: Two, unit: hour}
      both: {title: Both, unit: hour, formula: one + two}
    rows:
      first: {title: "=1 is a title", one: 1, two: 2}
      second: {title: Second, one: 3, two: 4}
    total: [one]
charts:
  rows: {title: A, alt: Rows, kind: stack, table: parts, parts: [one, two], total: both}
  bars: {title: B, alt: Bars, kind: stack, table: parts, bars: [one]}
  points: {title: C, alt: Points, kind: scatter, table: parts, x: one, y: two}
  swept: {title: D, alt: Swept, kind: sweep, input: cards, values: [1, 2], figure: hours}
"""


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The XML of the workbook's charts and drawings, by name."""
    folder = tmp_path_factory.mktemp("pictures")
    examined = small.plan(folder, PLAN)
    book = examined.book
    assert book is not None, small.said(examined)
    path = folder / "small.xlsx"
    plan = book.plans["small"]
    report = write_workbook(
        given(book, results={plan.id: examined.results["small"]}), plan, path, sensitivity=False
    )
    assert not report.problems
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.startswith(("xl/charts", "xl/draw"))]
        return {name.rpartition("/")[2]: archive.read(name).decode() for name in names}


def test_each_one_but_the_sweep_is_a_chart_with_a_description(parts: dict[str, str]) -> None:
    assert sorted(n for n in parts if n.startswith("chart")) == [f"chart{n}.xml" for n in (1, 2, 3)]
    assert [f'descr="{alt}"' in parts["drawing1.xml"] for alt in ("Rows", "Bars", "Points")] == [
        True
    ] * 3


def test_parts_are_stacked_with_textures(parts: dict[str, str]) -> None:
    for name in ("chart1.xml", "chart2.xml"):
        assert '<c:grouping val="stacked"/>' in parts[name]
        assert parts[name].count("<c:ser>") == 2
        assert parts[name].count("<a:pattFill") == 1  # the first part has no texture
    assert "Both (h)" in parts["chart1.xml"]


def test_points_have_the_titles_of_their_rows_as_text(parts: dict[str, str]) -> None:
    assert "<a:t> =1 is a title</a:t>" in parts["chart3.xml"]
    assert "<a:t>Second</a:t>" in parts["chart3.xml"]
