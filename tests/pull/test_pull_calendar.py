"""Formulas of a calendar, read back from a workbook."""

from __future__ import annotations

import pytest

from dated import DATED
from pull.workbooks import Shipped, diff, said, ship
from small import HEAD

SCALARS = """
  opening: {unit: date, formula: "workday(begin, 10, holidays.day)"}
  closing: {unit: date, formula: "workday(opening, weeks)"}
  weeks: {value: 4, unit: 1, domain: whole}
  goodput:"""
PLAN = HEAD + DATED.replace("\n  goodput:", SCALARS)


@pytest.fixture(scope="module")
def dated(tmp_path_factory: pytest.TempPathFactory) -> Shipped:
    files = {"plans/small/plan.yaml": PLAN, "plans/small/page.md": "# A plan\n"}
    return ship(tmp_path_factory.mktemp("dated"), files)


@pytest.mark.parametrize(
    ("name", "formula", "line"),
    [
        ("opening", "WORKDAY(begin-1,12,holidays_day)", "workday(begin, 12, holidays.day)"),
        ("opening", "WORKDAY(begin-1,MAX(1,weeks))", "workday(begin, weeks)"),
        ("closing", "WORKDAY(opening-1,MAX(1,weeks*2))", "workday(opening, weeks * 2)"),
        ("closing", 'WORKDAY.INTL(opening-1,4,"0000110")', "workday(opening, 4, 'sun-thu')"),
        ("closing", "WORKDAY.INTL(opening-1,4,11)", "workday(opening, 4, 'mon-sat')"),
        (
            "closing",
            "WORKDAY.INTL(opening-1,weeks,7,holidays_day)",
            "workday(opening, weeks, holidays.day, 'sun-thu')",
        ),
        (
            "closing",
            "MAX(opening,WORKDAY(begin-1,20,holidays_day))",
            "max(opening, workday(begin, 20, holidays.day))",
        ),
    ],
)
def test_a_formula_of_working_days_is_read_back(
    dated: Shipped, name: str, formula: str, line: str
) -> None:
    pulled = dated.pull({name: f"={formula}"})
    assert said(pulled) == []
    assert diff(pulled)[-1] == f'+  {name}: {{unit: date, formula: "{line}"}}'


def test_an_edited_day_is_reported_as_a_day(dated: Shipped) -> None:
    (edit,) = dated.pull({"begin": 46143}).edits
    assert edit.new == "2026-05-01"
    assert edit.old.startswith("2026-")


@pytest.mark.parametrize("text", ["2026-05-01", "1 May 2026", " 2026/05/01"])
def test_a_day_may_be_typed_as_text(dated: Shipped, text: str) -> None:
    pulled = dated.pull({"begin": text})
    assert said(pulled) == []
    assert [edit.new for edit in pulled.edits] == ["2026-05-01"]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (
            "01.05.2026",
            "is the text '01.05.2026'; day and month are ambiguous: write 2026-05-01 or",
        ),
        ("2026-02-30", "is the text '2026-02-30'; write it as a date such as 2026-03-31"),
        ("soon", "is the text 'soon', not a date such as 2026-03-31"),
        (None, "is empty; write a date such as 2026-03-31"),
    ],
)
def test_what_is_no_day_says_how_to_write_one(dated: Shipped, value: str | None, told: str) -> None:
    (message,) = said(dated.pull({"begin": value}))
    assert told in message


def test_other_ways_of_counting_working_days_are_reported(dated: Shipped) -> None:
    told = said(dated.pull({"closing": "=WORKDAY(opening,weeks)"}))
    assert told == [
        "W006 the formula of 'closing', =WORKDAY(opening,weeks): WORKDAY counts from the "
        "day after; write WORKDAY(day-1,count,days off)"
    ]
    told = said(dated.pull({"closing": "=WORKDAY(opening-1,weeks,weeks)"}))
    assert told[0].endswith("the days off of WORKDAY are not a column of the plan's tables")
    told = said(dated.pull({"closing": '=WORKDAY.INTL(opening-1,weeks,"0101010")'}))
    assert told[0].endswith("the working days of WORKDAY.INTL are not consecutive")
