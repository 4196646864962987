"""Actual hours of runs: a plan's CSV files, the forecast from them, and where it is shown."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from costs import FILES
from render.api.shapes import Shapes
from scalesheet.actuals.progress import Progress
from scalesheet.actuals.words import in_short
from scalesheet.build import build
from scalesheet.cli import main
from scalesheet.diff import compare
from scalesheet.examine import Examined
from scalesheet.load.audited import frozen
from scalesheet.load.csv import parse_csv
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.plan.page import plan_page
from scalesheet.render.text.diff import Sides, as_markdown, as_text
from small import plan, said

PLAN = """
headline: [total.budget]
scalars:
  goodput: {value: 0.9, unit: 1, domain: positive-fraction}
  seeds: {value: 3, unit: 1, domain: count}
  most: {value: 2600, unit: GPU * hour}
phases:
  sft: {title: SFT, class: per_seed, gpus: {value: 8, unit: GPU}, hours: {value: 30, unit: hour}}
  rl: {title: RL, class: per_seed, after: [sft], gpus: {value: 8, unit: GPU},
       hours: {value: 60, unit: hour}}
actuals: {budget: most}
"""
CSV = """\
phase,run,seed,state,start,end,gpus,gpu_hours,cost,from,note
sft,,1,done,2026-09-01,2026-09-02T10:00,8,,700,slurm 1,
sft,,2,failed,2026-09-02T12:00,2026-09-02T20:00,8,,160,slurm 2,"OOM, at step 300"
sft,,2,done,2026-09-03,2026-09-04T12:00,8,,720,slurm 3,
sft,,3,done,2026-09-05,2026-09-06T14:00,8,,800,slurm 4,
rl,,1,done,2026-09-07,2026-09-09T22:00,8,,,slurm 5,
rl,,2,running,2026-09-10,,8,100,,slurm 6,
,demo,,done,2026-09-11,,,12,,slurm 7,
"""
FILE = "plans/small/actuals/slurm.csv"


def given(folder: Path, csv: str = CSV, text: str = PLAN, place: str = FILE) -> Examined:
    return plan(folder, text, {place: csv})


def stands(examined: Examined) -> Progress:
    assert examined.edition is not None, examined.diagnostics
    return examined.edition.progress["small"]


def test_hours_are_spent_committed_and_left(tmp_path: Path) -> None:
    progress = stands(given(tmp_path))
    sft, rl = progress.rows
    assert (sft.planned, sft.runs, sft.done, sft.spent, sft.failed) == (800, 3, 3, 928, 64)
    assert (rl.planned, rl.runs, rl.done, rl.running, rl.spent) == (1600, 3, 1, 1, 660)
    assert sft.ratio == pytest.approx(928 / 800)  # a run's hours include its failed attempt
    assert sft.committed == 0
    assert 400 < rl.committed < 534  # the rest of a run planned at 533 that has used 100
    assert progress.spent == 928 + 660 + 12
    assert progress.outside == 12
    assert progress.left == pytest.approx(2600 - 1600 - rl.committed)


def test_the_forecast_is_hours_spent_plus_remaining_hours_at_the_learned_ratio(
    tmp_path: Path,
) -> None:
    progress = stands(given(tmp_path))
    _, rl = progress.rows
    assert rl.ratio == pytest.approx(1.05)
    assert 1.05 < rl.expected < 1.16  # from its own runs and those of the other phase
    expected = 1600 + rl.committed + 1600 / 3 * rl.expected
    assert progress.forecast.value == pytest.approx(expected)
    assert progress.forecast.low is not None
    assert progress.forecast.high is not None
    assert progress.forecast.low < expected < progress.forecast.high
    assert in_short(progress) == "forecast 2,660 of 2,600 GPU h: 2 % over"
    assert 0.3 < progress.chance < 0.5


def test_a_plan_whose_runs_are_all_done_has_no_interval(tmp_path: Path) -> None:
    rows = [f"{phase},{seed},done,300" for phase in ("sft", "rl") for seed in "123"]
    csv = "\n".join(["phase,seed,state,gpu_hours", *rows]) + "\n"
    progress = stands(given(tmp_path, csv))
    assert (progress.forecast.value, progress.forecast.ranged) == (1800.0, False)
    assert (progress.chance, progress.committed) == (1.0, 0.0)


def test_the_budget_runs_out_at_the_recent_rate(tmp_path: Path) -> None:
    days = stands(given(tmp_path)).calendar
    assert days is not None
    assert (days.begun.date(), days.status.date()) == (date(2026, 9, 1), date(2026, 9, 11))
    assert days.per_day == pytest.approx(160.0)  # 1,600 GPU hours in 10 days
    assert days.exhausted is not None
    assert days.exhausted.date() == date(2026, 9, 17)  # 1,000 left
    lefts = [left for _, left in days.burned]
    assert lefts == sorted(lefts, reverse=True)
    assert (lefts[0], lefts[-1]) == (2600, 1000)
    assert [round(left) for _, left in (days.to_burn[0], days.to_burn[-1])] == [2600, 200]


def test_a_running_run_without_hours_counts_its_gpus_up_to_the_latest_time(
    tmp_path: Path,
) -> None:
    csv = (
        "phase,seed,state,start,end,gpus\nsft,1,done,2026-09-01,2026-09-02T06:00,8\n"
        "sft,2,running,2026-09-01T18:00,,8\n"
    )
    assert stands(given(tmp_path, csv)).spent == 8 * 30 + 8 * 12


def test_runs_that_are_parts_of_a_phase_have_a_share(tmp_path: Path) -> None:
    text = PLAN.replace("class: per_seed, after", "class: one_time, after")
    whole = "phase,run,state,gpu_hours\nrl,a,done,200\nrl,b,done,200\n"
    found = given(tmp_path / "1", whole, text)
    assert [text.split(";")[0] for text in said(found)] == [
        "A004 'rl' has 2 finished and 0 running runs, which are 2 times what the plan has (1)"
    ]
    parts = "phase,run,state,gpu_hours,share\nrl,a,done,200,0.4\nrl,b,done,200,0.4\n"
    _, rl = stands(given(tmp_path / "2", parts, text)).rows
    assert rl.ratio == pytest.approx(400 / (0.8 * rl.planned))
    assert rl.forecast.value == pytest.approx(400 + 0.2 * rl.planned * rl.expected)


def test_a_plan_without_phases_names_its_table(tmp_path: Path) -> None:
    text = """
    tables:
      jobs:
        columns: {gpu_hours: {unit: GPU * hour}, seeds: {unit: 1, domain: count}}
        rows: {small: {title: Small, gpu_hours: 90, seeds: 3}}
    actuals: {table: jobs, runs: seeds}
    """
    progress = stands(given(tmp_path, "phase,seed,state,gpu_hours\nsmall,1,done,40\n", text))
    assert (progress.rows[0].runs, progress.rows[0].ratio) == (3, pytest.approx(4 / 3))
    assert progress.calendar is None


# ------------------------------------------------------------------ bad files


@pytest.mark.parametrize(
    ("csv", "finding"),
    [
        ("phase,sead,state,gpu_hours\nsft,1,done,1\n", "1:7 S001 header[1]: expected one of"),
        ("phase,state,gpu_hours\nsft,dun,1\n", "2:5 S004 rows[0].state: expected one of"),
        ("phase,state,gpu_hours\nsft,,1\n", "2:1 S002 rows[0] lacks the key 'state'"),
        ('phase,state,gpu_hours\nsft,done,"1,200"\n', "2:10 S003 rows[0].gpu_hours: expected a"),
        (
            "phase,state,gpu_hours,cost\nsft,done,2,$18\n",
            "2:12 S003 rows[0].cost: expected an amount in USD, up to 1e15, found the text '$18'; "
            "write 18; the unit is that of the column",
        ),
        (
            "phase,state,gpu_hours,cost\nsft,done,2,-18\n",
            "2:10 V002 a refund of -18 USD has 2 GPU hours; delete the hours, or",
        ),
        (
            "phase,state,gpu_hours,start\nsft,done,2,0001-01-01T00:00+14:00\n",
            "2:12 S006 rows[0].start: expected a moment such as 2026-11-20",
        ),
        (
            "phase,state,start,gpus,gpu_hours\nsft,done,2026-09-01,1e-9,8\n",
            "2:26 V001 8 GPU hours on 1e-09 GPUs from 2026-09-01 end after the year 2200; fix the",
        ),
        ("phase,state,gpu_hours\nsft,done,-1\n", "2:10 S004 rows[0].gpu_hours: expected a number"),
        ("phase,state,gpu_hours\nsft,done,nan\n", "2:10 Y007 is not a number; write one"),
        ("phase,state,gpu_hours\nsft,done,1,200\n", "2:1 Y015 the line has 4 cells and the header"),
        ('phase,state,note\nsft,done,"a\n', "2:10 Y015 a quote is inside a cell, or is"),
        ("phase,state,state\nsft,done,done\n", "1:13 Y002 the header has the column 'state' twice"),
        ("\n", "1:1 Y003 the file is empty; write a header"),
        ("phase,state,start\nsft,done,1.9.2026\n", "2:10 S006 rows[0].start: expected a moment"),
        ("phase,state\nsft,done\n", "2:1 A002 the run has no gpu_hours; write them, or start, end"),
        (
            "phase,state,start,end,gpus\nsft,done,2026-09-02,2026-09-01,8\n",
            "2:21 V001 the run ends at 2026-09-01, before its start at 2026-09-02; fix one",
        ),
        (
            "phase,state,gpu_hours\nstf,done,1\n",
            "2:1 A001 'stf' is not in phases, so its hours are counted as outside the plan; "
            "did you mean 'sft'?",
        ),
        (
            "phase,seed,state,start,gpu_hours\nsft,1,done,2026-09-01,1\n\nsft,1,done,2026-09-01,2\n",
            "4:1 A003 the same phase, run, seed and start as",
        ),
    ],
)
def test_a_bad_line_is_reported_at_its_place(tmp_path: Path, csv: str, finding: str) -> None:
    found = given(tmp_path, csv).diagnostics
    told = [f"{d.line}:{d.column} {d.code} {d.message}" for d in found]
    assert [text for text in told if text.startswith(finding)], told
    assert {d.path.rsplit("/", 1)[-1] for d in found} == {"slurm.csv"}


@pytest.mark.parametrize(
    ("entry", "finding"),
    [
        ("{table: phase}", "N001 runs are compared with the table 'phase', which the plan lacks"),
        ("{gpu_hours: hour}", "N001 there is no column of phases 'hour'"),
        (
            "{gpu_hours: hours}",
            "U002 'hours': expected a column of phases in GPU * hour, found hour",
        ),
        ("{budget: seeds}", "U002 'seeds': expected a figure of the plan in GPU * hour, found 1"),
        ("{forecast: ends}", "N001 there is no table 'ends' with rows of its own"),
        ("{forecast: phases}", "N001 'phases' has no column 'forecast' that is stated; add it"),
    ],
)
def test_figures_that_runs_are_compared_with_are_checked(
    tmp_path: Path, entry: str, finding: str
) -> None:
    examined = given(tmp_path, text=PLAN.replace("{budget: most}", entry))
    assert [text for text in said(examined) if text.startswith(finding)], said(examined)


def test_cells_keep_their_positions_after_quotes_and_line_breaks() -> None:
    parsed = parse_csv(b'phase,note,gpu_hours\r\n"s ""f""","two\r\nlines, one cell",x\r\n', "f.csv")
    assert parsed.data["rows"] == [
        {"phase": 's "f"', "note": "two\nlines, one cell", "gpu_hours": "x"}
    ]
    assert parsed.places["rows", 0, "gpu_hours"] == (3, 18)


@pytest.mark.parametrize("content", [b"\xff\xfe", b'"', b"\x00", b"a,b\n\xe9", b"a\n" * 3])
def test_no_bytes_cause_an_exception(content: bytes) -> None:
    parsed = parse_csv(content, "f.csv")
    assert parsed.diagnostics or parsed.data is not None


# ------------------------------------------------------------------ outputs


def test_show_prints_a_summary_of_actuals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given(tmp_path)
    assert main(["show", "small", "--data", str(tmp_path / "data")]) == 0
    shown = capsys.readouterr().out
    lines = shown[shown.index("Actuals") :].splitlines()
    assert lines[2].split() == ["Spent", "1,600", "GPU", "h", "62", "%", "of", "the", "budget"]
    assert "80 % interval 2,407–2,946; 2 % over" in lines[7]
    assert "at 160 GPU h a day, the mean of the last 10 days" in shown


def test_the_json_includes_actuals_if_a_plan_has_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given(tmp_path)
    main(["show", "small", "--data", str(tmp_path / "data"), "--format", "json"])
    actuals: Any = json.loads(capsys.readouterr().out)["actuals"]
    assert actuals["spent"] == {"value": 1600, "low": 1600, "high": 1600, "unit": "GPU * hour"}
    assert [each["from"] for each in actuals["attempts"]] == [f"slurm {n}" for n in range(1, 8)]
    assert actuals["calendar"]["exhausted"] == "2026-09-17"
    plan(tmp_path, PLAN)
    main(["show", "small", "--data", str(tmp_path / "data"), "--format", "json"])
    assert "actuals" not in json.loads(capsys.readouterr().out)


def test_the_page_has_figures_a_chart_and_every_attempt(tmp_path: Path) -> None:
    examined = given(tmp_path)
    assert examined.edition is not None
    text = plan_page(Context(examined.edition), examined.edition.book.plans["small"])
    section = text[text.index("Actuals") : text.index("Calendar")]
    assert "Forecast 2,660 of 2,600 GPU h: 2 % over." in section
    assert "Burn-down of the budget" in section
    assert "At the current rate" in section
    assert "OOM, at step 300" in section
    assert "All 7 attempts" in section


def test_a_diff_starts_with_the_forecast(tmp_path: Path) -> None:
    before, after = given(tmp_path / "1", CSV[: CSV.index("rl,,1")]), given(tmp_path / "2")
    assert before.edition is not None
    assert after.edition is not None
    diff = compare(before.edition, after.edition)
    line = "small: forecast 2,660 of 2,600 GPU h: 2 % over (was 2,"
    assert bool(diff)
    assert as_text(diff, Sides("base", "head")).splitlines()[2].startswith(line)
    assert f"**{line}" in as_markdown(diff, Sides("base", "head"))
    assert "1 forecast changed" in as_markdown(diff, Sides("base", "head"))
    same = compare(after.edition, after.edition)
    assert not same
    assert as_text(same, Sides("a", "b")).splitlines()[1:] == [
        "No numbers changed.",
        "small: forecast 2,660 of 2,600 GPU h: 2 % over",
    ]


def test_costs_are_proportional_to_the_hours(tmp_path: Path) -> None:
    money = stands(given(tmp_path)).money
    assert money is not None
    assert money.rate == pytest.approx(2380 / 928)
    assert money.spent == pytest.approx(money.rate * 1600)
    assert money.estimated == pytest.approx(money.rate * (1600 - 928))


OF_PEOPLE = """
scalars:
  begin: {value: 2026-09-01, unit: date}
  goodput: {value: 1, unit: 1}
  seeds: {value: 3, unit: 1, domain: count}
  pay: {value: 70, unit: USD / hour}
phases:
  prep: {title: Preparation, class: one_time, work: 60}
  sft: {title: SFT, class: per_seed, after: [prep], gpus: 1, hours: 4, accelerator_cost: 200}
actuals: {cost: total.cost}
"""


@pytest.mark.parametrize(
    ("lines", "spent", "rate"),
    [
        ("sft,1,done,4.5,\nsft,2,done,4.5,18\n", 36, 4.0),
        ("prep,,done,0,4900\nsft,1,done,4.5,\nsft,2,done,4.5,18\n", 4936, 4.0),
        ("sft,1,done,4.5,\n", 75, 200 / 12),  # what the budget leaves for 12 hours
    ],
)
def test_money_of_a_phase_without_gpu_hours_is_no_price_of_hours(
    lines: str, spent: float, rate: float, tmp_path: Path
) -> None:
    csv = "phase,seed,state,gpu_hours,cost\n" + lines
    progress = stands(plan(tmp_path, OF_PEOPLE, {**FILES, FILE: csv}))
    money = progress.money
    assert money is not None
    assert (money.spent, money.rate) == (pytest.approx(spent), pytest.approx(rate))
    prepared = 4900 if "prep" in lines else 4200
    hours = float(progress.forecast.value or 0)
    assert money.forecast.value == pytest.approx(prepared + rate * hours)


def test_the_json_matches_the_schema_of_the_api(tmp_path: Path) -> None:
    given(tmp_path)
    build(tmp_path / "data", tmp_path / "out", site=False)
    shapes = Shapes(tmp_path / "out/api/v1")
    assert shapes.faults("plans/small.json") == []
    wrong = json.loads((tmp_path / "out/api/v1/plans/small.json").read_text("utf-8"))
    wrong["actuals"]["rows"][0]["ratio"] = "1.16"
    assert len(shapes.faults("plans/small.json", wrong)) == 1


def test_actuals_do_not_count_as_a_change_of_a_frozen_plan() -> None:
    assert frozen({"title": "A plan", "actuals": {"budget": "most"}}) == {"title": "A plan"}
