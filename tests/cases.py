"""A small book with a component, and a plan with a table of its cases."""

from __future__ import annotations

from pathlib import Path

from scalesheet.book import Book
from small import plan

ENERGY = """\
title: Energy of a run
summary: What a run draws.
inputs:
  card: {ref: hardware}
  hours: {unit: hour}
  load: {unit: 1, value: 0.5, low: 0.25, high: 1, kind: assumption}
  gpus: {unit: GPU, value: 1, domain: count, kind: decision}
quantities:
  watts: {value: 100, unit: W / GPU, kind: assumption}
  drawn: {unit: W, formula: watts * load * gpus}
  energy: {unit: W * hour, formula: drawn * hours}
  twice: {unit: W * hour, formula: 2 * energy}
conditions:
  some:
    title: It runs
    holds: hours > 0
    says: "text('{hours:.0 hour} ', 'is some time' if holds else 'is no time')"
  few:
    title: Few cards
    holds: gpus <= (4 as GPU)
    says: "text('{gpus} cards are ', 'few' if holds else 'too many')"
outputs: [energy, twice]
examples:
  - {given: {card: card, hours: 10}, expect: {energy: 500, status: can run}}
  - {given: {card: card, hours: 10, gpus: 5}, expect: {energy: 5 cards are too many}}
"""
TABLE = """\
headline: [runs.total.energy]
scalars:
  days: {value: 2, unit: hour, domain: positive}
  drawn: {value: 7, unit: hour}
tables:
  runs:
    of: energy
    with: {card: card, load: 0.8}
    rows:
      one: {hours: days * 3}
      two: {hours: 10, gpus: 4, load: 0.5}
      none: {hours: drawn, gpus: 8}
    total: [energy]
"""


def cases_book(folder: Path) -> Book:
    """The book, laid into a folder; its plan is `cases`."""
    examined = plan(folder, TABLE, {"components/energy.yaml": ENERGY}, name="cases")
    assert examined.book is not None, examined.diagnostics
    return examined.book
