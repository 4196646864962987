"""A version of a plan keeps its figures, lists the changes, and is shown in all outputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from render.api.shapes import Shapes
from scalesheet.build import build
from scalesheet.cli import main
from scalesheet.diff import compare
from scalesheet.examine import examine
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.plan.page import plan_page
from scalesheet.render.text.diff import Sides, as_text
from scalesheet.render.workbook.write import write_workbook
from small import plan, said

PLAN = """\
headline: [cost, verdict]
history:
  - {version: 0.9.0, date: 2020-01-01, text: A sketch.}
  - {version: 1.1.0, status: pending, text: More seeds.}
scalars:
  seeds: {value: 3, unit: 1, domain: count, kind: decision, title: Seeds}
  hours: {low: 8, high: 10, unit: hour, kind: assumption, title: Hours of a run}
  price: {value: 2, unit: USD / hour, kind: assumption, title: Price}
  unused: {value: 1, unit: 1, kind: assumption, title: Nobody asks}
  cost: {unit: USD, formula: seeds * hours * price, title: Cost}
  most: {value: 100, unit: USD, kind: decision, title: Enough}
  verdict: {words: [low, high], formula: "'low' if expected(cost) < most else 'high'"}
"""
HISTORY = "plans/small/history/"


def made(folder: Path, text: str = PLAN, files: dict[str, str] | None = None) -> Path:
    """The data folder of a book with this plan."""
    plan(folder, text, files)
    return folder / "data"


def cut(data: Path, version: str, *more: str) -> int:
    return main(["cut", "small", version, "--data", str(data), *more])


def edited(data: Path, old: str, new: str) -> None:
    path = data / "plans/small/plan.yaml"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


@pytest.fixture
def twice(tmp_path: Path) -> Path:
    """A plan with two versions and a change in between."""
    data = made(tmp_path)
    assert cut(data, "1.0.0", "--note", "First.") == 0
    edited(data, "seeds: {value: 3", "seeds: {value: 10")
    edited(data, "low: 8, high: 10", "low: 9, high: 9.5")
    assert cut(data, "1.1.0") == 0
    return data


def shown(data: Path, capsys: pytest.CaptureFixture[str], *more: str) -> str:
    capsys.readouterr()
    assert main(["show", "small", "--data", str(data), *more]) == 0
    return capsys.readouterr().out


def test_a_version_holds_headlines_and_inputs_with_their_ranges(twice: Path) -> None:
    examined = examine(twice)
    assert said(examined) == []
    assert examined.edition is not None
    history = examined.edition.book.plans["small"].history
    assert [each.version for each in history] == ["0.9.0", "1.0.0", "1.1.0"]
    first, second = history[1:]
    cost = first.headline["cost"].stated
    assert (cost.low, cost.value, cost.high) == (48.0, 54.0, 60.0)
    assert first.headline["verdict"].stated.value == "low"
    assert set(first.inputs) == {"seeds", "hours", "price", "most"}
    assert (second.status, second.text) == ("released", "More seeds.")


def test_each_change_has_its_effect_alone(twice: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(twice, capsys, "--all")
    changed = text[text.index("What changed in 1.1.0") :].splitlines()
    assert changed[1:6] == [
        "  hours: 9 [8–10] h → 9.25 [9–9.5] h (assumption, A paper)",
        "    Cost: 180 [160–200] USD → 185 [180–190] USD",
        "  seeds: 3 → 10 (decision, A paper)",
        "    Cost: 56 [54–57] USD → 185 [180–190] USD",
        "    Verdict: low → high",
    ]


def test_an_unchanged_plan_gets_no_new_version_and_deleting_a_file_undoes_one(
    twice: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cut(twice, "1.2.0", "--note", "Nothing.") == 1
    assert "nothing changed since 1.1.0" in capsys.readouterr().err
    (twice / HISTORY / "1.1.0.yaml").unlink()
    assert cut(twice, "1.0.1", "--note", "Again.") == 0
    assert sorted(each.name for each in (twice / HISTORY).iterdir()) == ["1.0.0.yaml", "1.0.1.yaml"]


def test_added_and_removed_inputs_are_named(twice: Path) -> None:
    edited(twice, "formula: seeds * hours * price", "formula: seeds * hours * rate")
    edited(twice, "  price: {", "  rate: {")
    assert cut(twice, "2.0.0", "--note", "Another price.") == 0
    edition = examine(twice).edition
    assert edition is not None
    last = edition.book.plans["small"].history[-1]
    assert (last.added, last.removed, dict(last.changed)) == (("rate",), ("price",), {})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cut", "smal", "1.0.0"], "there is no plan 'smal'; did you mean 'small'?"),
        (["cut", "small", "0.9.0", "--note", "x"], "small has a version 0.9.0 already"),
        (["cut", "small", "0.8.0", "--note", "x"], "0.8.0 is below 0.9.0, the last version; write"),
        (["cut", "small", "v2"], "'v2' is not a version: expected three numbers, such as 1.1.0"),
        (["cut", "small", "1.01.0"], "'1.01.0' is not a version"),
        (["cut", "small", "../1.0.0"], "'../1.0.0' is not a version"),
        (["cut", "small", "1.0.0"], "say what changed in 1.0.0: --note TEXT"),
        (["cut", "small", "1.0.0", "--note", "  "], "say what changed in 1.0.0"),
    ],
)
def test_a_wrong_call_says_what_is_expected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    data = made(tmp_path)
    assert main([*arguments, "--data", str(data)]) == 2
    assert message in capsys.readouterr().err
    assert not (data / HISTORY).exists()


def test_a_plan_with_errors_gets_no_version_but_one_with_breaches_does(tmp_path: Path) -> None:
    data = made(tmp_path)
    edited(data, "seeds * hours * price", "seeds * hours * prise")
    assert cut(data, "1.0.0", "--note", "x") == 1
    assert not (data / HISTORY).exists()
    data = made(tmp_path / "2", PLAN + "limits: {cost: 5}\n")
    assert cut(data, "1.0.0", "--note", "x") == 0


FILE = "date: 2026-01-01\ntext: A version.\nheadline: {cost: {value: 5, unit: USD}}\n"


@pytest.mark.parametrize(
    ("files", "finding"),
    [
        ({"one.yaml": FILE}, "S005 'one' is not a version: expected three numbers, such as 1.1.0"),
        ({"0.9.0.yaml": FILE}, "N003 the version 0.9.0 already exists at"),
        (
            {"0.9.1.yaml": FILE.replace("2026", "2019")},
            "V007 version 0.9.1 has the date 2019-01-01",
        ),
        (
            {"1.0.0.yaml": FILE, "1.2.0.yaml": FILE.replace("2026", "2025")},
            "V007 version 1.2.0 has the date 2025-01-01, before that of 1.0.0, 2026-01-01",
        ),
        ({"1.0.0.yaml": FILE.replace("USD", "USDD")}, "U001"),
        (
            {"1.0.0.yaml": FILE.replace("value: 5", "value: 5, low: 6")},
            "V001 expected low <= value",
        ),
        ({"1.0.0.yaml": FILE.replace("value: 5, ", "")}, "S002"),
        ({"1.0.0.yaml": FILE + "why: x\n"}, "S001 unknown key 'why'"),
        (
            {"1.0.0.yaml": FILE.replace("unit: USD", "unit: USD, source: nobody")},
            "N006",
        ),
    ],
)
def test_a_bad_file_is_reported_at_its_place(
    tmp_path: Path, files: dict[str, str], finding: str
) -> None:
    examined = plan(tmp_path, PLAN, {HISTORY + name: text for name, text in files.items()})
    (found,) = said(examined)
    assert found.startswith(finding)
    assert "/history/" in examined.diagnostics[0].path


def test_a_figure_that_the_plan_no_longer_has_is_shown_as_removed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = FILE.replace("headline: {", "headline: {watts: {title: Power, value: 7, unit: hour}, ")
    data = made(tmp_path, PLAN, {HISTORY + "1.0.0.yaml": gone})
    assert said(examine(data)) == []
    assert "Power (no longer in the plan)" in shown(data, capsys, "--all")


# ------------------------------------------------------------------ outputs


def test_show_lists_the_first_figure_by_version(
    twice: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = shown(twice, capsys)
    lines = text[text.index("Versions") :].splitlines()[1:4]
    assert lines == [
        "  1.0.0  2026-11-20  54 [48–60] USD     First.",
        "  1.1.0  2026-11-20  185 [180–190] USD  More seeds.",
        "  now    2026-11-20  185 [180–190] USD",
    ]


def test_the_json_matches_the_schema_of_the_api(twice: Path, tmp_path: Path) -> None:
    build(twice, tmp_path / "out", site=False)
    shapes = Shapes(tmp_path / "out/api/v1")
    assert shapes.faults("plans/small.json") == []
    assert shapes.faults("changes.json") == []
    plan: Any = json.loads((tmp_path / "out/api/v1/plans/small.json").read_text("utf-8"))
    *_, last = plan["history"]
    assert last["changed"]["seeds"]["without"]["cost"]["value"] == pytest.approx(55.5)
    assert last["headline"]["verdict"]["value"] == "high"
    del last["changed"]
    assert len(shapes.faults("plans/small.json", plan)) == 1


def test_the_page_has_a_table_a_chart_and_the_changes(twice: Path) -> None:
    edition = examine(twice).edition
    assert edition is not None
    text = plan_page(Context(edition), edition.book.plans["small"])
    section = text[text.index("Versions") :]
    assert "Headline by version" in section
    assert "Cost by version" in section
    assert "expected: 54 (1.0.0), 185 (1.1.0), 185 (now)" in section
    assert "### What changed in 1.1.0 { #version-1-1-0 }\n" in section


def test_the_workbook_has_the_figures_as_values(twice: Path, tmp_path: Path) -> None:
    edition = examine(twice).edition
    assert edition is not None
    report = write_workbook(edition, edition.book.plans["small"], tmp_path / "small.xlsx")
    assert report.problems == ()
    about = openpyxl.load_workbook(report.path)["About"]
    rows = [[cell.value for cell in row] for row in about.iter_rows()]
    assert ["Cost", "1.0.0", 48, 54, 60, "USD"] in rows
    assert ["Cost", "1.1.0", 180, 185, 190, "USD"] in rows
    assert any(row[0] == "1.1.0: Seeds" and "3 → 10" in str(row[1]) for row in rows)


def test_a_diff_names_the_new_version(twice: Path, tmp_path: Path) -> None:
    before, after = examine(made(tmp_path / "before")).edition, examine(twice).edition
    assert before is not None
    assert after is not None
    lines = as_text(compare(before, after), Sides("a", "b")).splitlines()
    assert "2 new versions" in lines[1]
    assert lines[2:4] == ["small 1.0.0: First.", "small 1.1.0: More seeds."]
