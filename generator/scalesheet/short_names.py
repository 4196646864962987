"""The short names of a plan's figures: `total.cost` stands for `phases.total.cost`."""

from __future__ import annotations

from collections.abc import Container, Iterable

PHASES = "phases."
TOTAL = f"{PHASES}total."


def in_full(name: str, known: Container[str]) -> str:
    """The name under which a figure is known; unchanged if it is known under neither."""
    full = f"{PHASES}{name}"
    return full if name not in known and full in known else name


def as_written(names: Iterable[str]) -> list[str]:
    """The names, and the short ones, to suggest from."""
    every = list(names)
    return [*every, *(each.removeprefix(PHASES) for each in every if each.startswith(TOTAL))]
