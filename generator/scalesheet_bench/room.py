"""Room: whether a job can fit, by the formulas of the catalogue, and alternatives that would."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from scalesheet.book import Book
from scalesheet.diagnostics import Refused
from scalesheet.steps.footprint import Footprint
from scalesheet.steps.job import Job
from scalesheet.steps.roofline import rates_of

MOST = 1 << 24  # sequences, or tokens of a sequence, that nobody exceeds
FEW = 3  # alternatives that are reported


def cannot_fit(book: Book, job: Job) -> str:
    """Why a job cannot fit into the memory of its accelerator, with alternatives.

    Empty if it may fit, or if the catalogue does not have the memory. Raises Refused if the
    catalogue lacks the accelerator.
    """
    had = rates_of(book, job).memory
    needed = Footprint(book, job).peak
    if not needed > had:
        return ""
    text = (
        f"{job.model.title} needs {needed / 1e9:,.1f} GB of memory by the formulas of the "
        f"catalogue, and {job.accelerator} has {had / 1e9:,.1f} GB"
    )
    batch = largest(book, job, had, "batch")
    length = largest(book, job, had, "length")
    options = [
        f"{batch} sequences in a micro-batch" if batch else "",
        f"sequences of {length} tokens" if length else "",
    ]
    if fitting := " or ".join(filter(None, options)):
        return f"{text}; what fits is at most {fitting}"
    held = Footprint(book, replace(job, batch=1, length=1)).peak
    text += f"; a single token takes {held / 1e9:,.1f} GB, so no batch fits"
    ways = [f"{way} ({peak / 1e9:,.1f} GB)" for way, peak in lighter(book, job) if peak <= had]
    return f"{text}; what fits is {' or '.join(ways[:FEW])}" if ways else text


def lighter(book: Book, job: Job) -> Iterator[tuple[str, float]]:
    """Yield ways to train the same model with less memory: command options, and peak bytes."""
    half = job.precision if job.precision in ("bf16", "fp16") else "bf16"
    ways: tuple[tuple[str, dict[str, Any]], ...] = (
        ("--weights bf16", {"weights": "bf16", "precision": "bf16"}),
        ("--method lora", {"method": "LoRA", "weights": half, "precision": half}),
        ("--method qlora", {"method": "QLoRA", "weights": "nf4", "precision": half}),
    )
    for words, changes in ways:
        if all(getattr(job, name) == value for name, value in changes.items()):
            continue
        if changes.get("method") == "LoRA" and job.method == "QLoRA":
            continue
        precise = f" --precision {half}" if half != job.precision else ""
        for again in (False, True) if not job.checkpointing else (True,):
            tried = replace(job, checkpointing=again, **changes)
            try:
                peak = Footprint(book, tried).peak
            except Refused:
                continue  # the formulas do not cover this one
            added = " --checkpointing" if again and not job.checkpointing else ""
            yield f"{words}{precise}{added}", peak


def largest(book: Book, job: Job, memory: float, of: str) -> int:
    """The largest micro-batch (`batch`) or sequence (`length`) whose peak is within `memory` bytes.

    Everything else is as in the job; 0 if none fits.
    """

    def fits(number: int) -> bool:
        tried = replace(job, batch=number) if of == "batch" else replace(job, length=number)
        return Footprint(book, tried).peak <= memory

    if not fits(1):
        return 0
    low, high = 1, 2
    while high <= MOST and fits(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
