"""Decides whether to measure or simulate, and says why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

How = Literal["run", "simulate"]
INSTALL = "pip install 'scalesheet[bench]'"


@dataclass(frozen=True)
class Chosen:
    how: How
    because: str


def chosen(*, torch: bool, absent: str, misfit: str) -> Chosen:
    """Return how to handle a job by default.

    `absent` says why its accelerator is not in this machine, `misfit` why it does not fit; both are
    empty if it is and does.
    """
    if not torch:
        return Chosen("simulate", f"PyTorch is not installed ({INSTALL})")
    if absent:
        return Chosen("simulate", absent)
    if misfit:
        return Chosen("simulate", misfit)
    return Chosen("run", "PyTorch and the accelerator are here, and it fits by the catalogue")
