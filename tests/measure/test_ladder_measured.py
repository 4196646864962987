"""A real search: steps that run out of memory show what fits."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="real steps are taken with PyTorch")
pytest.importorskip("transformers", reason="models are built by transformers")

from bench.tiny_job import JOB, SHAPE
from scalesheet.steps.footprint import Footprint
from scalesheet.steps.job import Effort, Job
from scalesheet_bench.ladder.fits import Bounds, what_fits
from scalesheet_bench.ladder.tries import bounded, trier
from scalesheet_bench.train import measure
from shipped import shipped_book


def test_a_tiny_model_under_a_memory_limit() -> None:
    """One sequence takes two thirds of the limit and two take four thirds, however much memory the
    libraries on this machine need."""
    book = shipped_book()
    limit = 400e6

    def estimate(job: Job) -> float:
        return Footprint(book, job).peak

    assert estimate(JOB) == pytest.approx(2 / 3 * limit, rel=0.02)
    assert estimate(replace(JOB, batch=2)) == pytest.approx(4 / 3 * limit, rel=0.02)
    fits = trier(lambda job, effort: measure(job, effort, lambda _: None), Effort(memory=limit))
    bounds = bounded(SHAPE, Bounds(batch=3, confirm=False))
    room = 1.5 * limit  # the estimate says that two fit
    found = what_fits(JOB, [4096], [], fits, estimate, room, bounds, lambda _: None)
    (answer,) = found.batches
    assert [(each.batch, each.fits) for each in found.tries] == [(2, False), (1, True)]
    assert (answer.largest, answer.found.exact, found.ended) == (1, True, "")
