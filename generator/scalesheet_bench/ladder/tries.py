"""Tests whether a job fits, by running a step or two of it in a separate process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from scalesheet.steps.faults import Failed, OutOfMemory
from scalesheet.steps.job import Effort, Job, Shape
from scalesheet.steps.record import Record
from scalesheet_bench.ladder.fits import GRAIN, Bounds, Fits
from scalesheet_bench.ladder.search import Ended

#: Measures a job with this effort. Raises NotMeasured, and KeyboardInterrupt.
Measure = Callable[[Job, Effort], Record]


def trier(measure: Measure, effort: Effort) -> Fits:
    """Return a test of jobs: one step that allocates all states and one after it.

    Out of memory in any form is a no: a refused allocation, a limit, a process killed by the
    kernel. If a process fails otherwise, the search ends with the results so far. Errors that no
    size would fix (no PyTorch, no such device, no such model) are raised.
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
    """Limit the bounds to the model's own longest sequence, if it has one."""
    bounds = bounds or Bounds()
    longest = shape.more.get("positions") or shape.more.get("max_sequence")
    if not isinstance(longest, int | float) or not longest >= GRAIN:
        return bounds
    return replace(bounds, length=min(bounds.length, int(longest)))
