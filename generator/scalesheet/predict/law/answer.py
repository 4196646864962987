"""Answers from a law of own runs: a planned run's loss and hours, the next run, the best size."""

from __future__ import annotations

import numpy as np

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.predict.arrays import Array
from scalesheet.predict.cases.catalogue import Known
from scalesheet.predict.law.forms import Form, forms
from scalesheet.predict.law.learn import SEED, Learned, Sweep, learn, logs, sweep
from scalesheet.predict.law.runs import Runs, bare
from scalesheet.predict.law.speed import PER_PARAMETER, Speed, speed

TIMES = 10.0  # times the compute of the largest run, if no plan is stated
ACROSS = 25  # sizes, and token counts, in the grid of candidate next runs
SHARES = (0.01, 0.03, 0.1, 0.3)  # of the planned run's compute: limits for the next run
USEFUL = 0.1  # a run is worth launching if it narrows the interval by this, or by half of the most
BUDGETS = 9  # points of the frontier
GRID = 400  # sizes searched for the best one in a budget


@dataclass(frozen=True)
class Ranged:
    """A number with the ends of its 80 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Point:
    """A run: parameters as the file counts them, tokens, predicted loss, and the loss by the law on
    file with its floor shifted to the runs (None without such a law).
    """

    parameters: float
    tokens: float
    loss: Ranged
    on_file: float | None

    @property
    def compute(self) -> float:
        return PER_PARAMETER * self.parameters * self.tokens


@dataclass(frozen=True)
class Next:
    """A suggested run: GPU hours (None if no run gives its throughput), share of the planned run's
    compute, and the share by which it narrows the target's interval.
    """

    parameters: float
    tokens: float
    gpu_hours: float | None
    share: float
    narrows: float


@dataclass(frozen=True)
class Answer:
    """Everything that is shown of a law. `fitted` are the law's losses for the runs, in order."""

    runs: Runs
    law: Learned
    fitted: Array
    target: Point
    stated: bool  # whether the user stated the target
    by_form: tuple[tuple[str, float, Ranged], ...]  # title, share among the forms, loss
    speed: Speed | None
    throughput: Ranged | None  # token / s / GPU of the target
    gpu_hours: Ranged | None
    next: tuple[Next, ...]  # first the run that narrows the interval most for its cost
    frontier: tuple[Point, ...]
    largest: Point  # among the runs
    bare: float  # target's parameters without embeddings, over those it counts


def answer(
    book: Book,
    catalogue: Known,
    runs: Runs,
    planned: tuple[float, float] | None = None,
    seed: int = SEED,
) -> Answer:
    """Fit the law of the runs, and answer for the planned size and tokens."""
    known = forms(book)
    own = _sweep(runs)
    law = learn(own, known, seed)
    shipped = next((form for form in known if form.name == "joint"), None)
    before = shipped.shifted(own.x, own.y, own.loss) if shipped is not None else None
    asked = _Asked(runs, law, catalogue, shipped, before)
    compute = runs.parameters * runs.tokens
    top = int(np.lexsort((runs.tokens, compute))[-1])
    largest = asked.point(float(runs.parameters[top]), float(runs.tokens[top]))
    size, tokens = planned or asked.best(TIMES * largest.compute)
    target = asked.point(size, tokens)
    x, y = asked.logs(np.array([size]), np.array([tokens]))
    rate = speed(book, runs)
    throughput = _throughput(book, rate, size)
    budgets = np.geomspace(PER_PARAMETER * compute.min(), target.compute, BUDGETS)
    return Answer(
        runs=runs,
        law=law,
        fitted=law.expected(*logs(runs.bare, runs.seen)),
        target=target,
        stated=planned is not None,
        by_form=_by_form(law, x, y),
        speed=rate,
        throughput=throughput,
        gpu_hours=_hours(throughput, tokens),
        next=_next(book, asked, target, rate),
        frontier=tuple(asked.point(*asked.best(float(budget))) for budget in budgets),
        largest=largest,
        bare=float(bare(runs, np.array([size]), catalogue)[0] / size),
    )


def _sweep(runs: Runs) -> Sweep:
    return sweep(*logs(runs.bare, runs.seen), runs.loss)


@dataclass(frozen=True)
class _Asked:
    """Evaluates a law for runs whose parameters are counted as in the file."""

    runs: Runs
    law: Learned
    catalogue: Known
    on_file: Form | None
    before: Array | None  # its coefficients, with the floor of the runs

    def logs(self, parameters: Array, tokens: Array) -> tuple[Array, Array]:
        return logs(bare(self.runs, parameters, self.catalogue), tokens)

    def point(self, parameters: float, tokens: float) -> Point:
        x, y = self.logs(np.array([parameters]), np.array([tokens]))
        low, high = self.law.interval(x, y)
        loss = Ranged(float(self.law.expected(x, y)[0]), float(low[0]), float(high[0]))
        known = None
        if self.on_file is not None and self.before is not None:
            known = float(self.on_file.loss(self.before, x, y)[0])
        return Point(parameters, tokens, loss, known)

    def best(self, compute: float) -> tuple[float, float]:
        """The size and tokens with the least loss for a budget of FLOP."""
        middle = np.sqrt(compute / (PER_PARAMETER * 20))
        sizes = middle * np.geomspace(1e-2, 1e2, GRID)
        tokens = compute / (PER_PARAMETER * sizes)
        place = int(np.argmin(self.law.expected(*self.logs(sizes, tokens))))
        return float(sizes[place]), float(tokens[place])


def _by_form(law: Learned, x: Array, y: Array) -> tuple[tuple[str, float, Ranged], ...]:
    out = []
    for one, share in zip(law.fitted, law.shares.tolist(), strict=True):
        alone = Learned((one,), np.ones(1))
        low, high = alone.interval(x, y)
        loss = Ranged(float(alone.expected(x, y)[0]), float(low[0]), float(high[0]))
        out.append((one.form.title, share, loss))
    return tuple(out)


def _throughput(book: Book, rate: Speed | None, size: float) -> Ranged | None:
    if rate is None or "throughput-by-size" not in book.records:
        return None
    value = float(rate.throughput(book, np.array([size]))[0])
    factor = float(rate.factor(np.array([size]))[0])
    return Ranged(value, value / factor, value * factor)


def _hours(throughput: Ranged | None, tokens: float) -> Ranged | None:
    if throughput is None:
        return None
    ends = (throughput.value, throughput.high, throughput.low)
    return Ranged(*(tokens / (3600 * rate) for rate in ends))


# ------------------------------------------------------------------ the next run


def _next(book: Book, asked: _Asked, target: Point, rate: Speed | None) -> tuple[Next, ...]:
    """Suggest runs between the own ones and the target: first, among those that narrow the target's
    interval noticeably, the one that narrows it most for its cost; then, within each share of the
    target's compute, the one that narrows it most.

    How much a run narrows the interval is computed from the draws: the correlation between the
    target's loss and the run's, reduced by the noise of the run.
    """
    law, runs = asked.law, asked.runs
    sizes = np.geomspace(runs.parameters.min(), target.parameters, ACROSS)
    tokens = np.geomspace(runs.tokens.min(), max(target.tokens, runs.tokens.max()), ACROSS)
    size, data = (grid.ravel() for grid in np.meshgrid(sizes, tokens, indexing="ij"))
    compute = PER_PARAMETER * size * data
    least = PER_PARAMETER * float((runs.parameters * runs.tokens).min())
    kept = (compute >= least) & (compute <= SHARES[-1] * target.compute)
    if not kept.any():
        return ()
    size, data, compute = size[kept], data[kept], compute[kept]
    points = asked.logs(np.append(size, target.parameters), np.append(data, target.tokens))
    drawn, weight = law.drawn(*points), law.weights
    apart = drawn - weight @ drawn
    own, there = apart[:, :-1], apart[:, -1]
    together = (weight * there) @ own
    of_run = weight @ own**2 + law.noise**2
    of_target = float(weight @ there**2) + law.noise**2
    narrows = 1 - np.sqrt(1 - together**2 / (of_run * of_target))
    takes = compute
    if rate is not None and "throughput-by-size" in book.records:
        takes = data / (3600 * rate.throughput(book, size))
    useful = narrows >= min(USEFUL, float(narrows.max()) / 2)
    places = [int(np.argmax(np.where(useful, narrows / takes, 0.0)))]
    for share in SHARES:
        within = np.flatnonzero(compute <= share * target.compute)
        if len(within):
            places.append(int(within[np.argmax(narrows[within])]))
    return tuple(
        Next(
            float(size[n]),
            float(data[n]),
            float(takes[n]) if takes is not compute else None,
            float(compute[n] / target.compute),
            float(narrows[n]),
        )
        for n in dict.fromkeys(places)
    )
