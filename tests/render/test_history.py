"""The versions of a plan are on the workbook's About sheet, in the API and on its page."""

from __future__ import annotations

import json
from pathlib import Path

import openpyxl
import pytest

from scalesheet.build import build
from scalesheet.examine import examine
from scalesheet.render.pages import write_pages
from small import HEAD, lay

HISTORY = """
status: Living document
history:
  - {version: 1.0.0, date: 2026-01-01, text: First.}
  - {version: 1.0.1, date: 2026-01-01, text: The same day.}
  - {version: 2.0.0, status: pending, text: Under way.}
scalars: {hours: {value: 1, unit: hour, kind: decision}}
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {"plans/small/plan.yaml": HEAD + HISTORY, "plans/small/page.md": "Words.\n"}
    return lay(tmp_path_factory.mktemp("history"), files)


@pytest.fixture(scope="module")
def out(data: Path) -> Path:
    return build(data, data.parent / "out", site=False).out


def test_about_lists_the_versions_and_says_which_one_this_is(out: Path) -> None:
    sheet = openpyxl.load_workbook(out / "workbooks/small.xlsx")["About"]
    rows = [[c.value for c in row if c.value is not None] for row in sheet.iter_rows()]
    assert ["Version", "1.0.1, 2026-01-01"] in rows
    assert ["Status", "Living document"] in rows
    first = rows.index(["Version history"])
    assert rows[first + 1 : first + 5] == [
        ["Version", "Date", "Status", "What changes"],
        ["1.0.0", "2026-01-01", "released", "First."],
        ["1.0.1", "2026-01-01", "released", "The same day."],
        ["2.0.0", "pending", "Under way."],
    ]


def test_the_api_has_them(out: Path) -> None:
    plan = json.loads((out / "api/v1/plans/small.json").read_text("utf-8"))
    assert plan["status"] == "Living document"
    assert [each["version"] for each in plan["history"]] == ["1.0.0", "1.0.1", "2.0.0"]
    assert plan["history"][2] == {
        "version": "2.0.0",
        "date": None,
        "status": "pending",
        "text": "Under way.",
    }


def test_a_plan_without_versions_does_not_mention_them(tmp_path: Path) -> None:
    found = examine(lay(tmp_path, {"plans/small/page.md": "{{ history }}\n"}))
    (fault,) = found.diagnostics
    assert (fault.line, fault.message) == (1, "there is no figure 'history' in this plan")
    assert found.edition is not None
    write_pages(found.edition, tmp_path / "pages")
    assert "Version" not in (tmp_path / "pages/plans/small.md").read_text("utf-8")
