"""The forecast at completion, tested on simulated programs whose true hours are known."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest

from scalesheet.actuals.learning import learn, still_takes
from scalesheet.actuals.progress import progress
from scalesheet.examine import Examined
from scalesheet.model import Attempt
from small import plan

DRAWS = 1000
PHASES = {"tune": (4, 100.0), "ablate": (6, 60.0), "scale": (3, 500.0), "evaluate": (5, 20.0)}


@pytest.fixture(scope="module")
def programme(tmp_path_factory: pytest.TempPathFactory) -> Examined:
    """Four phases of 4, 6, 3 and 5 runs."""
    rows = "".join(
        f"      {name}: {{title: {name}, each: {hours}, times: {runs}}}\n"
        for name, (runs, hours) in PHASES.items()
    )
    columns = (
        "      each: {unit: GPU * hour}\n      times: {unit: 1, domain: count}\n"
        "      gpu_hours: {unit: GPU * hour, formula: each * times}\n"
    )
    text = (
        f"tables:\n  jobs:\n    columns:\n{columns}    rows:\n{rows}"
        "actuals: {table: jobs, runs: times}\n"
    )
    csv = {"plans/small/actuals/typed.csv": "phase,state,gpu_hours\ntune,done,100\n"}
    return plan(tmp_path_factory.mktemp("programme"), text, csv)


def simulated(
    programme: Examined,
    random: np.random.Generator,
    spread: tuple[float, float, float],
    mean: float,
) -> tuple[float, float, float, float]:
    """Forecast, low, high and true hours of a program that is stopped at a random time."""
    assert programme.book is not None
    book_plan = programme.book.plans["small"]
    assert book_plan.actuals is not None
    common = random.normal(math.log(mean) - sum(s * s for s in spread) / 2, spread[0])
    attempts: list[Attempt] = []
    truth = 0.0
    stop = random.uniform(0.1, 0.9)
    for name, (runs, hours) in PHASES.items():
        own = common + random.normal(0, spread[1])
        for seed in range(runs):
            took = hours * math.exp(own + random.normal(0, spread[2]))
            truth += took
            at = random.uniform()
            if at < stop - 0.1:
                attempts.append(Attempt(name, "", str(seed), "done", took))
            elif at < stop:
                so_far = took * random.uniform()
                attempts.append(Attempt(name, "", str(seed), "running", so_far))
    if not attempts:  # nothing has started, so there is nothing to forecast from
        return simulated(programme, random, spread, mean)
    stands = progress(
        replace(book_plan, actuals=replace(book_plan.actuals, attempts=tuple(attempts))),
        programme.results["small"],
    )
    assert stands is not None
    value = stands.forecast
    assert isinstance(value.value, float)
    assert value.low is not None
    assert value.high is not None
    return value.value, value.low, value.high, truth


@pytest.mark.parametrize(
    ("kind", "spread", "mean", "most_bias", "coverage"),
    [
        ("as expected", (0.3, 0.2, 0.2), 1.0, 0.03, (0.77, 0.85)),
        ("a quarter over the plan", (0.3, 0.2, 0.2), 1.25, 0.04, (0.74, 0.85)),
        ("phases that scatter", (0.2, 0.5, 0.1), 1.0, 0.03, (0.76, 0.86)),
        # far from the prior, so that the interval is too narrow or too wide
        ("runs that scatter", (0.3, 0.2, 0.5), 1.0, 0.03, (0.62, 0.75)),
        ("a plan that is right", (0.05, 0.05, 0.05), 1.0, 0.03, (0.97, 1.00)),
    ],
)
def test_the_forecast_is_unbiased_and_its_interval_covers_four_of_five(
    programme: Examined,
    kind: str,
    spread: tuple[float, float, float],
    mean: float,
    most_bias: float,
    coverage: tuple[float, float],
) -> None:
    random = np.random.default_rng(17)
    drawn = [simulated(programme, random, spread, mean) for _ in range(DRAWS)]
    of_all = math.fsum(truth for *_, truth in drawn)
    bias = math.fsum(value for value, *_ in drawn) / of_all - 1
    inside = fmean(low <= truth <= high for _, low, high, truth in drawn)
    naive = DRAWS * math.fsum(n * h for n, h in PHASES.values()) / of_all - 1
    off = fmean(abs(value / truth - 1) for value, _, _, truth in drawn)
    print(
        f"{kind}: bias {bias:+.1%} (plan alone {naive:+.1%}), typical error {off:.1%}, "
        f"coverage of the 80 % interval {inside:.1%}"
    )
    assert abs(bias) <= most_bias
    assert coverage[0] <= inside <= coverage[1]


def test_before_any_run_is_finished_the_forecast_is_the_plan() -> None:
    assert learn({}).ratio("sft") == pytest.approx(1.0)


def test_each_finished_run_moves_the_ratio_closer_to_the_observed_one() -> None:
    ratios = [learn({"sft": [1.5] * count}).ratio("sft") for count in (0, 1, 3, 30)]
    assert ratios == sorted(ratios)
    assert ratios[1] < 1.4
    assert ratios[3] == pytest.approx(1.5, rel=0.03)


def test_a_phase_learns_most_from_its_own_runs_but_also_from_others() -> None:
    learnt = learn({"sft": [1.5, 1.45, 1.55]})
    assert 1 < learnt.ratio("rft") < learnt.ratio("sft") < 1.5


def test_the_remaining_hours_of_a_running_run_never_reach_zero() -> None:
    learnt = learn({})
    still = [still_takes(learnt, "sft", 100.0, so_far)[0] for so_far in (0.0, 50.0, 100.0, 400.0)]
    assert still[0] == pytest.approx(100.0)
    assert still[1] == pytest.approx(54, abs=1.0)
    assert all(each > 10 for each in still)
    assert still_takes(learnt, "sft", 100.0, 1e9)[0] > 0
