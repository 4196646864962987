"""A small book for tests of the renderers: one plan with a bit of everything.

Ranges and exact values, choices, a scenario, reasons, a cross table, phases, a chart, totals, and
texts that a careless writer would store as formulas.
"""

from __future__ import annotations

from pathlib import Path

from scalesheet.book import Book
from scalesheet.examine import compile_book

FILES = {
    "book.yaml": """
title: Sample
edition: 2026-11-20
""",
    "units.yaml": """
units:
  second: {dimension: time, symbol: s, title: second}
  minute: {is: 60 * second, symbol: min, title: minute}
  hour: {is: 60 * minute, symbol: h, title: hour}
  day: {is: 24 * hour, symbol: d, title: day}
  byte: {dimension: information, symbol: B, title: byte}
  GB: {is: 1000000000 * byte, symbol: GB, title: gigabyte}
  GiB: {is: 1073741824 * byte, symbol: GiB, title: gibibyte}
  FLOP: {dimension: FLOP, symbol: FLOP, title: floating-point operation}
  TFLOP: {is: 1000000000000 * FLOP, symbol: TFLOP, title: 1e12 floating-point operations}
  USD: {dimension: currency, symbol: USD, title: US dollar}
  W: {dimension: power, symbol: W, title: watt}
  GPU: {dimension: GPU, symbol: GPU, title: accelerator, counted: true}
  node: {dimension: node, symbol: node, title: machine, counted: true}
  step: {dimension: step, symbol: step, title: optimizer step, counted: true}
  token: {dimension: token, symbol: token, title: token, counted: true}
  parameter: {dimension: parameter, symbol: param, title: parameter, counted: true}
  run: {dimension: run, symbol: run, title: run, counted: true}
""",
    "sources.yaml": """
sources:
  paper: {title: "=1+1 is a title", publisher: "@home", url: "https://example.org/a?b=1&c=2"}
  memo: {title: A memo, note: "no address"}
""",
    "hardware/h100.yaml": """
title: H100
vendor: NVIDIA
released: 2022-10-01
form_factor: module
memory: {value: 80, unit: GB, kind: spec, source: {key: paper}}
bandwidth: {value: 3350, unit: GB / second, kind: spec, source: {key: paper}}
dense_fp16: {value: 989.4, unit: TFLOP / (second * GPU), kind: spec, source: {key: paper}}
dense_bf16: {value: 989.4, unit: TFLOP / (second * GPU), kind: spec, source: {key: paper}}
power: {value: 700, unit: W / GPU, kind: spec, source: {key: paper}}
""",
    "hardware/t4.yaml": """
title: T4
vendor: NVIDIA
released: 2018-09-12
form_factor: card
memory: {value: 16, unit: GB, kind: spec, source: {key: paper, locator: page 2}, note: "-2 is text"}
bandwidth: {value: 320, unit: GB / second, kind: spec, source: {key: paper}}
dense_fp16: {value: 65, unit: TFLOP / (second * GPU), kind: spec, source: {key: paper}}
dense_bf16: {reason: no bf16 tensor unit}
power: {value: 70, unit: W / GPU, kind: spec, source: {key: paper}}
""",
    "formulas/with-reserve.yaml": """
title: Hours with a reserve
inputs:
  hours: GPU * hour
  per_cent: {unit: 1, default: 10, title: Per cent in reserve}
unit: GPU * hour
formula: hours * (1 + per_cent / 100)
source: {key: memo}
examples:
  - {given: {hours: 100}, expect: 110}
""",
    "plans/small/plan.yaml": """
title: A small plan
summary: Two phases on a chosen accelerator.
source: {key: memo}
scenarios: [corrected, written]
headline: [total.gpu_hours, cost, enough, gpu]
scalars:
  gpu: {ref: hardware, value: h100, title: Accelerator, source: {key: memo}}
  cards:
    {value: 8, unit: GPU, domain: count, kind: decision, source: {key: memo}, title: Cards}
  steps_per_hour:
    value: 2000
    low: 1800
    high: 2100
    unit: step / hour
    domain: positive
    kind: assumption
    source: {key: memo, locator: line 13}
    written: {value: 1900}
    title: Steps per hour
    note: "=HYPERLINK(1) is a note"
  price: {value: 2.5, unit: USD / (GPU * hour), kind: published, source: {key: paper}, title: Price}
  reserve:
    value: 0.1
    unit: 1
    domain: fraction
    kind: decision
    source: {key: memo}
    title: Reserve
    show: {percent: yes}
  limit:
    {low: 10, high: 20, unit: GB, domain: positive, kind: assumption, source: {key: memo}}
  cost: {unit: USD, formula: total.gpu_hours * price * (1 + reserve), title: Cost}
  many: {value: 2000, unit: step, kind: decision, source: {key: memo}, title: Many}
  few: {value: 90, unit: step, kind: decision, source: {key: memo}, title: A few steps}
  minutes: {unit: minute, formula: few / steps_per_hour, title: Time of a few steps}
  reserved: {unit: GPU * hour, formula: with_reserve(hours=total.gpu_hours), title: Reserved}
  spare_memory: {unit: GB, formula: 2 * limit_gib, title: Spare memory}
  limit_gib: {value: 3, unit: GiB, kind: decision, title: Limit in GiB}
  enough:
    title: Does it fit?
    words: [fits, depends, does not fit]
    formula: "'fits' if limit <= gpu.memory else 'does not fit'"
    differs: depends
tables:
  sizes:
    title: Sizes
    note: "=2 sizes"
    columns:
      steps: {unit: step, domain: count, title: Steps}
      spare: {unit: step, formula: "steps - many if steps > many else reason('see SORT(x)')"}
      large: {flag: yes, formula: "steps > few", title: Large}
    rows:
      one: {title: "=1 run", steps: 1000}
      two: {title: Two, steps: {value: 3000, source: {key: memo}, note: rounded}}
    total: [steps]
  speeds:
    title: "Speeds [all]: a/b?"
    rows: {each: {card: hardware, run_size: sizes}}
    columns:
      hours: {unit: hour, formula: run_size.steps / steps_per_hour, title: Hours}
      peak: {unit: TFLOP / (second * GPU), formula: card.dense_bf16, title: Peak}
    show: {down: card, across: run_size, cell: hours}
    total: [hours, peak]
phases:
  train:
    title: Training
    class: one_time
    gpus: {formula: cards}
    gpu_hours: {formula: train.runs.total.gpu_hours}
    hours: {formula: gpu_hours / gpus}
    scalars:
      largest: {unit: step, formula: max(train.runs.steps), title: Largest run}
    tables:
      runs:
        title: Runs
        columns:
          steps: {unit: step, domain: count, title: Steps}
          gpu_hours: {unit: GPU * hour, formula: steps / steps_per_hour * cards, title: GPU hours}
        rows:
          first: {title: First, steps: 20000}
          second: {title: Second, steps: 5000}
        total: [steps, gpu_hours]
  test:
    title: Test
    class: one_time
    after: [train]
    gpus: {formula: cards}
    gpu_hours: {value: 4, unit: GPU * hour, kind: assumption, source: {key: memo}}
    hours: {formula: gpu_hours / gpus}
total: [gpu_hours, budget]
sheets:
  Phases and sizes: [phases, phases.train, sizes]
charts:
  by_phase:
    {title: Hours by phase, kind: bar, table: phases, column: gpu_hours, alt: Training is most.}
checks:
  two_sizes: {title: There are two sizes, formula: count(sizes) == 2}
recommendations:
  - "Plan {{ total.gpu_hours }} for \\"all\\"."
""",
    "plans/small/page.md": "A page.\n",
}


def write_sample(folder: Path) -> Path:
    """Write the sample's data folder."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.lstrip("\n"), encoding="utf-8")
    return folder


def sample_book(folder: Path) -> Book:
    return compile_book(write_sample(folder))
