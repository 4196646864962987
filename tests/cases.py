"""A small book with a component, and a plan with a table of cases."""

from __future__ import annotations

from pathlib import Path

from scalesheet.book import Book
from scalesheet.examine import examine
from small import HEAD, lay

ENERGY = """\
title: Energy of a run
summary: What a run draws.
inputs:
  card: {ref: hardware}
  hours: {unit: hour}
  load: {unit: 1, value: 0.5, low: 0.25, high: 1, kind: assumption}
  gpus: {unit: GPU, value: 1, domain: count, kind: decision}
  ways: {unit: 1, value: 1, domain: count, kind: decision}
quantities:
  watts: {value: 100, unit: W / GPU, kind: assumption}
  drawn: {unit: W, formula: watts * load * gpus}
  energy: {unit: W * hour, formula: drawn * hours}
  twice: {unit: W * hour, formula: 2 * energy}
  most: {value: 1_000, unit: W, kind: decision}
  wall_hours: {unit: hour, formula: hours / ways}
conditions:
  some:
    title: It runs
    holds: hours > 0
    says: "text('{hours:.0 hour} ', 'is some time' if holds else 'is no time')"
  few:
    title: Few cards
    holds: gpus <= (4 as GPU)
    says: "text('{gpus} cards are ', 'few' if holds else 'too many')"
choose:
  among: {ways: [1, 2, 4]}
  within: {drawn: most}
  least: wall_hours
outputs: [energy, twice]
examples:
  - {given: {card: card, hours: 10}, expect: {energy: 500, status: can run}}
  - {given: {card: card, hours: 10, gpus: 5}, expect: {energy: 5 cards are too many}}
"""
#: What is said of TABLE: its row "none" cannot run, so its total has no value.
NO_TOTAL = (
    "V020 runs['none']: 8 cards are too many: the headline 'Energy in total, Runs' has no value"
)

TABLE = """\
headline: [runs.total.energy]
scalars:
  days: {value: 2, unit: hour, domain: positive}
  drawn: {value: 7, unit: hour}
  least: {value: 400, unit: W * hour}
  pick: {ref: runs, value: none}
  picked: {unit: W * hour, formula: pick.energy}
  more: {unit: W * hour, formula: "2 * runs['none'].twice + runs['one'].twice"}
  known_ones: {unit: 1, formula: "(1 if known(runs['none'].energy) else 0) + count(runs.energy)"}
tables:
  runs:
    of: energy
    with: {card: card, load: 0.8}
    rows:
      one: {hours: days * 3}
      two: {hours: 10, gpus: 4, load: 0.5}
      none: {hours: drawn, gpus: 8}
    columns:
      rate: {unit: W, formula: energy / hours}
      much: {words: [much, little], formula: "'much' if energy > least else 'little'"}
    total: [energy]
  bills:
    columns:
      run: {ref: runs}
      owed: {unit: W * hour, formula: 3 * run.energy}
    rows:
      first: {run: one}
      second: {run: none}
charts:
  drawn: {title: Energy, kind: bar, table: runs, column: energy, alt: A bar for each case.}
"""


#: The files of the plan `cases` and its component.
FILES = {
    "components/energy.yaml": ENERGY,
    "plans/cases/page.md": "# A plan\n",
    "plans/cases/plan.yaml": HEAD + TABLE,
}


def cases_book(folder: Path, more: str = "") -> Book:
    """The book, written to a folder; its plan is `cases`, with `more` tables."""
    files = {name: text.replace("tables:\n", f"tables:\n{more}") for name, text in FILES.items()}
    examined = examine(lay(folder, files))
    assert examined.book is not None, examined.diagnostics
    return examined.book


#: A component that chooses the number of parts of a job.
JOB = """\
title: A job
summary: How long a job takes, cut into parts that fit.
inputs:
  size: {unit: GB, domain: positive}
  room: {value: 10, unit: GB, domain: positive, kind: assumption}
  parts: {value: 1, unit: 1, domain: count, kind: decision}
  pace: {value: 2, unit: hour, domain: positive, kind: assumption}
quantities:
  need: {unit: GB, domain: positive, formula: size / parts}
  most: {unit: GB, domain: positive, formula: room}
  hours: {unit: hour, formula: pace * parts}
conditions:
  few: {title: There are few parts, holds: parts <= 8, says: "text('{parts} parts')"}
choose:
  among: {parts: [1, 2, 4, 8]}
  within: {need: most}
  least: hours
outputs: [need, hours]
examples: [{given: {size: 8}, expect: {hours: 2}}]
"""
JOBS = """\
headline: [jobs.total.hours]
scalars:
  data: {value: 8, unit: GB, domain: positive, kind: decision}
tables:
  jobs:
    of: job
    with: {size: data}
    rows:
      free: {}
      fixed: {parts: 4}
    total: [hours]
"""
