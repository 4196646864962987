"""A plan whose figures depend on their inputs in every way that a sensitivity must follow.

Lookups into the catalogue and into a table, filtered sums, the best row, a guard, ends of ranges
in an expected value, a scenario's two sides, stated cells beside computed ones, phases.
"""

from __future__ import annotations

from pathlib import Path

from render.sample import FILES
from scalesheet.book import Book
from scalesheet.examine import compile_book

PLAN = """
title: A plan that moves
summary: For the sensitivity.
source: {key: memo}
scenarios: [corrected, written]
headline: [total.gpu_hours, cost, least, peak_hours, margin, filtered]
scalars:
  gpu: {ref: hardware, value: h100, title: Accelerator, source: {key: memo}}
  rate:
    {value: 2000, low: 1800, high: 2100, unit: step / hour, domain: positive, title: Rate,
     written: {value: 1900}, source: {key: memo}}
  wage:
    {value: 0, low: -1, high: 2, unit: USD, domain: signed, title: Wage, source: {key: memo}}
  share: {value: 0.95, unit: 1, domain: fraction, title: Share, source: {key: memo}}
  cards: {value: 8, unit: GPU, domain: count, title: Cards, source: {key: memo}}
  one: {value: 1, unit: 1, domain: count, title: One, source: {key: memo}}
  nothing: {value: 0, unit: USD, title: Nothing, source: {key: memo}}
  unused: {value: 5, unit: USD, title: Unused, source: {key: memo}}
  threshold: {value: 2500, unit: step, title: Threshold, source: {key: memo}}
  price: {value: 2.5, unit: USD / (GPU * hour), title: Price, source: {key: memo}}
  paid: {unit: USD, formula: price * total.gpu_hours * share, domain: non-negative}
  cost: {unit: USD, domain: signed, formula: (paid + nothing) * one + wage, title: Cost}
  least: {unit: hour, formula: argmin(options.hours).hours, title: Shortest}
  work: {value: 1e6, unit: TFLOP / GPU, domain: positive, title: Work, source: {key: memo}}
  peak_hours: {unit: hour, formula: work / gpu.dense_bf16, title: Hours at peak}
  margin: {unit: 1, domain: positive, formula: high(rate) / low(rate) * share, title: Margin}
  filtered:
    unit: step
    title: Long runs
    formula: sum(train.runs.steps where steps > threshold) * one
tables:
  options:
    title: Options
    columns:
      steps: {unit: step, domain: count, title: Steps}
      factor: {unit: 1, domain: positive, title: Factor}
      hours: {unit: hour, formula: steps * factor / rate, title: Hours}
    rows:
      small: {title: Small, steps: 1000, factor: {value: 2, low: 1, high: 3}}
      large: {title: Large, steps: 3000, factor: 1}
      none: {title: None, steps: {reason: not planned}, factor: 1}
      huge: {title: Huge, steps: {formula: 2 * threshold}, factor: 1}
phases:
  train:
    title: Training
    class: one_time
    gpus: {formula: cards}
    gpu_hours: {formula: train.runs.total.gpu_hours}
    hours: {formula: gpu_hours / gpus}
    tables:
      runs:
        title: Runs
        columns:
          steps: {unit: step, domain: count, title: Steps}
          gpu_hours:
            unit: GPU * hour
            formula: steps / rate * cards * (1 if steps > threshold else 2)
            title: GPU hours
        rows:
          first: {title: First, steps: {value: 20000, written: {value: 10000}}}
          second: {title: Second, steps: 2600}
        total: [steps, gpu_hours]
  test:
    title: Test
    class: one_time
    after: [train]
    gpus: {formula: cards}
    gpu_hours: {value: 4, unit: GPU * hour, kind: assumption, source: {key: memo}}
    hours: {formula: gpu_hours / gpus}
total: [gpu_hours]
"""


def moving_book(folder: Path) -> Book:
    """The sample's book with this plan instead of its own."""
    files = {name: text for name, text in FILES.items() if not name.startswith("plans/")}
    files |= {"plans/moving/plan.yaml": PLAN, "plans/moving/page.md": "A page.\n"}
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.lstrip("\n"), encoding="utf-8")
    return compile_book(folder)
