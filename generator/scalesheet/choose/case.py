"""One case: a method on so many accelerators of a kind.

The layout that the search takes for it, and what changing one thing would give. The site's front
page answers with these; `render/live/case.js` finds the same in the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from scalesheet.choose.binding import nearest
from scalesheet.choose.search import Search
from scalesheet.predict.arrays import Flags
from scalesheet.vocabulary import TUNING

#: No more accelerators than these are tried.
MOST_GPUS = 1024
#: The inputs that a change changes.
Change = tuple[str, ...]


@dataclass(frozen=True)
class Case:
    method: str  # as the search has it: full, lora
    accelerator: str
    gpus: int
    #: What of the layout is not to be found, by the plan's inputs.
    fixed: Mapping[str, float | str] = field(default_factory=dict)


def taken(found: Search, case: Case) -> int | None:
    """The cheapest row of a case that fits; where none does, the one that comes nearest to it."""
    rows = _rows(found, case)
    best = found.best(rows & found.fits)
    return nearest(found, "memory", rows) if best is None else best


def changes(found: Search, case: Case) -> Iterator[tuple[Change, Case, int]]:
    """What one change gives: the inputs that it changes, the case, and its row.

    Other methods, half and twice the accelerators, and the accelerator that is cheapest for it. Of
    a case that does not fit it is what would make it: then the counts go on until one fits.
    """
    row = taken(found, case)
    good = row is not None and bool(found.fits[row])
    tried = list(_tried(found, case, good))
    yield from (tried if good else [each for each in tried if found.fits[each[2]]] or tried)


def _tried(found: Search, case: Case, good: bool) -> Iterator[tuple[Change, Case, int]]:
    others = [replace(case, method=name) for name in TUNING if name != case.method]
    for other in others if case.method in TUNING else []:
        yield from _told(found, ("method",), other)
    if case.gpus % 2 == 0:
        yield from _told(found, ("gpus",), replace(case, gpus=case.gpus // 2))
    more = replace(case, gpus=case.gpus * 2)
    row = taken(found, more)
    while not good and row is not None and not found.fits[row] and more.gpus < MOST_GPUS:
        more = replace(more, gpus=more.gpus * 2)
        row = taken(found, more)
    if row is not None:
        yield ("gpus",), more, row
    yield from _elsewhere(found, case)


def _elsewhere(found: Search, case: Case) -> Iterator[tuple[Change, Case, int]]:
    """The accelerator that is cheapest for the case; where none fits, in a larger number."""
    gpus = case.gpus
    while gpus <= MOST_GPUS:
        elsewhere = ~_on(found, case.accelerator)
        row = found.best(
            _rows(found, replace(case, accelerator="", gpus=gpus)) & elsewhere & found.fits
        )
        if row is not None:
            accelerator = str(found.grid.accelerator[found.at[row]])
            changed = ("gpu",) if gpus == case.gpus else ("gpu", "gpus")
            yield changed, replace(case, accelerator=accelerator, gpus=gpus), row
            return
        gpus *= 2


def _told(found: Search, names: Change, case: Case) -> Iterator[tuple[Change, Case, int]]:
    row = taken(found, case)
    if row is not None:
        yield names, case, row


def _rows(found: Search, case: Case) -> Flags:
    """The rows of a case; without an accelerator those on any."""
    made = found.grid
    same = np.equal(made.method, case.method) & (made.gpus == case.gpus)
    for name, value in case.fixed.items():
        same &= np.equal(getattr(made, name), value)
    rows: Flags = same[found.at]
    return rows & _on(found, case.accelerator) if case.accelerator else rows


def _on(found: Search, accelerator: str) -> Flags:
    rows: Flags = np.equal(found.grid.accelerator, accelerator)[found.at]
    return rows
