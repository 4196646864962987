"""Candidates: every configuration that could do a job.

A candidate is a method, an accelerator and its count, the ZeRO stage, the degrees of tensor,
pipeline, expert and context parallelism, micro-batch, checkpointing, what is kept in host memory,
and the precision of products. Combinations that no software supports or that do not divide evenly
are left out. Host memory is tried with checkpointing and within one node, FP8 where the accelerator
has it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from scalesheet.book import Book
from scalesheet.choose.conditions import broken
from scalesheet.choose.job import Job
from scalesheet.choose.offers import MACHINE, Offers
from scalesheet.evaluate import Overrides
from scalesheet.frozen import dataclass
from scalesheet.model import Key
from scalesheet.predict.arrays import Array, Places, Words, words
from scalesheet.vocabulary import AXES, CONTEXTS, LEAST_PART, OFFLOADS, PRODUCTS

LAYOUT = ("stage", "tensor", "pipeline", "experts", "context", "micro_batch")


@dataclass(frozen=True)
class Grid:
    """Candidates in a fixed order, plainer ones first."""

    method: Words
    trainer: Words
    accelerator: Words
    gpus: Array
    stage: Array
    tensor: Array
    pipeline: Array
    experts: Array
    context: Array
    micro_batch: Array
    checkpointing: Words
    offload: Words
    precision: Words
    kind: Places  # equal for candidates that differ only in the accelerator

    def __len__(self) -> int:
        return len(self.gpus)


def grid(book: Book, job: Job, offers: Offers, eight_bit: Collection[str]) -> Grid:
    """The candidates of a job on the offered accelerators; empty if no layout can run. `eight_bit`
    are the accelerators with an FP8 peak.
    """
    pairs = offers.sizes()
    numbers = sorted({float(count) for _, count in pairs})
    axes = axes_of(job, numbers)
    layout = [np.array(values) for name, values in axes.items() if name in LAYOUT]
    ways = _ways(job)
    number = np.array([numbers.index(count) for _, count in pairs], dtype=np.int64)
    own = np.array([axes["trainer"].index(job.trainer_of(name)) for name in job.methods])
    runs = broken(book, stated(job), axes) == 0
    # by pair, method and layout; each that can run is combined with each way
    pair, method, *at = (np.repeat(place, len(ways)) for place in np.nonzero(runs[number][:, own]))
    way = np.tile(np.arange(len(ways)), len(pair) // len(ways))
    gpus = np.array([count for _, count in pairs], dtype=np.float64)
    away = np.array([each.offload != OFFLOADS[0] for each in ways])
    eighth = np.array([each.precision == PRODUCTS[1] for each in ways])
    has = np.array([name in eight_bit for name, _ in pairs], dtype=bool)
    tried = (~away[way] | (gpus <= MACHINE)[pair]) & (~eighth[way] | has[pair])
    pair, method, way, *at = (place[tried] for place in (pair, method, way, *at))
    sizes = (len(numbers), len(job.methods), *map(len, layout), len(ways))
    kind = np.ravel_multi_index((number[pair], method, *at, way), sizes)
    split = [values[place].astype(np.float64) for values, place in zip(layout, at, strict=True)]
    stage, tensor, pipeline, experts, context, micro = split
    return Grid(
        words(job.methods)[method],
        words([job.trainer_of(name) for name in job.methods])[method],
        words([name for name, _ in pairs])[pair],
        gpus[pair],
        stage,
        tensor,
        pipeline,
        experts,
        context,
        micro,
        words([each.checkpointing for each in ways])[way],
        words([each.offload for each in ways])[way],
        words([each.precision for each in ways])[way],
        kind,
    )


class _Way(NamedTuple):
    """Settings that break no condition, whatever the layout."""

    checkpointing: str
    offload: str
    precision: str


def _ways(job: Job) -> list[_Way]:
    """The ways to run a job, plainer ones first."""
    plain, *others = OFFLOADS
    pairs = [(word, plain) for word in AXES["checkpointing"]]
    pairs += [("full", each) for each in others if job.wide]
    return [_Way(str(word), away, each) for each in job.precisions for word, away in pairs]


def axes_of(job: Job, gpus: Sequence[float]) -> Mapping[str, Sequence[float | str]]:
    """The inputs that the conditions of a layout depend on, plainer values first."""
    return {
        "gpus": gpus,
        "trainer": sorted({job.trainer_of(method) for method in job.methods}),
        **{name: _tried(name, job) for name in LAYOUT},
    }


def _tried(name: str, job: Job) -> Sequence[float | str]:
    if name != "context":
        return AXES[name]
    return [
        ways for ways in CONTEXTS if ways == 1 or (job.wide and job.sequence / ways >= LEAST_PART)
    ]


def stated(job: Job) -> Overrides:
    """The plan's other inputs that the conditions of a layout depend on."""
    return {Key("model"): job.model, Key("batch"): job.batch, Key("sequence"): job.sequence}
