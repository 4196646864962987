"""The known name that is nearest to one that is not known."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache

MOST_LISTED = 8  # names, where none is near
#: Names that one is compared with, on either side of its place in the order of the alphabet.
MOST_COMPARED = 250


def nearest(name: str, known: Iterable[str], listed: str = "") -> str:
    """`; did you mean 'x'?`, or nothing; with `listed` then `; <listed>: a, b, c and 4 more`."""
    names = tuple(known)
    folded = name.casefold()
    close = next((each for each in names if each.casefold() == folded), None)
    close = close or _at_both_ends(folded, names) or near(name, names, 0.5)
    if close is not None:
        return f"; did you mean '{close}'?"
    if not listed or not names:
        return ""
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return f"; {listed}: {', '.join(names[:MOST_LISTED])}{more}"


def _at_both_ends(name: str, names: tuple[str, ...]) -> str | None:
    """`runs.all.gpus` for `gpus` and `runs.gpus`: a longer name with the same ends."""
    first, dot, last = name.rpartition(".")
    return next((n for n in names if n.startswith(first + dot) and n.endswith(f".{last}")), None)


def near(name: str, names: tuple[str, ...], likeness: float) -> str | None:
    """The name that is most like it, at least as much as `likeness`, from 0 to 1: what
    `difflib.get_close_matches` gives, which compares in full even where the letters that two names
    share are too few to be better than what was found."""
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(b=name)
    letters = [(letter, name.count(letter)) for letter in set(name)]
    result, most = None, likeness
    for other in _neighbors(name, names):
        shared = 0
        for letter, number in letters:
            found = other.count(letter)
            shared += found if found < number else number
        if shared and 2 * shared / (len(name) + len(other)) >= most:
            matcher.set_seq1(other)
            ratio = matcher.ratio()
            if ratio > most or (ratio == most and (result is None or other > result)):
                result, most = other, ratio
    return result


def _neighbors(name: str, names: tuple[str, ...]) -> Iterable[str]:
    """All names, or of very many those that begin or end like it: comparing takes microseconds a
    name, and a book may have ten thousand names and as many mistakes."""
    if len(names) <= 2 * MOST_COMPARED:
        return names
    near: dict[str, None] = {}
    for ordered, turned in zip(_ordered(names), (name, name[::-1]), strict=True):
        place = bisect_left(ordered, turned)
        around = ordered[max(0, place - MOST_COMPARED) : place + MOST_COMPARED]
        near.update(dict.fromkeys(around if turned is name else (each[::-1] for each in around)))
    return near


@lru_cache(maxsize=8)
def _ordered(names: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """The names in order, and read backwards in order."""
    return sorted(names), sorted(name[::-1] for name in names)
