"""Memory of one accelerator: a footprint by its parts, few fitted numbers, and what surely fits.

docs/reference/predictions.md says it in full.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from scalesheet.model import Book
from scalesheet.predict import pooling
from scalesheet.predict.arrays import (
    Array,
    Flags,
    Reasons,
    Words,
    among,
    because,
    first_reason,
    no_reasons,
    words,
)
from scalesheet.predict.cases import Cases, needs
from scalesheet.predict.families import quantile
from scalesheet.predict.fits import Coefficients
from scalesheet.predict.footprint import COMPONENTS, FROZEN, GB, Footprint, Settings, total
from scalesheet.predict.pooling import Design, Prior
from scalesheet.predict.settings import ROUND, chosen, open_to
from scalesheet.predict.table import Predictions, none_of

#: What the count of tensors expects of each coefficient, and how far families are from each other.
PRIORS: Mapping[str, Prior] = {
    "unfused": Prior(1.2, 0.1, 0.15),
    "working": Prior(1.5, 0.3, 0.4),
    "logits": Prior(12.0, 0.3, 0.6),
    "framework": Prior(0.7, 0.3, 0.6),
}
WITHIN, BETWEEN = 0.06, 0.06
#: Standard deviation of the logarithm of what a row leaves open.
OPEN_TOKENS = 0.9  # of the tokens of a micro-batch: of what grows with them
OPEN_STATES = 0.25
#: Share of the memory of an accelerator that a run can have.
USABLE = 0.97
#: Ends of the interval and what `fits` goes by: share of the errors below, and what that is of a
#: normal distribution, which stands for as many families as FEW.
TAILS = ((0.1, -1.2816), (0.9, 1.2816), (0.99, 2.3263))
FEW = 7.0

OLD_FIT = "the fit on file is of another model: 'scalesheet fit' makes a new one"
METHOD = "bytes by part, with fitted coefficients"
UNKNOWN = ("galore",)


def unsupported_memory(cases: Cases) -> Reasons:
    """Why a row cannot be predicted, where it cannot."""
    return first_reason(
        because(~among(cases.quantity, ""), "no peak of one accelerator is asked for"),
        needs("parameters", cases.parameters),
        because(among(cases.variant, *UNKNOWN), "the rank of its projection is not known"),
    )


def predict_memory(book: Book, cases: Cases, fitted: Coefficients) -> Predictions:
    """Peak of one accelerator, in bytes."""
    if not fitted.keys() >= PRIORS.keys():
        return none_of(len(cases), OLD_FIT)
    settings, taken = chosen(book, cases)
    parts = Footprint(book, cases, settings).parts(fitted)
    made = total(book, parts)
    wide = _spread(book, cases, settings, parts, fitted)
    low, high = (made * np.exp(fitted[end] * wide) for end in ("low", "high"))
    return Predictions(made, low, high, _told(parts, taken), no_reasons(len(cases)))


def memory_components(book: Book, cases: Cases, fitted: Coefficients) -> dict[str, Array]:
    """Bytes of one accelerator at the peak of a step, by COMPONENTS; they add up to what is
    predicted. Of `working` and `logits` the smaller is 0, as they are never there together."""
    return Footprint(book, cases, chosen(book, cases)[0]).parts(fitted)


def most_memory(book: Book, cases: Cases, fitted: Coefficients) -> Array:
    """Bytes that a run as described will hardly ever exceed: what `fits` goes by."""
    settings, _ = chosen(book, cases)
    parts = Footprint(book, cases, settings).parts(fitted)
    wide = _spread(book, cases, settings, parts, fitted)
    most: Array = total(book, parts) * np.exp(fitted["most"] * wide)
    return most


def fits(book: Book, cases: Cases, fitted: Coefficients) -> Flags:
    """Whether a run surely fits: all that it may take is there. False where nothing is known."""
    fit: Flags = most_memory(book, cases, fitted) <= USABLE * cases.memory
    return fit


# ------------------------------------------------------------------ range


def _varying(parts: Mapping[str, Array], settings: Settings) -> dict[str, Array]:
    """The parts that a coefficient is of."""
    plain = np.where(settings.recomputed >= 1, 0.0, parts["activations"])
    return {"unfused": plain, **{name: parts[name] for name in PRIORS if name != "unfused"}}


def _spread(
    book: Book,
    cases: Cases,
    settings: Settings,
    parts: Mapping[str, Array],
    at: Mapping[str, float],
) -> Array:
    """Standard deviation of the logarithm: what families differ in, and what a row leaves open."""
    whole = sum(parts.values(), np.zeros(len(cases)))
    squares = np.full(len(cases), WITHIN**2 + BETWEEN**2)
    for name, part in _varying(parts, settings).items():
        squares += (PRIORS[name].varies * part / whole) ** 2
    spread: Array = np.sqrt(squares + _open(book, cases, settings, parts, at) ** 2)
    return spread


def _open(
    book: Book,
    cases: Cases,
    settings: Settings,
    parts: Mapping[str, Array],
    at: Mapping[str, float],
) -> Array:
    """The same of what a row leaves open: half of what another choice would make of it."""
    whole = sum(parts.values(), np.zeros(len(cases)))
    grows = sum((parts[name] for name in ("activations", "working", "logits", "cache")), 0 * whole)
    tokens = np.isnan(cases.sequence) | (np.isnan(cases.micro_batch) & np.isnan(cases.global_batch))
    squares = np.where(tokens, (OPEN_TOKENS * grows / whole) ** 2, 0.0)
    open_ = open_to(cases)
    rows = open_["recomputed"]
    if rows.any():
        other = settings.only(rows)
        other = replace(other, recomputed=1 - other.recomputed)
        then = total(book, Footprint(book, cases.only(rows), other).parts(at))
        squares[rows] += (np.log(then / whole[rows]) / 4) ** 2
    unsaid = open_["stage 3"] | open_["pure"]
    unsaid |= among(cases.weights, "") & among(cases.method, *FROZEN)
    gap: Array = np.sqrt(squares + np.where(unsaid, OPEN_STATES**2, 0.0))
    return gap


def _told(parts: Mapping[str, Array], taken: Words) -> Words:
    """The method with the larger parts, and what was taken as the row does not say."""
    whole = sum(parts.values(), np.zeros(len(taken)))
    shares = np.stack([parts[name] / whole for name in COMPONENTS])
    gigabytes = np.stack([parts[name] for name in COMPONENTS]) / GB
    texts = []
    for share, bytes_, took in zip(
        shares.T.tolist(), gigabytes.T.tolist(), taken.tolist(), strict=True
    ):
        larger = [
            f"{name} {size:.3g}"
            for name, size, part in zip(COMPONENTS, bytes_, share, strict=True)
            if part >= 0.02
        ]
        texts.append(f"{METHOD}, in GB: {', '.join(larger)}" + (f"; taken: {took}" if took else ""))
    return words(texts)


# ------------------------------------------------------------------ fit


def fit_memory(book: Book, cases: Cases, truth: Array, family: Words) -> Coefficients:
    """Coefficients of the parts, from published peaks."""
    settings, _ = chosen(book, cases)
    footprint = Footprint(book, cases, settings)
    parts = footprint.parts(ROUND)
    varying = _varying(parts, settings)
    columns = np.column_stack([varying[name] / ROUND[name] for name in PRIORS])
    fixed = sum(parts.values(), np.zeros(len(cases))) - sum(varying.values(), np.zeros(len(cases)))
    design = Design(columns, fixed, np.zeros((len(cases), 0)), PRIORS)
    gap = _open(book, cases, settings, parts, ROUND)
    own = np.hypot(WITHIN, gap)
    found = pooling.fit(design, np.log(truth), family, within=own, between=BETWEEN)
    fitted = dict(zip(PRIORS, np.exp(found.logs).tolist(), strict=True))
    wide = np.hypot(design.spread(found.logs, WITHIN, BETWEEN), gap)
    off = found.left_out / wide
    _, place, counts = np.unique(family.astype(str), return_inverse=True, return_counts=True)
    each = 1 / counts[place]
    families = len(counts)
    low, high, most = (
        (families * quantile(off, share, each) + FEW * normal) / (families + FEW)
        for share, normal in TAILS
    )
    ends = {"low": min(low, 0.0), "high": max(high, 0.0), "most": max(most, high, 0.0)}
    return {**fitted, **ends, **pooling.made_of(PRIORS, WITHIN, BETWEEN)}
