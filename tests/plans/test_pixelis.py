"""Pixelis uses the newest record of its accelerator; its documents keep the frozen one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from editions import edition_of
from plans.made_up import copy, put, record
from plans.test_micro_benchmark import sound
from scalesheet.diff import compare
from scalesheet.evaluate import evaluate
from scalesheet.examine import Examined, examine
from scalesheet.model import Key, Stated
from scalesheet.values import Value
from shipped import DATA, shipped

PLAN = "pixelis"


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Examined:
    """The data with a measured record of the planned run, half as fast as the simulated one."""
    made = record(
        day="2026-11-21",
        model="qwen2-5-vl-7b",
        card="a100-sxm-40gb",
        method="LoRA",
        seconds=0.846 * 2,
        peak=30e9,
    )
    return sound(put(copy(tmp_path_factory.mktemp("measured")), made), PLAN)


def test_a_measured_record_replaces_the_simulated_one(measured: Examined) -> None:
    results = measured.results[PLAN]
    assert results.scalars["measurement"].value == "qwen2-5-vl-7b-lora-a100-sxm-40gb-2026-11-21"
    assert results.scalars["stated_record"].value == "pixelis-simulated-2025-08-13"
    assert results.cell("projections", "sft-10k", "hours").value == pytest.approx(4.7)


def test_the_verdicts_on_the_documents_do_not_change(measured: Examined) -> None:
    before = shipped((PLAN,))
    assert before.audits
    diff = compare(edition_of(before), edition_of(measured))
    assert diff.verdicts == ()
    assert diff.moved


def _budget(examined: Examined, row: str) -> Value:
    return examined.results[PLAN].cell("bases", row, "budget")


def test_the_budget_is_computed_on_each_basis() -> None:
    examined = shipped((PLAN,))
    found = {row: _budget(examined, row).value for row in examined.results[PLAN].rows["bases"]}
    assert found["document"] == 1535
    assert found["arithmetic"] == pytest.approx(9906.84, abs=0.01)
    assert found["measured"] == pytest.approx(1764, abs=1)
    assert found["best"] == found["arithmetic"], "the record is simulated"
    scalars = examined.results[PLAN].scalars
    assert scalars["base_budget"] == _budget(examined, "best")
    assert scalars["own_lines_budget"] == _budget(examined, "arithmetic")


@pytest.mark.parametrize("row", ["document", "arithmetic", "predicted", "measured"])
def test_the_budget_and_its_cost_follow_the_chosen_basis(row: str) -> None:
    examined = shipped((PLAN,))
    assert examined.book is not None
    plan = examined.book.plans[PLAN]
    results = evaluate(examined.book, plan, {Key("basis"): Stated(row)})
    budget = results.scalars["base_budget"]
    assert budget == _budget(examined, row)
    hours = results.cell("phases", "rft", "hours")
    assert hours == results.cell("bases", row, "rft_hours")
    price = results.scalars["offer_price"].value
    assert results.scalars["cost"].value == pytest.approx(float(budget.value) * float(price))


def test_a_measured_record_changes_the_budget(measured: Examined) -> None:
    """A simulated one does not, because its throughput is not a measurement."""
    before, after = shipped((PLAN,)), measured
    assert _budget(after, "arithmetic") == _budget(before, "arithmetic")
    assert _budget(after, "measured").value > 1.5 * _budget(before, "measured").value
    moved = after.results[PLAN].scalars["base_budget"]
    assert moved == _budget(after, "measured")
    days = [each.results[PLAN].scalars["wall_days"].value for each in (before, after)]
    assert float(days[1]) < 0.5 * float(days[0]), "the calendar follows"
    stored = [each.results[PLAN].scalars["storage_needed"] for each in (before, after)]
    assert stored[0] == stored[1]


TOOK = """\
phase,run,seed,state,gpu_hours,gpus,start,end
svd,,,done,4,1,2026-09-01T00:00,2026-09-01T04:00
sft,,1,done,300,8,2026-09-02T00:00,2026-09-03T13:30
sft,,2,failed,40,8,2026-09-04T00:00,2026-09-04T05:00
sft,,2,done,290,8,2026-09-05T00:00,2026-09-06T12:15
rft,,1,running,900,8,2026-09-25T00:00,2026-09-29T16:30
,debug,,done,30,8,2026-09-25T00:00,2026-09-25T03:45
"""


def test_actual_runs_are_the_best_basis(tmp_path: Path) -> None:
    """Half of the plan is done: the budget is the hours spent plus the forecast of the rest."""
    data = tmp_path / "data"
    shutil.copytree(DATA, data)
    (data / "plans" / PLAN / "actuals").mkdir()
    (data / "plans" / PLAN / "actuals" / "typed.csv").write_text(TOOK, "utf-8")
    edition = examine(data, plans=(PLAN,)).edition
    assert edition is not None
    results, stands = edition.results[PLAN], edition.progress[PLAN]
    additional = {"sweeps", "extended_ablations", "human_evaluation", "debugging"}
    rows = [row for row in stands.rows if row.id not in additional]
    expected = sum(float(row.forecast.value or 0) for row in rows) + stands.outside
    budget = results.cell("bases", "actual", "budget")
    assert budget.value == pytest.approx(expected)
    assert float(budget.low or 0) < expected < float(budget.high or 0)
    assert results.scalars["base_budget"] == budget == results.cell("bases", "best", "budget")
    assert stands.budget == pytest.approx(9415, abs=1), "what runs are compared with stays"
    before = shipped((PLAN,)).results[PLAN]
    assert before.cell("bases", "actual", "budget").reason == "no runs yet"
    assert before.cell("bases", "actual", "others").reason == "no runs yet"


def test_differences_from_the_planned_run_are_stated(measured: Examined) -> None:
    table = "newest_record_differences"
    told = {
        row: measured.results[PLAN].cell(table, row, "agrees").value
        for row in measured.results[PLAN].rows[table]
    }
    assert [row for row, word in told.items() if word == "other"] == [
        "sequence-length",
        "batch-size",
        "gpus",
    ]


def test_the_stated_overhead_is_compared_with_its_parts() -> None:
    """It is five to eight times per sample; a response costs less, a prompt with eight more."""
    scalars = shipped((PLAN,)).results[PLAN].scalars
    response, prompt = scalars["rft.factor_by_parts"], scalars["rft.overhead_by_parts"]
    assert response.value is not None
    assert prompt.low is not None
    assert float(response.value) < 5 < 8 < float(prompt.low)
    assert scalars["rft.overhead_verdict"].value == "overlaps"
    assert scalars["rft.prompt_verdict"].value == "below"
