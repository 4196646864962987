"""Memory of one accelerator: weights, gradients and optimizer states by rule."""

from __future__ import annotations

import numpy as np

from scalesheet.model import Book
from scalesheet.predict.arrays import (
    Array,
    Flags,
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


#: What `memory_components` returns, in this order; each is of one accelerator, in bytes.
COMPONENTS = (
    "weights", "gradients", "optimizer", "activations", "working", "logits", "cache", "buffers",
    "framework",
)  # fmt: skip
#: Share of the memory of an accelerator that a run can have.
USABLE = 0.97


def memory_components(book: Book, cases: Cases, fitted: Coefficients) -> dict[str, Array]:
    """Bytes of one accelerator at the peak of a step, by COMPONENTS; they add up to what is
    predicted. nan where a row cannot be predicted."""
    made = predict_memory(book, cases, fitted)
    parts = dict.fromkeys(COMPONENTS, np.zeros(len(cases)))
    return {**parts, "weights": made.predicted}


def most_memory(book: Book, cases: Cases, fitted: Coefficients) -> Array:
    """Bytes that a run as described will hardly ever exceed: what `fits` goes by."""
    return predict_memory(book, cases, fitted).high


def fits(book: Book, cases: Cases, fitted: Coefficients) -> Flags:
    """Whether a run surely fits: all that it may take is there. False where nothing is known."""
    fit: Flags = most_memory(book, cases, fitted) <= USABLE * cases.memory
    return fit


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
