"""Suggests the known name nearest to an unknown one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache

MOST_LISTED = 8  # names listed if none is near
#: Names to compare on either side of the alphabetical position.
MOST_COMPARED = 100


def nearest(name: str, known: Iterable[str], listed: str = "", likeness: float = 0.5) -> str:
    """`; did you mean 'x'?`, or empty; with `listed` else `; <listed>: a, b, c and 4 more`."""
    names = tuple(known)
    folded = name.casefold()
    close = _by_folded(names).get(folded) or _at_both_ends(folded, names)
    if close is None and (several := _of_words(folded, names)):
        return _among(several)
    close = close or near(name, names, likeness)
    if close is not None:
        return f"; did you mean '{close}'?"
    if word := near(folded, tuple(_by_word(names)), 0.7):
        return _among(_by_word(names)[word])
    if not listed or not names:
        return ""
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return f"; {listed}: {', '.join(names[:MOST_LISTED])}{more}"


def _at_both_ends(name: str, names: tuple[str, ...]) -> str | None:
    """`runs.all.gpus` for `gpus` and `runs.gpus`: a longer name with the same start and end."""
    first, dot, last = name.rpartition(".")
    return next((n for n in _by_end(names).get(last, ()) if n.startswith(first + dot)), None)


@lru_cache(maxsize=8)
def _by_folded(names: tuple[str, ...]) -> dict[str, str]:
    """The first name for each spelling, ignoring case."""
    return {each.casefold(): each for each in reversed(names)}


@lru_cache(maxsize=8)
def _by_end(names: tuple[str, ...]) -> dict[str, list[str]]:
    """The dotted names, by the part after the last dot."""
    found: dict[str, list[str]] = {}
    for name in names:
        if "." in name:
            found.setdefault(name.rpartition(".")[2], []).append(name)
    return found


def _among(names: tuple[str, ...]) -> str:
    """`; did you mean 'a' or 'b'?` for several matches, shortest first."""
    ordered = sorted(names, key=lambda each: (len(each), each))
    quoted = [f"'{each}'" for each in ordered[: MOST_LISTED // 2]]
    if len(ordered) > len(quoted):
        return f"; did you mean one of these {len(ordered)}: {', '.join(quoted)}, ...?"
    *first, last = quoted
    return f"; did you mean {', '.join(first) + ' or ' if first else ''}{last}?"


def _of_words(name: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """The ids with all words of the name, such as `runpod-secure-h100-sxm` for `runpod-h100`."""
    words = name.split("-")
    found = _by_word(names).get(words[0], ())
    return tuple(each for each in found if set(words) <= set(each.casefold().split("-")))


@lru_cache(maxsize=8)
def _by_word(names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """The ids with several words, by each word."""
    found: dict[str, list[str]] = {}
    for name in names:
        for word in set(name.casefold().split("-")) if "-" in name else ():
            found.setdefault(word, []).append(name)
    return {word: tuple(each) for word, each in found.items()}


def near(name: str, names: tuple[str, ...], likeness: float) -> str | None:
    """The most similar name, with a similarity of at least `likeness` (0 to 1).

    Returns the same as `difflib.get_close_matches`, but faster: that compares in full even if two
    names share too few letters to beat the best so far.
    """
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
    """All names, or out of very many only those with a similar start or end.

    A comparison takes microseconds, and a book may have ten thousand names and as many mistakes.
    """
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
    """The names sorted, and the reversed names sorted."""
    return sorted(names), sorted(name[::-1] for name in names)
