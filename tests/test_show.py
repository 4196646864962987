"""`scalesheet show`: the answer in a few lines, all figures, and where a figure comes from."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from statistics import NormalDist

import pytest

from cases import JOB, JOBS
from own import PLAN, begun
from project import ROOT
from scalesheet.cli import main
from scalesheet.render.text.sure import PARTIAL
from small import plan

Show = Callable[..., str]


@pytest.fixture
def show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Show:
    plan(tmp_path, JOBS, {"components/job.yaml": JOB})

    def run(*arguments: str) -> str:
        status = main(["show", "small", "--data", str(tmp_path / "data"), *arguments])
        printed = capsys.readouterr()
        return printed.out if status == 0 else printed.err

    return run


def test_the_answer_comes_first_and_the_rest_is_counted(show: Show) -> None:
    assert show().splitlines()[3:] == [
        "  jobs.total.hours  10 h  Hours in total, Jobs",
        "",
        "3 inputs and 1 table: --all. One table, or where a figure comes from: --why NAME",
    ]


def test_all_figures_are_shown_with_component_defaults_apart(show: Show) -> None:
    shown = show("--all")
    own, _, defaults = shown.partition("\nDefaults of components\n")
    assert "  data  8 GB  Data\n" in own
    assert "Jobs (jobs)\n" in own
    assert "jobs.all" not in own
    assert [line.split()[0] for line in defaults.splitlines()] == ["jobs.all.room", "jobs.all.pace"]


def test_a_figure_is_shown_with_its_formula_and_inputs(show: Show) -> None:
    lines = show("--why", "jobs['fixed'].hours").splitlines()
    assert lines[:3] == ["Hours (jobs['fixed'].hours)", "", "  8 h"]
    assert lines[3] == "  = pace * parts"
    named = {line.split()[0]: line.split()[-1] for line in lines[6:10]}
    assert named == {
        "jobs.all.pace": "assumption",
        "jobs['fixed'].parts": "paper",
        "jobs['fixed'].broken": "computed",
        "jobs['fixed'].status": "computed",
    }


PARTS = """
scalars:
  price: {value: 2, low: 1, high: 4, unit: USD / hour, kind: decision}
  cost: {title: Cost, unit: USD, formula: jobs.total.hours * price}
tables:
  jobs:
    columns: {hours: {unit: hour, kind: assumption}}
    rows: {short: {hours: 1}, long: {title: Long job, hours: 3}}
    total: [hours]
headline: [cost]
"""


def test_why_starts_with_the_largest_parts_of_a_headline(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan(tmp_path, PARTS)
    arguments = ["show", "small", "--data", str(tmp_path / "data"), "--why", "cost"]
    assert main([*arguments, "--set", "jobs['long'].hours=9"]) == 0
    shown = capsys.readouterr().out.replace(str(tmp_path / "data"), "data")
    assert (
        shown.split("\nBased on")[0]
        == """\
Cost (cost)

  20 [10–40] USD

Biggest parts
  90 %  18 USD  jobs['long'].hours   Long job  data/plans/small/plan.yaml:11
  10 %   2 USD  jobs['short'].hours  short     data/plans/small/plan.yaml:11

Moves it most: each prediction and uncertain input over its range, or by 10 %
  price       2.00 [1.00–4.00] USD/h  20 [10–40] USD  Price        data/plans/small/plan.yaml:6
  jobs.hours  2 rows                  20 [18–22] USD  Jobs: Hours  data/plans/small/plan.yaml:11

Formula
  = jobs.total.hours * price
  jobs.total.hours  = sum(jobs.hours)

From
  jobs.total.hours  10 h                    Hours in total, Jobs  computed
  price             2.00 [1.00–4.00] USD/h  Price                 decision, A paper
"""
    )


def test_a_limit_that_an_edit_exceeds_is_shown_with_both_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan(tmp_path, PARTS.replace("headline:", "limits: {cost: 10}\nheadline:"))
    arguments = ["show", "small", "--data", str(tmp_path / "data")]
    assert main([*arguments, "--set", "jobs['long'].hours=9"]) == 0
    assert "Does not hold\n  Cost is 20 USD, above its limit of 10 USD\n" in capsys.readouterr().out


def test_assumptions_with_a_source_are_counted_under_their_source(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan(tmp_path, PARTS)
    assert main(["show", "small", "--data", str(tmp_path / "data"), "--why", "cost"]) == 0
    based = capsys.readouterr().out.split("\nBased on ")[1]
    assert (
        based
        == "2 inputs, 1 assumed (1 with a source), by source; --all lists them\n  2  A paper\n"
    )


PREDICTED = """
scalars:
  pace: {value: 2, low: 1.8, high: 2.2, unit: 1 / hour, kind: assumption}
  work: {value: 8, unit: 1, kind: decision}
  hours:
    title: Hours
    unit: hour
    formula: between(work / pace / 2, work / pace, work / pace * 3)
  twice: {title: Twice, unit: hour, formula: 2 * hours}
headline: [twice]
"""


def test_why_tells_the_error_of_a_prediction_among_what_moves_a_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan(tmp_path, PREDICTED)
    main(["show", "small", "--data", str(tmp_path / "data"), "--why", "twice"])
    moves = capsys.readouterr().out.split("or by 10 %\n")[1].splitlines()
    # from half of 4 h to three times as much, where the pace alone makes 4 h 3.64 to 4.44
    assert moves[0].split()[:7] == ["hours", "error", "of", "prediction", "8", "[4–24]", "h"]
    assert moves[1].split()[0] == "pace"


def test_why_lists_every_input_that_it_counts(show: Show) -> None:
    counted = show("--why", "jobs['fixed'].hours").split("\nBased on")[1].splitlines()
    every = show("--why", "jobs['fixed'].hours", "--all").split("\nBased on")[1].splitlines()
    assert counted[0].endswith("by source; --all lists them")
    assert len(every) - 1 == int(every[0].split()[0])
    assert any("jobs.all.pace" in line and ".yaml:" in line for line in every)


def test_a_cell_of_the_catalogue_has_its_source(show: Show) -> None:
    lines = show("--why", "offers['offer'].price").splitlines()
    assert lines[0] == "Price per GPU hour (offers['offer'].price)"
    named = [line.split()[0] for line in lines if line.startswith("  offers")]
    assert "offers['offer'].node_price" in named
    assert "published, A data sheet" in show("--why", "offers['offer'].node_price")


@pytest.mark.parametrize(("cap", "said"), [("30", True), ("60", False), ("15", False)])
def test_a_limit_that_only_part_of_the_range_keeps_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cap: str, said: bool
) -> None:
    limited = PARTS.replace(
        "price: {value: 2, low: 1, high: 4", "price: {value: 5, low: 4, high: 8"
    )
    plan(tmp_path, f"{limited}limits: {{cost: {cap} USD}}\n")
    main(["show", "small", "--data", str(tmp_path / "data")])
    text = "  Cost: expected within its limit, but part of the range is beyond it\n"
    assert (text in capsys.readouterr().out) == said


def test_a_row_without_a_value_is_named_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = str(begun(tmp_path))
    assert main(["show", PLAN, "--data", data, "--as-of", "2022-01-01"]) == 0
    said = "Rows without a value\n  runs['small']: no price known at 2022-01-01\n"
    assert said in capsys.readouterr().out


def test_offers_are_listed_with_their_prices(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan(tmp_path, JOBS, {"components/job.yaml": JOB})
    assert main(["show", "offers", "--data", str(tmp_path / "data")]) == 0
    assert capsys.readouterr().out.startswith("  offer  1.00 [0.80–1.20] USD/(GPU·h)  20")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("training-run", "  trainer            general (or tuned) "),
        ("training-run", "  precision          16 bit (or FP8) "),
        ("training-run", "  checkpointing      searched for, unless stated: none, full "),
        ("stores", "  runpod-network-volume "),
    ],
)
def test_choices_and_prices_are_listed(
    name: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", name, "--data", str(ROOT / "data")]) == 0
    (shown,) = (s for s in capsys.readouterr().out.splitlines() if s.startswith(line))
    assert name != "stores" or " USD/(GB·month)  " in shown


def test_a_table_is_shown_by_name(show: Show) -> None:
    assert show("--why", "jobs").startswith("Jobs (jobs)\n")


def test_a_column_lists_its_cells_with_names_to_ask_for_next(show: Show) -> None:
    lines = show("--why", "jobs.hours").splitlines()
    assert lines[0] == "Hours (jobs.hours)"
    assert [line.split()[0] for line in lines[2:]] == ["jobs['free'].hours", "jobs['fixed'].hours"]
    assert "  8 h " in lines[3]


def test_a_wide_table_has_its_rows_side_by_side(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = "".join(f"      figure_{n}: {{unit: hour, formula: hours * {n}}}\n" for n in range(9))
    text = JOBS.replace("    rows:", f"    columns:\n{columns}    rows:")
    plan(tmp_path, text, {"components/job.yaml": JOB})
    main(["show", "small", "--data", str(tmp_path / "data"), "--why", "jobs"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["free", "fixed", "total"]
    assert max(map(len, lines)) < 60


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--why", "dat"], "'dat' is not a figure or a table of the plan; did you mean 'data'?"),
        (["--why", "jobs['fre'].hours"], "'fre' is not a row of jobs; did you mean 'free'?"),
        (["--why", "jobs['free'].hour"], "'hour' is not a column of jobs; did you mean 'hours'?"),
        (["--why", "job['free'].hours"], "there is no table 'job'; did you mean 'jobs'?"),
        (["--why", "data", "--format", "csv"], "--why prints text, not csv"),
    ],
)
def test_a_wrong_name_is_reported(show: Show, arguments: list[str], message: str) -> None:
    assert message in show(*arguments)


def test_without_a_plan_it_lists_everything_that_can_be_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan(tmp_path, JOBS, {"components/job.yaml": JOB})
    data = ["--data", str(tmp_path / "data")]
    assert main(["show", *data]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert "  small  A plan" in listed
    table = next(line.split()[0] for line in listed if line.endswith(" 1 row"))
    assert main(["show", table, *data]) == 0
    assert capsys.readouterr().out.split()
    assert main(["show", "card", *data]) == 0
    (memory,) = (s for s in capsys.readouterr().out.splitlines() if s.startswith("  memory "))
    assert memory.split()[1:3] == ["24", "GiB"]
    assert memory.endswith("A data sheet, page 1")
    assert main(["show", "job", *data]) == 0
    inputs, outputs = capsys.readouterr().out.split("\nOutputs\n")
    assert "  pace  " in inputs
    assert "hours" in [line.split()[0] for line in outputs.splitlines()]
    assert main(["show", "jop", *data]) == 2
    said = "there is no plan, component, table or entry of the catalogue 'jop'; did you mean 'job'"
    assert said in capsys.readouterr().err
    assert main(["show", table, *data, "--set", "a=1"]) == 2
    assert "name a plan; --set, --why and --format apply to its results" in capsys.readouterr().err


SPREAD = """
scalars:
  a: {value: 100, unit: USD, kind: decision}
  b: {value: 2, low: 1, high: 4, unit: 1, kind: assumption}
  d: {value: 2, low: 1, high: 4, unit: 1, kind: assumption}
  cost: {title: Cost, unit: USD, formula: "between(a / 2, a, a * 3)"}
  less: {title: Less, unit: USD, formula: "between(low(b * d), 3) * a"}
headline: [cost, less]
limits: {cost: 300 USD}
"""


def test_sure_says_how_likely_each_figure_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan(tmp_path, SPREAD)
    arguments = ["show", "small", "--data", str(tmp_path / "data"), "--sure"]
    assert main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    heads = ["P10", "P50", "P80", "P90", "mean", "reserve", "error", "of", "P80", "outer", "bound"]
    assert lines[5].split() == heads
    quantiles = [float(each) for each in lines[6].split()[1:9:2]]
    p80 = 100 * 3 ** (NormalDist().inv_cdf(0.8) / NormalDist().inv_cdf(0.9))
    assert quantiles == pytest.approx([50, 100, p80, 300], rel=5e-3)
    assert lines[6].endswith("100 [50–300] USD")
    assert [line for line in lines if "not drawn" in line] == [f"less: {PARTIAL}"]
    assert any(
        re.match(r"The chance to stay within the limit on Cost is (89|90)\.\d %", s) for s in lines
    )


def test_sure_is_printed_as_json_and_not_as_csv(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan(tmp_path, SPREAD)
    arguments = ["show", "small", "--data", str(tmp_path / "data"), "--sure", "--format"]
    assert main([*arguments, "json"]) == 0
    figures = json.loads(capsys.readouterr().out)["figures"]
    assert list(figures) == ["cost", "cost.margin", "less"]
    assert figures["cost"]["p90"] == pytest.approx(300, rel=5e-3)
    assert (figures["less"]["partial"], figures["cost.margin"]["more_is_better"]) == (True, True)
    assert main([*arguments, "csv"]) == 2
    assert "--sure prints text or json" in capsys.readouterr().err
