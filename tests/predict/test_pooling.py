"""Partial pooling: what it recovers, and that leaving a family out is what it says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from scalesheet.predict.arrays import Array, Words, words
from scalesheet.predict.fits import apart
from scalesheet.predict.fits.holdout import folds
from scalesheet.predict.fits.pooling import Design, Prior, fit

PRIORS = {
    "work": Prior(1.0, 0.5, 0.1),
    "bytes": Prior(1.0, 0.5, 0.3),
    "scale": Prior(0.1, 1.0, 0.2),
}
TRUE = np.log([1.4, 3.0, 0.05])


def made(families: int, rows: int, noise: float) -> tuple[Design, Array, Words]:
    """Rows of families that differ in how fast they are, as coefficients TRUE have them."""
    random = np.random.default_rng(5)
    count = families * rows
    parts = np.exp(random.normal(0, 1, (count, 2)))
    design = Design(parts, np.zeros(count), random.uniform(0, 10, (count, 1)), PRIORS)
    own = np.repeat(random.normal(0, noise, families), rows)
    family = words([f"f{number}" for number in np.repeat(np.arange(families), rows)])
    return design, design.expected(TRUE) + own + random.normal(0, noise / 4, count), family


def only(design: Design, rows: NDArray[Any]) -> Design:
    return Design(design.parts[rows], design.fixed[rows], design.factors[rows], design.priors)


def test_coefficients_are_found_again() -> None:
    found = fit(*made(families=30, rows=6, noise=0.02))
    assert np.allclose(found.logs, TRUE, atol=0.1)


def test_without_much_data_a_coefficient_stays_near_its_prior() -> None:
    design, target, family = made(families=2, rows=1, noise=0.02)
    prior = np.log([prior.mean for prior in PRIORS.values()])
    assert np.all(np.abs(fit(design, target, family).logs - prior) < 1.0)


def test_a_family_of_many_rows_does_not_outvote_the_others() -> None:
    design, target, family = made(families=12, rows=4, noise=0.0)
    loud = np.concatenate([np.arange(48), np.tile(np.arange(4), 50)])  # f0 fifty times over
    wrong = target + np.where(family == "f0", 0.5, 0.0)
    found = fit(only(design, loud), wrong[loud], family[loud])
    typical = np.median(only(design, np.arange(4, 48)).expected(found.logs) - target[4:])
    assert abs(typical) < 0.15


def test_residuals_of_a_left_out_family_are_those_of_a_fit_without_it() -> None:
    design, target, family = made(families=12, rows=5, noise=0.1)
    found = fit(design, target, family)
    for others, own in folds(family):
        without = fit(only(design, others), target[others], family[others])
        exact = target[own] - only(design, own).expected(without.logs)
        assert np.allclose(found.left_out[own], exact, atol=0.03)


def test_the_spread_of_a_row_grows_with_parts_that_families_differ_in() -> None:
    rows = Design(np.array([[1.0, 0.01], [0.01, 1.0]]), np.zeros(2), np.zeros((2, 1)), PRIORS)
    steady, varied = rows.spread(np.zeros(3), 0.05, 0.05)
    assert steady < varied


def test_a_fit_is_the_same_each_time() -> None:
    case = made(families=9, rows=4, noise=0.1)
    assert np.array_equal(fit(*case).logs, fit(*case).logs)


def test_a_regime_of_several_families_is_fitted_and_one_of_a_single_family_assumed() -> None:
    random = np.random.default_rng(7)
    family = words([f"f{number}" for number in np.repeat(np.arange(60), 4)])
    far = np.repeat(np.arange(60) % 2 == 0, 4)
    rows = np.column_stack([far, family == "f1", 0 * far]).astype(np.float64)
    off = random.normal(0, np.where(far, 0.5, 0.1))
    added = apart.fitted("memory", off, np.full(240, 0.1), rows, family)
    assert list(added) == list(apart.REGIMES["memory"])
    assert 0.4 < added["in_fp8"] < 0.6
    assert added["in_long"] == added["in_tuning"] == apart.ADDS
    wide = apart.wider("memory", np.full(240, 0.1), rows, added)
    assert (wide[far] > 0.4).all()
    assert wide[family == "f3"].tolist() == pytest.approx([0.1] * 4)
