"""Data folders of any size: the book's catalogue with plans of many rows and computed columns."""

from __future__ import annotations

import shutil
from pathlib import Path

from benchmarks.measure import ROOT

#: The formula of each computed column; the last four depend on a range and have three cells per
#: row.
COLUMNS = {
    "tokens": ("token", "steps * tokens_per_step"),
    "share": ("1", "steps / (steps + spare)"),
    "checkpoints": ("1", "ceil(steps / every)"),
    "stored": ("byte", "checkpoints * checkpoint"),
    "hours": ("hour", "steps / steps_per_hour"),
    "gpu_hours": ("GPU * hour", "hours * gpus"),
    "cost": ("USD", "gpu_hours * price"),
    "energy": ("kW * hour", "gpu_hours * power"),
}
HEAD = """\
title: A plan of {rows} rows
summary: For a benchmark.
source: definition
headline: [runs.total.cost]
scalars:
  tokens_per_step: {{value: 4096, unit: token / step, kind: decision}}
  spare: {{value: 50, unit: step, domain: positive, kind: decision}}
  every: {{value: 100, unit: step, domain: positive, kind: decision}}
  checkpoint: {{value: 3, unit: GB, kind: decision}}
  steps_per_hour: {{value: 2000, low: 1800, high: 2200, unit: step / hour, domain: positive, kind: assumption}}
  gpus: {{value: 8, unit: GPU, domain: count, kind: decision}}
  price: {{value: 1.25, unit: USD / (GPU * hour), kind: decision}}
  power: {{value: 0.4, unit: kW / GPU, kind: decision}}
tables:
  runs:
    title: Runs
    columns:
      steps: {{unit: step, title: Steps, kind: decision, domain: count}}
{columns}
    rows:
{table}
    total: [steps, gpu_hours, cost]
"""  # noqa: E501


#: What the plans need of the book.
BARE = ("book.yaml", "sources.yaml", "units.yaml")


def lay(folder: Path, *, plans: int, rows: int, bare: bool = False) -> Path:
    """Write a data folder with this many plans of this many rows each.

    A `bare` one has no catalogue, which would be part of each workbook.
    """
    data = folder / "data"
    if bare:
        data.mkdir()
        for name in BARE:
            shutil.copyfile(ROOT / "data" / name, data / name)
    else:
        shutil.copytree(ROOT / "data", data, ignore=shutil.ignore_patterns("plans"))
    for number in range(plans):
        home = data / "plans" / f"plan-{number:04}"
        home.mkdir(parents=True)
        (home / "plan.yaml").write_text(plan(rows), "utf-8")
        (home / "page.md").write_text("# A plan\n\nAll runs cost {{ runs.total.cost }}.\n", "utf-8")
    return data


def plan(rows: int) -> str:
    """The text of a plan with this many rows."""
    columns = "\n".join(
        f"      {name}: {{unit: {unit}, title: {name}, formula: {formula}}}"
        for name, (unit, formula) in COLUMNS.items()
    )
    table = "\n".join(
        f"      r{row}: {{title: R{row}, steps: {row % 9973 + 1}}}" for row in range(rows)
    )
    return HEAD.format(rows=rows, columns=columns, table=table)
