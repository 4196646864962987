"""The largest size that fits: properties of the search on simulated machines."""

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalesheet_bench.ladder.search import Ended, Found, Try, across, confirmed, largest

BOUNDS = st.integers(1, 100_000)


@st.composite
def machines(draw: st.DrawFn) -> tuple[int, int, int]:
    """A bound, the largest size that fits (0: none; the bound: every size), and a guess."""
    bound = draw(BOUNDS)
    return bound, draw(st.integers(0, bound)), draw(st.integers(-5, 2 * bound))


@given(machines())
def test_the_boundary_of_any_monotone_machine_is_found_exactly(
    machine: tuple[int, int, int],
) -> None:
    bound, best, guess = machine
    found = largest(lambda size: size <= best, guess, bound)
    assert found.fits == best
    assert found.exact
    assert found.bounded == (best == bound)
    sizes = [each.size for each in found.tries]
    assert len(set(sizes)) == len(sizes)
    assert all(1 <= size <= bound for size in sizes)
    assert len(sizes) <= 2 * log2(bound) + 2


@given(st.integers(1, 50_000), st.integers(1, 100))
def test_an_exact_guess_takes_two_tries_and_a_close_one_few(best: int, off: int) -> None:
    bound = 100_000
    assert len(largest(lambda size: size <= best, best, bound, sure=True).tries) == 2
    guess = max(1, best + best * (off - 50) // 1000)  # within 5 %
    found = largest(lambda size: size <= best, guess, bound)
    assert len(found.tries) <= 4 + log2(max(1, best // 8))


@given(machines(), st.integers(0, 12))
def test_an_early_end_keeps_the_answers_so_far(machine: tuple[int, int, int], after: int) -> None:
    bound, best, guess = machine
    asked: list[int] = []

    def fits(size: int) -> bool:
        if len(asked) == after:
            raise KeyboardInterrupt if after % 2 else Ended("the time is over")
        asked.append(size)
        return size <= best

    found = largest(fits, guess, bound)
    assert found.fits <= best < (found.fails or bound + 1)
    assert [each.size for each in found.tries] == asked
    if not found.exact:
        assert found.ended == ("interrupted" if after % 2 else "the time is over")


@given(machines())
def test_a_monotone_machine_is_confirmed(machine: tuple[int, int, int]) -> None:
    bound, best, guess = machine
    found = largest(lambda size: size <= best, guess, bound)
    again = confirmed(lambda size: size <= best, found)
    assert (again.fits, again.fails, again.contradiction) == (found.fits, found.fails, "")
    assert len(again.tries) <= len(found.tries) + 3
    assert all(1 <= each.size <= bound for each in again.tries)


def test_a_size_that_fits_above_the_boundary_is_reported() -> None:
    odd = lambda size: size <= 40 or size >= 75  # noqa: E731
    found = confirmed(odd, largest(odd, 38, 1000))
    assert found.fits == 40
    assert found.contradiction == "80 fits, though 41 does not"


def test_a_size_that_does_not_fit_below_the_boundary_is_reported() -> None:
    odd = lambda size: size <= 40 and size != 20  # noqa: E731
    found = confirmed(odd, largest(odd, 40, 1000))
    assert found.contradiction == "20 does not fit, though 40 does"
    assert found.fits == 0  # no size below the smallest failing one was tried


def test_an_answer_that_changes_is_reported_and_not_trusted() -> None:
    found = Found(1000, (Try(64, True), Try(65, False)))
    again = confirmed(lambda size: size < 64, found)
    assert again.contradiction == "64 fit at first and did not when it was tried again"
    assert (again.fits, again.fails, again.exact) == (32, 64, False)


def test_longer_sequences_never_allow_more_of_them() -> None:
    def at(best: int) -> Found:
        return largest(lambda size: size <= best, best, 1000)

    assert across([(512, at(8)), (1024, at(4)), (2048, at(4))]) == ""
    assert across([(512, at(8)), (1024, at(9))]) == (
        "9 fit at length 1,024, though 9 do not at length 512"
    )


def test_a_bound_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a bound of 1 or more"):
        largest(lambda size: True, 1, 0)
