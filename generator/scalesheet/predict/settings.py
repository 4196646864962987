"""Settings: what a run of which memory is asked runs with, where its row does not say.

A run that was made did fit. So what a row leaves open is as plain as memory allows: of the usual
ways to save memory, as few as it takes, in the order in which people reach for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from scalesheet.model import Book
from scalesheet.predict.arrays import Array, Flags, Words, among, no_words, words
from scalesheet.predict.cases import Cases
from scalesheet.predict.footprint import FROZEN, Factors, Footprint, Settings, total
from scalesheet.predict.steps import Layout

#: Round figures that fitting in is judged by, so that no setting hangs on a digit of a fit.
ROUND: Factors = {"unfused": 1.2, "working": 1.5, "logits": 10.0, "framework": 0.7}
#: Share of an accelerator's memory that people plan to use.
FILLED = 0.94
#: Ways to save memory, in the order in which they are taken, and how the method calls them.
SAVINGS: tuple[tuple[str, str], ...] = (
    ("recomputed", "recomputation"),
    ("stage 1", "ZeRO stage 1"),
    ("stage 3", "ZeRO stage 3"),
    ("pure", "weights and states in 16 bit"),
    ("lean", "states in 8 bit, gradients freed at once"),
    ("host", "states in host memory"),
    ("away", "weights in host memory"),
)
MICRO_BATCHES = 4.0  # for each pipeline stage
#: Who sets up fine-tuning in this way recomputes.
_STOCK = ("hf", "unsloth")


def stated(cases: Cases) -> Settings:
    """Settings as rows state them, and for the rest those that take most."""
    frozen = among(cases.method, *FROZEN)
    tuned = frozen | among(cases.method, "full")
    zero = np.nan_to_num(cases.zero)
    recomputed = among(cases.checkpointing, "full")
    usual = tuned & (among(cases.framework, *_STOCK) | (zero == 3) | ~among(cases.offload, ""))
    recomputed |= among(cases.checkpointing, "") & usual
    silent = tuned & np.isnan(cases.sequence) & np.isnan(cases.micro_batch)
    offloaded = ~among(cases.offload, "") | among(cases.optimizer, "paged", "paged8")
    return Settings(
        recomputed=recomputed.astype(np.float64),
        stage=zero,
        states=_states(cases, frozen),
        offloaded=offloaded,
        away=among(cases.offload, "both"),
        batch=np.where(silent, 1.0, Layout(cases).micro_batch),
    )


def _states(cases: Cases, frozen: Flags) -> Words:
    """By the text of the precision. A library loads weights in 32 bits unless told otherwise."""
    wide = among(cases.weights, "fp32")
    alone = wide & among(cases.precision, "fp32", "tf32")
    sharded = ~np.isnan(cases.zero) | ~among(cases.offload, "")
    silent = among(cases.weights, "") & frozen & ~sharded & ~among(cases.method, "qlora")
    small = among(cases.optimizer, "adam8", "paged8")
    states = np.full(len(cases), "mixed", dtype=object)
    for name, where in (
        ("amp", wide), ("fp32", alone | silent), ("pure", (cases.pure | small) & ~wide),
    ):  # fmt: skip
        states[where] = name
    return states


def open_to(cases: Cases) -> Mapping[str, Flags]:
    """Which savings a row leaves open."""
    tuned = among(cases.method, "full", "pretrain", "")
    shards = (cases.data > 1) & np.isnan(cases.zero)
    plain = tuned & ~cases.pure & ~among(cases.weights, "fp32") & among(cases.optimizer, "")
    lean = among(cases.method, "full") & among(cases.optimizer, "")
    return {
        "recomputed": among(cases.checkpointing, "") & ~among(cases.method, "inference"),
        "stage 1": shards & tuned,
        "stage 3": shards & ~among(cases.method, "inference"),
        "pure": plain & among(cases.method, "full"),
        "lean": lean,
        "host": lean & among(cases.offload, ""),
        "away": lean & among(cases.offload, "") & (cases.data > 1),
    }


def _with(settings: Settings, saving: str, rows: Flags) -> Settings:
    """The settings with one more saving, in some rows."""
    if saving == "recomputed":
        return replace(settings, recomputed=np.where(rows, 1.0, settings.recomputed))
    if saving.startswith("stage"):
        stage = np.where(rows, float(saving[-1]), settings.stage)
        return replace(settings, stage=np.maximum(settings.stage, stage))
    if saving == "away":
        return replace(settings, away=settings.away | rows)
    states = settings.states.copy()
    states[rows] = saving
    offloaded = settings.offloaded | (rows & (saving == "host"))
    return replace(settings, states=states, offloaded=offloaded)


def chosen(book: Book, cases: Cases) -> tuple[Settings, Words]:
    """What rows run with, and in words what was taken because the row does not say.

    Rows that would not fit with all savings run with recomputation and shards alone, and so do
    those of which the memory is not known.
    """
    settings, open_ = _accumulated(book, cases, stated(cases)), open_to(cases)
    taken: list[list[str]] = [[] for _ in range(len(cases))]
    room = FILLED * cases.memory
    some = np.any(list(open_.values()), axis=0)
    left = some & ~(_needs(book, cases, settings) <= room)
    usual, said = settings, [list(each) for each in taken]
    for saving, name in SAVINGS:
        rows = left & open_[saving]
        if not rows.any():
            continue
        settings = _with(settings, saving, rows)
        for place in np.flatnonzero(rows).tolist():
            taken[place] = [*taken[place], name]
        if saving in ("recomputed", "stage 1", "stage 3"):
            usual, said = settings, [list(each) for each in taken]
        left[left] = ~(_needs(book, cases.only(left), settings.only(left)) <= room[left])
    for field in ("recomputed", "stage", "states", "offloaded", "away", "batch"):
        values = np.where(left, getattr(usual, field), getattr(settings, field))
        settings = replace(settings, **{field: values})
    texts = no_words(len(cases))
    kept = [said[place] if left[place] else taken[place] for place in range(len(cases))]
    texts[:] = [", ".join(each) for each in kept]
    return settings, words(texts.tolist())


def _accumulated(book: Book, cases: Cases, settings: Settings) -> Settings:
    """Where only the batch of a step is stated: the largest micro-batch that fits, halved down."""
    layout = Layout(cases)
    ways = np.where(cases.pipeline > 1, MICRO_BATCHES * cases.pipeline, 1.0)
    share = np.maximum(1.0, np.floor(cases.global_batch / (layout.replicas * ways)))
    left = np.isnan(cases.micro_batch) & ~np.isnan(share)
    settings = replace(settings, batch=np.where(left, share, settings.batch))
    while left.any():
        fits = _needs(book, cases.only(left), settings.only(left)) <= FILLED * cases.memory[left]
        left[left] = ~fits & (settings.batch[left] > 1)
        halved = np.where(left, np.ceil(settings.batch / 2), settings.batch)
        settings = replace(settings, batch=halved)
    return settings


def _needs(book: Book, cases: Cases, settings: Settings) -> Array:
    if not len(cases):
        return np.zeros(0)
    return total(book, Footprint(book, cases, settings).parts(ROUND))
