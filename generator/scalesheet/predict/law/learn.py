"""Fits each form of the law to own runs, and samples other laws that the runs allow.

Chinchilla's fit is one of losses alone; with few runs it says more than they do. So each form has
what published laws say as its prior, and runs that are far off weigh less (Huber). A draw moves
each run by its noise and the prior by how unsure it is, and fits anew: where runs say much they
hold the draws together, and away from them the prior's spread and the differences of forms show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scalesheet.predict.arrays import Array
from scalesheet.predict.fits.holdout import COVERAGE, quantile
from scalesheet.predict.law.forms import Form
from scalesheet.predict.loss import PARAMETERS, TOKENS

DRAWS = 100  # of each form, in pairs that lie on either side of the fit
SEED = 20220329
FAR = 2.0  # standard deviations, from which on a run weighs less
ROUNDS = 6  # of fitting, with the noise and the weights of the last


@dataclass(frozen=True)
class Sweep:
    """Runs of one sweep, measured on one text. `x`, `y` are logarithms over the reference."""

    x: Array
    y: Array
    loss: Array

    def __len__(self) -> int:
        return len(self.loss)


def sweep(x: Array, y: Array, loss: Array) -> Sweep:
    """Runs in an order of their own, so that a law does not depend on that of a file."""
    order = np.lexsort((loss, y, x))
    return Sweep(x[order], y[order], loss[order])


def logs(parameters: Array, tokens: Array) -> tuple[Array, Array]:
    """Size and data as the forms take them."""
    return np.log(parameters / PARAMETERS), np.log(tokens / TOKENS)


@dataclass(frozen=True)
class Fitted:
    """A form with what the runs give: its coefficients, their noise (nat), how much it counts
    among the forms, and draws of the coefficients and of the noise."""

    form: Form
    found: Array
    noise: float
    evidence: float
    draws: Array
    noises: Array


@dataclass(frozen=True)
class Learned:
    """The forms as fitted; the one that counts most first. It is the law that is expected."""

    fitted: tuple[Fitted, ...]
    shares: Array

    @property
    def coefficients(self) -> dict[str, float]:
        return self.fitted[0].form.coefficients(self.fitted[0].found)

    @property
    def noise(self) -> float:
        return self.fitted[0].noise

    def expected(self, x: Array, y: Array) -> Array:
        return self.fitted[0].form.curve(self.fitted[0].found, x, y)[0]

    def drawn(self, x: Array, y: Array) -> Array:
        """The law at each point by each draw of each form, a row a draw."""
        return np.vstack(
            [one.form.curve(found, x, y)[0] for one in self.fitted for found in one.draws]
        )

    @property
    def weights(self) -> Array:
        """Of each draw; they add up to 1."""
        counts = [len(one.draws) for one in self.fitted]
        return np.repeat(self.shares / counts, counts)

    def interval(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Ends of the 80 % interval of a run's loss: of the law, the forms and the noise."""
        noise = np.concatenate([one.noises for one in self.fitted])
        values = self.drawn(x, y) + noise[:, None]
        expected, tail = self.expected(x, y), (1 - COVERAGE) / 2
        low, high = (
            np.array([quantile(column, share, self.weights) for column in values.T])
            for share in (tail, 1 - tail)
        )
        return np.minimum(low, expected), np.maximum(high, expected)


def learn(runs: Sweep, forms: Sequence[Form], seed: int = SEED) -> Learned:
    """The law that runs give; the same for the same runs and seed, in whatever order."""
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
    """Coefficients fitted to runs and a prior that are moved, and noise of a run to come."""
    random = np.random.default_rng(seed)
    pairs = DRAWS // 2
    prior = random.standard_normal((pairs, len(form.free)))
    moved = random.standard_normal((pairs, len(runs)))
    wide = noise * np.sqrt(counts / random.chisquare(counts, pairs))  # it is not known either
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
    """The coefficients that lie nearest to losses and prior, each by its deviation."""
    from scipy.optimize import leastsq  # slow to import, and only fits need it

    by, firm = np.sqrt(weight) / noise, np.diag(1 / form.unsure)

    def off(found: Array) -> Array:
        law = form.curve(found, runs.x, runs.y)[0]
        return np.concatenate([by * (law - loss), (found - mean) / form.unsure])

    def slopes(found: Array) -> Array:
        return np.vstack([by[:, None] * form.curve(found, runs.x, runs.y)[1], firm])

    close = 1e-6  # of a step: far below what a draw moves
    return np.asarray(leastsq(off, start, Dfun=slopes, xtol=close, ftol=close, gtol=close)[0])
