"""The micro-benchmark uses the newest record; a new one changes everything that depends on it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from openpyxl import load_workbook

from editions import edition_of, given
from plans.made_up import alone, only, put, quiet, record
from scalesheet.diagnostics import errors
from scalesheet.diff import compare
from scalesheet.diff.changes import Diff
from scalesheet.examine import Examined, examine
from scalesheet.render.pages.context import Context
from scalesheet.render.pages.plan.page import plan_page
from scalesheet.render.workbook.write import write_workbook
from scalesheet.steps.record import Record
from scalesheet.values import Value

PLAN = "micro-benchmark"


def simulated() -> Record:
    return record("simulated", "2026-11-20", seconds=0.4, peak=1e9)


def sound(data: Path, plan: str = PLAN) -> Examined:
    """Check the catalogue with one plan; fail on errors."""
    examined = examine(data, plans=(plan,))
    assert not errors(examined.diagnostics), examined.diagnostics
    return examined


def figure(examined: Examined, name: str) -> Value:
    """The value of a scalar, or of a cell given as `table/row/column`."""
    results = examined.results[PLAN]
    place = name.split("/")
    return results.scalars[name] if len(place) == 1 else results.cell(*place)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return put(quiet(tmp_path_factory.mktemp("before")), simulated(), record())


@pytest.fixture(scope="module")
def before(data: Path) -> Examined:
    return sound(data)


@pytest.fixture(scope="module")
def after(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Examined:
    """The data with one more record: the same step a day later, taking twice as long."""
    more = shutil.copytree(data, tmp_path_factory.mktemp("after") / "data")
    return sound(put(more, record(day="2026-11-22", seconds=1)))


@pytest.fixture(scope="module")
def diff(before: Examined, after: Examined) -> Diff:
    return compare(edition_of(before), edition_of(after))


# ------------------------------------------------------------------ a new record


def test_a_new_record_is_used_and_its_step_changes_times(before: Examined, after: Examined) -> None:
    assert figure(before, "measurement").value == "pythia-14m-full-rtx4090-2026-11-21"
    assert figure(after, "measurement").value == "pythia-14m-full-rtx4090-2026-11-22"
    step = figure(after, "step_time")
    assert (step.value, step.low, step.high) == (1, 0.98, 1.02)
    for name in ("run_hours", "shared_hours", "step_ratio", "token_time", "rl/short/update"):
        old, new = figure(before, name).value, figure(after, name).value
        assert new == pytest.approx(2 * old), name  # type: ignore[operator]


def test_it_changes_exactly_what_depends_on_it(diff: Diff) -> None:
    moved = {each.place for each in diff.moved}
    assert {place.plan for place in moved} == {PLAN}
    assert {place.name.split(".")[0].split("[")[0] for place in moved} == {
        *("step_time", "step_ratio", "run_hours", "shared_hours"),
        *("token_time", "forward_time", "generation_factor", "factor_by_length"),
        *("times", "projections", "rl"),
    }
    columns = {place.name.rpartition(".")[2] for place in moved if place.name.startswith("rl[")}
    assert columns == {
        *("token_time", "forward_time"),
        *("prefill", "decoding", "reference", "update", "step"),
        *("factor", "high_factor", "share"),
    }  # arithmetic bounds decoding here; low leaves out rewards, so all of it scales alike


def test_the_diff_names_choice_and_record_as_the_cause(diff: Diff) -> None:
    (chosen,) = [each for each in diff.inputs if each.place.plan == PLAN]
    (added,) = diff.entries
    assert chosen.place.name == "measurement"
    assert (added.fate, added.name) == (
        "added",
        "measurements['pythia-14m-full-rtx4090-2026-11-22']",
    )
    assert {effect.causes for each in diff.moved for effect in each.effects} == {(chosen, added)}


# ------------------------------------------------------------------ all outputs


def page(examined: Examined) -> str:
    assert examined.book is not None
    context = Context(given(examined.book, results=examined.results))
    return plan_page(context, examined.book.plans[PLAN])


def in_workbook(examined: Examined, folder: Path, *names: str) -> list[object]:
    """The values stored under these names in the plan's workbook."""
    assert examined.book is not None
    plan = examined.book.plans[PLAN]
    path = folder / "plan.xlsx"
    report = write_workbook(
        given(examined.book, results={plan.id: examined.results[PLAN]}),
        plan,
        path,
        sensitivity=False,
    )
    assert not report.problems
    book = load_workbook(path, data_only=True, read_only=True)
    places = [book.defined_names[name].attr_text.split("!") for name in names]
    return [book[sheet.strip("'")][at.replace("$", "")].value for sheet, at in places]


def test_the_page_follows(after: Examined) -> None:
    new = page(after)
    assert "pythia-14m-full-rtx4090-2026-11-22" in new
    assert "0.98–1.02 s/step" in new


def test_the_workbook_follows(after: Examined, tmp_path: Path) -> None:
    new = in_workbook(after, tmp_path, "measurement", "step_time", "run_hours")
    assert new == ["pythia-14m-full-rtx4090-2026-11-22", 1, pytest.approx(10_000 / 3600)]


def test_the_audit_follows_and_keeps_its_verdicts(before: Examined, after: Examined) -> None:
    old, new = (each.audits[PLAN] for each in (before, after))
    hours = [each.headlines[0].computed.value for each in (old, new)]
    assert hours == pytest.approx([10_000 * 0.5 / 3600, 10_000 / 3600])
    assert {c.claim.id: c.verdict for c in old.claims} == {
        c.claim.id: c.verdict for c in new.claims
    }


# ------------------------------------------------------------------ the simulation


def test_it_is_compared_with_the_simulation_of_the_same_step(before: Examined) -> None:
    assert figure(before, "simulation").value == "pythia-14m-full-rtx4090-simulated-2026-11-20"
    assert figure(before, "step_ratio").value == pytest.approx(1.25)
    assert figure(before, "memory_ratio").value == pytest.approx(1.2)
    assert figure(before, "times/step/verdict").value == "slower"
    assert figure(before, "times/forward/ratio").value == pytest.approx(1.25)


def test_a_simulation_of_another_step_is_not_used(tmp_path: Path) -> None:
    other = record("simulated", "2026-11-20", gpus=2)
    examined = sound(put(alone(tmp_path), other, record()))
    assert figure(examined, "step_ratio").reason == "not simulated"
    assert figure(examined, "step_time").value == 0.5


def test_scaling_efficiency_is_measured_if_a_record_has_more_accelerators(
    before: Examined, tmp_path: Path
) -> None:
    assumed = figure(before, "scaling_efficiency")
    assert (assumed.low, assumed.value, assumed.high) == (0.75, 0.9, 1)
    four = record(day="2026-11-20", gpus=4, seconds=0.625)
    examined = sound(put(alone(tmp_path), four, record()))
    assert figure(examined, "measurement").value == "pythia-14m-full-rtx4090-2026-11-21"
    assert figure(examined, "scaling_efficiency").value == pytest.approx(0.8)
    hours = figure(examined, "run_hours").value
    assert figure(examined, "shared_hours").value == pytest.approx(hours / 8 / 0.8)  # type: ignore[operator]


def test_figures_missing_from_an_interrupted_record_are_reasons(tmp_path: Path) -> None:
    names = ("accelerators", "batch_size", "micro_batch", "sequence_length", "step_time")
    examined = sound(put(alone(tmp_path), only(*names)(record())))
    assert figure(examined, "soundness").value == "interrupted"
    assert figure(examined, "run_hours").value == pytest.approx(10_000 * 0.5 / 3600)
    for name in ("smallest", "memory_ratio", "generation_factor"):
        assert figure(examined, name).reason is not None, name


# ------------------------------------------------------------------ dependent figures


def test_hours_and_cost_follow_the_step(before: Examined) -> None:
    hours = 10_000 * 0.5 / 3600
    assert figure(before, "run_hours").value == pytest.approx(hours)
    several = figure(before, "shared_hours")
    assert several.value == pytest.approx(hours / (8 * 0.9))
    assert several.low == pytest.approx(0.98 * hours / 8)
    assert several.high == pytest.approx(1.02 * hours / (8 * 0.75))
    assert before.book is not None
    price = before.results[PLAN].scalars["cheapest"].value
    assert before.book.tables["offers"].columns["accelerator"].stated[str(price)].value == "rtx4090"


def test_the_smallest_accelerator_that_fits_keeps_headroom(tmp_path: Path) -> None:
    """20 GB plus libraries are more than 80 % of 24 GiB, and less than 80 % of 32 GiB."""
    examined = sound(put(alone(tmp_path), record(peak=20e9)))
    assert figure(examined, "sizes/rtx4090/verdict").value == "does not fit"
    assert figure(examined, "smallest").value == "rtx5090"
    need, states = (figure(examined, n).value for n in ("needed_memory", "states_memory"))
    free = 0.8 * 12 - (need - states)  # type: ignore[operator]
    assert free < 0
    assert figure(examined, "sizes/rtx3060-12gb/gpus").reason == "activations alone do not fit"


def test_a_reinforcement_step_is_the_sum_of_its_parts(before: Examined) -> None:
    """The row of medium responses, recomputed in Python."""
    layers, kv_heads, head_dim, parameters = 6, 4, 32, 14_067_712
    prompts, responses, prompt, longest, mean = 8, 64, 512, 1024, 512
    token = 0.5 / (8 * 512)
    forward = 0.3 * token
    cache = 2 * layers * kv_heads * head_dim * 2  # bytes per token
    bandwidth = 1008e9
    reads = (2 * parameters + responses * cache * (prompt + mean / 2)) / bandwidth
    computes = responses * forward
    decoding = responses * mean / (responses / max(reads, computes) * 0.6) / (mean / longest)
    prefill = prompts * prompt * forward
    tokens = responses * (prompt + mean)
    update, reference, reward = tokens * token, tokens * forward, responses * 0.01
    sync = figure(before, "sync_time").value
    step = prefill + decoding + reference + reward + update + sync  # type: ignore[operator]
    assert figure(before, "rl/medium/together").value == responses
    assert figure(before, "rl/medium/decoding").value == pytest.approx(decoding)
    assert figure(before, "rl/medium/step").value == pytest.approx(step)
    assert figure(before, "generation_factor").value == pytest.approx(step / update)


def test_longer_responses_take_longer_to_generate(before: Examined) -> None:
    rows = ("short", "medium", "long")
    for column in ("share", "factor", "decoding"):
        values = [figure(before, f"rl/{row}/{column}").value for row in rows]
        assert values == sorted(values), column  # type: ignore[type-var]
