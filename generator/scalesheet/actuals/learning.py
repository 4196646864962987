"""Learns from finished runs how many times their plan future runs will take.

The model. Of a run in phase g, ln(actual / planned) is normal: m + b(g) + e, where m is the whole
programme's, b the phase's (variance `of_phases`) and e the run's own (variance `of_runs`). The two
variances are estimated from the finished runs together with a prior worth `WORTH` runs: empirical
Bayes, as in Efron and Morris, "Data analysis using Stein's estimator and its generalizations",
JASA 70 (1975). m has a normal prior whose expected ratio is 1. So without a finished run the plan
stands, and each finished run pulls the ratio from 1 to what was seen: first of its own phase, then
of all. The mean of a phase is `pull` x its own mean + (1 - pull) x that of the programme.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean

#: Standard deviations of ln(actual / planned) that are expected before any run is finished: of
#: programmes (a factor of 1.35), of phases in one and of runs in a phase (1.22). Assumptions.
PROGRAMMES, PHASES, RUNS = 0.3, 0.2, 0.2
#: How many runs that expectation is worth against what is seen.
WORTH = 4.0
NORMAL = NormalDist()
#: The interval that is shown: 80 %.
P90 = NORMAL.inv_cdf(0.9)
FAR = 30.0  # standard deviations; beyond them a run that goes on has a tail like the one there


@dataclass(frozen=True, slots=True)
class Learnt:
    """The logarithm of the ratio: its mean and variance for the programme, the variance of phases
    and runs, and by phase that has finished runs `(mean, pull)`."""

    mean: float
    variance: float
    of_phases: float
    of_runs: float
    seen: Mapping[str, tuple[float, float]]
    freedom: float  # degrees of freedom of the variances

    def phase(self, phase: str) -> tuple[float, float]:
        """Mean and variance of what all coming runs of a phase have in common."""
        own, pull = self.seen.get(phase, (0.0, 0.0))
        rest = 1 - pull
        return pull * own + rest * self.mean, rest * (rest * self.variance + self.of_phases)

    def shared(self, one: str, other: str) -> float:
        """The covariance of two phases."""
        rests = [1 - self.seen.get(each, (0.0, 0.0))[1] for each in (one, other)]
        return rests[0] * rests[1] * self.variance

    def ratio(self, phase: str) -> float:
        """The expected ratio of a coming run."""
        mean, variance = self.phase(phase)
        return math.exp(mean + (variance + self.of_runs) / 2)

    def quantile(self, mean: float, variance: float, z: float = P90) -> float:
        """Of a positive amount with this mean and variance, by the lognormal that has them
        (Fenton 1960); the tails are Student's, since the variances are estimates."""
        if mean <= 0 or variance <= 0:
            return mean
        spread = math.log1p(variance / mean**2)
        wide = z + (z**3 + z) / (4 * self.freedom)
        return mean * math.exp(wide * math.sqrt(spread) - spread / 2)


def learn(ratios: Mapping[str, Sequence[float]]) -> Learnt:
    """What the ratios of finished runs teach, by phase."""
    logs = {phase: [math.log(r) for r in seen] for phase, seen in ratios.items() if seen}
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
    """Mean and variance of what a running run still takes, given what it took so far."""
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
    """Mean and variance of what runs not yet begun take: by phase the planned amount of all of
    them, and how many they are. Phases go wrong together as far as the programme does."""
    expected = {phase: planned * learnt.ratio(phase) for phase, (planned, _) in parts.items()}
    variance = 0.0
    for one, (_, count) in parts.items():
        own = math.expm1(learnt.phase(one)[1]), math.expm1(learnt.of_runs)
        variance += expected[one] ** 2 * (own[0] + (1 + own[0]) * own[1] / count)
        for other in parts:
            if other != one:
                variance += expected[one] * expected[other] * math.expm1(learnt.shared(one, other))
    return sum(expected.values()), variance
