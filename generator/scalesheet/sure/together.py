"""The effect of each unknown including interactions: total Sobol indices, by Jansen's estimator.

One draw in eight is repeated for each unknown, with the unknown's own draws shifted by one and all
others unchanged. Half the mean square of the resulting change is the variance that remains when
everything else is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from scalesheet.book import Book
from scalesheet.evaluate import Overrides
from scalesheet.model import Plan
from scalesheet.sure.draws import Drawn, Uniforms, drawn
from scalesheet.sure.shapes import Array

AGAIN = 8  # one in this many draws is repeated


def together(
    book: Book,
    plan: Plan,
    figures: Sequence[str],
    sample: Drawn,
    overrides: Overrides | None,
    uniforms: Uniforms,
) -> Mapping[str, Mapping[str, float]]:
    """The total index, from 0 to 1, by figure and unknown; constant figures are left out."""
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
