"""Regimes of published rows: what makes a prediction hard, each scored separately."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from scalesheet.predict.arrays import Flags, among
from scalesheet.predict.cases import Cases
from scalesheet.predict.fits.apart import LONG, alone, chips
from scalesheet.predict.loss import within_fit
from scalesheet.predict.score.truth import Published

LARGE = 1024  # accelerators, above which rows are rare
#: Peaks above this multiple of the 16-bit rate use fewer bits.
FASTER = 1.5

_OF_STEPS: Mapping[str, Callable[[Cases], Flags]] = {
    "products in FP8": lambda cases: cases.peak > FASTER * cases.sixteen,
    "mixture of experts": lambda cases: cases.active < 0.99 * cases.parameters,
    "adapters": lambda cases: among(cases.method, "lora", "qlora", "adapter"),
    f"more than {LARGE:,} accelerators": lambda cases: cases.gpus > LARGE,
    f"sequences over {LONG:,} tokens": lambda cases: cases.sequence > LONG,
    "software not stated": lambda cases: among(cases.framework, ""),
    "architecture not known": lambda cases: ~cases.known,
}
ALONE = "accelerator in no other family"
WITHOUT = "accelerator left out with all its rows"
OUTSIDE = "sizes or tokens far from those of the fit"
PLAIN = "none of these"


def regimes(task: str, data: Published, counted: Flags) -> dict[str, Flags]:
    """The rows of each regime that has any, and the rows of no regime. Regimes may overlap."""
    if task == "loss":
        found = {OUTSIDE: ~within_fit(data.cases)}
    else:
        found = {name: np.asarray(is_of(data.cases)) for name, is_of in _OF_STEPS.items()}
        found[ALONE] = counted.copy()
        found[ALONE][counted] = alone(chips(data.cases.only(counted)), data.family[counted])
    found = {name: flags & counted for name, flags in found.items() if (flags & counted).any()}
    plain = counted & ~np.logical_or.reduce([*found.values(), np.zeros(len(counted), dtype=bool)])
    return {**found, PLAIN: plain} if plain.any() else found
