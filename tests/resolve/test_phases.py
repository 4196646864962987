"""Phases as a calendar: gross hours, accelerators needed at once, and shortages."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from project import draws
from scalesheet.model import Phase
from scalesheet.resolve.lowering.schedule import beside
from scalesheet.values import Results
from small import plan, said

PLAN = """
scalars:
  seeds: {value: 3, unit: 1, domain: count}
  goodput: {value: 0.8, unit: 1, domain: positive-fraction}
  gpus_at_hand: {value: 10, unit: GPU}
phases:
  prepare: {title: Prepare, class: one_time, gpus: 1, hours: 4}
  train:
    {title: Train, class: per_seed, after: [prepare], gpus: 4, hours: 8, overhead: 0.5, at_once: 2}
  serve: {title: Serve, class: one_time, after: [prepare], gpus: 5, hours: 1}
  report: {title: Report, class: one_time, after: [train, serve], hours: 2}
"""


def results(folder: Path, text: str = PLAN) -> Results:
    examined = plan(folder, text)
    assert said(examined) == []
    return examined.results["small"]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("prepare.times", 1),
        ("train.times", 3),
        ("prepare.gross_hours", 5),
        ("train.gross_hours", 15),  # 8 h plus half of that, at a goodput of 80 %
        ("train.budget", 144),
        ("train.gross_gpu_hours", 180),
        ("train.start", 5),
        ("train.end", 35),  # two in parallel, then the third
        ("serve.end", 6.25),
        ("report.start", 35),
        ("prepare.gpus_at_once", 1),
        ("train.gpus_at_once", 13),  # two runs of four each, in parallel with five
        ("serve.gpus_at_once", 13),
        ("report.gpus_at_once", 1),
    ],
)
def test_a_phase_has_gross_hours_start_end_and_gpus(
    tmp_path: Path, cell: str, expected: float
) -> None:
    row, column = cell.split(".")
    assert results(tmp_path).cell("phases", row, column).value == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "expected"), [("end", 37.5), ("gpus_at_once", 13), ("gpus_short", 3)]
)
def test_the_calendar_has_an_end_and_a_need(tmp_path: Path, name: str, expected: float) -> None:
    assert results(tmp_path).scalars[f"phases.total.{name}"].value == pytest.approx(expected)


def test_phases_without_a_goodput_are_reported(tmp_path: Path) -> None:
    text = PLAN.replace("  goodput: {value: 0.8, unit: 1, domain: positive-fraction}\n", "")
    examined = plan(tmp_path, text)
    assert said(examined) == [
        "V008 the plan has phases and no scalar 'goodput', the share of the time that makes "
        "progress; add it, 1 where nothing is known or the hours include restarts, as those of "
        "training-run do: "
        "goodput: {value: 1, unit: 1, kind: assumption}"
    ]
    cells = examined.results["small"]
    assert cells.cell("phases", "train", "gross_hours").value == pytest.approx(12)


def test_a_formula_that_reads_the_missing_goodput_says_what_to_add(tmp_path: Path) -> None:
    text = PLAN.replace(
        "  goodput: {value: 0.8", "  least: {formula: goodput}\n  other: {value: 0.8"
    )
    told = "N001 unknown name 'goodput'; add it: goodput: {value: 1, unit: 1, kind: assumption}"
    assert told in said(plan(tmp_path, text))


def test_available_accelerators_in_a_wrong_unit_are_reported_at_their_place(
    tmp_path: Path,
) -> None:
    text = PLAN.replace("{value: 10, unit: GPU}", "{value: 10, unit: 1}")
    assert said(plan(tmp_path, text))[0] == "U002 'gpus_at_hand': expected 'unit: GPU', found 1"


def test_columns_that_no_phase_needs_are_left_out(tmp_path: Path) -> None:
    text = """
    scalars:
      goodput: {value: 1, unit: 1, domain: positive-fraction}
    phases:
      only: {title: Only, class: one_time, hours: 2}
    """
    columns = results(tmp_path, text).tables["phases"]
    assert not {"times", "at_once"} & set(columns)
    assert "gpus_at_once" in columns


@st.composite
def orders(draw: st.DrawFn) -> list[Phase]:
    """Up to seven phases, each after some of those before it."""
    names = [f"p{n}" for n in range(draw(st.integers(1, 7)))]
    return [
        Phase(
            name,
            name,
            "one_time",
            tuple(draw(st.lists(st.sampled_from(names[:n]), unique=True))) if n else (),
        )
        for n, name in enumerate(names)
    ]


@given(orders())
@settings(max_examples=draws(200), derandomize=True)
def test_concurrent_phases_are_the_largest_sets_in_which_none_waits(phases: list[Phase]) -> None:
    after = {phase.id: set(phase.after) for phase in phases}
    for name in reversed(list(after)):
        for _ in phases:
            after[name] |= {far for near in after[name] for far in after[near]}

    def free(members: tuple[str, ...]) -> bool:
        return not any(a in after[b] or b in after[a] for a, b in combinations(members, 2))

    sets = [
        frozenset(members)
        for size in range(1, len(after) + 1)
        for members in combinations(after, size)
        if free(members)
    ]
    for phase in after:
        largest = {s for s in sets if phase in s and not any(s < other for other in sets)}
        assert {frozenset(each) for each in beside(phases, phase)} == largest


ROWS = """
tables:
  sizes:
    columns:
      params: {unit: parameter}
      hours: {unit: hour}
    rows:
      small: {params: 10, hours: 1}
      middle: {params: 20, hours: 3}
      large: {params: 30, hours: 2}
checks:
  larger_takes_longer:
    title: A larger model takes no less time
    table: sizes
    formula: count(sizes where params < own.params and hours > own.hours) == 0
"""


def test_a_check_of_rows_names_the_rows_that_break_it(tmp_path: Path) -> None:
    examined = plan(tmp_path, ROWS)
    assert said(examined) == [
        "V005 the check 'A larger model takes no less time' does not hold for 'large' of sizes: "
        "count(sizes where params < own.params and hours > own.hours) == 0"
    ]
    mended = plan(tmp_path, ROWS.replace("hours: 2", "hours: 4"))
    assert said(mended) == []
    assert mended.results["small"].scalars["check.larger_takes_longer"].value is True


def test_own_must_be_followed_by_a_column(tmp_path: Path) -> None:
    examined = plan(tmp_path, ROWS.replace("own.hours", "own.hors"))
    message = "'own' is followed by a column of the current row, as own.params"
    assert said(examined) == [f"N001 {message}; did you mean 'hours'?"]


def test_a_check_of_an_unknown_table_is_reported(tmp_path: Path) -> None:
    examined = plan(tmp_path, ROWS.replace("table: sizes", "table: size"))
    assert said(examined) == ["N001 there is no table 'size' in this plan; did you mean 'sizes'?"]
