"""Tries: whether a job fits, by measuring a step or two of it in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from scalesheet.steps.faults import Failed, OutOfMemory
from scalesheet.steps.job import Effort, Job, Shape
from scalesheet.steps.record import Record
from scalesheet_bench.ladder.fits import GRAIN, Bounds, Fits
from scalesheet_bench.ladder.search import Ended

#: Measures a job with so much effort. Raises NotMeasured, and KeyboardInterrupt.
Measure = Callable[[Job, Effort], Record]


def trier(measure: Measure, effort: Effort) -> Fits:
    """Tries jobs with a step that makes all states and one after it.

    Out of memory of any kind is a no: an allocation that was refused, a limit, a process that the
    kernel ended. Where a process fails otherwise the search ends with what is known by then; what
    no size would fix (no PyTorch, no such device, no such model) goes on as it is.
    """
    shortest = replace(effort, warmup=1, at_least=1, at_most=1, profile=False)

    def fits(job: Job) -> bool:
        try:
            record = measure(job, shortest)
        except OutOfMemory:
            return False
        except Failed as fault:
            raise Ended(str(fault)) from fault
        if record.interrupted:
            raise KeyboardInterrupt
        return True

    return fits


def bounded(shape: Shape, bounds: Bounds | None = None) -> Bounds:
    """Bounds that go no further than the model's own longest sequence, where it has one."""
    bounds = bounds or Bounds()
    longest = shape.more.get("positions") or shape.more.get("max_sequence")
    if not isinstance(longest, int | float) or not longest >= GRAIN:
        return bounds
    return replace(bounds, length=min(bounds.length, int(longest)))
