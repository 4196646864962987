"""Search: the largest size that fits, by few tries, of a machine that only says yes or no."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise


class Ended(Exception):
    """No further size can be tried; the message says why. What is known by then is kept."""


#: The first step away from a guess is this part of it: estimates of memory are off by some per
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
    """What is known of a largest size after some tries.

    `fits` is the largest that did, 0 where none was seen to; `fails` the smallest that did not,
    None where none was seen to. The search is over when they are next to each other, or when
    `fits` is the bound.
    """

    bound: int
    tries: tuple[Try, ...] = ()
    ended: str = ""  # why no more was tried
    contradiction: str = ""  # how answers disagree: what fits does not go by size alone

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
        """Whether no larger size fits, or none that was allowed."""
        fails = self.fails
        return self.fits == self.bound or (fails is not None and fails == self.fits + 1)

    @property
    def bounded(self) -> bool:
        """Whether the largest that was allowed fits; more might."""
        return self.fits == self.bound


def largest(fits: Callable[[int], bool], guess: int, bound: int, *, sure: bool = False) -> Found:
    """The largest size from 1 to `bound` that fits, where every smaller one does.

    From the guess in steps that double, then by halves: at most 2 log2(bound) + 2 tries. The first
    step is a part of the guess, or 1 where that is `sure`, so that a right one takes two tries. No
    size above the bound is tried, and none
    twice. Ended and an interrupt end it with what is known.
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
    """The same with up to three further tries, which a machine that goes by size alone answers as
    it must: the largest again, half of it, and twice it where the bound allows. What disagrees is
    said."""
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
    """How the largest sizes at several lengths disagree, or nothing: more tokens in a sequence
    never leave room for more sequences. In the order of the lengths."""
    for (short, one), (long, other) in pairwise(result):
        fails = one.fails
        if fails is not None and other.fits >= fails:
            return (
                f"{other.fits:,} fit at length {long:,}, though {fails:,} do not at length "
                f"{short:,}"
            )
    return ""
