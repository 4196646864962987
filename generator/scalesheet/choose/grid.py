"""Candidates: every configuration that could do a job.

A candidate is a method, an accelerator and how many, ZeRO stage, tensor, pipeline and expert
degree, micro-batch and checkpointing. What no software does, or what does not divide, is not a
candidate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scalesheet.book import Book
from scalesheet.choose.conditions import broken
from scalesheet.choose.job import Job
from scalesheet.choose.offers import Offers
from scalesheet.evaluate import Overrides
from scalesheet.model import Key
from scalesheet.predict.arrays import Array, Places, Words, words
from scalesheet.vocabulary import AXES

LAYOUT = ("stage", "tensor", "pipeline", "experts", "micro_batch")


@dataclass(frozen=True)
class Grid:
    """Candidates in a fixed order, the plainer first."""

    method: Words
    trainer: Words
    accelerator: Words
    gpus: Array
    stage: Array
    tensor: Array
    pipeline: Array
    experts: Array
    micro_batch: Array
    checkpointing: Words
    kind: Places  # the same number where they differ in the accelerator alone

    def __len__(self) -> int:
        return len(self.gpus)


def grid(book: Book, job: Job, offers: Offers) -> Grid:
    """The candidates of a job on what the offers sell; none where no layout can run."""
    pairs = offers.sizes()
    numbers = sorted({float(count) for _, count in pairs})
    axes = axes_of(job, numbers)
    layout = [np.array(values) for name, values in axes.items() if name in LAYOUT]
    number = np.array([numbers.index(count) for _, count in pairs], dtype=np.int64)
    own = np.array([axes["trainer"].index(job.trainer_of(name)) for name in job.methods])
    runs = broken(book, stated(job), axes) == 0
    # by pair, method and layout; each that can run with each kind of checkpointing
    kinds = len(AXES["checkpointing"])
    can = (np.repeat(at, kinds) for at in np.nonzero(runs[number][:, own]))
    pair, method, *at = can
    ckpt = np.tile(np.arange(kinds), len(pair) // kinds)
    sizes = (len(numbers), len(job.methods), *map(len, layout), kinds)
    kind = np.ravel_multi_index((number[pair], method, *at, ckpt), sizes)
    gpus = np.array([count for _, count in pairs], dtype=np.float64)[pair]
    stage, tensor, pipeline, experts, micro = (
        values[place].astype(np.float64) for values, place in zip(layout, at, strict=True)
    )
    accelerators = words([name for name, _ in pairs])[pair]
    methods = words(job.methods)[method]
    trainers = words([job.trainer_of(name) for name in job.methods])[method]
    checkpointing = words(AXES["checkpointing"])[ckpt]
    return Grid(
        methods,
        trainers,
        accelerators,
        gpus,
        stage,
        tensor,
        pipeline,
        experts,
        micro,
        checkpointing,
        kind,
    )


def axes_of(job: Job, gpus: Sequence[float]) -> Mapping[str, Sequence[float | str]]:
    """What the conditions of a layout rest on, the plainer first; checkpointing breaks none."""
    return {
        "gpus": gpus,
        "trainer": sorted({job.trainer_of(method) for method in job.methods}),
        **{name: AXES[name] for name in LAYOUT},
    }


def stated(job: Job) -> Overrides:
    """The inputs of the plan that the conditions of a layout rest on besides."""
    return {Key("model"): job.model, Key("batch"): job.batch}
