"""Checks whether runs that are predicted to fit did, in families that the fit has not seen."""

from __future__ import annotations

import numpy as np

from scalesheet.book import Book
from scalesheet.frozen import dataclass
from scalesheet.predict.arrays import given, unstated
from scalesheet.predict.fits.holdout import folds
from scalesheet.predict.memory import fits, peaks, unsupported_memory
from scalesheet.predict.score.truth import Published

#: How far a published peak may exceed the predicted upper limit.
SLACK = 1.1


@dataclass(frozen=True)
class Room:
    """The number of scored rows, and of those predicted to fit; in each group, the rows whose peak
    exceeds SLACK times their upper limit. `burst` counts rows that ran out of memory; `let` are
    those of them that are predicted to fit.
    """

    rows: int
    fits: int
    above: tuple[str, ...]
    fits_above: tuple[str, ...]
    burst: int
    let: tuple[str, ...]


def room(book: Book, data: Published) -> Room:
    """Judge each family with a fit to all others."""
    able = ~given(unsupported_memory(data.cases)) & ~given(data.cases.unsupported)
    scored = able & data.scored
    burst = able & np.array(["out_of_memory" in row.result for row in data.rows], dtype=bool)
    most, fit = unstated(len(scored)), np.zeros(len(scored), dtype=bool)
    seen = peaks(book, data.cases.only(scored), data.truth[scored], data.family[scored])
    for others, own in folds(data.family):
        rows = own & (scored | burst)
        if rows.any():
            fitted = seen.only(others[scored]).fit()
            fit[rows], most[rows] = fits(book, data.cases.only(rows), fitted)
    above = scored & (data.truth > SLACK * most)
    return Room(
        rows=int(scored.sum()),
        fits=int((scored & fit).sum()),
        above=tuple(data.cases.ids[above].tolist()),
        fits_above=tuple(data.cases.ids[above & fit].tolist()),
        burst=int(burst.sum()),
        let=tuple(data.cases.ids[burst & fit].tolist()),
    )
