"""What each unknown does together with others: total Sobol indices, by Jansen's estimator.

One draw of eight is made once more for each unknown, with its own draws moved on by one and those
of all others as they were. Half the mean square of what that changes is the variance that is left
when everything else is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from scalesheet.book import Book
from scalesheet.evaluate import Overrides
from scalesheet.model import Plan
from scalesheet.sure.draws import Drawn, Uniforms, drawn
from scalesheet.sure.shapes import Array

AGAIN = 8  # one draw of so many is made once more


def together(
    book: Book,
    plan: Plan,
    figures: Sequence[str],
    sample: Drawn,
    overrides: Overrides | None,
    uniforms: Uniforms,
) -> Mapping[str, Mapping[str, float]]:
    """By figure and unknown the total index, from 0 to 1; none of a figure that does not vary."""
    names = [each.name for each in sample.unknowns]
    if not names:
        return {}

    def moved(name: str) -> Array:
        own = uniforms(name)
        first = own[: len(own) // AGAIN]
        each = np.tile(first, (len(names), 1))
        if name in names:
            each[names.index(name)] = np.roll(first, 1)
        return each.ravel()

    size = len(uniforms(names[0])) // AGAIN
    again = drawn(book, plan, figures, overrides, uniforms=moved, draws=size * len(names))
    found: dict[str, dict[str, float]] = {}
    for name in figures:
        first, others = sample.figures[name][:size], again.figures[name].reshape(-1, size)
        variance = float(np.nanvar(first)) if not np.isnan(first).all() else 0.0
        if variance > 0:
            squares = np.nanmean((others - first) ** 2, axis=1) / 2 / variance
            found[name] = dict(zip(names, np.clip(squares, 0, 1).tolist(), strict=True))
    return found
