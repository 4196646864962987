"""Finds the largest micro-batch at each length, and the longest sequence at each micro-batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import monotonic

from scalesheet.steps.job import Job
from scalesheet_bench.ladder.search import Ended, Found, across, confirmed, largest

Fits = Callable[[Job], bool]
Estimate = Callable[[Job], float]  # bytes at the peak of a step
Tell = Callable[[str], None]

#: The step between lengths to try: kernels and caches work in multiples of it.
GRAIN = 64


@dataclass(frozen=True)
class Bounds:
    """Limits of the search. `seconds` covers all tries; none begins afterwards."""

    batch: int = 4096
    length: int = 131_072
    seconds: float = 3600.0
    confirm: bool = True  # three more tries after the first answer: does only size matter?


@dataclass(frozen=True)
class Answer:
    """What fits at one length or micro-batch; sizes are micro-batches or tokens."""

    at: int
    found: Found
    grain: int = 1  # tokens per size of the search

    @property
    def largest(self) -> int:
        return self.found.fits * self.grain

    @property
    def fails(self) -> int | None:
        return None if self.found.fails is None else self.found.fails * self.grain


@dataclass(frozen=True)
class Tried:
    """A try, for the log of the search."""

    batch: int
    length: int
    fits: bool
    estimate: float  # bytes needed by the catalogue's estimate
    seconds: float


@dataclass(frozen=True)
class WhatFits:
    """The answers of a search, and all its tries."""

    job: Job
    memory: float  # bytes available to a step
    batches: tuple[Answer, ...]  # the largest micro-batch, by length
    lengths: tuple[Answer, ...]  # the longest sequence, by micro-batch
    tries: tuple[Tried, ...]
    ended: str = ""  # why some tries are missing
    contradictions: tuple[str, ...] = ()


class _Search:
    """Tries sizes and logs them; the estimate is corrected by the limits found so far."""

    def __init__(
        self, job: Job, fits: Fits, estimate: Estimate, room: float, bounds: Bounds, tell: Tell
    ) -> None:
        self.job, self.ask, self.estimate, self.bounds = job, fits, estimate, bounds
        self.room, self.tell = room, tell
        self.tries: list[Tried] = []
        self.begun = monotonic()
        self.confirm, self.again, self.learnt = bounds.confirm, False, False

    def tried(self, job: Job) -> bool:
        for other in self.tries:
            if (other.batch, other.length) == (job.batch, job.length) and not self.again:
                return other.fits
        before = monotonic()
        if before - self.begun > self.bounds.seconds:
            raise Ended(f"this search reached its limit of {self.bounds.seconds:,.0f} s")
        answer = self.ask(job)
        took = monotonic() - before
        self.tries.append(Tried(job.batch, job.length, answer, self.estimate(job), took))
        words = "fits" if answer else "does not fit"
        self.tell(f"micro-batch {job.batch:,} of {job.length:,} tokens {words} ({took:.0f} s)")
        return answer

    def answer(self, job_of: Callable[[int], Job], at: int, bound: int, grain: int) -> Answer:
        def fits(size: int) -> bool:
            return self.tried(job_of(size))

        result = largest(fits, self.guess(job_of, bound), bound, sure=self.learnt)
        if self.confirm and not result.ended:
            self.confirm, self.again = False, True
            result = confirmed(fits, result)
            self.again = False
        self.learn(job_of, result)
        return Answer(at, result, grain)

    def guess(self, job_of: Callable[[int], Job], bound: int) -> int:
        """The largest size that fits by the estimate, by bisection; takes no try."""
        low, high = 0, bound + 1
        while high - low > 1:
            at = (low + high) // 2
            if self.estimate(job_of(at)) <= self.room:
                low = at
            else:
                high = at
        return max(low, 1)

    def learn(self, job_of: Callable[[int], Job], result: Found) -> None:
        """Correct the available memory to what the estimate gives at a found limit."""
        if result.fits and result.fails is not None:
            ends = [self.estimate(job_of(size)) for size in (result.fits, result.fails)]
            self.room, self.learnt = sum(ends) / 2, True


def what_fits(
    job: Job,
    lengths: Sequence[int],
    batches: Sequence[int],
    fits: Fits,
    estimate: Estimate,
    memory: float,
    bounds: Bounds | None = None,
    tell: Tell = print,
) -> WhatFits:
    """Find the largest micro-batch for each length, and the longest sequence for each micro-batch.

    `fits` tries a job and returns whether it ran; `estimate` is the catalogue's estimate of a job's
    memory in bytes, of which `memory` are available. It only gives the starting point: the answers
    are those of the tries. The search ends if `fits` raises Ended or on an interrupt; the answers
    so far are returned and marked.
    """
    bounds = bounds or Bounds()
    search = _Search(job, fits, estimate, memory, bounds, tell)
    by_length: list[Answer] = []
    by_batch: list[Answer] = []
    for length in sorted(set(lengths)):
        if _over(by_length, by_batch):
            break
        at = replace(job, length=length)
        by_length.append(search.answer(_batches(at), length, bounds.batch, 1))
    for batch in sorted(set(batches)):
        if _over(by_length, by_batch):
            break
        at = replace(job, batch=batch)
        units = max(1, bounds.length // GRAIN)
        by_batch.append(search.answer(_lengths(at), batch, units, GRAIN))
    answers = (*by_length, *by_batch)
    parts = [a.found.contradiction for a in answers if a.found.contradiction]
    parts += [text for text in (across([(a.at, a.found) for a in by_length]),) if text]
    ended = next((a.found.ended for a in answers if a.found.ended), "")
    return WhatFits(
        job, memory, tuple(by_length), tuple(by_batch), tuple(search.tries), ended, tuple(parts)
    )


def _over(*answers: Sequence[Answer]) -> bool:
    return any(answer.found.ended for part in answers for answer in part)


def _batches(job: Job) -> Callable[[int], Job]:
    return lambda size: replace(job, batch=size)


def _lengths(job: Job) -> Callable[[int], Job]:
    return lambda size: replace(job, length=size * GRAIN)
