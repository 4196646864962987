"""Fits each form of the law to own runs, and samples other laws that agree with the runs.

Chinchilla's method fits losses alone; with few runs it claims more than they show. So each form has
a prior from published laws, and outliers weigh less (Huber). Each draw perturbs the runs by their
noise and the prior by its uncertainty, and fits again: the draws agree where the runs determine the
law, and elsewhere show the spread of the prior and the differences between forms.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scalesheet.frozen import dataclass
from scalesheet.predict.arrays import Array
from scalesheet.predict.fits.holdout import COVERAGE, quantile
from scalesheet.predict.law.forms import Form
from scalesheet.predict.loss import PARAMETERS, TOKENS

DRAWS = 100  # per form, in pairs on either side of the fit
SEED = 20220329
FAR = 2.0  # standard deviations beyond which a run weighs less
ROUNDS = 6  # of fitting, each with the noise and weights of the one before


@dataclass(frozen=True)
class Sweep:
    """Runs of one sweep, evaluated on the same text. `x`, `y` are logarithms over the reference."""

    x: Array
    y: Array
    loss: Array

    def __len__(self) -> int:
        return len(self.loss)


def sweep(x: Array, y: Array, loss: Array) -> Sweep:
    """Sort the runs, so that a law does not depend on the order of a file."""
    order = np.lexsort((loss, y, x))
    return Sweep(x[order], y[order], loss[order])


def logs(parameters: Array, tokens: Array) -> tuple[Array, Array]:
    """Size and data as the forms take them."""
    return np.log(parameters / PARAMETERS), np.log(tokens / TOKENS)


@dataclass(frozen=True)
class Fitted:
    """A form fitted to the runs: its coefficients, the noise (nat), the evidence that weighs it
    against other forms, and draws of the coefficients and of the noise.
    """

    form: Form
    found: Array
    noise: float
    evidence: float
    draws: Array
    noises: Array


@dataclass(frozen=True)
class Learned:
    """The fitted forms by weight, highest first. The first one gives expected values."""

    fitted: tuple[Fitted, ...]
    shares: Array

    @property
    def coefficients(self) -> dict[str, float]:
        return self.fitted[0].form.coefficients(self.fitted[0].found)

    @property
    def noise(self) -> float:
        return self.fitted[0].noise

    def expected(self, x: Array, y: Array) -> Array:
        return self.fitted[0].form.loss(self.fitted[0].found, x, y)

    def drawn(self, x: Array, y: Array) -> Array:
        """The law at each point, one row for each draw of each form."""
        return np.vstack([one.form.loss(found, x, y) for one in self.fitted for found in one.draws])

    @property
    def weights(self) -> Array:
        """Weights of the draws; they add up to 1."""
        counts = [len(one.draws) for one in self.fitted]
        return np.repeat(self.shares / counts, counts)

    def interval(self, x: Array, y: Array) -> tuple[Array, Array]:
        """The 80 % interval of a run's loss, from the draws, the forms and the noise."""
        noise = np.concatenate([one.noises for one in self.fitted])
        values = self.drawn(x, y) + noise[:, None]
        expected, tail = self.expected(x, y), (1 - COVERAGE) / 2
        low, high = (
            np.array([quantile(column, share, self.weights) for column in values.T])
            for share in (tail, 1 - tail)
        )
        return np.minimum(low, expected), np.maximum(high, expected)


def learn(runs: Sweep, forms: Sequence[Form], seed: int = SEED) -> Learned:
    """Learn a law from runs. The same runs and seed give the same law, in any order."""
    fitted = [_fitted(runs, form, seed) for form in forms]
    fitted.sort(key=lambda one: -one.evidence)
    evidence = np.array([one.evidence for one in fitted])
    shares = np.exp(evidence - evidence[0])
    return Learned(tuple(fitted), shares / shares.sum())


def _fitted(runs: Sweep, form: Form, seed: int) -> Fitted:
    found = form.shifted(runs.x, runs.y, runs.loss)
    noise, weight = form.noise, np.ones(len(runs))
    firm = np.diag(form.unsure**-2)
    for _ in range(ROUNDS):
        found = _solved(runs, form, runs.loss, form.mean, noise, weight, found)
        law, slopes = form.curve(found, runs.x, runs.y)
        off = runs.loss - law
        weight = np.minimum(1.0, FAR * noise / np.maximum(np.abs(off), 1e-12))
        known = (slopes * weight[:, None] / noise**2).T @ slopes
        spent = float(np.trace(np.linalg.solve(known + firm, known)))
        counts = form.counts + max(len(runs) - spent, 0.0)
        noise = float(np.sqrt((form.counts * form.noise**2 + weight @ off**2) / counts))
    aside = (found - form.mean) / form.unsure
    width = np.linalg.slogdet(known + firm)[1] + 2 * np.log(form.unsure).sum()
    likely = weight @ (off / noise) ** 2 + 2 * len(runs) * np.log(noise)
    evidence = -0.5 * float(likely + aside @ aside + width)
    draws, noises = _draws(runs, form, found, noise, counts, weight, seed)
    return Fitted(form, found, noise, evidence, draws, noises)


def _draws(
    runs: Sweep, form: Form, found: Array, noise: float, counts: float, weight: Array, seed: int
) -> tuple[Array, Array]:
    """Coefficients fitted to perturbed runs and priors, and noise of a future run."""
    random = np.random.default_rng(seed)
    pairs = DRAWS // 2
    prior = random.standard_normal((pairs, len(form.free)))
    moved = random.standard_normal((pairs, len(runs)))
    wide = noise * np.sqrt(counts / random.chisquare(counts, pairs))  # the noise is uncertain, too
    later = wide * random.standard_normal(pairs)
    out = [
        _solved(
            runs,
            form,
            runs.loss + side * wide[n] * moved[n] / np.sqrt(weight),
            form.mean + side * form.unsure * prior[n],
            float(wide[n]),
            weight,
            found,
        )
        for side in (1, -1)
        for n in range(pairs)
    ]
    return np.array(out), np.concatenate([later, -later])


def _solved(
    runs: Sweep, form: Form, loss: Array, mean: Array, noise: float, weight: Array, start: Array
) -> Array:
    """The coefficients closest to the losses and the prior, each scaled by its deviation."""
    from scipy.optimize import leastsq  # slow to import, and only needed for fits

    by, firm = np.sqrt(weight) / noise, np.diag(1 / form.unsure)

    def off(found: Array) -> Array:
        law = form.loss(found, runs.x, runs.y)
        return np.concatenate([by * (law - loss), (found - mean) / form.unsure])

    def slopes(found: Array) -> Array:
        return np.vstack([by[:, None] * form.curve(found, runs.x, runs.y)[1], firm])

    close = 1e-6  # step size, far smaller than the effect of a draw
    return np.asarray(leastsq(off, start, Dfun=slopes, xtol=close, ftol=close, gtol=close)[0])
