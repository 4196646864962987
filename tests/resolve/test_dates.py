"""Phases on the calendar: dates, working days, people's work, accelerators that phases share."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dated import DATED, SUNDAYS
from project import draws
from scalesheet.breaches import breaches
from scalesheet.evaluate import evaluate
from scalesheet.language.arithmetic import WEEKDAYS, workday
from scalesheet.model import Key, Stated
from scalesheet.quantities import day_number, day_text
from scalesheet.source.patch import Set, patched
from scalesheet.values import Results
from small import plan, said

QUIET = settings(
    max_examples=draws(40),
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
WEEKS = st.just("mon-fri") | st.tuples(*[st.sampled_from(WEEKDAYS)] * 2).map("-".join)
DAYS = st.dates(date(2025, 1, 1), date(2027, 12, 31))


def computed(folder: Path, text: str, given: Mapping[str, float] | None = None) -> Results:
    examined = plan(folder, text)
    assert said(examined) == []
    assert examined.book is not None
    inputs = {Key(name): Stated(x, x, x) for name, x in (given or {}).items()}
    return evaluate(examined.book, examined.book.plans["small"], inputs)


def dates(results: Results, column: str) -> list[str]:
    return [day_text(float(cell.value or 0)) for cell in results.tables["phases"][column]]


# ------------------------------------------------------------------ working days


@given(DAYS, st.integers(1, 400), st.lists(DAYS, max_size=12), WEEKS)
@settings(max_examples=draws(300), derandomize=True)
def test_working_days_match_numpy(day: date, n: int, off: list[date], week: str) -> None:
    first, last = map(WEEKDAYS.index, week.split("-"))
    days = [*range(first, last + 1)] if first <= last else [*range(first, 7), *range(last + 1)]
    mask = [each in days for each in range(7)]
    expected = np.busday_offset(day, n - 1, roll="forward", holidays=off, weekmask=mask)
    columns = [day_number(str(each)) for each in off]
    assert day_text(workday(day_number(str(day)), n, columns, week)) == str(expected)
    if week == "mon-fri":
        assert day_text(workday(day_number(str(day)), n, columns)) == str(expected)


@given(DAYS, st.integers(1, 60), st.lists(DAYS, max_size=12), DAYS)
@settings(max_examples=draws(300), derandomize=True)
def test_a_day_off_never_makes_a_working_day_earlier(
    day: date, n: int, off: list[date], more: date
) -> None:
    days = [day_number(str(each)) for each in (*off, more)]
    first = day_number(str(day))
    assert workday(first, n, days) >= workday(first, n, days[:-1])


# ------------------------------------------------------------------ phases


def test_phases_have_dates(tmp_path: Path) -> None:
    results = computed(tmp_path, DATED)
    # Epiphany is off; 25 gross hours, three times; then 15.6 on all eight accelerators
    assert dates(results, "start_date")[:4] == [
        *("2026-01-05", "2026-01-12", "2026-01-15", "2026-01-16"),
    ]
    # 24 hours of one person from a Monday, with Wednesday off
    assert dates(results, "end_date")[-1] == "2026-01-29"
    assert day_text(float(results.scalars["phases.total.end_date"].value or 0)) == "2026-01-29"


def test_people_take_no_accelerator_time_and_goodput_does_not_stretch_them(tmp_path: Path) -> None:
    slow = computed(tmp_path, DATED, {"goodput": 0.4})
    usual = computed(tmp_path, DATED)
    for results in (slow, usual):
        label = results.cell("phases", "label", "end").value
        assert label == pytest.approx(
            7 * 24 + 8
        )  # five working days of eight hours, with one day off between them
        assert results.cell("phases", "label", "gross_gpu_hours").value == 0
    assert slow.cell("phases", "train", "end").value > usual.cell("phases", "train", "end").value


def test_the_hours_of_a_working_day_are_an_input(tmp_path: Path) -> None:
    half = computed(tmp_path, DATED, {"hours_per_day": 4.0})
    assert half.cell("phases", "label", "workdays").value == 10


def test_people_work_on_the_weekdays_that_the_plan_states(tmp_path: Path) -> None:
    results = computed(tmp_path, SUNDAYS)
    # five days from a Monday, with Tuesday off: Mon, Wed, Thu, Sun, Mon
    assert dates(results, "end_date")[0] == "2026-01-12"
    # three days from Saturday the 24th: Sun, Mon, Tue
    assert dates(results, "start_date")[-1] == "2026-01-25"
    assert dates(results, "end_date")[-1] == "2026-01-27"
    every = computed(tmp_path, DATED.replace("\nheadline", "\nweek: mon-sun\nheadline"))
    assert dates(every, "end_date")[0] == "2026-01-10"


@given(st.integers(-40, 40))
@QUIET
def test_moving_the_start_moves_every_date_equally(tmp_path: Path, weeks: int) -> None:
    """It moves by whole weeks, because people's work depends on the weekday."""
    text = DATED.replace("    not_before: 2026-01-24\n", "")
    text = (
        text.replace("limits: {total.end_date: 2026-01-30}\n", "")
        .replace("fair: {day: 2026-01-28}", "")
        .replace("    deadline: 2026-01-20\n", "")
    )
    text = text.replace("epiphany: {day: 2026-01-06}, ", "far: {day: 2001-01-01}")
    moved = day_number("2026-01-05") + 7 * weeks
    before, after = computed(tmp_path, text), computed(tmp_path, text, {"begin": moved})
    for column in ("start_date", "end_date"):
        for one, other in zip(
            before.tables["phases"][column], after.tables["phases"][column], strict=True
        ):
            assert other.value == pytest.approx(one.value + 7 * weeks, abs=1e-6)


@given(st.lists(DAYS.filter(lambda d: d.year == 2026 and d.month < 3), max_size=8), st.data())
@QUIET
def test_a_holiday_never_ends_a_phase_earlier(
    tmp_path: Path, off: list[date], data: st.DataObject
) -> None:
    more = [*off, data.draw(st.dates(date(2026, 1, 5), date(2026, 2, 20)))]
    ends = []
    for days in (off, more):
        rows = ", ".join(f"d{n}: {{day: {day}}}" for n, day in enumerate(days))
        text = DATED.replace(
            "{epiphany: {day: 2026-01-06}, fair: {day: 2026-01-28}}",
            f"{{far: {{day: 2001-01-01}}, {rows}}}",
        )
        examined = plan(tmp_path, text)
        ends.append([cell.value for cell in examined.results["small"].tables["phases"]["end"]])
    assert all(late >= early - 1e-9 for early, late in zip(*ends, strict=True))


# ------------------------------------------------------------------ shared accelerators


@st.composite
def shared_phases(draw: st.DrawFn) -> tuple[str, list[int]]:
    """Up to seven phases with their needs, each after some of those before it."""
    lines, needs = [], []
    for n in range(draw(st.integers(2, 7))):
        after = draw(st.lists(st.sampled_from(range(n)), unique=True)) if n else []
        needs.append(draw(st.sampled_from([1, 2, 3, 4])))
        names = ", ".join(f"p{each}" for each in after)
        hours = draw(st.integers(1, 30))
        lines.append(
            f"  p{n}: {{title: P{n}, class: one_time, after: [{names}], "
            f"gpus: {needs[-1]}, hours: {hours}}}"
        )
    return "phases:\n" + "\n".join(lines), needs


SHARING = """
scalars:
  goodput: {value: 1, unit: 1, domain: positive-fraction}
  gpus_to_share: {value: 8, unit: GPU}
"""


@given(shared_phases(), st.integers(4, 12))
@QUIET
def test_phases_never_use_more_than_the_shared_accelerators(
    tmp_path: Path, drawn: tuple[str, list[int]], there: int
) -> None:
    text, needs = drawn
    results = computed(tmp_path, SHARING + text, {"gpus_to_share": float(there)})
    table = results.tables["phases"]
    spans = [
        (float(start.value or 0), float(end.value or 0))
        for start, end in zip(table["start"], table["end"], strict=True)
    ]
    for moment, _ in spans:
        taken = sum(
            need
            for need, (start, end) in zip(needs, spans, strict=True)
            if start <= moment + 1e-9 and moment + 1e-9 < end
        )
        assert taken <= there
    assert all(cell.value <= there for cell in table["gpus_at_once"])


@given(shared_phases(), st.integers(4, 12))
@QUIET
def test_half_the_accelerators_never_end_a_phase_earlier(
    tmp_path: Path, drawn: tuple[str, list[int]], there: int
) -> None:
    ends = [
        [
            cell.value
            for cell in computed(tmp_path, SHARING + drawn[0], given).tables["phases"]["end"]
        ]
        for given in ({"gpus_to_share": float(there)}, {"gpus_to_share": there / 2})
    ]
    assert all(late >= early - 1e-9 for early, late in zip(*ends, strict=True))


# ------------------------------------------------------------------ deadlines and errors


@pytest.mark.parametrize(
    ("after", "says"),
    [
        ("report", "these phases come after each other: label -> report -> judge -> train ->"),
        ("label", "the phase 'label' comes after itself; take it out of its 'after'"),
    ],
)
def test_a_circle_of_phases_names_the_phases(tmp_path: Path, after: str, says: str) -> None:
    circle = DATED.replace("work: 80,", f"work: 80, after: [{after}],")
    (message,) = said(plan(tmp_path, circle))
    assert message.startswith(f"N005 {says}")


def test_a_missed_deadline_is_a_breach(tmp_path: Path) -> None:
    examined = plan(tmp_path, DATED.replace("deadline: 2026-01-20", "deadline: 2026-01-14"))
    assert examined.book is not None
    found = breaches(examined.book.plans["small"], examined.results["small"])
    late = "Train ends on 2026-01-15, after its deadline 2026-01-14"
    assert [each.text for each in found] == [late]
    (message,) = said(examined)
    assert late in message
    assert "floor" not in message
    on_the_day = plan(tmp_path, DATED.replace("deadline: 2026-01-20", "deadline: 2026-01-15"))
    assert said(on_the_day) == []


def test_a_limit_on_the_end_is_a_date(tmp_path: Path) -> None:
    results = computed(tmp_path, DATED)
    # it ends at eight on the day before the limit, and to end on its day is in time
    assert results.scalars["phases.total.end_date.margin"].value == 1
    examined = plan(tmp_path, DATED.replace("end_date: 2026-01-30", "end_date: 2026-01-28"))
    assert [line.split()[0] for line in said(examined)] == ["V005"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "begin: {value: 2026-01-05, unit: date}",
            "begun: {value: 2026-01-05, unit: date}",
            "S002 'work' needs the day on which the plan begins; add the scalar "
            "begin: {value: 2026-01-05, unit: date}",
        ),
        (
            "begin: {value: 2026-01-05, unit: date}",
            "begin: {value: 5, unit: hour}",
            "U002 the plan begins on a day: expected 'unit: date', found hour; write "
            "begin: {value: 2026-01-05, unit: date}",
        ),
        (
            "begin: {value: 2026-01-05, unit: date}",
            "begin: {value: 2026-02-30, unit: date}",
            "U002 'begin': '2026-02-30' is not a calendar date",
        ),
        (
            "headline: [total.end_date]",
            "week: sunday-thursday",
            "S004 week: expected the first and the last working day, of mon, tue, wed, thu, fri, "
            "sat and sun, such as sun-thu, found the text 'sunday-thursday'",
        ),
        (
            "goodput: {value",
            "open: {unit: date, formula: \"workday(begin, 2, 'sun-thursday')\"}\n  goodput: {value",
            "F006 'sun-thursday' is not a week; write its first and last day: 'sun-thu'",
        ),
        (
            "gpus_to_share: {value: 8, unit: GPU}",
            "gpus_to_share: {value: 2026-01-05, unit: GPU}",
            "U002 'gpus_to_share': '2026-01-05' is a date; write a number in GPU, or give it "
            "'unit: date'",
        ),
    ],
)
def test_an_invalid_date_is_reported(tmp_path: Path, old: str, new: str, expected: str) -> None:
    assert expected in said(plan(tmp_path, DATED.replace(old, new)))


NO_DATE = "is not a date; write one such as 2026-03-31, or a formula such as begin + span, with"


@pytest.mark.parametrize("written", ["3", "2 days", "3 USD"])
@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("begin: {value: 2026-01-05", "begin: {value: X", "begin"),
        ("  goodput:", "  due: {low: X, high: 2026-01-05, unit: date}\n  goodput:", "due"),
        ("  goodput:", "  due: {low: 2026-01-05, high: X, unit: date}\n  goodput:", "due"),
        ("{day: 2026-01-06}", "{day: X}", "day"),
        ("{day: 2026-01-06}", "{day: {value: X}}", "day"),
        ("deadline: 2026-01-20", "deadline: X", "deadline"),
        ("not_before: 2026-01-24", "not_before: {value: X}", "not_before"),
        ("total.end_date: 2026-01-30", "total.end_date: X", "phases.total.end_date"),
    ],
)
def test_a_number_or_a_time_is_no_date(
    tmp_path: Path, old: str, new: str, name: str, written: str
) -> None:
    (only,) = said(plan(tmp_path, DATED.replace(old, new.replace("X", written))))
    assert only.startswith(f"U002 '{name}': '{written}' {NO_DATE}")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "deadline: 2026-01-20",
            "deadline: {value: 2, unit: day}",
            "U002 'deadline' is in date, found day; write a day such as 2026-03-31",
        ),
        (
            "deadline: 2026-01-20",
            "deadline: {formula: label.workdays * hours_per_day}",
            "U002 'deadline' is declared in date, but the formula gives hour; add it to a date",
        ),
        (
            "total.end_date: 2026-01-30",
            "total.end_date: hours_per_day",
            "U002 the limit of 'phases.total.end_date' is in date, but the formula gives hour; "
            "add it to a date",
        ),
    ],
)
def test_a_time_is_added_to_a_date(tmp_path: Path, old: str, new: str, expected: str) -> None:
    assert said(plan(tmp_path, DATED.replace(old, new))) == [expected]


def test_dates_are_numbered_as_in_spreadsheets() -> None:
    assert day_number("1900-03-01") == 61
    assert day_text(day_number("2026-03-31") + 0.9) == "2026-03-31"
    assert date(1899, 12, 30) + timedelta(days=day_number("2026-03-31")) == date(2026, 3, 31)


def test_a_changed_date_is_written_as_a_date() -> None:
    text = "begin: {value: 2026-01-05, unit: date}\n"
    changed = patched(text, [Set(("begin", "value"), day_number("2026-02-02"))])
    assert changed == "begin: {value: 2026-02-02, unit: date}\n"
