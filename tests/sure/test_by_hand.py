"""Quantiles compared with a million separate NumPy draws, and with programs of known outcome."""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from pathlib import Path

import numpy as np
import pytest
from tests import small

from scalesheet.evaluate.sensitivity import sensitivity
from scalesheet.model import Plan
from scalesheet.render.api.quantiles import quantiles_json
from scalesheet.render.api.text import as_json
from scalesheet.sure.approximation import p80_over_expected
from scalesheet.sure.quantiles import Sure, sure
from scalesheet.sure.shapes import P90
from scalesheet.sure.spread import uniform

MILLION = 10**6
Array = np.ndarray


def lognormal(z: Array, low: float, value: float, high: float) -> Array:
    return value * np.where(z < 0, (value / low) ** (z / P90), (high / value) ** (z / P90))


def training(rng: np.random.Generator) -> Array:
    """The cost of steps at a speed, plus a share for evaluation, at a price."""
    steps, speed, share, price = rng.standard_normal((4, MILLION))
    hours = lognormal(steps, 8e4, 1e5, 2e5) / lognormal(speed, 1000, 2000, 2500)
    return hours * (1 + lognormal(share, 0.05, 0.1, 0.3)) * lognormal(price, 1.5, 2, 4)


def market(rng: np.random.Generator) -> Array:
    """A sum of two prices in one market and a triangular part."""
    prices = rng.standard_normal(MILLION)
    both = lognormal(prices, 1, 2, 3) * 10 + lognormal(prices, 4, 5, 9) * 3
    return both + rng.triangular(5, 8, 20, MILLION)


def repeated(rng: np.random.Generator) -> Array:
    """Runs that may fail and be repeated, and a phase that may be dropped."""
    runs = 12 + rng.binomial(12, 0.1, MILLION)
    hours = lognormal(rng.standard_normal(MILLION), 8, 10, 16)
    return runs * hours + 40 * (1 - rng.binomial(1, 0.3, MILLION))


PLANS: dict[str, tuple[Callable[[np.random.Generator], Array], str]] = {
    "training": (
        training,
        """
        steps: {value: 100_000, low: 80_000, high: 200_000, unit: 1, kind: assumption}
        speed: {value: 2000, low: 1000, high: 2500, unit: 1, domain: positive, kind: assumption}
        share: {value: 0.1, low: 0.05, high: 0.3, unit: 1, kind: assumption}
        price: {value: 2, low: 1.5, high: 4, unit: 1, kind: assumption}
        y: {unit: 1, formula: steps / speed * (1 + share) * price}
        """,
    ),
    "market": (
        market,
        """
        one: {value: 2, low: 1, high: 3, unit: 1, kind: assumption, moves_with: market}
        other: {value: 5, low: 4, high: 9, unit: 1, kind: assumption, moves_with: market}
        rest: {value: 8, low: 5, high: 20, unit: 1, spread: triangular, percentiles: [0, 100]}
        y: {unit: 1, formula: one * 10 + other * 3 + rest}
        """,
    ),
    "repeated": (
        repeated,
        """
        again: {value: 0, unit: 1, domain: whole, event: {chance: 0.1, times: 12}}
        hours: {value: 10, low: 8, high: 16, unit: 1, kind: assumption}
        last: {value: 1, unit: 1, domain: whole, event: {chance: 0.3, adds: -1}}
        y: {unit: 1, formula: (12 + again) * hours + 40 * last}
        """,
    ),
}


def found(folder: Path, lines: str, *, seed: str = "scalesheet-1") -> tuple[Sure, Plan, object]:
    examined = small.scalars(folder, lines, "headline: [y]\n")
    assert examined.book is not None, small.said(examined)
    plan = examined.book.plans["small"]
    return sure(examined.book, plan, seed=seed), plan, examined.book


@pytest.mark.parametrize("name", PLANS)
def test_a_million_separate_draws_give_the_same_quantiles(tmp_path: Path, name: str) -> None:
    by_hand, lines = PLANS[name]
    sample = by_hand(np.random.default_rng(7))
    figure = found(tmp_path, lines)[0].figures["y"]
    for level, share in {"p10": 0.1, "p50": 0.5, "p80": 0.8, "p90": 0.9}.items():
        expected = float(np.quantile(sample, share))
        error = figure.errors[level] + 1e-3 * expected  # the error of the million draws
        assert abs(figure.values[level] - expected) < 5 * error, level
    assert abs(figure.values["mean"] - sample.mean()) < 5 * figure.errors["mean"] + 1e-3


def test_four_of_five_programs_end_between_p10_and_p90(tmp_path: Path) -> None:
    """The outcomes are drawn independently, with the distributions that the plan states."""
    rng = np.random.default_rng(11)
    truth = training(rng)[:2000]
    values = found(tmp_path, PLANS["training"][1])[0].figures["y"].values
    inside = np.mean((values["p10"] <= truth) & (truth <= values["p90"]))
    assert inside == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize("name", PLANS)
def test_the_same_seed_gives_the_same_bytes_and_another_agrees_within_error(
    tmp_path: Path, name: str
) -> None:
    lines = PLANS[name][1]
    first, plan, book = found(tmp_path / "a", lines)
    uniform.cache_clear()  # as if in another process
    again, *_ = found(tmp_path / "b", lines)
    other, *_ = found(tmp_path / "c", lines, seed="another")
    one, two = (as_json(quantiles_json(book, plan, each)) for each in (first, again))  # type: ignore[arg-type]
    assert one == two
    assert other.figures["y"].values != first.figures["y"].values
    for level, value in other.figures["y"].values.items():
        errors = np.hypot(first.figures["y"].errors[level], other.figures["y"].errors[level])
        assert abs(value - first.figures["y"].values[level]) < 6 * errors + 1e-3 * value, level


def test_p80_without_draws_is_exact_for_a_product_of_lognormals(tmp_path: Path) -> None:
    lines = """
        a: {value: 100, low: 50, high: 200, unit: 1, kind: assumption}
        b: {value: 3, low: 1, high: 9, unit: 1, kind: assumption, moves_with: c}
        c: {value: 2, low: 1, high: 4, unit: 1, kind: assumption}
        y: {unit: 1, formula: a * b * c}
        """
    made, plan, book = found(tmp_path, lines)
    (ranking,) = sensitivity(book, plan).rankings  # type: ignore[arg-type]
    spread = p80_over_expected(made.figures["y"], ranking)
    width = np.hypot(np.log(2), np.log(3) + np.log(2)) / P90
    assert spread == pytest.approx(0.8416212 * width, rel=1e-6)
    drawn = made.figures["y"].values["p80"]
    assert 600 * exp(spread) == pytest.approx(drawn, rel=0.02)


def test_the_printed_error_covers_sixty_seeds_as_promised(tmp_path: Path) -> None:
    """The true error is the spread of the quantiles over 60 seeds.

    The printed error must match it on average, and 95 % of quantiles should be within two of it.
    """
    examined = small.scalars(tmp_path, PLANS["training"][1], "headline: [y]\n")
    assert examined.book is not None, small.said(examined)
    book, plan = examined.book, examined.book.plans["small"]
    made = [sure(book, plan, seed=f"seed {n}").figures["y"] for n in range(60)]
    inside = []
    for level in ("p10", "p50", "p80", "p90"):
        values = np.array([each.values[level] for each in made])
        errors = np.array([each.errors[level] for each in made])
        assert np.sqrt(np.mean(errors**2)) == pytest.approx(values.std(ddof=1), rel=0.25), level
        assert errors.std() / errors.mean() < 0.2, level
        inside.append(np.mean(np.abs(values - values.mean()) < 2 * errors))
    assert np.mean(inside) == pytest.approx(0.95, abs=0.04)
