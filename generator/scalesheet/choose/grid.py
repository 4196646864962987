"""Candidates: every configuration that could do a job, as cases that predictions take.

A candidate is a method, an accelerator and how many, ZeRO stage, tensor and pipeline degree,
micro-batch and checkpointing. What no software does, or what does not divide, is none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scalesheet.book import Book
from scalesheet.choose.conditions import broken
from scalesheet.choose.job import Assumptions, Job
from scalesheet.choose.offers import Offers
from scalesheet.evaluate import Overrides
from scalesheet.model import Key
from scalesheet.predict.arrays import Array, Words, among, no_reasons, words
from scalesheet.predict.cases import Cases, cases
from scalesheet.predict.cases.catalogue import Known
from scalesheet.predict.cases.reader import Read
from scalesheet.vocabulary import AXES, METHODS

LAYOUT = ("stage", "tensor", "pipeline", "micro_batch")


@dataclass(frozen=True)
class Grid:
    """Candidates in a fixed order, the plainer first; `cases` describes the same rows."""

    cases: Cases
    method: Words
    accelerator: Words
    gpus: Array
    stage: Array
    tensor: Array
    pipeline: Array
    micro_batch: Array
    checkpointing: Words

    def __len__(self) -> int:
        return len(self.gpus)


def grid(book: Book, job: Job, offers: Offers, catalogue: Known, assumed: Assumptions) -> Grid:
    """The candidates of a job on what the offers sell; none where no layout can run.

    All that predictions ask for is stated, so that nothing is taken as usual: 16 bits (or NF4 with
    double quantisation), Adam, fused attention where the accelerator has it.
    """
    pairs = offers.sizes()
    numbers = sorted({float(count) for _, count in pairs})
    axes = axes_of(job, numbers)
    layout = [np.array(values) for name, values in axes.items() if name in LAYOUT]
    sizes = (len(pairs), len(job.methods), *map(len, layout), len(AXES["checkpointing"]))
    places = np.unravel_index(np.arange(math.prod(sizes)), sizes)
    number = np.array([numbers.index(count) for _, count in pairs], dtype=np.int64)
    own = np.array([axes["trainer"].index(job.trainer_of(name)) for name in job.methods])
    runs = broken(book, stated(job), axes) == 0
    can = np.flatnonzero(runs[number[places[0]], own[places[1]], *places[2:-1]])
    pair, method, *at, ckpt = (place[can] for place in places)
    gpus = np.array([count for _, count in pairs], dtype=np.float64)[pair]
    stage, tensor, pipeline, micro = (
        values[place].astype(np.float64) for values, place in zip(layout, at, strict=True)
    )
    accelerators = words([name for name, _ in pairs])[pair]
    methods = words(job.methods)[method]
    trainers = words([job.trainer_of(name) for name in job.methods])[method]
    checkpointing = words(AXES["checkpointing"])[ckpt]
    described = configured(
        _cases(job, catalogue, accelerators, methods, gpus),
        {"stage": stage, "tensor": tensor, "pipeline": pipeline, "micro_batch": micro},
        checkpointing,
        trainers,
        assumed,
    )
    return Grid(
        described, methods, accelerators, gpus, stage, tensor, pipeline, micro, checkpointing
    )


def configured(
    described: Cases,
    layout: Mapping[str, Array],
    checkpointing: Words,
    trainers: Words,
    assumed: Assumptions,
) -> Cases:
    """Cases with a layout, by the names of LAYOUT, and all else that predictions ask for."""
    tensor, pipeline = layout["tensor"], layout["pipeline"]
    packed = among(described.method, "qlora")
    adapted = packed | among(described.method, "lora")
    return replace(
        described,
        micro_batch=layout["micro_batch"],
        tensor=tensor,
        pipeline=pipeline,
        data=described.gpus / (tensor * pipeline),
        zero=layout["stage"],
        checkpointing=checkpointing,
        framework=np.where(among(trainers, "general"), "hf", "").astype(object),
        weights=np.where(packed, "nf4-dq", "16-bit").astype(object),
        optimizer=np.full(len(tensor), "adam", dtype=object),
        flash=np.where(described.fused, "yes", "").astype(object),
        rank=np.where(adapted, assumed.ends("rank")[1], np.nan),
        virtual=np.full(len(tensor), np.nan),  # as many as the component makes of it
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


def _cases(
    job: Job,
    catalogue: Known,
    accelerators: Words,
    methods: Words,
    gpus: Array,
) -> Cases:
    rows = len(gpus)
    texts = {
        "id": np.full(rows, "", dtype=object),
        "model": np.full(rows, job.model, dtype=object),
        "hardware": accelerators,
        "kind": words([METHODS[name].case for name in methods.tolist()]),
    }
    numbers = {
        "gpus": gpus,
        "sequence": np.full(rows, job.sequence),
        "global_batch": np.full(rows, job.batch),
        "tokens": np.full(rows, job.tokens),
    }
    return cases(Read("throughput", rows, texts, numbers, no_reasons(rows)), catalogue)
