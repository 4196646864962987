"""Loss by size and data: the law of a compute-optimal study."""

from __future__ import annotations

import numpy as np

from scalesheet.model import Book
from scalesheet.predict.arrays import Array, Reasons, Words, first_reason, no_reasons
from scalesheet.predict.cases import Cases, needs
from scalesheet.predict.families import folds, interval
from scalesheet.predict.fits import Coefficients
from scalesheet.predict.records import rows_of
from scalesheet.predict.table import Predictions

METHOD = "compute-optimal study of 2022, with one offset"


def unsupported_loss(cases: Cases) -> Reasons:
    """Why a row cannot be predicted, where it cannot."""
    return first_reason(needs("parameters", cases.parameters), needs("tokens", cases.tokens))


def predict_loss(book: Book, cases: Cases, fitted: Coefficients) -> Predictions:
    """Loss in nat for each token."""
    law = rows_of(book, "chinchilla-loss", parameters=cases.parameters, tokens=cases.tokens)
    expected = law + fitted["offset"]
    method = np.full(len(cases), METHOD, dtype=object)
    low = np.maximum(expected + fitted["low"], 0.01)
    return Predictions(expected, low, expected + fitted["high"], method, no_reasons(len(cases)))


def fit_loss(book: Book, cases: Cases, truth: Array, family: Words) -> Coefficients:
    """The offset that is right at the median."""
    law = rows_of(book, "chinchilla-loss", parameters=cases.parameters, tokens=cases.tokens)
    gap = truth - law
    residual = gap - np.median(gap)
    for others, own in folds(family):
        residual[own] = gap[own] - np.median(gap[others])
    low, high = interval(residual, family)
    return {"offset": float(np.median(gap)), "low": low, "high": high}
