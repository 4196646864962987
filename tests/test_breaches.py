"""A check that does not hold stops nothing; it is shown in red wherever the plan is."""

from __future__ import annotations

import json
from pathlib import Path

import openpyxl
import pytest

from project import edit, project
from scalesheet.breaches import breaches
from scalesheet.build import build
from scalesheet.cli import main
from scalesheet.examine import examine, sound_edition
from scalesheet.render.pages import write_pages
from small import lay, plan

PLAN = """
headline: [hours]
scalars:
  hours: {unit: hour, formula: sum(runs.hours)}
  most: {value: 10, unit: hour, kind: decision}
tables:
  runs:
    columns: {hours: {unit: hour, kind: assumption}}
    rows: {first: {title: First run, hours: 4}, second: {title: Second run, hours: 5}}
checks:
  in_time: {title: The runs end in time, formula: hours <= most}
  short: {title: No run is long, table: runs, formula: hours <= most / 2}
  soon:
    title: All runs end by noon
    formula: hours <= most
    otherwise: "text('the runs take {hours:.0 hour}, {most:.0 hour} are there')"
  quick:
    title: No run is slow
    table: runs
    formula: hours + sum(runs.hours) <= 1.5 * most
    otherwise: "text('{hours:.1 hour} of {sum(runs.hours):.0 hour}')"
"""
FILES = {
    "plans/small/page.md": "# A plan\n",
    "plans/small/plan.yaml": f"title: A plan\nsummary: For a test.\nsource: a-paper\n{PLAN}",
}


@pytest.fixture(name="data", scope="module")
def data_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book in which a run takes longer than allowed."""
    data = project(tmp_path_factory.mktemp("breached"), FILES)
    edit(data / "plans/small/plan.yaml", "hours: 5}", "hours: 8}")
    return data


@pytest.fixture(name="built", scope="module")
def built_fixture(data: Path, few_pages: None) -> Path:
    return build(data, data.parent / "build").out


def test_check_names_the_breach_and_succeeds(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--data", str(data)]) == 0
    out, err = capsys.readouterr()
    assert "V005 the check 'The runs end in time' does not hold: hours <= most" in out
    assert "V005 the check 'No run is long' does not hold for 'second' of runs" in out
    assert "V005 the runs take 12 h, 10 h are there: the check 'All runs end by noon'" in out
    slow = "V005 First run: 4.0 h of 12 h; Second run: 8.0 h of"
    assert slow in out
    assert err == "4 breaches\n"


def test_a_breach_is_a_warning_in_workflows(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--data", str(data), "--format", "github"]) == 0
    assert capsys.readouterr().out.startswith("::warning file=")
    assert main(["check", "--data", str(data), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["diagnostics"]
    assert {each["severity"] for each in found} == {"breach"}


def test_show_prints_it_below_the_headline(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "small", "--data", str(data)]) == 0
    told = "Does not hold\n  The runs end in time\n  No run is long: Second run\n"
    told += "  the runs take 12 h, 10 h are there\n"
    told += "  First run: 4.0 h of 12 h; Second run: 8.0 h of 12 h\n"
    assert told in capsys.readouterr().out


def test_show_follows_other_inputs(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "small", "--data", str(data), "--set", "most=60"]) == 0
    assert "Does not hold" not in capsys.readouterr().out


def test_the_json_has_it(built: Path) -> None:
    results = json.loads((built / "site/api/v1/plans/small.json").read_text("utf-8"))
    assert results["breaches"] == [
        {"check": "check.in_time", "title": "The runs end in time", "rows": []},
        {"check": "check.short", "title": "No run is long", "rows": ["second"]},
        {"check": "check.soon", "title": "All runs end by noon", "rows": []}
        | {"otherwise": ["the runs take 12 h, 10 h are there"]},
        {"check": "check.quick", "title": "No run is slow", "rows": ["first", "second"]}
        | {
            "otherwise": [
                "First run: 4.0 h of 12 h",
                "Second run: 8.0 h of 12 h",
            ]
        },
    ]


def test_the_page_starts_with_it(built: Path) -> None:
    page = (built / "site/book/plans/small.html").read_text("utf-8")
    above = page[: page.index("Workbook with live formulas")]
    assert above.count("Does not hold: ") == 4
    assert (
        "No run is long</a><span data-of=check.short data-as=broken> Second run"
        in above.replace('"', "")
    )


def test_the_page_hides_it_while_all_checks_hold(tmp_path: Path) -> None:
    edition, _ = sound_edition(lay(tmp_path, FILES))
    write_pages(edition, tmp_path / "pages", tmp_path / "plain")
    page = (tmp_path / "pages/plans/small.md").read_text("utf-8")
    hidden = page.replace('=""', "").count("<li hidden data-of=")
    assert hidden == page.count("Does not hold: ") == 4
    text = (tmp_path / "plain/plans/small.md").read_text("utf-8")
    assert "Does not hold" not in text


def test_the_first_sheet_of_the_workbook_has_it(built: Path) -> None:
    book = openpyxl.load_workbook(built / "workbooks/small.xlsx", data_only=True)
    first = [[cell.value for cell in row] for row in book.worksheets[0].iter_rows()]
    assert ["Checks", "4 checks fail"] in [row[:2] for row in first]
    assert "The runs end in time" in next(row for row in first if row[0] == "Hours")


def test_the_checks_of_the_workbook_name_each_breach(built: Path) -> None:
    sheet = openpyxl.load_workbook(built / "workbooks/small.xlsx", data_only=True)["Checks"]
    rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
    said = {value for row in rows for value in row}
    for title in ("The runs end in time", "No run is long"):
        assert "check" in next(row for row in rows if title in row)
    assert "the runs take 12 h, 10 h are there" in said
    assert "First run: 4.0 h of 12 h; and 1 more" in said


def test_errors_are_still_refused(tmp_path: Path) -> None:
    found = plan(tmp_path, PLAN.replace("formula: sum(runs.hours)}", "formula: sum(runs.hour)}"))
    assert found.edition is None
    assert [each.severity for each in found.diagnostics] == ["error"]
    assert examine(lay(tmp_path, FILES)).diagnostics == []


def test_a_check_of_a_figure_without_a_value_gives_the_reason(tmp_path: Path) -> None:
    text = """headline: [cost]
limits: {cost: 10 USD}
scalars:
  price: {unit: USD, reason: not asked yet}
  cost: {unit: USD, formula: 2 * price}
"""
    examined = plan(tmp_path, text)
    assert examined.book is not None
    found = list(breaches(examined.book.plans["small"], examined.results["small"]))
    assert [each.text for each in found] == ["not asked yet"]
