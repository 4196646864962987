"""What fits, on a simulated machine whose memory use follows a formula of batch and length."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalesheet.steps.job import Job, Shape
from scalesheet_bench.ladder.fits import GRAIN, Bounds, what_fits
from scalesheet_bench.ladder.search import Ended

SHAPE = Shape("tiny", "Tiny", 2, 64, 4, 4, 16, 128, 256, True, False, 1e5, 1e5)
JOB = Job(SHAPE, "a-processor")
ROOM = 16e9


class Machine:
    """A machine that needs `fixed` bytes, plus some per token and some per pair of tokens."""

    def __init__(self, fixed: float, token: float, pair: float = 0.0) -> None:
        self.fixed, self.token, self.pair = fixed, token, pair
        self.asked: list[tuple[int, int]] = []

    def needs(self, job: Job) -> float:
        return self.fixed + job.batch * (self.token * job.length + self.pair * job.length**2)

    def fits(self, job: Job) -> bool:
        self.asked.append((job.batch, job.length))
        return self.needs(job) <= ROOM


def quiet(_: str) -> None:
    pass


@given(
    st.floats(1e6, 15e9),
    st.floats(1e3, 1e7),
    st.floats(0, 1e3),
    st.floats(0.5, 2.0),
)
def test_the_answers_come_from_the_machine_and_not_from_the_estimate(
    fixed: float, token: float, pair: float, off: float
) -> None:
    machine = Machine(fixed, token, pair)
    bounds = Bounds(batch=64, length=16_384, confirm=False)
    found = what_fits(
        JOB,
        [4096, 512],
        [1, 4],
        machine.fits,
        lambda job: off * machine.needs(job),
        ROOM,
        bounds,
        quiet,
    )
    assert [answer.at for answer in found.batches] == [512, 4096]
    for answer in found.batches:
        at = replace(JOB, length=answer.at)
        best = max(
            (n for n in range(1, 65) if machine.needs(replace(at, batch=n)) <= ROOM), default=0
        )
        assert (answer.largest, answer.found.exact) == (best, True)
    for answer in found.lengths:
        at = replace(JOB, batch=answer.at)
        best = max(
            (
                n
                for n in range(GRAIN, 16_385, GRAIN)
                if machine.needs(replace(at, length=n)) <= ROOM
            ),
            default=0,
        )
        assert (answer.largest, answer.found.exact) == (best, True)
    assert len(machine.asked) == len(found.tries) == len(set(machine.asked))
    assert all(batch <= 64 and length <= 16_384 for batch, length in machine.asked)
    assert not found.contradictions
    assert not found.ended


def test_a_correct_estimate_takes_two_tries_for_each_answer() -> None:
    machine = Machine(2e9, 1e6, 10)
    bounds = Bounds(batch=1000, confirm=False)
    what_fits(JOB, [1024, 2048, 4096], [], machine.fits, machine.needs, ROOM, bounds, quiet)
    assert len(machine.asked) <= 2 * 3


def test_the_first_boundary_corrects_the_estimate() -> None:
    """An estimate that is off by a factor misleads only the first search."""
    machine = Machine(1e6, 1e5)
    bounds = Bounds(batch=4096, confirm=False)
    found = what_fits(
        JOB,
        [128, 256, 512, 1024],
        [],
        machine.fits,
        lambda job: 3 * machine.needs(job),
        ROOM,
        bounds,
        quiet,
    )
    counted = [len(answer.found.tries) for answer in found.batches]
    assert counted[0] > 6
    assert max(counted[1:]) <= 3


def test_no_try_starts_after_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 10_000, 7))
    monkeypatch.setattr("scalesheet_bench.ladder.fits.monotonic", lambda: float(next(clock)))
    machine = Machine(1e6, 1e5)
    bounds = Bounds(seconds=30.0)
    found = what_fits(JOB, [1024, 2048], [1], machine.fits, lambda _: 1.0, ROOM, bounds, quiet)
    assert found.ended == "this search reached its limit of 30 s"
    assert len(found.tries) == len(machine.asked) <= 3
    assert len(found.batches) == 1


def test_a_failure_of_the_machine_keeps_earlier_answers() -> None:
    machine = Machine(1e6, 1e5)

    def fits(job: Job) -> bool:
        if job.length == 2048:
            raise Ended("the device is gone")
        return machine.fits(job)

    found = what_fits(JOB, [1024, 2048], [1], fits, machine.needs, ROOM, Bounds(), quiet)
    assert found.ended == "the device is gone"
    assert found.batches[0].found.exact
    assert (found.batches[1].largest, found.lengths) == (0, ())


def test_a_machine_whose_answers_are_not_monotone_is_reported() -> None:
    fits = {(n, 512): n <= 8 or n == 16 for n in range(1, 100)}
    found = what_fits(
        JOB,
        [512],
        [],
        lambda job: fits[job.batch, job.length],
        lambda job: float(job.batch),
        8.0,
        Bounds(batch=99),
        quiet,
    )
    assert found.contradictions == ("16 fits, though 9 does not",)
