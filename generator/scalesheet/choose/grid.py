"""Candidates: every configuration that could do a job, as cases that predictions take.

A candidate is a method, an accelerator and how many, ZeRO stage, tensor and pipeline degree,
micro-batch and checkpointing. What no software does, or what does not divide, is none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scalesheet.choose.job import Job
from scalesheet.choose.offers import Offers
from scalesheet.predict.arrays import Array, Flags, Words, among, no_reasons, words
from scalesheet.predict.cases import Cases, cases
from scalesheet.predict.lookups import Known
from scalesheet.predict.read import Read

STAGES = (0, 1, 2, 3)
TENSORS = (1, 2, 4, 8)  # within a node
PIPELINES = (1, 2, 4, 8, 16)
MICRO_BATCHES = (1, 2, 4, 8, 16, 32, 64)
CHECKPOINTING = ("none", "full")
_KIND = {
    "pretrain": "pretrain", "full": "finetune-full", "lora": "finetune-lora",
    "qlora": "finetune-qlora",
}  # fmt: skip
Whole = NDArray[np.int64]


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


def grid(job: Job, offers: Offers, catalogue: Known, rank: float) -> Grid:
    """The candidates of a job on what the offers sell; none where nothing divides.

    All that predictions ask for is stated, so that nothing is taken as usual: 16 bits (or NF4 with
    double quantisation), Adam, fused attention where the accelerator has it.
    """
    pairs = offers.sizes()
    axes = (
        np.arange(len(pairs)), np.arange(len(job.methods)), np.array(STAGES), np.array(TENSORS),
        np.array(PIPELINES), np.array(MICRO_BATCHES), np.arange(len(CHECKPOINTING)),
    )  # fmt: skip
    pair, method, stage, tensor, pipeline, micro, ckpt = (
        axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")
    )
    gpus = np.array([count for _, count in pairs], dtype=np.int64)[pair]
    trainer = np.array([job.trainer_of(name) for name in job.methods])[method]
    can = _possible(job, catalogue, gpus, stage, tensor, pipeline, micro, trainer == "general")

    def kept(values: NDArray[np.generic]) -> Array:
        return values[can].astype(np.float64)

    accelerators = words([name for name, _ in pairs])[pair[can]]
    methods = words(job.methods)[method[can]]
    described = _cases(job, catalogue, accelerators, methods, kept(gpus), kept(micro))
    ways = kept(tensor * pipeline)
    checkpointing = words(CHECKPOINTING)[ckpt[can]]
    packed = among(methods, "qlora")
    described = replace(
        described, tensor=kept(tensor), pipeline=kept(pipeline), data=kept(gpus) / ways,
        zero=kept(stage), checkpointing=checkpointing,
        framework=words(["hf" if each == "general" else "" for each in trainer[can].tolist()]),
        weights=np.where(packed, "nf4-dq", "16-bit").astype(object),
        optimizer=np.full(len(ways), "adam", dtype=object),
        flash=np.where(described.fused, "yes", "").astype(object),
        rank=np.where(among(methods, "lora", "qlora"), rank, np.nan),
    )  # fmt: skip
    return Grid(
        described, methods, accelerators, kept(gpus), kept(stage), kept(tensor), kept(pipeline),
        kept(micro), checkpointing,
    )  # fmt: skip


def _possible(
    job: Job,
    catalogue: Known,
    gpus: Whole,
    stage: Whole,
    tensor: Whole,
    pipeline: Whole,
    micro: Whole,
    general: Flags,
) -> Flags:
    """What divides, and what software there is for: pipelines keep gradients and weights whole
    (ZeRO stages 0 and 1), and a general trainer splits neither layers nor the model."""
    heads, layers = (_size(job, catalogue, name) for name in ("heads", "layers"))
    ways = tensor * pipeline
    replicas = gpus // ways
    at_once = replicas * micro
    batch = int(job.batch)
    divides = (gpus % ways == 0) & (replicas > 0) & (heads % tensor == 0) & (layers % pipeline == 0)
    fills = (at_once > 0) & (at_once <= batch) & (batch % np.maximum(at_once, 1) == 0)
    piped = (pipeline == 1) | ((stage <= 1) & (at_once * pipeline <= batch))
    sharded = (stage == 0) | (replicas > 1)
    can: Flags = divides & fills & piped & sharded & ((ways == 1) | ~general)
    return can


def _size(job: Job, catalogue: Known, name: str) -> int:
    place = list(catalogue.results.rows["models"]).index(job.model)
    return int(catalogue.results.tables["models"][name].value[place])


def _cases(
    job: Job,
    catalogue: Known,
    accelerators: Words,
    methods: Words,
    gpus: Array,
    micro: Array,
) -> Cases:
    rows = len(gpus)
    texts = {
        "id": np.full(rows, "", dtype=object),
        "model": np.full(rows, job.model, dtype=object),
        "hardware": accelerators,
        "kind": words([_KIND[name] for name in methods.tolist()]),
    }
    numbers = {
        "gpus": gpus,
        "micro_batch": micro,
        "sequence": np.full(rows, job.sequence),
        "global_batch": np.full(rows, job.batch),
        "tokens": np.full(rows, job.tokens),
    }
    return cases(Read("throughput", rows, texts, numbers, no_reasons(rows)), catalogue)
