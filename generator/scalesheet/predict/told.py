"""Remarks next to a predicted number: the figure without restarts, and whether memory suffices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from scalesheet.book import Book
from scalesheet.predict import memory
from scalesheet.predict.arrays import Words, among, joined, no_words, words
from scalesheet.predict.cases import Cases
from scalesheet.predict.fits import Coefficients, coefficients
from scalesheet.predict.table import Predictions, supported
from scalesheet.vocabulary import gpu_hours

GIB = 2.0**30
AWAY = "in host memory"
BY_HOST = f"fits only with states {AWAY}; the extra time is not counted"
NO_ROOM = (
    "does not fit into memory: needs at least {low:.3g} GiB, {row} has {room:.3g} GiB available"
)


def told(book: Book, task: str, cases: Cases, made: Predictions) -> Predictions:
    """Add both hours or both rates in words, and a remark if the run does not fit."""
    if task not in ("runs", "throughput"):
        return made
    said = joined(
        _net(book, task, cases, made), _no_room(book, cases, made, coefficients(book, "memory"))
    )
    said[~supported(made)] = ""
    return replace(made, method=joined(made.method, said))


def _net(book: Book, task: str, cases: Cases, made: Predictions) -> Words:
    """The figure without restarts, evaluation and the like, or with them."""
    share = float(np.exp(-coefficients(book, "runs").get("gross", 0.0)))
    other = (made.predicted * share).tolist()
    if task == "runs":
        return words([f"{gpu_hours(each)} without restarts and evaluation" for each in other])
    rates = words([f"in a whole run, with restarts and evaluation, {rate:,.0f}" for rate in other])
    rates[~among(cases.method, "pretrain")] = ""
    return rates


def _no_room(book: Book, cases: Cases, made: Predictions, fit: Coefficients) -> Words:
    """Remark on rows whose low end of memory exceeds the accelerator's, in the stated layout and
    with every saving left open. Only rows with a known number of accelerators are checked.
    """
    said = no_words(len(cases))
    rows = np.flatnonzero(supported(made) & ~np.isnan(cases.gpus) & ~np.isnan(cases.memory))
    if not fit or not len(rows):
        return said
    some = cases.only(rows)
    low, room, taken = memory.least(book, some, fit)
    silent = among(some.offload, "")  # only rows that state no offload are judged
    for at in np.flatnonzero(silent & (low > room)).tolist():
        has = {"low": low[at] / GIB, "row": some.accelerator[at], "room": room[at] / GIB}
        said[rows[at]] = NO_ROOM.format(**has)
    by_host = [AWAY in text for text in taken.tolist()]
    said[rows[silent & (low <= room) & np.array(by_host)]] = BY_HOST
    return said
