"""Adds the arithmetic of a measured step, and its share of the peak."""

from __future__ import annotations

from dataclasses import replace

from scalesheet.book import Book
from scalesheet.steps.footprint import evaluated
from scalesheet.steps.record import Figure, Record
from scalesheet.steps.roofline import rates_of
from scalesheet.steps.simulate import flop_per_token

RATE = "TFLOP / (second * GPU)"


def with_work(book: Book, record: Record) -> Record:
    """Return the record with FLOP per token, FLOP per second and the share of the dense peak.

    The share is left out if the catalogue has no peak. Raises Refused if it lacks the formulas.
    """
    job, speed = record.job, record.figures["tokens_per_second"]
    work, convention = flop_per_token(book, job)
    peak = rates_of(book, job).peak

    def rate(tokens: float | None) -> float | None:
        if tokens is None:
            return None
        return evaluated(
            book, "achieved-flop-rate", speed=tokens, flop_per_token=work.value * 1e9, gpus=job.gpus
        )

    reached = Figure(rate(speed.value) or 0.0, RATE, rate(speed.low), rate(speed.high))
    rates = {"flop_per_token": work, "flop_rate": reached}
    if peak > 0:
        low, high = (end and end * 1e12 / peak for end in (reached.low, reached.high))
        rates["utilisation"] = Figure(reached.value * 1e12 / peak, "1", low, high)
    return replace(record, figures={**record.figures, **rates}, flop_convention=convention)
