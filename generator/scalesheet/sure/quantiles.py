"""Quantiles of a plan's headline figures, what to hold in reserve, and the chance of each limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scalesheet.book import Book
from scalesheet.evaluate import Overrides
from scalesheet.model import Plan
from scalesheet.sure.draws import drawn
from scalesheet.sure.shapes import Array
from scalesheet.sure.spread import DRAWS, REPLICATES, SEED

LEVELS = {"p10": 0.1, "p50": 0.5, "p80": 0.8, "p90": 0.9}


@dataclass(frozen=True, slots=True)
class Quantiles:
    """One figure in its unit: quantiles and mean, and the standard error of each by the same name.

    `without` is the share of the draws in which it has no number; the others are those that have.
    """

    values: Mapping[str, float]
    errors: Mapping[str, float]
    without: float

    @property
    def reserve(self) -> float:
        """What lies between an even chance and four of five."""
        return self.values["p80"] - self.values["p50"]


@dataclass(frozen=True, slots=True)
class Sure:
    """By figure its quantiles, by limit (the name of what is limited) the chance to stay inside.

    `partial`: the figures with less spread than they should have, since a range that they rest on
    is not drawn. `left_out`: those without a number at any draw.
    """

    figures: Mapping[str, Quantiles]
    limits: Mapping[str, float]
    unknowns: int
    draws: int
    partial: frozenset[str] = frozenset()
    left_out: tuple[str, ...] = ()


def sure(
    book: Book,
    plan: Plan,
    overrides: Overrides | None = None,
    *,
    seed: str = SEED,
    draws: int = DRAWS,
) -> Sure:
    """How sure each headline figure with a number is."""
    figures = [
        name
        for name in plan.headline
        if plan.scalars[name].kind == "number" and plan.scalars[name].formula is not None
    ]
    suffix = ".limit"
    checks = {
        name.removeprefix("check.").removesuffix(suffix): name
        for name in plan.checks
        if name.startswith("check.") and name.endswith(suffix)
    }
    sample = drawn(book, plan, [*figures, *checks.values()], overrides, seed=seed, draws=draws)
    made = {name: quantiles(sample.figures[name]) for name in figures}
    return Sure(
        {name: each for name, each in made.items() if each is not None},
        {name: float(np.nanmean(sample.figures[check])) for name, check in checks.items()},
        len(sample.unknowns),
        draws,
        sample.partial & {*figures},
        tuple(name for name in figures if made[name] is None),
    )


def quantiles(sample: Array) -> Quantiles | None:
    """Quantiles of one figure's draws; None where no draw has a number."""
    known = sample[~np.isnan(sample)]
    if not len(known):
        return None
    parts = [part[~np.isnan(part)] for part in sample.reshape(REPLICATES, -1)]
    each = [_values(part) for part in parts if len(part)]
    errors = {
        name: float(np.std([one[name] for one in each], ddof=1) / np.sqrt(len(each)))
        if len(each) > 1
        else float("nan")
        for name in each[0]
    }
    return Quantiles(_values(known), errors, 1 - len(known) / len(sample))


def _values(known: Array) -> dict[str, float]:
    at = np.quantile(known, list(LEVELS.values())).tolist()
    return {**dict(zip(LEVELS, at, strict=True)), "mean": float(np.mean(known))}
