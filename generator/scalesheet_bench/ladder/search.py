"""Finds the largest size that fits, with few tries of a machine that only says yes or no."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise


class Ended(Exception):
    """No further size can be tried; the message says why. The results so far are kept."""


#: The first step away from a guess is this fraction of it: estimates of memory are off by a few per
#: cent.
FIRST_STEP = 16
INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Try:
    """A size that was tried, and whether it fit."""

    size: int
    fits: bool


@dataclass(frozen=True)
class Found:
    """What some tries say about the largest size.

    `fits` is the largest size that fit, 0 if none did; `fails` is the smallest that did not, None
    if there is none. The search is over when they are adjacent, or when `fits` is the bound.
    """

    bound: int
    tries: tuple[Try, ...] = ()
    ended: str = ""  # why the search ended early
    contradiction: str = ""  # how answers disagree: fitting does not depend only on size

    @property
    def fits(self) -> int:
        fails = self.fails
        return max(
            (t.size for t in self.tries if t.fits and (fails is None or t.size < fails)), default=0
        )

    @property
    def fails(self) -> int | None:
        return min((t.size for t in self.tries if not t.fits), default=None)

    @property
    def exact(self) -> bool:
        """Return whether no larger size fits, or none is allowed."""
        fails = self.fails
        return self.fits == self.bound or (fails is not None and fails == self.fits + 1)

    @property
    def bounded(self) -> bool:
        """Return whether the largest allowed size fits; larger ones might, too."""
        return self.fits == self.bound


def largest(fits: Callable[[int], bool], guess: int, bound: int, *, sure: bool = False) -> Found:
    """Find the largest size from 1 to `bound` that fits, if all smaller ones do.

    It starts at the guess with doubling steps, then bisects: at most 2 log2(bound) + 2 tries. The
    first step is a fraction of the guess, or 1 if that is `sure`, so that a correct guess takes two
    tries. No size above the bound is tried, and none twice. After Ended or an interrupt, the
    results so far are returned.
    """
    if bound < 1:
        raise ValueError(f"a search up to {bound}: expected a bound of 1 or more")
    tries: list[Try] = []
    ended = ""
    try:
        guess = min(max(guess, 1), bound)
        _searched(fits, guess, 1 if sure else max(1, guess // FIRST_STEP), bound, tries)
    except KeyboardInterrupt:
        ended = INTERRUPTED
    except Ended as why:
        ended = str(why)
    return Found(bound, tuple(tries), ended)


def _searched(
    fits: Callable[[int], bool], guess: int, step: int, bound: int, tries: list[Try]
) -> None:
    def tried(size: int) -> bool:
        answer = fits(size)
        tries.append(Try(size, answer))
        return answer

    if tried(guess):
        low, high = guess, bound + 1
        while low < bound:
            at = min(low + step, bound)
            if not tried(at):
                high = at
                break
            low, step = at, 2 * step
    else:
        low, high = 0, guess
        while high > 1:
            at = max(high - step, 1)
            if tried(at):
                low = at
                break
            high, step = at, 2 * step
    while high - low > 1:
        at = (low + high) // 2
        if tried(at):
            low = at
        else:
            high = at


def confirmed(fits: Callable[[int], bool], result: Found) -> Found:
    """Check the result with up to three further tries, and report contradictions.

    They are the largest size again, half of it, and twice it if the bound allows. If only size
    matters, the answers are known in advance.
    """
    best = result.fits
    tries = list(result.tries)
    known = {t.size: t.fits for t in tries}
    asked: list[tuple[int, bool]] = []
    if best:
        asked.append((best, True))
    if best // 2 and best // 2 not in known:
        asked.append((best // 2, True))
    double = min(2 * max(best, 1), result.bound)
    if not result.bounded and double not in known:
        asked.append((double, False))
    wrong: list[str] = []
    for size, expected in asked:
        try:
            answer = fits(size)
        except KeyboardInterrupt:
            return Found(result.bound, tuple(tries), INTERRUPTED, "; ".join(wrong))
        except Ended as why:
            return Found(result.bound, tuple(tries), str(why), "; ".join(wrong))
        tries.append(Try(size, answer))
        if answer != expected:
            wrong.append(_disagreement(size, answer, best))
    return Found(result.bound, tuple(tries), result.ended, "; ".join(wrong))


def _disagreement(size: int, answer: bool, best: int) -> str:
    if size == best:
        return f"{size:,} fit at first and did not when it was tried again"
    if answer:
        return f"{size:,} fits, though {best + 1:,} does not"
    return f"{size:,} does not fit, though {best:,} does"


def across(result: Sequence[tuple[int, Found]]) -> str:
    """How the largest sizes at several lengths contradict each other, or nothing.

    Longer sequences never leave room for more of them. In the order of the lengths.
    """
    for (short, one), (long, other) in pairwise(result):
        fails = one.fails
        if fails is not None and other.fits >= fails:
            return (
                f"{other.fits:,} fit at length {long:,}, though {fails:,} do not at length "
                f"{short:,}"
            )
    return ""
