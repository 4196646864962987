"""Quantiles of a plan's headline figures, the reserve, and the chance of meeting each limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import floor, isfinite, log10

import numpy as np

from scalesheet.book import Book
from scalesheet.breaches import MARGIN
from scalesheet.evaluate import Overrides, computed
from scalesheet.frozen import dataclass
from scalesheet.model import LIMIT, Key, Plan
from scalesheet.sure.causes import Cause, causes
from scalesheet.sure.draws import Unknown, drawn
from scalesheet.sure.measured import measured
from scalesheet.sure.shapes import Array
from scalesheet.sure.spread import REPLICATES, SEED, affordable, uniform
from scalesheet.sure.together import together

LEVELS = {"p10": 0.1, "p50": 0.5, "p80": 0.8, "p90": 0.9}


@dataclass(frozen=True, slots=True)
class Quantiles:
    """One figure in its unit: its quantiles and mean, with the standard error of each under the
    same name.

    `without` is the share of draws in which the figure has no number; the rest is computed from the
    others. `falls`: more of it is better, as for a margin, so 80 of 100 draws are at or above its
    P80. `expected`: the chance that the expected value is enough.
    """

    values: Mapping[str, float]
    errors: Mapping[str, float]
    without: float
    falls: bool = False
    expected: float = float("nan")
    causes: tuple[Cause, ...] = ()

    @property
    def reserve(self) -> float:
        """The distance from P50 to P80."""
        return abs(self.values["p80"] - self.values["p50"])

    def deserved(self, name: str) -> float:
        """A quantile or the mean, rounded to the digits that its error supports."""
        return deserved(self.values[name], self.errors[name])


@dataclass(frozen=True, slots=True)
class Contingency:
    """A plan's own contingency: the share that its input adds `on` a figure, the chance that this
    is enough, and the share that would be enough in 80 % of cases.
    """

    name: str
    on: str
    share: float
    covers: float
    needed: float


@dataclass(frozen=True, slots=True)
class Sure:
    """The quantiles of each figure, and the chance of meeting each limit, keyed by the limited
    quantity.

    `partial`: figures whose spread is too small, because they depend on a range that is not drawn.
    `left_out`: figures without a number at any draw. `money`: the figure in money that measures the
    value of information, or empty. `as_needed`: the chance that the first figure is enough if its
    contingencies are spent only as needed. `measured`: the titles of measured inputs, and `before`
    the reserve without them of the figure `narrowed`: the first one, or the one that would be first
    if anything were still uncertain.
    """

    figures: Mapping[str, Quantiles]
    limits: Mapping[str, float]
    unknowns: tuple[Unknown, ...]
    draws: int
    partial: frozenset[str] = frozenset()
    left_out: tuple[str, ...] = ()
    contingencies: tuple[Contingency, ...] = ()
    money: str = ""
    as_needed: float = float("nan")
    measured: tuple[str, ...] = ()
    before: float = float("nan")
    narrowed: str = ""

    @property
    def first(self) -> str:
        """The figure that ranks what to find out first: money, else the first with a reserve; empty
        if nothing is uncertain.
        """
        ranked = [self.money, *self.figures]
        return next((name for name in ranked if name and self.figures[name].causes), "")


@dataclass(frozen=True, slots=True)
class Asked:
    """What is drawn in a plan: its headline figures, the check of each limited figure, and the
    figure of each contingency. For figures in `falls`, more is better.
    """

    figures: tuple[str, ...]
    checks: Mapping[str, str]
    held: Mapping[str, str]

    @property
    def falls(self) -> frozenset[str]:
        margins = {name + MARGIN for name in self.checks}
        return frozenset(margins.intersection(self.figures))

    @property
    def all(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.figures, *self.checks.values(), *self.held.values())))


def asked_of(plan: Plan) -> Asked:
    """What a plan's headline, limits and contingencies require."""
    scalars = plan.scalars
    return Asked(
        tuple(
            name
            for name in plan.headline
            if scalars[name].kind == "number" and scalars[name].formula is not None
        ),
        {
            name.removeprefix("check.").removesuffix(LIMIT): name
            for name in plan.checks
            if name.startswith("check.") and name.endswith(LIMIT)
        },
        {name: each.contingency_on for name, each in scalars.items() if each.contingency_on},
    )


def draws_of(plan: Plan) -> int:
    """The number of draws for which a plan's tables leave room."""
    return affordable(max((len(table.rows) for table in plan.tables.values()), default=0))


def sure(
    book: Book,
    plan: Plan,
    overrides: Overrides | None = None,
    *,
    seed: str = SEED,
    draws: int | None = None,
) -> Sure:
    """Compute how certain each headline figure with a number is. The number of draws defaults to
    what the plan's tables leave room for.
    """
    draws = draws_of(plan) if draws is None else draws
    asked, uniforms = asked_of(plan), partial(uniform, seed=seed, draws=draws)
    figures, checks = asked.figures, asked.checks
    sample = drawn(book, plan, asked.all, overrides, uniforms=uniforms, draws=draws)
    state = computed(book, plan, overrides)

    def value(name: str) -> float:
        part = state.scalars[name]["value"]
        return float("nan") if part.why is not None else float(part.data)

    held = {name: on for name, on in asked.held.items() if isfinite(value(name))}
    totals = together(book, plan, figures, sample, overrides, uniforms)
    made: dict[str, Quantiles] = {}
    for name in figures:
        falls = name in asked.falls
        found = quantiles(sample.figures[name], falls=falls, expected=value(name))
        if found is not None:
            worse = -sample.figures[name] if falls else sample.figures[name]
            why = causes(sample.unknowns, uniforms, worse, found.reserve, totals.get(name, {}))
            made[name] = replace(found, causes=why)
    contingencies = [
        _contingency(name, on, value(name), sample.figures[on], value(on))
        for name, on in held.items()
    ]
    in_money = (n for n in made if is_money(book, plan, n) and not made[n].falls)
    whole = Sure(
        made,
        {
            name: float(np.nanmean(sample.figures[check]))
            for name, check in checks.items()
            if not np.isnan(sample.figures[check]).all()  # a limit on something without a value
        },
        sample.unknowns,
        draws,
        sample.partial & {*figures},
        tuple(name for name in figures if name not in made),
        tuple(each for each in contingencies if each is not None),
        next(in_money, ""),
    )
    name = whole.first

    def without(edits: Overrides, names: Sequence[str]) -> Mapping[str, Array]:
        """Figures with other inputs."""
        given = {**(overrides or {}), **edits}
        return drawn(book, plan, names, given, uniforms=uniforms, draws=draws).figures

    if known := {key: of for key, of in measured(plan).items() if key not in (overrides or {})}:
        ranked = [name] if name else [each for each in (whole.money, *made) if each]
        samples = without({key: of.before for key, of in known.items()}, [*dict.fromkeys(ranked)])
        for each in ranked:
            before = quantiles(samples[each], falls=made[each].falls)
            if before is not None and (name or before.reserve > 0):
                titles = tuple(of.title for of in known.values())
                whole = replace(whole, measured=titles, before=before.reserve, narrowed=each)
                break
    if held and name and not made[name].falls:
        edits = {key: 0.0 for each in held for key in stated_behind(plan, each)}
        bare = without(edits, [name])[name]
        enough = bare[~np.isnan(bare)] <= value(name)
        whole = replace(whole, as_needed=float(np.mean(enough)) if len(enough) else float("nan"))
    return whole


def stated_behind(plan: Plan, name: str) -> tuple[Key, ...]:
    """The inputs behind a scalar: itself, or one per scenario."""
    sides = plan.scalars[name].sides
    return tuple(Key(side) for _, side in sides) or (Key(name),)


def quantiles(
    sample: Array, *, falls: bool = False, expected: float = float("nan")
) -> Quantiles | None:
    """Quantiles of one figure's draws; None if no draw has a number."""
    known = sample[~np.isnan(sample)]
    if not len(known):
        return None
    parts = [part[~np.isnan(part)] for part in sample.reshape(REPLICATES, -1)]
    each = [_values(part, falls) for part in parts if len(part)]
    errors = {
        name: float(np.std([one[name] for one in each], ddof=1) / np.sqrt(len(each)))
        if len(each) > 1
        else float("nan")
        for name in each[0]
    }
    enough = known >= expected if falls else known <= expected
    covers = float(np.mean(enough)) if isfinite(expected) else float("nan")
    return Quantiles(_values(known, falls), errors, 1 - len(known) / len(sample), falls, covers)


def deserved(value: float, error: float) -> float:
    """Round a number where its standard error begins."""
    if not (isfinite(value) and isfinite(error)) or error <= 0:
        return value
    return round(value, -floor(log10(error)))


def _values(known: Array, falls: bool) -> dict[str, float]:
    levels = [1 - level if falls else level for level in LEVELS.values()]
    at = np.quantile(known, levels).tolist()
    return {**dict(zip(LEVELS, at, strict=True)), "mean": float(np.mean(known))}


def _contingency(
    name: str, on: str, share: float, sample: Array, value: float
) -> Contingency | None:
    """How far a contingency goes; None if the figure is exact or has no number."""
    known = sample[~np.isnan(sample)]
    if not len(known) or not value > 0 or np.ptp(known) == 0:
        return None
    covers = float(np.mean(known <= value * (1 + share)))
    return Contingency(name, on, share, covers, float(np.quantile(known, 0.8)) / value - 1)


def is_money(book: Book, plan: Plan, name: str) -> bool:
    """Whether a figure is an amount of money."""
    unit = plan.scalars[name].unit
    ((base, power),) = unit.factors if unit is not None and len(unit.factors) == 1 else (("", 0),)
    return power == 1 and book.units.declared[base].dimension == "currency"
