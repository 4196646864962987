"""How much each part of the predictions contributes, and how ranges hold for an unseen accelerator.

A part that is left out takes no time or memory. The other coefficients are fitted again, for each
family from all others. For the ranges, each accelerator is held out with all its rows.

    python -m benchmarks.ablation
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from benchmarks.measure import ROOT
from scalesheet.book import Book
from scalesheet.examine import compile_book
from scalesheet.predict.arrays import Array, no_words
from scalesheet.predict.cases import Cases
from scalesheet.predict.cases.catalogue import known
from scalesheet.predict.fits import Coefficients
from scalesheet.predict.fits.holdout import folds
from scalesheet.predict.fits.pooling import Design
from scalesheet.predict.memory import FITTED, Peaks, peaks, predict_memory
from scalesheet.predict.score import TaskScore, score_of
from scalesheet.predict.table import Predictions
from scalesheet.predict.time.efficiency import (
    OF_RUNS,
    OF_STEPS,
    Times,
    predict_runs,
    predict_throughput,
    times_of_runs,
    times_of_steps,
)

#: Coefficients of each task that are left out together.
TIME: Mapping[str, tuple[str, ...]] = {
    "communication of data and context parallelism": ("exposed",),
    "communication of tensor parallelism": ("tensor",),
    "dispatch to experts and routing": ("dispatch", "routing"),
    "attention": ("attention",),
    "activation memory traffic": ("traffic",),
    "recomputed products": ("again",),
    "FP8 casts": ("cast",),
    "4-bit dequantization": ("unpack",),
    "kernel launches": ("launch",),
    "fixed cost per step": ("step",),
    "general trainers": ("stock",),
    "restarts, evaluation and the like": ("gross",),
    "overhead that grows with the cluster": ("scale",),
    "overhead of experts": ("experts",),
}
MEMORY: Mapping[str, tuple[str, ...]] = {
    "unfused kernels and kept activations": ("unfused",),
    "the layer at work": ("working",),
    "logits": ("logits",),
    "driver, libraries and fragments": ("framework",),
}

Predict = Callable[[Book, Cases, Coefficients], Predictions]
HELD_OUT: Mapping[str, tuple[Callable[..., Times | Peaks], Predict]] = {
    "throughput": (times_of_steps, predict_throughput),
    "runs": (times_of_runs, predict_runs),
    "memory": (peaks, predict_memory),
}


def main() -> None:
    book = compile_book(ROOT / "data")
    print("$ python -m benchmarks.ablation\n\n| left out | median | nine of ten |\n|---|---|---|")
    for task, names in (("throughput", OF_STEPS), ("runs", OF_RUNS)):
        score = score_of(book, task, known(book))
        assert score is not None
        _times(book, score, names)
    score = score_of(book, "memory", known(book))
    assert score is not None
    _memory(book, score)
    print("\n| accelerators held out, each counted once | within the 80 % interval |\n|---|---|")
    for task, (make, predicted) in HELD_OUT.items():
        score = score_of(book, task, known(book))
        assert score is not None
        print(f"| {task} | {100 * _held_out(book, score, make, predicted):.0f} % |")


def _held_out(
    book: Book, score: TaskScore, make: Callable[..., Times | Peaks], predicted: Predict
) -> float:
    """The share of rows within their interval if every row of the accelerator is left out."""
    counted, data = score.counted, score.published
    cases, truth, family = data.cases.only(counted), data.truth[counted], data.family[counted]
    seen = make(book, cases, truth, family)
    chips = np.array([name.split("-")[0] for name in cases.accelerator.tolist()])
    shares = []
    for chip in set(chips.tolist()):
        own = chips == chip
        made = predicted(book, cases.only(own), seen.only(~own).fit())
        shares.append(np.mean((made.low <= truth[own]) & (truth[own] <= made.high)))
    return float(np.mean(shares))


def _times(book: Book, score: TaskScore, names: tuple[str, ...]) -> None:
    counted, data = score.counted, score.published
    cases, truth, family = data.cases.only(counted), data.truth[counted], data.family[counted]
    make = times_of_steps if score.task == "throughput" else times_of_runs
    whole = make(book, cases, truth, family)
    _tell(f"{score.task}: nothing", _of_times(whole, names))
    for what, without in TIME.items():
        taken = [names.index(name) for name in without if name in names]
        # the experts of throughput are products, which no sum can do without
        if taken and not (score.task == "throughput" and without == ("experts",)):
            _tell(f"{score.task}: {what}", _of_times(_without(whole, taken), names))
    if score.task == "throughput":
        _tell("throughput: optimizer update", _of_times(replace(whole, fixed=0 * truth), names))


def _without(times: Times, taken: list[int]) -> Times:
    """The times without what some coefficients multiply."""
    width = times.parts.shape[1]
    parts, factors = times.parts.copy(), times.factors.copy()
    parts[:, [place for place in taken if place < width]] = 0.0
    factors[:, [place - width for place in taken if place >= width]] = 0.0
    return replace(times, parts=parts, factors=factors)


def _of_times(times: Times, names: tuple[str, ...]) -> Array:
    """Logarithms of the errors of each family, fitted without it."""
    design = Design(times.parts, times.fixed, times.factors, times.expected.priors)
    off = np.zeros(len(times.time))
    for others, own in folds(times.family):
        fitted = times.only(others).fit()
        logs = np.log([fitted[name] for name in names])
        off[own] = (design.expected(logs) - times.time)[own]
    return off


def _memory(book: Book, score: TaskScore) -> None:
    counted, data = score.counted, score.published
    cases, truth, family = data.cases.only(counted), data.truth[counted], data.family[counted]
    whole = peaks(book, cases, truth, family)
    _tell("memory: nothing", _of_peaks(whole))
    for what, without in MEMORY.items():
        parts = whole.parts.copy()
        parts[:, [FITTED.index(name) for name in without]] = 0.0
        _tell(f"memory: {what}", _of_peaks(replace(whole, parts=parts)))
    plain: Mapping[str, Cases] = {
        "how the trainer computes the loss": replace(cases, loss=no_words(len(cases))),
        "offloading": replace(cases, offload=no_words(len(cases))),
        "what is stated of recomputation": replace(cases, checkpointing=no_words(len(cases))),
    }
    for what, others in plain.items():
        _tell(f"memory: {what}", _of_peaks(peaks(book, others, truth, family)))


def _of_peaks(seen: Peaks) -> Array:
    """The same for memory."""
    off = np.zeros(len(seen.peak))
    for others, own in folds(seen.family):
        fitted = seen.only(others).fit()
        at = np.array([fitted[name] for name in FITTED])
        off[own] = (np.log(seen.parts @ at + seen.fixed) - seen.peak)[own]
    return off


def _tell(what: str, off: Array) -> None:
    median, most = np.exp(np.quantile(np.abs(off), [0.5, 0.9]))
    print(f"| {what} | {median:.3f} | {most:.3f} |", flush=True)


if __name__ == "__main__":
    main()
