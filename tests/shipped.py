"""The book that ships, examined once for all tests of a run."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from scalesheet.build import Examined, examine

ROOT = Path(__file__).parents[1]


@cache
def shipped() -> Examined:
    return examine(ROOT / "data")
