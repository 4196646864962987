"""The mean of the step times: its interval has the stated coverage; the rule stops on time."""

from __future__ import annotations

import math
import random
from statistics import fmean

import pytest

from scalesheet.steps.job import Effort
from scalesheet_bench.train.spread import known, mean_of, students_t

# Two-sided 95 % points of Student's t, from standard tables.
TABLE = {
    1: 12.7062,
    2: 4.3027,
    3: 3.1824,
    5: 2.5706,
    7: 2.3646,
    10: 2.2281,
    29: 2.0452,
    30: 2.0423,
    60: 2.0003,
    120: 1.9799,
}


@pytest.mark.parametrize("freedom", TABLE)
def test_students_t_matches_the_tables(freedom):
    assert students_t(freedom) == pytest.approx(TABLE[freedom], abs=6e-5)


def test_students_t_falls_with_the_degrees_even_between_integers():
    points = [students_t(1 + 0.37 * step) for step in range(200)]
    assert points == sorted(points, reverse=True)
    assert students_t(1e9) == pytest.approx(1.959964, abs=1e-6)


def series(random_: random.Random, count: int, likeness: float, spread: float = 0.05):
    """Autocorrelated step times around 1: a first-order autoregressive series."""
    value, times = random_.gauss(0, 1), []
    for _ in range(count):
        times.append(1 + spread * value)
        value = likeness * value + math.sqrt(1 - likeness**2) * random_.gauss(0, 1)
    return times


@pytest.mark.parametrize(
    ("likeness", "count", "least"),
    [
        (0.0, 10, 0.95),
        (0.0, 50, 0.95),
        (0.3, 30, 0.93),
        (0.6, 60, 0.92),
        (0.6, 200, 0.93),
    ],
)
def test_the_interval_covers_the_mean_as_often_as_claimed(likeness, count, least):
    random_ = random.Random(7)
    held = 0
    for _ in range(1000):
        mean = mean_of(series(random_, count, likeness))
        held += mean.low <= 1 <= mean.high
    assert held / 1000 >= least


@pytest.mark.parametrize(("likeness", "least"), [(0.0, 0.9), (0.5, 0.8)])
def test_when_the_rule_stops_the_mean_is_as_precise_as_requested(likeness, least):
    """Stopping at a lucky interval costs some of the 95 %; the limit on steps is never reached."""
    random_ = random.Random(11)
    effort = Effort(precise=0.02, at_least=8, at_most=2000, seconds=math.inf)
    close, counts = 0, []
    for _ in range(150):
        every = series(random_, 500, likeness)
        count = next(n for n in range(8, 501) if known(every[:n], effort, 0))
        counts.append(count)
        close += abs(fmean(every[:count]) - 1) <= 0.02
    assert close / 150 >= least
    assert max(counts) < 500
    assert fmean(counts) < 150


def test_without_spread_the_minimum_number_of_steps_is_enough():
    effort = Effort(precise=0.001, at_least=8, at_most=100)
    assert [known([0.5] * n, effort, 0) for n in (1, 7, 8)] == [False, False, True]
    assert mean_of([0.5] * 8).high == 0.5


def test_steps_end_at_the_limits_even_if_the_mean_is_not_known():
    wild = [1.0, 5.0] * 50
    effort = Effort(precise=0.001, at_least=8, at_most=100, seconds=60)
    assert not known(wild[:99], effort, 59)
    assert known(wild, effort, 59)
    assert known(wild[:2], effort, 61)
    assert not known(wild[:1], effort, 61), "one step has no interval"


def test_one_step_has_a_mean_and_no_interval():
    mean = mean_of([0.25])
    assert (mean.value, mean.low, mean.high, mean.precision) == (0.25, None, None, math.inf)


def test_an_interval_of_times_never_starts_below_zero():
    assert mean_of([0.1, 3.0]).low == 0.0
