"""Sheets: which tables share one, and their full names."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from render.workbook.conftest import Made
from scalesheet.build import build
from scalesheet.examine import examine
from scalesheet.render.workbook.layout import _sheet_name, lay_out
from scalesheet.tabs import FIXED, LONGEST, tab, tab_of
from shipped import shipped_book
from small import HEAD, lay, plan, said

MOST = 20
LONG = "a" * 32


@pytest.mark.parametrize("id_", sorted(shipped_book().plans))
def test_shipped_plans_have_few_sheets_with_uncut_names(id_: str) -> None:
    book = shipped_book()
    plan = book.plans[id_]
    sheets = lay_out(book, plan, sensitivity=True).sheets
    assert len(sheets) <= MOST
    tables = {**book.tables, **plan.tables}
    whole = {*FIXED, "Actuals", *plan.sheets, *(phase.title for phase in plan.phases)}
    whole |= {tab_of(table.title, name) for name, table in plan.tables.items()}
    whole |= {name.capitalize() for name in book.tables}
    assert {sheet.name for sheet in sheets} <= whole
    assert {name for sheet in sheets for name in sheet.tables} <= tables.keys()


@pytest.mark.parametrize("title", ["\U0001f600" * 15, "a" * 31, "Ab " * 10, "Can it run?", "a/b"])
def test_names_are_uncut_and_unique_regardless_of_case(title: str) -> None:
    taken: set[str] = set()
    for number in range(1, 12):
        name = _sheet_name(title, "runs", taken)
        assert 0 < len(name.encode("utf-16-le")) // 2 <= LONGEST
        assert number == 1 or name.endswith(f" {number}")
        assert number > 1 or name == tab(title)
    assert len(taken) == 11


def test_a_title_that_is_too_long_is_replaced_by_the_name_in_formulas() -> None:
    assert tab("\U0001f600" * 16) is None
    assert tab_of(LONG, "sft.longest_runs") == "SFT longest runs"
    assert tab_of(LONG, LONG) is None


def test_tables_that_share_a_sheet_are_stacked(made: Made) -> None:
    (sheet,) = (s for s in made.layout.sheets if s.name == "Phases and sizes")
    assert sheet.tables == ("phases", "train.runs", "sizes")
    places = [made.layout.tables[name] for name in sheet.tables]
    assert [title for _, title, _ in sheet.captions] == ["Training"]
    assert all(place.sheet == sheet.name for place in places)
    assert all(one.end < other.first_row for one, other in pairwise(places))
    assert made.layout.scalars["train.largest"].sheet == sheet.name
    assert "Phases" not in made.report.sheets


TWO = """\
tables:
  runs: {columns: {a: {unit: 1}}, rows: {one: {a: 1}}}
  walks: {title: Walks, columns: {a: {unit: 1}}, rows: {one: {a: 1}}}
"""


@pytest.mark.parametrize(
    ("sheets", "told"),
    [
        ("{All: [runs, walks]}", ""),
        ("{All: [runs, wlaks]}", "N001 'wlaks' is not a table or phase of the plan; did you mean"),
        ("{All: [runs], Rest: [runs]}", "S004 'runs' is already on the sheet 'All'"),
        ("{results: [runs]}", "S004 every workbook has a sheet 'results': use another name"),
        ("{'a/b': [runs]}", "S005 "),
        (f"{{{LONG}: [runs]}}", "S004 "),
    ],
)
def test_sheets_must_name_each_table_or_phase_once(tmp_path: Path, sheets: str, told: str) -> None:
    messages = said(plan(tmp_path, f"{TWO}sheets: {sheets}\n"))
    assert len(messages) == bool(told), messages
    assert all(message.startswith(told) for message in messages)


def test_a_table_with_a_long_name_and_title_needs_a_sheet_name(
    tmp_path: Path,
) -> None:
    long = TWO.replace("runs:", f"{LONG}:")
    (message,) = said(plan(tmp_path, long))
    assert message.endswith("are longer than 31 characters: name a sheet for it under 'sheets'")
    assert said(plan(tmp_path, f"{long}sheets: {{Runs: [{LONG}]}}\n")) == []


@pytest.mark.parametrize(
    ("title", "told"),
    [
        ("a" * 201, "expected a title in words, of at most 200 characters, found the text"),
        (" ", "expected a title in words, of at most 200 characters, found the text"),
        ("\u200b\u2060", "expected a title in words, of at most 200 characters, found the text"),
        ("\u3164", "expected a title in words, of at most 200 characters, found the text"),
        ("😀" * 16, ""),
        ("a" * 200, ""),
    ],
)
def test_a_sheet_title_is_visible_and_of_allowed_length(
    tmp_path: Path, title: str, told: str
) -> None:
    table = f'title: "{title}", columns: {{a: {{unit: 1}}}}, rows: {{one: {{a: 1}}}}'
    data = lay(
        tmp_path,
        {
            "plans/small/page.md": "# A plan\n",
            "plans/small/plan.yaml": f"{HEAD}tables:\n  runs: {{{table}}}\n",
        },
    )
    messages = said(examine(data))
    assert len(messages) == bool(told)
    assert all(told in message for message in messages)
    if not told:
        build(data, tmp_path / "out", site=False)
