"""Memory of one accelerator: weights, gradients and optimizer states by rule."""

from __future__ import annotations

import numpy as np

from scalesheet.model import Book
from scalesheet.predict.arrays import (
    Array,
    Reasons,
    Words,
    among,
    because,
    first_reason,
    no_reasons,
)
from scalesheet.predict.cases import Cases, needs
from scalesheet.predict.families import folds, interval
from scalesheet.predict.fits import Coefficients
from scalesheet.predict.records import rows_of
from scalesheet.predict.table import Predictions

METHOD = "bytes of model states by ZeRO stage, times a fitted factor"


def _states(book: Book, cases: Cases) -> Array:
    frozen = among(cases.method, "lora", "qlora", "adapter", "inference")
    small = among(cases.weights, "nf4", "nf4-dq", "int4")
    each = rows_of(
        book, "state-bytes-per-parameter", weight_bytes=np.where(small, 0.55, 2.0),
        trainable=np.where(frozen, 0.0, 1.0), stage=np.nan_to_num(cases.zero),
        shards=np.nan_to_num(cases.data, nan=1.0), tensor=cases.tensor, pipeline=cases.pipeline,
    )  # fmt: skip
    return each * cases.parameters


def unsupported_memory(cases: Cases) -> Reasons:
    """Why a row cannot be predicted, where it cannot."""
    other = because(~among(cases.quantity, ""), "no peak of one accelerator is asked for")
    return first_reason(other, needs("parameters", cases.parameters))


def predict_memory(book: Book, cases: Cases, fitted: Coefficients) -> Predictions:
    """Peak of one accelerator, in bytes."""
    expected = _states(book, cases) * np.exp(fitted["factor"])
    low, high = np.exp(fitted["low"]), np.exp(fitted["high"])
    method = np.full(len(cases), METHOD, dtype=object)
    return Predictions(expected, expected * low, expected * high, method, no_reasons(len(cases)))


def fit_memory(book: Book, cases: Cases, truth: Array, family: Words) -> Coefficients:
    """The factor that is right at the median."""
    ratio = np.log(truth / _states(book, cases))
    centre = float(np.median(ratio))
    residual = ratio - centre
    for others, own in folds(family):
        residual[own] = ratio[own] - np.median(ratio[others])
    low, high = interval(residual, family)
    return {"factor": centre, "low": low, "high": high}
