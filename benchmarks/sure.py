"""Accuracy of quantiles: coverage, plans computed directly, the workbook's P80, what to measure
first.

    python -m benchmarks.sure [--draws N]

Programs whose true distribution is known are drawn by NumPy alone, to count how many draws are
between the program's P10 and P90. Three shipped plans are also drawn directly: their cost as a
formula of the uncertain inputs, over NumPy's own draws.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from math import exp
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.measure import ROOT
from scalesheet.book import Book
from scalesheet.evaluate import evaluate
from scalesheet.evaluate.sensitivity import sensitivity
from scalesheet.examine import examine
from scalesheet.model import Key, Plan
from scalesheet.render.sureness import cause_rows
from scalesheet.sure.approximation import p80_over_expected
from scalesheet.sure.quantiles import LEVELS, Sure, sure
from scalesheet.sure.shapes import P90, Array

PROGRAMS = 20_000
MILLION = 10**6
LIMIT = 2.0  # seconds of processor time for the draws of a plan


def lognormal(z: Array, low: float, value: float, high: float) -> Array:
    """Draw directly: low and high are P10 and P90, the value is the median."""
    return np.asarray(
        value * np.where(z < 0, (value / low) ** (z / P90), (high / value) ** (z / P90))
    )


# ------------------------------------------------------------------ programs with known truth


def known(draws: int) -> Iterator[tuple[str, float]]:
    """Yield for each program how many of its true values are between P10 and P90."""
    sys.path.insert(0, str(ROOT))
    from tests import small
    from tests.sure.test_by_hand import PLANS

    rng = np.random.default_rng(5)
    with tempfile.TemporaryDirectory() as folder:
        for name, (by_hand, lines) in PLANS.items():
            examined = small.scalars(Path(folder) / name, lines, "headline: [y]\n")
            assert examined.book is not None
            values = sure(examined.book, examined.book.plans["small"]).figures["y"].values
            truth = by_hand(rng)[:draws]
            yield name, float(np.mean((values["p10"] <= truth) & (truth <= values["p90"])))


# ------------------------------------------------------------------ shipped plans, drawn directly


def at(book: Book, plan: Plan, name: str, edits: Mapping[str, float]) -> float:
    """A figure with some scalars at exact values."""
    value = (
        evaluate(book, plan, {Key(key): number for key, number in edits.items()})
        .scalars[name]
        .value
    )
    assert isinstance(value, float)
    return value


def ends(book: Book, plan: Plan, name: str) -> tuple[float, float, float]:
    value = evaluate(book, plan).scalars[name]
    assert isinstance(value.value, float)
    assert value.low is not None
    assert value.high is not None
    return value.low, value.value, value.high


def calculator(book: Book, plan: Plan, z: Array) -> Array:
    """A rented node: the cost is proportional to the predicted hours."""
    hours = ends(book, plan, "hours")
    return lognormal(z[0], *hours) * (at(book, plan, "cost", {}) / hours[1])


def qwen2_finance(book: Book, plan: Plan, z: Array) -> Array:
    """Stated steps at an uncertain speed and a single price."""
    speed = (
        plan.scalars["steps_per_hour.corrected"]
        if "steps_per_hour.corrected" in plan.scalars
        else plan.scalars["steps_per_hour"]
    )
    stated = speed.stated
    assert stated is not None
    low, value, high = stated.low, stated.value, stated.high
    assert isinstance(value, float)
    assert low is not None
    assert high is not None
    return at(book, plan, "cost", {}) * value / lognormal(z[0], low, value, high)


def pixelis(book: Book, plan: Plan, z: Array) -> Array:
    """Reinforcement learning steps times their hours, and seeds that may each run once more.

    The cost is linear in both, as determined from the plan at exact points.
    """
    (_, steps, _), (_, hours, _) = (
        ends(book, plan, name) for name in ("rft.steps", "rft.timed_hours")
    )
    seeds = ends(book, plan, "seeds")[1]
    stated = plan.scalars["seeds"].stated
    assert stated is not None
    event = stated.likelihood.event
    assert event is not None

    def cost(of_steps: float, of_seeds: float) -> float:
        return at(book, plan, "cost", {"rft.steps": of_steps, "seeds": of_seeds})

    once, twice = cost(steps, seeds), cost(2 * steps, seeds)
    more, both = cost(steps, seeds + 1), cost(2 * steps, seeds + 1)
    drawn = lognormal(z[0], *ends(book, plan, "rft.steps")) * lognormal(
        z[1], *ends(book, plan, "rft.timed_hours")
    )
    share = drawn / (steps * hours) - 1
    again = np.random.default_rng(4).binomial(event.times, event.chance, z.shape[1])
    slope, by_seed, cross = twice - once, more - once, both - twice - more + once
    return np.asarray(once + slope * share + (by_seed + cross * share) * again)


BY_HAND: Mapping[str, Callable[[Book, Plan, Array], Array]] = {
    "calculator": calculator,
    "qwen2-finance": qwen2_finance,
    "pixelis": pixelis,
}


def by_hand(book: Book, plan: Plan, found: Sure, draws: int) -> str:
    """The difference of each quantile of the cost from direct computation, in percent."""
    sample = BY_HAND[plan.id](book, plan, np.random.default_rng(9).standard_normal((2, draws)))
    figure = found.figures["cost"]
    shown = []
    for level, share in LEVELS.items():
        off = figure.values[level] / float(np.quantile(sample, share)) - 1
        shown.append(f"{level.upper()} {figure.values[level]:,.2f} ({off:+.3%})")
    return ", ".join(shown)


# ------------------------------------------------------------------ all plans


def main(arguments: list[str]) -> int:
    draws = int(arguments[arguments.index("--draws") + 1]) if "--draws" in arguments else MILLION
    print("\nWithin P10 to P90, of programs with a known truth (80 % are meant)")
    for name, share in known(min(PROGRAMS, draws)):
        print(f"  {name:10} {share:.1%}")
    edition = examine(ROOT / "data").edition
    assert edition is not None
    book, slow = edition.book, False
    for plan in book.plans.values():
        began = process_time()
        found = sure(book, plan)
        took = process_time() - began
        slow = slow or took > LIMIT
        print(
            f"\n{plan.id}: {found.draws:,} draws in {took:.2f} s of processor time, limit {LIMIT:g}"
        )
        rankings = {each.name: each for each in sensitivity(book, plan).rankings}
        for name, each in found.figures.items():
            spread = p80_over_expected(each, rankings[name]) if name in rankings else None
            value = evaluate(book, plan).scalars[name].value
            if spread is not None and isinstance(value, float) and each.causes:
                off = value * exp(spread) / each.values["p80"] - 1
                print(f"  workbook's P80 of {name}: {off:+.1%} from the draws")
        if plan.id in BY_HAND:
            print(f"  {draws:,} draws by hand: {by_hand(book, plan, found, draws)}")
        for row in cause_rows(book, plan, found, found.first) if found.first else ():
            print(
                f"  measure {row.title}: alone {row.share}, with others {row.total}, "
                f"cuts {row.saves} ({row.worth})"
            )
    return int(slow)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
