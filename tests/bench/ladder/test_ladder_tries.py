"""A try runs a step or two of the job; how it ends decides how the search continues."""

from dataclasses import replace
from datetime import date

import pytest

from bench.tiny_job import JOB, SHAPE
from scalesheet.steps.job import Effort, Job
from scalesheet.steps.record import Record
from scalesheet_bench.ladder.fits import Bounds, Fits, what_fits
from scalesheet_bench.ladder.search import Ended
from scalesheet_bench.ladder.tell import fits_data, fits_text
from scalesheet_bench.ladder.tries import bounded, trier
from scalesheet_bench.train import Failed, NoDevice, NotMeasured, OutOfMemory


def answering(*answers: NotMeasured | bool) -> tuple[list[Effort], Fits]:
    """A machine whose tries end like this: True with a record, False with an interrupted one."""
    efforts: list[Effort] = []
    left = iter(answers)

    def take(job: Job, effort: Effort) -> Record:
        efforts.append(effort)
        answer = next(left)
        if isinstance(answer, NotMeasured):
            raise answer
        return Record(job, "measured", date(2026, 11, 22), "", interrupted=not answer)

    return efforts, trier(take, Effort(memory=5.0, seconds=9.0, at_least=8, profile=True))


def test_a_try_is_short_and_has_the_same_memory_limit() -> None:
    efforts, fits = answering(True)
    assert fits(JOB)
    (effort,) = efforts
    assert (effort.at_most, effort.warmup, effort.profile) == (1, 1, False)
    assert (effort.memory, effort.seconds) == (5.0, 9.0)


def test_out_of_memory_means_it_does_not_fit() -> None:
    _, fits = answering(OutOfMemory("no room"), True)
    assert not fits(JOB)
    assert fits(JOB)


def test_another_failure_ends_the_search() -> None:
    _, fits = answering(Failed("signal 11"))
    with pytest.raises(Ended, match="signal 11"):
        fits(JOB)


def test_errors_that_no_size_would_fix_are_raised() -> None:
    _, fits = answering(NoDevice("no such device"))
    with pytest.raises(NoDevice):
        fits(JOB)


def test_an_interrupt_ends_the_search_with_the_answers_so_far() -> None:
    _, fits = answering(True, OutOfMemory("no room"), False)
    found = what_fits(
        JOB,
        [512, 1024],
        [],
        fits,
        lambda job: float(job.batch),
        16.0,
        Bounds(batch=64, confirm=False),
        lambda _: None,
    )
    assert found.ended == "interrupted"
    assert len(found.tries) == 2
    assert found.batches[0].largest == 16
    assert "interrupted" in fits_text(found)


def test_no_length_beyond_the_models_positions_is_tried() -> None:
    assert bounded(SHAPE).length == 8192
    assert bounded(SHAPE, Bounds(length=1024)).length == 1024
    learned = replace(SHAPE, more={"positions": 2048, "max_sequence": 1e6})
    assert bounded(learned).length == 2048
    assert bounded(replace(SHAPE, more={})).length == Bounds().length


def test_the_result_as_text_and_as_data() -> None:
    found = what_fits(
        JOB,
        [512, 1024],
        [1],
        lambda job: job.batch * job.length <= 4096,
        lambda job: 1e9,
        2e9,
        Bounds(batch=6, length=2048),
        lambda _: None,
    )
    text = fits_text(found)
    assert text.startswith("Tiny with full, fp32 on epyc-9005-2-cores, 1.9 GiB\n")
    assert [line.split()[:2] for line in text.splitlines() if "tries" in line][:2] == [
        ["512", "6"],
        ["1,024", "4"],
    ]
    assert "6 and more" in text
    assert "2,048 and more" in text
    data = fits_data(found)
    assert data["batches"][1] == {
        "length": 1024,
        "largest_micro_batch": 4,
        "smallest_micro_batch_that_fails": 5,
        "exact": True,
    }
    assert len(data["tries"]) == len(found.tries)
