"""Settings: what is assumed about a run if its row does not state it.

A run that took place did fit. So the settings that a row leaves open are as plain as memory allows:
the fewest memory-saving options needed, in the order in which people try them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

import numpy as np

from scalesheet.book import Book
from scalesheet.predict.arrays import Array, Flags, Words, among, each, no_words, words
from scalesheet.predict.cases import Cases
from scalesheet.predict.fits import Coefficients
from scalesheet.predict.memory.footprint import FROZEN, Footprint, Settings
from scalesheet.predict.records import assumed
from scalesheet.predict.time.steps import Layout

#: Round coefficients to decide whether a run fits, so that no setting depends on a digit of a fit.
ROUND: Coefficients = {"unfused": 1.2, "working": 1.5, "logits": 10.0, "framework": 0.7}
#: Share of an accelerator's memory that people plan to use.
FILLED = 0.94
#: Memory-saving options in the order they are tried, and their descriptions in the method.
SAVINGS: Mapping[str, str] = {
    "recomputed": "recomputation",
    "stage 1": "ZeRO stage 1",
    "stage 3": "ZeRO stage 3",
    "pure": "weights and states in 16 bit",
    "lean": "states in 8 bit, gradients freed at once",
    "host": "states in host memory",
    "away": "weights in host memory",
}
#: Options assumed for rows that would not fit even with all savings.
USUAL = ("recomputed", "stage 1", "stage 3")
#: Trainers whose fine-tuning setups use recomputation.
STOCK = ("hf", "unsloth")
MICRO_BATCHES = 4.0  # per pipeline stage


def chosen(book: Book, cases: Cases) -> tuple[Settings, Words]:
    """Choose the settings of rows, and describe the savings that were assumed.

    Rows that would not fit with all savings, and rows with unknown memory, get the USUAL ones.
    """
    settings = _accumulated(book, cases, stated(book, cases))
    open_ = open_to(cases)
    room = FILLED * cases.memory
    left = np.any(list(open_.values()), axis=0)
    left[left] = ~(_needs(book, cases.only(left), settings.only(left)) <= room[left])
    taken = no_words(len(cases))
    usual = settings, taken
    for saving, name in SAVINGS.items():
        rows = left & open_[saving]
        if rows.any():
            settings = _with(settings, saving, rows)
            taken = np.where(rows, _also(taken, name), taken)
            needs = _needs(book, cases.only(rows), settings.only(rows))
            left[rows] = ~(needs <= room[rows])
        if saving in USUAL:
            usual = (settings, taken)
    plain, usual_taken = usual
    merged = {
        field.name: np.where(left, getattr(plain, field.name), getattr(settings, field.name))
        for field in fields(Settings)
    }
    return Settings(**merged), words(np.where(left, usual_taken, taken).tolist())


def stated(book: Book, cases: Cases) -> Settings:
    """Settings as stated by rows; otherwise those that use the most memory."""
    frozen = among(cases.method, *FROZEN)
    tuned = frozen | among(cases.method, "full")
    offloads = ~among(cases.offload, "")
    usual = tuned & (among(cases.framework, *STOCK) | (cases.zero == 3) | offloads)
    recomputed = among(cases.checkpointing, "full") | (among(cases.checkpointing, "") & usual)
    # FSDP recomputes every other product and all that is not one; Megatron only attention scores
    some = assumed(book)["selective-activations"]
    half = among(cases.checkpointing, "selective") & cases.flat
    silent = tuned & np.isnan(cases.sequence) & np.isnan(cases.micro_batch)
    return Settings(
        recomputed=np.where(recomputed, 1.0, np.where(half, some, 0.0)),
        stage=np.nan_to_num(cases.zero),
        states=_states(cases, frozen),
        offloaded=offloads,
        away=among(cases.offload, "both"),
        batch=np.where(silent, 1.0, Layout(cases).micro_batch),
    )


def _states(cases: Cases, frozen: Flags) -> Words:
    """The states for each stated precision. Libraries load weights in 32 bits by default."""
    wide = among(cases.weights, "fp32")
    alone = wide & among(cases.precision, "fp32", "tf32")
    sharded = ~np.isnan(cases.zero) | ~among(cases.offload, "")
    silent = among(cases.weights, "") & frozen & ~sharded & ~among(cases.method, "qlora")
    small = among(cases.optimizer, "adam8", "paged8")
    states = np.full(len(cases), "mixed", dtype=object)
    states[wide] = "amp"
    states[alone | silent] = "fp32"
    states[(cases.pure | small) & ~wide] = "pure"
    return states


def open_to(cases: Cases) -> Mapping[str, Flags]:
    """Which savings a row leaves open."""
    trains = ~among(cases.method, "inference")
    full = among(cases.method, "full")
    shards = (cases.data > 1) & np.isnan(cases.zero) & trains
    free = full & among(cases.optimizer, "")
    here = free & among(cases.offload, "")
    return {
        "recomputed": among(cases.checkpointing, "") & trains,
        "stage 1": shards & ~among(cases.method, *FROZEN),
        "stage 3": shards,
        "pure": free & ~cases.pure & ~among(cases.weights, "fp32"),
        "lean": free & ~among(cases.weights, "fp32"),
        "host": here & ~among(cases.weights, "fp32"),
        "away": here & (cases.data > 1),
    }


def _with(settings: Settings, saving: str, rows: Flags) -> Settings:
    """Apply one more saving to some rows."""
    if saving == "recomputed":
        return replace(settings, recomputed=np.where(rows, 1.0, settings.recomputed))
    if saving.startswith("stage"):
        return replace(settings, stage=np.where(rows, float(saving[-1]), settings.stage))
    if saving == "away":
        return replace(settings, away=settings.away | rows)
    return replace(
        settings,
        states=np.where(rows, saving, settings.states),
        offloaded=settings.offloaded | (rows & (saving == "host")),
    )


def _also(texts: Words, name: str) -> Words:
    return each(texts, lambda taken: f"{taken}, {name}" if taken else name)


def _accumulated(book: Book, cases: Cases, settings: Settings) -> Settings:
    """If only the global batch is stated, find the largest micro-batch that fits by halving."""
    ways = np.where(cases.pipeline > 1, MICRO_BATCHES * cases.pipeline, 1.0)
    share = np.maximum(1.0, np.floor(cases.global_batch / (Layout(cases).replicas * ways)))
    left = np.isnan(cases.micro_batch) & ~np.isnan(share)
    settings = replace(settings, batch=np.where(left, share, settings.batch))
    while left.any():
        needs = _needs(book, cases.only(left), settings.only(left))
        left[left] = ~(needs <= FILLED * cases.memory[left]) & (settings.batch[left] > 1)
        halved = np.where(left, np.ceil(settings.batch / 2), settings.batch)
        settings = replace(settings, batch=halved)
    return settings


def _needs(book: Book, cases: Cases, settings: Settings) -> Array:
    if not len(cases):
        return np.zeros(0)
    return Footprint(book, cases, settings).whole(ROUND)
