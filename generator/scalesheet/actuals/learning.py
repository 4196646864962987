"""Learns from finished runs how much future runs will take relative to the plan.

The model: for a run in phase g, ln(actual / planned) is normal: m + b(g) + e, where m is common to
the whole program, b to the phase (variance `of_phases`), and e is the run's own (variance
`of_runs`). Both variances are estimated from the finished runs together with a prior worth `WORTH`
runs: empirical Bayes, as in Efron and Morris, "Data analysis using Stein's estimator and its
generalizations", JASA 70 (1975). m has a normal prior with an expected ratio of 1. So without
finished runs the plan stands, and each finished run pulls the ratio from 1 toward what was
observed: first in its own phase, then in all. A phase's mean is `pull` x its own mean + (1 - pull)
x the program's mean.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist, fmean

from scalesheet.frozen import dataclass

#: Standard deviations of ln(actual / planned) expected before any run is finished: between programs
#: (a factor of 1.35), between the phases of one, and between the runs of a phase (1.22).
#: Assumptions.
PROGRAMMES, PHASES, RUNS = 0.3, 0.2, 0.2
#: The weight of these expectations, in observed runs.
WORTH = 4.0
NORMAL = NormalDist()
#: Standard deviations from the mean to the ends of the displayed interval, 80 %.
P90 = NORMAL.inv_cdf(0.9)
#: The natural logarithm of the largest ratio that is learned from, 1,000, or 1 / 1,000: a run
#: further off has a wrong duration, and must not make every forecast infinite.
MOST = math.log(1_000)
FAR = 30.0  # standard deviations; a running run beyond them is computed as if it were there


@dataclass(frozen=True, slots=True)
class Learnt:
    """The logarithm of the ratio: its mean and variance for the program, the variances of phases
    and runs, and `(mean, pull)` for each phase with finished runs.
    """

    mean: float
    variance: float
    of_phases: float
    of_runs: float
    seen: Mapping[str, tuple[float, float]]
    freedom: float  # degrees of freedom of the variances

    def phase(self, phase: str) -> tuple[float, float]:
        """Mean and variance of what all future runs of a phase have in common."""
        own, pull = self.seen.get(phase, (0.0, 0.0))
        rest = 1 - pull
        return pull * own + rest * self.mean, rest * (rest * self.variance + self.of_phases)

    def shared(self, one: str, other: str) -> float:
        """The covariance of two phases."""
        rests = [1 - self.seen.get(each, (0.0, 0.0))[1] for each in (one, other)]
        return rests[0] * rests[1] * self.variance

    def ratio(self, phase: str) -> float:
        """The expected ratio of a future run."""
        mean, variance = self.phase(phase)
        return math.exp(mean + (variance + self.of_runs) / 2)

    def quantile(self, mean: float, variance: float, z: float = P90) -> float:
        """A quantile of the lognormal distribution with this mean and variance (Fenton 1960). Its
        tails are those of Student's t, since the variances are estimates.
        """
        if mean <= 0 or variance <= 0:
            return mean
        spread = math.log1p(variance / mean**2)
        wide = z + (z**3 + z) / (4 * self.freedom)
        return mean * math.exp(wide * math.sqrt(spread) - spread / 2)


def learn(ratios: Mapping[str, Sequence[float]]) -> Learnt:
    """Learn from the ratios of finished runs, by phase."""
    logs = {
        phase: [min(MOST, max(-MOST, math.log(r))) for r in seen]
        for phase, seen in ratios.items()
        if seen
    }
    means = {phase: fmean(seen) for phase, seen in logs.items()}
    within = sum((y - means[phase]) ** 2 for phase, seen in logs.items() for y in seen)
    free = sum(len(seen) - 1 for seen in logs.values())
    of_runs = (WORTH * RUNS**2 + within) / (WORTH + free)
    middle = fmean(means.values()) if means else 0.0
    noise = [of_runs / len(seen) for seen in logs.values()]
    groups = max(0, len(means) - 1)
    between = sum((mean - middle) ** 2 for mean in means.values())
    between -= groups * fmean(noise) if noise else 0.0
    of_phases = (WORTH * PHASES**2 + max(0.0, between)) / (WORTH + groups)
    prior = -(PROGRAMMES**2 + of_phases + of_runs) / 2  # so that the expected ratio is 1
    weight, total = 1 / PROGRAMMES**2, prior / PROGRAMMES**2
    for phase, seen in logs.items():
        one = 1 / (of_phases + of_runs / len(seen))
        weight, total = weight + one, total + one * means[phase]
    pulls = {phase: of_phases / (of_phases + of_runs / len(seen)) for phase, seen in logs.items()}
    return Learnt(
        mean=total / weight,
        variance=1 / weight,
        of_phases=of_phases,
        of_runs=of_runs,
        seen={phase: (means[phase], pulls[phase]) for phase in means},
        freedom=WORTH + free,
    )


def still_takes(learnt: Learnt, phase: str, planned: float, so_far: float) -> tuple[float, float]:
    """Mean and variance of what a running run will still take, given what it has taken so far."""
    mean, variance = learnt.phase(phase)
    mean, sigma = mean + math.log(planned), math.sqrt(variance + learnt.of_runs)
    if so_far <= 0:
        first, second = (math.exp(k * mean + (k * sigma) ** 2 / 2) for k in (1, 2))
    else:
        mean = max(mean, math.log(so_far) - FAR * sigma)
        beyond = (mean - math.log(so_far)) / sigma
        first, second = (
            math.exp(k * mean + (k * sigma) ** 2 / 2) * _upper(beyond + k * sigma) / _upper(beyond)
            for k in (1, 2)
        )
    return max(0.0, first - so_far), max(0.0, second - first**2)


def _upper(z: float) -> float:
    """The share of a normal distribution below z, exact in its lower tail."""
    return math.erfc(-z / math.sqrt(2)) / 2


def to_come(learnt: Learnt, parts: Mapping[str, tuple[float, int]]) -> tuple[float, float]:
    """Mean and variance of what future runs take. `parts` gives each phase's planned amount and
    number of runs. Phases are correlated through the program's mean.
    """
    expected = {phase: planned * learnt.ratio(phase) for phase, (planned, _) in parts.items()}
    variance = 0.0
    for one, (_, count) in parts.items():
        own = math.expm1(learnt.phase(one)[1]), math.expm1(learnt.of_runs)
        variance += expected[one] ** 2 * (own[0] + (1 + own[0]) * own[1] / count)
        for other in parts:
            if other != one:
                variance += expected[one] * expected[other] * math.expm1(learnt.shared(one, other))
    return sum(expected.values()), variance
