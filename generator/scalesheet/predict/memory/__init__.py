"""Memory per accelerator: a footprint by parts, a few fitted numbers, and an upper limit.

The parts come from `footprint.py`, with settings chosen by `settings.py`.
docs/reference/predictions.md explains the method in full.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.predict.arrays import (
    Array,
    Flags,
    Reasons,
    Words,
    among,
    because,
    coded,
    each,
    first_reason,
    joined,
    no_reasons,
    words,
)
from scalesheet.predict.cases import Cases, needs
from scalesheet.predict.cases.free_text import other_work
from scalesheet.predict.engine import assumed
from scalesheet.predict.fits import Coefficients, apart, pooling
from scalesheet.predict.fits.holdout import end
from scalesheet.predict.fits.pooling import Design, Expected
from scalesheet.predict.memory.footprint import (
    COMPONENTS,
    FROZEN,
    SPREAD,
    WHOLE,
    Footprint,
    Settings,
)
from scalesheet.predict.memory.settings import ROUND, chosen, open_to
from scalesheet.predict.records import assumed as assumptions
from scalesheet.predict.table import Predictions, none_of

#: The coefficients; the catalogue's table of priors has the expected value of each.
FITTED = ("unfused", "working", "logits", "framework")
#: Low and high end of the interval, and the limit for `fits`: the share of errors below it.
ENDS = {"low": 0.1, "high": 0.9, "most": 0.99}
SHOWN = 0.02  # parts below this share of the total are added up as `other`

OLD_FIT = "the fit belongs to other formulas: run 'scalesheet fit' to renew it"
METHOD = "bytes by part, with fitted coefficients"


def unsupported_memory(cases: Cases) -> Reasons:
    """Why a row cannot be predicted, if it cannot."""
    return first_reason(
        because(~among(cases.quantity, ""), "not the peak of one accelerator"),
        needs("parameters", cases.parameters),
        because(among(cases.variant, "galore"), "the rank of its projection is not known"),
        each(cases.kind, other_work),
    )


@dataclass(frozen=True)
class _Made:
    """Rows under settings: bytes by part, and standard deviations of the log total with these exact
    settings and including what the row leaves open.
    """

    parts: Mapping[str, Array]
    whole: Array
    narrow: Array
    wide: Array
    taken: Words
    precision: Words

    def at(self, end: float) -> Array:
        """The total, shifted by `end` standard deviations."""
        result: Array = self.whole * np.exp(end * self.wide)
        return result


def _made(
    book: Book, cases: Cases, at: Coefficients, given: Mapping[str, float] | None = None
) -> _Made:
    settings, taken = chosen(book, cases)
    made = Footprint(book, cases, settings, given or {}).figures(at)
    wide = np.hypot(made[SPREAD], _open(book, cases, settings, made, at))
    return _Made(made, made[WHOLE], made[SPREAD], wide, taken, _unstated(cases, settings))


#: The assumed precision of weights if a row does not say, by the kind of its states.
_IN = {"mixed": "16 bit", "amp": "32 bit", "fp32": "32 bit"}


def _unstated(cases: Cases, settings: Settings) -> Words:
    """The assumed method and precision of weights in words, if a row does not say."""
    silent = among(cases.weights, "") & ~among(cases.method, "qlora")
    bits = each(settings.states, lambda states: _IN.get(states, ""))
    said = each(bits, lambda bits: bits and f"precision not stated: weights in {bits}")
    method = np.where(among(cases.method, ""), "method not stated: all parameters trained", "")
    return joined(words(method.tolist()), words(np.where(silent, said, "").tolist()))


# ------------------------------------------------------------------ prediction


def predict_memory(book: Book, cases: Cases, fitted: Coefficients) -> Predictions:
    """Predict the peak memory of one accelerator, in bytes."""
    if not fitted.keys() >= {*FITTED, *ENDS}:
        return none_of(len(cases), OLD_FIT)
    made = _made(book, cases, fitted)
    low, high = made.at(fitted["low"]), made.at(fitted["high"])
    explanation = _told(made, _verdict(made, usable(book, cases), fitted))
    return Predictions(made.whole, low, high, explanation, no_reasons(len(cases)))


def memory_components(book: Book, cases: Cases, fitted: Coefficients) -> dict[str, Array]:
    """Bytes of one accelerator at the peak of a step, by COMPONENTS; they add up to the prediction.
    `working` and `logits` never coexist, so the smaller of the two is 0.
    """
    made = Footprint(book, cases, chosen(book, cases)[0]).figures(fitted)
    return {name: made[name] for name in COMPONENTS}


def most_memory(book: Book, cases: Cases, fitted: Coefficients, **given: float) -> Array:
    """Upper limit (99 %) of the bytes that a run as described needs; it decides `fits`. `given` are
    assumptions of the component.
    """
    return _made(book, cases, fitted, given).at(fitted["most"])


def fits(book: Book, cases: Cases, fitted: Coefficients) -> tuple[Flags, Array]:
    """Whether a run as described fits, and the upper limit of its bytes. A run fits if the limit is
    within the usable memory and no saving was assumed beyond those stated. False if unknown.
    """
    made = _made(book, cases, fitted)
    most = made.at(fitted["most"])
    return among(made.taken, "") & (most <= usable(book, cases)), most


def least(book: Book, cases: Cases, fitted: Coefficients) -> tuple[Array, Array, Words]:
    """The low end of an accelerator's bytes, the usable bytes, and the assumed savings."""
    made = _made(book, cases, fitted)
    return made.at(fitted["low"]), usable(book, cases), made.taken


def usable(book: Book, cases: Cases) -> Array:
    """Usable bytes of the accelerator."""
    return assumed(book, "usable_share") * cases.memory


def _verdict(made: _Made, room: Array, fitted: Coefficients) -> Words:
    """The verdict whether rows fit into their accelerator's memory, if that is known."""
    stated = among(made.taken, "")
    verdict = np.where(made.whole <= room, "probably fits", "probably does not fit")
    verdict = np.where(made.at(fitted["low"]) > room, "does not fit", verdict)
    verdict = np.where(stated & (made.at(fitted["most"]) <= room), "fits", verdict)
    return words(np.where(np.isnan(room), "", verdict).tolist())


def _told(made: _Made, verdict: Words) -> Words:
    """The method with the larger parts, the verdict, and the assumptions."""
    sizes = np.stack([made.parts[name] for name in COMPONENTS]).T
    large = sizes >= SHOWN * made.whole[:, None]
    shown = np.column_stack([np.where(large, sizes, 0.0), np.where(large, 0.0, sizes).sum(axis=1)])
    named = [
        coded(column).each(partial(_part, name)).column().tolist()
        for name, column in zip((*COMPONENTS, "other"), shown.T / 2**30, strict=True)
    ]
    taken = each(made.taken, lambda taken: taken and f"not stated, assumed: {taken}")
    ends = each(joined(joined(verdict, taken), made.precision), lambda end: end and f"; {end}")
    rows = zip(*named, ends.tolist(), strict=True)
    return words([f"{METHOD}, in GiB: {', '.join(filter(None, row))}{end}" for *row, end in rows])


def _part(name: str, size: float) -> str:
    return f"{name} {size:.3g}" if size >= 0.005 else ""


# ------------------------------------------------------------------ range


def _varying(parts: Mapping[str, Array], settings: Settings) -> dict[str, Array]:
    """The parts that each coefficient scales."""
    plain = parts["activations"] * np.where(settings.recomputed >= 1, 0.0, 1.0)
    return {"unfused": plain, **{name: parts[name] for name in FITTED if name != "unfused"}}


def _open(
    book: Book,
    cases: Cases,
    settings: Settings,
    parts: Mapping[str, Array],
    at: Mapping[str, float],
) -> Array:
    """Standard deviation of the logarithm due to what a row leaves open. For a choice between two
    settings, it is a quarter of the difference.
    """
    whole, usual = parts[WHOLE], assumptions(book)
    grows = sum((parts[name] for name in ("activations", "working", "logits", "cache")), 0 * whole)
    batch = np.isnan(cases.micro_batch) & np.isnan(cases.global_batch)
    tokens = np.isnan(cases.sequence) | batch
    squares = np.where(tokens, (usual["memory-open-tokens"] * grows / whole) ** 2, 0.0)
    open_ = open_to(cases)
    rows = open_["recomputed"]
    if rows.any():
        other = settings.only(rows)
        other = replace(other, recomputed=1 - other.recomputed)
        then = Footprint(book, cases.only(rows), other).whole(at)
        squares[rows] += (np.log(then / whole[rows]) / 4) ** 2
    frozen = among(cases.method, *FROZEN)
    kept = np.where(cases.flat & frozen, parts["gradients"], 0.0)
    squares += (np.log(1 - kept / whole) / 4) ** 2
    unsaid = open_["stage 3"] | open_["pure"] | (among(cases.weights, "") & frozen)
    gap: Array = np.sqrt(squares + np.where(unsaid, usual["memory-open-states"] ** 2, 0.0))
    return gap


# ------------------------------------------------------------------ fit


@dataclass(frozen=True)
class Peaks:
    """What the fit sees of each published peak."""

    expected: Expected
    parts: Array  # bytes of the parts that coefficients scale, before scaling
    fixed: Array  # bytes of all other parts
    open: Array  # standard deviation of the logarithm due to what the row leaves open
    peak: Array  # as a logarithm
    regimes: Array
    family: Words

    def only(self, rows: Flags) -> Peaks:
        return replace(
            self,
            parts=self.parts[rows],
            fixed=self.fixed[rows],
            open=self.open[rows],
            peak=self.peak[rows],
            regimes=self.regimes[rows],
            family=self.family[rows],
        )

    def fit(self) -> Coefficients:
        """Fit the coefficients of the parts, and the ends of the ranges."""
        usual = self.expected
        design = Design(self.parts, self.fixed, np.zeros((len(self.peak), 0)), usual.priors)
        own = np.hypot(usual.within, self.open)
        result = pooling.fit(design, self.peak, self.family, within=own, between=usual.between)
        fitted = dict(zip(FITTED, np.exp(result.logs).tolist(), strict=True))
        wide = np.hypot(design.spread(result.logs, usual.within, usual.between), self.open)
        added = apart.fitted("memory", usual, result.left_out, wide, self.regimes, self.family)
        off = result.left_out / apart.wider("memory", wide, self.regimes, added)
        low, high, most = (end(off, self.family, share, usual.normal) for share in ENDS.values())
        ends = {"low": min(low, 0.0), "high": max(high, 0.0), "most": max(most, high, 0.0)}
        return {**fitted, **ends, **usual.made_of(), **added}


def peaks(book: Book, cases: Cases, truth: Array, family: Words) -> Peaks:
    """Published peaks, in bytes, as the fit sees them."""
    settings, _ = chosen(book, cases)
    parts = Footprint(book, cases, settings).figures(ROUND)
    varying = _varying(parts, settings)
    columns = np.column_stack([varying[name] / ROUND[name] for name in FITTED])
    fixed = parts[WHOLE] - sum(varying.values(), np.zeros(len(cases)))
    open_ = _open(book, cases, settings, parts, ROUND)
    expected = pooling.expected(book, "memory", FITTED)
    regimes = apart.regimes_of(cases)
    return Peaks(expected, columns, fixed, open_, np.log(truth), regimes, family)
