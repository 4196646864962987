"""How much each part of the predictions contributes, and how much what a row leaves open.

A part that is left out takes no time or memory. The other coefficients are fitted again, for each
family from all others.

    python -m benchmarks.ablation
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from benchmarks.measure import ROOT
from scalesheet.book import Book
from scalesheet.examine import compile_book
from scalesheet.predict.arrays import Array, no_words, unstated
from scalesheet.predict.cases import Cases
from scalesheet.predict.cases.catalogue import Known, architecture, known
from scalesheet.predict.fits import coefficients
from scalesheet.predict.fits.holdout import folds, sizes
from scalesheet.predict.fits.pooling import Design
from scalesheet.predict.memory import FITTED, Peaks, peaks
from scalesheet.predict.score import TaskScore, score_of
from scalesheet.predict.tasks import predict
from scalesheet.predict.time.efficiency import (
    OF_RUNS,
    OF_STEPS,
    Times,
    run_gaps,
    step_gaps,
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

#: Properties of a case that a row may leave open, and what the case is without them.
HIDDEN: Mapping[str, Callable[[Cases, Known], Cases]] = {
    "architecture": lambda cases, known: _estimated(cases, known),
    "sequence": lambda cases, _: replace(cases, sequence=unstated(len(cases))),
    "micro-batch": lambda cases, _: replace(cases, micro_batch=unstated(len(cases))),
    "sharding": lambda cases, _: replace(cases, zero=unstated(len(cases))),
    "recomputation": lambda cases, _: replace(cases, checkpointing=no_words(len(cases))),
    "accelerators": lambda cases, _: replace(cases, gpus=unstated(len(cases))),
}
OPEN = {"throughput": step_gaps, "runs": run_gaps}
#: What rows of whole runs state, and the cases without it.
STATED: Mapping[str, Callable[[Cases], Cases]] = {
    "what is stated of recomputation": lambda it: replace(it, checkpointing=no_words(len(it))),
    "what is stated of attention kernels": lambda it: replace(it, flash=no_words(len(it))),
    "the stated batch": lambda it: replace(it, global_batch=unstated(len(it))),
    "that hours count only the steps": lambda it: replace(it, quantity=no_words(len(it))),
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
    print("\n| hidden | rows, families | change of the logarithm |\n|---|---|---|")
    for task in OPEN:
        score = score_of(book, task, known(book))
        assert score is not None
        _hidden(book, score)


def _hidden(book: Book, score: TaskScore) -> None:
    """How much predictions change if a property is hidden from the rows that state it: the root
    mean square, each family counted once.
    """
    cases, family = score.published.cases.only(score.counted), score.published.family[score.counted]
    fitted = coefficients(book, score.task)
    stated = predict(book, score.task, cases, fitted).predicted
    for what, open_ in OPEN[score.task](cases).items():
        rows = ~open_ & ((cases.experts == 0) | (what != "architecture"))
        rows &= (cases.data > 1) | (what != "sharding")
        without = predict(book, score.task, HIDDEN[what](cases, known(book)), fitted).predicted
        change, weight = np.log(without / stated)[rows], 1 / sizes(family[rows])
        size = np.sqrt(weight @ change**2 / weight.sum())
        print(f"| {score.task}: {what} | {rows.sum()}, {len(set(family[rows]))} | {size:.2f} |")


def _estimated(cases: Cases, catalogue: Known) -> Cases:
    """The cases with an architecture estimated from their parameters."""
    stated = {"parameters": cases.parameters, "active": cases.active}
    nothing = no_words(len(cases))
    made = architecture(nothing, lambda name: stated.get(name, unstated(len(cases))), catalogue)
    return replace(cases, **made.sizes, gated=made.gated, known=made.known)


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
    for what, without in STATED.items() if score.task == "runs" else ():
        _tell(f"runs: {what}", _of_times(make(book, without(cases), truth, family), names))


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
