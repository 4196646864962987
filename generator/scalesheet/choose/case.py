"""One case: a method on so many accelerators of a kind.

The layout that the search takes for it, and what changing one thing would give. The site's front
page answers with these; `render/live/layouts.js` finds the same in the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from scalesheet.choose.binding import nearest
from scalesheet.choose.job import TUNING
from scalesheet.choose.search import Search
from scalesheet.predict.arrays import Flags


@dataclass(frozen=True)
class Case:
    method: str  # as the search has it: full, lora
    accelerator: str
    gpus: int


def taken(found: Search, case: Case) -> int | None:
    """The cheapest row of a case that fits; where none does, the one that comes nearest to it."""
    rows = _rows(found, case)
    best = found.best(rows & found.fits)
    return nearest(found, "memory", rows) if best is None else best


def changes(found: Search, case: Case) -> Iterator[tuple[str, Case, int]]:
    """What one change gives: the input that it changes, the case, and its row.

    Other methods, half and twice the accelerators, and the accelerator that is cheapest for it.
    """
    others = [replace(case, method=name) for name in TUNING if name != case.method]
    for other in others if case.method in TUNING else []:
        yield from _told(found, "method", other)
    halves = (case.gpus // 2,) if case.gpus % 2 == 0 else ()
    for count in (*halves, case.gpus * 2):
        yield from _told(found, "gpus", replace(case, gpus=count))
    made = found.grid
    elsewhere = np.not_equal(made.accelerator, case.accelerator)
    same: Flags = (
        elsewhere & np.equal(made.method, case.method) & (made.gpus == case.gpus)
    )[found.at]  # fmt: skip
    row = found.best(same & found.fits)
    if row is not None:
        accelerator = str(made.accelerator[found.at[row]])
        yield "gpu", replace(case, accelerator=accelerator), row


def _told(found: Search, name: str, case: Case) -> Iterator[tuple[str, Case, int]]:
    row = taken(found, case)
    if row is not None:
        yield name, case, row


def _rows(found: Search, case: Case) -> Flags:
    made = found.grid
    same = np.equal(made.method, case.method) & np.equal(made.accelerator, case.accelerator)
    rows: Flags = (same & (made.gpus == case.gpus))[found.at]
    return rows
