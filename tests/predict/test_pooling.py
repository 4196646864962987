"""Partial pooling recovers coefficients and really leaves a family out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from scalesheet.book import Book
from scalesheet.diagnostics import Refused
from scalesheet.model import Stated
from scalesheet.predict.arrays import Array, Words, words
from scalesheet.predict.fits import ROWS_ON, apart
from scalesheet.predict.fits.holdout import folds
from scalesheet.predict.fits.pooling import Design, Expected, Prior, expected, fit
from scalesheet.predict.time.efficiency import OF_STEPS

PRIORS = {
    "work": Prior(1.0, 0.5, 0.1),
    "bytes": Prior(1.0, 0.5, 0.3),
    "scale": Prior(0.1, 1.0, 0.2),
}
TRUE = np.log([1.4, 3.0, 0.05])


def made(families: int, rows: int, noise: float) -> tuple[Design, Array, Words]:
    """Rows of families that differ in speed, generated with the coefficients TRUE."""
    random = np.random.default_rng(5)
    count = families * rows
    parts = np.exp(random.normal(0, 1, (count, 2)))
    design = Design(parts, np.zeros(count), random.uniform(0, 10, (count, 1)), PRIORS)
    own = np.repeat(random.normal(0, noise, families), rows)
    family = words([f"f{number}" for number in np.repeat(np.arange(families), rows)])
    return design, design.expected(TRUE) + own + random.normal(0, noise / 4, count), family


def only(design: Design, rows: NDArray[Any]) -> Design:
    return Design(design.parts[rows], design.fixed[rows], design.factors[rows], design.priors)


def test_coefficients_are_recovered() -> None:
    found = fit(*made(families=30, rows=6, noise=0.02))
    assert np.allclose(found.logs, TRUE, atol=0.1)


def test_without_much_data_a_coefficient_stays_near_its_prior() -> None:
    design, target, family = made(families=2, rows=1, noise=0.02)
    prior = np.log([prior.mean for prior in PRIORS.values()])
    assert np.all(np.abs(fit(design, target, family).logs - prior) < 1.0)


def test_a_family_with_many_rows_does_not_outvote_the_others() -> None:
    design, target, family = made(families=12, rows=4, noise=0.0)
    loud = np.concatenate([np.arange(48), np.tile(np.arange(4), 50)])  # f0 repeated fifty times
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


def test_residuals_of_a_left_out_kind_are_those_of_a_fit_without_it() -> None:
    design, target, family = made(families=12, rows=5, noise=0.1)
    kinds = words([f"k{number % 4}" for number in range(60)])  # in every family
    found = fit(design, target, family, kinds=kinds)
    for others, own in folds(kinds):
        without = fit(only(design, others), target[others], family[others])
        exact = target[own] - only(design, own).expected(without.logs)
        assert np.allclose(found.without[own], exact, atol=0.03)


def test_the_spread_of_a_row_grows_with_features_in_which_families_differ() -> None:
    rows = Design(np.array([[1.0, 0.01], [0.01, 1.0]]), np.zeros(2), np.zeros((2, 1)), PRIORS)
    steady, varied = rows.spread(np.zeros(3), 0.05, 0.05)
    assert steady < varied


def test_a_fit_is_the_same_each_time() -> None:
    case = made(families=9, rows=4, noise=0.1)
    assert np.array_equal(fit(*case).logs, fit(*case).logs)


def test_a_regime_is_fitted_from_several_families_and_assumed_for_one() -> None:
    random = np.random.default_rng(7)
    family = words([f"f{number}" for number in np.repeat(np.arange(60), 4)])
    far = np.repeat(np.arange(60) % 2 == 0, 4)
    rows = np.column_stack([far, family == "f1", 0 * far]).astype(np.float64)
    off = random.normal(0, np.where(far, 0.5, 0.1))
    usual = Expected({}, within=0.1, between=0.1, normal=0.0, adds=0.12, unsure=0.5)
    added = apart.fitted("memory", usual, off, np.full(240, 0.1), rows, family)
    assert list(added) == list(apart.REGIMES["memory"])
    assert 0.4 < added["in_fp8"] < 0.6
    assert added["in_long"] == added["in_tuning"] == usual.adds == 0.12
    wide = apart.wider("memory", np.full(240, 0.1), rows, added)
    assert (wide[far] > 0.4).all()
    assert wide[family == "f3"].tolist() == pytest.approx([0.1] * 4)


def test_what_a_new_chip_adds_is_fitted_to_the_errors_of_chips_left_out() -> None:
    random = np.random.default_rng(7)
    names = words([f"c{number}" for number in np.repeat(np.arange(60), 4)])
    off = np.repeat(random.normal(0, 0.4, 60), 4)
    usual = Expected({}, within=0.1, between=0.1, normal=0.0, adds=0.12, unsure=0.5)
    added = apart.of_new_chips(usual, (-1.28, 1.28), off, np.full(240, 0.1), names)
    assert 0.3 < added["new_chip"] < 0.45
    assert added[ROWS_ON + "c7"] == 4
    inside = np.abs(off) <= 1.28 * np.hypot(0.1, added["new_chip"])
    assert 0.8 <= np.mean(inside) < 0.85
    few = names == "c1"
    of_one = apart.of_new_chips(usual, (-1.28, 1.28), off[few], np.full(4, 0.1), names[few])
    assert of_one["new_chip"] == 0.12


def test_priors_are_read_from_the_tables(book: Book) -> None:
    table = book.tables["priors"]
    stated = {"throughput-launch": Stated(9.0)}
    column = replace(
        table.columns["expected"], stated={**table.columns["expected"].stated, **stated}
    )
    columns = {**table.columns, "expected": column}
    other = replace(book, tables={**book.tables, "priors": replace(table, columns=columns)})
    shipped, edited = (expected(one, "throughput", OF_STEPS) for one in (book, other))
    assert list(shipped.priors) == list(OF_STEPS)
    assert shipped.priors["launch"] == Prior(0.05, 0.4, 0.7)
    assert edited.priors["launch"] == Prior(9.0, 0.4, 0.7)
    bare = replace(book, tables={"fits": book.tables["fits"]})
    with pytest.raises(Refused, match=r"tables/priors\.yaml.*copy the file"):
        expected(bare, "throughput", OF_STEPS)
